//! `$sqrt`, `$exp`, `$ln`, `$log`, `$log10`, `$pow`.

use bson::raw::RawBson;

use super::number::{Number, Pair, single};
use crate::{
    query::{
        QueryError,
        error::refused,
        expression::{
            operator::{Arguments, CallArgs, Operator, Outcome},
            value::{shown, type_name},
        },
    },
    value::Decimal,
};

pub(in crate::query::expression) static OPERATORS: &[Operator] = &[
    Operator { name: "$sqrt", arguments: Arguments::Exactly(1), run: sqrt },
    Operator { name: "$exp", arguments: Arguments::Exactly(1), run: exp },
    Operator { name: "$ln", arguments: Arguments::Exactly(1), run: ln },
    Operator { name: "$log10", arguments: Arguments::Exactly(1), run: log10 },
    Operator { name: "$log", arguments: Arguments::Exactly(2), run: log },
    Operator { name: "$pow", arguments: Arguments::Exactly(2), run: pow },
];

fn apply(number: Number, double: fn(f64) -> f64, decimal: fn(Decimal) -> Decimal) -> Number {
    match number {
        Number::Decimal(n) => Number::Decimal(decimal(n)),
        number => Number::Double(double(number.to_f64())),
    }
}

fn is_negative(number: Number) -> bool {
    match number {
        Number::Decimal(n) => n.is_negative(),
        number => number.to_f64() < 0.0,
    }
}

fn is_zero(number: Number) -> bool {
    match number {
        Number::Decimal(n) => n.is_zero(),
        number => number.to_f64() == 0.0,
    }
}

fn sqrt(given: &CallArgs<'_>) -> Outcome {
    single(given, |number| {
        if is_negative(number) {
            return Err(refused(28714, "$sqrt's argument must be greater than or equal to 0"));
        }
        Ok(apply(number, f64::sqrt, Decimal::sqrt))
    })
}

fn exp(given: &CallArgs<'_>) -> Outcome {
    single(given, |number| Ok(apply(number, f64::exp, Decimal::exp)))
}

fn positive(given: &CallArgs<'_>, code: i32, number: Number) -> Result<Number, QueryError> {
    if is_negative(number) || is_zero(number) {
        let (name, value) = (given.name(), shown(given.at(0)));
        return Err(refused!(code, "{name}'s argument must be a positive number, but is {value}"));
    }
    Ok(number)
}

fn ln(given: &CallArgs<'_>) -> Outcome {
    single(given, |number| positive(given, 28766, number).map(|n| apply(n, f64::ln, Decimal::ln)))
}

fn log10(given: &CallArgs<'_>) -> Outcome {
    single(given, |number| {
        positive(given, 28761, number).map(|n| apply(n, f64::log10, Decimal::log10))
    })
}

/// The two numbers of `$log` and `$pow`; `codes` has the number and the word of each for its error.
fn two(
    given: &CallArgs<'_>,
    [first, second]: [(i32, &str); 2],
) -> Result<(Number, Number), QueryError> {
    let read = |position, (code, word): (i32, &str)| {
        let value = given.at(position);
        value.and_then(Number::of).ok_or_else(|| {
            let (name, found) = (given.name(), type_name(value));
            refused(code, format!("{name}'s {word} must be numeric, not {found}"))
        })
    };
    Ok((read(0, first)?, read(1, second)?))
}

fn log(given: &CallArgs<'_>) -> Outcome {
    if given.any_nullish() {
        return Ok(Some(RawBson::Null));
    }
    let codes = [(28756, "argument"), (28757, "base")];
    let (number, base) = two(given, codes)?;
    positive(given, 28758, number)?;
    let is_one = is_zero(base.minus(Number::Int(1)));
    if is_negative(base) || is_zero(base) || is_one {
        return Err(refused!(
            28759,
            "$log's base must be a positive number not equal to 1, but is {}",
            shown(given.at(1))
        ));
    }
    Ok(Some(match number.widen(base) {
        Pair::Decimals(number, base) => Number::Decimal(number.ln().over(base.ln())).into(),
        _ => RawBson::Double(number.to_f64().ln() / base.to_f64().ln()),
    }))
}

fn pow(given: &CallArgs<'_>) -> Outcome {
    if given.any_nullish() {
        return Ok(Some(RawBson::Null));
    }
    let codes = [(28762, "base"), (28763, "exponent")];
    let (base, exponent) = two(given, codes)?;
    if is_zero(base) && is_negative(exponent) {
        return Err(refused(28764, "$pow cannot take a base of 0 and a negative exponent"));
    }
    let double = || RawBson::Double(base.to_f64().powf(exponent.to_f64()));
    Ok(Some(match base.widen(exponent) {
        Pair::Decimals(base, exponent) => Number::Decimal(base.pow(exponent)).into(),
        Pair::Doubles(..) => double(),
        Pair::Ints(a, b) => match integer_power(a.into(), b.into()) {
            Some(power) => Number::smallest(power).into(),
            None => double(),
        },
        Pair::Longs(a, b) => integer_power(a, b).map_or_else(double, RawBson::Int64),
    }))
}

/// `None` if the power is not a whole number of 64 bits.
fn integer_power(base: i64, exponent: i64) -> Option<i64> {
    match (base, exponent) {
        (1, _) => Some(1),
        (0, 1..) => Some(0),
        (-1, exponent) => Some(if exponent % 2 == 0 { 1 } else { -1 }),
        (base, exponent) => base.checked_pow(u32::try_from(exponent).ok()?),
    }
}
