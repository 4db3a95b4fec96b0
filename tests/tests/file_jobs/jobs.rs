//! The jobs, the folder in which they run, and what must exist after each.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use bson::{Document, doc};
use mayfly_engine::engine::Engine;
use mayfly_tests::program;
use mayfly_tests::removals;
use mayfly_tests::steps::Judge;
use mayfly_tests::store::{check_is_itself, find_all, open_as_found, run};

const DB: &str = "d";
const COLLECTION: &str = "c";

/// Documents in the store, in the last of its backups, and in the one before.
const DOCUMENTS: i32 = 400;
const NEWEST: i32 = 300;
const OLDER: i32 = 200;

/// Documents that are imported.
const IMPORTED: usize = 50;

/// The older export.
const OLD: &str = "what somebody has kept here\n";

/// Something that Mayfly does with files.
pub struct Job {
    /// The program that does it in a room.
    pub command: fn(&Path) -> Command,
    /// Whether its output reports success.
    pub is_done: fn(&str) -> bool,
    /// Files that must be on the disk then.
    pub kept: &'static [&'static str],
    /// Files that must be on the disk before each transaction of the store ends.
    pub before_commits: &'static [&'static str],
    /// Files that may be removed only after the other is on the disk.
    pub replaced: &'static [(&'static str, &'static str)],
    /// Files and folders that must be flushed. A star precedes a part of the name.
    pub flushes: &'static [&'static str],
    /// Checks a room afterwards.
    pub judge: fn(&Path, &Outcome, &str),
}

/// How a job ended.
pub struct Outcome {
    /// It reported success.
    pub is_done: bool,
    /// Its output.
    pub said: String,
}

/// Creates a room: a store with three backups, one of them for a restore, an older export, and a
/// file to import.
pub fn prepare(room: &Path) {
    for folder in ["out", "in"] {
        fs::create_dir_all(room.join(folder)).expect("a folder can be made");
    }
    let engine = open_as_found(&room.join("store")).expect("the store opens");
    let index = doc! { "key": { "n": 1 }, "name": "n" };
    run(&engine, DB, &doc! { "createIndexes": COLLECTION, "indexes": [index] });
    let document = |id: i32| doc! { "_id": id, "n": id % 7, "text": "x".repeat(300) };
    let insert = |ids: std::ops::Range<i32>| {
        let documents: Vec<Document> = ids.map(document).collect();
        run(&engine, DB, &doc! { "insert": COLLECTION, "documents": documents });
    };
    let to = room.join("out/b").display().to_string();
    let mut from = 0;
    for end in [100, OLDER, NEWEST] {
        insert(from..end);
        run(&engine, "admin", &doc! { "mayflyBackup": 1, "to": &to });
        from = end;
    }
    insert(NEWEST..3 * DOCUMENTS);
    let more = doc! { "q": { "_id": { "$gte": DOCUMENTS } }, "limit": 0 };
    run(&engine, DB, &doc! { "delete": COLLECTION, "deletes": [more] });
    engine.close().expect("the store closes");
    fs::copy(room.join("out/b.1"), room.join("in/backup")).expect("a backup is there");
    fs::write(room.join("out/e"), OLD).expect("a file can be written");
    let mut lines: Vec<String> = (0..IMPORTED).map(|id| format!("{{\"_id\":{id}}}")).collect();
    lines.insert(IMPORTED / 2, "{\"_id\":".to_owned());
    fs::write(room.join("in/data"), lines.join("\n")).expect("a file can be written");
}

fn mayfly(words: &[&str], room: &Path) -> Command {
    let mut command = Command::new(program::path());
    command.args(words).arg("--data").arg(room.join("store"));
    command
}

/// A new store written by a victim.
pub fn opening() -> Job {
    Job {
        command: |room| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_step_writer"));
            command.arg(room.join("new")).args(["0", "1", "faults"]);
            command
        },
        is_done: |said| said.contains("20\n"),
        kept: &["new"],
        before_commits: &["new/data.mdb"],
        replaced: &[],
        flushes: &[".", "new", "*identity", "*app.lock", "*data.mdb"],
        judge: |room, outcome, what| {
            let store = room.join("new");
            if store.exists() {
                let numbers = outcome.said.lines().filter_map(|line| line.parse().ok());
                Judge::default().check(&store, numbers.max().unwrap_or(0), what);
            }
        },
    }
}

pub fn backup() -> Job {
    Job {
        command: |room| {
            let mut command = mayfly(&["backup"], room);
            command.arg(room.join("out/b"));
            command
        },
        is_done: |said| said.contains("backed up"),
        kept: &["out"],
        before_commits: &[],
        replaced: &[("out/.b.oldest", "out")],
        flushes: &["*.part-", "out"],
        judge: |room, outcome, what| {
            check_store(room, what);
            let names = ["b", "b.1", "b.2", ".b.oldest"].map(|name| room.join("out").join(name));
            let whole: BTreeSet<i32> =
                names.iter().filter_map(|name| backed_up(name, what)).collect();
            let expected = if outcome.is_done { [DOCUMENTS, NEWEST] } else { [NEWEST, OLDER] };
            let expected = BTreeSet::from(expected);
            assert!(whole.is_superset(&expected), "{what}: the backups hold {whole:?}");
            let newest = backed_up(&names[0], what);
            assert!(newest >= Some(NEWEST), "{what}: the newest backup holds {newest:?}");
        },
    }
}

/// Documents in a backup, if it exists. It must be whole.
fn backed_up(file: &Path, what: &str) -> Option<i32> {
    file.exists().then(|| {
        let place = tempfile::tempdir_in("/dev/shm").expect("a temporary folder can be made");
        fs::copy(file, place.path().join("data.mdb")).expect("a backup can be copied");
        let engine = open_as_found(place.path());
        let engine = engine.unwrap_or_else(|why| panic!("{what}: {}: {why}", file.display()));
        documents(&engine, what)
    })
}

pub fn restore() -> Job {
    Job {
        command: |room| {
            let mut command = mayfly(&["restore", "--replace"], room);
            command.arg("--from").arg(room.join("in/backup"));
            command
        },
        is_done: |said| said.contains("restored"),
        kept: &["store", "store.before-restore-1"],
        before_commits: &[],
        replaced: &[],
        flushes: &["*restoring-", "."],
        judge: |room, outcome, what| {
            let engine = open_as_found(&room.join("store"));
            let engine = engine.unwrap_or_else(|why| panic!("{what}: {why}"));
            let found = documents(&engine, what);
            let restored = engine.collections().store().restored_ms();
            let is_restored = found == OLDER;
            assert!(is_restored || found == DOCUMENTS && !outcome.is_done, "{what}: {found}");
            assert_eq!(restored.map(|at| at.is_some()), Ok(is_restored), "{what}");
            engine.close().expect("the store closes");
            if is_restored {
                // A cut between the two renames leaves the old one under its temporary name.
                let is_old = |path: &Path| {
                    let name = path.file_name().unwrap_or_default().to_string_lossy();
                    name.starts_with(".store.restoring-") || name == "store.before-restore-1"
                };
                let all = fs::read_dir(room).expect("the room can be read");
                let old: Vec<_> = all.map(|entry| entry.expect("an entry").path()).collect();
                let old = old.iter().filter(|path| is_old(path)).map(|path| {
                    let engine = open_as_found(path);
                    documents(&engine.unwrap_or_else(|why| panic!("{what}: {why}")), what)
                });
                assert!(
                    old.into_iter().any(|count| count == DOCUMENTS),
                    "{what}: the old store is gone"
                );
            }
        },
    }
}

pub fn compaction() -> Job {
    Job {
        command: |room| mayfly(&["compact"], room),
        is_done: |said| said.contains("compacted"),
        kept: &["store"],
        before_commits: &[],
        replaced: &[("store/data.mdb.before-compaction", "store/data.mdb")],
        flushes: &["store/compacting/data.mdb", "*identity", "store"],
        judge: |room, _, what| check_store(room, what),
    }
}

pub fn export() -> Job {
    Job {
        command: |room| {
            let words = ["export", "--db", DB, "--collection", COLLECTION];
            let mut command = mayfly(&words, room);
            command.args(["--overwrite", "--output"]).arg(room.join("out/e"));
            command
        },
        is_done: |said| said.contains("exported"),
        kept: &["out"],
        before_commits: &[],
        replaced: &[],
        flushes: &["*.mayfly-export-", "out"],
        judge: |room, outcome, what| {
            check_store(room, what);
            let found = fs::read_to_string(room.join("out/e"));
            let found = found.unwrap_or_else(|why| panic!("{what}: {why}"));
            let lines =
                found.lines().filter(|line| line.starts_with("{\"_id\":") && line.ends_with('}'));
            let is_new = i32::try_from(lines.count()) == Ok(DOCUMENTS) && found.ends_with("}\n");
            assert!(is_new || found == OLD && !outcome.is_done, "{what}: {} bytes", found.len());
        },
    }
}

pub fn import() -> Job {
    Job {
        command: |room| {
            let mut command = mayfly(&["import", "--db", DB, "--collection", "i"], room);
            command.args(["--mode", "skip"]).arg(room.join("in/data"));
            command
        },
        is_done: |said| {
            let numbers = said.split([' ', ',', '\n']).filter_map(|word| word.parse().ok());
            let numbers: Vec<usize> = numbers.collect();
            matches!(numbers[..], [imported, skipped, 1] if imported + skipped == IMPORTED)
        },
        kept: &["in", "store/data.mdb"],
        before_commits: &[],
        replaced: &[],
        flushes: &["*.rejected", "in"],
        judge: |room, outcome, what| {
            let engine = check_store_open(room, what);
            let found = find_all(&engine, DB, "i", doc! {}).len();
            let expected = if outcome.is_done { IMPORTED..=IMPORTED } else { 0..=IMPORTED };
            assert!(expected.contains(&found), "{what}: {found} documents were imported");
            engine.close().expect("the store closes");
            // A second run writes to the next free name if the first one has left a file.
            let names = ["in/data.rejected.jsonl", "in/data.rejected-2.jsonl"];
            let lines = names.map(|name| {
                let rejects = fs::read_to_string(room.join(name));
                rejects.unwrap_or_default().lines().count()
            });
            // An import that could not keep them prints its counts too, and how to resume it.
            let is_done = outcome.is_done && !what.contains("--resume");
            assert!(lines.contains(&1) || !is_done, "{what}: {lines:?} rejects are kept");
        },
    }
}

pub fn archive() -> Job {
    Job {
        command: |room| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_removal_writer"));
            command.arg(room.join("new")).args(["0", "archive", "", "once"]);
            command
        },
        is_done: |said| said.contains("60\n"),
        kept: &["new/archive", "new/data.mdb"],
        before_commits: &["new/archive"],
        replaced: &[],
        flushes: &["*.ndjson.gz", "*/archive/", "new"],
        judge: |room, outcome, what| {
            let store = room.join("new");
            if !store.exists() {
                return;
            }
            let engine = open_as_found(&store).unwrap_or_else(|why| panic!("{what}: {why}"));
            check_is_itself(&engine, what);
            let all = find_all(&engine, removals::DB, removals::COLLECTION, doc! {});
            let ids = all.iter().map(|found| found.get_i64("_id").expect("a number"));
            let mut ids: BTreeSet<i64> = ids.collect();
            ids.extend(removed(&engine));
            let numbers = outcome.said.lines().filter_map(|line| line.parse::<i64>().ok());
            let said = numbers.max().unwrap_or(0);
            for number in 0..said {
                assert!(ids.contains(&number), "{what}: {number} of {said} is lost");
            }
            engine.close().expect("the store closes");
        },
    }
}

/// The `_id`s that a command lists.
fn removed(engine: &Engine) -> Vec<i64> {
    let command = doc! { "mayflyTrash": removals::COLLECTION, "archived": true, "limit": 1_000 };
    let page = engine.run(removals::DB, &command);
    let rows = page.get_array("batch").map_or(&[][..], Vec::as_slice).iter();
    rows.filter_map(|row| row.as_document()?.get_i64("_id").ok()).collect()
}

/// The store of the room is unchanged.
fn check_store(room: &Path, what: &str) {
    check_store_open(room, what).close().expect("the store closes");
}

fn check_store_open(room: &Path, what: &str) -> Engine {
    let engine = open_as_found(&room.join("store")).unwrap_or_else(|why| panic!("{what}: {why}"));
    check_is_itself(&engine, what);
    assert_eq!(documents(&engine, what), DOCUMENTS, "{what}");
    engine
}

/// The number of documents: all up to a number, each unchanged.
fn documents(engine: &Engine, what: &str) -> i32 {
    let found = find_all(engine, DB, COLLECTION, doc! {});
    let count = i32::try_from(found.len()).expect("few");
    let mut ids: Vec<i32> = found.iter().filter_map(|it| it.get_i32("_id").ok()).collect();
    ids.sort_unstable();
    assert!(ids.iter().copied().eq(0..count), "{what}: {ids:?}");
    let checked = run(engine, DB, &doc! { "validate": COLLECTION, "full": true });
    assert!(checked.get_bool("valid").unwrap_or(false), "{what}: {checked}");
    count
}
