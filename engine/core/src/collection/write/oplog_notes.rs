//! Notes the changes of a transaction for the oplog. Only a member of a replica set has one.

use bson::RawDocumentBuf;

use super::transaction::Transaction;
use crate::{
    catalog::{CollectionMeta, Dialect, Namespace},
    collection::{OplogChange, OplogKind},
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
        let modified_ms = self.now_ms;
        let Some(oplog) = &mut self.oplog else { return Ok(()) };
        for (record, bytes) in documents {
            let document = RawDocumentBuf::from_bytes(bytes.to_vec())
                .map_err(|_| StoreError::Bug { what: "a stored document is not BSON".into() })?;
            let change = OplogChange::Written { record, modified_ms, document };
            oplog.add_document(kind, &collection.namespace, change);
        }
        Ok(())
    }

    /// Notes removed documents, each as [`OplogChange::removed`] made it before the removal.
    pub(in crate::collection) fn log_removed(
        &mut self,
        collection: &CollectionMeta,
        removed: impl IntoIterator<Item = OplogChange>,
    ) {
        let Some(oplog) = &mut self.oplog else { return };
        let kind = if oplog.removes_expired { OplogKind::TtlDelete } else { OplogKind::Delete };
        for change in removed {
            oplog.add_document(kind, &collection.namespace, change);
        }
    }

    /// Notes a definition that replaces the one of this name.
    pub(in crate::collection) fn log_definition(&mut self, after: &CollectionMeta) {
        let Some(oplog) = &mut self.oplog else { return };
        oplog.define(self.catalog.collection(&after.namespace).as_deref(), after);
    }

    pub(in crate::collection) fn log_drop(&mut self, namespace: &Namespace) {
        let Some(oplog) = &mut self.oplog else { return };
        oplog.add(OplogKind::Definition, namespace, OplogChange::Dropped);
        oplog.dropped = self.catalog.collection(namespace).map(|collection| collection.uuid);
    }

    pub(in crate::collection) fn log_dialect(&mut self, db: &str, dialect: Dialect) {
        let Some(oplog) = &mut self.oplog else { return };
        let namespace = Namespace::new(db, "");
        oplog.add(OplogKind::Definition, &namespace, OplogChange::Dialect(dialect));
    }

    /// Whether a document's removal must be noted.
    pub(in crate::collection) fn is_logged(&self) -> bool {
        self.oplog.is_some()
    }
}
