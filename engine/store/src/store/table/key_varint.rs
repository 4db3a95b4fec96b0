//! Variable-length numbers whose bytes sort as the numbers do.
//!
//! A varint is 1 to 8 bytes. The three highest bits of its first byte hold its length less one, the other
//! bits the number, big-endian. So a longer varint always sorts after a shorter one.

use std::ops::Deref;

use crate::limits::RECORD_MAX;
use crate::store::RecordNumber;

pub(super) const VARINT_LENGTH_BITS: u32 = 3;
pub(super) const VARINT_BYTES_MAX: usize = 8;
pub(super) const VARINT_MAX: u64 = u64::MAX >> VARINT_LENGTH_BITS;

/// The length of a record number that does not fit into a varint of seven bytes. None has eight bytes, so the
/// length bits of an eight-byte varint mark a long one.
pub(super) const LONG_RECORD_BYTES: usize = 15;
const LONG_RECORD_BITS: u32 = 120;
/// The bits after the first eight bytes of a long record number.
const LONG_RECORD_LOW_BITS: u32 = LONG_RECORD_BITS - u64::BITS;
/// The highest record number that fits into seven bytes.
pub(super) const SHORT_RECORD_MAX: RecordNumber = (1 << 53) - 1;
/// The length bits of a long record number.
const LONG_RECORD_MARK: u128 = 0b111 << (LONG_RECORD_BITS - VARINT_LENGTH_BITS);

/// The longest varint of a collection's or an index's id.
pub(super) const ID_BYTES_MAX: usize = 5;

/// The longest document key. The header of a document's value is shorter.
pub(super) const SHORT_BYTES_MAX: usize = ID_BYTES_MAX + LONG_RECORD_BYTES;

/// An encoded number: the first `len` of `bytes`, the others are 0.
#[derive(Clone, Copy)]
pub(super) struct Varint {
    pub(super) bytes: [u8; VARINT_BYTES_MAX],
    pub(super) len: u32,
}

impl Varint {
    /// A number above [`VARINT_MAX`] is encoded as [`VARINT_MAX`].
    #[inline]
    pub(super) fn new(number: u64) -> Self {
        let number = number.min(VARINT_MAX);
        let bits = u64::BITS - number.leading_zeros() + VARINT_LENGTH_BITS;
        let len = bits.div_ceil(u8::BITS).max(1);
        let high = number << (u64::BITS - len * u8::BITS);
        let length = u64::from(len - 1) << (u64::BITS - VARINT_LENGTH_BITS);
        Self { bytes: (high | length).to_be_bytes(), len }
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

    /// The number at the start of the bytes, and the bytes after it.
    #[inline]
    pub(super) fn read(bytes: &[u8]) -> Option<(u64, &[u8])> {
        let len = varint_len(*bytes.first()?);
        let (number, rest) = bytes.split_at_checked(len as usize)?;
        // Without a buffer: loading eight bytes that were just stored one by one stalls the processor.
        let whole = match bytes.first_chunk::<VARINT_BYTES_MAX>() {
            Some(bytes) => u64::from_be_bytes(*bytes) >> (u64::BITS - len * u8::BITS),
            None => number.iter().fold(0, |whole, byte| whole << u8::BITS | u64::from(*byte)),
        };
        let length_bits = len * u8::BITS - VARINT_LENGTH_BITS;
        Some((whole & (u64::MAX >> (u64::BITS - length_bits)), rest))
    }
}

/// An encoded record number: a varint below 2^53, else [`LONG_RECORD_BYTES`] bytes.
#[derive(Clone, Copy)]
pub(super) enum RecordVarint {
    Short(Varint),
    Long([u8; LONG_RECORD_BYTES]),
}

impl RecordVarint {
    /// A number above [`RECORD_MAX`], which only the bound of a range can be, is encoded as [`RECORD_MAX`].
    #[inline]
    pub(super) fn new(record: RecordNumber) -> Self {
        match u64::try_from(record) {
            Ok(short) if record <= SHORT_RECORD_MAX => Self::Short(Varint::new(short)),
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
            Self::Short(varint) => varint.append_to(bytes),
            Self::Long(long) => bytes.extend_from_slice(&long),
        }
    }

    #[inline]
    pub(super) fn len(self) -> usize {
        match self {
            Self::Short(varint) => varint.len as usize,
            Self::Long(_) => LONG_RECORD_BYTES,
        }
    }

    /// The number, if these bytes are exactly one.
    #[inline]
    pub(super) fn read(bytes: &[u8]) -> Option<RecordNumber> {
        if bytes.len() < VARINT_BYTES_MAX {
            return match Varint::read(bytes)? {
                (number, []) => Some(number.into()),
                _ => None,
            };
        }
        let bytes: &[u8; LONG_RECORD_BYTES] = bytes.try_into().ok()?;
        // The halves share a byte. No buffer, as in `Varint::read`.
        let half = |bytes: &[u8; 8]| u128::from(u64::from_be_bytes(*bytes));
        let (high, low) = (half(bytes.first_chunk()?), half(bytes.last_chunk()?));
        let record = (high << LONG_RECORD_LOW_BITS | low) ^ LONG_RECORD_MARK;
        (record > SHORT_RECORD_MAX && record <= RECORD_MAX).then_some(record)
    }
}

#[inline]
pub(super) fn varint_len(first: u8) -> u32 {
    u32::from(first >> (u8::BITS - VARINT_LENGTH_BITS)) + 1
}

/// A few bytes without a heap allocation.
#[derive(Clone, Copy)]
pub(in crate::store) struct ShortBytes {
    pub(super) bytes: [u8; SHORT_BYTES_MAX],
    pub(super) len: usize,
}

/// Up to sixteen bytes that are joined in a register, from the highest bits down.
pub(super) struct JoinedBytes {
    bits: u128,
    pub(super) len: u32,
}

impl JoinedBytes {
    pub(super) const EMPTY: Self = Self { bits: 0, len: 0 };

    /// Appends the first `len` of these eight bytes; the others are 0.
    #[inline]
    pub(super) fn and(self, bytes: [u8; 8], len: u32) -> Self {
        let highest = u128::from(u64::from_be_bytes(bytes)) << u64::BITS;
        Self { bits: self.bits | highest >> (self.len * u8::BITS), len: self.len + len }
    }

    #[inline]
    pub(super) fn and_varint(self, varint: Varint) -> Self {
        self.and(varint.bytes, varint.len)
    }

    #[inline]
    pub(super) fn short(self) -> ShortBytes {
        let mut bytes = [0; SHORT_BYTES_MAX];
        if let Some(first) = bytes.first_chunk_mut() {
            *first = self.bits.to_be_bytes();
        }
        ShortBytes { bytes, len: self.len as usize }
    }
}

impl Deref for ShortBytes {
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
    fn varints_sort_as_numbers_and_round_trip() {
        let edges = (0..61).flat_map(|bit| {
            let power = 1_u64 << bit;
            [power - 1, power, power + 1]
        });
        let mut numbers: Vec<u64> = edges.chain([VARINT_MAX - 1, VARINT_MAX]).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let encoded: Vec<Vec<u8>> =
            numbers.iter().map(|number| Varint::new(*number).as_slice().to_vec()).collect();
        assert!(encoded.is_sorted(), "the bytes sort as the numbers do");
        for (number, bytes) in numbers.iter().zip(&encoded) {
            assert_eq!(Varint::read(bytes), Some((*number, &[][..])));
            assert_eq!(Varint::read(&bytes[..bytes.len() - 1]), None, "{number} cut short");
        }
        assert_eq!(Varint::new(u64::MAX).as_slice(), Varint::new(VARINT_MAX).as_slice());
        assert_eq!(Varint::new(31).len, 1);
        assert_eq!(Varint::new(32).len, 2);
    }
}
