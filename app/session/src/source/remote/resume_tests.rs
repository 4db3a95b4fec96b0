//! Imports into a server that end at random places, and are resumed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use bson::oid::ObjectId;
use bson::{Document, doc};
use mayfly_engine::transfer::{ImportEnd, ImportMode, ImportRequest, Progress};
use mayfly_tests::documentdb::{DocumentDb, Habits};

use super::{Remote, import_file};
use crate::job::{Cancel, ConnectionString, Namespace};
use crate::source::{Source as _, Transfers as _};

const DOCUMENTS: usize = 6_000;

/// The next number of a sequence of xorshift.
fn next(seed: &mut u64) -> u64 {
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    *seed
}

/// A connection that keeps the state of its imports in this folder.
fn connect(server: &DocumentDb, folder: &Path) -> Remote {
    let string = ConnectionString::read(&server.uri()).expect("a string");
    let mut remote = (0..50)
        .find_map(|_| Remote::connect(&string, &Cancel::default(), &|_| ()).ok())
        .expect("it connects");
    remote.journals = Some(folder.to_owned());
    remote.set_locked(false);
    remote
}

/// Documents with and without an `_id`, some of them twice.
fn write_file(folder: &Path) -> PathBuf {
    let lines = (0..DOCUMENTS).map(|n| match n % 7 {
        0 => format!("{{\"n\": {n}}}\n"),
        1 if n > 3_000 && n % 2 == 0 => format!("{{\"_id\": {}, \"n\": {n}}}\n", n - 2_800),
        _ => format!("{{\"_id\": {n}, \"n\": {n}}}\n"),
    });
    let path = folder.join("a.ndjson");
    std::fs::write(&path, lines.collect::<String>()).expect("a file");
    path
}

fn request(path: &Path, mode: ImportMode) -> ImportRequest {
    let namespace = Namespace::new("shop", "orders");
    ImportRequest { mode, ..ImportRequest::new(vec![path.to_owned()], namespace) }
}

/// The numbers of all documents in order, and how many documents there are of each.
fn stored(server: &DocumentDb) -> Vec<i32> {
    let all = server.stored("shop", "orders").into_iter();
    let number = |one| Document::try_from(one).expect("a document").get_i32("n").expect("a number");
    let mut numbers: Vec<i32> = all.map(number).collect();
    numbers.sort_unstable();
    numbers
}

/// Waits until the server got this many commands with documents, then stops it.
fn stop_after(server: &DocumentDb, commands: usize, is_over: &Cancel) {
    let is_write = |name: &String| name == "insert" || name == "update";
    while server.writes().iter().filter(|name| is_write(name)).count() < commands {
        if is_over.is_cancelled() {
            return;
        }
        std::thread::park_timeout(Duration::from_millis(1));
    }
    server.stop();
}

/// The counts of a run without a stop, and its documents.
fn undisturbed(habits: Habits, mode: ImportMode, before: &Document) -> (Vec<i32>, [u64; 3]) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write_file(folder.path());
    let server = DocumentDb::start(habits);
    server.prepare("shop", before);
    let report = connect(&server, folder.path())
        .import(&request(&path, mode), &Progress::new())
        .expect("it runs");
    assert_eq!(report.end, ImportEnd::Complete);
    (stored(&server), [report.imported, report.skipped, report.rejected])
}

#[test]
fn an_import_that_a_stopped_server_ended_is_resumed_with_every_document_once() {
    let before =
        doc! { "insert": "orders", "documents": [{ "_id": 5, "n": 55 }, { "_id": 17, "n": 99 }] };
    let mut seed = 0x5eed;
    for habits in [Habits::documentdb(), Habits::mongodb()] {
        for mode in [ImportMode::Insert, ImportMode::Skip, ImportMode::Merge, ImportMode::Replace] {
            let (expected, counts) = undisturbed(habits, mode, &before);
            let began = seed;
            let folder = tempfile::tempdir().expect("a folder");
            let path = write_file(folder.path());
            let server = DocumentDb::start(habits);
            server.prepare("shop", &before);
            let mut known: Option<ObjectId> = None;
            let mut report = None;
            for _ in 0..20 {
                let remote = connect(&server, folder.path());
                server.forget_commands();
                let is_over = Cancel::default();
                let commands = usize::try_from(next(&mut seed) % 4 + 1).expect("a few");
                let ended = std::thread::scope(|scope| {
                    scope.spawn(|| stop_after(&server, commands, &is_over));
                    let progress = Progress::new();
                    let ended = match known {
                        None => remote.import(&request(&path, mode), &progress),
                        Some(id) => remote.resume(id.into(), &progress),
                    };
                    is_over.cancel();
                    ended
                });
                drop(remote);
                server.restart();
                let ended = ended.expect("it began");
                if ended.end == ImportEnd::Complete {
                    report = Some(ended);
                    break;
                }
                let all = import_file::unfinished(&folder.path().join("imports"));
                known = all.first().map(|import| import.id);
                assert!(all.len() <= 1, "{all:?}");
            }
            let report = report.expect("it is complete");
            assert!(stored(&server) == expected, "{mode:?}, seed {began:#x}");
            let [imported, skipped, rejected] = counts;
            let sum = report.imported + report.skipped + report.rejected;
            assert_eq!(sum, imported + skipped + rejected, "{mode:?}, seed {began:#x}");
            if mode == ImportMode::Insert {
                assert_eq!(report.rejected, rejected, "seed {began:#x}");
            }
            assert!(import_file::unfinished(&folder.path().join("imports")).is_empty());
        }
    }
}

#[test]
fn a_batch_that_was_stored_but_not_remembered_is_not_stored_twice() {
    for mode in [ImportMode::Insert, ImportMode::Skip, ImportMode::Merge, ImportMode::Replace] {
        let before = doc! { "insert": "orders", "documents": [{ "_id": 5, "n": 55 }] };
        let (expected, counts) = undisturbed(Habits::mongodb(), mode, &before);
        let folder = tempfile::tempdir().expect("a folder");
        let path = write_file(folder.path());
        let server = DocumentDb::start(Habits::mongodb());
        server.prepare("shop", &before);
        let imports = folder.path().join("imports");
        let remote = connect(&server, folder.path());
        let progress = Progress::new();
        // Its state is where it can't be replaced, so the next batch is stored and not remembered.
        let kept = folder.path().join("kept");
        let ended = std::thread::scope(|scope| {
            let import = scope.spawn(|| remote.import(&request(&path, mode), &progress));
            while progress.now().documents < 1_000 && !import.is_finished() {
                std::thread::yield_now();
            }
            std::fs::rename(&imports, &kept).expect("moved");
            import.join().expect("no panic").expect("it began")
        });
        drop(remote);
        if ended.end == ImportEnd::Complete {
            continue;
        }
        std::fs::rename(&kept, &imports).expect("moved");
        let remote = connect(&server, folder.path());
        let all = remote.unfinished().expect("a list");
        let [known] = all.as_slice() else { panic!("{all:?}") };
        let report = remote.resume(known.id.into(), &Progress::new()).expect("it runs");
        assert_eq!(report.end, ImportEnd::Complete);
        assert_eq!(stored(&server), expected, "{mode:?}");
        let sum = report.imported + report.skipped + report.rejected;
        assert_eq!(sum, counts.iter().sum::<u64>(), "{mode:?}");
    }
}

#[test]
fn an_import_is_rolled_back_after_the_program_was_started_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = write_file(folder.path());
    let server = DocumentDb::start(Habits::documentdb());
    server.prepare("shop", &doc! { "insert": "orders", "documents": [{ "_id": 5, "n": 5 }] });
    let remote = connect(&server, folder.path());
    let is_over = Cancel::default();
    let ended = std::thread::scope(|scope| {
        scope.spawn(|| stop_after(&server, 3, &is_over));
        let request = request(&path, ImportMode::Insert);
        let ended = remote.import(&request, &Progress::new());
        is_over.cancel();
        ended
    });
    let id = ended.expect("it began").unfinished.expect("it can be resumed");
    drop(remote);
    server.restart();
    let remote = connect(&server, folder.path());
    let report = remote.roll_back(id, &Progress::new()).expect("it is rolled back");
    assert!(report.removed > 0, "{report:?}");
    assert!(remote.unfinished().expect("a list").is_empty());
    assert!(remote.resume(id.into(), &Progress::new()).is_err());
    assert!(stored(&server).contains(&5));
}
