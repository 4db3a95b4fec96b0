//! One entry of the oplog as stored: a BSON document with what it changed.

use bson::{
    DateTime, RawArrayBuf, RawDocumentBuf,
    raw::{RawArray, RawBsonRef, RawDocument, cstr},
};

use super::change::{OplogChange, OplogKind};
use crate::store::StoreError;

/// One entry of the oplog.
#[derive(Debug, Clone, PartialEq)]
pub struct OplogEntry {
    /// Entries are numbered from 1 without gaps.
    pub position: u64,
    /// When it was written, in milliseconds since 1970 on the primary's clock.
    pub at_ms: i64,
    /// The kind of change.
    pub kind: OplogKind,
    /// The collection, or the database for [`OplogKind::Dialect`].
    pub namespace: String,
    /// How many documents it changed.
    pub documents: u64,
    bytes: RawDocumentBuf,
}

impl OplogEntry {
    /// The bytes to store for an entry.
    pub(super) fn to_store(
        at_ms: i64,
        kind: OplogKind,
        namespace: &str,
        documents: u64,
        changes: RawArrayBuf,
    ) -> RawDocumentBuf {
        let mut entry = RawDocumentBuf::new();
        entry.append(cstr!("at"), DateTime::from_millis(at_ms));
        entry.append(cstr!("kind"), kind.name());
        entry.append(cstr!("ns"), namespace);
        entry.append(cstr!("n"), i64::try_from(documents).unwrap_or(i64::MAX));
        entry.append(cstr!("changes"), changes);
        entry
    }

    /// Reads a stored entry.
    ///
    /// # Errors
    /// `Damaged` when this version can't read it.
    pub(super) fn read(position: u64, bytes: &[u8]) -> Result<Self, StoreError> {
        Self::parse(position, bytes).ok_or_else(|| unreadable(position))
    }

    fn parse(position: u64, bytes: &[u8]) -> Option<Self> {
        let document = RawDocument::from_bytes(bytes).ok()?;
        let name = document.get_str("kind").ok()?;
        Some(Self {
            position,
            at_ms: document.get_datetime("at").ok()?.timestamp_millis(),
            kind: OplogKind::ALL.into_iter().find(|kind| kind.name() == name)?,
            namespace: document.get_str("ns").ok()?.to_owned(),
            documents: document.get_i64("n").ok()?.try_into().ok()?,
            bytes: document.to_owned(),
        })
    }

    /// The entry as stored.
    pub fn bytes(&self) -> &[u8] {
        self.bytes.as_bytes()
    }

    /// The changes, in the order they were made.
    ///
    /// # Errors
    /// `Damaged` when this version can't read one.
    pub fn changes(&self) -> Result<Vec<OplogChange<'_>>, StoreError> {
        let changes: &RawArray =
            self.bytes.get_array("changes").map_err(|_| unreadable(self.position))?;
        let mut all = Vec::new();
        for change in changes {
            let Ok(RawBsonRef::Document(change)) = change else {
                return Err(unreadable(self.position));
            };
            let change = OplogChange::read(self.kind, change);
            all.push(change.ok_or_else(|| unreadable(self.position))?);
        }
        Ok(all)
    }
}

fn unreadable(position: u64) -> StoreError {
    StoreError::Damaged { what: format!("oplog entry {position} can't be read") }
}
