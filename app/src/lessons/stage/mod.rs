//! The stage of a lesson: its store, clock, TTL monitor and ledger. Nothing happens on it by itself.

mod clock;
mod ledger;
mod pacer;
mod permit;
mod store;
#[cfg(test)]
pub(in crate::lessons) mod tests;

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use bson::{Bson, Document, doc};
use mayfly_engine::event::Event;
use mayfly_engine::reaper::{Monitor, SleepEnd};
use mayfly_engine::store::{Scan, StoreError};

pub use clock::StageClock;
pub use ledger::Ledger;
pub use pacer::{Pacer, PlayEnd, Progress};
pub use permit::{Permit, is_read};
pub use store::{BUILD_MS, COSMOS_DATABASE, DATABASE, StageStore, refusal};

use crate::job::Cancel;
use crate::job::lesson::Lesson;
use crate::limits::{LESSON_EVENTS_MAX, LESSON_WATCHED_PASSES_MAX};

/// Takes the events of the store, on the thread that causes them.
pub type EventSink = Arc<dyn Fn(&Event) + Send + Sync>;

/// A lesson's store with everything that acts on it.
pub struct Stage {
    store: Arc<StageStore>,
    clock: StageClock,
    monitor: RefCell<Monitor>,
    ledger: Arc<Ledger>,
    pacer: Arc<Pacer>,
    start_ms: i64,
    /// The instants at which something happened, ascending.
    events: RefCell<Vec<i64>>,
    /// Passes of the present run after which the goal was watched.
    watched_passes: Cell<u32>,
}

impl Stage {
    /// A stage as a lesson begins with it. `sink` takes the events of its store.
    ///
    /// # Errors
    /// One sentence.
    pub fn open(lesson: &Lesson, pacer: Arc<Pacer>, sink: EventSink) -> Result<Self, String> {
        let (store, clock) = StageStore::open(lesson)?;
        let ledger = Arc::new(Ledger::default());
        store.engine().reaper().hub().observe({
            let (ledger, pacer, clock) = (Arc::clone(&ledger), Arc::clone(&pacer), clock.clone());
            let load_ms = i64::try_from(lesson.reaper.load.as_millis()).unwrap_or(i64::MAX);
            move |event| {
                sink(event);
                if let Event::Removed { documents, more } = event {
                    ledger.add(documents);
                    let count = (documents.len() as u64).saturating_add(*more);
                    take_time(&pacer, &clock, load_ms, count);
                }
            }
        });
        let monitor = Monitor::new(Arc::clone(store.engine().reaper()));
        monitor.plan();
        let start_ms = clock.now_ms();
        Ok(Self {
            store: Arc::new(store),
            clock,
            monitor: RefCell::new(monitor),
            ledger,
            pacer,
            start_ms,
            events: RefCell::default(),
            watched_passes: Cell::new(0),
        })
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<StageStore> {
        &self.store
    }

    /// The clock.
    #[must_use]
    pub fn clock(&self) -> &StageClock {
        &self.clock
    }

    /// What the passes removed.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// How time passes on the screen.
    #[must_use]
    pub fn pacer(&self) -> &Pacer {
        &self.pacer
    }

    /// When the lesson began, in milliseconds since 1970.
    #[must_use]
    pub fn start_ms(&self) -> i64 {
        self.start_ms
    }

    /// When the monitor wakes next, and whether it is on then.
    #[must_use]
    pub fn schedule(&self) -> (i64, bool) {
        let monitor = self.monitor.borrow();
        monitor.plan();
        let reaper = self.store.engine().reaper();
        (reaper.next_pass_ms().unwrap_or(i64::MAX), reaper.parameters().enabled())
    }

    /// The next threshold after now.
    #[must_use]
    pub fn next_threshold_ms(&self) -> Option<i64> {
        let reaper = self.store.engine().reaper();
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
            let (wake_ms, _) = self.schedule();
            if wake_ms > to_ms || wake_ms == to_ms && !is_end {
                self.pacer.advance(&self.clock, to_ms);
                return true;
            }
            if !self.pacer.advance(&self.clock, wake_ms) {
                return true;
            }
            let end = self.monitor.borrow_mut().run_due();
            let Some(SleepEnd::Pass(report)) = end else { continue };
            self.note_event();
            let watched = self.watched_passes.get();
            self.watched_passes.set(watched.saturating_add(1));
            if report.deleted > 0 || watched < LESSON_WATCHED_PASSES_MAX {
                return false;
            }
        }
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
    #[must_use]
    pub fn events(&self) -> Vec<i64> {
        self.events.borrow().clone()
    }

    /// Whether the bytes of a document are stored, hidden or not.
    #[must_use]
    pub fn is_stored(&self, db: &str, collection: &str, id: &Bson) -> bool {
        let command = doc! {"mayflyVerdict": collection, "id": id.clone()};
        let reply = self.store.run(db, &command, &Cancel::default());
        reply.get_f64("ok").is_ok_and(|ok| ok > 0.0)
    }

    /// Every document of every collection in the order of storage, with its namespace: what a
    /// second run must repeat byte for byte.
    #[must_use]
    pub fn contents(&self) -> Vec<(String, Vec<u8>)> {
        let collections = self.store.engine().collections();
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

    /// Runs a command on a member of the replica set.
    #[must_use]
    pub fn run_on(&self, member: &str, db: &str, command: &Document) -> Document {
        let _ = (db, command, &self.store);
        refusal(&format!("this lesson has no member {member}"))
    }

    /// Acts on a member of the replica set.
    ///
    /// # Errors
    /// One sentence.
    pub fn member(&self, name: &str, what: &str) -> Result<Document, String> {
        Err(format!("{what}: this lesson has no member {name}"))
    }
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
