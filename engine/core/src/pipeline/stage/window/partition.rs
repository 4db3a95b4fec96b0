//! The documents of one partition, in order.

use bson::{
    RawDocumentBuf,
    raw::{RawBson, RawBsonRef},
};

use crate::query::SortKey;

/// Documents that a window function may see together.
#[derive(Debug)]
pub(super) struct Partition {
    documents: Vec<RawDocumentBuf>,
    keys: Vec<Option<SortKey>>,
    /// The values that the documents sort by, if that is one field.
    places: Vec<RawBson>,
}

impl Partition {
    pub(super) fn new(
        (documents, keys): (Vec<RawDocumentBuf>, Vec<Option<SortKey>>),
        places: Vec<RawBson>,
    ) -> Self {
        Self { documents, keys, places }
    }

    pub(super) fn count(&self) -> usize {
        self.documents.len()
    }

    pub(super) fn document(&self, at: usize) -> Option<&RawDocumentBuf> {
        self.documents.get(at)
    }

    /// The value that a document sorts by; null if it has none.
    pub(super) fn place(&self, at: usize) -> RawBsonRef<'_> {
        self.places.get(at).map_or(RawBsonRef::Null, RawBson::as_raw_bson_ref)
    }

    /// How many documents from the first on sort by such values.
    pub(super) fn count_while(&self, is_such: impl Fn(RawBsonRef<'_>) -> bool) -> usize {
        self.places.partition_point(|place| is_such(place.as_raw_bson_ref()))
    }

    /// Whether a document has the same place in the order as the one before it.
    pub(super) fn is_tied(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.keys.get(before));
        before.is_some_and(|before| self.keys.get(at) == Some(before))
    }
}
