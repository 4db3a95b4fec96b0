//! Removing documents within one transaction.

use super::keys::keys_of;
use crate::{
    catalog::CollectionMeta,
    collection::{DocumentWriter, OplogChange, WriteError},
    store::{RecordNumber, StoreError, StoredDocument, entry_bytes},
};

impl DocumentWriter<'_, '_> {
    /// Removes a document. False when there was none.
    ///
    /// # Errors
    /// When the store fails.
    pub fn delete(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
    ) -> Result<bool, WriteError> {
        Ok(self.delete_if(collection, record, |_| Ok(Some(())))?.is_some())
    }

    /// Removes a document if `decide`, which sees it as stored, returns something.
    ///
    /// # Errors
    /// When the store fails, and what `decide` returns.
    pub fn delete_if<T>(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
        decide: impl FnOnce(&StoredDocument<'_>) -> Result<Option<T>, WriteError>,
    ) -> Result<Option<T>, WriteError> {
        let collection = self.txn.current(collection)?;
        let mut decided = None;
        let result = self.remove_if(&collection, record, |stored| {
            decided = decide(stored).transpose();
            matches!(decided, Some(Ok(_)))
        });
        if self.must_succeed(result)? {
            self.txn.touch(&collection.namespace);
        }
        decided.transpose()
    }

    pub(in crate::collection) fn remove(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
    ) -> Result<bool, StoreError> {
        self.remove_if(collection, record, |_| true)
    }

    /// Computes the keys while the document is still in its page, so it need not be copied.
    fn remove_if(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
        decide: impl FnOnce(&StoredDocument<'_>) -> bool,
    ) -> Result<bool, StoreError> {
        let Some(stored) = self.txn.writer.reader().document(collection.id, record)? else {
            return Ok(false);
        };
        let old = stored.document()?;
        if !decide(&stored) {
            return Ok(false);
        }
        let of_index = |index| keys_of(index, old, stored.modified_ms).unwrap_or_default().keys;
        // All keys first: deleting entries may move the page that the document is read from.
        let keys: Vec<_> = collection.indexes.iter().map(|index| of_index(index)).collect();
        let bytes = stored.bytes.len() as u64;
        let logged = self.txn.is_logged().then(|| OplogChange::removed(record, Some(old)));
        for (index, keys) in collection.indexes.iter().zip(keys) {
            // Implicit `_id`s, and records that a build has not reached, have no entries.
            if !self.holds(index, record)? {
                continue;
            }
            let (mut entries, mut bytes_removed) = (0_u64, 0_u64);
            for (key, _) in keys.iter() {
                if self.txn.writer.delete_entry(index.id, key, record)? {
                    entries += 1;
                    bytes_removed += entry_bytes(index.id, key, record);
                }
            }
            self.txn.count(index.id.0, |counters| {
                counters.entries = counters.entries.saturating_sub(entries);
                counters.bytes = counters.bytes.saturating_sub(bytes_removed);
            })?;
        }
        self.txn.writer.delete_document(collection.id, record)?;
        self.txn.count(collection.id.0, |counters| {
            counters.documents = counters.documents.saturating_sub(1);
            counters.bytes = counters.bytes.saturating_sub(bytes);
        })?;
        self.txn.log_removed(collection, logged);
        Ok(true)
    }
}
