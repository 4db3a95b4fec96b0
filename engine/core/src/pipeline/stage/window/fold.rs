//! Functions that combine the documents of a window one after the other.

use bson::{
    raw::{RawBson, RawBsonRef},
    rawdoc,
};

use super::{formula::Formula, partition::Partition};
use crate::{
    pipeline::{
        PipelineError,
        accumulator::{Accumulator, State},
        error::fail,
        text::kind,
    },
    query::{Code, Context, Expression, Scope, filter::number::as_double},
    value::compare,
};

/// A function of all documents of a window.
#[derive(Debug)]
pub(super) enum Fold {
    Accumulator(Accumulator),
    Integral {
        input: Expression,
        is_time: bool,
        /// The area between two documents.
        area: Formula,
    },
    Covariance {
        inputs: [Expression; 2],
        is_sample: bool,
    },
    /// Where the document is between the least and the greatest value of its window.
    Scale {
        input: Expression,
        least: RawBson,
        scaled: Formula,
    },
}

/// The state after some documents.
#[derive(Debug, Clone)]
pub(super) enum FoldState {
    Accumulator(State),
    Integral {
        /// The place and the value of the last document that has a number.
        last: Option<(RawBson, RawBson)>,
        area: RawBson,
    },
    Covariance {
        count: u64,
        means: [f64; 2],
        product: f64,
    },
    Scale {
        least: Option<RawBson>,
        most: Option<RawBson>,
    },
}

impl Fold {
    /// `$integral` of this value, by this unit of time.
    pub(super) fn integral(input: Expression, unit_ms: Option<i64>) -> Result<Self, PipelineError> {
        // A trapezoid: the mean of both values, times the distance.
        let area = rawdoc! {
            "$add": ["$$sum", { "$multiply": [
                { "$divide": [{ "$add": ["$$before", "$$value"] }, 2] },
                { "$divide": [{ "$subtract": ["$$place", "$$last"] }, unit_ms.unwrap_or(1)] },
            ] }]
        };
        let area = Formula::of(&area, &["sum", "last", "before", "place", "value"])?;
        Ok(Self::Integral { input, is_time: unit_ms.is_some(), area })
    }

    /// `$minMaxScaler` to these bounds.
    pub(super) fn scale(
        input: Expression,
        least: RawBson,
        most: RawBson,
    ) -> Result<Self, PipelineError> {
        let scaled = rawdoc! {
            "$add": [least.clone(), { "$multiply": [
                { "$divide": [
                    { "$subtract": ["$$value", "$$least"] },
                    { "$subtract": ["$$most", "$$least"] },
                ] },
                { "$subtract": [most, least.clone()] },
            ] }]
        };
        let scaled = Formula::of(&scaled, &["value", "least", "most"])?;
        Ok(Self::Scale { input, least, scaled })
    }

    /// Whether the value is the same for all documents of a window.
    pub(super) fn is_shared(&self) -> bool {
        !matches!(self, Self::Scale { .. })
    }

    pub(super) fn begin(&self, context: &Context) -> Result<FoldState, PipelineError> {
        Ok(match self {
            Self::Accumulator(accumulator) => {
                let nothing = bson::RawDocumentBuf::new();
                let scope = Scope::new(&nothing, context);
                let state = State::begin(accumulator, RawBsonRef::Null, &scope)?;
                FoldState::Accumulator(state)
            }
            Self::Integral { .. } => FoldState::Integral { last: None, area: RawBson::Int32(0) },
            Self::Covariance { .. } => {
                FoldState::Covariance { count: 0, means: [0.0; 2], product: 0.0 }
            }
            Self::Scale { .. } => FoldState::Scale { least: None, most: None },
        })
    }

    /// Adds a document. Returns by how many bytes the state grew or shrank.
    pub(super) fn add(
        &self,
        state: &mut FoldState,
        at: usize,
        (partition, context): (&Partition, &Context),
    ) -> Result<i64, PipelineError> {
        let Some(document) = partition.document(at) else { return Ok(0) };
        let scope = Scope::new(document, context);
        match (self, state) {
            (Self::Accumulator(accumulator), FoldState::Accumulator(state)) => {
                return state.add(accumulator, &scope);
            }
            (
                Self::Integral { input, is_time, area: formula },
                FoldState::Integral { last, area },
            ) => {
                let place = partition.place(at);
                check_place(place, *is_time, "$integral")?;
                let Some(value) = number(input, &scope)? else { return Ok(0) };
                if let Some((before, value_before)) = last {
                    *area = formula.value(&[
                        area.as_raw_bson_ref(),
                        before.as_raw_bson_ref(),
                        value_before.as_raw_bson_ref(),
                        place,
                        value.as_raw_bson_ref(),
                    ])?;
                }
                *last = Some((place.into(), value));
            }
            (Self::Covariance { inputs, .. }, FoldState::Covariance { count, means, product }) => {
                let [a, b] = inputs;
                let numbers = (number(a, &scope)?, number(b, &scope)?);
                let (Some(a), Some(b)) = numbers else { return Ok(0) };
                let as_f64 = |value: &RawBson| as_double(value.as_raw_bson_ref());
                let (Some(a), Some(b)) = (as_f64(&a), as_f64(&b)) else { return Ok(0) };
                // Welford's method, which loses no digits for large numbers.
                *count += 1;
                #[expect(clippy::cast_precision_loss, reason = "a mean is a double")]
                let n = *count as f64;
                let [mean_a, mean_b] = means;
                let distance = a - *mean_a;
                *mean_a += distance / n;
                *mean_b += (b - *mean_b) / n;
                *product += distance * (b - *mean_b);
            }
            (Self::Scale { input, .. }, FoldState::Scale { least, most }) => {
                let value = scaled_input(input, &scope)?;
                let found = value.as_raw_bson_ref();
                if least
                    .as_ref()
                    .is_none_or(|least| compare(found, least.as_raw_bson_ref()).is_lt())
                {
                    *least = Some(value.clone());
                }
                if most.as_ref().is_none_or(|most| compare(found, most.as_raw_bson_ref()).is_gt()) {
                    *most = Some(value);
                }
            }
            _ => {}
        }
        Ok(0)
    }

    /// The value for the document at this position.
    pub(super) fn value(
        &self,
        state: &FoldState,
        at: usize,
        (partition, context): (&Partition, &Context),
    ) -> Result<RawBson, PipelineError> {
        Ok(match (self, state) {
            (Self::Accumulator(accumulator), FoldState::Accumulator(state)) => {
                state.clone().finish(accumulator)
            }
            (_, FoldState::Integral { area, .. }) => area.clone(),
            (Self::Covariance { is_sample, .. }, FoldState::Covariance { count, product, .. }) => {
                match count.saturating_sub(u64::from(*is_sample)) {
                    0 => RawBson::Null,
                    #[expect(clippy::cast_precision_loss, reason = "a covariance is a double")]
                    by => RawBson::Double(product / by as f64),
                }
            }
            (Self::Scale { input, least: bottom, scaled }, FoldState::Scale { least, most }) => {
                let (Some(document), Some(least), Some(most)) =
                    (partition.document(at), least, most)
                else {
                    return Ok(RawBson::Null);
                };
                let (least, most) = (least.as_raw_bson_ref(), most.as_raw_bson_ref());
                if compare(least, most).is_eq() {
                    return Ok(bottom.clone());
                }
                let value = scaled_input(input, &Scope::new(document, context))?;
                scaled.value(&[value.as_raw_bson_ref(), least, most])?
            }
            _ => RawBson::Null,
        })
    }
}

/// The value of an expression, if it is a number.
fn number(input: &Expression, scope: &Scope<'_>) -> Result<Option<RawBson>, PipelineError> {
    let value = input.evaluate(scope)?;
    Ok(value.as_ref().filter(|value| as_double(*value).is_some()).map(RawBson::from))
}

fn scaled_input(input: &Expression, scope: &Scope<'_>) -> Result<RawBson, PipelineError> {
    let value = input.evaluate(scope)?;
    match value.as_ref() {
        Some(value) if as_double(value).is_some() => Ok(value.into()),
        other => fail(
            Code::TYPE_MISMATCH,
            format!(
                "'input' argument to $minMaxScaler must evaluate to a number, but found {}",
                other.map_or("missing", kind)
            ),
        ),
    }
}

/// Refuses a document whose place is not of the kind that the function's unit asks for.
pub(super) fn check_place(
    place: RawBsonRef<'_>,
    is_time: bool,
    function: &str,
) -> Result<(), PipelineError> {
    let is_date = matches!(place, RawBsonRef::DateTime(_));
    if is_time && !is_date {
        let message = format!("{function} with 'unit' expects the sortBy field to be a Date");
        return fail(5624900, message);
    }
    if !is_time && is_date {
        let message = format!("{function} where the sortBy is a Date requires a 'unit'");
        return fail(5624901, message);
    }
    if !is_date && as_double(place).is_none() {
        let message = format!(
            "{function} expects the sortBy field to be a number or a Date, but found {}",
            kind(place)
        );
        return fail(5624902, message);
    }
    Ok(())
}
