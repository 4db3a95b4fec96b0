//! Converts a test on one path to ranges of values that an index can look up.

use bson::raw::{RawBson, RawBsonRef};

use crate::{
    query::{CompareOp, Test},
    value::{
        Collation, Direction, Layout,
        collation::shown_key,
        key::{KEY_BYTES_KEPT, encode, encode_in, prefix_end, type_section},
        order::{RANK_DATE, RANK_NULL, RANK_NUMBER, RANK_TEXT, RANK_UNDEFINED},
        type_rank,
    },
};

/// Values of one field of an index.
#[derive(Debug, Clone)]
pub(super) enum Range {
    Point(RawBson),
    /// Values of one type between two ends; the flag says whether the end is inclusive.
    Between {
        rank: u8,
        low: Option<(RawBson, bool)>,
        high: Option<(RawBson, bool)>,
    },
    TextPrefix(String),
    Class(u8),
}

/// A half-open interval of key bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interval {
    /// The lowest key, inclusive.
    pub lower: Vec<u8>,
    /// The upper end, exclusive; `None` is the end of the index.
    pub upper: Option<Vec<u8>>,
}

impl Interval {
    /// Every key with this prefix, truncated as keys are.
    pub(super) fn of_prefix(prefix: &[u8]) -> Self {
        let lower = prefix.get(..KEY_BYTES_KEPT).unwrap_or(prefix).to_vec();
        let upper = prefix_end(&lower);
        Self { lower, upper }
    }
}

/// The ranges that contain every value that passes the test; `None` when the index can't help.
pub(super) fn ranges(test: &Test, of_index: Option<&Collation>) -> Option<Vec<Range>> {
    let (test, collation) = test.collated();
    // An index with another collation has text in another order.
    if collation != of_index && test.compares_text() {
        return None;
    }
    match test {
        Test::Compare { op: CompareOp::Eq, value } => Some(equal_to(value)),
        Test::Compare { op, value } => compared(*op, value),
        Test::In { values, patterns } if patterns.is_empty() => {
            Some(values.iter().flat_map(equal_to).collect())
        }
        Test::Regex(pattern) => {
            let prefix = pattern.literal_prefix().filter(|prefix| !prefix.is_empty())?;
            let stored = RawBsonRef::RegularExpression(bson::raw::RawRegexRef {
                pattern: bson::raw::cstr!(""),
                options: bson::raw::cstr!(""),
            });
            Some(vec![Range::TextPrefix(prefix.to_owned()), Range::Class(type_rank(stored))])
        }
        _ => None,
    }
}

fn equal_to(value: &RawBson) -> Vec<Range> {
    match value {
        RawBson::Null | RawBson::Undefined => {
            vec![Range::Class(RANK_UNDEFINED), Range::Class(RANK_NULL)]
        }
        // An index holds the elements of an array; a whole array only as an element of another one.
        RawBson::Array(array) => {
            let first = array.into_iter().next().and_then(Result::ok);
            let first = first.map_or(Range::Class(RANK_UNDEFINED), |first| match first {
                RawBsonRef::Null | RawBsonRef::Undefined => Range::Class(RANK_NULL),
                first => Range::Point(first.into()),
            });
            let mut ranges = vec![Range::Point(value.clone()), first];
            // Within an array, null and undefined are equal too.
            ranges.extend([Range::Class(RANK_UNDEFINED), Range::Class(RANK_NULL)]);
            ranges
        }
        _ => vec![Range::Point(value.clone())],
    }
}

fn compared(op: CompareOp, value: &RawBson) -> Option<Vec<Range>> {
    match value {
        RawBson::Null
        | RawBson::Undefined
        | RawBson::MinKey
        | RawBson::MaxKey
        | RawBson::Array(_) => return None,
        RawBson::Double(number) if number.is_nan() => return None,
        RawBson::Decimal128(number) if number.to_string() == "NaN" => return None,
        _ => {}
    }
    let rank = type_rank(value.as_raw_bson_ref());
    let end = |inclusive| Some((value.clone(), inclusive));
    let (low, high) = match op {
        CompareOp::Gt => (end(false), None),
        CompareOp::Gte => (end(true), None),
        CompareOp::Lt => (None, end(false)),
        CompareOp::Lte => (None, end(true)),
        CompareOp::Eq => return None,
    };
    Some(vec![Range::Between { rank, low, high }])
}

/// Whether a document without the field surely fails the test.
pub(super) fn needs_field(test: &Test) -> bool {
    match test.collated().0 {
        Test::Compare { value, .. } => {
            !matches!(value, RawBson::Null | RawBson::Undefined | RawBson::MinKey | RawBson::MaxKey)
        }
        Test::In { values, .. } => {
            !values.iter().any(|value| matches!(value, RawBson::Null | RawBson::Undefined))
        }
        Test::Exists | Test::Regex(_) | Test::Mod { .. } | Test::Type(_) => true,
        _ => false,
    }
}

impl Range {
    pub(super) fn is_point(&self) -> bool {
        matches!(self, Self::Point(_))
    }

    /// The intersection of two ranges of the same type; otherwise the first.
    pub(super) fn narrowed_by(&self, other: &Self) -> Self {
        match (self, other) {
            (
                Self::Between { rank, low, high },
                Self::Between { rank: other_rank, low: other_low, high: other_high },
            ) if rank == other_rank => Self::Between {
                rank: *rank,
                low: low.clone().or_else(|| other_low.clone()),
                high: high.clone().or_else(|| other_high.clone()),
            },
            _ => self.clone(),
        }
    }

    /// The keys that start with `prefix`, followed by a value of this range.
    pub(super) fn interval(
        &self,
        prefix: &[u8],
        direction: Direction,
        collation: Option<&Collation>,
    ) -> Interval {
        let whole = |tail: &[u8]| {
            let mut bytes = prefix.to_vec();
            bytes.extend_from_slice(tail);
            bytes
        };
        match self {
            Self::Point(value) => {
                Interval::of_prefix(&whole(&bytes_of(value, direction, collation)))
            }
            Self::Class(rank) => Interval::of_prefix(&whole(&type_section(*rank, direction).0)),
            Self::TextPrefix(text) => {
                let text = RawBsonRef::String(text);
                let key = encode(Some(text), direction);
                let mut bytes = key.ordered().to_vec();
                // Longer strings continue where the terminator is; a truncated key has no
                // terminator.
                if key.exact {
                    bytes.pop();
                }
                debug_assert_eq!(type_section(RANK_TEXT, direction).0.first(), bytes.first());
                Interval::of_prefix(&whole(&bytes))
            }
            Self::Between { rank, low, high } => {
                let (first, last) = match direction {
                    Direction::Ascending => (low, high),
                    Direction::Descending => (high, low),
                };
                let section = Self::section(*rank, prefix, direction);
                let end = |(value, _): &(RawBson, bool)| {
                    Interval::of_prefix(&whole(&bytes_of(value, direction, collation)))
                };
                let is_cut = |interval: &Interval| interval.lower.len() >= KEY_BYTES_KEPT;
                let lower = match first {
                    None => section.lower,
                    Some(bound) => {
                        let at = end(bound);
                        let behind = at.upper.clone().filter(|_| !bound.1 && !is_cut(&at));
                        behind.unwrap_or(at.lower)
                    }
                };
                let upper = match last {
                    None => section.upper,
                    Some(bound) => {
                        let at = end(bound);
                        if bound.1 || is_cut(&at) { at.upper } else { Some(at.lower) }
                    }
                };
                Interval { lower, upper }
            }
        }
    }

    /// All keys of a type that can be ordered: NaN sorts below all numbers but matches no range.
    fn section(rank: u8, prefix: &[u8], direction: Direction) -> Interval {
        let of = |tail: &[u8]| Interval::of_prefix(&[prefix, tail].concat());
        let whole = of(&type_section(rank, direction).0);
        if rank != RANK_NUMBER {
            return whole;
        }
        let least = of(&bytes_of(&RawBson::Double(f64::NEG_INFINITY), direction, None));
        match direction {
            Direction::Ascending => Interval { lower: least.lower, ..whole },
            Direction::Descending => Interval { upper: least.upper, ..whole },
        }
    }

    /// The form that explain shows.
    pub(super) fn text(&self, collation: Option<&Collation>) -> String {
        let shown = |value: &RawBson| shown(value, collation);
        match self {
            Self::Point(value) => format!("[{0}, {0}]", shown(value)),
            Self::Between { rank, low, high } => {
                let open =
                    if low.as_ref().is_none_or(|(_, inclusive)| *inclusive) { '[' } else { '(' };
                let close =
                    if high.as_ref().is_none_or(|(_, inclusive)| *inclusive) { ']' } else { ')' };
                let (first, last) = ends(*rank);
                let close = if high.is_none() && *rank == RANK_TEXT { ')' } else { close };
                let low = low.as_ref().map_or_else(|| first.into(), |(value, _)| shown(value));
                let high = high.as_ref().map_or_else(|| last.into(), |(value, _)| shown(value));
                format!("{open}{low}, {high}{close}")
            }
            Self::TextPrefix(text) => {
                // The first string after all strings with this prefix.
                let mut after: Vec<char> = text.chars().collect();
                if let Some(last) = after.last_mut() {
                    *last = char::from_u32(u32::from(*last) + 1).unwrap_or(char::MAX);
                }
                let after: String = after.into_iter().collect();
                format!("[{text:?}, {after:?})")
            }
            Self::Class(RANK_NULL) => "[null, null]".to_owned(),
            Self::Class(RANK_UNDEFINED) => "[undefined, undefined]".to_owned(),
            Self::Class(_) => "[all values of the type]".to_owned(),
        }
    }
}

/// The bytes of one value within a key: the whole value, or the part that fits.
fn bytes_of(value: &RawBson, direction: Direction, collation: Option<&Collation>) -> Vec<u8> {
    encode_in(Some(value.as_raw_bson_ref()), direction, collation).ordered().to_vec()
}

/// The first and last value of a type, as MongoDB shows them.
fn ends(rank: u8) -> (&'static str, &'static str) {
    let is = |example| type_rank(example) == rank;
    match rank {
        RANK_NUMBER => ("-inf", "inf"),
        RANK_TEXT => ("\"\"", "{}"),
        RANK_DATE => ("new Date(-9223372036854775808)", "new Date(9223372036854775807)"),
        _ if is(RawBsonRef::Boolean(true)) => ("false", "true"),
        _ if is(RawBsonRef::ObjectId(bson::oid::ObjectId::from_bytes([0; 12]))) => {
            ("ObjectId('000000000000000000000000')", "ObjectId('ffffffffffffffffffffffff')")
        }
        _ => ("first of its type", "last of its type"),
    }
}

fn shown(value: &RawBson, collation: Option<&Collation>) -> String {
    if let (RawBson::String(text), Some(collation)) = (value, collation) {
        return shown_key(&collation.sort_key(text));
    }
    match value {
        RawBson::DateTime(date) => format!("new Date({})", date.timestamp_millis()),
        RawBson::ObjectId(id) => format!("ObjectId('{}')", id.to_hex()),
        RawBson::String(text) => format!("{text:?}"),
        RawBson::Double(number) if number.is_finite() => format!("{number:?}"),
        value => bson::Bson::try_from(value.clone()).map_or_else(
            |_| "?".into(),
            |value| crate::value::shell::write_value(&value, Layout::OneLine),
        ),
    }
}
