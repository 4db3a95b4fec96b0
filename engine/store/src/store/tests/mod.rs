//! The store against real files in temporary folders.

mod checksums;
mod contents;
mod copies;
mod damage;
#[cfg(unix)]
mod detached;
mod faults;
mod free_list;
mod group_commit;
mod guard;
mod limits;
mod opening;
#[cfg(unix)]
mod picked;
mod runs;

use std::fs;
use std::ops::Bound::Unbounded;
use std::path::Path as FsPath;

use bson::rawdoc;

use crate::store::{
    CatalogRow, CollectionId, Counters, IndexId, RecordNumber, Scan, Store, StoreError,
    StoreOptions,
};

pub(super) const COLLECTION: CollectionId = CollectionId(1);
pub(super) const INDEX: IndexId = IndexId(2);

pub(super) fn open(folder: &FsPath) -> Store {
    open_with(folder, &StoreOptions::default())
}

pub(super) fn open_with(folder: &FsPath, options: &StoreOptions) -> Store {
    Store::open(folder, options).map(|(store, _)| store).expect("the store opens")
}

/// The BSON of the test document with this number; every seventh needs overflow pages.
pub(super) fn bson_of(record: RecordNumber) -> Vec<u8> {
    let len = if record.is_multiple_of(7) { 5_000 } else { 40 };
    let number = i64::try_from(record).expect("a small number");
    rawdoc! { "_id": number, "text": "x".repeat(len) }.into_bytes()
}

/// Writes documents with one index entry each, and their counters, in one transaction.
pub(super) fn fill(store: &Store, records: std::ops::Range<u64>) {
    store
        .write(|writer| {
            let mut counters = writer.reader().counters(COLLECTION.0)?;
            for record in records.clone() {
                let bytes = bson_of(record.into());
                writer.put_document(COLLECTION, record.into(), 1_000, &bytes)?;
                writer.put_entry(INDEX, &record.to_be_bytes(), record.into(), record % 2 == 0)?;
                counters.documents += 1;
                counters.bytes += bytes.len() as u64;
                counters.next_record = RecordNumber::from(record) + 1;
            }
            writer.put_catalog("db", "c", b"the collection")?;
            writer.set_counters(COLLECTION.0, counters)
        })
        .expect("the write succeeds");
}

/// Everything a reader can see, or the first error.
pub(super) type Seen =
    (Vec<(RecordNumber, i64, Vec<u8>)>, Vec<(Vec<u8>, RecordNumber, bool)>, Vec<String>, Counters);

pub(super) fn see(store: &Store) -> Result<Seen, StoreError> {
    store.read(|reader| {
        let mut documents = Vec::new();
        for stored in reader.documents(COLLECTION, 0, Scan::Forward)? {
            let stored = stored?;
            documents.push((stored.record, stored.modified_ms, stored.bytes.to_vec()));
        }
        let mut entries = Vec::new();
        for entry in reader.entries(INDEX, Unbounded, Unbounded, Scan::Forward)? {
            let entry = entry?;
            entries.push((entry.key.to_vec(), entry.record, entry.exact));
        }
        let mut catalog = Vec::new();
        for record in reader.catalog()? {
            let CatalogRow { names: Some((db, collection)), record: Some(bytes) } = record? else {
                return Err(StoreError::damaged("a record of the catalog"));
            };
            catalog.push(format!("{db}.{collection}={bytes:?}"));
        }
        Ok((documents, entries, catalog, reader.counters(COLLECTION.0)?))
    })
}
