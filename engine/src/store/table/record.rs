//! What is stored, as the layers above see it.

use bson::RawDocument;

use super::codec;
use crate::store::StoreError;
use crate::value::id_number::RecordName;

/// The number of a collection. Collections and indexes share one number space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectionId(pub u32);

/// The number of an index. Collections and indexes share one number space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexId(pub u32);

/// The number of a document in its collection: what it is found by, and the order of insertion.
pub type RecordNumber = u128;

/// The direction of a range scan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scan {
    /// From the lowest key upwards.
    Forward,
    /// From the highest key downwards.
    Backward,
}

/// One stored document, lent by a transaction. Its checksum has been verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored<'t> {
    /// The document's number in its collection.
    pub record: RecordNumber,
    /// When it was last written, in milliseconds since 1970.
    pub modified_ms: i64,
    /// The BSON exactly as it was given.
    pub bytes: &'t [u8],
}

impl<'t> Stored<'t> {
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

/// A stored document whose checksum has not been looked at.
#[derive(Debug, Clone, Copy)]
pub struct Unread<'t> {
    /// The document's number in its collection.
    pub record: RecordNumber,
    pub(in crate::store) key: &'t [u8],
    pub(in crate::store) value: &'t [u8],
}

impl<'t> Unread<'t> {
    /// The document.
    ///
    /// # Errors
    /// `Damaged` when its checksum is wrong; the message names the record.
    pub fn read(&self) -> Result<Stored<'t>, StoreError> {
        codec::stored(self.key, self.value)
    }

    /// The bytes that should be its BSON, damaged or not.
    #[must_use]
    pub fn bytes(&self) -> &'t [u8] {
        codec::document_bytes(self.value)
    }
}

/// One index entry, lent by a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'t> {
    /// The key bytes of the indexed value.
    pub key: &'t [u8],
    /// The record number of the document.
    pub record: RecordNumber,
    /// False when the key was cut: only the document knows the whole value.
    pub exact: bool,
}

/// Sizes that are kept in the same transaction as what they count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counters {
    /// Documents of the collection.
    pub documents: u64,
    /// Bytes of BSON of the collection; of an index the bytes of its entries, see
    /// [`entry_bytes`].
    pub bytes: u64,
    /// Entries of the index.
    pub entries: u64,
    /// The least number that the collection's next document may get.
    pub next_record: RecordNumber,
}

/// What the entry of a record with these key bytes takes in the table of entries: its whole key and
/// the checksum behind it.
#[must_use]
pub fn entry_bytes(index: IndexId, key: &[u8], record: RecordNumber) -> u64 {
    codec::entry_bytes(index.0, key, record)
}
