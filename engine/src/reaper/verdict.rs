//! What all TTL rules say about one document.

use bson::{Bson, raw::RawBsonRef};

use super::target::Target;
use crate::{
    catalog::CollectionMeta,
    store::{Reader, Scan, Store, StoreError, Stored},
    ttl::{self, Expiry},
    value::{Direction, key, same_value},
};
use std::ops::Bound;

/// What one rule says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Verdict {
    /// The index's name.
    pub index: String,
    /// The path the rule looks at.
    pub field: String,
    /// When and why, or why never.
    pub expiry: Expiry,
}

/// What the rules of its collection say about a document.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Verdicts {
    /// One for each rule.
    pub rules: Vec<Verdict>,
    /// The place in `rules` of the one that removes it first.
    pub winner: Option<usize>,
}

/// Asks every rule about the document with this `_id`; `None` if there is no such document.
///
/// # Errors
/// When the store can't be read.
pub fn verdict(
    store: &Store,
    collection: &CollectionMeta,
    targets: &[Target],
    id: &Bson,
) -> Result<Option<Verdicts>, StoreError> {
    let Ok(holder) = bson::RawDocumentBuf::try_from(&bson::doc! { "_id": id.clone() }) else {
        return Ok(None);
    };
    let Ok(Some(id)) = holder.get("_id") else { return Ok(None) };
    store.read(|reader| {
        let Some(stored) = document_by_id(reader, collection, id)? else { return Ok(None) };
        let mut rules = Vec::with_capacity(targets.len());
        for target in targets {
            rules.push(Verdict {
                index: target.name().to_owned(),
                field: target.field().to_owned(),
                expiry: target.expiry(&stored)?,
            });
        }
        let winner = ttl::winner(rules.iter().map(|rule| &rule.expiry));
        Ok(Some(Verdicts { rules, winner }))
    })
}

/// The document with this `_id`, also one that is past its threshold.
///
/// # Errors
/// When the store can't be read.
pub fn document_by_id<'t>(
    reader: &Reader<'t>,
    collection: &CollectionMeta,
    id: RawBsonRef<'_>,
) -> Result<Option<Stored<'t>>, StoreError> {
    let Some(index) = collection.id_index() else { return Ok(None) };
    let direction = index.field().map_or(Direction::Ascending, |(_, direction)| direction);
    let key = key::encode(Some(id), direction).bytes;
    let bound = Bound::Included(key.as_slice());
    for entry in reader.entries(index.id, bound, bound, Scan::Forward)? {
        let Some(stored) = reader.document(collection.id, entry?.record)? else { continue };
        let found = stored.document()?.get("_id").ok().flatten();
        if found.is_some_and(|found| same_value(found, id)) {
            return Ok(Some(stored));
        }
    }
    Ok(None)
}
