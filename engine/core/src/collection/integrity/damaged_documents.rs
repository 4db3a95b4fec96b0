//! Listing and removing damaged documents.
//!
//! No read returns such a document and no write replaces it, so it stays until it is removed
//! explicitly. Its keys can't be computed from it; its index entries are found by its record
//! number.

use std::{
    collections::{BTreeSet, HashMap},
    ops::Bound,
    path::PathBuf,
};

use bson::{Bson, RawDocument, raw::RawBsonRef};
use thiserror::Error;

use crate::{
    catalog::{CollectionMeta, IndexMeta},
    collection::{Collections, DocumentWriter, OplogChange, WriteError},
    interrupt::tick,
    limits::READ_DOCS_MAX,
    store::{
        CollectionId, DAMAGED_HINT, IndexId, Reader, RecordNumber, Scan, StoreError,
        UnverifiedDocument, entry_bytes, save_damaged_bytes,
    },
    value::{
        Direction,
        id_number::{RecordName, id_of},
        key::encode_in,
        scan,
    },
};

/// A document whose stored bytes are not what was written.
#[derive(Debug, Clone, PartialEq)]
pub struct DamagedDocument {
    /// Its record number.
    pub record: RecordNumber,
    /// Its `_id` if its record number or the index on `_id` tells it; its own bytes can't be
    /// trusted.
    pub id: Option<Bson>,
    /// A sentence that names the damage.
    pub damage: String,
}

/// An entry's key and the record it points to.
type EntryKey = (Vec<u8>, RecordNumber);

/// The entries of each index that point to the given records.
type EntriesByIndex = HashMap<IndexId, Vec<EntryKey>>;

/// Some of a collection's damaged documents.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DamagedPage {
    /// In order of record number.
    pub documents: Vec<DamagedDocument>,
    /// Where the rest of the collection begins, if it was not read.
    pub next: Option<RecordNumber>,
}

/// Why no damaged document was removed.
#[derive(Debug, Error)]
pub enum RemoveDamagedError {
    /// There is no document with this record number.
    #[error("there is no {}, so nothing was removed", RecordName(*.0))]
    Missing(RecordNumber),
    /// A readable document is removed with `delete`.
    #[error("{} is not damaged, so nothing was removed; use delete instead", RecordName(*.0))]
    Sound(RecordNumber),
    /// The removal failed.
    #[error(transparent)]
    Failed(#[from] WriteError),
}

impl From<StoreError> for RemoveDamagedError {
    fn from(error: StoreError) -> Self {
        Self::Failed(error.into())
    }
}

impl Collections {
    /// At most `max` damaged documents of a collection, starting at a record number. Each read
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
                    let Some(unread) = documents.next_unverified().transpose()? else { break };
                    if count == READ_DOCS_MAX || page.documents.len() == max {
                        page.next = Some(unread.record);
                        break;
                    }
                    if let Some(damage) = damage_of(&unread)? {
                        let id = known_id(reader, collection, &unread)?;
                        page.documents.push(DamagedDocument { record: unread.record, id, damage });
                    }
                }
                Ok::<_, StoreError>(())
            })?;
        }
        Ok(page)
    }

    /// Removes these documents, which must all be damaged, and every index entry that points to
    /// them. Their bytes are kept in files next to the store; returns the paths.
    ///
    /// # Errors
    /// [`RemoveDamagedError`]; then none of them was removed.
    pub fn remove_damaged(
        &self,
        collection: &CollectionMeta,
        records: &BTreeSet<RecordNumber>,
    ) -> Result<Vec<PathBuf>, RemoveDamagedError> {
        let bytes_of = |reader: &Reader<'_>, record| {
            damaged_at(reader, collection.id, record).map(|unread| unread.bytes().to_vec())
        };
        let all: Vec<(RecordNumber, Vec<u8>)> = self
            .store
            .read(|reader| {
                records.iter().map(|record| Ok((*record, bytes_of(reader, *record)?))).collect()
            })
            .map_err(|error: RemoveDamagedError| error)?;
        let mut entries = EntriesByIndex::new();
        for index in &collection.indexes {
            entries.insert(index.id, self.entries_to(index.id, records)?);
        }
        let mut files = Vec::new();
        for (record, bytes) in &all {
            files.push(save_damaged_bytes(self.store.folder(), collection.id, *record, bytes)?);
        }
        self.write(|writer| writer.remove_damaged(collection, records, &entries))?;
        Ok(files)
    }

    /// The entries of an index that point to these documents, collected in short reads.
    fn entries_to(
        &self,
        index: IndexId,
        records: &BTreeSet<RecordNumber>,
    ) -> Result<Vec<EntryKey>, WriteError> {
        // The entries can't change while the documents exist, because a write would have to read
        // the documents.
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            tick()?;
            let step =
                |reader: &Reader<'_>| collect(reader, index, after.as_ref(), records, &mut found);
            match self.store.read(step)? {
                Some(last) => after = Some(last),
                None => return Ok(found),
            }
        }
    }
}

/// Collects the entries after `after` that point to these documents. Returns the last one read if
/// there may be more.
fn collect(
    reader: &Reader<'_>,
    index: IndexId,
    after: Option<&EntryKey>,
    records: &BTreeSet<RecordNumber>,
    found: &mut Vec<EntryKey>,
) -> Result<Option<EntryKey>, StoreError> {
    let end = Bound::Unbounded;
    let all = match after {
        None => reader.entries(index, end, end, Scan::Forward)?,
        Some((key, record)) => reader.entries_after(index, (key, *record), end, Scan::Forward)?,
    };
    let mut looked_at = 0;
    for entry in all {
        let Some(entry) = StoreError::unless_damaged(entry)? else { continue };
        if records.contains(&entry.record) {
            found.push((entry.key.to_vec(), entry.record));
        }
        looked_at += 1;
        if looked_at == READ_DOCS_MAX {
            return Ok(Some((entry.key.to_vec(), entry.record)));
        }
    }
    Ok(None)
}

impl DocumentWriter<'_, '_> {
    /// Removes all of them in one transaction.
    fn remove_damaged(
        &mut self,
        collection: &CollectionMeta,
        records: &BTreeSet<RecordNumber>,
        entries: &EntriesByIndex,
    ) -> Result<(), RemoveDamagedError> {
        let collection = self.txn.current(collection)?;
        let mut bytes = 0;
        for record in records {
            let reader = self.txn.writer.reader();
            bytes += damaged_at(&reader, collection.id, *record)?.bytes().len() as u64;
        }
        for index in &collection.indexes {
            // An index that was created since has no known entries, and is searched here.
            let known = entries.get(&index.id).map(Vec::as_slice);
            let result = self.remove_entries_of(index, records, known);
            self.must_succeed(result)?;
        }
        let result = self.remove_rows(collection.id, records, bytes);
        self.must_succeed(result)?;
        let removed = records.iter().map(|record| OplogChange::removed(*record, None));
        self.txn.log_removed(&collection, removed);
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
        known: Option<&[EntryKey]>,
    ) -> Result<(), StoreError> {
        let mut found = Vec::new();
        if known.is_none() {
            let (reader, mut after) = (self.txn.writer.reader(), None);
            loop {
                after = collect(&reader, index.id, after.as_ref(), records, &mut found)?;
                if after.is_none() {
                    break;
                }
            }
        }
        let (mut entries, mut bytes) = (0_u64, 0_u64);
        for (key, record) in known.unwrap_or(&found) {
            if self.txn.writer.delete_entry(index.id, key, *record)? {
                entries += 1;
                bytes += entry_bytes(index.id, key, *record);
            }
        }
        self.txn.count(index.id.0, |counters| {
            counters.entries = counters.entries.saturating_sub(entries);
            counters.bytes = counters.bytes.saturating_sub(bytes);
        })
    }
}

/// The damaged document with this record number.
fn damaged_at<'t>(
    reader: &Reader<'t>,
    collection: CollectionId,
    record: RecordNumber,
) -> Result<UnverifiedDocument<'t>, RemoveDamagedError> {
    let found =
        reader.documents(collection, record, Scan::Forward)?.next_unverified().transpose()?;
    let found = found.filter(|unread| unread.record == record);
    let unread = found.ok_or(RemoveDamagedError::Missing(record))?;
    match damage_of(&unread)? {
        Some(_) => Ok(unread),
        None => Err(RemoveDamagedError::Sound(record)),
    }
}

/// The damage, or `None` for a sound document.
fn damage_of(unread: &UnverifiedDocument<'_>) -> Result<Option<String>, StoreError> {
    match unread.read() {
        Ok(stored) => Ok(scan::check(stored.bytes).err().map(|error| error.to_string())),
        Err(StoreError::Damaged { what }) => {
            Ok(Some(what.strip_suffix(DAMAGED_HINT).unwrap_or(&what).to_owned()))
        }
        Err(error) => Err(error),
    }
}

/// The `_id` of a damaged document, from its record number or the index on `_id`.
fn known_id(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    unread: &UnverifiedDocument<'_>,
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
    let key = encode_in(Some(id), direction, index.collation.as_ref()).bytes;
    let at_key = Bound::Included(key.as_slice());
    for entry in reader.entries(index.id, at_key, at_key, Scan::Forward)? {
        if StoreError::unless_damaged(entry)?.is_some_and(|entry| entry.record == record) {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{catalog::Namespace, command::testing::Lab};

    /// More documents than one read covers; the last but one is damaged.
    fn spoiled() -> (Lab, std::sync::Arc<CollectionMeta>, BTreeSet<RecordNumber>) {
        let lab = Lab::new();
        lab.ok("{createIndexes: 'c', indexes: [{key: {tags: 1}, name: 'tags'}]}");
        let count = i32::try_from(READ_DOCS_MAX).expect("small") + 10;
        let document = |n: i32| {
            let mark = if n == count - 1 { "needle" } else { "sound" };
            bson::doc! { "_id": format!("{n:08}"), "tags": ["a", "b", n], "mark": mark }
        };
        let all: Vec<bson::Document> = (1..=count).map(document).collect();
        lab.run_document(&bson::doc! { "insert": "c", "documents": all });
        lab.spoil(b"needle");
        let collections = lab.engine.collections();
        let namespace = Namespace::new("test", "c");
        let collection = collections.catalog().collection(&namespace).expect("a collection");
        let page = collections.damaged_documents(collection.id, 0, 9).expect("read");
        let records: BTreeSet<_> = page.documents.iter().map(|damaged| damaged.record).collect();
        assert_eq!(records.len(), 1);
        (lab, collection, records)
    }

    #[test]
    fn entries_are_searched_in_several_reads() {
        let (lab, collection, records) = spoiled();
        let collections = lab.engine.collections();
        let found: usize = collection
            .indexes
            .iter()
            .map(|index| collections.entries_to(index.id, &records).expect("read").len())
            .sum();
        assert_eq!(found, 4, "its _id and three tags");
        collections.remove_damaged(&collection, &records).expect("removed");
        lab.check("{validate: 'c'}", "{valid: true, nrecords: 5009, errors: []}");
    }

    #[test]
    fn an_index_created_after_the_search_loses_its_entries_too() {
        let (lab, collection, records) = spoiled();
        let collections = lab.engine.collections();
        let unknown = EntriesByIndex::new();
        let removed =
            collections.write(|writer| writer.remove_damaged(&collection, &records, &unknown));
        removed.expect("removed");
        lab.check("{validate: 'c'}", "{valid: true, nrecords: 5009, errors: []}");
    }
}
