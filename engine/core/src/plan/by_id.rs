//! Finds a document by its `_id`, without a search.

use std::{ops::Bound, sync::Arc};

use bson::raw::RawBsonRef;

use super::{Operation, PlanError, summary::PlanSummary};
use crate::{
    catalog::{CollectionMeta, EntryForm},
    store::{EntryPrefix, Reader, Scan, StoreError, StoredDocument},
    value::{
        key::{append_key, encode_in},
        same_value_in,
    },
};

/// The result of a look for one `_id`.
#[derive(Debug)]
pub enum ById<'t> {
    /// The document, if there is one. The caller checks whether it is visible and matches.
    Looked(Option<StoredDocument<'t>>),
    /// Views, measurements and collations need a search.
    NeedsSearch,
}

/// The document whose `_id` has this value.
///
/// # Errors
/// The operation of this thread was stopped, or the store failed.
pub fn find_by_id<'t>(
    reader: &Reader<'t>,
    collection: &CollectionMeta,
    id: RawBsonRef<'_>,
) -> Result<ById<'t>, PlanError> {
    let index = collection.id_index().filter(|index| index.answers_queries());
    let is_plain = !collection.is_view() && collection.options.time_series.is_none();
    let Some(index) = index.filter(|index| is_plain && index.collation.is_none()) else {
        return Ok(ById::NeedsSearch);
    };
    let operation = Operation::current();
    if let Some(operation) = &operation {
        operation.check()?;
        operation.note_plan(|| PlanSummary::Index("IXSCAN", Arc::clone(index)));
        operation.note_index(index.id);
    }
    let found = document_with_id(reader, collection, id)?;
    if let Some(operation) = operation.filter(|_| found.is_some()) {
        operation.note_examined(1, 1);
    }
    Ok(ById::Looked(found))
}

/// The document with this `_id`, even past its threshold: stored under the number the `_id`
/// produces, or found by its entry.
///
/// # Errors
/// When the store can't be read.
pub fn document_with_id<'t>(
    reader: &Reader<'t>,
    collection: &CollectionMeta,
    id: RawBsonRef<'_>,
) -> Result<Option<StoredDocument<'t>>, StoreError> {
    let index = collection.id_index().filter(|index| index.form == EntryForm::Values);
    let Some((index, (_, direction))) = index.and_then(|index| Some((index, index.field()?)))
    else {
        return Ok(None);
    };
    let collation = index.collation.as_ref();
    // Tried first, because `_id`s that ascend have no entry at all.
    if let Some(record) = index.record_of(id)
        && let Some(stored) = reader.document(collection.id, record)?
    {
        return Ok(Some(stored));
    }
    let mut prefix = EntryPrefix::new(index.id);
    // A whole key belongs to one value, so one search is enough.
    if append_key(prefix.end(), Some(id), direction, collation) {
        let Some(entry) = reader.entry(&prefix)? else { return Ok(None) };
        return reader.document(collection.id, entry.record);
    }
    // A truncated key may belong to other values too.
    let key = encode_in(Some(id), direction, collation).bytes;
    let bound = Bound::Included(key.as_slice());
    for entry in reader.entries(index.id, bound, bound, Scan::Forward)? {
        let Some(stored) = reader.document(collection.id, entry?.record)? else { continue };
        let found = stored.document()?.get("_id").ok().flatten();
        if found.is_some_and(|found| same_value_in(found, id, collation)) {
            return Ok(Some(stored));
        }
    }
    Ok(None)
}

/// Whether a document with this `_id` exists, even past its threshold or damaged: it occupies the
/// `_id` too.
///
/// # Errors
/// When the store can't be read.
pub fn has_document_with_id(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    id: RawBsonRef<'_>,
) -> Result<bool, StoreError> {
    let found = StoreError::unless_damaged(document_with_id(reader, collection, id))?;
    Ok(found.is_none_or(|found| found.is_some()))
}
