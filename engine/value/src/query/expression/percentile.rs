//! `$percentile` and `$median` of the numbers in an array.

use bson::{
    RawArrayBuf,
    raw::{RawBson, RawBsonRef},
};

use super::{
    arguments::{NamedCodes, named_refusal},
    operator::{Arguments, CallArgs, NamedMistake, Operator, Outcome},
};
use crate::query::{Code, QueryError, error::refused, filter::number::as_double};

pub(super) static OPERATORS: &[Operator] = &[
    Operator {
        name: "$percentile",
        arguments: Arguments::Named {
            fields: &[("input", true), ("p", true), ("method", true)],
            refuse,
        },
        run: percentile,
    },
    Operator {
        name: "$median",
        arguments: Arguments::Named { fields: &[("input", true), ("method", true)], refuse },
        run: median,
    },
];

/// The number at the rank that each percentile has among these; null where there are none.
pub fn percentiles(mut numbers: Vec<f64>, ps: &[f64]) -> Vec<RawBson> {
    numbers.sort_by(f64::total_cmp);
    let one = |p: &f64| {
        #[expect(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a rank among numbers in memory"
        )]
        let rank = (p * numbers.len() as f64).ceil().max(1.0) as usize - 1;
        numbers.get(rank).map_or(RawBson::Null, |number| RawBson::Double(*number))
    };
    ps.iter().map(one).collect()
}

/// Reads the percentiles that are asked for.
///
/// # Errors
/// They are not an array of numbers from 0 to 1.
pub fn percentile_list(value: RawBsonRef<'_>) -> Result<Vec<f64>, QueryError> {
    const WANTED: &str = "The $percentile 'p' field must be an array of numbers from [0.0, 1.0]";
    let array = value.as_array().filter(|array| !array.is_empty());
    let array = array.ok_or_else(|| refused(7750301, WANTED))?;
    let mut ps = Vec::new();
    for item in array {
        let p = as_double(item?).ok_or_else(|| refused(7750301, WANTED))?;
        if !(0.0..=1.0).contains(&p) {
            return Err(refused!(7750303, "{WANTED}, found: {p}"));
        }
        ps.push(p);
    }
    Ok(ps)
}

/// Refuses another method than the one that there is.
///
/// # Errors
/// `BadValue`
pub fn check_percentile_method(value: Option<RawBsonRef<'_>>) -> Result<(), QueryError> {
    if matches!(value, Some(RawBsonRef::String("approximate"))) {
        return Ok(());
    }
    Err(QueryError::bad_value("Currently only 'approximate' can be used as percentile 'method'."))
}

fn percentile(given: &CallArgs<'_>) -> Outcome {
    check_percentile_method(given.named("method"))?;
    let ps = percentile_list(given.named("p").unwrap_or(RawBsonRef::Null))?;
    let mut array = RawArrayBuf::new();
    for value in percentiles(numbers(given), &ps) {
        array.push(value);
    }
    Ok(Some(RawBson::Array(array)))
}

fn median(given: &CallArgs<'_>) -> Outcome {
    check_percentile_method(given.named("method"))?;
    Ok(percentiles(numbers(given), &[0.5]).pop())
}

/// The numbers of the input: of its elements, or itself.
fn numbers(given: &CallArgs<'_>) -> Vec<f64> {
    let number = |value| as_double(value).filter(|number| !number.is_nan());
    match given.named("input") {
        Some(RawBsonRef::Array(array)) => {
            array.into_iter().map_while(Result::ok).filter_map(number).collect()
        }
        value => value.and_then(number).into_iter().collect(),
    }
}

fn refuse(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    let codes = NamedCodes {
        not_document: if operator == "$median" { 7436201 } else { 7436200 },
        unknown: Code::IDL_UNKNOWN_FIELD.0,
        missing: &[],
    };
    named_refusal(operator, mistake, &codes)
}

#[cfg(test)]
mod tests {
    use crate::query::expression::testing::{check, refused};

    #[test]
    fn percentiles_of_an_array() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        let three = "{$percentile: {input: [3, 1, 2, 4], p: [0.5, 1, 0], method: 'approximate'}}";
        is(three, "[2.0, 4.0, 1.0]");
        is("{$median: {input: [3, 1, 'x', null, 2], method: 'approximate'}}", "2.0");
        is("{$median: {input: 7, method: 'approximate'}}", "7.0");
        is("{$median: {input: [], method: 'approximate'}}", "null");
        is("{$percentile: {input: 'x', p: [0.1, 0.9], method: 'approximate'}}", "[null, null]");
        refused("{$median: 1}", 7436201);
        refused("{$percentile: 1}", 7436200);
        refused("{$median: {input: [1]}}", 40414);
        refused("{$median: {input: [1], method: 'exact'}}", 2);
        refused("{$median: {input: [1], method: 'approximate', p: 1}}", 40415);
        refused("{$percentile: {input: [1], p: [], method: 'approximate'}}", 7750301);
        refused("{$percentile: {input: [1], p: [2], method: 'approximate'}}", 7750303);
    }
}
