//! The throwaway store of a lesson.

use std::path::Path;
use std::sync::Arc;

use bson::{Document, doc};
use mayfly_engine::clock::{Clock, FakeSystemClock};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_engine::interrupt::{Limit, StopReason, run_within};
use mayfly_engine::store::{StoreError, StoreOptions};

use super::clock::StageClock;
use super::permit::{is_output, outside};
use crate::job::lesson::{ClockKind, Lesson, Rules};
use crate::job::{Cancel, Dialect, SandboxFolder};
use crate::limits::{
    LESSON_BATCH_DOCUMENTS, LESSON_BYTES_MAX, LESSON_DOCUMENTS_MAX, LESSON_LOAD_BATCH_DOCUMENTS,
    LESSON_MAP_BYTES,
};
use crate::source::sandbox_folder;

/// The database of a lesson.
pub const DATABASE: &str = "lesson";

/// The second database of a lesson with both rules.
pub const COSMOS_DATABASE: &str = "cosmos";

/// When this version was made, in milliseconds since 1970: where a lesson's clock starts that says
/// so. The clock guard knows the same instant.
pub const BUILD_MS: i64 = mayfly_engine::limits::GUARD_EARLIEST_MS;

/// An engine in a temporary folder, which goes with it.
pub struct StageStore {
    engine: Engine,
    /// Removed after the engine is closed.
    folder: SandboxFolder,
}

/// Ends a command once its run is canceled.
struct UntilCanceled(Cancel);

impl Limit for UntilCanceled {
    fn tick(&self) -> Result<(), StopReason> {
        if self.0.is_cancelled() { Err(StopReason::Interrupted) } else { Ok(()) }
    }
}

impl StageStore {
    /// A store as a lesson begins with it, and its clock.
    ///
    /// # Errors
    /// One sentence.
    pub fn open(lesson: &Lesson) -> Result<(Self, StageClock), String> {
        let (lock, folder) = sandbox_folder::create_in_memory()
            .map_err(|error| format!("Couldn't create a folder for the lesson: {error}"))?;
        let folder = SandboxFolder::new(lock, folder);
        let start_ms = lesson.start_ms.unwrap_or(BUILD_MS);
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
        let store = Self { engine, folder };
        store.set_up(lesson)?;
        Ok((store, clock))
    }

    fn set_up(&self, lesson: &Lesson) -> Result<(), String> {
        let run = |db: &str, command: Document| {
            let reply = self.engine.run(db, &command);
            match reply.get_str("errmsg") {
                Ok(message) => Err(format!("The lesson's store can't be set up: {message}")),
                Err(_) => Ok(()),
            }
        };
        if lesson.dialect != Dialect::default() {
            run(DATABASE, doc! {"mayflyDialect": lesson.dialect.name()})?;
        }
        if lesson.rules == Rules::Both {
            run(COSMOS_DATABASE, doc! {"mayflyDialect": Dialect::Cosmos.name()})?;
        }
        let batch = if lesson.reaper.load.is_zero() {
            LESSON_BATCH_DOCUMENTS
        } else {
            LESSON_LOAD_BATCH_DOCUMENTS
        };
        let secs = i64::try_from(lesson.reaper.period.as_secs()).unwrap_or(i64::MAX);
        run(
            "admin",
            doc! {
                "setParameter": 1,
                "ttlMonitorSleepSecs": secs,
                "batchedDeletesTargetBatchDocs": batch,
                // By real time, a slow computer would end a visit early.
                "ttlIndexDeleteTargetTimeMS": 0,
            },
        )?;
        for (name, value) in &lesson.reaper.parameters {
            run("admin", doc! {"setParameter": 1, name: value.clone()})?;
        }
        Ok(())
    }

    /// The engine.
    #[must_use]
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Its temporary folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs a command, unless it reaches out of the store or the store is full.
    #[must_use]
    pub fn run(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        let refused = outside(command).or_else(|| self.is_full(command).then(full));
        if let Some(sentence) = refused {
            return refusal(&sentence);
        }
        let limit = Arc::new(UntilCanceled(cancel.clone()));
        run_within(Some(limit), || self.engine.run(db, command))
    }

    /// Whether a command would store more than a lesson may.
    fn is_full(&self, command: &Document) -> bool {
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
        let collections = self.engine.collections();
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
}

fn full() -> String {
    let megabytes = LESSON_BYTES_MAX >> 20;
    format!("A lesson's store holds at most {LESSON_DOCUMENTS_MAX} documents and {megabytes} MB")
}

/// A reply that refuses a command.
#[must_use]
pub fn refusal(sentence: &str) -> Document {
    doc! {"ok": 0.0, "errmsg": sentence, "code": 20, "codeName": "IllegalOperation"}
}
