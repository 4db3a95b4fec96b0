//! Values to key bytes.
//!
//! A value is its class ([`type_rank`]) and what follows from its type:
//!
//! | type | bytes |
//! |---|---|
//! | MinKey, undefined, null, MaxKey | none |
//! | numbers | class of number, exponent, bits (see `number.rs`); one form for all four types |
//! | string, symbol, code | the text with 00 as 01 01 and 01 as 01 02, then 00 |
//! | string, symbol under a collation | its sort key in the same form |
//! | document | for each field: class of its value, name, 00, the rest of its value; then 00 |
//! | array | for each element: its value; then 00 |
//! | binary | length (4), subtype, bytes |
//! | `ObjectId`, bool | 12 bytes, 1 byte |
//! | date | milliseconds (8) with the sign bit inverted |
//! | timestamp | seconds (4), counter (4) |
//! | regular expression | pattern, 00, options, 00 |
//! | `DBPointer` | length of the namespace (4), namespace, id (12) |
//! | code with scope | as code, then as document |
//!
//! No encoded value is the beginning of another one, so values can follow one another in a
//! compound key and a descending field is the same with all bits inverted.

use bson::raw::{RawBsonRef, RawIter};
use xxhash_rust::xxh3::xxh3_128;

use crate::value::{
    Collation,
    collation::{Simple, TextOrder},
    db_pointer,
    number::Number,
    order::{RANK_DATE, binary_length, next_element, type_rank},
};

/// Bytes of a longer key that are kept before the hash.
pub const KEY_BYTES_KEPT: usize = 440;

/// Longest key in bytes: what is kept of a long key and 16 bytes hash of the whole.
pub const KEY_BYTES_MAX: usize = KEY_BYTES_KEPT + 16;

/// Sort direction of one field of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Direction {
    /// Smallest first.
    #[default]
    Ascending,
    /// Largest first; the bytes are inverted.
    Descending,
}

/// The key bytes of one or more values.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyBytes {
    /// At most [`KEY_BYTES_MAX`] bytes.
    pub bytes: Vec<u8>,
    /// Whether the bytes hold the whole value. If not they are the first [`KEY_BYTES_KEPT`] bytes
    /// and a hash: such a key still sorts rightly among exact keys, but two inexact keys with the
    /// same kept bytes have no defined order.
    pub exact: bool,
}

impl KeyBytes {
    /// The bytes that tell about order: all of an exact key, without the hash of an inexact one.
    pub fn ordered(&self) -> &[u8] {
        if self.exact { &self.bytes } else { self.bytes.get(..KEY_BYTES_KEPT).unwrap_or_default() }
    }
}

/// Puts the key bytes of one value after another.
#[derive(Debug, Clone)]
pub struct KeyEncoder<'c> {
    bytes: Vec<u8>,
    collation: Option<&'c Collation>,
}

/// Room for the key of a number, a date or an `ObjectId`.
const KEY_BYTES_USUAL: usize = 16;

impl Default for KeyEncoder<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'c> KeyEncoder<'c> {
    /// An empty key.
    pub fn new() -> Self {
        Self::of(None)
    }

    /// An empty key whose text sorts by a collation.
    pub fn of(collation: Option<&'c Collation>) -> Self {
        Self { bytes: Vec::with_capacity(KEY_BYTES_USUAL), collation }
    }

    /// Appends one value; `None` (no such field) is encoded as null.
    pub fn push(&mut self, value: Option<RawBsonRef<'_>>, direction: Direction) {
        append_directed(&mut self.bytes, value, direction, self.collation);
    }

    /// Hands out the key, cut and hashed if it is too long, and starts a new one.
    pub fn finish(&mut self) -> KeyBytes {
        let mut bytes = std::mem::take(&mut self.bytes);
        let exact = cut(&mut bytes, 0);
        if !exact {
            bytes.shrink_to_fit();
        }
        KeyBytes { bytes, exact }
    }
}

fn append_directed(
    out: &mut Vec<u8>,
    value: Option<RawBsonRef<'_>>,
    direction: Direction,
    collation: Option<&Collation>,
) {
    let start = out.len();
    let value = value.unwrap_or(RawBsonRef::Null);
    match collation {
        None => append_value(out, value, &Simple),
        Some(collation) => append_value(out, value, collation),
    }
    if direction == Direction::Descending {
        // No key is the beginning of another, so inverting every bit exactly reverses the order.
        out.iter_mut().skip(start).for_each(|byte| *byte = !*byte);
    }
}

/// Cuts and hashes the key that begins at `start` if it is too long; whether it is still exact.
fn cut(out: &mut Vec<u8>, start: usize) -> bool {
    let key = out.get(start..).unwrap_or_default();
    if key.len() <= KEY_BYTES_KEPT {
        return true;
    }
    // Long keys that begin alike must stay different, or a unique index would refuse them.
    let hash = xxh3_128(key);
    out.truncate(start + KEY_BYTES_KEPT);
    out.extend_from_slice(&hash.to_be_bytes());
    false
}

/// Appends the key of a single value, as [`encode_in`] makes it; whether it holds the whole value.
pub fn append_key(
    out: &mut Vec<u8>,
    value: Option<RawBsonRef<'_>>,
    direction: Direction,
    collation: Option<&Collation>,
) -> bool {
    let start = out.len();
    append_directed(out, value, direction, collation);
    cut(out, start)
}

/// The key of a single value; `None` is encoded as null.
pub fn encode(value: Option<RawBsonRef<'_>>, direction: Direction) -> KeyBytes {
    encode_in(value, direction, None)
}

/// As [`encode`], with text sorted by a collation.
pub fn encode_in(
    value: Option<RawBsonRef<'_>>,
    direction: Direction,
    collation: Option<&Collation>,
) -> KeyBytes {
    let mut encoder = KeyEncoder::of(collation);
    encoder.push(value, direction);
    encoder.finish()
}

/// The key of a date, given in milliseconds since 1970.
pub fn date_key(ms: i64, direction: Direction) -> Vec<u8> {
    let mut key = Vec::with_capacity(9);
    key.push(RANK_DATE);
    key.extend_from_slice(&sortable(ms));
    if direction == Direction::Descending {
        for byte in &mut key {
            *byte = !*byte;
        }
    }
    key
}

/// The date, in milliseconds since 1970, at the start of a key; `None` if it starts otherwise.
pub fn decode_date(key: &[u8], direction: Direction) -> Option<i64> {
    let mut bytes = *key.first_chunk::<9>()?;
    if direction == Direction::Descending {
        bytes = bytes.map(|byte| !byte);
    }
    let (rank, ms) = bytes.split_first()?;
    if *rank != RANK_DATE {
        return None;
    }
    Some(from_sortable(*ms.first_chunk()?))
}

/// The bounds `[lower, upper)` of all keys whose first value has this class
/// ([`crate::value::type_rank`]).
pub fn type_section(rank: u8, direction: Direction) -> (Vec<u8>, Vec<u8>) {
    let first = if direction == Direction::Descending { !rank } else { rank };
    (vec![first], vec![first.saturating_add(1)])
}

/// The smallest bytes above every key that starts with `prefix`; `None` if there are none above.
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let kept = prefix.iter().rposition(|byte| *byte != u8::MAX)?;
    let mut end = prefix.get(..=kept)?.to_vec();
    *end.last_mut()? += 1;
    Some(end)
}

/// Eight bytes that sort as the number does.
pub(super) fn sortable(ms: i64) -> [u8; 8] {
    (ms ^ i64::MIN).to_be_bytes()
}

/// The number that [`sortable`] encoded.
pub(super) fn from_sortable(bytes: [u8; 8]) -> i64 {
    i64::from_be_bytes(bytes) ^ i64::MIN
}

/// A document or array whose elements are being encoded.
struct OpenContainer<'v> {
    elements: RawIter<'v>,
    names: bool,
}

fn append_value(out: &mut Vec<u8>, value: RawBsonRef<'_>, order: &impl TextOrder) {
    // A stack instead of recursion: a document may have 200 levels.
    let mut open = Vec::new();
    out.push(type_rank(value));
    append_payload(out, value, &mut open, order);
    while let Some(inner) = open.last_mut() {
        let names = inner.names;
        let Some((name, value)) = next_element(&mut inner.elements) else {
            out.push(0);
            open.pop();
            continue;
        };
        out.push(type_rank(value));
        if names {
            out.extend_from_slice(name.as_bytes());
            out.push(0);
        }
        append_payload(out, value, &mut open, order);
    }
}

/// Appends what follows the class. The elements of what is nested are left to the caller.
fn append_payload<'v>(
    out: &mut Vec<u8>,
    value: RawBsonRef<'v>,
    open: &mut Vec<OpenContainer<'v>>,
    order: &impl TextOrder,
) {
    use RawBsonRef as V;
    match value {
        V::MinKey | V::Undefined | V::Null | V::MaxKey => {}
        V::Int32(_) | V::Int64(_) | V::Double(_) | V::Decimal128(_) => {
            if let Some(number) = Number::of(value) {
                number.append_key(out);
            }
        }
        V::String(text) | V::Symbol(text) => order.append_text(out, text),
        V::JavaScriptCode(text) => append_text(out, text.as_bytes()),
        V::Document(document) => {
            open.push(OpenContainer { elements: document.iter_elements(), names: true });
        }
        V::Array(array) => {
            open.push(OpenContainer { elements: array.iter_elements(), names: false });
        }
        V::Binary(binary) => {
            append_length(out, binary_length(binary));
            out.push(binary.subtype.into());
            out.extend_from_slice(binary.bytes);
        }
        V::ObjectId(id) => out.extend_from_slice(&id.bytes()),
        V::Boolean(bool) => out.push(bool.into()),
        V::DateTime(date) => out.extend_from_slice(&sortable(date.timestamp_millis())),
        V::Timestamp(timestamp) => {
            out.extend_from_slice(&timestamp.time.to_be_bytes());
            out.extend_from_slice(&timestamp.increment.to_be_bytes());
        }
        V::RegularExpression(regex) => {
            for text in [regex.pattern, regex.options] {
                out.extend_from_slice(text.as_str().as_bytes());
                out.push(0);
            }
        }
        V::DbPointer(_) => {
            if let Some((namespace, id)) = db_pointer::parts(value) {
                append_length(out, namespace.len());
                out.extend_from_slice(namespace.as_bytes());
                out.extend_from_slice(&id.bytes());
            }
        }
        V::JavaScriptCodeWithScope(code) => {
            append_text(out, code.code.as_bytes());
            open.push(OpenContainer { elements: code.scope.iter_elements(), names: true });
        }
    }
}

fn append_length(out: &mut Vec<u8>, length: usize) {
    out.extend_from_slice(&u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes());
}

/// Appends text, or the sort key of one.
pub(in crate::value) fn append_text(out: &mut Vec<u8>, text: &[u8]) {
    for run in text.chunk_by(|a, _| *a > 1) {
        match run.split_last() {
            Some((low @ (0 | 1), before)) => {
                out.extend_from_slice(before);
                out.extend_from_slice(&[1, low + 1]);
            }
            _ => out.extend_from_slice(run),
        }
    }
    // The end sorts below whatever could follow.
    out.push(0);
}
