//! Values to key bytes.

use bson::raw::RawBsonRef;

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
#[derive(Debug, Clone, Default)]
pub struct KeyEncoder {
    bytes: Vec<u8>,
}

impl KeyEncoder {
    /// An empty key.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends one value; `None` (no such field) is encoded as null.
    pub fn push(&mut self, value: Option<RawBsonRef<'_>>, direction: Direction) {
        let _ = (value, direction, &mut self.bytes);
        todo!()
    }

    /// Hands out the key, cut and hashed if it is too long, and starts a new one.
    pub fn finish(&mut self) -> KeyBytes {
        todo!()
    }
}

/// The key of a single value; `None` is encoded as null.
pub fn encode(value: Option<RawBsonRef<'_>>, direction: Direction) -> KeyBytes {
    let mut encoder = KeyEncoder::new();
    encoder.push(value, direction);
    encoder.finish()
}

/// The key of a date, given in milliseconds since 1970.
pub fn date_key(ms: i64, direction: Direction) -> Vec<u8> {
    let _ = (ms, direction);
    todo!()
}

/// The date, in milliseconds since 1970, at the start of a key; `None` if it starts otherwise.
pub fn decode_date(key: &[u8], direction: Direction) -> Option<i64> {
    let _ = (key, direction);
    todo!()
}

/// The bounds `[lower, upper)` of all keys whose first value has this class
/// ([`crate::value::type_rank`]).
pub fn type_section(rank: u8, direction: Direction) -> (Vec<u8>, Vec<u8>) {
    let _ = (rank, direction);
    todo!()
}

/// The smallest bytes above every key that starts with `prefix`; `None` if there are none above.
pub fn prefix_end(prefix: &[u8]) -> Option<Vec<u8>> {
    let _ = prefix;
    todo!()
}
