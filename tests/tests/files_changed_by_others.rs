//! Other programs change the files of an open store, and this program must not release its own
//! locks.
#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::slice;
use std::sync::Arc;

use bson::{Document, doc};
use mayfly_engine::catalog::Namespace;
use mayfly_engine::clock::{Clock, SystemClock};
use mayfly_engine::collection::ScrubStep;
use mayfly_engine::engine::{Engine, maintenance};
use mayfly_engine::store::{JobProgress, Store, StoreOptions};
use mayfly_engine::transfer::{
    Compression, DiskSpace, ExportFormat, ExportQuery, ExportRequest, ImportMode, ImportRequest,
    Progress, ReadOptions, TransferError, export, import, preview, rehearse,
};
use mayfly_engine::value::extjson::Style;
use mayfly_tests::program;
use mayfly_tests::store::{find_all, folder_in_memory, is_ok, open_as_found, run};

const PAGE: u64 = 4096;

/// Steps of the store whose file is truncated.
const STEPS: &str = "40";

/// The exit code of `mutant_reader` for a refused store.
const REFUSED: i32 = 3;

/// The signal for reading truncated bytes of a map.
const SIGBUS: i32 = 7;

/// Reading truncated pages kills the reader. The next start checks the whole file, and refuses it.
#[test]
fn a_file_that_is_cut_while_it_is_open_is_refused_at_the_next_start() {
    for part in 1..4 {
        let folder = folder_in_memory();
        let store = folder.path().join("store");
        let mut writer = Command::new(env!("CARGO_BIN_EXE_step_writer"));
        let written = writer.arg(&store).args(["0", STEPS]).output();
        assert!(written.expect("the writer starts").status.success());
        let data = store.join("data.mdb");
        let bytes = fs::metadata(&data).expect("a file").len();
        let mut reader = Command::new(env!("CARGO_BIN_EXE_mutant_reader"));
        reader.arg(&store).arg("wait").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut reader = reader.spawn().expect("the reader starts");
        let mut line = [0; 5];
        let out = reader.stdout.as_mut().expect("its output is piped");
        out.read_exact(&mut line).expect("the reader opens the store");
        let file = OpenOptions::new().write(true).open(&data).expect("the file opens");
        file.set_len(bytes * part / 4 / PAGE * PAGE).expect("the file can be cut");
        let mut read = reader.stdin.take().expect("its input is piped");
        writeln!(read, "go on").expect("the reader waits");
        let died = reader.wait_with_output().expect("the reader ends");
        assert_eq!(died.status.signal(), Some(SIGBUS), "{part} quarters were left");
        let mut reader = Command::new(env!("CARGO_BIN_EXE_mutant_reader"));
        let seen = reader.arg(&store).output().expect("the reader starts");
        let log = String::from_utf8_lossy(&seen.stderr);
        assert_eq!(seen.status.code(), Some(REFUSED), "{part} quarters were left: {log}");
        assert!(seen.stdout.is_empty(), "{part} quarters were left, and documents are shown");
    }
}

/// The locks of this process on a file, as the system lists them.
fn locks(file: &Path) -> BTreeSet<String> {
    let number = fs::metadata(file).expect("the file is there").ino();
    let own = std::process::id().to_string();
    let all = fs::read_to_string("/proc/locks").expect("the system lists locks");
    let own = all.lines().filter(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let is_file = words.get(5).is_some_and(|it| it.ends_with(&format!(":{number}")));
        words.get(1) == Some(&"POSIX") && words.get(4) == Some(&own.as_str()) && is_file
    });
    own.map(|line| line.split_once(' ').map_or(line, |(_, lock)| lock).trim().to_owned()).collect()
}

/// Closing any descriptor of a file releases all locks on it. Another process would then treat the
/// store as closed and reset the reader table.
#[test]
fn whatever_is_done_with_an_open_store_keeps_its_locks() {
    let folder = folder_in_memory();
    let (store, backup) = (folder.path().join("store"), folder.path().join("backup"));
    let engine = open_as_found(&store).expect("the store opens");
    let documents: Vec<Document> = (0..500).map(|id| doc! { "_id": id }).collect();
    run(&engine, "d", &doc! { "insert": "c", "documents": documents });
    let lock_file = store.join("lock.mdb");
    let held = locks(&lock_file);
    println!("{held:?}");
    assert!(!held.is_empty(), "an open store has locks");
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let check = |what: &str| assert_eq!(locks(&lock_file), held, "after {what}");
    for (what, work) in works().into_iter().chain(works_with_files()) {
        work(&engine, &store, &backup, &clock);
        check(what);
    }
    assert_eq!(find_all(&engine, "d", "c", doc! {}).len(), 500);
    engine.close().expect("the store closes");
    assert!(locks(&lock_file).is_empty(), "a closed store has none");
}

/// Confirms what the test above prevents: opening the file once is enough.
#[test]
fn whoever_closes_the_lock_file_loses_its_locks() {
    let folder = folder_in_memory();
    let engine = open_as_found(folder.path()).expect("the store opens");
    let lock_file = folder.path().join("lock.mdb");
    let held = locks(&lock_file);
    let looked = Command::new("cat").arg(&lock_file).output().expect("cat starts");
    assert!(looked.status.success() && !held.is_empty());
    assert_eq!(locks(&lock_file), held, "another process has looked");
    drop(File::open(&lock_file).expect("it opens"));
    assert!(locks(&lock_file).is_empty(), "this process has looked");
    engine.close().expect("the store closes");
}

type Work = fn(&Engine, &Path, &Path, &Arc<dyn Clock>);

/// Everything that may be done with an open store, or is refused because it is open.
fn works() -> [(&'static str, Work); 10] {
    [
        ("a backup", |engine, _, backup, _| {
            let to = backup.display().to_string();
            run(engine, "admin", &doc! { "mayflyBackup": 1, "to": to });
        }),
        ("a check of a collection", |engine, _, _, _| {
            run(engine, "d", &doc! { "validate": "c", "full": true });
        }),
        ("a scrub", |engine, _, _, _| {
            run(engine, "admin", &doc! { "mayflyScrub": "start" });
            while engine.collections().scrub_step() != Ok(ScrubStep::Idle) {}
        }),
        ("a check of the file", |engine, _, _, _| {
            let report = engine.collections().store().check().expect("it can be checked");
            assert!(report.findings.is_empty(), "{report:?}");
        }),
        ("a check of the file from outside", |_, store, _, _| {
            let report = Store::check_file(&store.join("data.mdb"), None, &mut go_on);
            assert!(report.expect("it can be read").findings.is_empty());
        }),
        ("a second opening", |_, store, _, _| {
            assert!(Store::open(store, &StoreOptions::default()).is_err());
            let reading = StoreOptions { read_only: true, ..StoreOptions::default() };
            assert!(Store::open(store, &reading).is_err());
        }),
        ("the question who has it open", |_, store, _, _| {
            assert!(Store::check_free(store).is_err());
            assert!(Store::check_structure(store).is_err());
        }),
        ("a compaction", |_, store, _, clock| {
            assert!(maintenance::compact(store, clock, None, &mut go_on).is_err());
        }),
        ("a check of everything", |_, store, _, clock| {
            assert!(maintenance::check(store, clock, None, &mut go_on).is_err());
        }),
        ("a restore", |_, store, backup, clock| {
            assert!(maintenance::restore(backup, store, true, clock, None, &mut go_on).is_err());
        }),
    ]
}

/// Everything that may be done with files while a store is open, and with files that are its lock.
fn works_with_files() -> [(&'static str, Work); 7] {
    [
        ("an export and an import", |engine, _, backup, _| {
            let path = backup.with_extension("json");
            export_to(engine, &path).expect("exported");
            let copy = Namespace::new("d", "copy");
            let request = ImportRequest::new(vec![path], copy);
            import(engine.collections(), &request, &Progress::new()).expect("imported");
            assert_eq!(find_all(engine, "d", "copy", doc! {}).len(), 500);
        }),
        ("an import of the lock", |engine, store, backup, _| {
            for path in names_of_the_lock(store, backup) {
                let plain = ReadOptions::default();
                assert!(preview(&path, &plain).is_err());
                let name = Namespace::new("d", "c");
                let (all, progress) = (engine.collections(), Progress::new());
                assert!(rehearse(all, &name, &path, &plain, 1, &progress).is_err());
                assert!(DiskSpace::of(all, slice::from_ref(&path)).is_err());
                let request = ImportRequest {
                    mode: ImportMode::Replace,
                    ..ImportRequest::new(vec![path], name)
                };
                let refused = import(all, &request, &progress).expect_err("refused").to_string();
                assert!(refused.contains("it is the lock file of an open store"), "{refused}");
            }
        }),
        ("an opening of a folder with a name of the lock in it", |_, store, backup, _| {
            for path in names_of_the_lock(store, backup) {
                for name in ["data.mdb", "app.lock", "identity.json"] {
                    let folder = tempfile::tempdir().expect("a folder");
                    std::os::unix::fs::symlink(&path, folder.path().join(name)).expect("a link");
                    for read_only in [false, true] {
                        let options = StoreOptions { read_only, ..StoreOptions::default() };
                        let refused = Store::open(folder.path(), &options).map(drop);
                        let told = refused.expect_err("refused").to_string();
                        assert!(
                            told.contains("it is the lock file of an open store"),
                            "{name}: {told}"
                        );
                    }
                }
            }
        }),
        ("an export over the lock", |engine, store, _, _| {
            assert!(export_to(engine, &store.join("lock.mdb")).is_err());
        }),
        ("a backup over the lock", |engine, store, backup, _| {
            for path in names_of_the_lock(store, backup) {
                let command = doc! { "mayflyBackup": 1, "to": path.display().to_string() };
                assert!(!is_ok(&engine.run("admin", &command)));
            }
        }),
        ("a check and a restore of the lock", |_, store, backup, clock| {
            for path in names_of_the_lock(store, backup) {
                assert!(Store::check_file(&path, None, &mut go_on).is_err());
                let new = backup.with_extension("restored");
                assert!(maintenance::restore(&path, &new, false, clock, None, &mut go_on).is_err());
            }
        }),
        ("other programs on the same folder", |_, store, backup, _| {
            let (store, backup) = (store.display().to_string(), backup.display().to_string());
            let (data, named) = (["--data", &store], ["--db", "d", "--collection", "c"]);
            for (command, rest) in [
                ("verify", vec![]),
                ("scrub", vec![]),
                ("compact", vec![]),
                ("backup", vec![backup.as_str()]),
                ("restore", vec!["--replace", "--from", &backup]),
                ("export", [&named[..], &["-o", "/dev/null"]].concat()),
                ("import", [&named[..], &[backup.as_str()]].concat()),
                ("serve", vec!["--port", "0"]),
            ] {
                let mut program = Command::new(program::path());
                let output = program.arg(command).args(data).args(rest).output();
                let output = output.expect("the program starts");
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(!output.status.success(), "{command}");
                assert!(said.contains("in use by another program"), "{command}: {said}");
            }
        }),
    ]
}

fn export_to(engine: &Engine, path: &Path) -> Result<(), TransferError> {
    let request = ExportRequest {
        namespace: Namespace::new("d", "c"),
        path: path.to_owned(),
        format: ExportFormat::Ndjson(Style::Relaxed),
        query: ExportQuery::default(),
        compression: Compression::None,
        indexes: false,
    };
    export(engine.collections(), &request, &Progress::new()).map(drop)
}

/// The store's lock under its own name, and under others next to the backup.
fn names_of_the_lock(store: &Path, backup: &Path) -> [PathBuf; 3] {
    let own = store.join("lock.mdb");
    let (link, hard) = (backup.with_extension("link"), backup.with_extension("hard"));
    if !hard.exists() {
        std::os::unix::fs::symlink(&own, &link).expect("a link");
        fs::hard_link(&own, &hard).expect("a second name");
    }
    [own, link, hard]
}

fn go_on(_: JobProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// A program that ends must not end well: what it acknowledged is gone with the file.
#[test]
fn a_store_whose_file_was_removed_takes_no_write_and_says_so_when_it_closes() {
    let folder = folder_in_memory();
    let engine = open_as_found(folder.path()).expect("the store opens");
    let insert = |id: i32| doc! { "insert": "c", "documents": [{ "_id": id }] };
    assert!(is_ok(&engine.run("d", &insert(1))));
    fs::remove_file(folder.path().join("data.mdb")).expect("removed");
    let refused = engine.run("d", &insert(2));
    assert!(!is_ok(&refused) && refused.to_string().contains("removed or moved"), "{refused}");
    let store = engine.run("admin", &doc! { "serverStatus": 1 });
    let store = store.get_document("mayfly").and_then(|it| it.get_document("store"));
    assert_eq!(store.and_then(|store| store.get_str("state")).ok(), Some("detached"));
    assert_eq!(find_all(&engine, "d", "c", doc! {}).len(), 1);
    let closed = engine.close().expect_err("its file is gone").to_string();
    assert!(closed.contains("save a copy"), "{closed}");
}
