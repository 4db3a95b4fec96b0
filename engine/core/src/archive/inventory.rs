//! The contents that an archive must have, kept in the store: an archive is the only copy of its documents,
//! and its files can be deleted or emptied by anyone.

use std::collections::BTreeMap;

use bson::{Bson, Document, doc};

use super::segment::{SegmentContents, SegmentFile};
use crate::{limits::ARCHIVE_INVENTORY_MAX, store::StoreError};

/// The segments of an archive, with what each holds. A segment is counted in the transaction that
/// takes its documents out of the trash.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Inventory {
    segments: BTreeMap<String, Expected>,
    /// The segment that is being written. Until it is counted, it isn't a part of the archive: its
    /// documents are still in the trash.
    pending: Option<String>,
    /// The stored one is damaged. It stays as it is until the archive is turned on again.
    is_lost: bool,
}

/// One segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Expected {
    bytes: u64,
    docs: u64,
}

/// Losses of an archive.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Missing {
    /// Segments that are deleted or hold less than before.
    pub segments: u64,
    pub documents: u64,
}

impl Inventory {
    /// The inventory in place of a damaged one. It is not saved.
    pub(super) fn lost() -> Self {
        Self { is_lost: true, ..Self::default() }
    }

    pub(super) fn is_lost(&self) -> bool {
        self.is_lost
    }

    /// Whether no segment is counted.
    pub(super) fn is_empty(&self) -> bool {
        self.segments.is_empty()
    }

    pub(super) fn pending(&self) -> Option<&str> {
        self.pending.as_deref()
    }

    /// Names the segment that is about to be written.
    pub(super) fn begin(&mut self, name: &str) {
        self.pending = Some(name.to_owned());
    }

    /// Counts a segment that is durable. Beyond [`ARCHIVE_INVENTORY_MAX`] segments the oldest one is no longer
    /// compared.
    pub(super) fn add(&mut self, name: &str, bytes: u64, docs: u64) {
        self.segments.insert(name.to_owned(), Expected { bytes, docs });
        self.pending = None;
        while self.segments.len() > ARCHIVE_INVENTORY_MAX {
            self.segments.pop_first();
        }
    }

    /// Forgets a segment that is about to be removed by a limit.
    pub(super) fn remove(&mut self, name: &str) {
        self.segments.remove(name);
    }

    /// Whether a segment is gone or shorter. Reads no segment.
    pub(super) fn is_short(&self, found: &[SegmentFile]) -> bool {
        let bytes: BTreeMap<&str, u64> =
            found.iter().map(|file| (file.name.as_str(), file.bytes)).collect();
        let is_short = |(name, expected): (&String, &Expected)| {
            bytes.get(name.as_str()).is_none_or(|bytes| *bytes < expected.bytes)
        };
        self.segments.iter().any(is_short)
    }

    pub(super) fn compare<'s>(
        &self,
        found: impl Iterator<Item = (&'s SegmentFile, &'s SegmentContents)>,
    ) -> Missing {
        let found: BTreeMap<&str, _> =
            found.map(|(file, contents)| (file.name.as_str(), (file.bytes, contents))).collect();
        let mut missing = Missing::default();
        for (name, expected) in &self.segments {
            let docs = match found.get(name.as_str()) {
                Some((bytes, contents)) if *bytes >= expected.bytes => contents.docs(),
                // A shorter one counts with the batches that are whole. Where one batch is a segment, its
                // name tells the documents, also of a part.
                Some((bytes, contents)) => contents.docs_within(*bytes).min(expected.docs),
                None => 0,
            };
            if docs < expected.docs {
                missing.segments += 1;
                missing.documents += expected.docs - docs;
            }
        }
        missing
    }

    pub(super) fn to_bytes(&self) -> Result<Vec<u8>, StoreError> {
        let long = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
        let segment = |(name, expected): (&String, &Expected)| {
            Bson::from(doc! { "n": name, "b": long(expected.bytes), "d": long(expected.docs) })
        };
        let list: Vec<Bson> = self.segments.iter().map(segment).collect();
        doc! { "segments": list, "pending": self.pending.as_deref() }
            .to_vec()
            .map_err(|error| StoreError::Bug { what: format!("the list of segments: {error}") })
    }

    /// Reads what [`Inventory::to_bytes`] wrote; nothing from anything else.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let document = Document::from_reader(bytes).unwrap_or_default();
        let list = document.get_array("segments").map(Vec::as_slice).unwrap_or_default();
        let number = |segment: &Document, name: &str| {
            segment.get_i64(name).ok().and_then(|number| u64::try_from(number).ok())
        };
        let segment = |segment: &Bson| {
            let segment = segment.as_document()?;
            let expected = Expected { bytes: number(segment, "b")?, docs: number(segment, "d")? };
            Some((segment.get_str("n").ok()?.to_owned(), expected))
        };
        Self {
            segments: list.iter().filter_map(segment).collect(),
            pending: document.get_str("pending").ok().map(str::to_owned),
            is_lost: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_is_read_again() {
        let mut inventory = Inventory::default();
        inventory.add("a", 25, 5);
        inventory.add("b", 7, 1);
        inventory.begin("c");
        let read = Inventory::from_bytes(&inventory.to_bytes().expect("bytes"));
        assert_eq!(read, inventory);
        assert_eq!(read.segments["a"], Expected { bytes: 25, docs: 5 });
        assert_eq!(read.pending(), Some("c"));
        // The form of earlier versions.
        let old = bson::doc! { "segments": [{ "n": "a", "b": 25_i64, "d": 5_i64 }] };
        let old = Inventory::from_bytes(&old.to_vec().expect("bytes"));
        assert_eq!((old.segments["a"], old.pending()), (Expected { bytes: 25, docs: 5 }, None));
        assert_eq!(Inventory::from_bytes(b"x"), Inventory::default());
    }

    #[test]
    fn the_oldest_segments_are_forgotten_first() {
        let mut inventory = Inventory::default();
        for number in 0..ARCHIVE_INVENTORY_MAX + 3 {
            inventory.add(&format!("{number:010}"), 1, 1);
        }
        assert_eq!(inventory.segments.len(), ARCHIVE_INVENTORY_MAX);
        assert_eq!(inventory.compare(std::iter::empty()).documents, ARCHIVE_INVENTORY_MAX as u64);
        assert!(!inventory.segments.contains_key("0000000002"));
    }
}
