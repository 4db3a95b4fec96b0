//! Events on their way to subscribers.

use std::{
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError, RwLock, Weak,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, TrySendError, bounded};

use super::Event;
use crate::limits::EVENT_QUEUE_MAX;

/// Sends events to all subscribers. A slow subscriber never blocks the engine: a full queue drops
/// its oldest event and counts the loss.
#[derive(Default)]
pub struct EventHub {
    subscribers: Mutex<Vec<Subscriber>>,
    observers: RwLock<Arc<[Observer]>>,
}

/// Called with each event on the thread that sends it, before the subscribers.
type Observer = Arc<dyn Fn(&Event) + Send + Sync>;

#[derive(Debug)]
struct Subscriber {
    sender: Sender<Event>,
    /// The receiving end, to drop the oldest event when the queue is full.
    receiver: Receiver<Event>,
    lost: Weak<AtomicU64>,
}

/// The receiving end of [`EventHub::subscribe`]. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription {
    receiver: Receiver<Event>,
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

    /// Adds an observer of all events, for as long as the hub exists.
    pub fn observe(&self, observer: impl Fn(&Event) + Send + Sync + 'static) {
        let mut observers = self.observers.write().unwrap_or_else(PoisonError::into_inner);
        let all = observers.iter().cloned().chain([Arc::new(observer) as Observer]);
        *observers = all.collect();
    }

    /// Sends an event to the observers in the order in which they were added, then to all
    /// subscribers.
    pub fn send(&self, event: &Event) {
        // Without the lock: an observer may send events too.
        let observers = Arc::clone(&self.observers.read().unwrap_or_else(PoisonError::into_inner));
        for observer in observers.iter() {
            // A panicking observer must not stop the others or the sending thread.
            let _ = catch_unwind(AssertUnwindSafe(|| observer(event)));
        }
        let mut subscribers = self.subscribers.lock().unwrap_or_else(PoisonError::into_inner);
        subscribers.retain(|subscriber| subscriber.send(event.clone()));
    }

    /// Reports a panic in a piece of a thread's work.
    pub fn thread_failed(&self, thread: &str, message: String) {
        self.send(&Event::ThreadFailed { thread: thread.to_owned(), message });
    }
}

impl Subscriber {
    /// Whether the subscription still exists.
    fn send(&self, event: Event) -> bool {
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
    /// Waits for the next event, in real time.
    ///
    /// # Errors
    /// `Timeout`, or `Disconnected` after the engine was closed.
    pub fn recv_timeout(&self, timeout: Duration) -> Result<Event, RecvTimeoutError> {
        self.receiver.recv_timeout(timeout)
    }

    /// The events that are here now.
    pub fn try_iter(&self) -> impl Iterator<Item = Event> + '_ {
        self.receiver.try_iter()
    }
}

/// Waits for each event, in real time; lost events are counted by an [`Event::Missed`]. Ends after
/// the engine was closed.
impl Iterator for Subscription {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        match self.lost.swap(0, Ordering::Relaxed) {
            0 => self.receiver.recv().ok(),
            lost => Some(Event::Missed(lost)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn started(number: u64) -> Event {
        Event::PassStarted { number, at_ms: 0 }
    }

    #[test]
    fn a_full_queue_loses_the_oldest_and_counts() {
        let hub = EventHub::default();
        let mut subscription = hub.subscribe();
        for number in 0..EVENT_QUEUE_MAX as u64 + 3 {
            hub.send(&started(number));
        }
        assert_eq!(subscription.next(), Some(Event::Missed(3)));
        assert_eq!(subscription.next(), Some(started(3)));
        assert_eq!(subscription.try_iter().count(), EVENT_QUEUE_MAX - 1);
    }

    #[test]
    fn a_dropped_subscription_is_forgotten_and_a_dropped_hub_is_noticed() {
        let hub = EventHub::default();
        drop(hub.subscribe());
        let mut kept = hub.subscribe();
        hub.send(&started(1));
        assert_eq!(hub.subscribers.lock().expect("not poisoned").len(), 1);
        drop(hub);
        assert_eq!(kept.next(), Some(started(1)));
        assert_eq!(kept.next(), None);
    }
}
