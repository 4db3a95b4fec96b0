//! Accumulators as expressions: `$sum`, `$avg`, `$min`, `$max`, `$stdDevPop`, `$stdDevSamp`.
//!
//! A single array argument means its elements; several arguments are taken as they are.

use std::cmp::Ordering;

use bson::raw::{RawBson, RawBsonRef};

use super::{
    arithmetic::{Number, Total},
    operator::{Arguments, CallArgs, Operator, Outcome},
    value::is_nullish,
};

pub(super) static OPERATORS: &[Operator] = &[
    operator("$sum", |given| Ok(Some(total_of(&numbers(given)).sum()))),
    operator("$avg", average),
    operator("$min", |given| Ok(Some(extreme(given, Ordering::Less)))),
    operator("$max", |given| Ok(Some(extreme(given, Ordering::Greater)))),
    operator("$stdDevPop", |given| deviation(given, 0)),
    operator("$stdDevSamp", |given| deviation(given, 1)),
];

const fn operator(name: &'static str, run: fn(&CallArgs<'_>) -> Outcome) -> Operator {
    Operator { name, arguments: Arguments::AtLeast(0), run }
}

/// The values that count; missing ones are left out.
fn values<'g>(given: &'g CallArgs<'_>) -> Vec<RawBsonRef<'g>> {
    match given.at(0) {
        Some(RawBsonRef::Array(array)) if given.count() == 1 => {
            array.into_iter().map_while(Result::ok).collect()
        }
        _ => given.all().flatten().collect(),
    }
}

fn numbers(given: &CallArgs<'_>) -> Vec<Number> {
    values(given).into_iter().filter_map(Number::of).collect()
}

fn total_of(numbers: &[Number]) -> Total {
    let mut total = Total::default();
    for number in numbers {
        total.add(*number);
    }
    total
}

fn extreme(given: &CallArgs<'_>, wanted: Ordering) -> RawBson {
    let mut best: Option<RawBsonRef<'_>> = None;
    for value in values(given).into_iter().filter(|value| !is_nullish(Some(*value))) {
        if best.is_none_or(|best| given.order(value, best) == wanted) {
            best = Some(value);
        }
    }
    best.map_or(RawBson::Null, RawBson::from)
}

#[expect(clippy::unnecessary_wraps, reason = "what operators give")]
fn average(given: &CallArgs<'_>) -> Outcome {
    let numbers = numbers(given);
    Ok(Some(total_of(&numbers).average(numbers.len() as u64)))
}

/// The standard deviation, with `bound` fewer degrees of freedom than values.
#[expect(clippy::unnecessary_wraps, reason = "what operators give")]
fn deviation(given: &CallArgs<'_>, bound: i64) -> Outcome {
    let numbers = numbers(given);
    let (mut mean, mut squares, mut count) = (0.0, 0.0, 0_i64);
    for number in &numbers {
        let number = number.to_f64();
        count = count.saturating_add(1);
        let before = number - mean;
        mean += before / Number::Long(count).to_f64();
        squares += before * (number - mean);
    }
    let free = count.saturating_sub(bound);
    if free <= 0 {
        return Ok(Some(RawBson::Null));
    }
    Ok(Some(RawBson::Double((squares / Number::Long(free).to_f64()).sqrt())))
}
