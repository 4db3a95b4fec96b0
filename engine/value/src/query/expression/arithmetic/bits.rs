//! `$bitAnd`, `$bitOr`, `$bitXor`, `$bitNot`.

use bson::raw::{RawBson, RawBsonRef};

use crate::query::{
    QueryError,
    expression::{
        operator::{Arguments, CallArgs, Operator, Outcome},
        value::{is_nullish, type_name},
    },
};

pub(in crate::query::expression) static OPERATORS: &[Operator] = &[
    operator("$bitAnd", |given| combined(given, -1, |a, b| a & b)),
    operator("$bitOr", |given| combined(given, 0, |a, b| a | b)),
    operator("$bitXor", |given| combined(given, 0, |a, b| a ^ b)),
    Operator { name: "$bitNot", arguments: Arguments::Exactly(1), run: not },
];

const fn operator(name: &'static str, run: fn(&CallArgs<'_>) -> Outcome) -> Operator {
    Operator { name, arguments: Arguments::AtLeast(0), run }
}

fn refused(name: &str, value: Option<RawBsonRef<'_>>) -> QueryError {
    QueryError::type_mismatch(format!(
        "{name} only supports int and long operands, not {}.",
        type_name(value)
    ))
}

fn combined(given: &CallArgs<'_>, start: i64, combine: fn(i64, i64) -> i64) -> Outcome {
    let (mut total, mut is_long) = (start, false);
    for value in given.all() {
        if is_nullish(value) {
            return Ok(Some(RawBson::Null));
        }
        let operand = match value {
            Some(RawBsonRef::Int32(n)) => i64::from(n),
            Some(RawBsonRef::Int64(n)) => {
                is_long = true;
                n
            }
            value => return Err(refused(given.name(), value)),
        };
        total = combine(total, operand);
    }
    // Without a long among them, sign extension keeps the total within 32 bits.
    let int = i32::try_from(total).ok().filter(|_| !is_long);
    Ok(Some(int.map_or(RawBson::Int64(total), RawBson::Int32)))
}

fn not(given: &CallArgs<'_>) -> Outcome {
    Ok(Some(match given.at(0) {
        value if is_nullish(value) => RawBson::Null,
        Some(RawBsonRef::Int32(n)) => RawBson::Int32(!n),
        Some(RawBsonRef::Int64(n)) => RawBson::Int64(!n),
        value => {
            return Err(QueryError::type_mismatch(format!(
                "$bitNot only supports int and long, not: {}.",
                type_name(value)
            )));
        }
    }))
}
