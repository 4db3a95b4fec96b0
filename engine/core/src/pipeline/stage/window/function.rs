//! The value of a window function for one document after the other.

use std::ops::Range;

use bson::{
    raw::{RawBson, RawBsonRef},
    rawdoc,
};

use super::{
    NAME,
    bounds::Bounds,
    fold::{Fold, FoldState, check_place},
    formula::Formula,
    partition::Partition,
};
use crate::{
    interrupt,
    pipeline::{PipelineError, error::fail, memory::MemoryBudget, text::kind},
    query::{Code, Context, Expression, QueryError, Scope, filter::number::as_double},
    value::compare,
};

/// A window function.
#[derive(Debug)]
pub(super) enum Function {
    Fold {
        fold: Box<Fold>,
        bounds: Bounds,
    },
    /// `$first` and `$last`
    Edge {
        input: Expression,
        is_last: bool,
        bounds: Bounds,
    },
    Rank(Rank),
    Shift {
        output: Expression,
        by: i64,
        default: RawBson,
    },
    Derivative {
        input: Expression,
        is_time: bool,
        slope: Formula,
        bounds: Bounds,
    },
    /// `$expMovingAvg`
    MovingAverage {
        input: Expression,
        next: Formula,
    },
    /// `$locf`
    Carry(Expression),
    /// `$linearFill`
    Fill {
        input: Expression,
        between: Formula,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rank {
    Number,
    WithGaps,
    Dense,
}

/// The state of a function between two documents of a partition.
#[derive(Debug, Default)]
pub(super) struct Progress {
    window: Range<usize>,
    state: Option<FoldState>,
    /// Bytes that `state` holds.
    held: i64,
    /// The value of the document before, or the last one that was there.
    value: Option<RawBson>,
    rank: i64,
    /// The position of the value from which gaps are filled, and that of the next one.
    known: (Option<usize>, usize),
}

/// The partition in which a function is computed, and what it may hold.
pub(super) struct Surroundings<'s> {
    pub(super) partition: &'s Partition,
    pub(super) context: &'s Context,
    pub(super) held: &'s mut MemoryBudget,
}

impl Function {
    /// `$derivative` of this value, by this unit of time.
    pub(super) fn derivative(
        input: Expression,
        unit_ms: Option<i64>,
        bounds: Bounds,
    ) -> Result<Self, PipelineError> {
        let slope = rawdoc! {
            "$divide": [
                { "$subtract": ["$$last", "$$first"] },
                { "$divide": [{ "$subtract": ["$$to", "$$from"] }, unit_ms.unwrap_or(1)] },
            ]
        };
        let slope = Formula::of(&slope, &["first", "from", "last", "to"])?;
        Ok(Self::Derivative { input, is_time: unit_ms.is_some(), slope, bounds })
    }

    /// `$expMovingAvg`, in which the latest value has this weight.
    pub(super) fn moving_average(input: Expression, weight: f64) -> Result<Self, PipelineError> {
        let next = rawdoc! {
            "$add": [
                { "$multiply": ["$$value", weight] },
                { "$multiply": ["$$before", 1.0 - weight] },
            ]
        };
        Ok(Self::MovingAverage { input, next: Formula::of(&next, &["before", "value"])? })
    }

    /// `$linearFill`
    pub(super) fn fill(input: Expression) -> Result<Self, PipelineError> {
        let between = rawdoc! {
            "$add": ["$$before", { "$multiply": [
                { "$divide": [
                    { "$subtract": ["$$place", "$$from"] },
                    { "$subtract": ["$$to", "$$from"] },
                ] },
                { "$subtract": ["$$after", "$$before"] },
            ] }]
        };
        let names = &["before", "from", "after", "to", "place"];
        Ok(Self::Fill { input, between: Formula::of(&between, names)? })
    }

    /// The value for the document at this position; called for each of a partition, in order.
    /// `None` is missing.
    pub(super) fn value(
        &self,
        at: usize,
        progress: &mut Progress,
        around: &mut Surroundings<'_>,
    ) -> Result<Option<RawBson>, PipelineError> {
        let partition = around.partition;
        let of = |input: &Expression, at: usize| value_at(input, at, partition, around.context);
        match self {
            Self::Fold { fold, bounds } => {
                let window = bounds.window(at, partition)?;
                progress.folded(fold, (at, window), around).map(Some)
            }
            Self::Edge { input, is_last, bounds } => {
                let window = bounds.window(at, partition)?;
                match if *is_last { window.last() } else { window.clone().next() } {
                    Some(edge) => of(input, edge),
                    None => Ok(Some(RawBson::Null)),
                }
            }
            Self::Rank(rank) => Ok(Some(RawBson::Int64(progress.ranked(*rank, at, partition)))),
            Self::Shift { output, by, default } => {
                let distance = usize::try_from(by.unsigned_abs()).unwrap_or(usize::MAX);
                let other =
                    if *by < 0 { at.checked_sub(distance) } else { at.checked_add(distance) };
                match other.filter(|other| *other < partition.count()) {
                    Some(other) => of(output, other),
                    None => Ok(Some(default.clone())),
                }
            }
            Self::Derivative { input, is_time, slope, bounds } => {
                let window = bounds.window(at, partition)?;
                let (Some(first), Some(last)) = (window.clone().next(), window.last()) else {
                    return Ok(Some(RawBson::Null));
                };
                let (from, to) = (partition.place(first), partition.place(last));
                check_place(from, *is_time, "$derivative")?;
                check_place(to, *is_time, "$derivative")?;
                if compare(from, to).is_eq() {
                    return Ok(Some(RawBson::Null));
                }
                let values = (of(input, first)?, of(input, last)?);
                let (Some(first), Some(last)) = values else { return Ok(Some(RawBson::Null)) };
                let values = [first.as_raw_bson_ref(), from, last.as_raw_bson_ref(), to];
                slope.value(&values).map(Some)
            }
            Self::MovingAverage { input, next } => {
                if let Some(value) = of(input, at)?.filter(is_number) {
                    progress.value = Some(match &progress.value {
                        None => as_average(value),
                        Some(before) => {
                            next.value(&[before.as_raw_bson_ref(), value.as_raw_bson_ref()])?
                        }
                    });
                }
                Ok(Some(progress.value.clone().unwrap_or(RawBson::Null)))
            }
            Self::Carry(input) => {
                if let Some(value) = of(input, at)?.filter(|value| !is_nullish(value)) {
                    progress.value = Some(value);
                }
                Ok(Some(progress.value.clone().unwrap_or(RawBson::Null)))
            }
            Self::Fill { input, between } => progress.filled((input, between), at, around),
        }
    }
}

impl Progress {
    /// The value of a window. One that begins as the last one and ends later takes only the new
    /// documents; any other is computed from its first document on.
    fn folded(
        &mut self,
        fold: &Fold,
        (at, window): (usize, Range<usize>),
        around: &mut Surroundings<'_>,
    ) -> Result<RawBson, PipelineError> {
        let within = (around.partition, around.context);
        let grows = self.window.start == window.start && self.window.end <= window.end;
        if self.state.is_some()
            && self.window == window
            && fold.is_shared()
            && let Some(value) = &self.value
        {
            return Ok(value.clone());
        }
        let mut state = if let Some(state) = self.state.take().filter(|_| grows) {
            state
        } else {
            around.held.change(NAME, -self.held)?;
            (self.held, self.window) = (0, window.start..window.start);
            fold.begin(around.context)?
        };
        for other in self.window.end..window.end {
            interrupt::tick().map_err(QueryError::from)?;
            let grown = fold.add(&mut state, other, within)?;
            around.held.change(NAME, grown)?;
            self.held = self.held.saturating_add(grown);
        }
        let value = fold.value(&state, at, within)?;
        self.window = window;
        self.state = Some(state);
        self.value = Some(value.clone());
        Ok(value)
    }

    fn ranked(&mut self, rank: Rank, at: usize, partition: &Partition) -> i64 {
        let number = i64::try_from(at).unwrap_or(i64::MAX).saturating_add(1);
        self.rank = match rank {
            Rank::Number => number,
            _ if partition.is_tied(at) => self.rank,
            Rank::WithGaps => number,
            Rank::Dense => self.rank.saturating_add(1),
        };
        self.rank
    }

    /// The document's own value, or one on the line between the values around it.
    fn filled(
        &mut self,
        (input, between): (&Expression, &Formula),
        at: usize,
        around: &Surroundings<'_>,
    ) -> Result<Option<RawBson>, PipelineError> {
        let partition = around.partition;
        let known = |at: usize| -> Result<Option<RawBson>, PipelineError> {
            let value = value_at(input, at, partition, around.context)?;
            match value.filter(|value| !is_nullish(value)) {
                Some(value) if !is_number(&value) => fail(
                    6050201,
                    format!(
                        "Value to be filled must be numeric or nullish, but found {}",
                        kind(value.as_raw_bson_ref())
                    ),
                ),
                value => Ok(value),
            }
        };
        let place = partition.place(at);
        if !matches!(place, RawBsonRef::DateTime(_)) && as_double(place).is_none() {
            let message = "$linearFill needs a sortBy field with numbers or dates";
            return fail(Code::TYPE_MISMATCH, message);
        }
        if partition.is_tied(at) {
            return fail(6050106, "There can be no repeated values in the sort field");
        }
        if let Some(value) = known(at)? {
            self.known.0 = Some(at);
            return Ok(Some(value));
        }
        let Some(before) = self.known.0 else { return Ok(Some(RawBson::Null)) };
        self.known.1 = self.known.1.max(at + 1);
        while self.known.1 < partition.count() && known(self.known.1)?.is_none() {
            interrupt::tick().map_err(QueryError::from)?;
            self.known.1 += 1;
        }
        let after = self.known.1;
        let (Some(first), true) = (known(before)?, after < partition.count()) else {
            return Ok(Some(RawBson::Null));
        };
        let Some(last) = known(after)? else { return Ok(Some(RawBson::Null)) };
        let (from, to) = (partition.place(before), partition.place(after));
        let values = [first.as_raw_bson_ref(), from, last.as_raw_bson_ref(), to, place];
        between.value(&values).map(Some)
    }
}

fn value_at(
    input: &Expression,
    at: usize,
    partition: &Partition,
    context: &Context,
) -> Result<Option<RawBson>, PipelineError> {
    let Some(document) = partition.document(at) else { return Ok(None) };
    Ok(input.evaluate(&Scope::new(document, context))?.into_owned())
}

fn is_number(value: &RawBson) -> bool {
    as_double(value.as_raw_bson_ref()).is_some()
}

fn is_nullish(value: &RawBson) -> bool {
    matches!(value, RawBson::Null | RawBson::Undefined)
}

/// A first value: an average is a double, or a decimal.
fn as_average(value: RawBson) -> RawBson {
    match value {
        RawBson::Decimal128(_) => value,
        value => as_double(value.as_raw_bson_ref()).map_or(RawBson::Null, RawBson::Double),
    }
}
