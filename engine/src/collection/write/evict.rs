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

/// A document removed because a write needed its place.
#[derive(Debug, Clone, PartialEq)]
pub struct EvictedDocument {
    /// The collection.
    pub collection: CollectionId,
    /// Its name.
    pub namespace: Namespace,
    /// The index whose rule hid it.
    pub index: String,
    /// Its record number.
    pub record: RecordNumber,
    /// When it was last written, in milliseconds since 1970.
    pub modified_ms: i64,
    /// Its threshold, in milliseconds since 1970.
    pub threshold_ms: i64,
    /// The document.
    pub document: RawDocumentBuf,
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

impl EvictedDocument {
    /// `None` when reads still show the document.
    fn new(
        collection: &CollectionMeta,
        stored: &StoredDocument<'_>,
    ) -> Result<Option<Self>, StoreError> {
        let document = stored.document()?;
        let hidden = collection.hidden_by(document, stored.modified_ms);
        Ok(hidden.map(|(index, threshold_ms)| Self {
            collection: collection.id,
            namespace: collection.namespace.clone(),
            index: index.name.clone(),
            record: stored.record,
            modified_ms: stored.modified_ms,
            threshold_ms,
            document: document.to_owned(),
        }))
    }

    fn to_row(&self, removed_ms: i64, trash_ms: i64) -> RawDocumentBuf {
        TrashRow {
            number: 0,
            collection: self.collection,
            namespace: &self.namespace.to_string(),
            is_bucket: false,
            index: &self.index,
            pass: 0,
            modified_ms: self.modified_ms,
            threshold_ms: self.threshold_ms,
            removed_ms,
            until_ms: removed_ms.saturating_add(trash_ms),
            document: &self.document,
        }
        .to_row()
    }
}

/// The evictions of one transaction.
#[derive(Default)]
pub(in crate::collection) struct Evictions<'w> {
    pub(in crate::collection) sink: Option<Arc<dyn ExpiredSink>>,
    /// Already archived.
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
            let reader = self.txn.writer.reader();
            let stored = reader.document(collection.id, record)?;
            let evicted =
                stored.map(|stored| EvictedDocument::new(collection, &stored)).transpose()?;
            if let Some(evicted) = evicted.flatten() {
                self.keep(&*sink, evicted)?;
            }
        }
        let result = self.remove(collection, record);
        self.must_succeed(result)?;
        self.txn.touch(&collection.namespace);
        Ok(())
    }

    fn keep(&mut self, sink: &dyn ExpiredSink, evicted: EvictedDocument) -> Result<(), WriteError> {
        if let Some(trash_ms) = sink.trash_ms() {
            self.put_in_trash(&evicted.to_row(self.txn.now_ms, trash_ms))?;
        }
        let is_safe = self.txn.evictions.safe.contains(&evicted);
        if !is_safe && sink.archives(evicted.collection) {
            self.txn.evictions.found.push(evicted);
        }
        Ok(())
    }
}
