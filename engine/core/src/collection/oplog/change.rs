//! One change within an entry of the oplog.

use bson::{
    Binary, DateTime, RawDocumentBuf,
    raw::{RawBsonRef, RawDocument, cstr},
    spec::BinarySubtype,
};

use crate::{catalog::Dialect, store::RecordNumber, value::named};

/// One change within an entry, borrowed from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum OplogChange<'e> {
    /// A document was stored, new or in place of the one with this number.
    Written {
        /// Its record number, the same in every store.
        record: RecordNumber,
        /// When it was last written, in milliseconds since 1970.
        modified_ms: i64,
        /// The document, byte for byte.
        document: &'e RawDocument,
    },
    /// A document was removed.
    Removed {
        /// Its record number.
        record: RecordNumber,
        /// Its `_id`; null when it has none.
        id: RawBsonRef<'e>,
    },
    /// A collection got this definition.
    Defined {
        /// The catalog's record, without numbers and unfinished builds.
        definition: &'e RawDocument,
        /// Its name before, if it was renamed.
        from: Option<&'e str>,
    },
    /// A collection was dropped.
    Dropped,
    /// A database got this dialect.
    Dialect(Dialect),
}

impl<'e> OplogChange<'e> {
    pub(super) fn read(kind: OplogKind, change: &'e RawDocument) -> Option<Self> {
        Some(match kind {
            OplogKind::Insert | OplogKind::Update => Self::Written {
                record: record(change)?,
                modified_ms: change.get_datetime("modified").ok()?.timestamp_millis(),
                document: change.get_document("document").ok()?,
            },
            OplogKind::Delete | OplogKind::TtlDelete => {
                Self::Removed { record: record(change)?, id: change.get("_id").ok()?? }
            }
            OplogKind::Drop => Self::Dropped,
            OplogKind::Dialect => {
                Self::Dialect(Dialect::from_name(change.get_str("dialect").ok()?)?)
            }
            OplogKind::Create
            | OplogKind::Rename
            | OplogKind::CreateIndexes
            | OplogKind::DropIndexes
            | OplogKind::CollMod => Self::Defined {
                definition: change.get_document("definition").ok()?,
                from: change.get_str("from").ok(),
            },
        })
    }
}

fn record(change: &RawDocument) -> Option<RecordNumber> {
    let bytes = change.get_binary("record").ok()?.bytes;
    bytes.try_into().ok().map(RecordNumber::from_be_bytes)
}

fn append_record(change: &mut RawDocumentBuf, record: RecordNumber) {
    let bytes = record.to_be_bytes().to_vec();
    change.append(cstr!("record"), Binary { subtype: BinarySubtype::Generic, bytes });
}

pub(in crate::collection) fn written(
    record: RecordNumber,
    modified_ms: i64,
    document: &RawDocument,
) -> RawDocumentBuf {
    let mut change = RawDocumentBuf::new();
    append_record(&mut change, record);
    change.append(cstr!("modified"), DateTime::from_millis(modified_ms));
    change.append(cstr!("document"), RawBsonRef::Document(document));
    change
}

pub(in crate::collection) fn removed(
    record: RecordNumber,
    document: Option<&RawDocument>,
) -> RawDocumentBuf {
    let mut change = RawDocumentBuf::new();
    append_record(&mut change, record);
    let id = document.and_then(|document| document.get("_id").ok().flatten());
    change.append(cstr!("_id"), id.unwrap_or(RawBsonRef::Null));
    change
}

pub(super) fn defined(definition: &RawDocument, from: Option<&str>) -> RawDocumentBuf {
    let mut change = RawDocumentBuf::new();
    change.append(cstr!("definition"), RawBsonRef::Document(definition));
    if let Some(from) = from {
        change.append(cstr!("from"), from);
    }
    change
}

pub(super) fn dialect(dialect: Dialect) -> RawDocumentBuf {
    let mut change = RawDocumentBuf::new();
    change.append(cstr!("dialect"), dialect.name());
    change
}

named! {
    /// The kind of change that an oplog entry records.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum OplogKind {
        /// New documents.
        Insert => "insert",
        /// Changed documents.
        Update => "update",
        /// Documents removed by a command or from a capped collection.
        Delete => "delete",
        /// Expired documents that a pass removed, or a write that needed their place.
        TtlDelete => "ttlDelete",
        /// A new collection or view.
        Create => "create",
        /// A dropped collection or view.
        Drop => "drop",
        /// A new name.
        Rename => "rename",
        /// New indexes, all built.
        CreateIndexes => "createIndexes",
        /// Dropped indexes.
        DropIndexes => "dropIndexes",
        /// Changed options of a collection or an index.
        CollMod => "collMod",
        /// The dialect of a database.
        Dialect => "dialect",
    }
    /// The name on disk and in replies.
    pub fn name;
}

impl OplogKind {
    /// Whether it changes documents, not definitions.
    #[must_use]
    pub fn is_of_documents(self) -> bool {
        matches!(self, Self::Insert | Self::Update | Self::Delete | Self::TtlDelete)
    }
}
