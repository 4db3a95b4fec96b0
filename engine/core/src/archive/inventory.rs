//! The contents that an archive must have, kept in the store: an archive is the only copy of its documents,
//! and its files can be deleted or emptied by anyone.

use std::collections::BTreeMap;

use bson::{Bson, Document, doc};

use super::segment::{self, SegmentContents, SegmentFile};
use crate::{
    limits::{ARCHIVE_INVENTORY_MAX, ARCHIVE_PENDING_MAX},
    store::StoreError,
};

/// The segments of an archive, with what each holds. A segment is counted in the transaction that
/// takes its documents out of the trash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Inventory {
    segments: BTreeMap<String, Expected>,
    /// Segments up to this name belong to the archive without being compared: those that the target
    /// had before the list, and the oldest ones. No other file does: a copy of the store may have
    /// written it, or a server late.
    uncounted_to: Option<String>,
    /// Segments that were begun and don't count, oldest first: their documents were still in the
    /// trash. The last may be being written.
    pending: Vec<String>,
    /// The stored one is damaged. It stays as it is until the archive is turned on again.
    is_lost: bool,
}

/// One segment.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Expected {
    bytes: u64,
    docs: u64,
}

/// Sorts after each name of a segment.
const EVERY_NAME: &str = "~";

/// A new list, to which everything belongs that its target has.
impl Default for Inventory {
    fn default() -> Self {
        Self {
            segments: BTreeMap::new(),
            uncounted_to: Some(EVERY_NAME.to_owned()),
            pending: Vec::new(),
            is_lost: false,
        }
    }
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

    /// Whether a file is a segment of the archive.
    pub(super) fn has(&self, name: &str) -> bool {
        let is_uncounted = || self.uncounted_to.as_deref().is_some_and(|last| name <= last);
        self.segments.contains_key(name) || is_uncounted() && !self.is_pending(name)
    }

    pub(super) fn is_pending(&self, name: &str) -> bool {
        self.pending.iter().any(|pending| pending == name)
    }

    /// Keeps the pending segments of which this returns true.
    pub(super) fn retain_pending(&mut self, keeps: impl FnMut(&String) -> bool) {
        self.pending.retain(keeps);
    }

    /// Ends a new list: from now on, only what its target has belongs to it.
    pub(super) fn adopt(&mut self, listed: &[SegmentFile]) {
        if self.uncounted_to.as_deref() == Some(EVERY_NAME) {
            let last = listed.iter().rev().find(|segment| !self.is_pending(&segment.name));
            self.uncounted_to = last.map(|last| last.name.clone());
        }
    }

    /// Names the segment that is about to be written.
    pub(super) fn begin(&mut self, listed: &[SegmentFile], name: impl Fn(u64) -> String) -> String {
        self.adopt(listed);
        // A number above all, or a segment that is missing now would not sort before it.
        let known = self.segments.keys().chain(&self.uncounted_to).map(String::as_str);
        let names = listed.iter().map(|segment| segment.name.as_str());
        let last = names.chain(known).filter_map(segment::number).max();
        let name = name(last.unwrap_or(0).saturating_add(1));
        self.pending.push(name.clone());
        let excess = self.pending.len().saturating_sub(ARCHIVE_PENDING_MAX);
        self.pending.drain(..excess);
        name
    }

    /// Begins a new list of the same files, because they are gone or the old list is damaged.
    pub(super) fn begin_again(&mut self) {
        if self.is_lost {
            *self = Self::default();
        } else if let Some((last, _)) = self.segments.last_key_value() {
            self.uncounted_to = self.uncounted_to.take().max(Some(last.clone()));
            self.segments.clear();
        }
    }

    /// Counts a segment that is durable. Beyond [`ARCHIVE_INVENTORY_MAX`] segments the oldest one is no longer
    /// compared.
    pub(super) fn add(&mut self, name: &str, bytes: u64, docs: u64) {
        self.segments.insert(name.to_owned(), Expected { bytes, docs });
        self.pending.retain(|pending| pending != name);
        while self.segments.len() > ARCHIVE_INVENTORY_MAX {
            let first = self.segments.pop_first().map(|(name, _)| name);
            self.uncounted_to = self.uncounted_to.take().max(first);
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
        doc! { "segments": list, "to": self.uncounted_to.as_deref(), "pending": &self.pending }
            .to_vec()
            .map_err(|error| StoreError::Bug { what: format!("the list of segments: {error}") })
    }

    /// Reads what [`Inventory::to_bytes`] wrote; nothing from anything else.
    pub(super) fn from_bytes(bytes: &[u8]) -> Self {
        let Ok(document) = Document::from_reader(bytes) else { return Self::default() };
        let list = document.get_array("segments").map(Vec::as_slice).unwrap_or_default();
        let number = |segment: &Document, name: &str| {
            segment.get_i64(name).ok().and_then(|number| u64::try_from(number).ok())
        };
        let segment = |segment: &Bson| {
            let segment = segment.as_document()?;
            let expected = Expected { bytes: number(segment, "b")?, docs: number(segment, "d")? };
            Some((segment.get_str("n").ok()?.to_owned(), expected))
        };
        let segments: BTreeMap<_, _> = list.iter().filter_map(segment).collect();
        let text = |value: &Bson| value.as_str().map(str::to_owned);
        let (uncounted_to, pending) = match (document.get("to"), document.get("pending")) {
            // A list of the version before, which belonged to all but the pending one. That came last.
            (None, pending) => {
                let pending: Vec<String> = pending.and_then(text).into_iter().collect();
                let last = segments.keys().next_back().cloned();
                (last.or_else(|| pending.is_empty().then(|| EVERY_NAME.to_owned())), pending)
            }
            (Some(to), pending) => {
                let pending = pending.and_then(Bson::as_array).into_iter().flatten();
                (text(to), pending.filter_map(text).collect())
            }
        };
        Self { segments, uncounted_to, pending, is_lost: false }
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
        assert_eq!(inventory.begin(&[], |number| format!("{number}")), "1");
        let read = Inventory::from_bytes(&inventory.to_bytes().expect("bytes"));
        assert_eq!(read, inventory);
        assert_eq!(read.segments["a"], Expected { bytes: 25, docs: 5 });
        assert!(read.is_pending("1") && !read.has("1") && read.has("a") && !read.has("A"));
        // The form of earlier versions.
        let segments = bson::bson!([{ "n": "b", "b": 25_i64, "d": 5_i64 }]);
        let old = bson::doc! { "segments": segments, "pending": "c" };
        let old = Inventory::from_bytes(&old.to_vec().expect("bytes"));
        assert_eq!(old.segments["b"], Expected { bytes: 25, docs: 5 });
        assert!(old.has("a") && old.has("b") && !old.has("c") && !old.has("d"));
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
