//! The stage of a lesson: its store, clock, TTL monitor and ledger. Nothing happens on it by itself.

mod clock;
mod ledger;
mod members;
mod pacer;
mod permit;
mod store;
#[cfg(test)]
pub(in crate::lessons) mod tests;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use mayfly_engine::engine::Engine;
use mayfly_engine::event::Event;
use mayfly_engine::reaper::{Monitor, SleepEnd};
use mayfly_engine::store::{Scan, StoreError};

pub use clock::StageClock;
pub use ledger::Ledger;
pub use members::{MembersSeen, seen};
pub use pacer::{Pacer, PlayEnd, Progress};
pub use permit::{Permit, is_read};
pub use store::{BUILD_MS, COSMOS_DATABASE, DATABASE, EventSink, StageStore, refusal};

use crate::job::Cancel;
use crate::job::lesson::Lesson;
use crate::limits::{LESSON_EVENTS_MAX, LESSON_WATCHED_PASSES_MAX};

/// A lesson's store with everything that acts on it.
pub struct Stage {
    store: Arc<StageStore>,
    clock: StageClock,
    monitor: Option<RefCell<Monitor>>,
    ledger: Arc<Ledger>,
    pacer: Arc<Pacer>,
    sink: EventSink,
    start_ms: i64,
    /// The instants at which something happened, ascending.
    events: RefCell<Vec<i64>>,
    failure: RefCell<Option<String>>,
    /// Passes of the present run after which the goal was watched.
    watched_passes: Cell<u32>,
}

impl Stage {
    /// A stage as a lesson begins with it. `sink` takes the events of its store.
    pub fn open(lesson: &Lesson, pacer: Arc<Pacer>, sink: EventSink) -> Result<Self, String> {
        let ledger = Arc::new(Ledger::default());
        let watch: EventSink = {
            let (ledger, sink) = (Arc::clone(&ledger), Arc::clone(&sink));
            Arc::new(move |event: &Event| {
                sink(event);
                if let Event::Removed { documents, .. } = event {
                    ledger.add(documents);
                }
            })
        };
        let (store, clock) = StageStore::open(lesson, &watch)?;
        let monitor = store.engine().map(|engine| {
            let (pacer, clock) = (Arc::clone(&pacer), clock.clone());
            let load_ms = i64::try_from(lesson.reaper.load.as_millis()).unwrap_or(i64::MAX);
            engine.reaper().hub().observe(move |event| {
                watch(event);
                if let Event::Removed { documents, more } = event {
                    let count = (documents.len() as u64).saturating_add(*more);
                    take_time(&pacer, &clock, load_ms, count);
                }
            });
            let monitor = Monitor::new(Arc::clone(engine.reaper()));
            monitor.plan();
            RefCell::new(monitor)
        });
        let start_ms = clock.now_ms();
        Ok(Self {
            store: Arc::new(store),
            clock,
            monitor,
            ledger,
            pacer,
            sink,
            start_ms,
            events: RefCell::default(),
            failure: RefCell::default(),
            watched_passes: Cell::new(0),
        })
    }

    pub fn store(&self) -> &Arc<StageStore> {
        &self.store
    }

    pub fn clock(&self) -> &StageClock {
        &self.clock
    }

    /// The removals by the passes.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// How time passes on the screen.
    pub fn pacer(&self) -> &Pacer {
        &self.pacer
    }

    /// When the lesson began, in milliseconds since 1970.
    pub fn start_ms(&self) -> i64 {
        self.start_ms
    }

    /// When the monitor wakes next, and whether it is on then. With members, the primary's.
    pub fn schedule(&self) -> (i64, bool) {
        if let Some(set) = self.store.members() {
            let is_on = set.with_primary(|engine| engine.reaper().parameters().enabled());
            return (set.next_pass_ms().unwrap_or(i64::MAX), is_on.unwrap_or(false));
        }
        let Some(engine) = self.store.engine() else { return (i64::MAX, false) };
        if let Some(monitor) = &self.monitor {
            monitor.borrow().plan();
        }
        let reaper = engine.reaper();
        (reaper.next_pass_ms().unwrap_or(i64::MAX), reaper.parameters().enabled())
    }

    /// When something happens next by itself.
    fn wake_ms(&self) -> i64 {
        let set = self.store.members().map(|set| set.next_event_ms());
        set.unwrap_or_else(|| self.schedule().0)
    }

    /// The next threshold after now. With members, by the primary's clock.
    pub fn next_threshold_ms(&self) -> Option<i64> {
        if let Some(set) = self.store.members() {
            return set.next_threshold_ms();
        }
        let reaper = self.store.engine()?.reaper();
        reaper.first_threshold_ms(self.clock.now_ms().saturating_add(1)).ok().flatten()
    }

    /// A run begins: an input, a block or an expression.
    pub fn begin_run(&self, cancel: &Cancel) {
        self.watched_passes.set(0);
        self.pacer.begin_run(cancel);
    }

    /// Lets time pass until this instant, with the passes on the way. A pass at exactly this
    /// instant comes only at the end of a play, after everything else. Returns whether the clock is
    /// there; if not, a pass ran that may have changed what is to come.
    pub fn advance(&self, to_ms: i64, is_end: bool) -> bool {
        loop {
            let wake_ms = self.wake_ms();
            if wake_ms > to_ms || wake_ms == to_ms && !is_end {
                self.pacer.advance(&self.clock, to_ms);
                return true;
            }
            if !self.pacer.advance(&self.clock, wake_ms) {
                return true;
            }
            let (has_run, has_changed) = match self.wake() {
                Ok(done) => done,
                Err(sentence) => {
                    self.failure.replace(Some(sentence));
                    return true;
                }
            };
            if !has_run {
                continue;
            }
            self.note_event();
            let watched = self.watched_passes.get();
            self.watched_passes.set(watched.saturating_add(1));
            if has_changed || watched < LESSON_WATCHED_PASSES_MAX {
                return false;
            }
        }
    }

    /// Does what is due by itself. Returns whether anything ran, and whether it changed documents.
    fn wake(&self) -> Result<(bool, bool), String> {
        if let Some(mut set) = self.store.members() {
            let step = set.step()?;
            return Ok((step.passes + step.applied > 0, step.deleted + step.applied > 0));
        }
        let end = self.monitor.as_ref().and_then(|monitor| monitor.borrow_mut().run_due());
        let Some(SleepEnd::Pass(report)) = end else { return Ok((false, false)) };
        Ok((true, report.deleted > 0))
    }

    /// Why the members can't replicate, if they can't.
    pub fn failure(&self) -> Option<String> {
        self.failure.borrow().clone()
    }

    /// Sends an event to the window.
    fn tell(&self, event: &Event) {
        (self.sink)(event);
    }

    /// Something happened now.
    pub fn note_event(&self) {
        let now_ms = self.clock.now_ms();
        let mut events = self.events.borrow_mut();
        if events.last() != Some(&now_ms) {
            events.push(now_ms);
            let excess = events.len().saturating_sub(LESSON_EVENTS_MAX);
            events.drain(..excess);
        }
    }

    /// The instants at which something happened, ascending.
    pub fn events(&self) -> Vec<i64> {
        self.events.borrow().clone()
    }

    /// Every document of every collection in the order of storage, with its namespace: what a
    /// second run must repeat byte for byte. With members, those of the primary.
    pub fn contents(&self) -> Vec<(String, Vec<u8>)> {
        match self.store.members() {
            Some(set) => set.with_primary(contents).unwrap_or_default(),
            None => self.store.engine().map(contents).unwrap_or_default(),
        }
    }
}

fn contents(engine: &Engine) -> Vec<(String, Vec<u8>)> {
    let collections = engine.collections();
    let mut found = Vec::new();
    for collection in collections.catalog().all_collections() {
        let name = collection.namespace.to_string();
        if collection.namespace.collection.starts_with("system.") {
            continue;
        }
        let read = collections.store().read(|reader| {
            let documents = reader.documents(collection.id, 0, Scan::Forward)?;
            for stored in documents {
                found.push((name.clone(), stored?.document()?.as_bytes().to_vec()));
            }
            Ok::<_, StoreError>(())
        });
        if let Err(error) = read {
            found.push((name, error.to_string().into_bytes()));
        }
    }
    found
}

/// Lets the time pass that the removal of documents takes.
fn take_time(pacer: &Pacer, clock: &StageClock, load_ms: i64, documents: u64) {
    let took_ms = load_ms.saturating_mul(i64::try_from(documents).unwrap_or(i64::MAX));
    if took_ms <= 0 {
        return;
    }
    let end_ms = clock.now_ms().saturating_add(took_ms);
    // A pass is not interrupted: where time stops within it, the rest of it passes at once.
    if !pacer.advance(clock, end_ms) {
        clock.advance(end_ms.saturating_sub(clock.now_ms()));
    }
}
