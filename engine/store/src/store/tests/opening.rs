//! Opening a store: a second opener, an unclean end, a backup in its place, and files of another kind.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path as FsPath;
use std::process::Command;

use super::*;
use crate::store::testing::rot;

const CHILD_FOLDER: &str = "MAYFLY_STORE_TEST_FOLDER";

/// Runs the test `a_second_opener_is_refused_with_the_process_number` in a subprocess, where it
/// calls [`child`]; returns its output.
fn run_child(folder: &FsPath) -> String {
    let test = "store::tests::opening::a_second_opener_is_refused_with_the_process_number";
    let output = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", test, "--nocapture"])
        .env(CHILD_FOLDER, folder)
        .output()
        .expect("the child runs");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The subprocess: opens the store and prints the outcome.
fn child(folder: &FsPath) {
    match Store::open(folder, &StoreOptions::default()) {
        Ok((store, _)) => {
            fill(&store, 100..200);
            println!("opened");
            // Ends like a kill, without dropping anything.
            std::process::abort();
        }
        Err(error) => println!("refused: {error}"),
    }
}

#[test]
fn a_second_opener_is_refused_with_the_process_number() {
    if let Some(folder) = std::env::var_os(CHILD_FOLDER) {
        return child(FsPath::new(&folder));
    }
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let pid = std::process::id();
    let second = Store::open(folder.path(), &StoreOptions::default());
    assert_eq!(second.err(), Some(StoreError::InUse { pid: Some(pid) }));
    let printed = run_child(folder.path());
    assert!(
        printed.contains("refused:") && printed.contains(&format!("process {pid}")),
        "{printed}"
    );
    let check = Store::check_structure(folder.path());
    assert_eq!(check.err(), Some(StoreError::InUse { pid: Some(pid) }));
    fill(&store, 0..10);
    drop(store);
    assert_eq!(see(&open(folder.path())).expect("readable").0.len(), 10);
}

/// The lock is on the data file too, so it holds as long as that file is open.
#[cfg(unix)]
#[test]
fn a_store_stays_locked_when_its_lock_files_are_removed() {
    for removed in [&["app.lock"][..], &["app.lock", "lock.mdb"]] {
        let parent = tempfile::tempdir().expect("a folder");
        let (place, backup) = (parent.path().join("store"), parent.path().join("backup"));
        let store = open(&place);
        fill(&store, 0..10);
        store.backup_to(&backup, &mut |_| ControlFlow::Continue(())).expect("a backup");
        for name in removed {
            fs::remove_file(place.join(name)).expect("removed");
        }
        for _ in 0..2 {
            let printed = run_child(&place);
            assert!(printed.contains("refused: The store is in use"), "{printed}");
        }
        let options = StoreOptions::default();
        let mut watch = |_| ControlFlow::Continue(());
        let restored =
            crate::store::Restoration::begin(&backup, &place, true, &options, &mut watch);
        for refused in [
            Store::check_free(&place).err(),
            Store::check_structure(&place).err(),
            restored.err(),
            Store::open(&place, &StoreOptions { read_only: true, ..options }).err(),
        ] {
            assert!(matches!(refused, Some(StoreError::InUse { .. })), "{refused:?}");
        }
        fill(&store, 10..20);
        drop(store);
        assert_eq!(see(&open(&place)).expect("readable").0.len(), 20);
    }
}

#[cfg(unix)]
#[test]
fn a_link_to_the_data_file_of_an_open_store_is_refused() {
    let (real, linked) = (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
    let (real, linked) = (real.path(), linked.path());
    fill(&open(real), 0..10);
    std::os::unix::fs::symlink(real.join("data.mdb"), linked.join("data.mdb")).expect("a link");
    let store = open(real);
    let pid = std::process::id();
    let printed = run_child(linked);
    let said = format!("/data.mdb, which another program (process {pid}) has open.");
    assert!(printed.contains("refused: data.mdb in this folder is a link to"), "{printed}");
    assert!(printed.contains(&said), "{printed}");
    let here = Store::open(linked, &StoreOptions::default()).err().map(|error| error.to_string());
    assert!(here.as_ref().is_some_and(|error| error.contains(&said)), "{here:?}");
    drop(store);
    let store = open(linked);
    let printed = run_child(real);
    assert!(printed.contains("refused: The store is in use"), "{printed}");
    fill(&store, 10..20);
    drop(store);
    assert_eq!(see(&open(real)).expect("readable").0.len(), 20);
}

/// The name of the data file leads to a locked file at each step of the replacement.
#[cfg(unix)]
#[test]
fn a_compaction_stays_locked_while_it_replaces_the_file() {
    for count in 0..=4 {
        let folder = tempfile::tempdir().expect("a folder");
        let store = open(folder.path());
        fill(&store, 0..10);
        fs::remove_file(folder.path().join("app.lock")).expect("removed");
        let compaction = crate::store::Compaction::begin(store, &mut |_| ControlFlow::Continue(()));
        crate::store::copy::compact::stop_after(compaction.expect("begun"), count, || {
            let check = Store::check_free(folder.path());
            assert!(matches!(check, Err(StoreError::InUse { .. })), "step {count}: {check:?}");
        })
        .expect("the steps");
        assert_eq!(see(&open(folder.path())).expect("readable").0.len(), 10, "step {count}");
    }
}

#[cfg(unix)]
#[test]
fn a_compaction_replaces_no_other_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (data, other) = (folder.path().join("data.mdb"), folder.path().join("other"));
    let store = open(folder.path());
    fill(&store, 0..10);
    let mut watch = |_| ControlFlow::Continue(());
    let compaction = crate::store::Compaction::begin(store, &mut watch).expect("begun");
    fs::write(&other, b"another file").expect("written");
    fs::rename(&other, &data).expect("replaced");
    compaction.replace(&mut watch).expect_err("refused");
    assert_eq!(fs::read(&data).expect("there"), b"another file");
}

#[cfg(unix)]
#[test]
fn another_name_of_an_open_data_file_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let other = tempfile::tempdir().expect("a folder");
    let link = other.path().join("data.mdb");
    fs::hard_link(folder.path().join("data.mdb"), &link).expect("a link");
    let second = Store::open(other.path(), &StoreOptions::default());
    assert_eq!(second.err(), Some(StoreError::InUse { pid: Some(std::process::id()) }));
    fs::remove_file(link).expect("removed");
    fill(&store, 0..10);
}

#[cfg(unix)]
#[test]
fn a_data_file_with_a_second_name_is_not_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..10);
    drop(store);
    let link = folder.path().join("link");
    fs::hard_link(folder.path().join("data.mdb"), &link).expect("a link");
    let refused = Store::open(folder.path(), &StoreOptions::default()).err();
    assert_eq!(refused, Some(StoreError::SharedFile { names: 2 }));
    let read = Store::open(folder.path(), &StoreOptions { read_only: true, ..Default::default() });
    assert_eq!(see(&read.expect("reading is safe").0).expect("readable").0.len(), 10);
    fs::remove_file(link).expect("removed");
    assert_eq!(see(&open(folder.path())).expect("readable").0.len(), 10);
}

#[test]
fn after_an_unclean_end_the_file_is_walked_and_everything_committed_is_there() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..100);
    drop(store);
    assert!(run_child(folder.path()).contains("opened"));
    let (store, report) =
        Store::open(folder.path(), &StoreOptions::default()).expect("the store opens");
    assert!(report.unclean);
    assert_eq!(see(&store).expect("readable").0.len(), 200);
    drop(store);
    let (_store, report) =
        Store::open(folder.path(), &StoreOptions::default()).expect("the store opens");
    assert!(!report.unclean);
}

#[cfg(unix)]
#[test]
fn the_folder_and_its_files_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let parent = tempfile::tempdir().expect("a folder");
    let folder = parent.path().join("new/store");
    let (_store, report) = Store::open(&folder, &StoreOptions::default()).expect("the store opens");
    assert!(report.created && report.warnings.is_empty(), "{report:?}");
    let mode = |path: &FsPath| fs::metadata(path).expect("metadata").permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for file in fs::read_dir(&folder).expect("a folder") {
        let path = file.expect("a file").path();
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
}

#[test]
fn a_backup_is_whole_compact_and_never_in_the_data_folder() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..500);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let target = elsewhere.path().join("data.mdb");
    store.backup_to(&target, &mut |_| ControlFlow::Continue(())).expect("the backup succeeds");
    for refused in
        [folder.path().join("data.mdb"), folder.path().join("b"), elsewhere.path().into()]
    {
        let result = store.backup_to(&refused, &mut |_| ControlFlow::Continue(()));
        assert!(matches!(result, Err(StoreError::Io { .. })), "{result:?}");
    }
    let before = see(&store).expect("readable");
    fill(&store, 500..510);
    let restored = open(elsewhere.path());
    assert_eq!(see(&restored).expect("readable"), before);
}

#[test]
fn a_store_opened_for_reading_writes_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..10);
    let before = see(&store).expect("readable");
    drop(store);
    let bytes = fs::read(folder.path().join("data.mdb")).expect("a file");
    let options = StoreOptions { read_only: true, ..StoreOptions::default() };
    let store = open_with(folder.path(), &options);
    assert_eq!(see(&store).expect("readable"), before);
    let write: Result<(), StoreError> = store.write(|writer| writer.put_meta("a", b""));
    assert!(matches!(write, Err(StoreError::ReadOnly { .. })));
    drop(store);
    assert!(fs::read(folder.path().join("data.mdb")).expect("a file") == bytes);
}

/// The sentence for a folder whose `data.mdb` holds `bytes`.
fn refusal(bytes: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("data.mdb"), bytes).expect("a file");
    let result = Store::open(folder.path(), &StoreOptions::default());
    result.err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn a_strange_file_gets_its_sentence() {
    let mut sqlite = b"SQLite format 3\0".to_vec();
    sqlite.resize(8_192, 1);
    let gzip = b"\x1f\x8b12345678901234567890".repeat(20);
    let garbage: Vec<u8> =
        (0..9_000_u32).map(|n| n.wrapping_mul(2_654_435_761).to_le_bytes()[3]).collect();
    let cases: [(&[u8], &str); 6] = [
        (&sqlite, "it is a SQLite database"),
        (&garbage, "its header is not that of an LMDB file"),
        (&[0; 8_192], "it contains only zeros"),
        (&"{\"a\": 1}\n".repeat(1_000).into_bytes(), "it looks like text"),
        (b"short", "a file of 5 bytes is too short"),
        (&gzip, "gzip"),
    ];
    for (bytes, expected) in cases {
        let sentence = refusal(bytes);
        assert!(
            sentence.contains("not a Mayfly store") && sentence.contains(expected),
            "{sentence}"
        );
    }
}

#[test]
fn a_folder_in_place_of_the_file_gets_its_sentence() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::create_dir(folder.path().join("data.mdb")).expect("a folder");
    let result = Store::open(folder.path(), &StoreOptions::default());
    let expected = "This is not a Mayfly store: data.mdb is not a file.";
    assert_eq!(result.err().map(|error| error.to_string()).as_deref(), Some(expected));
}

#[test]
fn what_a_killed_program_left_of_the_card_is_removed() {
    let folder = tempfile::tempdir().expect("a folder");
    let left = folder.path().join(".identity-AbCdEf");
    fs::write(&left, "{").expect("a file");
    drop(open(folder.path()));
    assert!(!left.exists());
}

#[test]
fn a_first_opening_that_was_cut_off_is_done_again() {
    let made = tempfile::tempdir().expect("a folder");
    drop(open(made.path()));
    let card = fs::read_to_string(made.path().join("identity.json")).expect("a card");
    let card = card.replace("\"hadData\": true", "\"hadData\": false");
    assert!(card.contains("\"hadData\": false"), "{card}");
    let data = fs::read(made.path().join("data.mdb")).expect("a file");
    let half_a_header = [&data[..4_096], &[0; 4_096]].concat();
    // The names that the folder may hold then, in order of creation.
    let lock = ("app.lock", b"77\n".as_slice());
    let card = ("identity.json", card.as_bytes());
    let cases: [&[(&str, &[u8])]; 8] = [
        &[],
        &[lock],
        &[lock, card],
        &[lock, card, ("data.mdb", b"")],
        &[lock, card, ("data.mdb", b""), ("lock.mdb", b"")],
        &[lock, card, ("data.mdb", &[0; 8_192])],
        &[lock, card, ("data.mdb", &data[..100])],
        &[lock, card, ("data.mdb", &half_a_header)],
    ];
    for files in cases {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, bytes) in files {
            fs::write(folder.path().join(name), bytes).expect("a file");
        }
        let names: Vec<&str> = files.iter().map(|(name, _)| *name).collect();
        let opened = Store::open(folder.path(), &StoreOptions::default());
        let (store, report) = opened.unwrap_or_else(|error| panic!("{names:?}: {error}"));
        assert!(report.created, "{names:?}");
        fill(&store, 0..10);
        drop(store);
        assert_eq!(see(&open(folder.path())).expect("readable").0.len(), 10, "{names:?}");
    }
}

#[test]
fn a_map_is_never_smaller_than_its_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..5_000);
    let before = see(&store).expect("readable");
    let file_bytes = store.file_bytes();
    drop(store);
    assert!(file_bytes > 1 << 20, "{file_bytes}");
    let options = StoreOptions { map_size_bytes: 64 << 10, ..StoreOptions::default() };
    let store = open_with(folder.path(), &options);
    assert!(store.env().expect("open").map_bytes() >= file_bytes);
    assert_eq!(see(&store).expect("readable"), before);
    fill(&store, 5_000..6_000);
}

#[test]
fn a_file_of_another_format_version_is_refused_with_both_versions() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(open(folder.path()));
    let mut bytes = fs::read(folder.path().join("data.mdb")).expect("a file");
    bytes[20] = 3;
    let sentence = refusal(&bytes);
    assert!(sentence.contains("format 3") && sentence.contains("format 1"), "{sentence}");
}

#[test]
fn a_store_whose_name_is_damaged_says_what_to_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..10);
    let uuid = store.uuid();
    drop(store);
    rot(folder.path(), &[uuid.as_bytes()]);
    let refused = Store::open(folder.path(), &StoreOptions::default()).err();
    let sentence = refused.map(|error| error.to_string()).unwrap_or_default();
    assert!(sentence.contains("UUID") && sentence.contains("restore a backup"), "{sentence}");
}

#[test]
fn an_emptied_or_missing_data_file_is_never_a_new_store() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(open(folder.path()));
    let data_file = folder.path().join("data.mdb");
    for empty in [true, false] {
        if empty {
            fs::write(&data_file, "").expect("a file");
        } else {
            fs::remove_file(&data_file).expect("a file");
        }
        let result = Store::open(folder.path(), &StoreOptions::default());
        assert!(matches!(result, Err(StoreError::Damaged { .. })));
    }
}

/// A closed store, and the file of another one with more transactions.
fn two_stores(more: u64) -> (tempfile::TempDir, Vec<u8>) {
    let (folder, other) =
        (tempfile::tempdir().expect("a folder"), tempfile::tempdir().expect("a folder"));
    let store = open(folder.path());
    fill(&store, 0..10);
    let before = store.env().expect("open").last_transaction();
    drop(store);
    let store = open(other.path());
    fill(&store, 0..1_500);
    (0..more).for_each(|step| fill(&store, 1_500 + step..1_501 + step));
    assert_eq!(store.env().expect("open").last_transaction(), before + more);
    drop(store);
    let bytes = fs::read(other.path().join("data.mdb")).expect("a file");
    (folder, bytes)
}

#[test]
fn a_data_file_that_was_put_in_place_is_walked() {
    for more in [0, 1, 5] {
        let (folder, mut bytes) = two_stores(more);
        let path = folder.path().join("data.mdb");
        fs::write(&path, &bytes).expect("a file");
        let (store, report) =
            Store::open(folder.path(), &StoreOptions::default()).expect("a sound one opens");
        assert!(report.warnings.iter().any(|warning| warning.contains("another store")), "{more}");
        assert_eq!(see(&store).expect("readable").0.len() as u64, 1_500 + more);
        drop(store);

        let (folder, _) = two_stores(more);
        let middle = bytes.len() / 2 / 4_096 * 4_096;
        bytes[middle..middle + 8 * 4_096].fill(0);
        fs::write(folder.path().join("data.mdb"), &bytes).expect("a file");
        let torn = Store::open(folder.path(), &StoreOptions::default());
        assert!(matches!(torn, Err(StoreError::Damaged { .. })), "{more}: {:?}", torn.err());
    }
}

/// The closed file with a torn page in the middle: of the same length, with the same transaction.
#[test]
fn a_file_that_only_looks_like_the_one_that_was_closed_is_walked() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..1_500);
    drop(store);
    let path = folder.path().join("data.mdb");
    let sound = fs::read(&path).expect("a file");
    let written = fs::metadata(&path).and_then(|found| found.modified()).expect("known");
    let mut torn = sound.clone();
    let middle = torn.len() / 2 / 4_096 * 4_096;
    torn[middle..middle + 8 * 4_096].fill(0);
    let is_refused = || {
        let opened = Store::open(folder.path(), &StoreOptions::default());
        matches!(opened, Err(StoreError::Damaged { .. }))
    };
    // Overwritten after the store was closed.
    fs::write(&path, &torn).expect("a file");
    assert!(is_refused());
    // Another file with the same name and time.
    #[cfg(unix)]
    {
        fs::write(&path, &sound).expect("a file");
        drop(open(folder.path()));
        let other = folder.path().join("other");
        fs::write(&other, &torn).expect("a file");
        let other_file = fs::File::options().write(true).open(&other).expect("a file");
        let closed = fs::metadata(&path).and_then(|found| found.modified()).expect("known");
        other_file.set_modified(closed).expect("set");
        fs::rename(&other, &path).expect("renamed");
        assert!(is_refused());
    }
    // A copy of a sound file costs a walk and nothing else.
    fs::write(&path, &sound).expect("a file");
    fs::File::options()
        .write(true)
        .open(&path)
        .and_then(|file| file.set_modified(written))
        .expect("set");
    assert_eq!(see(&open(folder.path())).expect("readable").0.len(), 1_500);
}
