//! One write transaction.

use std::ops::Bound;

use heed::{PutFlags, RwTxn};

use super::env::Environment;
use super::reader::LAST_ID;
use super::tables::{Table, Tables};
use crate::store::table::codec;
use crate::store::{CollectionId, Counters, IndexId, Reader, RecordNumber, StoreError};

/// One write transaction. It sees its own writes.
pub struct Writer<'t> {
    pub(in crate::store) txn: RwTxn<'t>,
    pub(in crate::store) tables: &'t Tables,
    env: &'t Environment,
    last_document: LastKey,
    last_entry: LastKey,
    /// LMDB's first failure. The store must see it even if the closure ignores it.
    failure: Option<heed::Error>,
    /// On a full disk: the error for every operation that adds bytes.
    refusal: Option<StoreError>,
    /// A document became smaller on a full disk, so its new entries may be put.
    has_shrunk: bool,
    /// Rows put or deleted, failed attempts included.
    pub(in crate::store) operations: usize,
    /// A buffer for the value of the next document.
    pub(super) value: Vec<u8>,
}

/// The table's highest key, once looked up.
#[derive(Default)]
struct LastKey(Option<Vec<u8>>);

impl<'t> Writer<'t> {
    /// With a `refusal`, everything that adds bytes fails with it.
    pub(in crate::store) fn begin(
        env: &'t Environment,
        refusal: Option<StoreError>,
    ) -> Result<Self, heed::Error> {
        Ok(Self {
            txn: env.write()?,
            tables: &env.tables,
            env,
            last_document: LastKey::default(),
            last_entry: LastKey::default(),
            failure: None,
            refusal,
            has_shrunk: false,
            operations: 0,
            value: Vec::new(),
        })
    }

    pub(super) fn take_failure(&mut self) -> Option<heed::Error> {
        self.failure.take()
    }

    /// Whether the disk is full and everything that adds bytes is refused.
    pub fn deletes_only(&self) -> bool {
        self.refusal.is_some()
    }

    /// Rows put or deleted, failed attempts included. With 0 there is nothing to commit.
    pub(super) fn operations(&self) -> usize {
        self.operations
    }

    pub(in crate::store) fn commit(self) -> Result<(), heed::Error> {
        self.env.commit(self.txn)
    }

    pub(in crate::store) fn checked<T>(
        &mut self,
        result: Result<T, heed::Error>,
    ) -> Result<T, StoreError> {
        // The first error is kept because later ones only follow from it: LMDB answers each further
        // call with `BadTxn`.
        result.map_err(|error| {
            let sentence = StoreError::from(&error);
            self.failure.get_or_insert(error);
            sentence
        })
    }

    /// Forgets the highest keys, after rows were put without this writer's bookkeeping.
    pub(in crate::store) fn forget_last(&mut self) {
        self.last_document = LastKey::default();
        self.last_entry = LastKey::default();
    }

    pub(super) fn put(&mut self, table: Table, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        self.operations += 1;
        let result = table.put(&mut self.txn, key, value);
        self.checked(result)
    }

    fn delete(&mut self, table: Table, key: &[u8]) -> Result<bool, StoreError> {
        // Counted before the call: a put that failed may have changed pages already.
        self.operations += 1;
        let result = table.delete(&mut self.txn, key);
        self.checked(result)
    }

    /// Puts in LMDB's append mode when the key is above all of the table: pages then fill up.
    fn put_ascending(
        &mut self,
        table: Table,
        last: fn(&mut Self) -> &mut LastKey,
        key: &[u8],
        value: &[u8],
    ) -> Result<(), StoreError> {
        // LMDB refuses a key in append mode that is not above the highest, so the highest must be
        // known.
        if last(self).0.is_none() {
            let found = table.last(&self.txn).map(|row| row.map(|(key, _)| key.to_vec()));
            let found = self.checked(found)?.unwrap_or_default();
            last(self).0 = Some(found);
        }
        let highest = last(self).0.get_or_insert_default();
        if key > highest.as_slice() {
            highest.clear();
            highest.extend_from_slice(key);
            self.operations += 1;
            let result = table.put_with_flags(&mut self.txn, PutFlags::APPEND, key, value);
            self.checked(result)
        } else {
            self.put(table, key, value)
        }
    }

    /// Removes at most `max` rows of a collection or an index.
    fn clear(&mut self, table: Table, id: u32, max: usize) -> Result<usize, StoreError> {
        let lower = codec::id_bound(id);
        let bounds = (Bound::Included(&lower[..]), Bound::Unbounded);
        let failed = |error| self.tables.failed(error);
        // Keys are collected first, because an iterator borrows the transaction that the deletions
        // change.
        let keys: Result<Vec<Vec<u8>>, heed::Error> = table
            .range(&self.txn, &bounds)
            .map_err(failed)?
            .take_while(|row| {
                row.as_ref().map_or(true, |(key, _)| codec::leading_id(key) == Some(id))
            })
            .take(max)
            .map(|row| row.map(|(key, _)| key.to_vec()))
            .collect();
        let keys = keys.map_err(failed)?;
        for key in &keys {
            self.delete(table, key)?;
        }
        Ok(keys.len())
    }

    /// Reads what this transaction sees, its own writes included.
    pub fn reader(&self) -> Reader<'_> {
        Reader::new(&self.txn, self.tables, None)
    }

    /// On a full disk a document may only be replaced by a smaller one. That lets a bucket lose measurements.
    fn check_smaller(&mut self, key: &[u8], value: &[u8]) -> Result<(), StoreError> {
        let Some(refusal) = self.refusal.clone() else { return Ok(()) };
        let old = self.tables.documents.get(&self.txn, key);
        let old = old.map_err(|error| self.tables.failed(error))?.map(<[u8]>::len);
        if old.is_none_or(|old| value.len() >= old) {
            return Err(refusal);
        }
        self.has_shrunk = true;
        Ok(())
    }

    pub(in crate::store) fn check_room(&self) -> Result<(), StoreError> {
        self.refusal.clone().map_or(Ok(()), Err)
    }

    /// Stores a document, or replaces the one with this record number.
    ///
    /// # Errors
    /// When LMDB fails; `DiskFull` when the store accepts only deletions.
    pub fn put_document(
        &mut self,
        collection: CollectionId,
        record: RecordNumber,
        modified_ms: i64,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        codec::check_record(record)?;
        let key = codec::document_key(collection.0, record);
        // The buffer is taken out because the value and the writer are borrowed together below.
        let mut value = std::mem::take(&mut self.value);
        codec::write_document_value(&mut value, &key, modified_ms, bytes);
        self.check_smaller(&key, &value)?;
        let table = self.tables.documents;
        let result = self.put_ascending(table, |writer| &mut writer.last_document, &key, &value);
        // The buffer is kept for the next document, or each one would allocate it again.
        self.value = value;
        result
    }

    /// Removes a document. False when it did not exist.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn delete_document(
        &mut self,
        collection: CollectionId,
        record: RecordNumber,
    ) -> Result<bool, StoreError> {
        self.delete(self.tables.documents, &codec::document_key(collection.0, record))
    }

    /// Removes the document with the lowest record number from `from` on, even a damaged one. Returns its BSON
    /// bytes; `None` when nothing was removed.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn delete_first_document(
        &mut self,
        collection: CollectionId,
        from: RecordNumber,
    ) -> Result<Option<u64>, StoreError> {
        let table = self.tables.documents;
        let bound = codec::document_key(collection.0, from);
        let first = table.get_greater_than_or_equal_to(&self.txn, &bound);
        let first = first.map_err(|error| self.tables.failed(error))?;
        let first = first.filter(|(key, _)| codec::leading_id(key) == Some(collection.0));
        // Read without its checksum: a damaged oldest row must not block the trash forever.
        let Some((key, value)) = first else { return Ok(None) };
        let (key, bytes) = (key.to_vec(), codec::document_bytes(value).len() as u64);
        Ok(self.delete(table, &key)?.then_some(bytes))
    }

    /// Stores an index entry; the same entry twice is stored once. `exact` is false for a truncated key.
    ///
    /// # Errors
    /// `Bug` when the key is longer than `limits::VALUE_KEY_BYTES_MAX`; `DiskFull` when the store
    /// accepts only deletions.
    pub fn put_entry(
        &mut self,
        index: IndexId,
        key: &[u8],
        record: RecordNumber,
        exact: bool,
    ) -> Result<(), StoreError> {
        // A smaller document needs entries for its new values. Refusing them would refuse the
        // replacement too.
        if !self.has_shrunk {
            self.check_room()?;
        }
        codec::check_record(record)?;
        let key = codec::entry_key(index.0, key, record)?;
        let value = codec::entry_value(&key, record, exact);
        let table = self.tables.entries;
        self.put_ascending(table, |writer| &mut writer.last_entry, &key, &value)
    }

    /// Removes an index entry. False when it did not exist.
    ///
    /// # Errors
    /// As [`Writer::put_entry`].
    pub fn delete_entry(
        &mut self,
        index: IndexId,
        key: &[u8],
        record: RecordNumber,
    ) -> Result<bool, StoreError> {
        self.delete(self.tables.entries, &codec::entry_key(index.0, key, record)?)
    }

    /// Sets the counters of a collection or an index.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn set_counters(&mut self, id: u32, counters: Counters) -> Result<(), StoreError> {
        let key = id.to_be_bytes();
        let value = codec::seal(&key, &codec::counters_value(counters));
        self.put(self.tables.counters, &key, &value)
    }

    /// Removes the counters of a collection or an index. False when they did not exist.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn delete_counters(&mut self, id: u32) -> Result<bool, StoreError> {
        self.delete(self.tables.counters, &id.to_be_bytes())
    }

    /// Stores a catalog record.
    ///
    /// # Errors
    /// `Bug` when a name is empty, has a NUL or is too long for a key; the catalog checks names first.
    pub fn put_catalog(
        &mut self,
        db: &str,
        collection: &str,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        let key = codec::catalog_key(db, collection)?;
        self.put(self.tables.catalog, &key, &codec::seal(&key, bytes))
    }

    /// Removes a catalog record. False when it did not exist.
    ///
    /// # Errors
    /// As [`Writer::put_catalog`].
    pub fn delete_catalog(&mut self, db: &str, collection: &str) -> Result<bool, StoreError> {
        self.delete(self.tables.catalog, &codec::catalog_key(db, collection)?)
    }

    /// Stores a value of the table `meta`.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn put_meta(&mut self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.put(self.tables.meta, name.as_bytes(), &codec::seal(name.as_bytes(), bytes))
    }

    /// Removes a value of the table `meta`. False when it did not exist.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn delete_meta(&mut self, name: &str) -> Result<bool, StoreError> {
        self.delete(self.tables.meta, name.as_bytes())
    }

    /// Removes at most `max` documents of a collection, lowest record numbers first. Returns how many.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn clear_documents(
        &mut self,
        collection: CollectionId,
        max: usize,
    ) -> Result<usize, StoreError> {
        self.clear(self.tables.documents, collection.0, max)
    }

    /// Removes at most `max` entries of an index, lowest keys first. Returns how many.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn clear_entries(&mut self, index: IndexId, max: usize) -> Result<usize, StoreError> {
        self.clear(self.tables.entries, index.0, max)
    }

    /// A new id for a collection or an index, from 1 up. Ids are never reused.
    ///
    /// # Errors
    /// `Damaged` when the last id was lost; `Bug` when all ids are used up; `DiskFull` when the store accepts only deletions.
    pub fn next_id(&mut self) -> Result<u32, StoreError> {
        self.check_room()?;
        let last = match StoreError::unless_damaged(self.reader().meta(LAST_ID))? {
            Some(Some(bytes)) => codec::number(bytes),
            // Only a store without collections has no last id. Otherwise it was lost, and a guess could reuse
            // an id.
            Some(None) if self.reader().catalog()?.next().is_none() => Some(0),
            _ => None,
        };
        let last = last.ok_or_else(|| {
            StoreError::damaged(
                "the id counter was lost, so no collections or indexes can be created; restore a backup, \
                 or export and import into a new store",
            )
        })?;
        let next = last.checked_add(1).ok_or_else(|| StoreError::Bug {
            what: "all ids for collections and indexes are used up".to_owned(),
        })?;
        self.put_meta(LAST_ID, &next.to_be_bytes())?;
        Ok(next)
    }
}
