//! `$sin` and its family. Decimals are computed as doubles and returned with 15 digits, except
//! where only the unit changes.

use std::ops::RangeInclusive;

use bson::{Decimal128, raw::RawBson};

use super::number::{Number, single};
use crate::{
    query::{
        QueryError,
        error::refused,
        expression::{
            operator::{Arguments, CallArgs, Operator, Outcome},
            value::type_name,
        },
    },
    value::Decimal,
};

pub(in crate::query::expression) static OPERATORS: &[Operator] = &[
    operator("$sin", |given| bounded(given, f64::sin, OPEN)),
    operator("$cos", |given| bounded(given, f64::cos, OPEN)),
    operator("$tan", |given| bounded(given, f64::tan, OPEN)),
    operator("$asin", |given| bounded(given, f64::asin, UNIT)),
    operator("$acos", |given| bounded(given, f64::acos, UNIT)),
    operator("$atanh", |given| bounded(given, f64::atanh, UNIT)),
    operator("$acosh", |given| bounded(given, f64::acosh, 1.0..=f64::INFINITY)),
    operator("$atan", |given| bounded(given, f64::atan, ALL)),
    operator("$asinh", |given| bounded(given, f64::asinh, ALL)),
    operator("$sinh", |given| bounded(given, f64::sinh, ALL)),
    operator("$cosh", |given| bounded(given, f64::cosh, ALL)),
    operator("$tanh", |given| bounded(given, f64::tanh, ALL)),
    operator("$degreesToRadians", |given| scaled(given, f64::to_radians, RADIANS_OF_DEGREE)),
    operator("$radiansToDegrees", |given| scaled(given, f64::to_degrees, DEGREES_OF_RADIAN)),
    Operator { name: "$atan2", arguments: Arguments::Exactly(2), run: atan2 },
];

/// Pi / 180 with all digits of a decimal.
const RADIANS_OF_DEGREE: &str = "0.01745329251994329576923690768488613";
/// 180 / pi with all digits of a decimal.
const DEGREES_OF_RADIAN: &str = "57.29577951308232087679815481410517";

/// Any number.
const ALL: RangeInclusive<f64> = f64::NEG_INFINITY..=f64::INFINITY;
/// Any number that is not infinite.
const OPEN: RangeInclusive<f64> = f64::MIN..=f64::MAX;
/// From -1 to 1.
const UNIT: RangeInclusive<f64> = -1.0..=1.0;

const fn operator(name: &'static str, run: fn(&CallArgs<'_>) -> Outcome) -> Operator {
    Operator { name, arguments: Arguments::Exactly(1), run }
}

fn bounded(given: &CallArgs<'_>, run: fn(f64) -> f64, range: RangeInclusive<f64>) -> Outcome {
    single(given, |number| {
        let double = number.to_f64();
        if !double.is_nan() && !range.contains(&double) {
            return Err(outside(given.name(), double, &range));
        }
        let result = run(double);
        Ok(match number {
            Number::Decimal(_) => Number::Decimal(Decimal::from_f64(result)),
            _ => Number::Double(result),
        })
    })
}

/// A number of another unit, of which one is `factor`.
fn scaled(given: &CallArgs<'_>, run: fn(f64) -> f64, factor: &str) -> Outcome {
    single(given, |number| {
        Ok(match (number, factor.parse::<Decimal128>()) {
            (Number::Decimal(n), Ok(factor)) => Number::Decimal(n.times(factor.into())),
            (number, _) => Number::Double(run(number.to_f64())),
        })
    })
}

fn outside(name: &str, value: f64, range: &RangeInclusive<f64>) -> QueryError {
    let (open, close) = if *range == OPEN { ('(', ')') } else { ('[', ']') };
    let bound = |bound: f64| match bound {
        _ if bound >= f64::MAX => "inf".to_owned(),
        _ if bound <= f64::MIN => "-inf".to_owned(),
        bound => bound.to_string(),
    };
    let (from, to) = (bound(*range.start()), bound(*range.end()));
    refused!(50989, "cannot apply {name} to {value}, value must be in {open}{from},{to}{close}")
}

fn atan2(given: &CallArgs<'_>) -> Outcome {
    if given.any_nullish() {
        return Ok(Some(RawBson::Null));
    }
    let read = |code, position| {
        let value = given.at(position);
        value.and_then(Number::of).ok_or_else(|| {
            refused(code, format!("$atan2 only supports numeric types, not {}", type_name(value)))
        })
    };
    let (y, x) = (read(51044, 0)?, read(51045, 1)?);
    let result = y.to_f64().atan2(x.to_f64());
    let is_decimal = matches!(y, Number::Decimal(_)) || matches!(x, Number::Decimal(_));
    Ok(Some(if is_decimal {
        Number::Decimal(Decimal::from_f64(result)).into()
    } else {
        RawBson::Double(result)
    }))
}
