//! `$abs`, `$ceil`, `$floor`, `$round`, `$trunc`.

use bson::raw::RawBson;

use super::number::{Number, single};
use crate::{
    query::{
        QueryError,
        error::refused,
        expression::{
            operator::{Arguments, CallArgs, Operator, Outcome},
            value::{is_nullish, type_name},
        },
        filter::number::whole,
    },
    value::{Decimal, decimal::DecimalRounding},
};

pub(in crate::query::expression) static OPERATORS: &[Operator] = &[
    Operator { name: "$abs", arguments: Arguments::Exactly(1), run: abs },
    Operator { name: "$ceil", arguments: Arguments::Exactly(1), run: ceil },
    Operator { name: "$floor", arguments: Arguments::Exactly(1), run: floor },
    Operator { name: "$round", arguments: Arguments::Between(1, 2), run: round },
    Operator { name: "$trunc", arguments: Arguments::Between(1, 2), run: trunc },
];

fn abs(given: &CallArgs<'_>) -> Outcome {
    single(given, |number| {
        Ok(match number {
            Number::Int(n) => Number::smallest(i64::from(n).abs()),
            Number::Long(n) => Number::Long(
                n.checked_abs()
                    .ok_or_else(|| refused(28680, "can't take $abs of long long min"))?,
            ),
            Number::Double(n) => Number::Double(n.abs()),
            Number::Decimal(n) => Number::Decimal(n.abs()),
        })
    })
}

fn ceil(given: &CallArgs<'_>) -> Outcome {
    single(given, |number| Ok(to_whole(number, f64::ceil, DecimalRounding::Ceiling)))
}

fn floor(given: &CallArgs<'_>) -> Outcome {
    single(given, |number| Ok(to_whole(number, f64::floor, DecimalRounding::Floor)))
}

fn to_whole(number: Number, double: fn(f64) -> f64, rounding: DecimalRounding) -> Number {
    match number {
        Number::Double(n) => Number::Double(double(n)),
        // `at_place` fails only on a number without digits to spare, which has no fraction either.
        Number::Decimal(n) if n.is_finite() => {
            Number::Decimal(n.at_place(0, rounding).unwrap_or(n))
        }
        number => number,
    }
}

fn round(given: &CallArgs<'_>) -> Outcome {
    to_place(given, DecimalRounding::HalfEven)
}

fn trunc(given: &CallArgs<'_>) -> Outcome {
    to_place(given, DecimalRounding::Truncate)
}

fn to_place(given: &CallArgs<'_>, rounding: DecimalRounding) -> Outcome {
    let value = given.at(0);
    if is_nullish(value) {
        return Ok(Some(RawBson::Null));
    }
    let Some(number) = value.and_then(Number::of) else {
        return Err(refused(
            51081,
            format!("{} only supports numeric types, not {}", given.name(), type_name(value)),
        ));
    };
    if given.count() > 1 && is_nullish(given.at(1)) {
        return Ok(Some(RawBson::Null));
    }
    let place = place(given)?;
    rounded(given.name(), number, place, rounding).map(|number| Some(number.into()))
}

/// Digits to keep after the decimal point.
fn place(given: &CallArgs<'_>) -> Result<i32, QueryError> {
    if given.count() < 2 {
        return Ok(0);
    }
    let name = given.name();
    let Some(place) = given.at(1).and_then(whole) else {
        return Err(refused!(51082, "precision argument to  {name} must be a integral value"));
    };
    i32::try_from(place).ok().filter(|place| (-20..=100).contains(place)).ok_or_else(|| {
        refused!(
            51083,
            "cannot apply {name} with precision value {place} value must be in [-20, 100]"
        )
    })
}

fn rounded(
    name: &str,
    number: Number,
    place: i32,
    rounding: DecimalRounding,
) -> Result<Number, QueryError> {
    let at_place = |decimal: Decimal| decimal.at_place(place, rounding);
    Ok(match number {
        Number::Decimal(n) if n.is_finite() => Number::Decimal(at_place(n).unwrap_or(n)),
        Number::Double(n) if n.is_finite() => {
            Number::Double(at_place(Decimal::from_f64_exact(n)).map_or(n, Decimal::to_f64))
        }
        Number::Int(_) | Number::Long(_) if place < 0 => {
            let long =
                at_place(number.to_decimal()).and_then(Decimal::to_i64).ok_or_else(|| {
                    refused(51080, format!("invalid conversion from Decimal128 result in {name}"))
                })?;
            if matches!(number, Number::Long(_)) {
                Number::Long(long)
            } else {
                Number::smallest(long)
            }
        }
        number => number,
    })
}
