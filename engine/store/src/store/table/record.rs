//! Stored rows, as the layers above see them.

use bson::RawDocument;
use serde::{Deserialize, Serialize};

use super::codec;
use crate::store::StoreError;
use crate::value::id_number::RecordName;

/// The id of a collection. Collections and indexes share one id space; 0 is the trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct CollectionId(pub u32);

/// The id of an index. Collections and indexes share one id space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct IndexId(pub u32);

/// Identifies a document in its collection. Record numbers ascend in order of insertion.
pub type RecordNumber = u128;

/// The direction of a range scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// In ascending key order.
    Forward,
    /// In descending key order.
    Backward,
}

/// One stored document, borrowed from a transaction. Its checksum matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredDocument<'t> {
    /// The document's number in its collection.
    pub record: RecordNumber,
    /// When it was last written, in milliseconds since 1970.
    pub modified_ms: i64,
    /// The BSON exactly as it was written.
    pub bytes: &'t [u8],
}

impl<'t> StoredDocument<'t> {
    /// The document.
    ///
    /// # Errors
    /// `Damaged` when the bytes can't be a BSON document.
    pub fn document(&self) -> Result<&'t RawDocument, StoreError> {
        RawDocument::from_bytes(self.bytes).map_err(|_| StoreError::Damaged {
            what: format!("{} is not BSON", RecordName(self.record)),
        })
    }
}

/// A stored document whose checksum has not been verified.
#[derive(Debug, Clone, Copy)]
pub struct UnverifiedDocument<'t> {
    /// The document's number in its collection.
    pub record: RecordNumber,
    pub(in crate::store) key: &'t [u8],
    pub(in crate::store) value: &'t [u8],
}

impl<'t> UnverifiedDocument<'t> {
    /// The document.
    ///
    /// # Errors
    /// `Damaged` when its checksum is wrong; the message names the record.
    pub fn read(&self) -> Result<StoredDocument<'t>, StoreError> {
        codec::stored(self.key, self.value)
    }

    /// The bytes of its BSON, damaged or not.
    pub fn bytes(&self) -> &'t [u8] {
        codec::document_bytes(self.value)
    }
}

/// One index entry, borrowed from a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'t> {
    /// The key bytes of the indexed value.
    pub key: &'t [u8],
    /// The record number of the document.
    pub record: RecordNumber,
    /// False when the key was truncated: only the document has the whole value.
    pub exact: bool,
}

/// Totals, updated in the same transaction as the rows they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Documents of the collection.
    pub documents: u64,
    /// Bytes of the collection's BSON; for an index the bytes of its entries, see [`entry_bytes`].
    pub bytes: u64,
    /// Entries of the index.
    pub entries: u64,
    /// The lowest record number that the collection's next document may get.
    pub next_record: RecordNumber,
}

/// Bytes of an entry in the table `entries`: its whole key, and its value of four bytes.
pub fn entry_bytes(index: IndexId, key: &[u8], record: RecordNumber) -> u64 {
    codec::entry_bytes(index.0, key, record)
}
