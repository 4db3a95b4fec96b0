//! How keys and values lie in the tables.
//!
//! Numbers are big-endian so that LMDB's byte order is their order.
//!
//! | table | key | value |
//! |---|---|---|
//! | documents | collection u32, record u64 | format u8, modified i64, checksum u64, BSON |
//! | entries | index u32, value key, record u64 | checksum of 31 bits, one bit "inexact" |
//! | meta, catalog, counters | name / `db\0collection` / id u32 | checksum u64, bytes |
//!
//! Every checksum covers its key too, so a value under a wrong key is noticed.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{Counters, Entry, StoreError, Stored};
use crate::limits::VALUE_KEY_BYTES_MAX;

const DOCUMENT_FORMAT: u8 = 1;
const DOCUMENT_HEADER_BYTES: usize = 17;
const RECORD_BYTES: usize = 8;
const ID_BYTES: usize = 4;

pub(super) fn document_key(collection: u32, record: u64) -> [u8; ID_BYTES + RECORD_BYTES] {
    let mut key = [0; ID_BYTES + RECORD_BYTES];
    key[..ID_BYTES].copy_from_slice(&collection.to_be_bytes());
    key[ID_BYTES..].copy_from_slice(&record.to_be_bytes());
    key
}

fn document_sum(key: &[u8], modified_ms: i64, bytes: &[u8]) -> u64 {
    let seed = xxh3_64_with_seed(key, u64::from_ne_bytes(modified_ms.to_ne_bytes()));
    xxh3_64_with_seed(bytes, seed)
}

/// Puts a document's value in the place of what `value` holds.
pub(super) fn write_document_value(
    value: &mut Vec<u8>,
    key: &[u8],
    modified_ms: i64,
    bytes: &[u8],
) {
    value.clear();
    value.reserve(DOCUMENT_HEADER_BYTES + bytes.len());
    value.push(DOCUMENT_FORMAT);
    value.extend_from_slice(&modified_ms.to_be_bytes());
    value.extend_from_slice(&document_sum(key, modified_ms, bytes).to_be_bytes());
    value.extend_from_slice(bytes);
}

/// Takes a document's key and value apart and verifies the checksum.
pub(super) fn stored<'t>(key: &[u8], value: &'t [u8]) -> Result<Stored<'t>, StoreError> {
    let Some((&id, record)) = key.split_first_chunk::<ID_BYTES>() else {
        return Err(StoreError::damaged("a document's key is too short"));
    };
    let Ok(record) = <[u8; RECORD_BYTES]>::try_from(record) else {
        return Err(StoreError::damaged("a document's key has a wrong length"));
    };
    let (collection, record) = (u32::from_be_bytes(id), u64::from_be_bytes(record));
    let damaged = |why: &str| {
        StoreError::damaged(format!("document {record} of collection {collection} {why}"))
    };
    let Some((&format, rest)) = value.split_first() else {
        return Err(damaged("is empty"));
    };
    if format != DOCUMENT_FORMAT {
        return Err(damaged("has an unknown format"));
    }
    let (Some((&modified, rest)), true) = (rest.split_first_chunk::<8>(), rest.len() >= 16) else {
        return Err(damaged("is cut short"));
    };
    let Some((&sum, bytes)) = rest.split_first_chunk::<8>() else {
        return Err(damaged("is cut short"));
    };
    let modified_ms = i64::from_be_bytes(modified);
    if document_sum(key, modified_ms, bytes) != u64::from_be_bytes(sum) {
        return Err(damaged("does not match its checksum"));
    }
    Ok(Stored { record, modified_ms, bytes })
}

/// The key of an entry.
pub(super) fn entry_key(index: u32, key: &[u8], record: u64) -> Result<Vec<u8>, StoreError> {
    let mut bytes = entry_bound(index, key)?;
    bytes.extend_from_slice(&record.to_be_bytes());
    Ok(bytes)
}

/// The first bytes of the keys of all entries with this value key.
pub(super) fn entry_bound(index: u32, key: &[u8]) -> Result<Vec<u8>, StoreError> {
    if key.len() > VALUE_KEY_BYTES_MAX {
        let what = format!("an index key of {} bytes is too long", key.len());
        return Err(StoreError::Bug { what });
    }
    let mut bytes = Vec::with_capacity(ID_BYTES + key.len() + RECORD_BYTES);
    bytes.extend_from_slice(&index.to_be_bytes());
    bytes.extend_from_slice(key);
    Ok(bytes)
}

#[inline]
fn entry_sum(key: &[u8], exact: bool) -> u32 {
    let sum = xxh3_64_with_seed(key, u64::from(exact)).to_be_bytes();
    u32::from_be_bytes([sum[0], sum[1], sum[2], sum[3]]) & !1
}

pub(super) fn entry_value(key: &[u8], exact: bool) -> [u8; 4] {
    (entry_sum(key, exact) | u32::from(!exact)).to_be_bytes()
}

/// Takes an entry's key and value apart and verifies the checksum.
#[inline]
pub(super) fn entry<'t>(key: &'t [u8], value: &[u8]) -> Result<Entry<'t>, StoreError> {
    let parts = key.get(ID_BYTES..).and_then(<[u8]>::split_last_chunk::<RECORD_BYTES>);
    let (Some((value_key, &record)), Ok(value)) = (parts, <[u8; 4]>::try_from(value)) else {
        return Err(StoreError::damaged("an index entry has a wrong length"));
    };
    let value = u32::from_be_bytes(value);
    let (record, exact) = (u64::from_be_bytes(record), value & 1 == 0);
    if entry_sum(key, exact) != value & !1 {
        return Err(damaged_entry(record));
    }
    Ok(Entry { key: value_key, record, exact })
}

#[cold]
fn damaged_entry(record: u64) -> StoreError {
    let what = format!("an index entry of document {record} does not match its checksum");
    StoreError::damaged(what)
}

/// The number at the beginning of a key.
pub(super) fn leading_id(key: &[u8]) -> Option<u32> {
    key.first_chunk::<ID_BYTES>().map(|id| u32::from_be_bytes(*id))
}

/// A value of the small tables, with its checksum in front.
pub(super) fn seal(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(8 + bytes.len());
    value.extend_from_slice(&xxh3_64_with_seed(bytes, xxh3_64(key)).to_be_bytes());
    value.extend_from_slice(bytes);
    value
}

/// Verifies and removes the checksum of [`seal`]; `what` names the value in the error.
pub(super) fn unseal<'t>(key: &[u8], value: &'t [u8], what: &str) -> Result<&'t [u8], StoreError> {
    match value.split_first_chunk::<8>() {
        Some((sum, bytes))
            if u64::from_be_bytes(*sum) == xxh3_64_with_seed(bytes, xxh3_64(key)) =>
        {
            Ok(bytes)
        }
        _ => Err(StoreError::damaged(format!("{what} does not match its checksum"))),
    }
}

pub(super) fn counters_value(counters: Counters) -> [u8; 32] {
    let mut bytes = [0; 32];
    let numbers = [counters.documents, counters.bytes, counters.entries, counters.next_record];
    for (place, number) in bytes.chunks_exact_mut(8).zip(numbers) {
        place.copy_from_slice(&number.to_be_bytes());
    }
    bytes
}

pub(super) fn counters(bytes: &[u8]) -> Result<Counters, StoreError> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    let ([documents, bytes, entries, next_record], []) = (numbers, rest) else {
        return Err(StoreError::damaged("counters have a wrong length"));
    };
    let number = |bytes: &[u8; 8]| u64::from_be_bytes(*bytes);
    Ok(Counters {
        documents: number(documents),
        bytes: number(bytes),
        entries: number(entries),
        next_record: number(next_record),
    })
}

/// The key of a catalog record.
pub(super) fn catalog_key(db: &str, collection: &str) -> Result<Vec<u8>, StoreError> {
    let key = [db.as_bytes(), &[0], collection.as_bytes()].concat();
    if db.is_empty() || db.contains('\0') || collection.contains('\0') || key.len() > 511 {
        return Err(StoreError::Bug { what: "a name can't be a key of the catalog".to_owned() });
    }
    Ok(key)
}

/// Database and collection of a catalog key.
pub(super) fn catalog_names(key: &[u8]) -> Result<(&str, &str), StoreError> {
    std::str::from_utf8(key)
        .ok()
        .and_then(|names| names.split_once('\0'))
        .ok_or_else(|| StoreError::damaged("a name in the catalog is not text"))
}
