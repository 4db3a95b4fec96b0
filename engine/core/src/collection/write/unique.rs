//! Detecting duplicate keys of unique indexes.

use std::ops::Bound;

use bson::{Bson, Document, RawDocument};

use super::keys::{IndexKeys, encode, tuples};
use crate::{
    catalog::{CollectionMeta, IndexMeta},
    collection::{DuplicateKey, WriteError},
    store::{Reader, RecordNumber, Scan, StoreError},
    value::{field::field, same_value_in},
};

/// A key that another document has.
pub(super) struct KeyConflict {
    key: Vec<u8>,
    /// The other document can't be read.
    is_damaged: bool,
}

/// Finds another document with one of the keys, unless `ignore` accepts it.
pub(super) fn find_conflict(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
    keys: &IndexKeys,
    document: &RawDocument,
    own_record: RecordNumber,
    ignore: &mut dyn FnMut(RecordNumber) -> Result<bool, StoreError>,
) -> Result<Option<KeyConflict>, StoreError> {
    for (key, _) in keys.keys.iter() {
        // A document with an implicit `_id` has no entry, so it is looked for by its record number.
        let id = if index.has_implicit_ids { field(document, "_id") } else { None };
        if let Some(record) = id.and_then(|id| index.record_of(id))
            && record != own_record
            && reader.has_document(collection.id, record)?
            && !ignore(record)?
        {
            return KeyConflict::by(reader, collection, key, record).map(Some);
        }
        // Most keys are new, and one lookup without a cursor tells.
        if !reader.has_key(index.id, key)? {
            continue;
        }
        let at_key = Bound::Included(key);
        for entry in reader.entries(index.id, at_key, at_key, Scan::Forward)? {
            let entry = entry?;
            if entry.record == own_record {
                continue;
            }
            // A truncated key may belong to another value, so the documents decide.
            let same =
                entry.exact || shares_value(reader, collection, index, document, entry.record)?;
            if same && !ignore(entry.record)? {
                return KeyConflict::by(reader, collection, key, entry.record).map(Some);
            }
        }
    }
    Ok(None)
}

impl KeyConflict {
    fn by(
        reader: &Reader<'_>,
        collection: &CollectionMeta,
        key: &[u8],
        record: RecordNumber,
    ) -> Result<Self, StoreError> {
        // A damaged document keeps its key. The error says so, because no read finds the document.
        let other = StoreError::unless_damaged(reader.document(collection.id, record))?;
        Ok(Self { key: key.to_vec(), is_damaged: other.is_none() })
    }
}

/// Whether the stored document shares a combination of values with the given one. Truncated keys
/// can be equal for different values.
pub(in crate::collection) fn shares_value(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
    document: &RawDocument,
    record: RecordNumber,
) -> Result<bool, StoreError> {
    let Some(other) = reader.document(collection.id, record)? else { return Ok(false) };
    let other = other.document()?;
    let mut others = Vec::new();
    let mut shared = false;
    // Both documents have keys in this index, so neither call can fail.
    let _ = tuples(index, other, &mut |tuple| others.push(tuple.to_vec()));
    let _ = tuples(index, document, &mut |tuple| {
        shared |= others.iter().any(|other| {
            other.iter().zip(tuple).all(|(a, b)| {
                let null = bson::raw::RawBsonRef::Null;
                same_value_in(a.unwrap_or(null), b.unwrap_or(null), index.collation.as_ref())
            })
        });
    });
    Ok(shared)
}

/// The error that names the key.
pub(super) fn duplicate(
    collection: &CollectionMeta,
    index: &IndexMeta,
    document: &RawDocument,
    conflict: &KeyConflict,
) -> WriteError {
    let mut key_value = Document::new();
    // An array gives several keys, so the tuple of the one that conflicts is looked for.
    let _ = tuples(index, document, &mut |tuple| {
        if key_value.is_empty() && encode(index, tuple).0 == conflict.key {
            for (part, value) in index.key.parts.iter().zip(tuple) {
                let value = value.and_then(|value| Bson::try_from(value).ok());
                key_value.insert(part.path.as_str(), value.unwrap_or(Bson::Null));
            }
        }
    });
    WriteError::DuplicateKey(Box::new(DuplicateKey {
        namespace: collection.namespace.clone(),
        index: index.name.clone(),
        key_pattern: index.key.source.clone(),
        key_value,
        collation: index.collation.clone(),
        is_damaged: conflict.is_damaged,
    }))
}
