//! Writes of documents within one transaction.

use std::sync::Arc;

use bson::RawDocument;

use super::WriteError;
use crate::{
    catalog::{CatalogSnapshot, CollectionMeta, Namespace},
    store::{Counters, Reader, Writer},
};

/// One write transaction over documents. It sees its own writes.
pub struct DocumentWriter<'w> {
    _lent: std::marker::PhantomData<&'w ()>,
}

impl DocumentWriter<'_> {
    /// Reads, including what this transaction has written so far; counters as of its start, see
    /// [`DocumentWriter::counters`].
    #[must_use]
    pub fn reader(&self) -> Reader<'_> {
        todo!()
    }

    /// The time of this transaction in milliseconds since 1970: last-modified of what it writes.
    #[must_use]
    pub fn now_ms(&self) -> i64 {
        todo!()
    }

    /// The catalog as of this transaction.
    #[must_use]
    pub fn catalog(&self) -> &CatalogSnapshot {
        todo!()
    }

    /// The store's own writer, to keep a named value (`put_meta`) in the same transaction. Documents,
    /// entries, counters and catalog records are this type's to write.
    pub fn store(&mut self) -> &mut Writer<'_> {
        todo!()
    }

    /// A collection as of this transaction.
    #[must_use]
    pub fn collection(&self, _namespace: &Namespace) -> Option<Arc<CollectionMeta>> {
        todo!()
    }

    /// The counters of a collection or index, including what this transaction has written so far.
    ///
    /// # Errors
    /// When the store fails.
    pub fn counters(&mut self, _id: u32) -> Result<Counters, WriteError> {
        todo!()
    }

    /// The collection; created with default options if there is none.
    ///
    /// # Errors
    /// When the name is reserved or the database's name differs from another one only in case.
    pub fn create_if_missing(
        &mut self,
        _namespace: &Namespace,
    ) -> Result<Arc<CollectionMeta>, WriteError> {
        todo!()
    }

    /// Stores a new document, which has an `_id`, and returns its record number.
    ///
    /// # Errors
    /// `DuplicateKey`, `ParallelArrays` and `BadDocument` leave the transaction good.
    pub fn insert(
        &mut self,
        _collection: &CollectionMeta,
        _document: &RawDocument,
    ) -> Result<u64, WriteError> {
        todo!()
    }

    /// Stores a document in the place of the one with this record number; last-modified becomes now.
    /// Only index entries that differ are written.
    ///
    /// # Errors
    /// As [`DocumentWriter::insert`]; `BadDocument` when there is no such record.
    pub fn replace(
        &mut self,
        _collection: &CollectionMeta,
        _record: u64,
        _document: &RawDocument,
    ) -> Result<(), WriteError> {
        todo!()
    }

    /// Removes a document. False when there was none.
    ///
    /// # Errors
    /// When the store fails.
    pub fn delete(
        &mut self,
        _collection: &CollectionMeta,
        _record: u64,
    ) -> Result<bool, WriteError> {
        todo!()
    }
}
