//! The store under system limits, in subprocesses, and next to processes that die.

use std::fs;
use std::path::Path as FsPath;
use std::process::Command;
use std::sync::{Arc, Mutex};

use super::*;
use crate::limits::READERS_MAX;
use crate::store::txn::env::{Environment, EnvironmentOptions, open_env};
use crate::store::txn::error_class::{ErrorClass, Remedy};
use crate::store::{StoreNotice, StoreState};

const CHILD_FOLDER: &str = "MAYFLY_STORE_LIMIT_FOLDER";

/// Runs one test of this file in a subprocess, in which the shell has run `before`.
fn run_child(test: &str, folder: &FsPath, before: &str) -> String {
    let output = Command::new("sh")
        .args(["-c", &format!("{before}; exec \"$0\" \"$@\"")])
        .arg(std::env::current_exe().expect("this program"))
        .args(["--exact", &format!("store::tests::limits::{test}"), "--nocapture"])
        .env(CHILD_FOLDER, folder)
        .output()
        .expect("the child runs");
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}

fn child_folder() -> Option<std::path::PathBuf> {
    std::env::var_os(CHILD_FOLDER).map(Into::into)
}

/// Writes ten documents; returns how many exist now.
fn write_ten(store: &Store) -> Result<RecordNumber, StoreError> {
    store.write(|writer| {
        let mut counters = writer.reader().counters(COLLECTION.0)?;
        for _ in 0..10 {
            let record = counters.next_record;
            writer.put_document(COLLECTION, record, 0, &bson_of(7 * record))?;
            counters.next_record += 1;
        }
        writer.set_counters(COLLECTION.0, counters)?;
        Ok(counters.next_record)
    })
}

fn write_until_refused(store: &Store) -> (u64, StoreError) {
    let mut written = see(store).expect("readable").0.len() as u64;
    loop {
        match write_ten(store) {
            Ok(now) => written = u64::try_from(now).expect("few"),
            Err(error) => return (written, error),
        }
    }
}

/// The limit on the file size is inside a page, so LMDB gets a short write and reports an input/output error.
/// The disk has space, so the store takes it for one.
#[cfg(unix)]
#[test]
fn an_input_output_error_ends_writing_until_the_file_was_walked() {
    if let Some(folder) = child_folder() {
        let store = open(&folder);
        let (written, error) = write_until_refused(&store);
        let status = store.status();
        println!("first: {written} {error} {:?} {}", status.state, status.reopenings);
        assert_eq!(see(&store).expect("readable").0.len() as u64, written);
        let (again, error) = write_until_refused(&store);
        println!("second: {again} {error} {:?}", store.status().state);
        let (_, error) = write_until_refused(&store);
        println!("third: {error}");
        assert_eq!(see(&store).expect("readable").0.len() as u64, again);
        return println!("kept: {again}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let test = "an_input_output_error_ends_writing_until_the_file_was_walked";
    let printed = run_child(test, folder.path(), "trap '' XFSZ; ulimit -f 2049");
    let line = |start: &str| {
        let found = printed.lines().find_map(|line| line.strip_prefix(start));
        found.unwrap_or_else(|| panic!("{printed}")).to_owned()
    };
    let (first, second, third) = (line("first: "), line("second: "), line("third: "));
    assert!(first.contains("may not have been written") && first.ends_with("Ok 1"), "{printed}");
    assert!(
        second.contains("may not have been written") && second.ends_with("Suspect"),
        "{printed}"
    );
    assert!(third.contains("Writes are disabled"), "{printed}");
    let (store, report) =
        Store::open(folder.path(), &StoreOptions::default()).expect("the store opens");
    assert!(report.unclean, "{report:?}");
    let kept: usize = line("kept: ").parse().expect("a number");
    assert!(kept > 0, "{printed}");
    assert_eq!(see(&store).expect("readable").0.len(), kept);
    assert_eq!(store.check().expect("readable").findings, Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn little_address_space_gives_a_smaller_map() {
    if let Some(folder) = child_folder() {
        let store = open(&folder);
        fill(&store, 0..10);
        return println!("map: {}", store.status().map_bytes >> 30);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let test = "little_address_space_gives_a_smaller_map";
    // KiB: 8 GiB.
    let printed = run_child(test, folder.path(), "ulimit -v 8388608");
    let map = printed.lines().find_map(|line| line.strip_prefix("map: "));
    let gib: u64 = map.and_then(|map| map.parse().ok()).unwrap_or_else(|| panic!("{printed}"));
    assert!((1..8).contains(&gib), "{gib}");
}

/// LMDB unmaps the file before it asks for a larger map.
#[cfg(unix)]
#[test]
fn a_map_that_may_not_grow_stays_as_it_was() {
    if let Some(folder) = child_folder() {
        let options = StoreOptions { map_size_bytes: 1 << 30, ..StoreOptions::default() };
        let store = open_with(&folder, &options);
        fill(&store, 0..10);
        let mut map_bytes = store.status().map_bytes;
        let refused = loop {
            match store.grow() {
                Ok(()) => map_bytes = store.status().map_bytes,
                Err(error) => break error,
            }
        };
        assert_eq!(store.status().map_bytes, map_bytes);
        fill(&store, 10..20);
        assert_eq!(see(&store).expect("readable").0.len(), 20);
        assert_eq!(store.status().state, StoreState::Ok);
        return println!("refused: {refused}");
    }
    let folder = tempfile::tempdir().expect("a folder");
    let test = "a_map_that_may_not_grow_stays_as_it_was";
    let printed = run_child(test, folder.path(), "ulimit -v 8388608");
    assert!(printed.contains("refused: The system grants the store no more than"), "{printed}");
    assert_eq!(see(&open(folder.path())).expect("readable").0.len(), 20);
}

/// A small store followed by a 16 TiB hole: the memory of a walk depends on the pages in use.
#[cfg(target_os = "linux")]
#[test]
fn a_file_that_is_long_with_nothing_in_it_is_walked_in_little_memory() {
    if let Some(folder) = child_folder() {
        let report = Store::check_structure(&folder).expect("readable");
        return println!("found: {:?}, used: {}", report.findings, report.pages_used);
    }
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..100);
    drop(store);
    let expected = Store::check_structure(folder.path()).expect("readable").pages_used;
    let data_file = fs::File::options().write(true).open(folder.path().join("data.mdb"));
    data_file.and_then(|file| file.set_len((1 << 44) - (1 << 20))).expect("a sparse file");
    let test = "a_file_that_is_long_with_nothing_in_it_is_walked_in_little_memory";
    // KiB: less than one bit for each page of the file.
    let printed = run_child(test, folder.path(), "ulimit -v 450000");
    assert!(printed.contains(&format!("found: [], used: {expected}")), "{printed}");
}

#[cfg(unix)]
#[test]
fn no_umask_opens_the_folder_to_others() {
    use std::os::unix::fs::PermissionsExt;
    if let Some(folder) = child_folder() {
        let store = open(&folder);
        fill(&store, 0..10);
        return println!("opened");
    }
    for mask in ["000", "022", "077"] {
        let parent = tempfile::tempdir().expect("a folder");
        let folder = parent.path().join("store");
        let test = "no_umask_opens_the_folder_to_others";
        let printed = run_child(test, &folder, &format!("umask {mask}"));
        assert!(printed.contains("opened"), "{printed}");
        let mode = |path: &FsPath| fs::metadata(path).expect("found").permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700, "umask {mask}");
        let mut names = Vec::new();
        for file in fs::read_dir(&folder).expect("a folder") {
            let path = file.expect("a file").path();
            assert_eq!(mode(&path), 0o600, "umask {mask}, {}", path.display());
            names.push(path.file_name().expect("a name").to_string_lossy().into_owned());
        }
        names.sort();
        let expected = ["app.lock", "ballast", "data.mdb", "identity.json", "lock.mdb"];
        assert_eq!(names, expected);
    }
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_open_to_others_is_warned_of() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().expect("a folder");
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).expect("changed");
    let (_store, report) =
        Store::open(folder.path(), &StoreOptions::default()).expect("the store opens");
    assert!(report.warnings.iter().any(|warning| warning.contains("Other users")), "{report:?}");
}

/// A reader whose process was killed keeps its slot in LMDB's table until the store clears it.
#[test]
fn places_of_killed_readers_are_given_back() {
    if let Some(folder) = child_folder() {
        let env = open_env(&folder, 1 << 30, READERS_MAX, false).expect("the environment opens");
        let txn = env.read_txn().expect("a reader");
        println!("reading");
        std::mem::forget(txn);
        std::process::abort();
    }
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let told = Arc::new(Mutex::new(Vec::new()));
    let telling = Arc::clone(&told);
    store.observe(move |notice| telling.lock().expect("unbroken").push(notice.clone()));
    fill(&store, 0..10);
    store.clear_stale_readers();
    assert!(told.lock().expect("unbroken").is_empty());
    let printed = run_child("places_of_killed_readers_are_given_back", folder.path(), "true");
    assert!(printed.contains("reading"), "{printed}");
    store.clear_stale_readers();
    assert_eq!(*told.lock().expect("unbroken"), [StoreNotice::StaleReaders { count: 1 }]);
}

/// Enlarges the store's file beyond the store's map, which no other program should do.
#[test]
fn a_file_that_another_program_made_larger_is_taken_over() {
    if let Some(folder) = child_folder() {
        let env = Environment::open(
            &folder,
            EnvironmentOptions { map_size_bytes: 64 << 20, read_only: false },
            None,
        )
        .expect("the environment opens");
        let mut txn = env.write().expect("a transaction");
        env.tables.meta.put(&mut txn, b"large", &vec![0; 20 << 20]).expect("written");
        txn.commit().expect("committed");
        return println!("grown");
    }
    for writes in [false, true] {
        let folder = tempfile::tempdir().expect("a folder");
        let options = StoreOptions { map_size_bytes: 1 << 20, ..StoreOptions::default() };
        let store = open_with(folder.path(), &options);
        fill(&store, 0..10);
        let test = "a_file_that_another_program_made_larger_is_taken_over";
        let printed = run_child(test, folder.path(), "true");
        assert!(printed.contains("grown"), "{printed}");
        let error = store.env().expect("open").read().err().expect("a failure");
        assert_eq!(ErrorClass::of(&error, None), ErrorClass::Retry(Remedy::Adopt), "{error:?}");
        if writes {
            fill(&store, 10..20);
        }
        assert_eq!(see(&store).expect("readable").0.len(), if writes { 20 } else { 10 });
        assert!(store.status().map_bytes > 20 << 20);
    }
}

#[test]
fn every_opening_walks_the_whole_file() {
    let folder = tempfile::tempdir().expect("a folder");
    for now_ms in [1_000, 1_001, i64::MIN, i64::MAX] {
        let store = open_with(folder.path(), &StoreOptions { now_ms, ..StoreOptions::default() });
        assert_eq!(store.status().last_walk_ms, Some(now_ms));
    }
}

#[cfg(unix)]
#[test]
fn every_name_of_a_folder_leads_to_the_same_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let real = folder.path().join("store");
    let store = open(&real);
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&real, &link).expect("a link");
    for name in [real.join("."), real.join("../store"), link] {
        let second = Store::open(&name, &StoreOptions::default()).err();
        assert_eq!(second, Some(StoreError::InUse { pid: Some(std::process::id()) }));
    }
    fill(&store, 0..10);
}

/// The inode number of a removed file goes to the next new file. The registry must not still hold it.
#[test]
fn a_folder_that_is_removed_under_its_store_stands_in_nobodys_way() {
    let parent = tempfile::tempdir().expect("a folder");
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let parent = parent.path();
            scope.spawn(move || {
                for round in 0..25 {
                    let folder = parent.join(format!("{thread}.{round}"));
                    let store = open(&folder);
                    fill(&store, 0..3);
                    fs::remove_dir_all(&folder).expect("removed");
                    let same_name = open(&parent.join(format!("{thread}.{round}.next")));
                    drop(store);
                    assert_eq!(same_name.status().state, StoreState::Ok);
                }
            });
        }
    });
}
