//! Mayfly, driven by commands.

use std::path::Path;

use bson::{RawArrayBuf, RawDocument, RawDocumentBuf, rawdoc};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};

use super::{documents::FIRST_MS, raw::BATCH};

/// An engine on a simulated clock, without a monitor: passes run when told.
pub fn open(folder: &Path) -> Engine {
    let clock = ClockOption::Simulated { start_ms: FIRST_MS };
    let options = EngineOptions { clock, run_reaper: false, ..EngineOptions::default() };
    Engine::open(folder, options).expect("opens")
}

/// Runs a command that must succeed.
pub fn run(engine: &Engine, command: &RawDocument) -> RawDocumentBuf {
    let reply = engine.run_raw("db", command);
    let is_ok = reply.get_f64("ok").is_ok_and(|ok| ok > 0.0);
    assert!(is_ok && reply.get("writeErrors").ok().flatten().is_none(), "{reply:?}");
    reply
}

/// Makes an index on each field; the one on `createdAt` is a TTL index.
pub fn create_indexes(engine: &Engine, fields: &[&str]) {
    for field in fields {
        let mut key = RawDocumentBuf::new();
        key.append(bson::raw::CString::try_from(*field).expect("a name"), 1);
        let mut index = rawdoc! { "key": key, "name": *field };
        if *field == "createdAt" {
            index.append(bson::raw::cstr!("expireAfterSeconds"), 0);
        }
        run(engine, &rawdoc! { "createIndexes": "c", "indexes": [index] });
    }
}

/// The insert commands for documents.
pub fn inserts(all: &[RawDocumentBuf]) -> Vec<RawDocumentBuf> {
    all.chunks(BATCH)
        .map(|batch| {
            let mut documents = RawArrayBuf::new();
            for document in batch {
                documents.push(document.clone());
            }
            rawdoc! { "insert": "c", "documents": documents }
        })
        .collect()
}

/// Runs the insert commands.
pub fn insert(engine: &Engine, commands: &[RawDocumentBuf]) {
    for command in commands {
        run(engine, command);
    }
}

/// Fills a new engine.
pub fn filled(folder: &Path, all: &[RawDocumentBuf], fields: &[&str]) -> Engine {
    let engine = open(folder);
    create_indexes(&engine, fields);
    insert(&engine, &inserts(all));
    engine
}

/// Moves the simulated clock.
pub fn set_clock(engine: &Engine, now_ms: i64) {
    engine.simulated_clock().expect("a simulated clock").set(now_ms);
}
