//! `$add`, `$subtract`, `$multiply`, `$divide`, `$mod`.

use bson::{
    DateTime,
    raw::{RawBson, RawBsonRef},
};

use super::{
    Total,
    number::{Number, Pair},
};
use crate::{
    query::{
        QueryError, QueryErrorKind,
        expression::{
            error::{ExpressionErrorKind as Kind, error},
            operator::{Arguments, Given, Operator, Outcome},
            value::{is_nullish, type_name},
        },
    },
    value::{Decimal, decimal::DecimalRounding},
};

pub(in crate::query::expression) static OPERATORS: &[Operator] = &[
    Operator { name: "$add", arguments: Arguments::AtLeast(0), run: add },
    Operator { name: "$subtract", arguments: Arguments::Exactly(2), run: subtract },
    Operator { name: "$multiply", arguments: Arguments::AtLeast(0), run: multiply },
    Operator { name: "$divide", arguments: Arguments::Exactly(2), run: divide },
    Operator { name: "$mod", arguments: Arguments::Exactly(2), run: modulo },
];

/// Beyond this a double does not fit into an int64.
const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;

const NULL: Option<RawBson> = Some(RawBson::Null);

fn add(given: &Given<'_>) -> Outcome {
    let mut total = Total::default();
    let mut date: Option<i64> = None;
    for value in given.all() {
        if is_nullish(value) {
            return Ok(NULL);
        }
        match value {
            Some(RawBsonRef::DateTime(_)) if date.is_some() => {
                return Err(error(
                    Kind::AddTwoDates,
                    "only one date allowed in an $add expression",
                ));
            }
            Some(RawBsonRef::DateTime(start)) => {
                date = Some(moved(
                    "$add",
                    start.timestamp_millis(),
                    total.number(),
                    i64::checked_add,
                )?);
            }
            value => {
                let Some(number) = value.and_then(Number::of) else {
                    return Err(QueryError::type_mismatch(format!(
                        "$add only supports numeric or date types, not {}",
                        type_name(value)
                    )));
                };
                match &mut date {
                    Some(date) => *date = moved("$add", *date, number, i64::checked_add)?,
                    None => total.add(number),
                }
            }
        }
    }
    Ok(Some(date.map_or_else(|| total.number().into(), date_of)))
}

fn date_of(ms: i64) -> RawBson {
    RawBson::DateTime(DateTime::from_millis(ms))
}

/// A date moved by a number of milliseconds, rounded to whole ones.
fn moved(
    operator: &str,
    date: i64,
    by: Number,
    reckon: fn(i64, i64) -> Option<i64>,
) -> Result<i64, QueryError> {
    let ms = match by {
        Number::Int(n) => Some(i64::from(n)),
        Number::Long(n) => Some(n),
        #[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
        Number::Double(n) => {
            (-TWO_POW_63..TWO_POW_63).contains(&n.round()).then_some(n.round() as i64)
        }
        Number::Decimal(n) => n.at_place(0, DecimalRounding::HalfEven).and_then(Decimal::to_i64),
    };
    ms.and_then(|ms| reckon(date, ms)).ok_or_else(|| overflow(operator))
}

fn overflow(operator: &str) -> QueryError {
    QueryError::new(QueryErrorKind::Overflow, format!("date overflow in {operator}"))
}

fn subtract(given: &Given<'_>) -> Outcome {
    let (left, right) = (given.at(0), given.at(1));
    if given.any_nullish() {
        return Ok(NULL);
    }
    if let (Some(a), Some(b)) = (left.and_then(Number::of), right.and_then(Number::of)) {
        return Ok(Some(a.minus(b).into()));
    }
    if let Some(RawBsonRef::DateTime(a)) = left {
        if let Some(RawBsonRef::DateTime(b)) = right {
            let ms = a.timestamp_millis().checked_sub(b.timestamp_millis());
            return ms.map(|ms| Some(RawBson::Int64(ms))).ok_or_else(|| overflow("$subtract"));
        }
        if let Some(b) = right.and_then(Number::of) {
            let ms = moved("$subtract", a.timestamp_millis(), b, i64::checked_sub)?;
            return Ok(Some(date_of(ms)));
        }
    }
    Err(QueryError::type_mismatch(format!(
        "can't $subtract {} from {}",
        type_name(right),
        type_name(left)
    )))
}

fn multiply(given: &Given<'_>) -> Outcome {
    let mut product = Number::Int(1);
    for value in given.all() {
        if is_nullish(value) {
            return Ok(NULL);
        }
        let Some(number) = value.and_then(Number::of) else {
            return Err(QueryError::type_mismatch(format!(
                "$multiply only supports numeric types, not {}",
                type_name(value)
            )));
        };
        product = product.times(number);
    }
    Ok(Some(product.into()))
}

fn divide(given: &Given<'_>) -> Outcome {
    if given.any_nullish() {
        return Ok(NULL);
    }
    let (Some(a), Some(b)) = (given.at(0).and_then(Number::of), given.at(1).and_then(Number::of))
    else {
        return Err(QueryError::type_mismatch(format!(
            "$divide only supports numeric types, not {} and {}",
            type_name(given.at(0)),
            type_name(given.at(1))
        )));
    };
    let by_zero = || error(Kind::DivideByZero, "can't $divide by zero");
    if let Pair::Decimals(a, b) = a.widen(b) {
        if b.is_zero() {
            return Err(by_zero());
        }
        return Ok(Some(Number::Decimal(a.over(b)).into()));
    }
    if b.to_f64() == 0.0 {
        return Err(by_zero());
    }
    Ok(Some(RawBson::Double(a.to_f64() / b.to_f64())))
}

fn modulo(given: &Given<'_>) -> Outcome {
    if given.any_nullish() {
        return Ok(NULL);
    }
    let (Some(a), Some(b)) = (given.at(0).and_then(Number::of), given.at(1).and_then(Number::of))
    else {
        return Err(error(
            Kind::ModNotNumeric,
            format!(
                "$mod only supports numeric types, not {} and {}",
                type_name(given.at(0)),
                type_name(given.at(1))
            ),
        ));
    };
    let by_zero = || error(Kind::ModByZero, "can't $mod by zero");
    Ok(Some(match a.widen(b) {
        Pair::Decimals(_, b) if b.is_zero() => return Err(by_zero()),
        Pair::Doubles(_, 0.0) | Pair::Ints(_, 0) | Pair::Longs(_, 0) => return Err(by_zero()),
        Pair::Decimals(a, b) => Number::Decimal(a.modulo(b)).into(),
        Pair::Doubles(a, b) => RawBson::Double(a % b),
        Pair::Ints(a, b) => RawBson::Int32(a.wrapping_rem(b)),
        Pair::Longs(a, b) => RawBson::Int64(a.wrapping_rem(b)),
    }))
}
