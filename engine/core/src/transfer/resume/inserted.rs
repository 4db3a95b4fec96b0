//! The documents that one transaction of an import inserted.

use bson::RawDocument;
use xxhash_rust::xxh3::xxh3_64;

use crate::store::{RecordNumber, StoredDocument};

/// The first bytes of a list with explicit record numbers. Older versions wrote the collection's id
/// there, which is never 0, and only the first of consecutive record numbers.
const LISTED: [u8; 4] = [0; 4];

/// Bits of a number in each byte of a list. The highest bit means that more bytes follow.
const NUMBER_BITS: u32 = 7;
const MORE: u8 = 1 << NUMBER_BITS;

/// Documents with ascending record numbers. Their write time and hashes show later whether they
/// were changed.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::transfer) struct InsertedList {
    pub collection: u32,
    modified_ms: i64,
    documents: Vec<(RecordNumber, u32)>,
}

impl InsertedList {
    /// An empty list.
    pub(in crate::transfer) fn new(collection: u32, modified_ms: i64) -> Self {
        Self { collection, modified_ms, documents: Vec::new() }
    }

    /// Appends a document. Returns false if its record number does not ascend.
    pub(in crate::transfer) fn push(
        &mut self,
        record: RecordNumber,
        document: &RawDocument,
    ) -> bool {
        let ascends = self.documents.last().is_none_or(|(last, _)| *last < record);
        if ascends {
            self.documents.push((record, hash(document)));
        }
        ascends
    }

    pub(in crate::transfer) fn is_empty(&self) -> bool {
        self.documents.is_empty()
    }

    /// The record numbers with the hashes of their documents.
    pub(in crate::transfer) fn records(&self) -> impl Iterator<Item = (RecordNumber, u32)> {
        self.documents.iter().copied()
    }

    pub(in crate::transfer) fn is_unchanged(
        &self,
        stored: &StoredDocument<'_>,
        hash_then: u32,
    ) -> bool {
        stored.modified_ms == self.modified_ms
            && stored.document().is_ok_and(|document| hash(document) == hash_then)
    }

    pub(in crate::transfer) fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = LISTED.to_vec();
        bytes.extend_from_slice(&self.collection.to_be_bytes());
        bytes.extend_from_slice(&self.modified_ms.to_be_bytes());
        let mut last = 0;
        for (record, hash) in &self.documents {
            append_number(&mut bytes, record - last);
            bytes.extend_from_slice(&hash.to_be_bytes());
            last = *record;
        }
        bytes
    }

    pub(in crate::transfer) fn from_bytes(bytes: &[u8]) -> Option<Self> {
        if let Some(listed) = bytes.strip_prefix(&LISTED) {
            return Self::from_list(listed);
        }
        let (collection, rest) = bytes.split_first_chunk()?;
        let (first, rest) = rest.split_first_chunk()?;
        let (modified, rest) = rest.split_first_chunk()?;
        let (hashes, rest) = rest.as_chunks::<4>();
        let records = RecordNumber::from(u64::from_be_bytes(*first))..;
        rest.is_empty().then(|| Self {
            collection: u32::from_be_bytes(*collection),
            modified_ms: i64::from_be_bytes(*modified),
            documents: records.zip(hashes.iter().map(|hash| u32::from_be_bytes(*hash))).collect(),
        })
    }

    fn from_list(bytes: &[u8]) -> Option<Self> {
        let (collection, rest) = bytes.split_first_chunk()?;
        let (modified, mut rest) = rest.split_first_chunk()?;
        let mut documents = Vec::new();
        let mut last: RecordNumber = 0;
        while !rest.is_empty() {
            let (step, behind) = read_number(rest)?;
            let (hash, behind) = behind.split_first_chunk()?;
            last = last.checked_add(step)?;
            documents.push((last, u32::from_be_bytes(*hash)));
            rest = behind;
        }
        let collection = u32::from_be_bytes(*collection);
        Some(Self { collection, modified_ms: i64::from_be_bytes(*modified), documents })
    }
}

fn append_number(bytes: &mut Vec<u8>, mut number: u128) {
    loop {
        let [.., low] = number.to_be_bytes();
        number >>= NUMBER_BITS;
        if number == 0 {
            return bytes.push(low & !MORE);
        }
        bytes.push(low | MORE);
    }
}

/// Reads a number from the start of the bytes, and returns the rest.
fn read_number(bytes: &[u8]) -> Option<(u128, &[u8])> {
    let end = bytes.iter().position(|byte| byte & MORE == 0)? + 1;
    let (number, rest) = bytes.split_at_checked(end)?;
    let add = |whole: u128, byte: &u8| {
        let higher = whole.checked_mul(1 << NUMBER_BITS)?;
        Some(higher | u128::from(byte & !MORE))
    };
    Some((number.iter().rev().try_fold(0, add)?, rest))
}

/// 32 bits are enough: a change must happen in the same millisecond as the import and also hit one
/// in four billion.
fn hash(document: &RawDocument) -> u32 {
    let [a, b, c, d, ..] = xxh3_64(document.as_bytes()).to_be_bytes();
    u32::from_be_bytes([a, b, c, d])
}

#[cfg(test)]
mod tests {
    use bson::rawdoc;

    use super::*;

    #[test]
    fn lists_come_back() {
        let mut inserted = InsertedList::new(7, 1_700_000_000_000);
        let document = rawdoc! { "_id": 1 };
        for record in [1, 2, 128, 1 << 70, (1 << 113) + 5] {
            assert!(inserted.push(record, &document), "{record}");
        }
        assert!(!inserted.push(5, &document) && !inserted.push((1 << 113) + 5, &document));
        let bytes = inserted.to_bytes();
        assert_eq!(InsertedList::from_bytes(&bytes), Some(inserted));
        assert_eq!(InsertedList::from_bytes(&bytes[..bytes.len() - 1]), None);
        assert_eq!(InsertedList::from_bytes(&[&bytes[..], &[MORE; 20]].concat()), None);
    }

    #[test]
    fn lists_of_older_versions_are_read() {
        let collection = 7_u32.to_be_bytes();
        let first = 70_000_u64.to_be_bytes();
        let parts = [&collection[..], &first, &[0; 8], &[0, 0, 0, 9], &[0, 0, 0, 8]];
        let inserted = InsertedList::from_bytes(&parts.concat()).expect("a list");
        assert_eq!(inserted.collection, 7);
        assert_eq!(inserted.records().collect::<Vec<_>>(), [(70_000, 9), (70_001, 8)]);
    }
}
