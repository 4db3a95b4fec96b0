//! Damaged documents: a list of them, and their removal.
//!
//! No read gives such a document and no write replaces it, so until somebody says that it is to go it
//! stays where it is. It can't tell its keys: its index entries are found by its record number.

use std::{collections::BTreeSet, ops::Bound, path::PathBuf};

use bson::{Bson, RawDocument, raw::RawBsonRef};
use thiserror::Error;

use super::{Collections, DocumentWriter, WriteError};
use crate::{
    catalog::{CollectionMeta, IndexMeta},
    interrupt::tick,
    limits::READ_DOCS_MAX,
    store::{
        CollectionId, Reader, RecordNumber, Scan, StoreError, Unread, WAY_OUT, entry_bytes,
        keep_damaged,
    },
    value::{
        Direction,
        id_number::{Numbered, id_of},
        key::encode,
        scan,
    },
};

/// A document that is not what was written.
#[derive(Debug, Clone, PartialEq)]
pub struct DamagedDocument {
    /// Its record number.
    pub record: RecordNumber,
    /// Its `_id`, if its record number or the index on `_id` says it: its own word is not taken for it.
    pub id: Option<Bson>,
    /// What is wrong.
    pub damage: String,
}

/// Some of a collection's damaged documents.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DamagedPage {
    /// In the order of their record numbers.
    pub documents: Vec<DamagedDocument>,
    /// Where the rest of the collection begins, if it was not read.
    pub next: Option<RecordNumber>,
}

/// Why no damaged document was removed.
#[derive(Debug, Error)]
pub enum NotRemoved {
    /// There is no document with this record number.
    #[error("there is no {}, so nothing was removed", Numbered(*.0))]
    Missing(RecordNumber),
    /// A document that can be read is removed with `delete`.
    #[error("{} is not damaged, so nothing was removed; delete removes it", Numbered(*.0))]
    Sound(RecordNumber),
    /// The removal failed.
    #[error(transparent)]
    Failed(#[from] WriteError),
}

impl From<StoreError> for NotRemoved {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl Collections {
    /// The damaged documents of a collection from this record number on, at most `max` of them. Each read
    /// transaction is short.
    ///
    /// # Errors
    /// When the store can't be read, or the operation of this thread was stopped.
    pub fn damaged_documents(
        &self,
        collection: CollectionId,
        from: RecordNumber,
        max: usize,
    ) -> Result<DamagedPage, WriteError> {
        let mut page = DamagedPage { documents: Vec::new(), next: Some(from) };
        while let Some(from) = page.next.filter(|_| page.documents.len() < max) {
            tick()?;
            self.read(|reader, catalog| {
                page.next = None;
                let Some(collection) = catalog.collection_by_id(collection) else { return Ok(()) };
                let mut documents = reader.documents(collection.id, from, Scan::Forward)?;
                for count in 0.. {
                    let Some(unread) = documents.next_unread().transpose()? else { break };
                    if count == READ_DOCS_MAX || page.documents.len() == max {
                        page.next = Some(unread.record);
                        break;
                    }
                    if let Some(damage) = damage_of(&unread)? {
                        let id = told_id(reader, collection, &unread)?;
                        page.documents.push(DamagedDocument { record: unread.record, id, damage });
                    }
                }
                Ok::<_, StoreError>(())
            })?;
        }
        Ok(page)
    }

    /// Removes these documents, which must all be damaged, and every index entry that leads to them. Their
    /// bytes are kept in files beside the store, whose paths this returns.
    ///
    /// # Errors
    /// [`NotRemoved`]; then none of them was removed.
    pub fn remove_damaged(
        &self,
        collection: &CollectionMeta,
        records: &BTreeSet<RecordNumber>,
    ) -> Result<Vec<PathBuf>, NotRemoved> {
        let bytes_of = |reader: &Reader<'_>, record| {
            damaged_at(reader, collection.id, record).map(|unread| unread.bytes().to_vec())
        };
        let all: Vec<(RecordNumber, Vec<u8>)> = self
            .store
            .read(|reader| {
                records.iter().map(|record| Ok((*record, bytes_of(reader, *record)?))).collect()
            })
            .map_err(|error: NotRemoved| error)?;
        let mut files = Vec::new();
        for (record, bytes) in &all {
            files.push(keep_damaged(self.store.folder(), collection.id, *record, bytes)?);
        }
        self.write(|writer| writer.remove_damaged(collection, records))?;
        Ok(files)
    }
}

impl DocumentWriter<'_> {
    /// One transaction, however many entries there are: what is looked for in parts may change meanwhile.
    fn remove_damaged(
        &mut self,
        collection: &CollectionMeta,
        records: &BTreeSet<RecordNumber>,
    ) -> Result<(), NotRemoved> {
        let collection = self.txn.current(collection)?;
        let mut bytes = 0;
        for record in records {
            let reader = self.txn.writer.reader();
            bytes += damaged_at(&reader, collection.id, *record)?.bytes().len() as u64;
        }
        for index in &collection.indexes {
            let result = self.remove_entries_of(index, records);
            self.must_succeed(result)?;
        }
        let result = self.remove_rows(collection.id, records, bytes);
        self.must_succeed(result)?;
        self.txn.touch(&collection.namespace);
        Ok(())
    }

    fn remove_rows(
        &mut self,
        collection: CollectionId,
        records: &BTreeSet<RecordNumber>,
        bytes: u64,
    ) -> Result<(), StoreError> {
        for record in records {
            self.txn.writer.delete_document(collection, *record)?;
        }
        self.txn.count(collection.0, |counters| {
            counters.documents = counters.documents.saturating_sub(records.len() as u64);
            counters.bytes = counters.bytes.saturating_sub(bytes);
        })
    }

    fn remove_entries_of(
        &mut self,
        index: &IndexMeta,
        records: &BTreeSet<RecordNumber>,
    ) -> Result<(), StoreError> {
        let reader = self.txn.writer.reader();
        let all = reader.entries(index.id, Bound::Unbounded, Bound::Unbounded, Scan::Forward)?;
        let mut leaving = Vec::new();
        for entry in all {
            let Some(entry) = StoreError::unless_damaged(entry)? else { continue };
            if records.contains(&entry.record) {
                leaving.push((entry.key.to_vec(), entry.record));
            }
        }
        for (key, record) in &leaving {
            self.txn.writer.delete_entry(index.id, key, *record)?;
        }
        let bytes: u64 =
            leaving.iter().map(|(key, record)| entry_bytes(index.id, key, *record)).sum();
        self.txn.count(index.id.0, |counters| {
            counters.entries = counters.entries.saturating_sub(leaving.len() as u64);
            counters.bytes = counters.bytes.saturating_sub(bytes);
        })
    }
}

/// The damaged document with this record number.
fn damaged_at<'t>(
    reader: &Reader<'t>,
    collection: CollectionId,
    record: RecordNumber,
) -> Result<Unread<'t>, NotRemoved> {
    let found = reader.documents(collection, record, Scan::Forward)?.next_unread().transpose()?;
    let found = found.filter(|unread| unread.record == record);
    let unread = found.ok_or(NotRemoved::Missing(record))?;
    match damage_of(&unread)? {
        Some(_) => Ok(unread),
        None => Err(NotRemoved::Sound(record)),
    }
}

/// What is wrong with a document.
fn damage_of(unread: &Unread<'_>) -> Result<Option<String>, StoreError> {
    match unread.read() {
        Ok(stored) => Ok(scan::check(stored.bytes).err().map(|error| error.to_string())),
        Err(StoreError::Damaged { what }) => {
            Ok(Some(what.strip_suffix(WAY_OUT).unwrap_or(&what).to_owned()))
        }
        Err(error) => Err(error),
    }
}

/// The `_id` of a damaged document.
fn told_id(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    unread: &Unread<'_>,
) -> Result<Option<Bson>, StoreError> {
    let Some(index) = collection.id_index() else { return Ok(None) };
    if !index.has_entries_of(unread.record) {
        return Ok(Bson::try_from(id_of(unread.record)).ok());
    }
    let own = RawDocument::from_bytes(unread.bytes()).ok().and_then(|it| it.get("_id").ok()?);
    match own {
        Some(id) if has_entry(reader, index, id, unread.record)? => Ok(Bson::try_from(id).ok()),
        _ => Ok(None),
    }
}

fn has_entry(
    reader: &Reader<'_>,
    index: &IndexMeta,
    id: RawBsonRef<'_>,
    record: RecordNumber,
) -> Result<bool, StoreError> {
    let direction = index.field().map_or(Direction::Ascending, |(_, direction)| direction);
    let key = encode(Some(id), direction).bytes;
    let at_key = Bound::Included(key.as_slice());
    for entry in reader.entries(index.id, at_key, at_key, Scan::Forward)? {
        if StoreError::unless_damaged(entry)?.is_some_and(|entry| entry.record == record) {
            return Ok(true);
        }
    }
    Ok(false)
}
