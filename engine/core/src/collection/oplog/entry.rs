//! An entry of the oplog, and the changes within it.

use bson::{Bson, RawDocumentBuf, raw::RawDocument};

use crate::{
    catalog::{CollectionMeta, Dialect, Namespace},
    store::RecordNumber,
};

/// Changes of one kind to one collection.
#[derive(Debug, Clone, PartialEq)]
pub struct OplogEntry {
    /// When it was written, in milliseconds since 1970 on the primary's clock.
    pub at_ms: i64,
    /// The kind of change.
    pub kind: OplogKind,
    /// The collection. For [`OplogChange::Dialect`] only the database counts.
    pub namespace: Namespace,
    /// The changes, in the order they were made.
    pub changes: Vec<OplogChange>,
}

/// The kind of change that an oplog entry records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum OplogKind {
    /// New documents.
    Insert,
    /// Changed documents.
    Update,
    /// Documents removed by a command or from a capped collection.
    Delete,
    /// Expired documents that a pass removed, or a write that needed their place.
    TtlDelete,
    /// One change of a definition.
    Definition,
}

/// One change within an entry.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "an entry of a lesson is held once")]
pub enum OplogChange {
    /// A document was stored, new or in place of the one with this number.
    Written {
        /// Its record number, the same in every store.
        record: RecordNumber,
        /// When it was last written, in milliseconds since 1970.
        modified_ms: i64,
        /// The document, byte for byte.
        document: RawDocumentBuf,
    },
    /// A document was removed.
    Removed {
        /// Its record number.
        record: RecordNumber,
        /// Its `_id`; null when it has none.
        id: Bson,
    },
    /// The collection with this UUID or this name got this definition.
    Defined(CollectionMeta),
    /// A collection was dropped.
    Dropped,
    /// A database got this dialect.
    Dialect(Dialect),
}

impl OplogEntry {
    /// How many documents it changed.
    pub fn documents(&self) -> u64 {
        if self.kind == OplogKind::Definition { 0 } else { self.changes.len() as u64 }
    }
}

impl OplogChange {
    /// The removal of a document, which is unknown if it is damaged.
    pub(in crate::collection) fn removed(
        record: RecordNumber,
        document: Option<&RawDocument>,
    ) -> Self {
        let id = document.and_then(|document| document.get("_id").ok().flatten());
        let id = id.and_then(|id| Bson::try_from(id).ok());
        Self::Removed { record, id: id.unwrap_or(Bson::Null) }
    }
}
