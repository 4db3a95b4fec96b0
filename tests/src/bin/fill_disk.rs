//! The victim of the small-disk test: fills a store until the disk is full, and checks what is left.
//!
//! `fill_disk FOLDER`: FOLDER lies on a disk of a few megabytes. Ends with exit code 0 only if the
//! full disk is named, nothing acknowledged is lost, and deleting makes room again.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use bson::{Document, doc};
use mayfly_engine::engine::Engine;
use mayfly_tests::store::{find_all, is_ok, open_paused, run};

const DB: &str = "disk";
const COLLECTION: &str = "c";

/// Bytes of another file on the disk, which a person deletes to make room.
const OTHER_BYTES: usize = 2 << 20;

/// Documents of one insert.
const BATCH: i32 = 20;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = PathBuf::from(std::env::args().nth(1).ok_or("usage: fill_disk FOLDER")?);
    let other = folder.with_file_name("other");
    fs::write(&other, vec![1; OTHER_BYTES])?;
    let engine = open_paused(&folder, 0);
    let acknowledged = fill(&engine)?;
    check(&engine, acknowledged)?;
    engine.close()?;

    // No room for the lock file either: opening must not die.
    fs::remove_file(folder.join("lock.mdb"))?;
    fill_up(&folder.with_file_name("ballast"));
    let engine = match Engine::open(&folder, mayfly_engine::engine::EngineOptions::default()) {
        Ok(engine) => engine,
        Err(error) => {
            println!("with no room at all: {error}");
            fs::remove_file(folder.with_file_name("ballast"))?;
            open_paused(&folder, 0)
        }
    };
    let _ = fs::remove_file(folder.with_file_name("ballast"));
    check(&engine, acknowledged)?;

    // A person frees some room.
    fs::remove_file(&other)?;
    let all = vec![doc! { "q": {}, "limit": 0 }];
    run(&engine, DB, &doc! { "delete": COLLECTION, "deletes": all });
    insert(&engine, 0).map_err(|reply| format!("after deleting: {reply}"))?;
    engine.close()?;
    println!("{acknowledged} documents kept");
    Ok(())
}

fn insert(engine: &Engine, first: i32) -> Result<(), Document> {
    let text = "x".repeat(2_000);
    let documents: Vec<Document> =
        (first..first + BATCH).map(|number| doc! { "_id": number, "text": &text }).collect();
    let reply = engine.run(DB, &doc! { "insert": COLLECTION, "documents": documents });
    if is_ok(&reply) && !reply.contains_key("writeErrors") { Ok(()) } else { Err(reply) }
}

/// Inserts until the disk is full. Returns the number of documents that were acknowledged.
fn fill(engine: &Engine) -> Result<i32, Box<dyn Error>> {
    let mut next = 0;
    loop {
        match insert(engine, next) {
            Ok(()) => next += BATCH,
            Err(reply) if format!("{reply}").contains("OutOfDiskSpace") => return Ok(next),
            Err(reply) => return Err(format!("a full disk answered {reply}").into()),
        }
        if next > 100_000 {
            return Err("the disk is not small".into());
        }
    }
}

fn check(engine: &Engine, acknowledged: i32) -> Result<(), Box<dyn Error>> {
    let found = find_all(engine, DB, COLLECTION, doc! {}).len();
    let validated = run(engine, DB, &doc! { "validate": COLLECTION, "full": true });
    if i32::try_from(found)? != acknowledged || !validated.get_bool("valid")? {
        return Err(format!("{found} of {acknowledged} documents, {validated}").into());
    }
    Ok(())
}

/// Writes a file until the disk takes no more.
fn fill_up(file: &Path) {
    let mut size = 8 << 20;
    while size > 256 {
        let old = fs::metadata(file).map_or(0, |found| found.len());
        let bytes = vec![1; usize::try_from(old).unwrap_or(0) + size];
        if fs::write(file, bytes).is_err() {
            size /= 2;
        }
    }
}
