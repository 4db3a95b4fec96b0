//! Written rows are read back, in order.

use std::ops::Bound::{self, Excluded, Included};
use std::sync::atomic::{AtomicBool, Ordering};

use super::*;
use crate::limits::{RECORD_MAX, VALUE_KEY_BYTES_MAX};

#[test]
fn reopening_keeps_everything() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..300);
    let before = see(&store).expect("readable");
    assert_eq!(before.0.len(), 300);
    drop(store);
    let (store, report) =
        Store::open(folder.path(), &StoreOptions::default()).expect("the store opens");
    assert!(!report.unclean && !report.created, "{report:?}");
    assert_eq!(see(&store).expect("readable"), before);
    assert_eq!(store.check().expect("readable").findings, Vec::<String>::new());
    assert!(store.used_bytes() > 0 && store.used_bytes() <= store.file_bytes());
}

#[test]
fn a_failed_write_leaves_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..3);
    let before = see(&store).expect("readable");
    let result: Result<(), StoreError> = store.write(|writer| {
        writer.put_document(COLLECTION, 9, 0, &bson_of(9))?;
        writer.delete_document(COLLECTION, 1)?;
        Err(StoreError::DiskFull { wanted_bytes: 1 })
    });
    assert_eq!(result, Err(StoreError::DiskFull { wanted_bytes: 1 }));
    assert_eq!(see(&store).expect("readable"), before);
    let nested: Result<(), StoreError> = store.write(|_| store.write(|_| Ok(())));
    assert!(matches!(nested, Err(StoreError::Bug { .. })), "{nested:?}");
}

#[test]
fn the_map_grows_under_a_write_while_readers_read() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = StoreOptions { map_size_bytes: 1 << 20, ..StoreOptions::default() };
    let store = open_with(folder.path(), &options);
    fill(&store, 0..50);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let readers: Vec<_> = (0..8)
            .map(|_| {
                scope.spawn(|| {
                    let mut most = 0;
                    while !done.load(Ordering::Relaxed) {
                        let seen = see(&store).expect("readable");
                        assert_eq!(seen.0.len() as u64, seen.3.documents);
                        assert!(seen.0.len() >= most, "a later snapshot holds less");
                        most = seen.0.len();
                    }
                })
            })
            .collect();
        for batch in 0..20_u64 {
            fill(&store, 50 + batch * 200..250 + batch * 200);
        }
        done.store(true, Ordering::Relaxed);
        for reader in readers {
            reader.join().expect("no reader died");
        }
    });
    let seen = see(&store).expect("readable");
    assert_eq!(seen.0.len(), 4_050);
    assert!(seen.0.iter().all(|(record, _, bytes)| *bytes == bson_of(*record)));
    assert!(store.file_bytes() > 1 << 20);
}

#[test]
fn one_large_write_is_tried_again_until_the_map_holds_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let options = StoreOptions { map_size_bytes: 1 << 20, ..StoreOptions::default() };
    let store = open_with(folder.path(), &options);
    let mut runs = 0;
    let result: Result<(), StoreError> = store.write(|writer| {
        runs += 1;
        (0..6_000).try_for_each(|record| writer.put_document(COLLECTION, record, 0, &[7; 1_000]))
    });
    assert_eq!(result, Ok(()));
    assert!(runs > 3, "{runs} runs");
    let seen = see(&store).expect("readable");
    assert_eq!(seen.0.len(), 6_000);
}

#[test]
fn many_threads_may_write() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..10 {
                    let written: Result<(), StoreError> = store.write(|writer| {
                        let mut counters = writer.reader().counters(1)?;
                        counters.documents += 1;
                        writer.set_counters(1, counters)
                    });
                    written.expect("the write succeeds");
                }
            });
        }
    });
    let counters: Result<Counters, StoreError> = store.read(|reader| reader.counters(1));
    assert_eq!(counters.map(|counters| counters.documents), Ok(80));
}

#[test]
fn documents_come_in_both_directions_and_only_of_their_collection() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let written: Result<(), StoreError> = store.write(|writer| {
        for id in [3, 1, 2, u32::MAX] {
            for record in [RECORD_MAX, 5, 0, 256] {
                writer.put_document(CollectionId(id), record, -1, &bson_of(1))?;
            }
        }
        Ok(())
    });
    written.expect("the write succeeds");
    let records = |id, from, direction| {
        let found: Result<Vec<RecordNumber>, StoreError> = store.read(|reader| {
            let documents = reader.documents(CollectionId(id), from, direction)?;
            documents.map(|stored| stored.map(|stored| stored.record)).collect()
        });
        found.expect("readable")
    };
    for id in [1, 2, 3, u32::MAX] {
        assert_eq!(records(id, 0, Scan::Forward), [0, 5, 256, RECORD_MAX]);
        assert_eq!(records(id, 6, Scan::Forward), [256, RECORD_MAX]);
        assert_eq!(records(id, RecordNumber::MAX, Scan::Backward), [RECORD_MAX, 256, 5, 0]);
        assert_eq!(records(id, 255, Scan::Backward), [5, 0]);
    }
    assert!(records(9, 0, Scan::Forward).is_empty());
    let cleared: Result<_, StoreError> = store.write(|writer| {
        let two = CollectionId(2);
        Ok([
            writer.clear_documents(two, 3)?,
            writer.clear_documents(two, 3)?,
            writer.clear_documents(two, 3)?,
        ])
    });
    assert_eq!(cleared, Ok([3, 1, 0]));
    assert_eq!(records(3, 0, Scan::Forward).len(), 4);
    let refused: Result<(), StoreError> =
        store.write(|writer| writer.put_document(CollectionId(1), RECORD_MAX + 1, 0, &bson_of(1)));
    assert!(matches!(refused, Err(StoreError::Bug { .. })), "{refused:?}");
}

/// Lower bound, upper bound, and the entries within them.
type Case<'a> = (Bound<&'a [u8]>, Bound<&'a [u8]>, Vec<&'a str>);

/// Entries as `key record` pairs.
fn entries(
    store: &Store,
    lower: Bound<&[u8]>,
    upper: Bound<&[u8]>,
    direction: Scan,
) -> Vec<String> {
    let found: Result<Vec<String>, StoreError> = store.read(|reader| {
        let entries = reader.entries(INDEX, lower, upper, direction)?;
        entries.map(|entry| entry.map(|entry| show(entry.key, entry.record))).collect()
    });
    found.expect("readable")
}

fn show(key: &[u8], record: RecordNumber) -> String {
    format!("{}{record}", String::from_utf8_lossy(key))
}

#[test]
fn entries_are_ordered_by_key_then_record_and_bounds_mean_the_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let written: Result<(), StoreError> = store.write(|writer| {
        for id in [INDEX.0 - 1, INDEX.0, INDEX.0 + 1] {
            for (key, record) in [("b", 2), ("c", 0), ("b", RECORD_MAX), ("ax", 7), ("ay", 1)] {
                writer.put_entry(IndexId(id), key.as_bytes(), record, true)?;
            }
        }
        Ok(())
    });
    written.expect("the write succeeds");
    let max = show(b"b", RECORD_MAX);
    let cases: [Case<'_>; 9] = [
        (Unbounded, Unbounded, vec!["ax7", "ay1", "b2", &max, "c0"]),
        (Included(b"b"), Unbounded, vec!["b2", &max, "c0"]),
        (Excluded(b"b"), Unbounded, vec!["c0"]),
        (Unbounded, Included(b"b"), vec!["ax7", "ay1", "b2", &max]),
        (Unbounded, Excluded(b"b"), vec!["ax7", "ay1"]),
        (Included(b"a"), Excluded(b"b"), vec!["ax7", "ay1"]),
        (Excluded(b"a"), Included(b"ax"), vec!["ax7"]),
        (Unbounded, Included(b"a"), vec![]),
        (Included(b"c"), Excluded(b"b"), vec![]),
    ];
    for (lower, upper, mut expected) in cases {
        assert_eq!(entries(&store, lower, upper, Scan::Forward), expected, "{lower:?} {upper:?}");
        expected.reverse();
        assert_eq!(entries(&store, lower, upper, Scan::Backward), expected, "{lower:?} {upper:?}");
    }
    let after = |key: &str, record, limit, direction| {
        let found: Result<Vec<String>, StoreError> = store.read(|reader| {
            let entries =
                reader.entries_after(INDEX, (key.as_bytes(), record), limit, direction)?;
            entries.map(|entry| entry.map(|entry| show(entry.key, entry.record))).collect()
        });
        found.expect("readable")
    };
    assert_eq!(after("b", 2, Unbounded, Scan::Forward), [&max, "c0"]);
    assert_eq!(after("b", 3, Unbounded, Scan::Backward), ["b2", "ay1", "ax7"]);
    assert_eq!(after("ax", 7, Included(b"b"), Scan::Forward), ["ay1", "b2", &max]);
    assert_eq!(after("c", 0, Included(b"b"), Scan::Backward), [&max, "b2"]);
}

#[test]
fn the_longest_key_fits_and_a_longer_one_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let put =
        |len: usize| store.write(|writer| writer.put_entry(INDEX, &vec![b'k'; len], 1, false));
    assert_eq!(put(VALUE_KEY_BYTES_MAX), Ok(()));
    assert_eq!(put(0), Ok(()));
    assert!(matches!(put(VALUE_KEY_BYTES_MAX + 1), Err(StoreError::Bug { .. })));
    assert_eq!(entries(&store, Unbounded, Unbounded, Scan::Forward).len(), 2);
    drop(store);
    let report = Store::check_structure(folder.path()).expect("readable");
    assert_eq!(report.findings, Vec::<String>::new());
}

#[test]
fn small_values_come_and_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let counters = Counters { documents: 1, bytes: u64::MAX, entries: 3, next_record: 4 };
    let written: Result<(), StoreError> = store.write(|writer| {
        assert_eq!([writer.next_id()?, writer.next_id()?], [1, 2]);
        writer.put_meta("guard", b"state")?;
        writer.put_catalog("d", "a.b", b"1")?;
        writer.put_catalog("d", "a", b"")?;
        assert!(matches!(writer.put_catalog("d\0", "a", b""), Err(StoreError::Bug { .. })));
        writer.set_counters(7, counters)
    });
    written.expect("the write succeeds");
    drop(store);
    let store = open(folder.path());
    let checked: Result<(), StoreError> = store.write(|writer| {
        assert_eq!(writer.next_id()?, 3);
        let reader = writer.reader();
        assert_eq!(reader.meta("guard")?, Some(&b"state"[..]));
        assert_eq!(reader.meta("none")?, None);
        assert_eq!(reader.counters(7)?, counters);
        assert_eq!(reader.counters(8)?, Counters::default());
        assert_eq!(reader.catalog_record("d", "a.b")?, Some(&b"1"[..]));
        let names: Result<Vec<_>, _> =
            reader.catalog()?.map(|row| row.map(|row| row.names)).collect();
        assert_eq!(names?, [Some(("d", "a")), Some(("d", "a.b"))]);
        assert!(writer.delete_catalog("d", "a")? && !writer.delete_catalog("d", "a")?);
        assert!(writer.delete_counters(7)? && !writer.delete_counters(7)?);
        assert!(writer.delete_meta("guard")? && !writer.delete_meta("guard")?);
        Ok(())
    });
    checked.expect("the write succeeds");
}

#[test]
fn numbers_are_not_given_out_again_when_the_last_one_is_lost() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let written: Result<(), StoreError> = store.write(|writer| {
        writer.next_id()?;
        writer.put_catalog("d", "a", b"1")?;
        assert!(writer.delete_meta("lastId")?);
        let lost = writer.next_id();
        assert!(matches!(&lost, Err(StoreError::Damaged { what }) if what.contains("export")));
        writer.put_meta("lastId", b"1")?;
        assert_eq!(writer.next_id(), lost, "too short");
        Ok(())
    });
    written.expect("the write succeeds");
}
