//! A document that reads hide because it is past its threshold gives way to one that is written. It is
//! removed as the reaper would remove it: archived before, and put into the trash.
//!
//! The archive may be a slow disk or a network, so nothing is archived inside a transaction: one that
//! meets such a document runs to its end, is given up, and runs again once the document is safe.

use std::sync::Arc;

use bson::RawDocumentBuf;

use crate::{
    catalog::{CollectionMeta, Namespace},
    collection::{DocumentWriter, Trashed, WriteError},
    store::{CollectionId, RecordNumber, StoreError, Stored},
};

/// How often a transaction runs again because it met further documents that had to be archived first.
pub(in crate::collection) const ATTEMPTS_MAX: usize = 16;

/// A document that gives way.
#[derive(Debug, Clone, PartialEq)]
pub struct Displaced {
    /// The collection.
    pub collection: CollectionId,
    /// Its name.
    pub namespace: Namespace,
    /// The rule that hid it.
    pub index: String,
    /// Its record number.
    pub record: RecordNumber,
    /// When it was last written, in milliseconds since 1970.
    pub modified_ms: i64,
    /// Its threshold.
    pub threshold_ms: i64,
    /// The document.
    pub document: RawDocumentBuf,
}

/// Who keeps what is removed because its time was over.
pub trait Keeper: Send + Sync {
    /// Whether documents of this collection are archived before they are removed.
    fn archives(&self, collection: CollectionId) -> bool;

    /// Archives documents; when this returns they are durable.
    ///
    /// # Errors
    /// Why they could not be archived, as a sentence.
    fn archive(&self, documents: &[Displaced]) -> Result<(), String>;

    /// Milliseconds that removed documents are kept in the trash; `None` keeps none.
    fn undo_ms(&self) -> Option<i64>;
}

impl Displaced {
    /// `None` when reads still show the document.
    fn new(collection: &CollectionMeta, stored: &Stored<'_>) -> Result<Option<Self>, StoreError> {
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

    fn to_row(&self, removed_ms: i64, undo_ms: i64) -> RawDocumentBuf {
        Trashed {
            number: 0,
            collection: self.collection,
            namespace: &self.namespace.to_string(),
            is_bucket: false,
            index: &self.index,
            pass: 0,
            modified_ms: self.modified_ms,
            threshold_ms: self.threshold_ms,
            removed_ms,
            until_ms: removed_ms.saturating_add(undo_ms),
            document: &self.document,
        }
        .to_row()
    }
}

/// What a transaction knows of documents that give way.
#[derive(Default)]
pub(in crate::collection) struct Displacing<'w> {
    pub(in crate::collection) keeper: Option<Arc<dyn Keeper>>,
    /// Archived already.
    pub(in crate::collection) safe: &'w [Displaced],
    /// To be archived; the transaction must not commit before.
    pub(in crate::collection) found: Vec<Displaced>,
}

impl DocumentWriter<'_, '_> {
    /// Removes a document that reads hide.
    pub(in crate::collection) fn displace(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
    ) -> Result<(), WriteError> {
        if let Some(keeper) = self.txn.displacing.keeper.clone() {
            let reader = self.txn.writer.reader();
            let stored = reader.document(collection.id, record)?;
            let displaced = stored.map(|stored| Displaced::new(collection, &stored)).transpose()?;
            if let Some(displaced) = displaced.flatten() {
                self.keep(&*keeper, displaced)?;
            }
        }
        let result = self.remove(collection, record);
        self.must_succeed(result)?;
        self.txn.touch(&collection.namespace);
        Ok(())
    }

    fn keep(&mut self, keeper: &dyn Keeper, displaced: Displaced) -> Result<(), WriteError> {
        if let Some(undo_ms) = keeper.undo_ms() {
            self.put_in_trash(&displaced.to_row(self.txn.now_ms, undo_ms))?;
        }
        let is_safe = self.txn.displacing.safe.contains(&displaced);
        if !is_safe && keeper.archives(displaced.collection) {
            self.txn.displacing.found.push(displaced);
        }
        Ok(())
    }
}
