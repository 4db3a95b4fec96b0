//! Events that the engine sends to its subscribers.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, OnceLock, PoisonError, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use bson::Bson;
use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TryRecvError, TrySendError, bounded};

use crate::{
    catalog::Namespace, clock::ClockStatus, collection::Finding, limits::EVENT_QUEUE_MAX,
    ttl::InertReason,
};

/// Something happened in the engine.
#[derive(Debug, Clone, PartialEq)]
pub enum EngineEvent {
    /// A pass of the TTL monitor began.
    PassStarted {
        /// Its number, counted from 1 since the engine was opened.
        number: u64,
        /// When, in milliseconds since 1970.
        at_ms: i64,
    },
    /// A pass ended.
    PassFinished(PassReport),
    /// Expired documents were removed, in one transaction that is already durable.
    Removed {
        /// At most [`crate::limits::REMOVED_EVENT_DOCS_MAX`] of them.
        documents: Vec<RemovedDocument>,
        /// Further documents removed in the same transaction.
        more: u64,
    },
    /// Databases, collections or indexes changed.
    CatalogChanged,
    /// Documents of a collection changed by a command.
    DataChanged(Namespace),
    /// An index is being built.
    IndexBuild {
        /// Of which collection.
        namespace: Namespace,
        /// The index's name.
        index: String,
        /// Documents that have been read.
        done: u64,
        /// Documents to read, as far as known.
        total: u64,
        /// No more of these events will come for this build.
        finished: bool,
        /// Why it failed, as a sentence.
        error: Option<String>,
    },
    /// A command set, stepped, paused or sped up the clock.
    ClockChanged(ClockStatus),
    /// When the next pass is due.
    ReaperScheduled {
        /// Milliseconds since 1970; `None` while nothing is planned.
        next_pass_ms: Option<i64>,
        /// The parameter `ttlMonitorEnabled`.
        enabled: bool,
    },
    /// The system clock was set, by too little for a hold.
    ClockStepped {
        /// Wall time in milliseconds since 1970.
        wall_ms: i64,
        /// Expected wall time by time since boot.
        expected_ms: i64,
    },
    /// Removals were put on hold, or released.
    HeldChanged {
        /// The reason as a sentence; `None` if nothing is on hold any more.
        reason: Option<String>,
    },
    /// Something stored is damaged: the scrub found it, or it was in the trash.
    DamageFound(Finding),
    /// A background thread failed on a piece of work. It continues with the next one.
    ThreadFailed {
        /// The thread's name.
        thread: String,
        /// The panic message, in one line.
        message: String,
    },
}

/// The report of one pass.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PassReport {
    /// Counted from 1 since the engine was opened.
    pub number: u64,
    /// The one "now" of the pass, in milliseconds since 1970.
    pub started_ms: i64,
    /// When it ended, in milliseconds since 1970.
    pub finished_ms: i64,
    /// Documents removed.
    pub deleted: u64,
    /// Sub-passes it took.
    pub sub_passes: u64,
    /// One for each rule that was visited.
    pub indexes: Vec<IndexReport>,
    /// How long it took, in microseconds of the engine's clock.
    pub duration_micros: u64,
    /// Why nothing was removed although something was due, as a sentence.
    pub held: Option<String>,
}

/// The part of a pass report about one TTL rule.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexReport {
    /// The collection.
    pub namespace: Namespace,
    /// The index's name; a clustered or time-series collection's own rule has the name of its key.
    pub index: String,
    /// Documents removed.
    pub deleted: u64,
    /// Index entries looked at.
    pub examined: u64,
    /// Why it was skipped or stopped, as a sentence.
    pub error: Option<String>,
    /// Why the rule never removes anything, if that is why it was skipped.
    pub inert: Option<InertReason>,
    /// How long its visits took, in microseconds of real time.
    pub duration_micros: u64,
    /// Median time in milliseconds from threshold to removal.
    pub lag_p50_ms: i64,
    /// Longest time in milliseconds from threshold to removal.
    pub lag_max_ms: i64,
}

/// One document that the reaper removed.
#[derive(Debug, Clone, PartialEq)]
pub struct RemovedDocument {
    /// The collection it was in.
    pub namespace: Namespace,
    /// The rule that removed it.
    pub index: String,
    /// Its `_id`.
    pub id: Bson,
    /// When it expired, in milliseconds since 1970.
    pub threshold_ms: i64,
    /// The date or last modification that its threshold is based on.
    pub base_ms: i64,
    /// When it was removed.
    pub removed_ms: i64,
    /// Its size in bytes of BSON.
    pub bytes: u32,
    /// The number of the pass.
    pub pass: u64,
}

/// Sends events to all subscribers. A slow subscriber never blocks the engine: a full queue drops
/// its oldest event and counts the loss.
#[derive(Default)]
pub struct EventHub {
    subscribers: Mutex<Vec<Subscriber>>,
    observer: OnceLock<Observer>,
}

/// Called with each event on the thread that sends it, before the subscribers.
type Observer = Box<dyn Fn(&EngineEvent) + Send + Sync>;

#[derive(Debug)]
struct Subscriber {
    sender: Sender<EngineEvent>,
    /// The receiving end, to drop the oldest event when the queue is full.
    receiver: Receiver<EngineEvent>,
    lost: Weak<AtomicU64>,
}

/// The receiving end of [`EventHub::subscribe`]. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription {
    receiver: Receiver<EngineEvent>,
    lost: Arc<AtomicU64>,
}

impl EventHub {
    /// All events from now on, [`EVENT_QUEUE_MAX`] of them at a time.
    pub fn subscribe(&self) -> Subscription {
        let (sender, receiver) = bounded(EVENT_QUEUE_MAX);
        let lost = Arc::new(AtomicU64::new(0));
        let subscriber =
            Subscriber { sender, receiver: receiver.clone(), lost: Arc::downgrade(&lost) };
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner).push(subscriber);
        Subscription { receiver, lost }
    }

    /// Sets the one observer of all events; a second call has no effect.
    pub fn observe(&self, observer: impl Fn(&EngineEvent) + Send + Sync + 'static) {
        let _ = self.observer.set(Box::new(observer));
    }

    /// Sends an event to the observer, then to all subscribers.
    pub fn send(&self, event: &EngineEvent) {
        if let Some(observer) = self.observer.get() {
            // A panicking observer must not stop the subscribers or the sending thread.
            let _ = catch_unwind(AssertUnwindSafe(|| observer(event)));
        }
        let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        subscribers.retain(|subscriber| subscriber.send(event.clone()));
    }

    /// Reports a panic in a piece of a thread's work.
    pub fn thread_failed(&self, thread: &str, message: String) {
        self.send(&EngineEvent::ThreadFailed { thread: thread.to_owned(), message });
    }
}

impl Subscriber {
    /// Whether the subscription still exists.
    fn send(&self, event: EngineEvent) -> bool {
        let Some(lost) = self.lost.upgrade() else { return false };
        let mut event = event;
        while let Err(TrySendError::Full(back)) = self.sender.try_send(event) {
            event = back;
            if self.receiver.try_recv().is_ok() {
                lost.fetch_add(1, Ordering::Relaxed);
            }
        }
        true
    }
}

impl Subscription {
    /// The next event if there is one now.
    ///
    /// # Errors
    /// `Empty`, or `Disconnected` after the engine was closed.
    pub fn try_recv(&self) -> Result<EngineEvent, TryRecvError> {
        self.receiver.try_recv()
    }

    /// Waits for the next event, in real time.
    ///
    /// # Errors
    /// `Timeout`, or `Disconnected` after the engine was closed.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<EngineEvent, RecvTimeoutError> {
        self.receiver.recv_timeout(timeout)
    }

    /// The events that are here now.
    pub fn try_iter(&self) -> impl Iterator<Item = EngineEvent> + '_ {
        self.receiver.try_iter()
    }

    /// The channel, for a `select` with others.
    #[must_use]
    pub fn receiver(&self) -> &Receiver<EngineEvent> {
        &self.receiver
    }

    /// How many events were lost because the queue was full.
    #[must_use]
    pub fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(number: u64) -> EngineEvent {
        EngineEvent::PassStarted { number, at_ms: 0 }
    }

    #[test]
    fn a_full_queue_loses_the_oldest_and_counts() {
        let hub = EventHub::default();
        let subscription = hub.subscribe();
        for number in 0..EVENT_QUEUE_MAX as u64 + 3 {
            hub.send(&started(number));
        }
        assert_eq!(subscription.lost(), 3);
        assert_eq!(subscription.try_recv(), Ok(started(3)));
        assert_eq!(subscription.try_iter().count(), EVENT_QUEUE_MAX - 1);
    }

    #[test]
    fn a_dropped_subscription_is_forgotten_and_a_dropped_hub_is_noticed() {
        let hub = EventHub::default();
        drop(hub.subscribe());
        let kept = hub.subscribe();
        hub.send(&started(1));
        assert_eq!(hub.subscribers.lock().expect("not poisoned").len(), 1);
        drop(hub);
        assert_eq!(kept.try_recv(), Ok(started(1)));
        assert_eq!(kept.try_recv(), Err(TryRecvError::Disconnected));
    }
}
