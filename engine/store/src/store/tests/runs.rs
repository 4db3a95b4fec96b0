//! Runs of ascending rows: at the end of a table and before other rows.

use std::collections::BTreeMap;
use std::ops::Bound::Unbounded;

use proptest::prelude::*;

use super::open;
use crate::store::{CollectionId, EntryRows, IndexId, RecordNumber, Scan, Store, StoreError};

/// The rows of one transaction: their index, number, and longest key.
type Batch = (u32, usize, usize);

/// Keys after all others of their index, as a run of inserts makes them.
struct Model {
    next: u32,
    rows: BTreeMap<u32, Vec<(Vec<u8>, RecordNumber)>>,
}

impl Model {
    fn put(&mut self, store: &Store, (index, count, len): Batch) {
        let mut rows = EntryRows::new(IndexId(index));
        let added = self.rows.entry(index).or_default();
        for _ in 0..count {
            self.next += 1;
            let mut key = self.next.to_be_bytes().to_vec();
            // Each length differs from the previous one.
            key.resize(4 + self.next as usize * 7 % (len + 1), b'k');
            rows.push(&key, self.next.into(), true).expect("a key");
            added.push((key, self.next.into()));
        }
        let done: Result<bool, StoreError> =
            store.write(|writer| writer.put_entries(&mut rows, true));
        assert_eq!(done, Ok(true));
    }
}

fn rows_of(store: &Store, index: u32) -> Vec<(Vec<u8>, RecordNumber)> {
    let rows: Result<Vec<(Vec<u8>, RecordNumber)>, StoreError> = store.read(|reader| {
        let entries = reader.entries(IndexId(index), Unbounded, Unbounded, Scan::Forward)?;
        entries.map(|entry| entry.map(|entry| (entry.key.to_vec(), entry.record))).collect()
    });
    rows.expect("readable")
}

fn sound(folder: &std::path::Path) {
    let report = Store::check_structure(folder).expect("readable");
    assert_eq!(report.findings, Vec::<String>::new());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn what_is_put_is_there_and_nothing_else(
        batches in proptest::collection::vec(
            (30_u32..34, 1_usize..1_500, prop_oneof![0_usize..8, 0_usize..120, 200_usize..488]), 1..12,
        )
    ) {
        let folder = tempfile::tempdir().expect("a folder");
        let store = open(folder.path());
        let mut model = Model { next: 0, rows: BTreeMap::new() };
        for batch in batches {
            model.put(&store, batch);
        }
        for index in 29..36 {
            let expected = model.rows.get(&index).cloned().unwrap_or_default();
            prop_assert_eq!(rows_of(&store, index), expected);
        }
        drop(store);
        sound(folder.path());
    }
}

/// Bytes of the pages that `put` fills in an empty store.
fn pages_of(put: impl Fn(&Store)) -> u64 {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let before = store.used_bytes();
    put(&store);
    let used = store.used_bytes() - before;
    drop(store);
    sound(folder.path());
    used
}

#[test]
fn pages_get_full_at_the_end_and_in_front_of_others() {
    let check = |index: u32, most: u64| {
        let used = pages_of(|store| {
            let mut model = Model { next: 0, rows: BTreeMap::new() };
            model.put(store, (40, 1_000, 0));
            for _ in 0..10 {
                model.put(store, (index, 4_000, 0));
            }
        });
        // 2 + 4 + 3 bytes of key, 4 of value, 8 of header, 1 of padding, 2 of slot.
        let rows = 41_000 * 24;
        assert!(used * 100 <= rows * most, "{used} bytes of pages for {rows} bytes of rows");
    };
    check(40, 101);
    // The first run shares its pages with the rows after it.
    check(39, 112);
}

#[test]
fn documents_of_any_size_fill_their_pages() {
    for size in [60, 228, 1_000, 1_980, 2_030, 3_000, 5_000] {
        let bytes = vec![b'x'; size];
        let used = pages_of(|store| {
            for batch in 0..4 {
                let records = 1 + batch * 500..;
                let documents: Vec<_> = records.take(500).map(|at| (at, &bytes[..])).collect();
                let put: Result<(), StoreError> =
                    store.write(|writer| writer.put_documents(CollectionId(1), 1, &documents));
                put.expect("puts");
            }
            let found: Result<Vec<RecordNumber>, StoreError> = store.read(|reader| {
                let documents = reader.documents(CollectionId(1), 0, Scan::Forward)?;
                documents
                    .map(|stored| stored.map(|stored| (stored.record, stored.bytes == bytes)))
                    .map(|found| found.map(|(record, same)| if same { record } else { 0 }))
                    .collect()
            });
            assert_eq!(found, Ok((1..=2_000).collect()));
        });
        let row = size + 8 + 2 + 3 + 6;
        let per_page = 4_080 / row.next_multiple_of(2);
        let pages = match size {
            0..=2_000 => 2_000_usize.div_ceil(per_page),
            // On overflow pages, apart from those of the keys.
            _ => 2_000 * (size + 22).div_ceil(4_096) + 2_000_usize.div_ceil(4_080 / 24),
        };
        let most = (pages + pages / 50 + 4) as u64 * 4_096;
        assert!(used <= most, "{used} bytes for 2,000 documents of {size}, at most {most}");
    }
}
