//! Notes the changes of a transaction for the oplog. Does nothing in a store without one.

use bson::{RawDocumentBuf, raw::RawDocument};

use super::transaction::Transaction;
use crate::{
    catalog::{CollectionMeta, Dialect, Namespace},
    collection::{OplogKind, oplog::change::written},
    store::{RecordNumber, StoreError},
};

impl Transaction<'_, '_> {
    /// Notes documents that were stored now.
    pub(in crate::collection) fn log_written<'d>(
        &mut self,
        kind: OplogKind,
        collection: &CollectionMeta,
        documents: impl IntoIterator<Item = (RecordNumber, &'d [u8])>,
    ) -> Result<(), StoreError> {
        let Some(oplog) = &mut self.oplog else { return Ok(()) };
        for (record, bytes) in documents {
            let document = RawDocument::from_bytes(bytes)
                .map_err(|_| StoreError::Bug { what: "a stored document is not BSON".into() })?;
            let change = written(record, self.now_ms, document);
            oplog.add_document(kind, &collection.namespace, &change);
        }
        Ok(())
    }

    /// Notes removed documents, each as `oplog::removed` made it before the removal.
    pub(in crate::collection) fn log_removed(
        &mut self,
        collection: &CollectionMeta,
        removed: impl IntoIterator<Item = RawDocumentBuf>,
    ) {
        let Some(oplog) = &mut self.oplog else { return };
        let kind = oplog.removal();
        for change in removed {
            oplog.add_document(kind, &collection.namespace, &change);
        }
    }

    /// Notes a definition that replaces `before`.
    pub(in crate::collection) fn log_definition(
        &mut self,
        after: &CollectionMeta,
    ) -> Result<(), StoreError> {
        let Some(oplog) = &mut self.oplog else { return Ok(()) };
        let before = self.catalog.collection(&after.namespace);
        oplog.define(before.as_deref(), after)
    }

    pub(in crate::collection) fn log_drop(&mut self, namespace: &Namespace) {
        let Some(oplog) = &mut self.oplog else { return };
        let uuid = self.catalog.collection(namespace).map(|collection| collection.uuid);
        oplog.drop_collection(namespace, uuid);
    }

    pub(in crate::collection) fn log_dialect(&mut self, db: &str, dialect: Dialect) {
        let Some(oplog) = &mut self.oplog else { return };
        oplog.set_dialect(db, dialect);
    }

    /// Whether a document's removal must be noted.
    pub(in crate::collection) fn is_logged(&self) -> bool {
        self.oplog.is_some()
    }
}
