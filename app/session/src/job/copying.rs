//! A copy of a collection into another store: what is copied, and what became of it.

use std::path::PathBuf;
use std::sync::Arc;

use bson::{Document, RawDocumentBuf, raw::RawBsonRef, rawdoc};
use mayfly_engine::catalog::Namespace;
use mayfly_engine::reply::DocCount;

use super::{ConnectionString, End, OpenRequest};
use crate::limits::ROLL_BACK_IDS_BYTES;

#[derive(Debug, Clone, PartialEq)]
pub enum CopyPart {
    /// Those that match; an empty filter: all.
    Matching(Document),
    /// About as many of those that match, chosen by the source.
    Sample { filter: Document, size: u64 },
}

impl CopyPart {
    pub fn filter(&self) -> &Document {
        match self {
            Self::Matching(filter) | Self::Sample { filter, .. } => filter,
        }
    }
}

/// Where a copy goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CopyTarget {
    /// A new temporary store, whose clock starts at the source's time.
    Sandbox,
    /// The store in this folder, which is made if there is none.
    Folder(PathBuf),
    Server(Box<ConnectionString>),
}

/// A copy into another store.
#[derive(Debug, Clone, PartialEq)]
pub struct CopyPlan {
    pub from: Namespace,
    pub part: CopyPart,
    /// The collection that they are inserted into.
    pub into: Namespace,
    /// Whether documents are inserted that a validator there would refuse.
    pub past_validators: bool,
    /// Indexes that are created after the documents are there, those with a TTL last.
    pub indexes: Vec<Document>,
}

/// The result of a copy.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CopyReport {
    /// Documents that were inserted.
    pub copied: u64,
    /// Documents whose `_id` was already there.
    pub skipped: u64,
    /// Documents that the target refused.
    pub refused: u64,
    /// Documents of which it is not known whether they were inserted.
    pub unknown: u64,
    /// Why the first ones were refused.
    pub refusals: Vec<String>,
    pub indexes: u64,
    /// Parts of the source that the target lacks, in one sentence each.
    pub notes: Vec<String>,
    pub end: End,
}

/// The expected copy, and the effect of its TTL indexes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct CopyLook {
    /// Documents that match; for all, as far as the source knows.
    pub documents: u64,
    /// The indexes except that of `_id`.
    pub indexes: Vec<Document>,
    /// How many of the documents each TTL index would remove at the first pass. `None` if they
    /// can't be counted.
    pub overdue: Vec<(String, Option<DocCount>)>,
}

/// The documents that a copy inserted into a store that stays.
#[derive(Debug, PartialEq, Eq)]
pub struct CopyUndo {
    pub place: CopyTarget,
    pub into: Namespace,
    pub ids: InsertedIds,
}

#[derive(Debug, Clone, PartialEq)]
pub struct CopyEnded {
    pub report: CopyReport,
    /// Opens the sandbox that it went into.
    pub opens: Option<OpenRequest>,
    /// Removes the inserted documents. `None` if they are in a sandbox, or if there are none or too
    /// many.
    pub undo: Option<Arc<CopyUndo>>,
}

/// The `_id`s that were inserted, as far as they fit into [`ROLL_BACK_IDS_BYTES`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct InsertedIds {
    /// Documents with nothing but an `_id`, one after another.
    bytes: Vec<u8>,
    count: u64,
    is_cut: bool,
}

impl InsertedIds {
    /// Adds one.
    pub fn push(&mut self, id: RawBsonRef<'_>) {
        let document = rawdoc! { "_id": id };
        if self.is_cut || self.bytes.len() + document.as_bytes().len() > ROLL_BACK_IDS_BYTES {
            // A part of them is of no use.
            (self.bytes, self.is_cut) = (Vec::new(), true);
            return;
        }
        self.bytes.extend_from_slice(document.as_bytes());
        self.count += 1;
    }

    /// Those of documents as [`bytes`](Self::bytes) gives them; not all, if `is_cut`.
    pub fn from_bytes(bytes: Vec<u8>, is_cut: bool) -> Self {
        let mut ids = Self { bytes, count: 0, is_cut };
        ids.count = ids.iter().count() as u64;
        ids
    }

    /// Documents with nothing but an `_id`, one after another.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Whether there were too many, so that none is known.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    /// Whether all of them are known, and there is one.
    pub fn can_roll_back(&self) -> bool {
        !self.is_cut && self.count > 0
    }

    /// How many are known.
    pub fn count(&self) -> u64 {
        if self.is_cut { 0 } else { self.count }
    }

    /// All of them, in documents with nothing else.
    pub fn iter(&self) -> impl Iterator<Item = RawDocumentBuf> + '_ {
        let mut rest = self.bytes.as_slice();
        std::iter::from_fn(move || {
            let length = i32::from_le_bytes(*rest.first_chunk()?);
            let (one, after) = rest.split_at_checked(usize::try_from(length).ok()?)?;
            rest = after;
            RawDocumentBuf::from_bytes(one.to_vec()).ok()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_come_back_and_too_many_are_given_up() {
        let mut ids = InsertedIds::default();
        assert!(!ids.can_roll_back());
        ids.push(RawBsonRef::Int32(7));
        ids.push(RawBsonRef::String("seven"));
        let back: Vec<_> = ids.iter().collect();
        assert_eq!(back, [rawdoc! { "_id": 7 }, rawdoc! { "_id": "seven" }]);
        assert!(ids.can_roll_back());
        let long = "x".repeat(ROLL_BACK_IDS_BYTES);
        ids.push(RawBsonRef::String(&long));
        assert!(!ids.can_roll_back() && ids.iter().next().is_none());
        ids.push(RawBsonRef::Int32(8));
        assert_eq!((ids.count(), ids.can_roll_back()), (0, false));
    }
}
