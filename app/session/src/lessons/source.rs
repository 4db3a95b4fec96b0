//! The stage of a lesson as the window sees it.
//!
//! It stays the same over restarts, which swap the store inside. Reads go straight to the store.
//! Everything that changes it waits for the lesson's thread, so that it is part of a replay.

use std::collections::VecDeque;
use std::iter;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bson::{DateTime, Document, doc};
use crossbeam_channel::{Receiver, Sender, bounded};
use mayfly_engine::clock::{ClockMode, ClockStatus};
use mayfly_engine::event::{Event, EventHub};

use super::audience::Audience;
use super::script::SharedPermit;
use super::stage::{
    EventSink, MembersSeen, Pacer, Stage, StageClock, StageStore, is_read, refusal, seen,
};
use crate::job::reply;
use crate::job::{Cancel, Capabilities};
use crate::source::{Events, Namespace, OpenRequest, Source, sandbox_copy};

/// A command of the window that waits for the lesson's thread.
pub struct Waiting {
    pub db: String,
    pub command: Document,
    reply: Sender<Document>,
}

impl Waiting {
    /// Answers it.
    pub fn answer(self, reply: Document) {
        // The window may have closed during the work.
        let _ = self.reply.send(reply);
    }
}

/// The store of a lesson that the window works on.
pub struct StageSource {
    present: Mutex<(Arc<StageStore>, StageClock)>,
    hub: Arc<EventHub>,
    /// A replay runs: its events are not for the window.
    is_quiet: Arc<AtomicBool>,
    /// The lesson's thread runs something, so nothing waits for it.
    is_busy: AtomicBool,
    is_closed: AtomicBool,
    permit: SharedPermit,
    pacer: Arc<Pacer>,
    audience: Arc<dyn Audience>,
    waiting: Mutex<VecDeque<Waiting>>,
    /// The rate and whether time stands still, while nothing plays.
    pace: Mutex<(f64, bool)>,
}

impl StageSource {
    /// The window's connection to this stage.
    pub(super) fn new(
        stage: &Stage,
        hub: EventHubs,
        permit: SharedPermit,
        pacer: Arc<Pacer>,
        audience: Arc<dyn Audience>,
        rate: f64,
    ) -> Self {
        Self {
            present: Mutex::new((Arc::clone(stage.store()), stage.clock().clone())),
            hub: hub.hub,
            is_quiet: hub.is_quiet,
            is_busy: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
            permit,
            pacer,
            audience,
            waiting: Mutex::default(),
            pace: Mutex::new((rate, true)),
        }
    }

    /// The members, the newest entries of the oplog, and the delay in milliseconds. `None` without
    /// members, or while they work.
    pub(super) fn members(&self) -> Option<MembersSeen> {
        let store = Arc::clone(&lock(&self.present).0);
        let set = store.resting_members();
        set.map(|set| seen(&set))
    }

    /// Shows another stage, and says that everything must be read again.
    pub(super) fn show(&self, stage: &Stage) {
        *lock(&self.present) = (Arc::clone(stage.store()), stage.clock().clone());
        self.is_quiet.store(false, Ordering::Release);
        self.hub.send(&Event::Missed(1));
        self.hub.send(&Event::CatalogChanged);
        self.tell_clock();
    }

    /// A replay begins, which ends with [`StageSource::show`].
    pub(super) fn hush(&self) {
        self.is_quiet.store(true, Ordering::Release);
    }

    /// The lesson's thread begins or ends something.
    pub(super) fn set_busy(&self, is_busy: bool) {
        self.is_busy.store(is_busy, Ordering::Release);
    }

    /// The command that has waited longest.
    pub(super) fn take_waiting(&self) -> Option<Waiting> {
        lock(&self.waiting).pop_front()
    }

    /// The rate, and whether time stands still, while nothing plays.
    pub(super) fn pace(&self) -> (f64, bool) {
        *lock(&self.pace)
    }

    /// Sets the rate, and whether time stands still, while nothing plays.
    pub(super) fn set_pace(&self, rate: f64, is_paused: bool) {
        *lock(&self.pace) = (rate, is_paused);
        self.tell_clock();
    }

    /// The clock as the window shows it: always simulated.
    pub fn clock_status(&self) -> ClockStatus {
        let now_ms = lock(&self.present).1.now_ms();
        let progress = self.pacer.progress();
        let (rate, paused) = match progress.until_ms {
            Some(_) => (progress.rate, progress.is_paused),
            None => self.pace(),
        };
        ClockStatus { now_ms, mode: ClockMode::Simulated, rate, paused }
    }

    /// Says how the clock runs.
    pub(super) fn tell_clock(&self) {
        if !self.is_quiet.load(Ordering::Acquire) {
            self.hub.send(&Event::ClockChanged(self.clock_status()));
        }
    }

    /// The reply to `mayflyClock`.
    pub fn clock_reply(&self) -> Document {
        let status = self.clock_status();
        doc! {
            "now": DateTime::from_millis(status.now_ms),
            "mode": status.mode.name(),
            "rate": status.rate,
            "paused": status.paused,
            "ok": 1.0,
        }
    }

    fn wait_for_thread(&self, db: &str, command: &Document) -> Document {
        let (reply, answer): (_, Receiver<Document>) = bounded(1);
        let (db, command) = (db.to_owned(), command.clone());
        lock(&self.waiting).push_back(Waiting { db, command, reply });
        if self.is_closed.load(Ordering::Acquire) {
            lock(&self.waiting).clear();
        }
        self.audience.wake();
        answer.recv().unwrap_or_else(|_| refusal("The lesson has ended"))
    }

    /// The part of a clock change that takes effect while a block plays.
    fn change_play(&self, command: &Document) -> Document {
        let moves = ["set", "advanceMS", "advanceTo"];
        if moves.iter().any(|field| command.contains_key(field)) {
            return refusal("the lesson plays; stop it first");
        }
        if let Some(rate) = command.get("rate").and_then(super::equality::double) {
            self.pacer.set_rate(rate);
        }
        if let Ok(is_paused) = command.get_bool("paused") {
            self.pacer.set_paused(is_paused);
        }
        self.tell_clock();
        self.clock_reply()
    }
}

impl Source for StageSource {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.run_until(db, command, &Cancel::default())
    }

    fn run_until(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        let is_clock = command.keys().next().is_some_and(|name| name == "mayflyClock");
        if is_read(command) {
            if is_clock {
                return self.clock_reply();
            }
            let store = Arc::clone(&lock(&self.present).0);
            return store.run(db, command, cancel);
        }
        let is_busy = self.is_busy.load(Ordering::Acquire);
        if is_clock && is_busy {
            return self.change_play(command);
        }
        let refused = lock(&self.permit).check_command(&[], command);
        if let Some(name) = refused {
            return refusal(&format!("Not in this challenge: {name}"));
        }
        if is_busy {
            let store = Arc::clone(&lock(&self.present).0);
            return store.run(db, command, cancel);
        }
        self.wait_for_thread(db, command)
    }

    fn now_ms(&self) -> i64 {
        lock(&self.present).1.now_ms()
    }

    fn subscribe(&self) -> Events {
        if self.is_closed.load(Ordering::Acquire) {
            return Box::new(iter::empty());
        }
        Box::new(self.hub.subscribe())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { simulated_clock: true, reaper_events: true, ..Capabilities::default() }
    }

    /// Copies the whole store of the lesson, with the collection first.
    fn copy_to_sandbox(&self, namespace: &Namespace) -> Result<OpenRequest, String> {
        let store = Arc::clone(&lock(&self.present).0);
        let engine = store.engine().ok_or("A replica set can't be copied into a sandbox")?;
        let list = doc! {"listCollections": 1, "nameOnly": true};
        let collections = |db: &str| {
            let found = store.run(db, &list, &Cancel::default());
            let names = reply::batch(&found).filter_map(|entry| entry.get_str("name").ok());
            names.map(|name| Namespace::new(db, name)).collect::<Vec<_>>()
        };
        let others = ["lesson", "cosmos"].map(collections).concat();
        sandbox_copy::copy(engine, namespace, &others)
    }

    fn close(&self) {
        self.is_closed.store(true, Ordering::Release);
        lock(&self.waiting).clear();
    }
}

/// Where the events of all stages of a lesson go.
#[derive(Clone, Default)]
pub(super) struct EventHubs {
    hub: Arc<EventHub>,
    is_quiet: Arc<AtomicBool>,
}

impl EventHubs {
    /// Takes the events of one more stage.
    pub(super) fn sink(&self) -> EventSink {
        let (hub, is_quiet) = (Arc::clone(&self.hub), Arc::clone(&self.is_quiet));
        Arc::new(move |event: &Event| {
            // The window's clock has its own events.
            let is_clock = matches!(event, Event::ClockChanged(_));
            if !is_clock && !is_quiet.load(Ordering::Acquire) {
                hub.send(event);
            }
        })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
