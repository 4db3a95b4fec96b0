//! `window`: which documents of a partition a function sees.

use std::{cmp::Ordering, ops::Range};

use bson::{
    raw::{RawArray, RawBson, RawBsonRef, RawDocument},
    rawdoc,
};

use super::{formula::Formula, partition::Partition};
use crate::{
    pipeline::{
        PipelineError,
        error::fail,
        text::{kind, shown},
    },
    query::{Code, Expression, Sort, VariableNames, filter::number::as_double},
    value::{Direction, compare},
};

/// One end of a window.
#[derive(Debug, Clone)]
pub(super) enum Edge<T> {
    Unbounded,
    Current,
    At(T),
}

#[derive(Debug)]
pub(super) enum Bounds {
    /// Positions relative to the document.
    Documents(Edge<i64>, Edge<i64>),
    /// Distances from the value that the document sorts by.
    Range(Box<RangeBounds>),
}

#[derive(Debug)]
pub(super) struct RangeBounds {
    lower: Edge<RawBson>,
    upper: Edge<RawBson>,
    is_time: bool,
    /// Adds a distance to a value.
    add: Formula,
}

const UNITS: [&str; 9] =
    ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond"];

fn bad<T>(message: impl Into<String>) -> Result<T, PipelineError> {
    fail(Code::FAILED_TO_PARSE, message)
}

impl Bounds {
    /// The whole partition.
    pub(super) fn whole() -> Self {
        Self::Documents(Edge::Unbounded, Edge::Unbounded)
    }

    /// Reads `window`.
    pub(super) fn parse(
        value: RawBsonRef<'_>,
        sort: Option<&Sort>,
        names: &VariableNames,
    ) -> Result<Self, PipelineError> {
        let RawBsonRef::Document(window) = value else {
            return bad("'window' field must be an object");
        };
        let (documents, range) = (window.get("documents")?, window.get("range")?);
        let fields = window.into_iter().count();
        match (documents, range) {
            (Some(_), Some(_)) => {
                bad("Window bounds can specify either 'documents' or 'range', not both.")
            }
            (_, None) if window.get("unit")?.is_some() => {
                bad("Window bounds can only specify 'unit' with range-based bounds.")
            }
            (None, None) if fields == 0 => Ok(Self::whole()),
            (None, None) => bad(
                "'window' field can only contain 'documents' as the only argument or 'range' with \
                 an optional 'unit' field",
            ),
            (Some(_), None) if fields != 1 => {
                bad("'window' field that specifies documents cannot have other fields")
            }
            (Some(pair), None) => documents_of(pair, sort, names),
            (None, Some(pair)) => range_of(window, pair, sort, names),
        }
    }

    /// Whether each document sees itself.
    pub(super) fn holds_current(&self) -> bool {
        let zero = RawBsonRef::Int32(0);
        match self {
            Self::Documents(lower, upper) => {
                !matches!(lower, Edge::At(by) if *by > 0)
                    && !matches!(upper, Edge::At(by) if *by < 0)
            }
            Self::Range(bounds) => {
                let order = |by: &RawBson| compare(by.as_raw_bson_ref(), zero);
                !matches!(&bounds.lower, Edge::At(by) if order(by).is_gt())
                    && !matches!(&bounds.upper, Edge::At(by) if order(by).is_lt())
            }
        }
    }

    /// The positions of the documents that the one at this position sees.
    pub(super) fn window(
        &self,
        at: usize,
        partition: &Partition,
    ) -> Result<Range<usize>, PipelineError> {
        let window = match self {
            Self::Documents(lower, upper) => {
                let count = partition.count();
                let place = |by: i64| moved(at, by).min(count);
                let start = match lower {
                    Edge::Unbounded => 0,
                    Edge::Current => at,
                    Edge::At(by) => place(*by),
                };
                let end = match upper {
                    Edge::Unbounded => count,
                    Edge::Current => at + 1,
                    Edge::At(by) => place(by.saturating_add(1)),
                };
                start..end
            }
            Self::Range(bounds) => bounds.window(at, partition)?,
        };
        // Empty windows are all the same one.
        Ok(if window.start < window.end { window } else { 0..0 })
    }
}

/// The position so far from this one; none is before the first.
fn moved(at: usize, by: i64) -> usize {
    let distance = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
    if by < 0 { at.saturating_sub(distance) } else { at.saturating_add(distance) }
}

impl RangeBounds {
    fn window(&self, at: usize, partition: &Partition) -> Result<Range<usize>, PipelineError> {
        let value = partition.place(at);
        let is_fit = match value {
            RawBsonRef::DateTime(_) => self.is_time,
            value => !self.is_time && as_double(value).is_some(),
        };
        if !is_fit {
            let (code, wanted) = if self.is_time { (5429513, "date") } else { (5429413, "number") };
            let message = format!(
                "Invalid range: Expected the sortBy field to be a {wanted}, but it was {}",
                kind(value)
            );
            return fail(code, message);
        }
        let end_of = |edge: &Edge<RawBson>| -> Result<Option<RawBson>, PipelineError> {
            Ok(match edge {
                Edge::Unbounded => None,
                Edge::Current => Some(value.into()),
                Edge::At(by) => Some(self.add.value(&[value, by.as_raw_bson_ref()])?),
            })
        };
        let start = end_of(&self.lower)?.map_or(0, |lower| {
            partition.count_while(|value| compare(value, lower.as_raw_bson_ref()).is_lt())
        });
        let end = end_of(&self.upper)?.map_or(partition.count(), |upper| {
            partition.count_while(|value| compare(value, upper.as_raw_bson_ref()).is_le())
        });
        Ok(start..end)
    }
}

fn pair(value: RawBsonRef<'_>) -> Result<(RawBsonRef<'_>, RawBsonRef<'_>), PipelineError> {
    let items = |array: &RawArray| array.into_iter().count();
    if let RawBsonRef::Array(array) = value
        && items(array) == 2
        && let (Some(lower), Some(upper)) = (array.get(0)?, array.get(1)?)
    {
        return Ok((lower, upper));
    }
    bad(format!("Window bounds must be a 2-element array: {}", kind(value)))
}

fn edge<T>(
    value: RawBsonRef<'_>,
    names: &VariableNames,
    read: impl FnOnce(RawBsonRef<'_>) -> Result<T, PipelineError>,
) -> Result<Edge<T>, PipelineError> {
    match value {
        RawBsonRef::String("unbounded") => Ok(Edge::Unbounded),
        RawBsonRef::String("current") => Ok(Edge::Current),
        RawBsonRef::String(_) => bad("Window bounds must be 'unbounded', 'current', or a number."),
        value => {
            let expression = Expression::parse(value, names)?;
            let Some(constant) = expression.constant() else {
                return bad("Window bounds expression must be a constant.");
            };
            Ok(Edge::At(read(constant.unwrap_or(RawBsonRef::Null))?))
        }
    }
}

fn documents_of(
    value: RawBsonRef<'_>,
    sort: Option<&Sort>,
    names: &VariableNames,
) -> Result<Bounds, PipelineError> {
    let (lower, upper) = pair(value)?;
    let read = |value: RawBsonRef<'_>| match whole(value) {
        Some(number) => Ok(number),
        None => bad("Numeric document-based bounds must be an integer"),
    };
    let (lower, upper) = (edge(lower, names, read)?, edge(upper, names, read)?);
    let number = |edge: &Edge<i64>| match edge {
        Edge::Unbounded => None,
        Edge::Current => Some(0),
        Edge::At(by) => Some(*by),
    };
    if let (Some(lower), Some(upper)) = (number(&lower), number(&upper))
        && lower > upper
    {
        return crossed(RawBsonRef::Int64(lower), RawBsonRef::Int64(upper));
    }
    let is_whole = matches!((&lower, &upper), (Edge::Unbounded, Edge::Unbounded));
    if !is_whole && sort.is_none() {
        return fail(5339901, "Document-based bounds require a sortBy");
    }
    Ok(Bounds::Documents(lower, upper))
}

fn crossed<T>(lower: RawBsonRef<'_>, upper: RawBsonRef<'_>) -> Result<T, PipelineError> {
    let message =
        format!("Lower bound must not exceed upper bound: [{}, {}]", shown(lower), shown(upper));
    fail(5339900, message)
}

/// A whole number of any type.
pub(super) fn whole(value: RawBsonRef<'_>) -> Option<i64> {
    let number = as_double(value).filter(|number| number.fract() == 0.0)?;
    #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
    let number = number as i64;
    Some(number)
}

fn range_of(
    window: &RawDocument,
    value: RawBsonRef<'_>,
    sort: Option<&Sort>,
    names: &VariableNames,
) -> Result<Bounds, PipelineError> {
    let (lower, upper) = pair(value)?;
    let unit = match window.get("unit")? {
        None => None,
        Some(RawBsonRef::String(unit)) if UNITS.contains(&unit) => Some(unit),
        Some(RawBsonRef::String(other)) => {
            return bad(format!("unknown time unit value: {other}"));
        }
        Some(_) => return bad("'unit' must be a string"),
    };
    if window.into_iter().count() != 1 + usize::from(unit.is_some()) {
        return bad("'window' field that specifies range cannot have other fields besides 'unit'");
    }
    let read = |value: RawBsonRef<'_>| match unit {
        Some(_) if whole(value).is_none() => {
            bad("With 'unit', range-based bounds must be an integer")
        }
        None if as_double(value).is_none() => bad("Range-based bounds expression must be a number"),
        _ => Ok(RawBson::from(value)),
    };
    let (lower, upper) = (edge(lower, names, read)?, edge(upper, names, read)?);
    check_order(&lower, &upper)?;
    match sort.map(Sort::fields) {
        Some([(_, Direction::Ascending)]) => {}
        Some([(_, Direction::Descending)]) => {
            return fail(8947401, "Range-based bounds require an ascending sortBy");
        }
        _ => return fail(5339902, "Range-based bounds require sortBy a single field"),
    }
    let add = if let Some(unit) = unit {
        rawdoc! { "$dateAdd": { "startDate": "$$value", "unit": unit, "amount": "$$by" } }
    } else {
        rawdoc! { "$add": ["$$value", "$$by"] }
    };
    let add = Formula::of(&add, &["value", "by"])?;
    let bounds = RangeBounds { lower, upper, is_time: unit.is_some(), add };
    Ok(Bounds::Range(Box::new(bounds)))
}

fn check_order(lower: &Edge<RawBson>, upper: &Edge<RawBson>) -> Result<(), PipelineError> {
    fn number(edge: &Edge<RawBson>) -> Option<RawBsonRef<'_>> {
        match edge {
            Edge::Unbounded => None,
            Edge::Current => Some(RawBsonRef::Int32(0)),
            Edge::At(by) => Some(by.as_raw_bson_ref()),
        }
    }
    match (number(lower), number(upper)) {
        (Some(lower), Some(upper)) if compare(lower, upper) == Ordering::Greater => {
            crossed(lower, upper)
        }
        _ => Ok(()),
    }
}
