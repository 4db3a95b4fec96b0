//! Archives over real folders, and over places that fail.

use std::{
    fs,
    ops::ControlFlow,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use bson::{RawDocumentBuf, doc};
use tempfile::TempDir;

use super::{
    backend::Backend,
    line::pack,
    local::Folder,
    segment::{self, SegmentContents, SegmentFile},
    settings::Record,
    store::Ledger,
    *,
};
use crate::{catalog::Namespace, clock::SimulatedClock, store::CollectionId};

const NOW_MS: i64 = 1_704_844_800_000;

struct World {
    archive: Archive,
    clock: SimulatedClock,
    folder: TempDir,
}

fn settings(max_bytes: Option<u64>, max_age_secs: Option<u64>) -> Settings {
    Settings { target: String::new(), max_bytes, max_age_secs }
}

fn archive(path: &Path, settings: Settings) -> Archive {
    with_backend(settings, Ok(Box::new(Folder::new(path.join("a"), None))))
}

fn with_backend(settings: Settings, backend: Result<Box<dyn Backend>, ArchiveError>) -> Archive {
    let record = Record {
        collection: CollectionId(1),
        namespace: Namespace::new("test", "c"),
        folder: "a".to_owned(),
        is_on: true,
        settings,
    };
    Archive::new(record, backend, "0123abcd".to_owned())
}

fn world(settings: Settings) -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let archive = archive(folder.path(), settings);
    World { archive, clock: SimulatedClock::new(NOW_MS), folder }
}

fn document(id: i32, removed_ms: i64) -> Archived {
    Archived {
        removed_ms,
        namespace: Namespace::new("test", "c"),
        record: id.unsigned_abs().into(),
        modified_ms: NOW_MS - 1,
        threshold_ms: removed_ms - 5,
        index: "ttl".to_owned(),
        document: RawDocumentBuf::try_from(&doc! { "_id": id, "text": "x" }).expect("raw"),
    }
}

impl World {
    /// Archives documents with these ids as one segment, at the clock's time.
    fn append(&self, ids: impl IntoIterator<Item = i32>) -> Result<(), ArchiveError> {
        append(&self.archive, &self.clock, ids)
    }

    /// The same folder after a restart.
    fn reopened(self) -> Self {
        let Self { archive: old, clock, folder } = self;
        Self { archive: archive(folder.path(), old.settings().clone()), clock, folder }
    }

    /// The segments' files, oldest first.
    fn files(&self) -> Vec<PathBuf> {
        let backend = Folder::new(self.folder.path().join("a"), None);
        let listed = backend.list().expect("listed").into_iter();
        listed.map(|SegmentFile { name, .. }| self.folder.path().join("a").join(name)).collect()
    }

    fn ids(&self, from: &ScanStart) -> Vec<i32> {
        read(&self.archive, from, usize::MAX).0
    }
}

fn append(
    archive: &Archive,
    clock: &SimulatedClock,
    ids: impl IntoIterator<Item = i32>,
) -> Result<(), ArchiveError> {
    let now_ms = crate::clock::Clock::now_ms(clock);
    let documents: Vec<Archived> = ids.into_iter().map(|id| document(id, now_ms)).collect();
    let ledger =
        Ledger { load: &|| Ok(archive.inventory()), save: &|_| Ok(()), commit: &|_| Ok(true) };
    archive.write_segment(clock, &documents, &ledger).map(|counts| assert!(counts))
}

/// Removes what the limits forbid.
fn prune(archive: &Archive, now_ms: i64) -> Result<usize, ArchiveError> {
    archive.prune(now_ms, &|| true, (&|| Ok(archive.inventory()), &|_| Ok(())))
}

/// The ids of up to `limit` documents, newest first, and how the reading went.
fn read(archive: &Archive, from: &ScanStart, limit: usize) -> (Vec<i32>, ScanResult) {
    let mut ids = Vec::new();
    let seen = archive.scan(from, &mut |archived, _| {
        ids.push(archived.document.get_i32("_id").expect("an id"));
        if ids.len() == limit { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    (ids, seen.expect("read"))
}

#[test]
fn what_was_kept_is_read_newest_first_also_after_a_restart() {
    let world = world(settings(None, None));
    world.append([1, 2]).expect("kept");
    world.clock.advance_ms(1_000);
    world.append([3]).expect("kept");
    let world = world.reopened();
    world.clock.advance_ms(1_000);
    world.append([4]).expect("kept");
    assert_eq!(world.ids(&ScanStart::default()), [4, 3, 2, 1]);
    assert_eq!(world.files().len(), 3);
    let summary = world.archive.summary().expect("read");
    assert_eq!((summary.segments, summary.documents, summary.unreadable), (3, 4, 0));
    assert_eq!((summary.oldest_ms, summary.newest_ms), (Some(NOW_MS), Some(NOW_MS + 2_000)));
}

#[test]
fn pages_give_each_document_once() {
    let world = world(settings(None, None));
    for batch in 0..5 {
        world.append(batch * 10..batch * 10 + 7).expect("kept");
    }
    let all = world.ids(&ScanStart::default());
    assert_eq!(all.len(), 35);
    for limit in [1, 4, 7, 35] {
        let (mut paged, mut from) = (Vec::new(), ScanStart::default());
        loop {
            let (ids, seen) = read(&world.archive, &from, limit);
            paged.extend(ids);
            from.after = seen.next;
            if from.after.is_none() {
                break;
            }
        }
        assert_eq!(paged, all, "pages of {limit}");
    }
}

#[test]
fn a_document_that_was_archived_twice_is_given_once() {
    let world = world(settings(None, None));
    world.append([1, 2]).expect("kept");
    // Killed before the removal committed: the next session archives it again, later.
    let world = world.reopened();
    world.clock.advance_ms(60_000);
    world.append([2, 3]).expect("kept");
    assert_eq!(world.ids(&ScanStart::default()), [3, 2, 1]);
    let (first, seen) = read(&world.archive, &ScanStart::default(), 2);
    let (second, _) = read(&world.archive, &ScanStart { after: seen.next }, 9);
    assert_eq!((first, second), (vec![3, 2], vec![1]), "also across pages");
}

/// Earlier versions wrote several batches into a segment, and could be killed in one of them.
#[test]
fn a_segment_of_several_batches_with_a_torn_end_is_read() {
    let world = world(settings(None, None));
    world.append([9]).expect("kept");
    let world = world.reopened();
    let frames =
        [[1, 2], [3, 4]].map(|ids| pack(&ids.map(|id| document(id, NOW_MS))).expect("packed").0);
    let (whole, bytes) = (frames[0].len(), frames.concat());
    let path = world.files()[0].with_file_name(segment::name(2, NOW_MS));
    for cut in (whole + 1..bytes.len()).rev() {
        fs::write(&path, &bytes[..cut]).expect("cut");
        let (ids, seen) = read(&world.archive, &ScanStart::default(), usize::MAX);
        assert_eq!(ids, [2, 1, 9], "cut at {cut}");
        assert_eq!(seen.unreadable, (cut - whole) as u64);
    }
    fs::write(&path, &bytes).expect("whole");
    world.append([5]).expect("kept");
    assert_eq!(world.ids(&ScanStart::default()), [5, 4, 3, 2, 1, 9]);
    assert_eq!(world.archive.summary().expect("read").documents, 6);
}

#[test]
fn a_segment_that_a_limit_removes_while_it_is_read_is_passed_over() {
    let mut world = world(settings(None, None));
    for id in 1..=3 {
        world.append([id]).expect("kept");
        world = world.reopened();
    }
    // This caches the contents of each segment.
    assert_eq!(world.archive.summary().expect("read").segments, 3);
    let files = world.files();
    let mut ids = Vec::new();
    let seen = world.archive.scan(&ScanStart::default(), &mut |archived, _| {
        ids.push(archived.document.get_i32("_id").expect("an id"));
        if ids.len() == 1 {
            fs::remove_file(&files[1]).expect("removed");
        }
        ControlFlow::Continue(())
    });
    assert_eq!(seen, Ok(ScanResult::default()));
    assert_eq!(ids, [3, 1]);
}

#[test]
fn damage_is_counted_and_never_given() {
    let world = world(settings(None, None));
    for id in 1..=3 {
        world.append([id]).expect("kept");
    }
    let path = &world.files()[0];
    let bytes = fs::read(path).expect("read");
    let third = bytes.len() / 3;
    for at in [third, third + 5, third + 60] {
        let mut changed = bytes.clone();
        changed[at] ^= 0xff;
        fs::write(path, &changed).expect("written");
        let (ids, seen) =
            read(&archive(world.folder.path(), settings(None, None)), &ScanStart::default(), 9);
        assert!(ids.len() == 2 && seen.unreadable > 0, "byte {at}: {ids:?} {seen:?}");
    }
}

#[test]
fn limits_remove_the_oldest_segments() {
    let by_age = world(settings(None, Some(3_600)));
    by_age.append([1]).expect("kept");
    by_age.clock.advance_ms(25 * 3_600_000);
    by_age.append([2]).expect("kept");
    assert_eq!(prune(&by_age.archive, NOW_MS + 25 * 3_600_000), Ok(1));
    assert_eq!(by_age.ids(&ScanStart::default()), [2]);
    assert_eq!(prune(&by_age.archive, NOW_MS + 26 * 3_600_000), Ok(0), "an hour old, not older");
    assert_eq!(prune(&by_age.archive, NOW_MS + 26 * 3_600_000 + 1), Ok(1));
    by_age.append([3]).expect("kept");
    assert_eq!(by_age.ids(&ScanStart::default()), [3]);

    let by_bytes = world(settings(Some(4_000), None));
    for id in 0..100 {
        by_bytes.append([id]).expect("kept");
    }
    assert!(prune(&by_bytes.archive, NOW_MS).expect("pruned") > 0);
    let summary = by_bytes.archive.summary().expect("read");
    assert!((2_000..=4_000).contains(&summary.bytes), "{summary:?}");
    let ids = by_bytes.ids(&ScanStart::default());
    assert_eq!(ids.first(), Some(&99), "the newest stay");
    assert!(ids.windows(2).all(|pair| pair[0] == pair[1] + 1), "{ids:?}");
}

#[test]
fn what_is_known_of_a_segment_goes_with_it() {
    let world = world(settings(Some(4_000), None));
    for id in 0..100 {
        world.append([id]).expect("kept");
        world.archive.summary().expect("read");
    }
    assert_eq!(world.archive.segments_known(), world.files().len());
    assert!(prune(&world.archive, NOW_MS).expect("pruned") > 0);
    assert_eq!(world.archive.segments_known(), world.files().len());
    let (_, seen) = read(&world.archive, &ScanStart::default(), usize::MAX);
    assert_eq!((world.archive.segments_known(), seen.unreadable), (world.files().len(), 0));
}

/// Each looked up among all others, they took more than a minute.
#[test]
fn an_archive_of_very_many_segments_is_told_at_once() {
    /// Segments that say in their list what they hold.
    struct Many;
    impl Backend for Many {
        fn put(&self, _: &str, _: &[u8]) -> Result<(), ArchiveError> {
            Ok(())
        }
        fn list(&self) -> Result<Vec<SegmentFile>, ArchiveError> {
            let numbers = 0..60_000;
            Ok(numbers
                .map(|at| SegmentFile { name: segment::name(at, NOW_MS), bytes: 1 })
                .collect())
        }
        fn read(&self, _: &str, _: u64, _: usize) -> Result<Vec<u8>, ArchiveError> {
            Ok(Vec::new())
        }
        fn contents(&self, _: &SegmentFile) -> Result<SegmentContents, ArchiveError> {
            Ok(SegmentContents::default())
        }
        fn remove(&self, _: &str) -> Result<(), ArchiveError> {
            Ok(())
        }
    }
    let archive = with_backend(settings(None, None), Ok(Box::new(Many)));
    assert_eq!(archive.summary().expect("read").segments, 60_000);
}

#[test]
fn a_segment_that_is_not_counted_is_no_part_of_the_archive() {
    let world = world(settings(Some(10), Some(1)));
    world.append([1]).expect("kept");
    let write = |ids: [i32; 2], counts: Result<bool, ArchiveError>| {
        let documents = ids.map(|id| document(id, NOW_MS));
        let ledger = Ledger {
            load: &|| Ok(world.archive.inventory()),
            save: &|_| Ok(()),
            commit: &|_| counts.clone(),
        };
        world.archive.write_segment(&world.clock, &documents, &ledger)
    };
    // A row was restored before the segment was counted; then a kill, whose outcome is unknown.
    assert_eq!(write([2, 3], Ok(false)), Ok(false));
    for failed in [false, true] {
        if failed {
            write([2, 4], Err(ArchiveError::bad("killed"))).expect_err("killed");
        }
        assert_eq!(world.files().len(), 2);
        assert_eq!(world.ids(&ScanStart::default()), [1]);
        assert_eq!(world.archive.summary().expect("read").documents, 1);
    }
    // A limit doesn't remove it either.
    assert_eq!(prune(&world.archive, NOW_MS + 3_600_000), Ok(1));
    world.clock.advance_ms(5_000);
    assert_eq!(write([2, 3], Ok(true)), Ok(true));
    assert_eq!((world.files().len(), world.ids(&ScanStart::default())), (1, vec![3, 2]));
}

/// A server may finish a put long after it was given up and the documents were written again.
#[test]
fn a_segment_that_comes_late_is_no_part_of_the_archive() {
    let world = world(settings(None, None));
    let write = |counts: Result<bool, ArchiveError>| {
        let ledger = Ledger {
            load: &|| Ok(world.archive.inventory()),
            save: &|_| Ok(()),
            commit: &|_| counts.clone(),
        };
        world.archive.write_segment(&world.clock, &[document(1, NOW_MS)], &ledger)
    };
    write(Err(ArchiveError::bad("too late"))).expect_err("given up");
    let late = world.files().remove(0);
    let bytes = fs::read(&late).expect("read");
    fs::remove_file(&late).expect("not there yet");
    world.clock.advance_ms(5_000);
    assert_eq!(write(Ok(true)), Ok(true));
    fs::write(&late, bytes).expect("there now");
    assert_eq!(world.archive.summary().expect("read").documents, 1);
    assert_eq!(world.ids(&ScanStart::default()), [1]);
}

#[test]
fn a_segment_without_a_whole_batch_goes_by_the_age_in_its_name() {
    let world = world(settings(None, Some(3_600)));
    world.append([1]).expect("kept");
    let torn = world.files().remove(0);
    fs::write(&torn, [0x1f]).expect("torn");
    world.clock.advance_ms(25 * 3_600_000);
    world.append([2]).expect("kept");
    assert_eq!(prune(&world.archive, NOW_MS + 25 * 3_600_000), Ok(1));
    assert!(!torn.exists());
    assert_eq!(world.ids(&ScanStart::default()), [2]);
}

#[test]
fn the_newest_segment_is_never_too_large() {
    let world = world(settings(Some(10), None));
    world.append([1]).expect("kept");
    world.append([2]).expect("kept");
    assert_eq!(prune(&world.archive, NOW_MS), Ok(1));
    assert_eq!(world.ids(&ScanStart::default()), [2]);
}

#[test]
fn a_segment_that_somebody_took_away_is_followed_by_another() {
    let world = world(settings(None, None));
    world.append([1]).expect("kept");
    world.append([2]).expect("kept");
    fs::remove_file(world.files().remove(1)).expect("removed");
    world.append([3]).expect("kept in a new one");
    assert_eq!(world.ids(&ScanStart::default()), [3, 1]);
}

#[test]
fn a_failure_is_told_and_tried_again_later_and_later() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("a"), "a file in the way").expect("written");
    let archive = archive(folder.path(), settings(None, None));
    let clock = SimulatedClock::new(NOW_MS);
    let error = append(&archive, &clock, [1]).expect_err("in the way");
    assert!(matches!(error, ArchiveError::Waiting { .. }), "{error:?}");
    assert!(error.to_string().starts_with("Can't write the archive of test.c"), "{error}");
    fs::remove_file(folder.path().join("a")).expect("removed");
    append(&archive, &clock, [1]).expect_err("too early");
    assert_eq!(archive.failure().map(|failure| failure.attempts), Some(1));
    clock.advance_ms(5_000);
    append(&archive, &clock, [1]).expect("kept");
    assert_eq!(archive.failure(), None);
    fs::remove_dir_all(folder.path().join("a")).expect("removed");
    fs::write(folder.path().join("a"), "again").expect("written");
    for wait_secs in [5, 10, 20, 40, 80, 160, 300, 300] {
        let _ = append(&archive, &clock, [2]);
        clock.advance_ms(wait_secs * 1_000 - 1);
        let attempts = archive.failure().expect("failing").attempts;
        let _ = append(&archive, &clock, [2]);
        assert_eq!(archive.failure().expect("failing").attempts, attempts, "{wait_secs} s");
        clock.advance_ms(1);
    }
    let failing = archive.failure().expect("failing");
    assert_eq!((failing.attempts, failing.since_ms), (8, NOW_MS + 5_000));
}

#[test]
fn a_full_disk_keeps_what_was_acknowledged() {
    /// Takes `room` batches, then a part of one, as a full disk does.
    struct Small {
        folder: Folder,
        room: std::sync::atomic::AtomicI32,
    }
    impl Backend for Arc<Small> {
        fn put(&self, segment: &str, frame: &[u8]) -> Result<(), ArchiveError> {
            if self.room.fetch_sub(1, std::sync::atomic::Ordering::Relaxed) <= 0 {
                self.folder.put(segment, &frame[..frame.len() / 2])?;
                return Err(ArchiveError::io("x", &std::io::ErrorKind::StorageFull.into()));
            }
            self.folder.put(segment, frame)
        }
        fn list(&self) -> Result<Vec<SegmentFile>, ArchiveError> {
            self.folder.list()
        }
        fn read(&self, segment: &str, offset: u64, len: usize) -> Result<Vec<u8>, ArchiveError> {
            self.folder.read(segment, offset, len)
        }
        fn remove(&self, segment: &str) -> Result<(), ArchiveError> {
            self.folder.remove(segment)
        }
    }
    let folder = tempfile::tempdir().expect("a folder");
    let backend =
        Arc::new(Small { folder: Folder::new(folder.path().join("a"), None), room: 2.into() });
    let archive = with_backend(settings(None, None), Ok(Box::new(Arc::clone(&backend))));
    let clock = SimulatedClock::new(NOW_MS);
    append(&archive, &clock, [1]).expect("kept");
    append(&archive, &clock, [2]).expect("kept");
    let error = append(&archive, &clock, [3]).expect_err("full");
    assert!(error.to_string().ends_with("x: the disk is full."), "{error}");
    assert_eq!(read(&archive, &ScanStart::default(), 9).0, [2, 1]);
    backend.room.store(9, std::sync::atomic::Ordering::Relaxed);
    clock.advance_ms(i64::try_from(Duration::from_secs(5).as_millis()).expect("small"));
    append(&archive, &clock, [3]).expect("kept");
    let (ids, seen) = read(&archive, &ScanStart::default(), 9);
    assert_eq!((ids, seen.unreadable), (vec![3, 2, 1], 0), "the torn part was written over");
}

#[test]
fn a_copy_of_the_store_with_the_same_archive_writes_over_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = SimulatedClock::new(NOW_MS);
    // So small that each batch begins a segment.
    let twins = [1, 2].map(|_| archive(folder.path(), settings(Some(10), None)));
    append(&twins[0], &clock, [1]).expect("kept");
    append(&twins[1], &clock, [2, 3]).expect("kept");
    append(&twins[0], &clock, [4]).expect("kept");
    // Each has what it wrote, and what was there before.
    for (twin, expected) in twins.iter().zip([vec![4, 1], vec![3, 2, 1]]) {
        assert_eq!(read(twin, &ScanStart::default(), 9).0, expected);
    }
    assert_eq!(fs::read_dir(folder.path().join("a")).expect("a folder").count(), 3);
}
