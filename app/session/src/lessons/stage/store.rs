//! The throwaway store of a lesson.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, Once, PoisonError};

use bson::{Document, doc};
use mayfly_engine::clock::{Clock, FakeSystemClock};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_engine::interrupt::{Limit, StopReason, run_within};
use mayfly_engine::store::{StoreError, StoreOptions};

use super::clock::StageClock;
use super::permit::{is_output, is_read, outside};
use crate::job::lesson::{ClockKind, Lesson, Rules};
use crate::job::{Cancel, Dialect, Event, Namespace, SandboxFolder};
use crate::lessons::members::ReplicaSet;
use crate::limits::{
    LESSON_BATCH_DOCUMENTS, LESSON_BYTES_MAX, LESSON_DOCUMENTS_MAX, LESSON_LOAD_BATCH_DOCUMENTS,
    LESSON_MAP_BYTES,
};
use crate::source::sandbox_folder;

pub const DATABASE: &str = "lesson";

/// The second database of a lesson with both rules.
pub const COSMOS_DATABASE: &str = "cosmos";

/// When this version was made, in milliseconds since 1970: where a lesson's clock starts that says
/// so. The clock guard knows the same instant.
pub const BUILD_MS: i64 = mayfly_engine::limits::GUARD_EARLIEST_MS;

/// Folders that killed programs left are removed with the first lesson of a program.
static LEFT: Once = Once::new();

/// A store, or the members of a replica set, in a temporary folder that goes with it.
pub struct StageStore {
    backing: Backing,
    /// Removed after the engine is closed.
    folder: SandboxFolder,
}

enum Backing {
    Alone(Box<Engine>),
    /// Locked only while a command or a step runs, never while time passes.
    Set(Box<Mutex<ReplicaSet>>),
}

/// Ends a command once its run is canceled.
struct UntilCanceled(Cancel);

impl Limit for UntilCanceled {
    fn tick(&self) -> Result<(), StopReason> {
        if self.0.is_cancelled() { Err(StopReason::Interrupted) } else { Ok(()) }
    }
}

impl StageStore {
    /// A store as a lesson begins with it, and its clock. `watch` takes the events of members.
    pub fn open(lesson: &Lesson, watch: &EventSink) -> Result<(Self, StageClock), String> {
        LEFT.call_once(sandbox_folder::remove_left);
        let (lock, folder) = sandbox_folder::create_in_memory()
            .map_err(|error| format!("Couldn't create a folder for the lesson: {error}"))?;
        let folder = SandboxFolder::new(lock, folder);
        let start_ms = lesson.start_ms.unwrap_or(BUILD_MS);
        if !lesson.members.is_empty() {
            return Self::open_set(lesson, folder, start_ms, watch);
        }
        let store = StoreOptions {
            map_size_bytes: LESSON_MAP_BYTES,
            ballast_bytes_max: 0,
            ..StoreOptions::default()
        };
        let clock = ClockOption::Simulated { start_ms };
        let options = EngineOptions { clock, run_reaper: false, store, ..EngineOptions::default() };
        let data = folder.path().join("store");
        let (engine, clock) = match lesson.clock {
            ClockKind::Simulated => {
                let engine = Engine::open(&data, options).map_err(|error| error.message)?;
                let clock = engine.simulated_clock().cloned();
                let clock = clock.ok_or("The lesson's store has no simulated clock")?;
                (engine, StageClock::Simulated(clock))
            }
            ClockKind::Computer => {
                let clock = Arc::new(FakeSystemClock::new(start_ms));
                let options = EngineOptions { clock: ClockOption::System, ..options };
                let shared = Arc::clone(&clock) as Arc<dyn Clock>;
                let engine =
                    Engine::open_on(&data, options, shared).map_err(|error| error.message)?;
                (engine, StageClock::Computer(clock))
            }
        };
        let mut all = dialects(lesson);
        all.extend(parameters(lesson).into_iter().map(|command| ("admin", command)));
        for (db, command) in all {
            set_up(&engine.run(db, &command))?;
        }
        Ok((Self { backing: Backing::Alone(Box::new(engine)), folder }, clock))
    }

    fn open_set(
        lesson: &Lesson,
        folder: SandboxFolder,
        start_ms: i64,
        watch: &EventSink,
    ) -> Result<(Self, StageClock), String> {
        let watch = Arc::clone(watch);
        let mut set = ReplicaSet::open(
            folder.path(),
            &lesson.members,
            start_ms,
            parameters(lesson),
            Arc::new(move |_: &str, event: &Event| watch(event)),
        )?;
        for (db, command) in dialects(lesson) {
            set_up(&set.run(None, db, &command)?)?;
        }
        let shown = lesson.show.iter().map(|name| match name.split_once('.') {
            Some((db, name)) if db == COSMOS_DATABASE => Namespace::new(db, name),
            _ => Namespace::new(DATABASE, name.as_str()),
        });
        set.show(shown.collect());
        let clock = StageClock::Simulated(Arc::clone(set.clock()));
        Ok((Self { backing: Backing::Set(Box::new(Mutex::new(set))), folder }, clock))
    }

    /// The engine, or `None` if there are members.
    pub fn engine(&self) -> Option<&Engine> {
        match &self.backing {
            Backing::Alone(engine) => Some(engine),
            Backing::Set(_) => None,
        }
    }

    /// The members, or `None` for a standalone store. Nothing else works on them until it is
    /// dropped.
    pub fn members(&self) -> Option<MutexGuard<'_, ReplicaSet>> {
        match &self.backing {
            Backing::Alone(_) => None,
            Backing::Set(set) => Some(set.lock().unwrap_or_else(PoisonError::into_inner)),
        }
    }

    /// The same, unless they are at work now.
    pub fn resting_members(&self) -> Option<MutexGuard<'_, ReplicaSet>> {
        match &self.backing {
            Backing::Alone(_) => None,
            Backing::Set(set) => set.try_lock().ok(),
        }
    }

    /// Its temporary folder.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a command, unless it reaches out of the store or the store is full. With members a read
    /// goes to the one that the window reads from, and a write to the primary.
    pub fn run(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        self.run_on(None, db, command, cancel)
    }

    /// The same on this member.
    pub fn run_on(
        &self,
        member: Option<&str>,
        db: &str,
        command: &Document,
        cancel: &Cancel,
    ) -> Document {
        if let Some(sentence) = outside(command) {
            return refusal(&sentence);
        }
        let limit = Arc::new(UntilCanceled(cancel.clone()));
        match &self.backing {
            Backing::Alone(_) if member.is_some() => {
                refusal(&format!("this lesson has no member {}", member.unwrap_or_default()))
            }
            Backing::Alone(engine) if is_full(engine, command) => refusal(&full()),
            Backing::Alone(engine) => run_within(Some(limit), || engine.run(db, command)),
            Backing::Set(set) => {
                let mut set = set.lock().unwrap_or_else(PoisonError::into_inner);
                if set.with_primary(|engine| is_full(engine, command)) == Some(true) {
                    return refusal(&full());
                }
                let read = set.read_member().filter(|_| is_read(command)).map(str::to_owned);
                let member = member.map(str::to_owned).or(read);
                let ran = run_within(Some(limit), || set.run(member.as_deref(), db, command));
                ran.unwrap_or_else(|sentence| refusal(&sentence))
            }
        }
    }
}

/// Commands that give the databases of a lesson their rules.
fn dialects(lesson: &Lesson) -> Vec<(&'static str, Document)> {
    let mut all = Vec::new();
    if lesson.dialect != Dialect::default() {
        all.push((DATABASE, doc! {"mayflyDialect": lesson.dialect.name()}));
    }
    if lesson.rules == Rules::Both {
        all.push((COSMOS_DATABASE, doc! {"mayflyDialect": Dialect::Cosmos.name()}));
    }
    all
}

/// Commands on `admin` that set the parameters of each engine of a lesson.
fn parameters(lesson: &Lesson) -> Vec<Document> {
    let batch = if lesson.reaper.load.is_zero() {
        LESSON_BATCH_DOCUMENTS
    } else {
        LESSON_LOAD_BATCH_DOCUMENTS
    };
    let secs = i64::try_from(lesson.reaper.period.as_secs()).unwrap_or(i64::MAX);
    let mut all = vec![doc! {
        "setParameter": 1,
        "ttlMonitorSleepSecs": secs,
        "batchedDeletesTargetBatchDocs": batch,
        // By real time, a slow computer would end a visit early.
        "ttlIndexDeleteTargetTimeMS": 0,
    }];
    for (name, value) in &lesson.reaper.parameters {
        all.push(doc! {"setParameter": 1, name: value.clone()});
    }
    all
}

fn set_up(reply: &Document) -> Result<(), String> {
    match reply.get_str("errmsg") {
        Ok(message) => Err(format!("The lesson's store can't be set up: {message}")),
        Err(_) => Ok(()),
    }
}

/// Whether a command would store more than a lesson may.
fn is_full(engine: &Engine, command: &Document) -> bool {
    let Some(name) = command.keys().next() else { return false };
    let list = match name.as_str() {
        "insert" => "documents",
        "bulkWrite" => "ops",
        "update" => "updates",
        "findAndModify" => "",
        "aggregate" if is_output(command) => "",
        _ => return false,
    };
    let more = command.get_array(list).map_or(1, Vec::len) as u64;
    let collections = engine.collections();
    let catalog = collections.catalog();
    let stored = collections.store().read(|reader| {
        let (mut documents, mut bytes) = (0, 0);
        for collection in catalog.all_collections() {
            let counters = reader.counters(collection.id.0)?;
            documents += counters.documents;
            bytes += counters.bytes;
        }
        Ok::<_, StoreError>((documents, bytes))
    });
    stored.is_ok_and(|(documents, bytes)| {
        documents.saturating_add(more) > LESSON_DOCUMENTS_MAX || bytes > LESSON_BYTES_MAX
    })
}

fn full() -> String {
    let megabytes = LESSON_BYTES_MAX >> 20;
    format!("A lesson's store holds at most {LESSON_DOCUMENTS_MAX} documents and {megabytes} MB")
}

/// A reply that refuses a command.
pub fn refusal(sentence: &str) -> Document {
    // The name of the code says nothing to a learner, so the window has none to show.
    doc! {"ok": 0.0, "errmsg": sentence, "code": 20}
}

/// Takes the events of the store, on the thread that causes them.
pub type EventSink = Arc<dyn Fn(&Event) + Send + Sync>;
