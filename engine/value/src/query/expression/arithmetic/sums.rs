//! `$add`, `$subtract`, `$multiply`, `$divide`, `$mod`.

use bson::{
    DateTime,
    raw::{RawBson, RawBsonRef},
};

use super::{
    number::{Number, Pair},
    running::{Product, Sum, moved, overflow},
};
use crate::query::{
    Code, QueryError,
    error::refused,
    expression::{
        operator::{Arguments, CallArgs, Operator, Outcome},
        value::{is_nullish, type_name},
    },
};

pub(in crate::query::expression) static OPERATORS: &[Operator] = &[
    Operator { name: "$add", arguments: Arguments::AtLeast(0), run: add },
    Operator { name: "$subtract", arguments: Arguments::Exactly(2), run: subtract },
    Operator { name: "$multiply", arguments: Arguments::AtLeast(0), run: multiply },
    Operator { name: "$divide", arguments: Arguments::Exactly(2), run: divide },
    Operator { name: "$mod", arguments: Arguments::Exactly(2), run: modulo },
];

const NULL: Option<RawBson> = Some(RawBson::Null);

fn add(given: &CallArgs<'_>) -> Outcome {
    let mut sum = Sum::default();
    for value in given.all() {
        if is_nullish(value) {
            return Ok(NULL);
        }
        if let Some(RawBsonRef::DateTime(date)) = value {
            if sum.add_date(date.timestamp_millis())? {
                continue;
            }
            let message = "only one date allowed in an $add expression";
            return Err(refused(16612, message));
        }
        let Some(number) = value.and_then(Number::of) else {
            return Err(QueryError::type_mismatch(format!(
                "$add only supports numeric or date types, not {}",
                type_name(value)
            )));
        };
        sum.add(number)?;
    }
    Ok(Some(sum.into()))
}

fn subtract(given: &CallArgs<'_>) -> Outcome {
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
            return Ok(Some(RawBson::DateTime(DateTime::from_millis(ms))));
        }
    }
    Err(QueryError::type_mismatch(format!(
        "can't $subtract {} from {}",
        type_name(right),
        type_name(left)
    )))
}

fn multiply(given: &CallArgs<'_>) -> Outcome {
    let mut product = Product::default();
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
        product.multiply(number);
    }
    Ok(Some(Number::from(product).into()))
}

fn divide(given: &CallArgs<'_>) -> Outcome {
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
    let by_zero = || refused(Code::BAD_VALUE, "can't $divide by zero").or_elsewhere(4848401);
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

fn modulo(given: &CallArgs<'_>) -> Outcome {
    if given.any_nullish() {
        return Ok(NULL);
    }
    let (Some(a), Some(b)) = (given.at(0).and_then(Number::of), given.at(1).and_then(Number::of))
    else {
        return Err(refused!(
            16611,
            "$mod only supports numeric types, not {} and {}",
            type_name(given.at(0)),
            type_name(given.at(1))
        ));
    };
    let by_zero = || refused(16610, "can't $mod by zero").or_elsewhere(4848403);
    Ok(Some(match a.widen(b) {
        Pair::Decimals(_, b) if b.is_zero() => return Err(by_zero()),
        Pair::Doubles(_, 0.0) | Pair::Ints(_, 0) | Pair::Longs(_, 0) => return Err(by_zero()),
        Pair::Decimals(a, b) => Number::Decimal(a.modulo(b)).into(),
        Pair::Doubles(a, b) => RawBson::Double(a % b),
        Pair::Ints(a, b) => RawBson::Int32(a.wrapping_rem(b)),
        Pair::Longs(a, b) => RawBson::Int64(a.wrapping_rem(b)),
    }))
}
