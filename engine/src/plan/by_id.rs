//! The shortest way to a document: its `_id`.

use std::sync::Arc;

use bson::raw::RawBsonRef;

use super::{Operation, PlanError, operation::Way};
use crate::{
    catalog::CollectionMeta,
    store::{EntryPrefix, Reader, Stored},
    value::key::append_key,
};

/// The document whose `_id` has this value; whether it is shown and matches, the caller has to see.
/// `None` when this is not the way: for views, for measurements, and for an `_id` that is too long for
/// a key.
///
/// # Errors
/// The operation of this thread was stopped, or the store failed.
pub fn find_by_id<'t>(
    reader: &Reader<'t>,
    collection: &CollectionMeta,
    id: RawBsonRef<'_>,
) -> Result<Option<Option<Stored<'t>>>, PlanError> {
    let index = collection.id_index().filter(|index| index.answers_queries());
    let Some((index, (_, direction))) = index.and_then(|index| Some((index, index.field()?)))
    else {
        return Ok(None);
    };
    let mut key = EntryPrefix::new(index.id);
    let is_exact = append_key(key.end(), Some(id), direction);
    if !is_exact || collection.is_view() || collection.options.time_series.is_some() {
        return Ok(None);
    }
    let operation = Operation::current();
    if let Some(operation) = &operation {
        operation.check()?;
        operation.note_plan(|| Way::Index("IXSCAN", Arc::clone(index)));
    }
    let made = match index.record_of(id) {
        Some(record) => reader.document(collection.id, record)?,
        None => None,
    };
    let found = match made {
        Some(made) => Some(made),
        None => match reader.entry(&key)? {
            Some(entry) => reader.document(collection.id, entry.record)?,
            None => return Ok(Some(None)),
        },
    };
    if let Some(operation) = &operation {
        operation.note_examined(1, u64::from(found.is_some()));
    }
    Ok(Some(found))
}
