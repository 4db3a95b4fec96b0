//! The victim of the kill test: writes documents in a fixed order and prints each acknowledgement.
//!
//! `kill_writer FOLDER FIRST`: from number FIRST on, step by step: inserts [`STEP`] documents, marks
//! the first of them, deletes what is older than [`KEPT`], then prints the next number.

use std::error::Error;
use std::io::Write;
use std::path::PathBuf;

use bson::{Document, doc};
use mayfly_engine::engine::{Engine, EngineOptions};
use mayfly_tests::kill::{COLLECTION, DB, KEPT, STEP, document, marked};
use mayfly_tests::store::run;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("usage: kill_writer FOLDER FIRST")?);
    let mut next: i64 = arguments.next().ok_or("usage: kill_writer FOLDER FIRST")?.parse()?;
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(&folder, options)?;
    let indexes = vec![
        doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 3600 },
        doc! { "key": { "tags": 1 }, "name": "tags_1" },
    ];
    run(&engine, DB, &doc! { "createIndexes": COLLECTION, "indexes": indexes });
    let mut out = std::io::stdout();
    loop {
        let documents: Vec<Document> = (next..next + STEP).map(document).collect();
        run(&engine, DB, &doc! { "insert": COLLECTION, "documents": documents });
        let mark = doc! { "q": { "_id": next }, "u": { "$set": marked(next) } };
        run(&engine, DB, &doc! { "update": COLLECTION, "updates": [mark] });
        let old = doc! { "q": { "_id": { "$lt": next + STEP - KEPT } }, "limit": 0 };
        run(&engine, DB, &doc! { "delete": COLLECTION, "deletes": [old] });
        next += STEP;
        writeln!(out, "{next}")?;
        out.flush()?;
    }
}
