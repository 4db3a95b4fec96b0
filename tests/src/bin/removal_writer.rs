//! The victim of the tests about removed documents: inserts documents that are due, prints each
//! acknowledgment, and removes them in small batches.
//!
//! `removal_writer FOLDER FIRST trash` keeps removed documents in the trash, `removal_writer FOLDER
//! FIRST archive PLACE` in an archive. FIRST is the number of the first document. With `out` after
//! PLACE, a `$out` replaces the collection by a copy now and then. With `once` the program exits
//! after its first pass. An empty PLACE is the archive in the data folder.

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;

use bson::{Document, doc};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_tests::removals::{COLLECTION, DB, NOW_MS, STEP, document};
use mayfly_tests::store::is_ok;

const USAGE: &str = "usage: removal_writer FOLDER FIRST trash | archive PLACE [out | once]";

/// Inserts between two passes.
const STEPS_A_PASS: i64 = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or(USAGE)?);
    let mut next: i64 = arguments.next().ok_or(USAGE)?.parse()?;
    let clock = ClockOption::Simulated { start_ms: NOW_MS };
    let keeps = arguments.next();
    let options = EngineOptions { clock, run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(&folder, options)?;
    let index = doc! { "key": { "at": 1 }, "name": "ttl", "expireAfterSeconds": 0 };
    run(&engine, DB, &doc! { "createIndexes": COLLECTION, "indexes": [index] })?;
    match keeps.as_deref() {
        Some("trash") => {
            run(&engine, "admin", &doc! { "setParameter": 1, "mayflyTrashSecs": 86_400 })?;
        }
        Some("archive") => {
            let place = arguments.next().ok_or(USAGE)?;
            run(&engine, DB, &doc! { "mayflyArchive": COLLECTION, "target": place })?;
        }
        _ => return Err(USAGE.into()),
    }
    let word = arguments.next();
    let (replaces, once) = (word.as_deref() == Some("out"), word.as_deref() == Some("once"));
    run(&engine, "admin", &doc! { "setParameter": 1, "batchedDeletesTargetBatchDocs": 10 })?;
    let mut out = std::io::stdout();
    loop {
        writeln!(out, "{next}")?;
        out.flush()?;
        let documents: Vec<Document> = (next..next + STEP).map(document).collect();
        run(&engine, DB, &doc! { "insert": COLLECTION, "documents": documents })?;
        next += STEP;
        match (next / STEP) % STEPS_A_PASS {
            0 => {
                run(&engine, "admin", &doc! { "mayflyReap": 1 })?;
                if once {
                    writeln!(out, "{next}")?;
                    return Ok(engine.close()?);
                }
            }
            1 if replaces => {
                let pipeline = vec![doc! { "$out": COLLECTION }];
                run(
                    &engine,
                    DB,
                    &doc! { "aggregate": COLLECTION, "pipeline": pipeline, "cursor": {} },
                )?;
            }
            _ => {}
        }
    }
}

/// Runs a command that must succeed.
fn run(engine: &Engine, db: &str, command: &Document) -> Result<(), String> {
    let reply = engine.run(db, command);
    let is_done = is_ok(&reply) && !reply.contains_key("writeErrors");
    if is_done { Ok(()) } else { Err(reply.to_string()) }
}
