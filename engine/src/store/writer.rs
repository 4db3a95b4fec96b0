//! Writes within one transaction.

use std::marker::PhantomData;

use super::{CollectionId, Counters, IndexId, Reader, StoreError};

/// One write transaction. It sees its own writes.
pub struct Writer<'t> {
    lent: PhantomData<&'t ()>,
}

impl Writer<'_> {
    /// The same reads as outside, including what this transaction has written so far.
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        todo!()
    }

    /// Stores a document, or replaces the one with this record number.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn put_document(
        &mut self,
        _collection: CollectionId,
        _record: u64,
        _modified_ms: i64,
        _bytes: &[u8],
    ) -> Result<(), StoreError> {
        todo!()
    }

    /// Removes a document. False when there was none.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn delete_document(
        &mut self,
        _collection: CollectionId,
        _record: u64,
    ) -> Result<bool, StoreError> {
        todo!()
    }

    /// Stores an index entry; the same entry twice is stored once. `exact` is false for a cut key.
    ///
    /// # Errors
    /// `Bug` when the key is longer than `limits::VALUE_KEY_BYTES_MAX`.
    pub fn put_entry(
        &mut self,
        _index: IndexId,
        _key: &[u8],
        _record: u64,
        _exact: bool,
    ) -> Result<(), StoreError> {
        todo!()
    }

    /// Removes an index entry. False when there was none.
    ///
    /// # Errors
    /// As [`Writer::put_entry`].
    pub fn delete_entry(
        &mut self,
        _index: IndexId,
        _key: &[u8],
        _record: u64,
    ) -> Result<bool, StoreError> {
        todo!()
    }

    /// Sets the counters of a collection or an index.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn set_counters(&mut self, _id: u32, _counters: Counters) -> Result<(), StoreError> {
        todo!()
    }

    /// Removes the counters of a collection or an index. False when there were none.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn delete_counters(&mut self, _id: u32) -> Result<bool, StoreError> {
        todo!()
    }

    /// Stores a catalog record.
    ///
    /// # Errors
    /// `Bug` when a name is empty, has a NUL or is too long for a key; the catalog checks names first.
    pub fn put_catalog(
        &mut self,
        _db: &str,
        _collection: &str,
        _bytes: &[u8],
    ) -> Result<(), StoreError> {
        todo!()
    }

    /// Removes a catalog record. False when there was none.
    ///
    /// # Errors
    /// As [`Writer::put_catalog`].
    pub fn delete_catalog(&mut self, _db: &str, _collection: &str) -> Result<bool, StoreError> {
        todo!()
    }

    /// Stores a named value of the store itself.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn put_meta(&mut self, _name: &str, _bytes: &[u8]) -> Result<(), StoreError> {
        todo!()
    }

    /// Removes a named value. False when there was none.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn delete_meta(&mut self, _name: &str) -> Result<bool, StoreError> {
        todo!()
    }

    /// Removes at most `max` documents of a collection, lowest numbers first; says how many.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn clear_documents(
        &mut self,
        _collection: CollectionId,
        _max: usize,
    ) -> Result<usize, StoreError> {
        todo!()
    }

    /// Removes at most `max` entries of an index, lowest keys first; says how many.
    ///
    /// # Errors
    /// When LMDB fails.
    pub fn clear_entries(&mut self, _index: IndexId, _max: usize) -> Result<usize, StoreError> {
        todo!()
    }

    /// A number that no collection and no index has had. The first is 1.
    ///
    /// # Errors
    /// `Bug` when all numbers are used up.
    pub fn next_id(&mut self) -> Result<u32, StoreError> {
        todo!()
    }
}
