//! Eviction: a write needs the place of a document that reads hide because it is past its
//! threshold. The document is removed as the reaper would remove it: archived first, and put into
//! the trash.
//!
//! The archive may be a slow disk or a network, so nothing is archived inside a transaction. A
//! transaction that meets such a document runs to its end, is aborted, and runs again once the
//! document is archived.

use std::sync::Arc;

use bson::RawDocumentBuf;

use crate::{
    catalog::{CollectionMeta, Namespace},
    collection::{DocumentWriter, TrashRow, WriteError},
    store::{CollectionId, RecordNumber, StoreError, StoredDocument},
};

/// How often a transaction may run again because it met more documents to archive first.
pub(in crate::collection) const ATTEMPTS_MAX: usize = 16;

/// A document that expired, as it was stored.
#[derive(Debug, Clone, PartialEq)]
pub struct ExpiredDocument {
    /// The collection's name.
    pub namespace: Namespace,
    /// The index whose rule it expired by.
    pub index: String,
    /// Its record number.
    pub record: RecordNumber,
    /// When it was last written, in milliseconds since 1970.
    pub modified_ms: i64,
    /// Its threshold, in milliseconds since 1970.
    pub threshold_ms: i64,
    /// The document, byte for byte.
    pub document: RawDocumentBuf,
}

/// A document removed because a write needed its place.
#[derive(Debug, Clone, PartialEq)]
pub struct EvictedDocument {
    /// The collection.
    pub collection: CollectionId,
    /// The document, which reads hid.
    pub expired: ExpiredDocument,
}

/// Archives and keeps documents that expired.
pub trait ExpiredSink: Send + Sync {
    /// Whether documents of this collection are archived before they are removed.
    fn archives(&self, collection: CollectionId) -> bool;

    /// Archives documents; they are durable when this returns.
    ///
    /// # Errors
    /// Why they could not be archived, as a sentence.
    fn archive(&self, documents: &[EvictedDocument]) -> Result<(), String>;

    /// How long removed documents stay in the trash, in milliseconds; `None` keeps none.
    fn trash_ms(&self) -> Option<i64>;
}

impl ExpiredDocument {
    /// A stored document of a collection.
    ///
    /// # Errors
    /// When it is damaged.
    pub fn new(
        collection: &CollectionMeta,
        stored: &StoredDocument<'_>,
        index: &str,
        threshold_ms: i64,
    ) -> Result<Self, StoreError> {
        Ok(Self {
            namespace: collection.namespace.clone(),
            index: index.to_owned(),
            record: stored.record,
            modified_ms: stored.modified_ms,
            threshold_ms,
            document: stored.document()?.to_owned(),
        })
    }
}

/// The evictions of one transaction.
#[derive(Default)]
pub(in crate::collection) struct Evictions<'w> {
    pub(in crate::collection) sink: Option<Arc<dyn ExpiredSink>>,
    pub(in crate::collection) safe: &'w [EvictedDocument],
    /// To be archived before the transaction may commit.
    pub(in crate::collection) found: Vec<EvictedDocument>,
}

impl DocumentWriter<'_, '_> {
    /// Removes a document that reads hide.
    pub(in crate::collection) fn evict(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
    ) -> Result<(), WriteError> {
        if let Some(sink) = self.txn.evictions.sink.clone() {
            self.keep(&*sink, collection, record)?;
        }
        // The oplog tells the removal of an expired document from a deletion.
        let before = self.removes_expired(true);
        let result = self.remove(collection, record);
        self.removes_expired(before);
        self.must_succeed(result)?;
        self.txn.touch(&collection.namespace);
        Ok(())
    }

    /// Puts a document that reads hide into the trash, and notes it for the archive.
    fn keep(
        &mut self,
        sink: &dyn ExpiredSink,
        collection: &CollectionMeta,
        record: RecordNumber,
    ) -> Result<(), WriteError> {
        let reader = self.txn.writer.reader();
        let Some(stored) = reader.document(collection.id, record)? else { return Ok(()) };
        let hidden = collection.hidden_by(stored.document()?, stored.modified_ms);
        let Some((index, threshold_ms)) = hidden else { return Ok(()) };
        let evicted = EvictedDocument {
            collection: collection.id,
            expired: ExpiredDocument::new(collection, &stored, &index.name, threshold_ms)?,
        };
        if let Some(trash_ms) = sink.trash_ms() {
            let (rule, times) = ((&*index.name, threshold_ms), (self.txn.now_ms, trash_ms));
            let row = TrashRow::to_store(collection, &stored, rule, 0, times)?;
            self.put_in_trash(&row)?;
        }
        // Compared as a whole: a document that was archived in an earlier attempt may have changed
        // since.
        let is_safe = self.txn.evictions.safe.contains(&evicted);
        if !is_safe && sink.archives(collection.id) {
            self.txn.evictions.found.push(evicted);
        }
        Ok(())
    }
}
