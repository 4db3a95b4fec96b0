//! What is stored, as the layers above see it.

use bson::RawDocument;

use super::{StoreError, codec};

/// The number of a collection. Collections and indexes share one number space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CollectionId(pub u32);

/// The number of an index. Collections and indexes share one number space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct IndexId(pub u32);

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
    pub record: u64,
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
            what: format!("document {} is not BSON", self.record),
        })
    }
}

/// One index entry, lent by a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry<'t> {
    /// The key bytes of the indexed value.
    pub key: &'t [u8],
    /// The record number of the document.
    pub record: u64,
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
    /// The number that the collection's next document gets.
    pub next_record: u64,
}

/// What the entry of a record with these key bytes takes in the table of entries: its whole key and
/// the checksum behind it.
#[must_use]
pub fn entry_bytes(index: IndexId, key: &[u8], record: u64) -> u64 {
    codec::entry_bytes(index.0, key, record)
}
