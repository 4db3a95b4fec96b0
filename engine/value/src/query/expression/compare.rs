//! `$cmp`, `$eq`, `$ne`, `$gt`, `$gte`, `$lt`, `$lte`: the order over all types, without brackets.

use std::cmp::Ordering;

use bson::raw::{RawBson, RawBsonRef};

use super::operator::{Arguments, CallArgs, Operator, Outcome};
use crate::value::{Collation, compare_in};

pub(super) static OPERATORS: &[Operator] = &[
    operator("$cmp", |given| Ok(Some(RawBson::Int32(order(given) as i32)))),
    operator("$eq", |given| boolean(order(given).is_eq())),
    operator("$ne", |given| boolean(order(given).is_ne())),
    operator("$gt", |given| boolean(order(given).is_gt())),
    operator("$gte", |given| boolean(order(given).is_ge())),
    operator("$lt", |given| boolean(order(given).is_lt())),
    operator("$lte", |given| boolean(order(given).is_le())),
];

const fn operator(name: &'static str, run: fn(&CallArgs<'_>) -> Outcome) -> Operator {
    Operator { name, arguments: Arguments::Exactly(2), run }
}

#[expect(clippy::unnecessary_wraps, reason = "what operators give")]
fn boolean(value: bool) -> Outcome {
    Ok(Some(RawBson::Boolean(value)))
}

fn order(given: &CallArgs<'_>) -> Ordering {
    compare_or_missing(given.at(0), given.at(1), given.collation())
}

/// The order over all values, with a missing one between `MinKey` and null.
pub(super) fn compare_or_missing(
    a: Option<RawBsonRef<'_>>,
    b: Option<RawBsonRef<'_>>,
    collation: Option<&Collation>,
) -> Ordering {
    /// Only these three classes compare differently to a missing value.
    fn class(value: Option<RawBsonRef<'_>>) -> u8 {
        match value {
            Some(RawBsonRef::MinKey) => 0,
            // MongoDB gives a missing value and undefined one class.
            None | Some(RawBsonRef::Undefined) => 1,
            Some(_) => 2,
        }
    }
    match (a, b) {
        (Some(a), Some(b)) => compare_in(a, b, collation),
        _ => class(a).cmp(&class(b)),
    }
}
