//! Which values a path has: how many different ones, and the most frequent.

use std::collections::HashMap;
use std::hash::BuildHasher;

use bson::raw::RawBsonRef;
use bson::{Bson, DateTime, Decimal128, oid::ObjectId};
use foldhash::quality::FixedState;
use hyperloglockless::HyperLogLog;

use super::kind::Kind;
use crate::limits::{
    SCHEMA_EXAMPLES_MAX, SCHEMA_TOP_MAX, SCHEMA_UNIQUE_AFTER, SCHEMA_VALUE_BYTES_MAX,
    SCHEMA_VALUES_MAX,
};

/// 4,096 registers: an error of 1.6 %.
const PRECISION: u8 = 12;

/// A share of different values from which each value is as good as unique.
const UNIQUE_PERCENT: u64 = 90;

/// The mark of a value that is too long to be kept: its hash follows.
const LONG: u8 = u8::MAX;

/// How often each value was met.
///
/// Up to [`SCHEMA_VALUES_MAX`] different values all counts are exact. From then on a new value
/// takes one from the count of every kept one (Misra and Gries), so a count is at most too low, by
/// no more than the total divided by the bound.
#[derive(Debug, Clone, Default)]
pub struct Values {
    counts: HashMap<Box<[u8]>, u64, FixedState>,
    /// Estimates how many are different, once there are too many to keep.
    sketch: Option<Box<HyperLogLog<FixedState>>>,
    examples: Vec<Box<[u8]>>,
    total: u64,
    /// Whether it was looked at if nearly all are different.
    is_judged: bool,
    is_unique: bool,
}

/// A value that documents share.
#[derive(Debug, Clone, PartialEq)]
pub struct Frequent {
    /// The value; whole numbers of every type are one value.
    pub value: Bson,
    /// How many have it, or a lower bound if the counts of its path are not exact.
    pub count: u64,
}

impl Values {
    /// Counts a value. Documents and arrays have no place here. `scratch` is reused.
    pub fn add(&mut self, kind: Kind, value: RawBsonRef<'_>, scratch: &mut Vec<u8>) {
        if !encode(kind, value, scratch) {
            return;
        }
        self.total += 1;
        if self.examples.len() < SCHEMA_EXAMPLES_MAX
            && !self.examples.iter().any(|known| **known == **scratch)
        {
            self.examples.push(scratch.as_slice().into());
        }
        if scratch.len() > SCHEMA_VALUE_BYTES_MAX {
            let hash = FixedState::default().hash_one(scratch.as_slice());
            scratch.clear();
            scratch.push(LONG);
            scratch.extend_from_slice(&hash.to_le_bytes());
        }
        if let Some(sketch) = &mut self.sketch {
            sketch.insert_hash(hash(scratch));
            if self.is_unique {
                return;
            }
        }
        if let Some(count) = self.counts.get_mut(scratch.as_slice()) {
            *count += 1;
        } else if self.counts.len() < SCHEMA_VALUES_MAX {
            self.counts.insert(scratch.as_slice().into(), 1);
        } else {
            self.overflow(scratch);
        }
    }

    fn overflow(&mut self, value: &[u8]) {
        if let Some(sketch) = &mut self.sketch {
            if !self.is_judged && self.total >= SCHEMA_UNIQUE_AFTER {
                self.is_judged = true;
                self.is_unique = sketch.count() as u64 * 100 > self.total * UNIQUE_PERCENT;
            }
            if self.is_unique {
                self.counts = HashMap::default();
                return;
            }
        } else {
            let mut sketch = HyperLogLog::with_hasher(PRECISION, FixedState::default());
            for known in self.counts.keys() {
                sketch.insert_hash(hash(known));
            }
            sketch.insert_hash(hash(value));
            self.sketch = Some(Box::new(sketch));
        }
        self.counts.retain(|_, count| {
            *count -= 1;
            *count > 0
        });
    }

    /// How many different values there are, and whether that is exact.
    pub fn distinct(&self) -> (u64, bool) {
        match &self.sketch {
            None => (self.counts.len() as u64, true),
            Some(sketch) => ((sketch.count() as u64).min(self.total), false),
        }
    }

    /// The most frequent values, the first first. Values that occur once are none of them, unless
    /// all counts are exact.
    pub fn top(&self) -> Vec<Frequent> {
        let is_exact = self.sketch.is_none();
        // A value with less may have been met as often as one that is not kept.
        let least = if is_exact { 1 } else { self.total / SCHEMA_VALUES_MAX as u64 + 2 };
        let mut found: Vec<(&[u8], u64)> = self
            .counts
            .iter()
            .filter(|(value, count)| **count >= least && value.first() != Some(&LONG))
            .map(|(value, count)| (&**value, *count))
            .collect();
        found.sort_by(|(a, many), (b, more)| more.cmp(many).then(a.cmp(b)));
        found.truncate(SCHEMA_TOP_MAX);
        let decoded =
            |(value, count): (&[u8], u64)| Some(Frequent { value: decode(value)?, count });
        found.into_iter().filter_map(decoded).collect()
    }

    /// The first few different values.
    pub fn examples(&self) -> Vec<Bson> {
        self.examples.iter().filter_map(|value| decode(value)).collect()
    }
}

/// The integer that a double is, if it is one that doubles tell from its neighbors.
pub fn whole(number: f64) -> Option<i64> {
    #[expect(clippy::cast_possible_truncation, reason = "a whole number in range")]
    let whole = number as i64;
    (number.fract() == 0.0 && whole.unsigned_abs() < 1 << 53).then_some(whole)
}

fn hash(value: &[u8]) -> u64 {
    FixedState::with_seed(1).hash_one(value)
}

/// Writes a value as a byte for its type and its bytes. Returns whether it is a value that can be
/// counted.
fn encode(kind: Kind, value: RawBsonRef<'_>, into: &mut Vec<u8>) -> bool {
    into.clear();
    let mut put = |kind: Kind, bytes: &[u8]| {
        into.push(kind as u8);
        into.extend_from_slice(bytes);
    };
    match value {
        RawBsonRef::String(text) => put(kind, text.as_bytes()),
        RawBsonRef::Int32(number) => put(Kind::Long, &i64::from(number).to_le_bytes()),
        RawBsonRef::Int64(number) => put(Kind::Long, &number.to_le_bytes()),
        RawBsonRef::Double(number) => match whole(number) {
            Some(whole) => put(Kind::Long, &whole.to_le_bytes()),
            None => put(kind, &number.to_le_bytes()),
        },
        RawBsonRef::Decimal128(number) => put(kind, &number.bytes()),
        RawBsonRef::Boolean(value) => put(kind, &[u8::from(value)]),
        RawBsonRef::DateTime(at) => put(kind, &at.timestamp_millis().to_le_bytes()),
        RawBsonRef::ObjectId(id) => put(kind, &id.bytes()),
        RawBsonRef::Null => put(kind, &[]),
        RawBsonRef::Binary(binary) => {
            into.push(kind as u8);
            into.push(u8::from(binary.subtype));
            into.extend_from_slice(binary.bytes);
        }
        _ => return false,
    }
    true
}

fn decode(bytes: &[u8]) -> Option<Bson> {
    let (kind, bytes) = bytes.split_first()?;
    let kind = *Kind::ALL.get(usize::from(*kind))?;
    Some(match kind {
        Kind::String => Bson::String(String::from_utf8_lossy(bytes).into_owned()),
        Kind::Long => {
            let number = i64::from_le_bytes(bytes.try_into().ok()?);
            i32::try_from(number).map_or(Bson::Int64(number), Bson::Int32)
        }
        Kind::Double => Bson::Double(f64::from_le_bytes(bytes.try_into().ok()?)),
        Kind::Decimal => Bson::Decimal128(Decimal128::from_bytes(bytes.try_into().ok()?)),
        Kind::Boolean => Bson::Boolean(*bytes.first()? != 0),
        Kind::Date => {
            Bson::DateTime(DateTime::from_millis(i64::from_le_bytes(bytes.try_into().ok()?)))
        }
        Kind::ObjectId => Bson::ObjectId(ObjectId::from_bytes(bytes.try_into().ok()?)),
        Kind::Null => Bson::Null,
        Kind::Binary => {
            let (subtype, bytes) = bytes.split_first()?;
            Bson::Binary(bson::Binary { subtype: (*subtype).into(), bytes: bytes.to_vec() })
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count<'a>(values: impl IntoIterator<Item = (Kind, RawBsonRef<'a>)>) -> Values {
        let (mut counted, mut scratch) = (Values::default(), Vec::new());
        for (kind, value) in values {
            counted.add(kind, value, &mut scratch);
        }
        counted
    }

    #[test]
    fn few_values_are_counted_exactly() {
        let text = |text| (Kind::String, RawBsonRef::String(text));
        let values = count([
            text("b"),
            text("a"),
            text("b"),
            (Kind::Double, RawBsonRef::Double(2.0)),
            (Kind::Int32, RawBsonRef::Int32(2)),
            (Kind::Double, RawBsonRef::Double(2.5)),
        ]);
        assert_eq!(values.distinct(), (4, true));
        let top: Vec<(Bson, u64)> =
            values.top().into_iter().map(|one| (one.value, one.count)).collect();
        assert_eq!(top[0], (Bson::String("b".to_owned()), 2));
        assert_eq!(top[1], (Bson::Int32(2), 2), "2 and 2.0 are one value");
        assert_eq!(top.len(), 4);
    }

    #[test]
    fn frequent_values_stay_among_many() {
        let numbers: Vec<i64> =
            (0..100_000).map(|n| if n % 4 == 0 { 7 } else { n % 30_000 + 100 }).collect();
        let values = count(numbers.iter().map(|number| (Kind::Long, RawBsonRef::Int64(*number))));
        let top = values.top();
        assert_eq!(top[0].value, Bson::Int32(7));
        assert!((24_000..=25_000).contains(&top[0].count), "{top:?}");
        let (distinct, is_exact) = values.distinct();
        let real = numbers.iter().collect::<std::collections::HashSet<_>>().len() as u64;
        assert!(!is_exact && distinct.abs_diff(real) < real / 15, "{distinct} of {real}");
    }

    #[test]
    fn unique_values_have_no_frequent_ones() {
        let values = count((0..50_000).map(|number| (Kind::Long, RawBsonRef::Int64(number))));
        assert_eq!(values.top(), []);
        let (distinct, _) = values.distinct();
        assert!(distinct.abs_diff(50_000) < 2_500, "{distinct}");
        assert_eq!(values.examples().len(), SCHEMA_EXAMPLES_MAX);
    }

    #[test]
    fn long_texts_are_told_apart_but_not_listed() {
        let long = ["x".repeat(500), format!("{}y", "x".repeat(499))];
        let values = count(long.iter().map(|text| (Kind::String, RawBsonRef::String(text))));
        assert_eq!((values.distinct(), values.top().len()), ((2, true), 0));
    }
}
