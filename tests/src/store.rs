//! An engine on a folder, used through command documents like any client.

use std::path::Path;

use bson::{Bson, Document, doc};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};

/// Opens the engine with a paused simulated clock and without a reaper thread.
///
/// # Panics
/// When the store can't be opened.
pub fn open_paused(folder: &Path, start_ms: i64) -> Engine {
    let clock = ClockOption::Simulated { start_ms };
    let options = EngineOptions { clock, run_reaper: false, ..EngineOptions::default() };
    Engine::open(folder, options).unwrap_or_else(|error| panic!("the store opens: {error}"))
}

/// Opens the engine as the program does, but without a reaper thread.
///
/// # Errors
/// The sentence of the refusal.
pub fn open_as_found(folder: &Path) -> Result<Engine, String> {
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    Engine::open(folder, options).map_err(|error| error.to_string())
}

/// As [`open_as_found`], but the store is open before its file was walked: each read is guarded until then.
///
/// # Errors
/// The sentence of the refusal.
pub fn open_unwalked(folder: &Path) -> Result<Engine, String> {
    let mut options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    options.store.open_walk_bytes = 0;
    Engine::open(folder, options).map_err(|error| error.to_string())
}

/// Fails if a store takes itself for an older one or for a copy, which it is not.
///
/// # Panics
/// Then; `what` describes the moment.
pub fn check_is_itself(engine: &Engine, what: &str) {
    let warnings = &engine.open_report().warnings;
    let is_false = |warning: &&String| {
        ["older than", "another store", "identity.json"].iter().any(|it| warning.contains(it))
    };
    assert_eq!(warnings.iter().find(is_false), None, "{what}");
    let restored = engine.collections().store().restored_ms();
    assert_eq!(restored, Ok(None), "{what}: it holds its documents as if they were restored");
}

/// A temporary folder, in memory where possible: tests with very many commits must not pay for a
/// disk.
///
/// # Panics
/// When none can be created.
pub fn folder_in_memory() -> tempfile::TempDir {
    let in_memory = tempfile::tempdir_in("/dev/shm");
    in_memory.or_else(|_| tempfile::tempdir()).expect("a temporary folder can be made")
}

/// Runs a command that must succeed and returns its reply.
///
/// # Panics
/// When the reply is an error, or lists write errors.
#[expect(clippy::must_use_candidate, reason = "most commands run for what they do")]
pub fn run(engine: &Engine, db: &str, command: &Document) -> Document {
    let reply = engine.run(db, command);
    let failed = !is_ok(&reply) || reply.contains_key("writeErrors");
    assert!(!failed, "{command} answered {reply}");
    reply
}

/// Whether the reply's `ok` is 1.
pub fn is_ok(reply: &Document) -> bool {
    matches!(reply.get("ok"), Some(Bson::Double(ok)) if (*ok - 1.0).abs() < f64::EPSILON)
        || matches!(reply.get("ok"), Some(Bson::Int32(1)))
}

/// Every document that `find` returns, from the whole cursor.
///
/// # Panics
/// When a command fails.
pub fn find_all(engine: &Engine, db: &str, collection: &str, filter: Document) -> Vec<Document> {
    let mut reply = run(engine, db, &doc! { "find": collection, "filter": filter });
    let mut found = Vec::new();
    loop {
        let cursor = reply.get_document("cursor").expect("a reply of find has a cursor").clone();
        let batch = cursor.get_array("firstBatch").or_else(|_| cursor.get_array("nextBatch"));
        found.extend(
            batch.expect("a cursor has a batch").iter().filter_map(Bson::as_document).cloned(),
        );
        let id = cursor.get_i64("id").expect("a cursor has an id");
        if id == 0 {
            return found;
        }
        reply = run(engine, db, &doc! { "getMore": id, "collection": collection });
    }
}
