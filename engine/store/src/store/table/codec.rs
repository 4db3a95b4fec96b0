//! The byte layout of keys and values in the tables.
//!
//! Numbers are big-endian, so that LMDB's byte order is their order.
//!
//! | table | key | value |
//! |---|---|---|
//! | documents | collection, record | modified, checksum of 40 bits, BSON |
//! | entries | index, value key, record | checksum of 28 bits, length of the record number, "inexact" |
//! | meta, catalog, counters | name / `db\0collection` / id u32 | checksum u64, bytes |
//!
//! Ids, record numbers and times are varints ([`Varint`]). Every checksum covers its key too, so a value
//! under a wrong key is detected. `engine/docs/design.md` draws the layouts.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::key_varint::{
    ID_BYTES_MAX, JoinedBytes, LONG_RECORD_BYTES, RecordVarint, ShortBytes, VARINT_BYTES_MAX,
    VARINT_LENGTH_BITS, VARINT_MAX, Varint, varint_len,
};
use crate::limits::{RECORD_MAX, VALUE_KEY_BYTES_MAX};
use crate::store::{Counters, Entry, RecordNumber, StoreError, StoredDocument};
use crate::value::id_number::RecordName;

/// Precedes a time of eight bytes, which does not fit into a varint. As a varint this byte is time 0, which
/// is always written in eight bytes.
const LONG_TIME_MARK: u8 = 0;
const LONG_TIME_BYTES: usize = 9;
const DOCUMENT_SUM_BYTES: usize = 5;
const DOCUMENT_SUM_BITS: u32 = 40;
const DOCUMENT_SUM_MASK: u64 = u64::MAX << (u64::BITS - DOCUMENT_SUM_BITS);

#[inline]
pub(in crate::store) fn document_key(collection: u32, record: RecordNumber) -> ShortBytes {
    let id = Varint::new(collection.into());
    match RecordVarint::new(record) {
        RecordVarint::Short(record) => JoinedBytes::EMPTY.and_varint(id).and_varint(record).short(),
        RecordVarint::Long(record) => {
            let mut key = JoinedBytes::EMPTY.and_varint(id).short();
            let end = key.len + LONG_RECORD_BYTES;
            if let Some(to) = key.bytes.get_mut(key.len..end) {
                to.copy_from_slice(&record);
            }
            ShortBytes { len: end, ..key }
        }
    }
}

#[inline]
fn document_sum(key: &[u8], modified_ms: i64, bytes: &[u8]) -> [u8; 8] {
    let seed = xxh3_64_with_seed(key, u64::from_ne_bytes(modified_ms.to_ne_bytes()));
    (xxh3_64_with_seed(bytes, seed) & DOCUMENT_SUM_MASK).to_be_bytes()
}

/// The bytes before the BSON in a document's value.
#[inline]
pub(super) fn document_header(key: &[u8], modified_ms: i64, bytes: &[u8]) -> ShortBytes {
    let time = if let Ok(modified @ 1..=VARINT_MAX) = u64::try_from(modified_ms) {
        JoinedBytes::EMPTY.and_varint(Varint::new(modified))
    } else {
        let mark = [LONG_TIME_MARK, 0, 0, 0, 0, 0, 0, 0];
        JoinedBytes::EMPTY.and(mark, 1).and(modified_ms.to_be_bytes(), 8)
    };
    time.and(document_sum(key, modified_ms, bytes), DOCUMENT_SUM_BITS / u8::BITS).short()
}

/// Replaces the contents of `value` by a document's value.
pub(in crate::store) fn write_document_value(
    value: &mut Vec<u8>,
    key: &[u8],
    modified_ms: i64,
    bytes: &[u8],
) {
    let header = document_header(key, modified_ms, bytes);
    value.clear();
    value.reserve(header.len() + bytes.len());
    value.extend_from_slice(&header);
    value.extend_from_slice(bytes);
}

/// The time at the start of a document's value, and the bytes after it.
#[inline]
fn read_time(value: &[u8]) -> Option<(i64, &[u8])> {
    if let Some((&LONG_TIME_MARK, rest)) = value.split_first() {
        let (modified, rest) = rest.split_first_chunk::<8>()?;
        return Some((i64::from_be_bytes(*modified), rest));
    }
    let (modified, rest) = Varint::read(value)?;
    Some((i64::try_from(modified).ok()?, rest))
}

/// The collection and record number in a document's key.
#[inline]
pub(in crate::store) fn document_numbers(key: &[u8]) -> Option<(u32, RecordNumber)> {
    let (collection, record) = Varint::read(key)?;
    Some((u32::try_from(collection).ok()?, RecordVarint::read(record)?))
}

/// Decodes a document's key and value and verifies the checksum.
pub(in crate::store) fn stored<'t>(
    key: &[u8],
    value: &'t [u8],
) -> Result<StoredDocument<'t>, StoreError> {
    let Some((collection, record)) = document_numbers(key) else {
        return Err(bad_document_key());
    };
    let damaged = |why: &str| damaged_document(collection, record, why);
    let parts = read_time(value).and_then(|(modified_ms, rest)| {
        let (sum, bytes) = rest.split_first_chunk::<DOCUMENT_SUM_BYTES>()?;
        Some((modified_ms, sum, bytes))
    });
    let Some((modified_ms, sum, bytes)) = parts else {
        return Err(damaged("is truncated"));
    };
    if document_sum(key, modified_ms, bytes).first_chunk() != Some(sum) {
        return Err(damaged("does not match its checksum"));
    }
    Ok(StoredDocument { record, modified_ms, bytes })
}

#[cold]
fn damaged_document(collection: u32, record: RecordNumber, why: &str) -> StoreError {
    let what = format!("{} {why}", RecordName(record));
    StoreError::damaged(match collection {
        // A row of the trash gets no hint, because it leaves the trash by itself.
        0 => what,
        _ => format!("{what}{DAMAGED_HINT}"),
    })
}

/// The end of each error about a damaged document.
pub const DAMAGED_HINT: &str = "; use mayflyDamaged to list and remove damaged documents";

#[cold]
pub(in crate::store) fn bad_document_key() -> StoreError {
    StoreError::damaged("a document's key has a wrong length")
}

/// The BSON in a document's value, without verifying the checksum. The first byte gives the length of the
/// header. If the BSON's own length contradicts it, that byte may be the damaged one, so every possible header
/// length is tried.
pub(in crate::store) fn document_bytes(value: &[u8]) -> &[u8] {
    let fits = |bytes: &&[u8]| {
        let length = bytes.first_chunk().map(|length| u32::from_le_bytes(*length));
        length.is_some_and(|length| length as usize == bytes.len())
    };
    let after_time = read_time(value).map_or(value, |(_, rest)| rest);
    let expected = after_time.get(DOCUMENT_SUM_BYTES..).unwrap_or_default();
    if fits(&expected) {
        return expected;
    }
    let headers = DOCUMENT_SUM_BYTES + 1..=DOCUMENT_SUM_BYTES + LONG_TIME_BYTES;
    headers.filter_map(|header| value.get(header..)).find(fits).unwrap_or(expected)
}

pub(in crate::store) fn entry_key(
    index: u32,
    key: &[u8],
    record: RecordNumber,
) -> Result<Vec<u8>, StoreError> {
    let mut bytes = entry_bound(index, key)?;
    RecordVarint::new(record).append_to(&mut bytes);
    Ok(bytes)
}

/// The common prefix of all entries with this value key.
pub(in crate::store) fn entry_bound(index: u32, key: &[u8]) -> Result<Vec<u8>, StoreError> {
    if key.len() > VALUE_KEY_BYTES_MAX {
        return Err(too_long(key.len()));
    }
    let mut bytes = Vec::with_capacity(ID_BYTES_MAX + key.len() + LONG_RECORD_BYTES);
    begin_entry_key(&mut bytes, index);
    bytes.extend_from_slice(key);
    Ok(bytes)
}

/// Appends the bytes before an entry's value key. Returns where the value key begins.
#[inline]
pub(in crate::store) fn begin_entry_key(bytes: &mut Vec<u8>, index: u32) -> usize {
    Varint::new(index.into()).append_to(bytes);
    bytes.len()
}

/// Appends the bytes after an entry's value key, which begins at `start`.
#[inline]
pub(super) fn end_entry_key(
    bytes: &mut Vec<u8>,
    start: usize,
    record: RecordNumber,
) -> Result<(), StoreError> {
    let len = bytes.len().saturating_sub(start);
    if len > VALUE_KEY_BYTES_MAX {
        return Err(too_long(len));
    }
    RecordVarint::new(record).append_to(bytes);
    Ok(())
}

#[cold]
fn too_long(len: usize) -> StoreError {
    StoreError::Bug { what: format!("an index key of {len} bytes is too long") }
}

/// Refuses a record number that can't be encoded.
pub(in crate::store) fn check_record(record: RecordNumber) -> Result<(), StoreError> {
    if record <= RECORD_MAX {
        return Ok(());
    }
    Err(StoreError::Bug { what: format!("the record number {record} is too high") })
}

const INEXACT: u32 = 1;
const RECORD_LENGTH_SHIFT: u32 = 1;
const RECORD_LENGTH_MASK: u32 = 0b111;
const ENTRY_SUM_MASK: u32 = u32::MAX << (RECORD_LENGTH_SHIFT + VARINT_LENGTH_BITS);

/// The checksum covers the key and the four bits after the checksum.
#[inline]
fn entry_sum(key: &[u8], bits: u32) -> u32 {
    let [a, b, c, d, ..] = xxh3_64_with_seed(key, u64::from(bits)).to_be_bytes();
    u32::from_be_bytes([a, b, c, d]) & ENTRY_SUM_MASK
}

/// The value of an entry; `key` is the whole table key.
#[inline]
pub(in crate::store) fn entry_value(key: &[u8], record: RecordNumber, exact: bool) -> [u8; 4] {
    let length = match RecordVarint::new(record) {
        RecordVarint::Short(varint) => varint.len - 1,
        RecordVarint::Long(_) => RECORD_LENGTH_MASK,
    };
    let bits = length << RECORD_LENGTH_SHIFT | u32::from(!exact);
    (entry_sum(key, bits) | bits).to_be_bytes()
}

/// The length of the record number at the end of an entry's key.
#[inline]
pub(super) fn record_len(value: &[u8]) -> Option<usize> {
    let bits = u32::from_be_bytes(value.try_into().ok()?) >> RECORD_LENGTH_SHIFT;
    // The length is kept in the value, because a record number can't be read backwards.
    let len = (bits & RECORD_LENGTH_MASK) as usize + 1;
    Some(if len < VARINT_BYTES_MAX { len } else { LONG_RECORD_BYTES })
}

/// Whether an entry has exactly the index and value key of `bound`.
#[inline]
pub(in crate::store) fn is_under((key, value): (&[u8], &[u8]), bound: &[u8]) -> bool {
    key.strip_prefix(bound).is_some_and(|record| record_len(value) == Some(record.len()))
}

/// Decodes an entry's key and value and verifies the checksum.
#[expect(clippy::inline_always, reason = "the result would be moved twice")]
#[inline(always)]
pub(in crate::store) fn entry<'t>(key: &'t [u8], value: &[u8]) -> Result<Entry<'t>, StoreError> {
    let (Some((value_key, record)), Some(value)) = (entry_parts(key, value), value.first_chunk())
    else {
        return Err(cut_entry());
    };
    let value = u32::from_be_bytes(*value);
    let bits = value & !ENTRY_SUM_MASK;
    if entry_sum(key, bits) | bits != value {
        return Err(damaged_entry(record));
    }
    Ok(Entry { key: value_key, record, exact: bits & INEXACT == 0 })
}

#[inline]
fn entry_parts<'t>(key: &'t [u8], value: &[u8]) -> Option<(&'t [u8], RecordNumber)> {
    let rest = key.get(varint_len(*key.first()?) as usize..)?;
    let (value_key, record) = rest.split_at_checked(rest.len().checked_sub(record_len(value)?)?)?;
    Some((value_key, RecordVarint::read(record)?))
}

#[cold]
fn cut_entry() -> StoreError {
    StoreError::damaged("an index entry has a wrong length")
}

#[cold]
fn damaged_entry(record: RecordNumber) -> StoreError {
    let what = format!("an index entry of {} does not match its checksum", RecordName(record));
    StoreError::damaged(what)
}

/// Bytes of an entry's key and value.
pub(super) fn entry_bytes(index: u32, key: &[u8], record: RecordNumber) -> u64 {
    let numbers = Varint::new(index.into()).len as usize + RecordVarint::new(record).len();
    (numbers + key.len() + size_of::<u32>()) as u64
}

/// The id at the start of a key of `documents` or `entries`.
pub(in crate::store) fn leading_id(key: &[u8]) -> Option<u32> {
    Varint::read(key).and_then(|(id, _)| u32::try_from(id).ok())
}

/// The common prefix of all keys of a collection or an index.
pub(in crate::store) fn id_bound(id: u32) -> Vec<u8> {
    Varint::new(id.into()).as_slice().to_vec()
}

/// A key above all of a collection or an index and below those of the next.
pub(super) fn sentinel(id: u32) -> Vec<u8> {
    let mut key = id_bound(id);
    // No document or entry has this key: it is longer than a document's key, and no value key
    // begins with 0xFF.
    key.resize(key.len() + LONG_RECORD_BYTES + 1, u8::MAX);
    key
}

/// The big-endian number at the start of the bytes.
pub(in crate::store) fn number(bytes: &[u8]) -> Option<u32> {
    bytes.first_chunk().map(|bytes| u32::from_be_bytes(*bytes))
}

/// A value of `meta`, `catalog` or `counters`: the checksum, then the bytes.
pub(in crate::store) fn seal(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut value = Vec::with_capacity(8 + bytes.len());
    value.extend_from_slice(&xxh3_64_with_seed(bytes, xxh3_64(key)).to_be_bytes());
    value.extend_from_slice(bytes);
    value
}

/// Verifies and removes the checksum that [`seal`] has added; `what` names the value in the error.
pub(in crate::store) fn unseal<'t>(
    key: &[u8],
    value: &'t [u8],
    what: &str,
) -> Result<&'t [u8], StoreError> {
    match value.split_first_chunk::<8>() {
        Some((sum, bytes))
            if u64::from_be_bytes(*sum) == xxh3_64_with_seed(bytes, xxh3_64(key)) =>
        {
            Ok(bytes)
        }
        _ => Err(StoreError::damaged(format!("{what} does not match its checksum"))),
    }
}

/// The next record number takes eight bytes if it fits, else sixteen.
pub(in crate::store) fn counters_value(counters: Counters) -> Vec<u8> {
    let numbers = [counters.documents, counters.bytes, counters.entries];
    let mut bytes: Vec<u8> = numbers.into_iter().flat_map(u64::to_be_bytes).collect();
    match u64::try_from(counters.next_record) {
        Ok(next) => bytes.extend_from_slice(&next.to_be_bytes()),
        Err(_) => bytes.extend_from_slice(&counters.next_record.to_be_bytes()),
    }
    bytes
}

pub(in crate::store) fn counters(bytes: &[u8]) -> Result<Counters, StoreError> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    let number = |bytes: &[u8; 8]| u64::from_be_bytes(*bytes);
    let (documents, bytes, entries, next_record) = match (numbers, rest) {
        ([documents, bytes, entries, next], []) => (documents, bytes, entries, number(next).into()),
        ([documents, bytes, entries, high, low], []) => {
            let next = u128::from(number(high)) << u64::BITS | u128::from(number(low));
            (documents, bytes, entries, next)
        }
        _ => return Err(StoreError::damaged("counters have a wrong length")),
    };
    Ok(Counters {
        documents: number(documents),
        bytes: number(bytes),
        entries: number(entries),
        next_record,
    })
}

pub(in crate::store) fn catalog_key(db: &str, collection: &str) -> Result<Vec<u8>, StoreError> {
    let key = [db.as_bytes(), &[0], collection.as_bytes()].concat();
    if db.is_empty() || db.contains('\0') || collection.contains('\0') || key.len() > 511 {
        return Err(StoreError::Bug { what: "a name can't be a key of the catalog".to_owned() });
    }
    Ok(key)
}

/// The database and collection in a catalog key.
pub(in crate::store) fn catalog_names(key: &[u8]) -> Result<(&str, &str), StoreError> {
    std::str::from_utf8(key)
        .ok()
        .and_then(|names| names.split_once('\0'))
        .ok_or_else(|| StoreError::damaged("a name in the catalog is not text"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::table::key_varint::{SHORT_BYTES_MAX, SHORT_RECORD_MAX};

    #[test]
    fn record_numbers_sort_as_numbers_and_round_trip() {
        let edges = (0..114).flat_map(|bit| {
            let power: RecordNumber = 1 << bit;
            [power - 1, power, power + 1]
        });
        let mut numbers: Vec<RecordNumber> = edges.chain([RECORD_MAX - 1, RECORD_MAX]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let keys: Vec<Vec<u8>> =
            numbers.iter().map(|record| document_key(7, *record).to_vec()).collect();
        assert!(keys.is_sorted(), "the bytes sort as the numbers do");
        for (number, key) in numbers.iter().zip(&keys) {
            assert_eq!(document_numbers(key), Some((7, *number)));
            assert_eq!(document_numbers(&key[..key.len() - 1]), None, "{number} cut short");
            assert!(*key < sentinel(7) && sentinel(7) < document_key(8, 0).to_vec());
        }
        assert_eq!(*document_key(7, u128::MAX), *document_key(7, RECORD_MAX));
        assert_eq!(document_key(7, SHORT_RECORD_MAX).len(), 1 + 7);
        assert_eq!(document_key(u32::MAX, RECORD_MAX).len(), SHORT_BYTES_MAX);
    }

    #[test]
    fn counters_hold_the_longest_record_number() {
        for next_record in [1, u128::from(u64::MAX), 1 << 64, RECORD_MAX] {
            let given = Counters { documents: 1, bytes: 2, entries: 3, next_record };
            assert_eq!(counters(&counters_value(given)), Ok(given));
        }
        assert!(counters(&[0; 24]).is_err() && counters(&[0; 39]).is_err());
    }

    #[test]
    fn the_bytes_of_a_document_are_found_whatever_bit_of_it_is_flipped() {
        let (key, mut value) = (document_key(7, 70_000), Vec::new());
        let bson = bson::rawdoc! { "_id": 1, "a": "text" };
        for modified_ms in [1, 1_767_225_600_000, -1] {
            write_document_value(&mut value, &key, modified_ms, bson.as_bytes());
            for bit in 0..value.len() * 8 {
                value[bit / 8] ^= 1 << (bit % 8);
                assert_eq!(document_bytes(&value).len(), bson.as_bytes().len(), "bit {bit}");
                value[bit / 8] ^= 1 << (bit % 8);
            }
        }
    }

    #[test]
    fn documents_round_trip_and_any_changed_bit_is_noticed() {
        let now = 1_767_225_600_000;
        let short = [1, 31, 32, now, VARINT_MAX.cast_signed()];
        let others = [0, -1, VARINT_MAX.cast_signed() + 1, i64::MIN, i64::MAX];
        let mut value = Vec::new();
        for modified_ms in short.into_iter().chain(others) {
            let key = document_key(7, 70_000);
            write_document_value(&mut value, &key, modified_ms, b"bytes");
            let found = stored(&key, &value).expect("a document");
            let parts = (found.record, found.modified_ms, found.bytes);
            assert_eq!(parts, (70_000, modified_ms, &b"bytes"[..]));
            for bit in 0..value.len() * 8 {
                let mut value = value.clone();
                value[bit / 8] ^= 1 << (bit % 8);
                assert!(stored(&key, &value).is_err(), "bit {bit} of {modified_ms}");
            }
            for len in 0..value.len() {
                assert!(stored(&key, &value[..len]).is_err(), "{len} bytes of {modified_ms}");
            }
        }
        write_document_value(&mut value, &document_key(7, 70_000), now, b"");
        assert_eq!(value.len(), 6 + DOCUMENT_SUM_BYTES, "until the year 3084");
        assert_eq!(DOCUMENT_SUM_BITS as usize, DOCUMENT_SUM_BYTES * 8);
    }

    #[test]
    fn entries_round_trip_and_any_changed_bit_is_noticed() {
        for (index, record) in [(1, 1), (31, 32), (32, 70_000), (u32::MAX, RECORD_MAX)] {
            for exact in [true, false] {
                let key = entry_key(index, b"value", record).expect("a key");
                let value = entry_value(&key, record, exact);
                let found = entry(&key, &value).expect("an entry");
                assert_eq!((found.key, found.record, found.exact), (&b"value"[..], record, exact));
                assert_eq!(leading_id(&key), Some(index));
                let size = (key.len() + value.len()) as u64;
                assert_eq!(entry_bytes(index, b"value", record), size);
                for bit in 0..32 {
                    let mut value = value;
                    value[bit / 8] ^= 1 << (bit % 8);
                    assert!(entry(&key, &value).is_err(), "bit {bit} of the value");
                }
                for bit in 0..key.len() * 8 {
                    let mut key = key.clone();
                    key[bit / 8] ^= 1 << (bit % 8);
                    assert!(entry(&key, &value).is_err(), "bit {bit} of the key");
                }
            }
        }
    }

    #[test]
    fn an_entry_is_under_its_own_value_key_alone() {
        let check = |key: &[u8], record: RecordNumber, bound: &[u8], expected: bool| {
            let whole = entry_key(7, key, record).expect("a key");
            let value = entry_value(&whole, record, true);
            let bound = entry_bound(7, bound).expect("a bound");
            assert_eq!(is_under((&whole, &value), &bound), expected, "{key:?} {record} {bound:?}");
        };
        check(b"ab", 5, b"ab", true);
        check(b"ab", 5_000_000, b"ab", true);
        check(b"ab", 5, b"a", false);
        check(b"a\x20", 5, b"a", false);
        check(b"a", 0x1F, b"ab", false);
    }
}
