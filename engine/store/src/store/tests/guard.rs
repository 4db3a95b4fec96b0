//! Reads of a changed file before its walk has ended: right, or an error, and never deadly.

use std::ops::Bound;
use std::sync::Arc;

use super::damage::{Random, healthy, mutate};
use super::*;
use crate::store::testing::{lose_page, overwrite};
use crate::store::txn::env::{Environment, EnvironmentOptions};
use crate::store::walk::{Neighbors, PageGuard, Place};
use crate::store::{EntryPrefix, Reader, StoreState};

/// Reads the file as LMDB maps it, guarded and without a walk. Returns the number of errors.
fn read_guarded(folder: &FsPath, expected: &Seen, random: &mut Random) -> usize {
    let file = fs::File::open(folder.join("data.mdb")).expect("a file");
    let Ok(guard) = PageGuard::new(&file) else { return 1 };
    let options = EnvironmentOptions { map_size_bytes: 64 << 20, read_only: true };
    let Ok(env) = Environment::open(folder, options, Some(Arc::new(guard))) else { return 1 };
    let env = Arc::new(env);
    let errors = {
        let txn = env.read().expect("a transaction");
        let reader = Reader::new(&txn, &env.tables, None);
        scans(&reader, expected)
            + ranges(&reader, expected, random)
            + gets(&reader, expected, random)
    };
    Environment::close(env);
    errors
}

/// Compares what a scan returns with all that it should return. Returns the number of errors: at most one.
fn compare<T: PartialEq + std::fmt::Debug>(
    found: impl Iterator<Item = Result<T, StoreError>>,
    expected: impl Iterator<Item = T>,
) -> usize {
    let mut expected = expected.fuse();
    for row in found {
        match row {
            Ok(row) => assert_eq!(Some(row), expected.next(), "a wrong row"),
            Err(_) => return 1,
        }
    }
    assert_eq!(expected.next(), None, "a short answer");
    0
}

fn scans(reader: &Reader<'_>, expected: &Seen) -> usize {
    let mut errors = 0;
    for direction in [Scan::Forward, Scan::Backward] {
        let from = if direction == Scan::Forward { 0 } else { RecordNumber::MAX };
        let found = reader.documents(COLLECTION, from, direction);
        let Ok(found) = found else {
            errors += 1;
            continue;
        };
        let found =
            found.map(|row| row.map(|row| (row.record, row.modified_ms, row.bytes.to_vec())));
        errors += match direction {
            Scan::Forward => compare(found, expected.0.iter().cloned()),
            Scan::Backward => compare(found, expected.0.iter().rev().cloned()),
        };
    }
    errors
}

fn ranges(reader: &Reader<'_>, expected: &Seen, random: &mut Random) -> usize {
    let mut errors = 0;
    for _ in 0..8 {
        let mut bounds = [random.below(1_700) as u64, random.below(1_700) as u64];
        bounds.sort_unstable();
        let [lower, upper] = bounds.map(u64::to_be_bytes);
        let of =
            |row: &&(Vec<u8>, RecordNumber, bool)| row.0[..] >= lower[..] && row.0[..] < upper[..];
        let direction = if random.below(2) == 0 { Scan::Forward } else { Scan::Backward };
        let found =
            reader.entries(INDEX, Bound::Included(&lower), Bound::Excluded(&upper), direction);
        let Ok(found) = found else {
            errors += 1;
            continue;
        };
        let found = found.map(|row| row.map(|row| (row.key.to_vec(), row.record, row.exact)));
        errors += match direction {
            Scan::Forward => compare(found, expected.1.iter().filter(of).cloned()),
            Scan::Backward => compare(found, expected.1.iter().rev().filter(of).cloned()),
        };
    }
    errors
}

fn gets(reader: &Reader<'_>, expected: &Seen, random: &mut Random) -> usize {
    let mut errors = 0;
    for _ in 0..40 {
        let record = random.below(1_700) as u64;
        let stored = expected.0.iter().find(|row| row.0 == record.into());
        match reader.document(COLLECTION, record.into()) {
            Ok(found) => {
                let found = found.map(|found| found.bytes.to_vec());
                assert_eq!(found, stored.map(|row| row.2.clone()), "document {record}");
            }
            Err(_) => errors += 1,
        }
        let mut key = EntryPrefix::new(INDEX);
        key.end().extend_from_slice(&record.to_be_bytes());
        match reader.entry(&key) {
            Ok(found) => assert_eq!(found.is_some(), stored.is_some(), "entry {record}"),
            Err(_) => errors += 1,
        }
    }
    errors
}

#[test]
fn guarded_reads_of_a_changed_file_are_right_or_errors() {
    let rounds = std::env::var("MAYFLY_MUTATIONS").ok().and_then(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(300_u64);
    let place = tempfile::tempdir().expect("a folder");
    let expected = healthy(place.path());
    let whole = fs::read(place.path().join("data.mdb")).expect("a file");
    assert_eq!(read_guarded(place.path(), &expected, &mut Random(7)), 0, "the whole file");
    let mut noticed = 0;
    for seed in 1..=rounds {
        let random = &mut Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut bytes = whole.clone();
        let what = mutate(&mut bytes, random);
        // Another header is an older state, which an opening reports.
        if bytes.get(..8192) != whole.get(..8192) {
            continue;
        }
        fs::write(place.path().join("data.mdb"), &bytes).expect("written");
        println!("seed {seed}: {what}");
        noticed += usize::from(read_guarded(place.path(), &expected, random) > 0);
    }
    assert!(noticed > 0, "no change was ever noticed");
}

/// An opening that does not wait reads and writes what one that waits does.
#[test]
fn an_opening_that_does_not_wait_for_the_walk_is_complete_after_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = healthy(folder.path());
    let options = StoreOptions { open_walk_bytes: 0, now_ms: 9, ..<_>::default() };
    let store = open_with(folder.path(), &options);
    assert!(see(&store).expect("readable") == expected);
    fill(&store, 2_000..2_050);
    assert_eq!(store.walk_percent(), None, "the write has waited");
    assert_eq!(store.status().last_walk_ms, Some(9));
    assert_eq!(store.check().expect("readable").findings, Vec::<String>::new());
}

#[test]
fn damage_that_a_walk_finds_later_stops_writes_and_stays_guarded() {
    let folder = tempfile::tempdir().expect("a folder");
    drop(healthy(folder.path()));
    let path = folder.path().join("data.mdb");
    let written = fs::metadata(&path).and_then(|found| found.modified()).expect("known");
    lose_page(folder.path(), "documents");
    // As if the disk had changed it.
    let file = fs::File::options().write(true).open(&path).expect("a file");
    file.set_modified(written).expect("set");
    drop(file);
    let options = StoreOptions { open_walk_bytes: 0, ..<_>::default() };
    let store = open_with(folder.path(), &options);
    let written: Result<(), StoreError> = store.write(|writer| writer.put_meta("a", b"b"));
    assert!(matches!(written, Err(StoreError::Suspect { .. })), "{written:?}");
    assert_eq!(store.status().state, StoreState::Suspect);
    assert_eq!(store.status().reopenings, 0, "the file would be the same");
    assert!(see(&store).is_err());
    let counters = store.read(|reader| reader.counters(COLLECTION.0));
    assert!(counters.is_ok(), "what is not damaged can be read");
    drop(store);
    let refused = Store::open(folder.path(), &options).map(drop);
    assert!(matches!(refused, Err(StoreError::Damaged { .. })), "{refused:?}");
}

/// A key that was changed without losing the order of keys hides its row from a search.
#[test]
fn a_changed_key_is_damage_and_not_an_absent_document() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let written: Result<(), StoreError> = store.write(|writer| {
        for record in [10_u64, 20, 30] {
            writer.put_document(COLLECTION, record.into(), 0, &bson_of(record.into()))?;
            writer.put_entry(INDEX, &record.to_be_bytes(), record.into(), true)?;
        }
        Ok(())
    });
    written.expect("written");
    drop(store);
    let key = crate::store::table::codec::document_key(COLLECTION.0, 20);
    change_key(folder.path(), &key);
    let store = open(folder.path());
    let found: Result<bool, StoreError> =
        store.read(|reader| Ok(reader.document(COLLECTION, 20)?.is_some()));
    assert!(matches!(found, Err(StoreError::Damaged { .. })), "{found:?}");
    let absent: Result<bool, StoreError> =
        store.read(|reader| Ok(reader.document(COLLECTION, 15)?.is_some()));
    assert_eq!(absent, Ok(false), "no damaged row has this key");
    drop(store);
    let key = crate::store::table::codec::entry_key(INDEX.0, &20_u64.to_be_bytes(), 20);
    change_key(folder.path(), &key.expect("a key")[..9]);
    let store = open(folder.path());
    let mut key = EntryPrefix::new(INDEX);
    key.end().extend_from_slice(&20_u64.to_be_bytes());
    let found: Result<bool, StoreError> = store.read(|reader| Ok(reader.entry(&key)?.is_some()));
    assert!(matches!(found, Err(StoreError::Damaged { .. })), "{found:?}");
}

/// Adds one to the last byte of this key, where it is a node's key.
fn change_key(folder: &FsPath, key: &[u8]) {
    let bytes = fs::read(folder.join("data.mdb")).expect("a file");
    let places: Vec<usize> = (8192..bytes.len() - key.len())
        .filter(|at| bytes[*at..].starts_with(key))
        .map(|at| at + key.len() - 1)
        .collect();
    assert!(!places.is_empty());
    overwrite(folder, &places, |byte| byte + 1);
}

#[test]
fn the_guard_knows_the_leaf_of_each_key() {
    let folder = tempfile::tempdir().expect("a folder");
    let expected = healthy(folder.path());
    let file = fs::File::open(folder.path().join("data.mdb")).expect("a file");
    let guard = PageGuard::new(&file).expect("sound");
    let mut last: Option<Vec<u8>> = None;
    for (record, ..) in &expected.0 {
        let key = crate::store::table::codec::document_key(COLLECTION.0, *record);
        let span = guard.check("documents", Place::At(&key), Neighbors::Both).expect("sound");
        assert!(span.lower.as_deref().is_none_or(|lower| lower <= &key[..]));
        assert!(span.upper.as_deref().is_none_or(|upper| &key[..] < upper));
        if span.lower != last {
            assert!(span.lower > last, "leaves ascend");
            last = span.lower;
        }
    }
    assert!(last.is_some(), "more than one leaf");
}
