//! Backup, restore and compaction: after any failure the former data still exists.

use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path as FsPath, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Seen, fill, open, open_with, see};
use crate::store::{
    BackupReport, Compaction, JobProgress, JobStep, Restoration, Store, StoreError, StoreOptions,
    backups_kept, copy::compact, replaced_stores,
};

/// The files of a closed store.
const FILES: [&str; 5] = ["app.lock", "ballast", "data.mdb", "identity.json", "lock.mdb"];

fn go_on(_: JobProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

/// Stops at the `count`-th report.
fn stop_at(count: usize) -> impl FnMut(JobProgress) -> ControlFlow<()> {
    let mut left = count;
    move |_| {
        left = left.saturating_sub(1);
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

fn backup(store: &Store, file: &FsPath) -> Result<BackupReport, StoreError> {
    store.backup_to(file, &mut go_on)
}

pub(super) fn names(folder: &FsPath) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn seen_in(backup: &FsPath) -> Seen {
    let folder = tempfile::tempdir().expect("a folder");
    fs::copy(backup, folder.path().join("data.mdb")).expect("a copy");
    see(&open(folder.path())).expect("readable")
}

fn documents_in(backup: &FsPath) -> usize {
    seen_in(backup).0.len()
}

#[test]
fn the_last_three_backups_are_kept() {
    let (folder, elsewhere) =
        (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
    let (store, target) = (open(folder.path()), elsewhere.path().join("b"));
    for round in 0..5_u64 {
        fill(&store, round * 10..round * 10 + 10);
        let report = backup(&store, &target).expect("a backup");
        assert_eq!(report.bytes, fs::metadata(&target).expect("a file").len());
        assert_eq!(report.kept, backups_kept(&target));
    }
    assert_eq!(names(elsewhere.path()), ["b", "b.1", "b.2"]);
    for (name, documents) in [("b", 50), ("b.1", 40), ("b.2", 30)] {
        assert_eq!(documents_in(&elsewhere.path().join(name)), documents, "{name}");
    }
}

#[test]
fn a_backup_that_gets_no_name_leaves_the_older_ones() {
    let (folder, elsewhere) =
        (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
    let (store, target) = (open(folder.path()), elsewhere.path().join("b"));
    for (round, kept) in (1..=5_u64).zip([1, 2, 3, 3, 3]) {
        fill(&store, round * 10..round * 10 + 10);
        backup(&store, &target).expect("a backup");
        let before = || -> Vec<(String, usize)> {
            let names = names(elsewhere.path()).into_iter();
            names.map(|name| (name.clone(), documents_in(&elsewhere.path().join(name)))).collect()
        };
        let there = before();
        assert_eq!(there.len(), kept, "{there:?}");
        // The new file vanishes just before its rename.
        let mut vanish = |at: JobProgress| {
            if at.step == JobStep::Replacing {
                let part = names(elsewhere.path()).into_iter().find(|name| name.contains(".part-"));
                fs::remove_file(elsewhere.path().join(part.expect("a part"))).expect("removed");
            }
            ControlFlow::Continue(())
        };
        assert!(store.backup_to(&target, &mut vanish).is_err());
        assert_eq!(before(), there);
    }
}

#[test]
fn a_backup_continues_where_a_killed_one_had_moved_the_older_ones() {
    // The leftovers of a killed backup, oldest first: file names and their numbers of documents.
    let check = |left: &[(&str, u64)]| {
        let (folder, elsewhere) =
            (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        let (store, target) = (open(folder.path()), elsewhere.path().join("b"));
        for (name, documents) in left {
            let other = tempfile::tempdir().expect("three");
            let store = open(other.path());
            fill(&store, 0..*documents);
            backup(&store, &elsewhere.path().join(name)).expect("a backup");
        }
        if left.last().is_some_and(|(name, _)| *name == "b.1") {
            fs::hard_link(elsewhere.path().join("b.1"), &target).expect("linked");
        }
        fill(&store, 0..9);
        backup(&store, &target).expect("a backup");
        assert_eq!(names(elsewhere.path()), ["b", "b.1", "b.2"], "{left:?}");
        for (name, documents) in [("b", 9), ("b.1", 3), ("b.2", 2)] {
            assert_eq!(documents_in(&elsewhere.path().join(name)), documents, "{name} {left:?}");
        }
    };
    check(&[(".b.oldest", 1), ("b.1", 2), ("b", 3)]);
    check(&[(".b.oldest", 1), ("b.2", 2), ("b", 3)]);
    check(&[(".b.oldest", 1), ("b.2", 2), ("b.1", 3)]);
}

#[cfg(unix)]
#[test]
fn backups_are_private() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, elsewhere) =
        (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
    let target = elsewhere.path().join("b");
    backup(&open(folder.path()), &target).expect("a backup");
    let mode = fs::metadata(target).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}

#[test]
fn a_backup_that_is_stopped_leaves_the_older_ones() {
    let (folder, elsewhere) =
        (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
    let (store, target) = (open(folder.path()), elsewhere.path().join("b"));
    fill(&store, 0..2_000);
    let mut words = Vec::new();
    let mut note = |at: JobProgress| {
        words.push(at);
        ControlFlow::Continue(())
    };
    store.backup_to(&target, &mut note).expect("a backup");
    for step in [JobStep::Copying, JobStep::Walking, JobStep::Replacing] {
        assert!(words.iter().any(|word| word.step == step), "{words:?}");
    }
    assert!(words.iter().all(|word| word.done <= word.total + (1 << 20)), "{words:?}");
    let bytes = fs::read(&target).expect("a backup");
    fill(&store, 2_000..2_001);
    for (step, done) in [
        (JobStep::Copying, 0),
        (JobStep::Copying, 1_000_000),
        (JobStep::Walking, 0),
        (JobStep::Walking, 100_000),
        (JobStep::Replacing, 0),
    ] {
        let mut stop = |at: JobProgress| {
            let is_there = at.step == step && at.done >= done;
            if is_there { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let stopped = store.backup_to(&target, &mut stop);
        assert_eq!(stopped, Err(StoreError::Stopped), "at {done} of {step:?}");
        assert_eq!(names(elsewhere.path()), ["b"], "at {done} of {step:?}");
        assert_eq!(fs::read(&target).expect("a backup"), bytes, "at {done} of {step:?}");
    }
    fill(&store, 2_001..2_002);
    backup(&store, &target).expect("the store goes on");
}

#[test]
fn a_backup_beside_a_writer_is_one_moment() {
    const STEP: u64 = 10;
    let (folder, elsewhere) =
        (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
    let (store, target) = (open(folder.path()), elsewhere.path().join("b"));
    fill(&store, 0..2_000);
    let end = AtomicU64::new(2_000);
    std::thread::scope(|scope| {
        let (store, end) = (&store, &end);
        scope.spawn(move || {
            let mut next = 2_000;
            while end.load(Ordering::Acquire) != u64::MAX && next < 50_000 {
                fill(store, next..next + STEP);
                next += STEP;
                let _ = end.fetch_update(Ordering::AcqRel, Ordering::Acquire, |last| {
                    (last != u64::MAX).then_some(next)
                });
            }
        });
        for _ in 0..3 {
            let before = end.load(Ordering::Acquire);
            backup(store, &target).expect("a backup");
            let (documents, entries, _, counters) = seen_in(&target);
            let count = documents.len() as u64;
            assert!(count >= before && count.is_multiple_of(STEP), "{count} of at least {before}");
            assert_eq!((entries.len() as u64, counters.documents), (count, count));
            assert_eq!(
                (counters.next_record, documents[documents.len() - 1].0),
                (count.into(), u128::from(count) - 1)
            );
        }
        end.store(u64::MAX, Ordering::Release);
    });
}

#[test]
fn a_backup_never_takes_the_place_of_something_else() {
    let (folder, elsewhere) =
        (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
    let store = open(folder.path());
    let at = |name: &str| elsewhere.path().join(name);
    fs::write(at("thesis"), "years of work that nobody has a copy of").expect("a file");
    fs::write(at("b.2"), "years of work that nobody has a copy of").expect("a file");
    fs::write(at("empty"), "").expect("a file");
    fs::create_dir(at("folder")).expect("a folder");
    fs::hard_link(folder.path().join("data.mdb"), at("link")).expect("a link");
    for name in ["thesis", "b", "folder", "link"] {
        let refused = backup(&store, &at(name));
        assert!(matches!(&refused, Err(StoreError::Io { .. })), "{name}: {refused:?}");
    }
    backup(&store, &at("empty")).expect("an empty file may be replaced");
    assert_eq!(fs::read_to_string(at("thesis")).expect("a file").len(), 39);
}

/// A disk with this much space.
struct SmallDisk(usize);

impl Write for SmallDisk {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let count = bytes.len().min(self.0);
        self.0 -= count;
        if count == 0 { Err(io::ErrorKind::StorageFull.into()) } else { Ok(count) }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_ends_the_copy_and_not_the_store() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..2_000);
    for room in [0, 1, 4_096, 100_000, 1_000_000] {
        let copied = store.copy_compact(&mut SmallDisk(room), 0, &mut go_on);
        let error = copied.expect_err("the disk is full").to_string();
        assert!(error.contains("disk is full"), "{error}");
    }
    fill(&store, 2_000..2_010);
    assert_eq!(see(&store).expect("readable").0.len(), 2_010);
}

#[test]
fn what_a_killed_backup_left_is_removed() {
    let (folder, elsewhere) =
        (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
    let at = |name: &str| elsewhere.path().join(name);
    fs::write(at(".b.part-old"), "half").expect("a file");
    fs::write(at(".b.part-busy"), "half").expect("a file");
    let busy = File::open(at(".b.part-busy")).expect("a file");
    busy.lock().expect("a lock");
    backup(&open(folder.path()), &at("b")).expect("a backup");
    assert_eq!(names(elsewhere.path()), [".b.part-busy", "b"]);
}

/// A store with 100 documents next to its backup with 50.
fn restorable() -> (tempfile::TempDir, PathBuf, PathBuf) {
    let place = tempfile::tempdir().expect("a folder");
    let (data, file) = (place.path().join("data"), place.path().join("b"));
    let store = open(&data);
    fill(&store, 0..50);
    backup(&store, &file).expect("a backup");
    fill(&store, 50..100);
    (place, data, file)
}

#[test]
fn a_restore_keeps_the_folder_before_it() {
    let (place, data, file) = restorable();
    for round in 1..=2 {
        let restoration =
            Restoration::begin(&file, &data, true, &StoreOptions::default(), &mut go_on)
                .expect("a copy");
        let found = see(&open(restoration.folder())).expect("readable");
        assert_eq!(found.0.len(), 50);
        let restored = restoration.finish().expect("in place");
        assert_eq!(restored.folder, fs::canonicalize(&data).expect("a folder"));
        assert!(restored.before.is_some_and(|path| {
            path.ends_with(format!("data.before-restore-{round}")) && path.is_dir()
        }));
        assert_eq!(see(&open(&data)).expect("readable").0.len(), 50);
    }
    let first = open(&place.path().join("data.before-restore-1"));
    assert_eq!(see(&first).expect("readable").0.len(), 100);
    assert_eq!(
        names(place.path()),
        ["b", "data", "data.before-restore-1", "data.before-restore-2"]
    );
}

#[test]
fn a_data_file_without_a_card_was_put_there() {
    let place = tempfile::tempdir().expect("a folder");
    let (first, second) = (place.path().join("first"), place.path().join("second"));
    let store = open(&first);
    fill(&store, 0..10);
    assert_eq!(store.restored_ms(), Ok(None), "a new store");
    drop(store);
    assert_eq!(open(&first).restored_ms(), Ok(None), "the same again");
    fs::create_dir(&second).expect("made");
    fs::copy(first.join("data.mdb"), second.join("data.mdb")).expect("copied");
    assert!(open(&second).restored_ms().expect("readable").is_some());
    assert!(open(&second).restored_ms().expect("readable").is_some(), "until somebody says so");
}

#[test]
fn a_data_file_that_was_put_there_is_known_also_where_that_could_not_be_noted() {
    let (place, _, file) = restorable();
    let second = place.path().join("second");
    fs::create_dir(&second).expect("made");
    fs::copy(&file, second.join("data.mdb")).expect("copied");
    // A copy has no free pages, and there is no address space for a larger map.
    let options = StoreOptions { map_size_bytes: 1 << 16, ..StoreOptions::default() };
    for _ in 0..2 {
        let (store, report) = Store::open(&second, &options).expect("it opens");
        assert!(report.warnings.iter().any(|one| one.contains("could not record")), "{report:?}");
        assert!(store.restored_ms().expect("readable").is_some());
    }
    let store = open(&second);
    assert!(store.restored_ms().expect("readable").is_some());
    drop(store);
    assert!(open(&second).restored_ms().expect("readable").is_some(), "until somebody says so");
}

#[test]
fn a_restore_makes_a_folder_that_was_not_there() {
    let (place, _, file) = restorable();
    let new = place.path().join("new");
    let restoration = Restoration::begin(&file, &new, false, &StoreOptions::default(), &mut go_on)
        .expect("a copy");
    drop(open(restoration.folder()));
    let restored = restoration.finish();
    assert_eq!(restored.expect("in place").before, None);
    assert_eq!(replaced_stores(&new), Vec::<PathBuf>::new());
    let (_, report) = Store::open(&new, &StoreOptions::default()).expect("it opens");
    assert_eq!(report.warnings, Vec::<String>::new(), "its folder is private");
    assert_eq!(see(&open(&new)).expect("readable").0.len(), 50);
}

#[test]
fn a_restore_takes_no_place_where_a_store_was_begun_meanwhile() {
    for is_there in [false, true] {
        let (place, _, file) = restorable();
        let new = place.path().join("new");
        if is_there {
            fs::create_dir(&new).expect("an empty folder");
        }
        let restoration =
            Restoration::begin(&file, &new, false, &StoreOptions::default(), &mut go_on)
                .expect("a copy");
        let begun = open(&new);
        fill(&begun, 0..3);
        let refused = restoration.finish().err().map(|error| error.to_string());
        assert!(refused.is_some_and(|sentence| sentence.contains("already contains a store")));
        fill(&begun, 3..6);
        drop(begun);
        assert_eq!(see(&open(&new)).expect("readable").0.len(), 6);
        assert_eq!(names(place.path()), ["b", "data", "new"], "nothing is left of the copy");
    }
}

#[test]
fn a_restore_is_refused_before_anything_is_changed() {
    let (place, data, file) = restorable();
    let at = |name: &str| place.path().join(name);
    let refused = |file: &FsPath, target: &FsPath, replace: bool, word: &str| {
        let result =
            Restoration::begin(file, target, replace, &StoreOptions::default(), &mut go_on);
        let error = result.err().expect(word).to_string();
        assert!(error.contains(word), "{error}");
    };
    refused(&file, &data, false, "already contains a store");
    refused(&at("missing"), &data, true, "Can't read the backup");
    refused(&data, &data, true, "a backup is a file");
    fs::create_dir(at("photos")).expect("a folder");
    fs::write(at("photos/1.jpg"), "a photo").expect("a file");
    refused(&file, &at("photos"), true, "contains other files");
    refused(&file, &at("photos/1.jpg"), true, "is not a folder");
    fs::write(at("text"), "no backup at all, but long enough to be read").expect("a file");
    refused(&at("text"), &data, true, "not a Mayfly store");
    let mut bytes = fs::read(&file).expect("a backup");
    bytes.truncate(bytes.len() / 2);
    fs::write(at("cut"), bytes).expect("a file");
    refused(&at("cut"), &data, true, "the backup can't be used");
    let store = open(&data);
    refused(&file, &data, true, "in use by another program");
    assert_eq!(see(&store).expect("readable").0.len(), 100);
    assert_eq!(names(place.path()), ["b", "cut", "data", "photos", "text"]);
}

#[test]
fn a_restore_that_is_stopped_leaves_nothing() {
    let (place, data, file) = restorable();
    let mut words = 0;
    let mut count = |_| {
        words += 1;
        ControlFlow::Continue(())
    };
    drop(
        Restoration::begin(&file, &data, true, &StoreOptions::default(), &mut count)
            .expect("a copy"),
    );
    assert!(words >= 3);
    for word in 1..=words {
        let stopped =
            Restoration::begin(&file, &data, true, &StoreOptions::default(), &mut stop_at(word));
        assert_eq!(stopped.err(), Some(StoreError::Stopped), "at word {word}");
        assert_eq!(names(place.path()), ["b", "data"], "at word {word}");
    }
    fs::create_dir_all(place.path().join(".data.restoring-old")).expect("a folder");
    fs::write(place.path().join(".data.restoring-old/unfinished"), "").expect("a file");
    drop(
        Restoration::begin(&file, &data, true, &StoreOptions::default(), &mut go_on)
            .expect("a copy"),
    );
    assert_eq!(names(place.path()), ["b", "data"], "what a killed restore left is removed");
    assert_eq!(see(&open(&data)).expect("readable").0.len(), 100);
}

#[test]
fn a_store_that_a_killed_restore_has_hidden_is_told_and_gets_a_name() {
    let (place, data, _) = restorable();
    let hidden = place.path().join(".data.restoring-x");
    let other = open(&hidden);
    fill(&other, 0..7);
    let told = || {
        let (store, report) = Store::open(&data, &StoreOptions::default()).expect("it opens");
        assert_eq!(see(&store).expect("readable").0.len(), 100);
        report.warnings.into_iter().filter(|one| one.contains("restore was interrupted")).count()
    };
    assert_eq!(told(), 0, "somebody has it open");
    drop(other);
    fs::write(hidden.join("unfinished"), "").expect("a file");
    assert_eq!(told(), 0, "it is not whole");
    fs::remove_file(hidden.join("unfinished")).expect("removed");
    assert_eq!(told(), 1);
    assert_eq!(told(), 0, "once");
    assert_eq!(names(place.path()), ["b", "data", "data.before-restore-1"]);
    assert_eq!(
        see(&open(&place.path().join("data.before-restore-1"))).expect("readable").0.len(),
        7
    );
}

/// A folder with the store's permissions.
fn private() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let private = fs::Permissions::from_mode(0o700);
        fs::set_permissions(folder.path(), private).expect("its mode");
    }
    folder
}

/// A store with 20 documents in a file that once held 2,000.
fn sparse() -> (tempfile::TempDir, u64) {
    let folder = private();
    let store = open(folder.path());
    fill(&store, 0..2_000);
    store
        .write(|writer| {
            for record in 20..2_000_u128 {
                writer.delete_document(super::COLLECTION, record)?;
            }
            Ok::<_, StoreError>(())
        })
        .expect("deletions");
    let bytes = store.file_bytes();
    (folder, bytes)
}

/// A compaction with its copy written and checked.
fn begin(folder: &FsPath) -> Compaction {
    let compaction = Compaction::begin(open(folder), &mut go_on).expect("a copy");
    compaction.compare(&open(compaction.copy_folder())).expect("the same rows");
    compaction
}

#[test]
fn a_compaction_gives_room_back() {
    let (folder, before) = sparse();
    let compaction = begin(folder.path());
    assert_eq!(compaction.bytes_before(), before);
    compaction.replace(&mut go_on).expect("replaced");
    let options = StoreOptions { full_check: true, ..StoreOptions::default() };
    let (store, report) = Store::open(folder.path(), &options).expect("the store opens");
    assert_eq!(report.warnings, Vec::<String>::new());
    assert_eq!(see(&store).expect("readable").0.len(), 20);
    assert!(store.file_bytes() < before / 2, "{} of {before}", store.file_bytes());
    fill(&store, 20..30);
    drop(store);
    let (store, report) = Store::open(folder.path(), &StoreOptions::default()).expect("again");
    assert!(report.warnings.is_empty() && !report.unclean, "{report:?}");
    assert_eq!(see(&store).expect("readable").0.len(), 30);
    drop(store);
    assert_eq!(names(folder.path()), FILES);
}

#[test]
fn a_compaction_that_is_cut_off_loses_nothing() {
    for count in 0..=4 {
        let (folder, before) = sparse();
        let compaction = begin(folder.path());
        let (path, place) = (compaction.copy_folder().to_owned(), folder.path());
        compact::stop_after(compaction, count, || {}).expect("the steps");
        assert!(path.exists(), "after step {count}");
        let (store, report) = Store::open(place, &StoreOptions::default()).expect("it opens");
        assert_eq!(see(&store).expect("readable").0.len(), 20, "after step {count}");
        assert!(report.unclean && report.warnings.is_empty(), "after step {count}: {report:?}");
        assert_eq!(store.file_bytes() < before, count >= 3, "after step {count}");
        fill(&store, 20..21);
        drop(store);
        assert_eq!(names(place), FILES);
        assert_eq!(see(&open(place)).expect("readable").0.len(), 21);
    }
}

#[test]
fn the_old_file_comes_back_when_the_new_one_is_damaged_or_missing() {
    for is_missing in [true, false] {
        let (folder, before) = sparse();
        let compaction = begin(folder.path());
        compact::stop_after(compaction, 4, || {}).expect("the steps");
        let data = folder.path().join("data.mdb");
        if is_missing {
            fs::remove_file(&data).expect("removed");
        } else {
            let bytes = fs::read(&data).expect("a file");
            fs::write(&data, &bytes[..bytes.len() / 2]).expect("cut");
        }
        let (store, report) =
            Store::open(folder.path(), &StoreOptions::default()).expect("it opens");
        assert!(
            report.warnings.iter().any(|warning| warning.contains("interrupted")),
            "{report:?}"
        );
        assert_eq!(see(&store).expect("readable").0.len(), 20);
        assert_eq!(store.file_bytes(), before);
    }
}

#[test]
fn an_old_file_that_could_not_be_removed_takes_no_place_of_newer_data() {
    for is_missing in [true, false] {
        let (folder, _) = sparse();
        let (data, old) =
            (folder.path().join("data.mdb"), folder.path().join("data.mdb.before-compaction"));
        let before = fs::read(&data).expect("a file");
        begin(folder.path()).replace(&mut go_on).expect("replaced");
        fill(&open(folder.path()), 20..500);
        // As if it had remained after the store was opened.
        fs::write(&old, &before).expect("a file");
        let newer = fs::read(&data).expect("a file");
        if is_missing {
            fs::remove_file(&data).expect("removed");
        } else {
            fs::write(&data, &newer[..newer.len() / 2]).expect("cut");
        }
        let opened = Store::open(folder.path(), &StoreOptions::default());
        let refused = opened.err().expect("damaged").to_string();
        assert!(refused.contains("data.mdb.before-compaction"), "{refused}");
        assert_eq!(data.exists(), !is_missing);
        assert_eq!(fs::read(&old).expect("still there"), before);
        fs::write(&data, newer).expect("put back");
        assert_eq!(see(&open(folder.path())).expect("readable").0.len(), 500);
        assert_eq!(names(folder.path()), FILES);
    }
}

#[test]
fn a_compaction_that_is_stopped_changes_nothing() {
    let (folder, before) = sparse();
    for count in 1..=3 {
        let stopped = Compaction::begin(open(folder.path()), &mut stop_at(count));
        assert_eq!(stopped.err(), Some(StoreError::Stopped), "at word {count}");
        assert_eq!(names(folder.path()), FILES);
    }
    assert_eq!(begin(folder.path()).replace(&mut stop_at(1)).err(), Some(StoreError::Stopped));
    let store = open(folder.path());
    assert_eq!((see(&store).expect("readable").0.len(), store.file_bytes()), (20, before));
}

#[test]
fn a_store_for_reading_is_not_compacted() {
    let (folder, _) = sparse();
    let options = StoreOptions { read_only: true, ..StoreOptions::default() };
    let result = Compaction::begin(open_with(folder.path(), &options), &mut go_on);
    assert!(matches!(result.err(), Some(StoreError::ReadOnly { .. })));
}
