//! Record numbers that are made from an `_id`.
//!
//! Where `_id`s ascend, as counters and `ObjectId`s of drivers do, a document's `_id` can be the
//! number that it is stored under: it is found without an index, and an index on `_id` needs no
//! entry for it.
//!
//! | `_id` | number |
//! |---|---|
//! | a whole number n from 0 to 2^63 - 1, of any type | 2^52 + n · 2^16 |
//! | `ObjectId` | 2^112 + its 12 bytes · 2^16 |
//!
//! The numbers sort as the `_id`s do. Those between two of them are for documents whose `_id` makes
//! no number, or one below that of a document that was inserted before them. Below 2^52 are the
//! numbers of documents that are only counted, so a number tells by itself which of them it is.

use std::fmt::{self, Display, Formatter};

use bson::{oid::ObjectId, raw::RawBsonRef};

use super::{
    key::{Direction, append_key},
    number::Number,
    order::{RANK_NUMBER, RANK_OBJECT_ID},
};

/// Bits of a number for the documents that have no number of their own.
const BETWEEN_BITS: u32 = 16;
const BETWEEN_MASK: u128 = (1 << BETWEEN_BITS) - 1;

/// The lowest number that is made from an `_id`.
const WHOLE_MARK: u128 = 1 << 52;

/// In front of the number of an `ObjectId`.
const OBJECT_ID_MARK: u128 = 1 << 112;

/// One more than the highest whole number that makes a record number.
const WHOLE_END: u64 = 1 << 63;

/// The record number that this `_id` makes. Values that are equal make the same.
pub fn number_of(id: RawBsonRef<'_>) -> Option<u128> {
    match id {
        RawBsonRef::ObjectId(id) => Some(of_object_id(id)),
        RawBsonRef::Int32(whole) => Some(of_whole(u64::try_from(whole).ok()?)),
        RawBsonRef::Int64(whole) => Some(of_whole(u64::try_from(whole).ok()?)),
        other => Number::of(other)?.whole().filter(|whole| *whole < WHOLE_END).map(of_whole),
    }
}

/// Whether an `_id` has made this number.
pub fn is_made(number: u128) -> bool {
    number & BETWEEN_MASK == 0 && number >= WHOLE_MARK
}

/// The least number from this one on that no `_id` makes.
pub fn between(number: u128) -> u128 {
    number + u128::from(is_made(number))
}

/// The least number from this one on that an `_id` can make.
pub fn made_from(number: u128) -> u128 {
    number.saturating_add(BETWEEN_MASK).max(WHOLE_MARK) & !BETWEEN_MASK
}

/// The highest number up to this one that an `_id` can make.
pub fn made_to(number: u128) -> u128 {
    number & !BETWEEN_MASK
}

/// The `_id` that made this number; a whole number as a long.
pub fn id_of(number: u128) -> RawBsonRef<'static> {
    if number >= OBJECT_ID_MARK {
        let [_, _, _, _, bytes @ ..] = (number >> BETWEEN_BITS).to_be_bytes();
        return RawBsonRef::ObjectId(ObjectId::from_bytes(bytes));
    }
    let whole = number.saturating_sub(WHOLE_MARK) >> BETWEEN_BITS;
    RawBsonRef::Int64(i64::try_from(whole).unwrap_or(i64::MAX))
}

/// Appends the key bytes of the `_id` that made this number.
pub fn append_key_of(number: u128, out: &mut Vec<u8>) {
    append_key(out, Some(id_of(number)), Direction::Ascending, None);
}

/// A document by its record number, in words: `document 7`, or `document with _id 7`. The alternate
/// form begins a sentence.
#[derive(Debug, Clone, Copy)]
pub struct RecordName(pub u128);

impl Display for RecordName {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(if f.alternate() { "Document " } else { "document " })?;
        if !is_made(self.0) {
            return write!(f, "{}", self.0);
        }
        match id_of(self.0) {
            RawBsonRef::ObjectId(id) => write!(f, "with _id ObjectId('{id}')"),
            RawBsonRef::Int64(id) => write!(f, "with _id {id}"),
            _ => Err(fmt::Error),
        }
    }
}

/// The least number made from an `_id` whose key is not below these bytes; above all of them if
/// there is none.
pub fn first_from(key: &[u8]) -> u128 {
    if let Some((&RANK_OBJECT_ID, rest)) = key.split_first() {
        return first_object_id(rest);
    }
    let mut made = Vec::new();
    let mut is_below = |whole: u64| {
        made.clear();
        append_key_of(of_whole(whole), &mut made);
        made.as_slice() < key
    };
    // Mostly the key is that of a whole number.
    let guess = match key.split_first() {
        Some((&RANK_NUMBER, rest)) => Number::floor_of_key(rest).min(WHOLE_END - 1),
        _ => 0,
    };
    let (mut low, mut high) = match is_below(guess) {
        false if guess == 0 || is_below(guess - 1) => (guess, guess),
        false => (0, guess),
        true if guess + 1 < WHOLE_END && !is_below(guess + 1) => (guess + 1, guess + 1),
        true => (guess + 1, WHOLE_END),
    };
    while low < high {
        let middle = low + (high - low) / 2;
        if is_below(middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if low < WHOLE_END {
        return of_whole(low);
    }
    let is_behind = key.first().is_some_and(|rank| *rank > RANK_OBJECT_ID);
    if is_behind { OBJECT_ID_MARK << 1 } else { OBJECT_ID_MARK }
}

/// Of the `ObjectId`s whose bytes are not below these.
fn first_object_id(bytes: &[u8]) -> u128 {
    let mut first = [0; 12];
    first.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    let next = if bytes.len() > first.len() { 1 << BETWEEN_BITS } else { 0 };
    of_object_id(ObjectId::from_bytes(first)) + next
}

fn of_whole(whole: u64) -> u128 {
    WHOLE_MARK + (u128::from(whole) << BETWEEN_BITS)
}

fn of_object_id(id: ObjectId) -> u128 {
    let mut bytes = [0; size_of::<u128>()];
    let [_, _, _, _, last @ ..] = &mut bytes;
    *last = id.bytes();
    OBJECT_ID_MARK | u128::from_be_bytes(bytes) << BETWEEN_BITS
}

/// The number that this `_id` makes.
#[cfg(any(test, feature = "testing"))]
#[expect(clippy::missing_panics_doc, clippy::expect_used, reason = "for tests")]
pub fn made(id: i32) -> u128 {
    number_of(RawBsonRef::Int32(id)).expect("not negative")
}

#[cfg(test)]
mod tests {
    use bson::{Bson, bson, raw::RawBson};

    use super::*;
    use crate::value::key::{encode, type_section};

    fn raw(value: impl Into<Bson>) -> RawBson {
        RawBson::try_from(value.into()).expect("BSON")
    }

    fn number(value: impl Into<Bson>) -> Option<u128> {
        number_of(raw(value).as_raw_bson_ref())
    }

    fn decimal(text: &str) -> Bson {
        Bson::Decimal128(text.parse().expect("a decimal"))
    }

    fn object_id(text: &str) -> Bson {
        Bson::ObjectId(text.parse().expect("an id"))
    }

    #[test]
    fn equal_values_make_the_same_number() {
        let same = |values: &[Bson], expected: Option<u128>| {
            for value in values {
                assert_eq!(number(value.clone()), expected, "{value}");
            }
        };
        let zero = [0.into(), 0_i64.into(), 0.0.into(), (-0.0).into(), decimal("0E+5")];
        same(&zero, Some(1 << 52));
        let ten = [10.into(), 10_i64.into(), 10.0.into(), decimal("1E+1"), decimal("10.00")];
        same(&ten, Some((1 << 52) + (10 << 16)));
        same(
            &[i64::MAX.into(), decimal("9223372036854775807")],
            Some((1 << 79) + (1 << 52) - (1 << 16)),
        );
        let none = [
            (-1).into(),
            0.5.into(),
            decimal("0.1"),
            decimal("1E+40"),
            9_223_372_036_854_775_808.0.into(),
            f64::INFINITY.into(),
            f64::NAN.into(),
            "1".into(),
            Bson::Null,
            true.into(),
            bson!({ "a": 1 }),
            bson::DateTime::from_millis(1).into(),
        ];
        same(&none, None);
        same(&[object_id("000000000000000000000000")], Some(1 << 112));
        same(&[object_id("ffffffffffffffffffffffff")], Some((1 << 113) - (1 << 16)));
    }

    /// In their order.
    fn ids() -> Vec<Bson> {
        let wholes = (0..63).flat_map(|bit| [(1_i64 << bit) - 1, 1 << bit, (1 << bit) + 1]);
        let mut wholes: Vec<i64> = wholes.chain([i64::MAX - 1, i64::MAX]).collect();
        wholes.sort_unstable();
        wholes.dedup();
        let ids = [
            "000000000000000000000000",
            "000000000000000000000001",
            "00000000000000ff00000000",
            "65920080a1b2c3d4e5000001",
            "65920080a1b2c3d4e5000002",
            "fffffffffffffffffffffffe",
            "ffffffffffffffffffffffff",
        ];
        wholes.into_iter().map(Bson::from).chain(ids.map(object_id)).collect()
    }

    #[test]
    fn numbers_sort_as_the_ids_do_and_give_their_keys() {
        let ids = ids();
        let numbers: Vec<u128> =
            ids.iter().map(|id| number(id.clone()).expect("a number")).collect();
        assert!(numbers.is_sorted_by(|a, b| a < b));
        for (id, number) in ids.iter().zip(&numbers) {
            assert!(is_made(*number) && !is_made(number + 1) && between(*number) == number + 1);
            let mut key = Vec::new();
            append_key_of(*number, &mut key);
            assert_eq!(
                key,
                encode(Some(raw(id.clone()).as_raw_bson_ref()), Direction::Ascending).bytes
            );
            assert_eq!(first_from(&key), *number, "{id}");
            let behind = [&key[..], &[0]].concat();
            let next = numbers.iter().find(|other| *other > number);
            let first = first_from(&behind);
            assert!(first > *number && next.is_none_or(|next| first <= *next), "{id}");
        }
    }

    #[test]
    fn what_makes_no_number_lies_between_those_that_do() {
        let first = |value: Bson| {
            let raw = raw(value);
            first_from(&encode(Some(raw.as_raw_bson_ref()), Direction::Ascending).bytes)
        };
        let (lowest, first_id, behind) = (WHOLE_MARK, OBJECT_ID_MARK, OBJECT_ID_MARK << 1);
        for value in [Bson::MinKey, Bson::Null, (-1).into(), f64::NAN.into()] {
            assert_eq!(first(value.clone()), lowest, "{value}");
        }
        assert_eq!(first(0.5.into()), WHOLE_MARK + (1 << 16));
        assert_eq!(first(decimal("1000000.5")), WHOLE_MARK + (1_000_001 << 16));
        for value in [f64::INFINITY.into(), 1e30.into(), "text".into(), bson!([1])] {
            assert_eq!(first(value), first_id);
        }
        for value in [true.into(), bson::DateTime::MAX.into(), Bson::MaxKey] {
            assert_eq!(first(value), behind);
        }
        let (from, to) = type_section(RANK_OBJECT_ID, Direction::Ascending);
        assert_eq!((first_from(&from), first_from(&to)), (first_id, behind));
        assert_eq!((first_from(&[]), first_from(&[u8::MAX])), (lowest, behind));
        assert_eq!(
            (made_from(1), made_from(lowest), made_to(lowest + 7)),
            (lowest, lowest, lowest)
        );
    }

    #[test]
    fn the_next_whole_number_is_found_from_any_number_and_any_bytes() {
        let first = |value: f64| {
            let raw = raw(value);
            first_from(&encode(Some(raw.as_raw_bson_ref()), Direction::Ascending).bytes)
        };
        for bit in 0..50 {
            for offset in [-1.5, -1.0, -0.25, 0.25, 0.5, 1.0] {
                let value = f64::from(bit).exp2() + offset;
                let whole = value.ceil().max(0.0);
                assert_eq!(Some(first(value)), number(whole), "{value}");
            }
        }
        // Bytes that are not a whole key: whatever sorts below them does.
        let mut bytes = vec![RANK_NUMBER, 5];
        for step in 0..4_000_u32 {
            bytes.truncate(2);
            let mixed = step.wrapping_mul(0x9E37_79B9);
            bytes.extend_from_slice(&(32_768 + mixed % 64).to_be_bytes()[2..]);
            bytes.extend_from_slice(&mixed.to_be_bytes()[..(step % 5) as usize]);
            let number = first_from(&bytes);
            let key_of = |number: u128| {
                let mut key = Vec::new();
                append_key_of(number, &mut key);
                key
            };
            assert!(key_of(number) >= bytes, "{bytes:?}");
            let before = number - (1 << BETWEEN_BITS);
            assert!(number >= OBJECT_ID_MARK || key_of(before) < bytes, "{bytes:?}");
        }
    }

    #[test]
    fn documents_are_told_by_what_is_known_of_them() {
        let check = |number: u128, expected: &str| {
            assert_eq!(RecordName(number).to_string(), expected);
        };
        check(7, "document 7");
        check(1 << 16, "document 65536");
        check(number(7).expect("a number"), "document with _id 7");
        check(number(7).expect("a number") + 1, "document 4503599627829249");
        let id = object_id("65920080a1b2c3d4e5000001");
        check(
            number(id).expect("a number"),
            "document with _id ObjectId('65920080a1b2c3d4e5000001')",
        );
        assert_eq!(format!("{:#}", RecordName(7)), "Document 7");
    }
}
