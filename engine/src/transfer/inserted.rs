//! The documents that one transaction of an import has inserted.

use bson::RawDocument;
use xxhash_rust::xxh3::xxh3_64;

use crate::store::Stored;

/// Documents with ascending record numbers. The time of their writing and a hash of each tell later
/// whether somebody has changed them since.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Inserted {
    /// The collection they are in.
    pub collection: u32,
    first: u64,
    modified_ms: i64,
    hashes: Vec<u32>,
}

impl Inserted {
    /// The first document of a list.
    pub(super) fn new(collection: u32, modified_ms: i64) -> Self {
        Self { collection, first: 0, modified_ms, hashes: Vec::new() }
    }

    /// Appends a document; false when its number does not follow the last one.
    pub(super) fn push(&mut self, record: u64, document: &RawDocument) -> bool {
        if self.hashes.is_empty() {
            self.first = record;
        }
        let follows = self.first.checked_add(self.hashes.len() as u64) == Some(record);
        if follows {
            self.hashes.push(hash(document));
        }
        follows
    }

    pub(super) fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// The record numbers, each with the hash of its document.
    pub(super) fn records(&self) -> impl Iterator<Item = (u64, u32)> {
        (self.first..).zip(self.hashes.iter().copied())
    }

    /// Whether a stored document is still the one that was inserted.
    pub(super) fn is_unchanged(&self, stored: &Stored<'_>, hash_then: u32) -> bool {
        stored.modified_ms == self.modified_ms
            && stored.document().is_ok_and(|document| hash(document) == hash_then)
    }

    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(20 + 4 * self.hashes.len());
        bytes.extend_from_slice(&self.collection.to_be_bytes());
        bytes.extend_from_slice(&self.first.to_be_bytes());
        bytes.extend_from_slice(&self.modified_ms.to_be_bytes());
        for hash in &self.hashes {
            bytes.extend_from_slice(&hash.to_be_bytes());
        }
        bytes
    }

    pub(super) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (collection, rest) = bytes.split_first_chunk()?;
        let (first, rest) = rest.split_first_chunk()?;
        let (modified, rest) = rest.split_first_chunk()?;
        let (hashes, rest) = rest.as_chunks::<4>();
        rest.is_empty().then(|| Self {
            collection: u32::from_be_bytes(*collection),
            first: u64::from_be_bytes(*first),
            modified_ms: i64::from_be_bytes(*modified),
            hashes: hashes.iter().map(|hash| u32::from_be_bytes(*hash)).collect(),
        })
    }
}

/// Half of the hash is enough: somebody who changes a document within the millisecond of its import
/// also has to hit one in four billion.
fn hash(document: &RawDocument) -> u32 {
    let [a, b, c, d, ..] = xxh3_64(document.as_bytes()).to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}
