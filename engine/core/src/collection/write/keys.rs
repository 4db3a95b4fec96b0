//! The index keys of one document.

use bson::{
    DateTime,
    raw::{RawBsonRef, RawDocument},
};

use crate::{
    catalog::{EntryForm, IndexMeta},
    collection::WriteError,
    store::{EntryRows, RecordNumber},
    ttl::{self, ItemTtl, Rule},
    value::{
        Direction, KeyBytes, KeyEncoder, ParallelArrays, bucket, combinations,
        key::{append_key, ts},
    },
};

#[derive(Debug, Default)]
pub(in crate::collection) struct IndexKeys {
    pub(in crate::collection) keys: KeySet,
    pub(in crate::collection) multikey: bool,
}

/// Sorted, distinct keys, each with whether it holds the whole value. Nearly always exactly one.
#[derive(Debug, Default)]
pub(in crate::collection) struct KeySet(Vec<(Vec<u8>, bool)>);

impl KeySet {
    /// Takes keys in any order.
    fn of(mut keys: Vec<(Vec<u8>, bool)>) -> Self {
        // A long array has very many keys, so they are sorted once and not at each insertion.
        keys.sort_unstable();
        keys.dedup_by(|(a, _), (b, _)| a == b);
        Self(keys)
    }

    /// Whether the key holds the whole value; `None` when it is missing.
    pub(in crate::collection) fn get(&self, key: &[u8]) -> Option<bool> {
        let place = self.0.binary_search_by(|(known, _)| known.as_slice().cmp(key)).ok()?;
        self.0.get(place).map(|(_, exact)| *exact)
    }

    pub(in crate::collection) fn contains_key(&self, key: &[u8]) -> bool {
        self.get(key).is_some()
    }

    pub(in crate::collection) fn iter(&self) -> impl Iterator<Item = (&[u8], bool)> {
        self.0.iter().map(|(key, exact)| (key.as_slice(), *exact))
    }

    pub(in crate::collection) fn len(&self) -> usize {
        self.0.len()
    }

    pub(in crate::collection) fn into_keys(self) -> Vec<(Vec<u8>, bool)> {
        self.0
    }
}

/// The keys of a document; none when the index does not cover it.
///
/// # Errors
/// `ParallelArrays`.
pub(in crate::collection) fn keys_of(
    index: &IndexMeta,
    document: &RawDocument,
    modified_ms: i64,
) -> Result<IndexKeys, WriteError> {
    let mut found = IndexKeys::default();
    if !index.covers(document) {
        return Ok(found);
    }
    let mut keys = Vec::new();
    match index.form {
        EntryForm::Nothing => {}
        EntryForm::Buckets => {
            if let Some(start_ms) = bucket::start_ms(document) {
                let key = bucket_key(index, bucket::meta_of(document), start_ms);
                keys.push((key.bytes, key.exact));
            }
        }
        EntryForm::LastModified => {
            keys.push((last_modified_key(document, modified_ms), true));
        }
        EntryForm::Values => {
            found.multikey = tuples(index, document, &mut |tuple| keys.push(encode(index, tuple)))?;
        }
    }
    found.keys = KeySet::of(keys);
    Ok(found)
}

/// Adds the entries of a document to those of others; returns whether an array was met. Most
/// indexes have one field and most documents one value in it, so that key is encoded in place.
///
/// # Errors
/// As [`keys_of`]; then nothing was added.
pub(in crate::collection) fn add_entries(
    index: &IndexMeta,
    document: &RawDocument,
    modified_ms: i64,
    record: RecordNumber,
    entries: &mut EntryRows,
) -> Result<bool, WriteError> {
    if index.form == EntryForm::Values
        && let Some(part) = index.key.single()
    {
        if !index.covers(document) {
            return Ok(false);
        }
        let before = entries.len();
        let direction = part.kind.direction().unwrap_or(Direction::Ascending);
        let collation = index.collation.as_ref();
        let mut added = Ok(());
        let multikey = part.path.index_values(document, &mut |value| {
            if added.is_ok() && !(index.sparse && value.is_none()) {
                added =
                    entries.push_with(record, |keys| append_key(keys, value, direction, collation));
            }
        });
        if added.is_ok() && entries.len() <= before + 1 {
            return Ok(multikey);
        }
        // Several values; some may be equal.
        entries.truncate(before);
    }
    let found = keys_of(index, document, modified_ms)?;
    for (key, exact) in found.keys.iter() {
        entries.push(key, record, exact)?;
    }
    Ok(found.multikey)
}

/// Visits every combination of values that the index holds for a document, without those a sparse
/// index skips. Returns whether an array was met.
///
/// # Errors
/// `ParallelArrays` when two fields hold different arrays.
pub(super) fn tuples<'d>(
    index: &IndexMeta,
    document: &'d RawDocument,
    visit: &mut dyn FnMut(&[Option<RawBsonRef<'d>>]),
) -> Result<bool, WriteError> {
    let mut visit = |tuple: &[Option<RawBsonRef<'d>>]| {
        if !(index.sparse && tuple.iter().all(Option::is_none)) {
            visit(tuple);
        }
    };
    if let Some(part) = index.key.single() {
        return Ok(part.path.index_values(document, &mut |value| visit(&[value])));
    }
    let paths = index.key.parts.iter().map(|part| &part.path);
    combinations(paths, document, &mut visit)
        .map_err(|ParallelArrays| WriteError::ParallelArrays { index: index.name.clone() })
}

/// The key bytes of one combination, and whether they hold the whole value.
pub(in crate::collection) fn encode(
    index: &IndexMeta,
    tuple: &[Option<RawBsonRef<'_>>],
) -> (Vec<u8>, bool) {
    let mut encoder = KeyEncoder::of(index.collation.as_ref());
    for (part, value) in index.key.parts.iter().zip(tuple) {
        encoder.push(*value, part.kind.direction().unwrap_or(Direction::Ascending));
    }
    let key = encoder.finish();
    (key.bytes, key.exact)
}

/// The key of a bucket: its metadata if the index has two fields, then its start time.
pub(super) fn bucket_key(index: &IndexMeta, meta: Option<&RawDocument>, start_ms: i64) -> KeyBytes {
    let mut encoder = KeyEncoder::new();
    if index.key.single().is_none() {
        let meta = meta.and_then(|meta| meta.iter().next()?.ok());
        encoder.push(meta.map(|(_, value)| value), Direction::Ascending);
    }
    let start = DateTime::from_millis(start_ms);
    encoder.push(Some(RawBsonRef::DateTime(start)), Direction::Ascending);
    encoder.finish()
}

fn last_modified_key(document: &RawDocument, modified_ms: i64) -> Vec<u8> {
    let modified_ms = ttl::modified_base_ms(modified_ms);
    let own = || ttl::expiry(&Rule::LastModified { default_secs: None }, document, modified_ms);
    ts::encode(match ttl::item_ttl(document) {
        ItemTtl::Absent | ItemTtl::Ignored => ts::TsEntry::Default { modified_ms },
        ItemTtl::Never => ts::TsEntry::Never { modified_ms },
        ItemTtl::Secs(_) => match own().threshold_ms() {
            Some(threshold_ms) => ts::TsEntry::Own { threshold_ms },
            None => ts::TsEntry::Never { modified_ms },
        },
    })
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use bson::{Document, doc};

    use crate::command::testing::Lab;

    /// How long it takes to index one document with these values.
    #[expect(clippy::disallowed_methods, reason = "the work is measured, not a time of the data")]
    fn took(values: Vec<i32>) -> Duration {
        let lab = Lab::new();
        lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a'}]}");
        let document: Document = doc! { "_id": 1, "a": values };
        let insert = doc! { "insert": "c", "documents": [document] };
        let start = Instant::now();
        let reply = lab.run_document(&insert);
        let took = start.elapsed();
        assert_eq!(reply.get_i32("n").ok(), Some(1), "{reply}");
        lab.check("{count: 'c', query: {a: 77}, hint: 'a'}", "{n: 1}");
        lab.check("{validate: 'c'}", "{valid: true, 'keysPerIndex.a': 200000}");
        took
    }

    #[test]
    fn a_long_array_costs_the_same_in_any_order() {
        let twice =
            |values: Vec<i32>| values.into_iter().flat_map(|value| [value, value]).collect();
        let upwards = took(twice((0..200_000).collect()));
        let downwards = took(twice((0..200_000).rev().collect()));
        // Inserting each key into a sorted list would take minutes in descending order.
        assert!(downwards < upwards * 4 + Duration::from_secs(2), "{upwards:?} {downwards:?}");
    }
}
