//! Numbers in keys and values, in as few bytes as they need and sorting as numbers do.

use std::ops::Deref;

use crate::limits::RECORD_MAX;
use crate::store::RecordNumber;

pub(super) const PACKED_LENGTH_BITS: u32 = 3;
pub(super) const PACKED_BYTES_MAX: usize = 8;
pub(super) const PACKED_MAX: u64 = u64::MAX >> PACKED_LENGTH_BITS;

/// Bytes of a record number that does not fit into seven. No record number has eight.
pub(super) const LONG_RECORD_BYTES: usize = 15;
const LONG_RECORD_BITS: u32 = 120;
/// The bits behind the first eight bytes of a long record number.
const LONG_RECORD_LOW_BITS: u32 = LONG_RECORD_BITS - u64::BITS;
/// The highest record number of at most seven bytes.
pub(super) const SHORT_RECORD_MAX: RecordNumber = (1 << 53) - 1;
/// The bits in front of a long record number: its length, where eight bytes have theirs.
const LONG_RECORD_MARK: u128 = 0b111 << (LONG_RECORD_BITS - PACKED_LENGTH_BITS);

/// The most bytes of a packed id of a collection or an index.
pub(super) const ID_BYTES_MAX: usize = 5;

/// What a document's key has at most, and more than is in front of its BSON.
pub(super) const SHORT_BYTES_MAX: usize = ID_BYTES_MAX + LONG_RECORD_BYTES;

/// A number and its length as they lie in a key.
#[derive(Clone, Copy)]
pub(super) struct Packed {
    pub(super) bytes: [u8; PACKED_BYTES_MAX],
    pub(super) len: u32,
}

impl Packed {
    /// A higher number than [`PACKED_MAX`] is taken for it.
    #[inline]
    pub(super) fn new(number: u64) -> Self {
        let number = number.min(PACKED_MAX);
        let bits = u64::BITS - number.leading_zeros() + PACKED_LENGTH_BITS;
        let len = bits.div_ceil(u8::BITS).max(1);
        let left = number << (u64::BITS - len * u8::BITS);
        let length = u64::from(len - 1) << (u64::BITS - PACKED_LENGTH_BITS);
        Self { bytes: (left | length).to_be_bytes(), len }
    }

    #[inline]
    pub(super) fn as_slice(&self) -> &[u8] {
        self.bytes.get(..self.len as usize).unwrap_or(&self.bytes)
    }

    #[inline]
    pub(super) fn append_to(self, bytes: &mut Vec<u8>) {
        let end = bytes.len() + self.len as usize;
        bytes.extend_from_slice(&self.bytes);
        bytes.truncate(end);
    }

    /// The number at the beginning of the bytes, and what is behind it.
    #[inline]
    pub(super) fn read(bytes: &[u8]) -> Option<(u64, &[u8])> {
        let len = packed_len(*bytes.first()?);
        let (number, rest) = bytes.split_at_checked(len as usize)?;
        // Never by way of a buffer: what was stored there in parts can't be loaded as one for a while.
        let whole = match bytes.first_chunk::<PACKED_BYTES_MAX>() {
            Some(bytes) => u64::from_be_bytes(*bytes) >> (u64::BITS - len * u8::BITS),
            None => number.iter().fold(0, |whole, byte| whole << u8::BITS | u64::from(*byte)),
        };
        let length_bits = len * u8::BITS - PACKED_LENGTH_BITS;
        Some((whole & (u64::MAX >> (u64::BITS - length_bits)), rest))
    }
}

/// A record number as it lies in a key: up to 2^53 packed, else as long as one can be.
#[derive(Clone, Copy)]
pub(super) enum PackedRecord {
    Short(Packed),
    Long([u8; LONG_RECORD_BYTES]),
}

impl PackedRecord {
    /// A higher number than [`RECORD_MAX`], which only the bound of a range can be, is taken for it.
    #[inline]
    pub(super) fn new(record: RecordNumber) -> Self {
        match u64::try_from(record) {
            Ok(short) if record <= SHORT_RECORD_MAX => Self::Short(Packed::new(short)),
            _ => Self::long(record),
        }
    }

    fn long(record: RecordNumber) -> Self {
        let [_, bytes @ ..] = (record.min(RECORD_MAX) | LONG_RECORD_MARK).to_be_bytes();
        Self::Long(bytes)
    }

    #[inline]
    pub(super) fn append_to(self, bytes: &mut Vec<u8>) {
        match self {
            Self::Short(packed) => packed.append_to(bytes),
            Self::Long(long) => bytes.extend_from_slice(&long),
        }
    }

    #[inline]
    pub(super) fn len(self) -> usize {
        match self {
            Self::Short(packed) => packed.len as usize,
            Self::Long(_) => LONG_RECORD_BYTES,
        }
    }

    /// The number that these bytes are.
    #[inline]
    pub(super) fn read(bytes: &[u8]) -> Option<RecordNumber> {
        if bytes.len() < PACKED_BYTES_MAX {
            return match Packed::read(bytes)? {
                (number, []) => Some(number.into()),
                _ => None,
            };
        }
        let bytes: &[u8; LONG_RECORD_BYTES] = bytes.try_into().ok()?;
        // They share a byte. See `Packed::read` for why there is no buffer.
        let half = |bytes: &[u8; 8]| u128::from(u64::from_be_bytes(*bytes));
        let (high, low) = (half(bytes.first_chunk()?), half(bytes.last_chunk()?));
        let record = (high << LONG_RECORD_LOW_BITS | low) ^ LONG_RECORD_MARK;
        (record > SHORT_RECORD_MAX && record <= RECORD_MAX).then_some(record)
    }
}

#[inline]
pub(super) fn packed_len(first: u8) -> u32 {
    u32::from(first >> (u8::BITS - PACKED_LENGTH_BITS)) + 1
}

/// A few bytes that need no memory of their own.
#[derive(Clone, Copy)]
pub(in crate::store) struct Short {
    pub(super) bytes: [u8; SHORT_BYTES_MAX],
    pub(super) len: usize,
}

/// Bytes to be joined, in the highest bits.
pub(super) struct Joined {
    bits: u128,
    pub(super) len: u32,
}

impl Joined {
    pub(super) const EMPTY: Self = Self { bits: 0, len: 0 };

    /// Appends the highest `len` bytes of these eight; the others are 0.
    #[inline]
    pub(super) fn and(self, bytes: [u8; 8], len: u32) -> Self {
        let highest = u128::from(u64::from_be_bytes(bytes)) << u64::BITS;
        Self { bits: self.bits | highest >> (self.len * u8::BITS), len: self.len + len }
    }

    #[inline]
    pub(super) fn and_packed(self, packed: Packed) -> Self {
        self.and(packed.bytes, packed.len)
    }

    #[inline]
    pub(super) fn short(self) -> Short {
        let mut bytes = [0; SHORT_BYTES_MAX];
        if let Some(first) = bytes.first_chunk_mut() {
            *first = self.bits.to_be_bytes();
        }
        Short { bytes, len: self.len as usize }
    }
}

impl Deref for Short {
    type Target = [u8];

    #[inline]
    fn deref(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packed_numbers_sort_as_numbers_and_come_back() {
        let edges = (0..61).flat_map(|bit| {
            let power = 1_u64 << bit;
            [power - 1, power, power + 1]
        });
        let mut numbers: Vec<u64> = edges.chain([PACKED_MAX - 1, PACKED_MAX]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let packed: Vec<Vec<u8>> =
            numbers.iter().map(|number| Packed::new(*number).as_slice().to_vec()).collect();
        assert!(packed.is_sorted(), "the bytes sort as the numbers do");
        for (number, bytes) in numbers.iter().zip(&packed) {
            assert_eq!(Packed::read(bytes), Some((*number, &[][..])));
            assert_eq!(Packed::read(&bytes[..bytes.len() - 1]), None, "{number} cut short");
        }
        assert_eq!(Packed::new(u64::MAX).as_slice(), Packed::new(PACKED_MAX).as_slice());
        assert_eq!(Packed::new(31).len, 1);
        assert_eq!(Packed::new(32).len, 2);
    }
}
