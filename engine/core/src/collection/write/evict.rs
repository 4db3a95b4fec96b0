//! Eviction: a write needs the place of a document that reads hide because it is past its
//! threshold. The document is removed as the reaper would remove it, into the trash.

use crate::{
    catalog::CollectionMeta,
    collection::{DocumentWriter, TrashRow, WriteError},
    store::RecordNumber,
};

impl DocumentWriter<'_, '_> {
    /// Removes a document that reads hide.
    pub(in crate::collection) fn evict(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
    ) -> Result<(), WriteError> {
        self.keep(collection, record)?;
        // The oplog tells the removal of an expired document from a deletion.
        let before = self.removes_expired(true);
        let result = self.remove(collection, record);
        self.removes_expired(before);
        self.must_succeed(result)?;
        self.txn.touch(&collection.namespace);
        Ok(())
    }

    /// Puts a document that reads hide into the trash.
    fn keep(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
    ) -> Result<(), WriteError> {
        let policy = self.trash_policy();
        let Some(keeping) = policy.of_evicted(collection.id) else { return Ok(()) };
        let reader = self.txn.writer.reader();
        let Some(stored) = reader.document(collection.id, record)? else { return Ok(()) };
        let hidden = collection.hidden_by(stored.document()?, stored.modified_ms);
        let Some((index, threshold_ms)) = hidden else { return Ok(()) };
        let rule = (&*index.name, threshold_ms);
        let row = TrashRow::to_store(collection, &stored, rule, 0, (self.txn.now_ms, keeping))?;
        self.put_in_trash(&row, keeping.archive).map(drop)
    }
}
