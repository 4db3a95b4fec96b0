//! The victim of the small-disk tests: fills a store until the disk is full and checks the result.
//!
//! `fill_disk FOLDER`: FOLDER is on a disk of a few megabytes. Exits with 0 only if the full disk
//! is reported, nothing acknowledged is lost, a completely full disk still accepts deletions by a
//! user and by a TTL index, and the store then continues by itself.
//!
//! `fill_disk FOLDER trash` fills the disk with removed documents that could all be restored.
//!
//! `fill_disk FOLDER archive PLACE`: PLACE is on a disk of some kilobytes, which an archive fills.
//!
//! `fill_disk FOLDER waiting PLACE`: PLACE is an archive on a disk with room, while the store's is full.
//!
//! `fill_disk FOLDER prepare` creates a store, and `fill_disk FOLDER read` opens it on a disk that
//! is mounted read-only.

use std::collections::BTreeSet;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::engine::{Engine, EngineOptions};
use mayfly_tests::store::{find_all, is_ok, open_paused, run};

const DB: &str = "disk";
const COLLECTION: &str = "c";

/// The collection with a TTL index, whose documents are all due.
const EXPIRING: &str = "expiring";

/// Bytes of another file on the disk, which the user deletes to free space.
const OTHER_BYTES: usize = 6 << 20;

/// Documents of one insert.
const BATCH: i32 = 20;

type Outcome = Result<(), Box<dyn Error>>;

fn main() -> Outcome {
    let usage = "usage: fill_disk FOLDER [prepare | read | trash | archive PLACE | waiting PLACE]";
    let folder = PathBuf::from(std::env::args().nth(1).ok_or(usage)?);
    match std::env::args().nth(2).as_deref() {
        None => full_disk(&folder),
        Some("prepare") => prepare(&folder),
        Some("read") => read(&folder),
        Some("trash") => trash(&folder),
        Some("archive") => archive(&folder, &std::env::args().nth(3).ok_or(usage)?),
        Some("waiting") => waiting(&folder, &std::env::args().nth(3).ok_or(usage)?),
        Some(_) => Err(usage.into()),
    }
}

fn full_disk(folder: &Path) -> Outcome {
    let other = folder.with_file_name("other");
    fs::write(&other, vec![1; OTHER_BYTES])?;
    let engine = open_paused(folder, 0);
    expect_state(&engine, "ok")?;
    if store_status(&engine)?.get_i64("ballast")? == 0 {
        return Err("there is no ballast".into());
    }
    let expiring = make_expiring(&engine);
    let acknowledged = fill(&engine)?;
    expect_state(&engine, "diskFull")?;
    expect_refusals(&engine)?;
    check(&engine, acknowledged)?;
    engine.close()?;

    let filler = folder.with_file_name("filler");
    let engine = open_without_lock_file(folder, &filler)?;
    check(&engine, acknowledged)?;
    engine.close()?;

    fill_up(&filler);
    let engine = open_paused(folder, 0);
    insert(&engine, acknowledged).err().ok_or("an insert found room on a full disk")?;
    expect_state(&engine, "diskFull")?;
    delete_on_a_full_disk(&engine, acknowledged, expiring)?;

    // The user frees some space.
    fs::remove_file(&other)?;
    fs::remove_file(&filler)?;
    insert(&engine, 0).map_err(|reply| format!("after deleting: {reply}"))?;
    expect_state(&engine, "ok")?;
    engine.close()?;
    let engine = open_paused(folder, 0);
    if store_status(&engine)?.get_i64("ballast")? == 0 {
        return Err("the ballast did not come back".into());
    }
    check(&engine, BATCH)?;
    engine.close()?;
    println!("{acknowledged} documents kept");
    Ok(())
}

/// The lock file doesn't fit either: opening must not crash.
fn open_without_lock_file(folder: &Path, filler: &Path) -> Result<Engine, Box<dyn Error>> {
    fs::remove_file(folder.join("lock.mdb"))?;
    fill_up(filler);
    let opened = Engine::open(folder, EngineOptions::default());
    fs::remove_file(filler)?;
    Ok(opened.unwrap_or_else(|error| {
        println!("with no room at all: {error}");
        open_paused(folder, 0)
    }))
}

/// Removes what is due, then everything else; then the file has free space.
fn delete_on_a_full_disk(engine: &Engine, acknowledged: i32, expiring: i32) -> Outcome {
    run(engine, "admin", &doc! { "mayflyReap": 1 });
    let left = find_all(engine, DB, EXPIRING, doc! {}).len();
    if left != 0 {
        return Err(format!("{left} of {expiring} documents did not expire").into());
    }
    check(engine, acknowledged)?;
    let some = vec![doc! { "q": { "_id": { "$lt": 10 } }, "limit": 0 }];
    let reply = run(engine, DB, &doc! { "delete": COLLECTION, "deletes": some });
    if reply.get_i32("n")? != 10 {
        return Err(format!("{reply}").into());
    }
    let all = vec![doc! { "q": {}, "limit": 0 }];
    run(engine, DB, &doc! { "delete": COLLECTION, "deletes": all });
    check(engine, 0)?;
    insert(engine, 0).map_err(|reply| format!("the disk is full, the file is not: {reply}"))?;
    expect_state(engine, "ok")?;
    run(engine, DB, &doc! { "drop": COLLECTION });
    Ok(())
}

fn make_expiring(engine: &Engine) -> i32 {
    let index = doc! { "key": { "at": 1 }, "name": "ttl", "expireAfterSeconds": 0 };
    run(engine, DB, &doc! { "createIndexes": EXPIRING, "indexes": [index] });
    let at = DateTime::from_millis(-1_000);
    let documents: Vec<Document> =
        (0..BATCH).map(|number| doc! { "_id": number, "at": at }).collect();
    run(engine, DB, &doc! { "insert": EXPIRING, "documents": documents });
    BATCH
}

/// Every insert is answered with what is wrong, how much is missing and what helps.
fn expect_refusals(engine: &Engine) -> Outcome {
    let update = doc! { "q": { "_id": 1 }, "u": { "$set": { "more": "x".repeat(100) } } };
    let commands = [
        doc! { "update": COLLECTION, "updates": [update] },
        doc! { "insert": "another", "documents": [{ "_id": 1 }] },
        doc! { "create": "another" },
        doc! { "createIndexes": COLLECTION, "indexes": [{ "key": { "text": 1 }, "name": "t" }] },
    ];
    for command in commands {
        let reply = engine.run(DB, &command).to_string();
        for words in ["14031", "disk is full", "B on the data folder's disk", "delete documents"] {
            if !reply.contains(words) {
                return Err(format!("{command} answered {reply}").into());
            }
        }
    }
    Ok(())
}

fn store_status(engine: &Engine) -> Result<Document, Box<dyn Error>> {
    let reply = run(engine, "admin", &doc! { "serverStatus": 1, "none": 1, "mayfly": 1 });
    Ok(reply.get_document("mayfly")?.get_document("store")?.clone())
}

fn expect_state(engine: &Engine, state: &str) -> Outcome {
    let status = store_status(engine)?;
    if status.get_str("state")? != state {
        return Err(format!("not {state}: {status}").into());
    }
    Ok(())
}

fn prepare(folder: &Path) -> Outcome {
    let engine = open_paused(folder, 0);
    make_expiring(&engine);
    insert(&engine, 0).map_err(|reply| format!("{reply}"))?;
    Ok(engine.close()?)
}

/// Everything can be read, nothing is written, and nothing expires.
fn read(folder: &Path) -> Outcome {
    let engine = Engine::open(folder, EngineOptions::default())?;
    let report = engine.open_report();
    if !report.read_only || !report.warnings.iter().any(|words| words.contains("open read-only")) {
        return Err(format!("{report:?}").into());
    }
    expect_state(&engine, "readOnly")?;
    let found = find_all(&engine, DB, COLLECTION, doc! {}).len();
    if i32::try_from(found)? != BATCH {
        return Err(format!("{found} documents").into());
    }
    let reply = insert(&engine, BATCH).err().ok_or("a disk for reading was written")?;
    if !reply.to_string().contains("is read-only") {
        return Err(format!("{reply}").into());
    }
    engine.run("admin", &doc! { "mayflyReap": 1 });
    if find_all(&engine, DB, EXPIRING, doc! {}).is_empty() {
        return Err("documents expired".into());
    }
    Ok(engine.close()?)
}

/// A full disk doesn't keep overdue documents: the trash is emptied first and takes nothing more.
fn trash(folder: &Path) -> Outcome {
    let engine = open_paused(folder, 0);
    make_expiring(&engine);
    run(&engine, "admin", &doc! { "setParameter": 1, "mayflyTrashSecs": 86_400 });
    run(&engine, "admin", &doc! { "mayflyReap": 1 });
    let undo = undo_status(&engine)?;
    if undo.get_i64("documents")? != i64::from(BATCH) {
        return Err(format!("nothing was put into the trash: {undo}").into());
    }
    insert_expiring(&engine, BATCH)?;
    let acknowledged = fill(&engine)?;
    expect_state(&engine, "diskFull")?;
    fill_up(&folder.with_file_name("filler"));
    run(&engine, "admin", &doc! { "mayflyReap": 1 });
    let left = find_all(&engine, DB, EXPIRING, doc! {}).len();
    let undo = undo_status(&engine)?;
    if left != 0 || undo.get_i64("documents")? != 0 || undo.get_i64("withoutTrash")? == 0 {
        return Err(format!("{left} documents are left, {undo}").into());
    }
    check(&engine, acknowledged)?;
    engine.close()?;
    let engine = open_paused(folder, 0);
    check(&engine, acknowledged)?;
    println!("{acknowledged} documents kept, the trash given up");
    Ok(engine.close()?)
}

fn undo_status(engine: &Engine) -> Result<Document, Box<dyn Error>> {
    let reply = run(engine, "admin", &doc! { "serverStatus": 1, "none": 1, "mayfly": 1 });
    Ok(reply.get_document("mayfly")?.get_document("trash")?.clone())
}

/// Removals continue while the archive's disk is full: the documents wait in the trash until it has
/// room.
fn archive(folder: &Path, place: &str) -> Outcome {
    let engine = open_paused(folder, 0);
    make_expiring(&engine);
    run(&engine, DB, &doc! { "mayflyArchive": EXPIRING, "target": place });
    let mut inserted = BATCH;
    while inserted < 60 * BATCH {
        insert_expiring(&engine, inserted)?;
        inserted += BATCH;
        // A segment each, until the disk is full.
        run(&engine, "admin", &doc! { "mayflyReap": 1 });
    }
    let reaped = run(&engine, "admin", &doc! { "mayflyReap": 1 });
    if !reaped.to_string().contains("disk is full") {
        return Err(format!("the disk is not full: {reaped}").into());
    }
    let left = find_all(&engine, DB, EXPIRING, doc! {}).len();
    let (archived, waiting) = (listed(&engine, true)?, listed(&engine, false)?);
    let all: BTreeSet<i32> = archived.iter().chain(&waiting).copied().collect();
    let count = archived.len() + waiting.len();
    if left > 0 || archived.is_empty() || all.len() != count || i32::try_from(count)? != inserted {
        let (archived, waiting) = (archived.len(), waiting.len());
        return Err(format!(
            "{left} left, {archived} archived and {waiting} waiting of {inserted}"
        )
        .into());
    }
    check_expiring(&engine)?;
    engine.close()?;

    // The user gives the archive another target.
    let engine = open_paused(folder, 0);
    run(&engine, DB, &doc! { "mayflyArchive": EXPIRING });
    run(&engine, "admin", &doc! { "mayflyReap": 1 });
    if !listed(&engine, false)?.is_empty() || listed(&engine, true)?.len() != waiting.len() {
        return Err("the moves did not continue".into());
    }
    check_expiring(&engine)?;
    println!("{} of {inserted} documents waited for room", waiting.len());
    Ok(engine.close()?)
}

/// Rows that wait for an archive on another disk are moved while the store's own disk is full.
fn waiting(folder: &Path, place: &str) -> Outcome {
    let engine = open_paused(folder, 0);
    make_expiring(&engine);
    run(&engine, DB, &doc! { "mayflyArchive": EXPIRING, "target": place });
    run(&engine, "admin", &doc! { "setParameter": 1, "mayflyTrashSecs": 60 });
    for number in 1..100 {
        insert_expiring(&engine, number * BATCH)?;
    }
    run(&engine, "admin", &doc! { "mayflyReap": 1 });
    let rows = || Ok::<_, Box<dyn Error>>(undo_status(&engine)?.get_i64("waiting")?);
    let before = rows()?;
    fill(&engine)?;
    expect_state(&engine, "diskFull")?;
    fill_up(&folder.with_file_name("filler"));
    engine.simulated_clock().ok_or("no simulated clock")?.advance_ms(60_000);
    // By itself the drain would wait for more rows to share a file.
    engine.reaper().drain_due();
    let left = rows()?;
    if before != i64::from(100 * BATCH) || left > 0 {
        let failing = run(&engine, "admin", &doc! { "mayflyHeld": 1 });
        return Err(format!("{left} of {before} rows wait: {failing}").into());
    }
    check_expiring(&engine)?;
    println!("{before} documents moved off the full disk");
    Ok(engine.close()?)
}

/// The `_id`s of the removed documents that archives have, or that wait for one.
fn listed(engine: &Engine, archived: bool) -> Result<Vec<i32>, Box<dyn Error>> {
    let (mut ids, mut after) = (Vec::new(), None);
    loop {
        let mut command = doc! { "mayflyTrash": EXPIRING, "archived": archived, "limit": 1_000 };
        command.extend(after.map(|after: Bson| ("after".to_owned(), after)));
        let page = run(engine, DB, &command);
        let rows = page.get_array("batch")?.iter().filter_map(|row| row.as_document());
        for row in rows.filter(|row| row.contains_key("target") == archived) {
            ids.push(row.get_i32("_id")?);
        }
        after = page.get("next").filter(|next| **next != Bson::Null).cloned();
        if after.is_none() {
            return Ok(ids);
        }
    }
}

/// Documents that are due and don't compress.
fn insert_expiring(engine: &Engine, first: i32) -> Outcome {
    let at = DateTime::from_millis(-1_000);
    let mut state = u64::try_from(first)? + 1;
    let mut noise = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        format!("{state:016x}")
    };
    let documents: Vec<Document> = (first..first + BATCH)
        .map(|id| {
            let text: String = (0..60).map(|_| noise()).collect();
            doc! { "_id": id, "at": at, "text": text }
        })
        .collect();
    run(engine, DB, &doc! { "insert": EXPIRING, "documents": documents });
    Ok(())
}

fn check_expiring(engine: &Engine) -> Outcome {
    let validated = run(engine, DB, &doc! { "validate": EXPIRING, "full": true });
    if !validated.get_bool("valid")? {
        return Err(format!("{validated}").into());
    }
    Ok(())
}

fn insert(engine: &Engine, first: i32) -> Result<(), Document> {
    let text = "x".repeat(2_000);
    let documents: Vec<Document> =
        (first..first + BATCH).map(|number| doc! { "_id": number, "text": &text }).collect();
    let reply = engine.run(DB, &doc! { "insert": COLLECTION, "documents": documents });
    if is_ok(&reply) && !reply.contains_key("writeErrors") { Ok(()) } else { Err(reply) }
}

/// Inserts until the disk is full. Returns the number of acknowledged documents.
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

/// Writes a file until the disk is full.
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
