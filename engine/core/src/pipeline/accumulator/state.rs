//! The state of an accumulator for one group.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, VecDeque},
};

use bson::{
    RawArrayBuf, RawDocumentBuf,
    raw::{RawBson, RawBsonRef},
};

use super::parse::{Accumulator, Operator};
use crate::{
    pipeline::{
        PipelineError,
        error::fail,
        text::{kind, shown},
    },
    query::{Code, Scope, SortKey, Total, filter::number::as_double, percentiles},
    value::{Collation, Direction, compare_in, key::encode_in},
};

/// Overhead in bytes of a value in a list.
const ENTRY_BYTES: usize = 24;

/// The state after the documents so far.
#[derive(Debug, Clone)]
pub(in crate::pipeline) enum State {
    Sum {
        total: Total,
        count: u64,
    },
    /// One value; missing if there was none yet or it was missing.
    One {
        value: Option<RawBson>,
        is_set: bool,
    },
    List(Vec<RawBson>),
    Set(BTreeMap<Vec<u8>, RawBson>),
    /// Running mean and squares; not a number once one was infinite.
    Deviation {
        count: u64,
        mean: f64,
        squares: f64,
    },
    /// Fields of documents, later ones over earlier ones.
    Merged(RawDocumentBuf),
    /// The first n in some order.
    Kept {
        n: usize,
        values: VecDeque<RawBson>,
    },
    /// The first n by a sort key and the order of arrival.
    Sorted {
        n: usize,
        entries: BTreeMap<(SortKey, u64), RawBson>,
        seen: u64,
    },
    Numbers(Vec<f64>),
}

impl State {
    /// The state of a new group with this `_id`.
    pub(in crate::pipeline) fn begin(
        accumulator: &Accumulator,
        id: RawBsonRef<'_>,
        scope: &Scope<'_>,
    ) -> Result<Self, PipelineError> {
        let n = match &accumulator.n {
            None => 1,
            Some(expression) => {
                // MongoDB computes `n` once for each group, from its `_id` alone.
                let empty = RawDocumentBuf::new();
                let root = id.as_document().unwrap_or(&empty);
                let value = expression.evaluate(&Scope::new(root, scope.context()))?;
                checked_n(value.as_ref())?
            }
        };
        Ok(match &accumulator.operator {
            Operator::Sum | Operator::Avg => Self::Sum { total: Total::default(), count: 0 },
            Operator::Min | Operator::Max | Operator::First | Operator::Last => {
                Self::One { value: None, is_set: false }
            }
            Operator::Push | Operator::ConcatArrays => Self::List(Vec::new()),
            Operator::AddToSet | Operator::SetUnion => Self::Set(BTreeMap::new()),
            Operator::StdDev { .. } => Self::Deviation { count: 0, mean: 0.0, squares: 0.0 },
            Operator::MergeObjects => Self::Merged(RawDocumentBuf::new()),
            Operator::FirstN | Operator::LastN | Operator::MinN | Operator::MaxN => {
                Self::Kept { n, values: VecDeque::new() }
            }
            Operator::Top { .. } | Operator::TopN { .. } => {
                Self::Sorted { n, entries: BTreeMap::new(), seen: 0 }
            }
            Operator::Percentile { .. } => Self::Numbers(Vec::new()),
        })
    }

    /// Adds a document. Returns by how many bytes the state grew or shrank.
    pub(in crate::pipeline) fn add(
        &mut self,
        accumulator: &Accumulator,
        scope: &Scope<'_>,
    ) -> Result<i64, PipelineError> {
        let operator = &accumulator.operator;
        let collation = scope.context().collation.as_ref();
        // The value is settled, so the expression need not be evaluated again.
        if let (Self::One { is_set: true, .. }, Operator::First) = (&*self, operator) {
            return Ok(0);
        }
        let value = accumulator.input.evaluate(scope)?;
        let given = value.as_ref();
        if let Operator::ConcatArrays | Operator::SetUnion = operator {
            return self.add_elements(given, collation);
        }
        match self {
            Self::Sum { total, count } => {
                *count += u64::from(given.is_some_and(|value| total.add_value(value)));
                Ok(0)
            }
            Self::One { value, is_set } => {
                Ok(keep_one(operator, (value, is_set), given, collation))
            }
            Self::List(list) => {
                let Some(value) = given else { return Ok(0) };
                list.push(value.into());
                Ok(size(value))
            }
            Self::Set(set) => Ok(given.map_or(0, |value| add_to_set(set, value, collation))),
            Self::Deviation { count, mean, squares } => {
                if let Some(number) = given.and_then(as_double) {
                    *count += 1;
                    // Welford's method: a plain sum of squares would lose its digits for large
                    // numbers.
                    let distance = number - *mean;
                    #[expect(clippy::cast_precision_loss, reason = "a mean is a double")]
                    let n = *count as f64;
                    *mean += distance / n;
                    *squares += distance * (number - *mean);
                }
                Ok(0)
            }
            Self::Merged(merged) => merge(merged, given),
            Self::Kept { n, values } => Ok(keep_n((operator, *n), values, given, collation)),
            Self::Sorted { n, entries, seen } => {
                let (Operator::Top { sort, is_bottom } | Operator::TopN { sort, is_bottom }) =
                    operator
                else {
                    return Ok(0);
                };
                *seen += 1;
                // A missing value counts as null here, unlike in `$push`.
                let value = given.unwrap_or(RawBsonRef::Null);
                let place = (sort.key(scope.root())?, *seen);
                Ok(keep_sorted(*n, *is_bottom, entries, place, value))
            }
            Self::Numbers(numbers) => {
                let number = given.and_then(as_double).filter(|number| !number.is_nan());
                numbers.extend(number);
                Ok(number.map_or(0, |_| 8))
            }
        }
    }

    /// Adds the elements of an array. A document without the field adds none.
    fn add_elements(
        &mut self,
        given: Option<RawBsonRef<'_>>,
        collation: Option<&Collation>,
    ) -> Result<i64, PipelineError> {
        let array = match given {
            None => return Ok(0),
            Some(RawBsonRef::Array(array)) => array,
            Some(other) => {
                let message = format!("expected an array, but found {}", kind(other));
                return Err(PipelineError::stage(Code::TYPE_MISMATCH, message));
            }
        };
        let mut grown = 0;
        for element in array {
            let element = element?;
            grown += match self {
                Self::Set(set) => add_to_set(set, element, collation),
                Self::List(list) => {
                    list.push(element.into());
                    size(element)
                }
                _ => 0,
            };
        }
        Ok(grown)
    }

    /// The value of the field.
    pub(in crate::pipeline) fn finish(self, accumulator: &Accumulator) -> RawBson {
        match (self, &accumulator.operator) {
            (Self::Sum { total, count }, Operator::Avg) => total.average(count),
            (Self::Sum { total, .. }, _) => total.sum(),
            (Self::One { value, .. }, _) => value.unwrap_or(RawBson::Null),
            (Self::List(list), _) => array(list),
            (Self::Set(set), _) => array(set.into_values()),
            (Self::Deviation { count, squares, .. }, Operator::StdDev { is_sample }) => {
                // A single document has no deviation of a sample; MongoDB gives null.
                let by = count.saturating_sub(u64::from(*is_sample));
                if by == 0 {
                    return RawBson::Null;
                }
                #[expect(clippy::cast_precision_loss, reason = "a deviation is a double")]
                let by = by as f64;
                RawBson::Double((squares / by).sqrt())
            }
            (Self::Merged(merged), _) => RawBson::Document(merged),
            (Self::Kept { values, .. }, _) => array(values),
            (Self::Sorted { entries, .. }, operator) => {
                let mut values = entries.into_values();
                match operator {
                    Operator::Top { .. } => values.next().unwrap_or(RawBson::Null),
                    _ => array(values),
                }
            }
            (Self::Numbers(numbers), Operator::Percentile { ps, is_median }) => {
                let mut values = percentiles(numbers, ps);
                if *is_median { values.pop().unwrap_or(RawBson::Null) } else { array(values) }
            }
            (Self::Deviation { .. } | Self::Numbers(_), _) => RawBson::Null,
        }
    }
}

/// Adds a value if the set has none that is equal. Returns by how many bytes the set grew.
fn add_to_set(
    set: &mut BTreeMap<Vec<u8>, RawBson>,
    value: RawBsonRef<'_>,
    collation: Option<&Collation>,
) -> i64 {
    let key = encode_in(Some(value), Direction::Ascending, collation).bytes;
    if set.contains_key(&key) {
        return 0;
    }
    let grown = signed(key.len()) + size(value);
    set.insert(key, value.into());
    grown
}

fn checked_n(value: Option<RawBsonRef<'_>>) -> Result<usize, PipelineError> {
    let Some(value) = value else {
        let message = "Value for 'n' must be of integral type, but found missing".to_owned();
        return fail(5787902, message);
    };
    let Some(n) = as_double(value) else {
        let message = format!("Value for 'n' must be of integral type, but found {}", shown(value));
        return fail(5787902, message);
    };
    if n.fract() != 0.0 || !n.is_finite() {
        let message = format!("Value for 'n' must be of integral type, but found {}", shown(value));
        return fail(5787903, message);
    }
    if n <= 0.0 {
        let message = format!("'n' must be greater than 0, found {}", shown(value));
        return fail(5787908, message);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "above zero, and `as` saturates"
    )]
    let n = n as usize;
    Ok(n)
}

/// Bytes that a value takes where it is held, about.
pub(in crate::pipeline) fn value_bytes(value: RawBsonRef<'_>) -> usize {
    ENTRY_BYTES
        + match value {
            RawBsonRef::String(text) | RawBsonRef::Symbol(text) => text.len(),
            RawBsonRef::Document(document) => document.as_bytes().len(),
            RawBsonRef::Array(array) => array.as_bytes().len(),
            RawBsonRef::Binary(binary) => binary.bytes.len(),
            _ => 16,
        }
}

fn size(value: RawBsonRef<'_>) -> i64 {
    signed(value_bytes(value))
}

fn size_of_held(value: Option<&RawBson>) -> i64 {
    value.map_or(0, |value| size(value.as_raw_bson_ref()))
}

fn signed(bytes: usize) -> i64 {
    i64::try_from(bytes).unwrap_or(i64::MAX)
}

fn is_nullish(value: Option<RawBsonRef<'_>>) -> bool {
    matches!(value, None | Some(RawBsonRef::Null | RawBsonRef::Undefined))
}

fn keep_one(
    operator: &Operator,
    (value, is_set): (&mut Option<RawBson>, &mut bool),
    given: Option<RawBsonRef<'_>>,
    collation: Option<&Collation>,
) -> i64 {
    let wanted = match operator {
        Operator::Min | Operator::Max if is_nullish(given) => return 0,
        Operator::Min => Some(Ordering::Less),
        Operator::Max => Some(Ordering::Greater),
        _ => None,
    };
    if let (Some(wanted), Some(current), Some(given)) = (wanted, value.as_ref(), given)
        && compare_in(given, current.as_raw_bson_ref(), collation) != wanted
    {
        return 0;
    }
    *is_set = true;
    let before = size_of_held(value.as_ref());
    *value = given.map(Into::into);
    given.map_or(0, size) - before
}

fn merge(merged: &mut RawDocumentBuf, given: Option<RawBsonRef<'_>>) -> Result<i64, PipelineError> {
    let document = match given {
        None | Some(RawBsonRef::Null | RawBsonRef::Undefined) => return Ok(0),
        Some(RawBsonRef::Document(document)) => document,
        Some(other) => {
            return Err(refused!(
                40400,
                "$mergeObjects requires object inputs, but input {} is of type {}",
                shown(other),
                kind(other)
            ));
        }
    };
    let mut out = RawDocumentBuf::new();
    for (name, value) in merged.iter().map_while(Result::ok) {
        out.append(name, document.get(name.as_str())?.unwrap_or(value));
    }
    for (name, value) in document.into_iter().map_while(Result::ok) {
        if merged.get(name.as_str())?.is_none() {
            out.append(name, value);
        }
    }
    let grown = signed(out.as_bytes().len()) - signed(merged.as_bytes().len());
    *merged = out;
    Ok(grown)
}

fn keep_n(
    (operator, n): (&Operator, usize),
    values: &mut VecDeque<RawBson>,
    given: Option<RawBsonRef<'_>>,
    collation: Option<&Collation>,
) -> i64 {
    let value = match operator {
        Operator::MinN | Operator::MaxN if is_nullish(given) => return 0,
        _ => given.unwrap_or(RawBsonRef::Null),
    };
    let at = match operator {
        Operator::FirstN | Operator::LastN => values.len(),
        _ => values.partition_point(|current| {
            let order = compare_in(current.as_raw_bson_ref(), value, collation);
            let order = if matches!(operator, Operator::MaxN) { order.reverse() } else { order };
            order != Ordering::Greater
        }),
    };
    let is_last = matches!(operator, Operator::LastN);
    if at >= n && !is_last {
        return 0;
    }
    values.insert(at, value.into());
    if values.len() <= n {
        return size(value);
    }
    let dropped = if is_last { values.pop_front() } else { values.pop_back() };
    size(value) - size_of_held(dropped.as_ref())
}

/// Keeps the first n entries, or the last n. Returns by how many bytes they grew or shrank.
fn keep_sorted(
    n: usize,
    is_bottom: bool,
    entries: &mut BTreeMap<(SortKey, u64), RawBson>,
    place: (SortKey, u64),
    value: RawBsonRef<'_>,
) -> i64 {
    let edge = if is_bottom { entries.first_key_value() } else { entries.last_key_value() };
    let is_beyond =
        edge.is_some_and(|(edge, _)| if is_bottom { place < *edge } else { place > *edge });
    if entries.len() >= n && is_beyond {
        return 0;
    }
    let mut grown = signed(place.0.size_bytes()) + size(value);
    entries.insert(place, value.into());
    if entries.len() > n {
        let dropped = if is_bottom { entries.pop_first() } else { entries.pop_last() };
        if let Some(((key, _), value)) = dropped {
            grown -= signed(key.size_bytes()) + size(value.as_raw_bson_ref());
        }
    }
    grown
}

fn array(values: impl IntoIterator<Item = RawBson>) -> RawBson {
    let mut array = RawArrayBuf::new();
    for value in values {
        array.push(value);
    }
    RawBson::Array(array)
}
