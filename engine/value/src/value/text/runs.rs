//! How far text continues without a byte that needs care, eight bytes at a time.

const EACH: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// The bytes before the first one that needs care.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Run {
    /// How many; all of them if none needs care.
    pub(super) length: usize,
    /// They are ASCII, so they are UTF-8.
    pub(super) is_ascii: bool,
}

/// Up to a quote, a backslash or a control character: what ends or interrupts text that is read.
pub(super) fn before_quote(bytes: &[u8], quote: u8) -> Run {
    run(bytes, |word| below(word, b' ') | equal(word, quote) | equal(word, b'\\'))
}

/// The first byte of the control characters 80 to 9f in UTF-8, and of the 32 characters after them.
pub(super) const C1_LEAD: u8 = 0xc2;

/// Up to what may be written as an escape: the same, the control character 7f, and [`C1_LEAD`].
pub(super) fn before_escape(bytes: &[u8], quote: u8) -> Run {
    run(bytes, |word| {
        below(word, b' ')
            | equal(word, quote)
            | equal(word, b'\\')
            | equal(word, 0x7f)
            | equal(word, C1_LEAD)
    })
}

/// `stops` marks the bytes of a word that need care by their highest bit; only the first mark of a
/// word counts. It marks a zero.
fn run(bytes: &[u8], stops: impl Fn(u64) -> u64) -> Run {
    let (words, rest) = bytes.as_chunks::<8>();
    let mut high = 0;
    for (place, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        let found = stops(word);
        if found != 0 {
            return ended(place * 8, word, found, high);
        }
        high |= word;
    }
    // The zeros after the last bytes stop the run at the end at the latest.
    let last = rest.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    ended(words.len() * 8, last, stops(last), high)
}

fn ended(before: usize, word: u64, found: u64, high: u64) -> Run {
    let bits = found.trailing_zeros() & !7;
    let kept = word & !u64::MAX.checked_shl(bits).unwrap_or(0);
    Run { length: before + (bits / 8) as usize, is_ascii: (high | kept) & HIGH == 0 }
}

/// Marks bytes below `bound`, which is at most 128. Marks above the first one may be wrong.
fn below(word: u64, bound: u8) -> u64 {
    word.wrapping_sub(EACH.wrapping_mul(u64::from(bound))) & !word & HIGH
}

/// Marks bytes that are this one. Marks above the first one may be wrong.
fn equal(word: u64, byte: u8) -> u64 {
    below(word ^ EACH.wrapping_mul(u64::from(byte)), 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One byte at a time.
    fn plainly(bytes: &[u8], stop: impl Fn(&u8) -> bool) -> Run {
        let length = bytes.iter().position(stop).unwrap_or(bytes.len());
        Run { length, is_ascii: bytes[..length].is_ascii() }
    }

    fn check(bytes: &[u8]) {
        for quote in [b'"', b'\''] {
            let ends = |byte: &u8| *byte < b' ' || *byte == quote || *byte == b'\\';
            assert_eq!(before_quote(bytes, quote), plainly(bytes, ends), "{bytes:?}");
            let escaped = |byte: &u8| ends(byte) || matches!(*byte, 0x7f | C1_LEAD);
            assert_eq!(before_escape(bytes, quote), plainly(bytes, escaped), "{bytes:?}");
        }
    }

    #[test]
    fn every_byte_at_every_place() {
        for length in 0..=20 {
            for byte in 0..=255 {
                for place in 0..length {
                    let mut bytes = vec![b'a'; length];
                    bytes[place] = byte;
                    check(&bytes);
                    // Bytes after the first stop must not matter, nor those just above it.
                    for other in
                        [0, b' ', b'!', b'"', b'#', b'\'', b'(', b'\\', b']', 0x7f, 0x80, 0xc2]
                    {
                        bytes[length - 1] = other;
                        check(&bytes);
                    }
                }
            }
        }
    }
}
