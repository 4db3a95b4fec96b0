//! `$dateAdd`, `$dateSubtract`, `$dateDiff`, `$dateTrunc`, and the halves of a timestamp.

use bson::{RawBson, RawBsonRef};

use super::{
    arguments::{date, instant_of, start_of_week, unit, zone},
    arithmetic,
};
use crate::query::{
    QueryError,
    error::refused,
    expression::{
        arguments::{NamedCodes, date_refusal, integral64, is_nullish, name_of, null, shown},
        operator::{Arguments, CallArgs, NamedMistake, Operator, Outcome},
    },
};

pub(in crate::query::expression) static OPERATORS: &[Operator] = &[
    Operator {
        name: "$dateAdd",
        arguments: Arguments::Named {
            fields: &[("startDate", true), ("unit", true), ("amount", true), ("timezone", false)],
            refuse: refuse_add,
        },
        run: date_add,
    },
    Operator {
        name: "$dateSubtract",
        arguments: Arguments::Named {
            fields: &[("startDate", true), ("unit", true), ("amount", true), ("timezone", false)],
            refuse: refuse_add,
        },
        run: date_subtract,
    },
    Operator {
        name: "$dateDiff",
        arguments: Arguments::Named {
            fields: &[
                ("startDate", true),
                ("endDate", true),
                ("unit", true),
                ("timezone", false),
                ("startOfWeek", false),
            ],
            refuse: refuse_diff,
        },
        run: date_diff,
    },
    Operator {
        name: "$dateTrunc",
        arguments: Arguments::Named {
            fields: &[
                ("date", true),
                ("unit", true),
                ("binSize", false),
                ("timezone", false),
                ("startOfWeek", false),
            ],
            refuse: refuse_trunc,
        },
        run: date_trunc,
    },
    Operator { name: "$tsSecond", arguments: Arguments::Exactly(1), run: ts_second },
    Operator { name: "$tsIncrement", arguments: Arguments::Exactly(1), run: ts_increment },
];

fn date_add(given: &CallArgs<'_>) -> Outcome {
    add(given, "$dateAdd", Some)
}

fn date_subtract(given: &CallArgs<'_>) -> Outcome {
    add(given, "$dateSubtract", i64::checked_neg)
}

fn add(given: &CallArgs<'_>, name: &str, signed: fn(i64) -> Option<i64>) -> Outcome {
    let start = given.named("startDate").filter(|start| !is_nullish(Some(*start)));
    let Some(start) = start else { return null() };
    let Some(unit) = unit(given, name)? else { return null() };
    let amount = given.named("amount").filter(|amount| !is_nullish(Some(*amount)));
    let Some(amount) = amount else { return null() };
    let Some(zone) = zone(given)? else { return null() };
    let Some(start) = instant_of(start) else {
        return Err(refused!(5166403, "{name} requires startDate to be convertible to a date"));
    };
    let Some(amount) = integral64(amount) else {
        return Err(refused(5166405, format!("{name} expects integer amount of time units")));
    };
    let Some(amount) = signed(amount) else {
        return Err(refused!(6045000, "invalid $dateSubtract 'amount' parameter value: {amount}"));
    };
    arithmetic::add(start, unit, amount, zone).map(|millis| Some(date(millis)))
}

/// Says which operator refused its `timezone`.
fn within<T>(name: &str, result: Result<T, QueryError>) -> Result<T, QueryError> {
    result.map_err(|error| {
        let reason = error.message;
        let message =
            format!("{name} parameter 'timezone' value parsing failed :: caused by :: {reason}");
        QueryError::new(error.code, message)
    })
}

fn instant(value: RawBsonRef<'_>, name: &str, parameter: &str) -> Result<i64, QueryError> {
    instant_of(value).ok_or_else(|| {
        refused(
            5166307,
            format!("{name} requires '{parameter}' to be a date, but got {}", name_of(Some(value))),
        )
    })
}

fn date_diff(given: &CallArgs<'_>) -> Outcome {
    const NAME: &str = "$dateDiff";
    let (Some(start), Some(end)) = (given.named("startDate"), given.named("endDate")) else {
        return null();
    };
    if is_nullish(Some(start)) || is_nullish(Some(end)) {
        return null();
    }
    let Some(unit) = unit(given, NAME)? else { return null() };
    let Some(first) = start_of_week(given, unit, NAME)? else { return null() };
    let Some(zone) = within(NAME, zone(given))? else { return null() };
    let start = instant(start, NAME, "startDate")?;
    let end = instant(end, NAME, "endDate")?;
    let difference = arithmetic::difference(start, end, unit, zone, first)?;
    Ok(Some(RawBson::Int64(difference)))
}

fn date_trunc(given: &CallArgs<'_>) -> Outcome {
    const NAME: &str = "$dateTrunc";
    let value = given.named("date").filter(|value| !is_nullish(Some(*value)));
    let Some(value) = value else { return null() };
    let Some(bin) = bin_size(given)? else { return null() };
    let Some(unit) = unit(given, NAME)? else { return null() };
    let Some(first) = start_of_week(given, unit, NAME)? else { return null() };
    let Some(zone) = within(NAME, zone(given))? else { return null() };
    let millis = instant(value, NAME, "date")?;
    arithmetic::truncate(millis, unit, bin, zone, first).map(|millis| Some(date(millis)))
}

fn bin_size(given: &CallArgs<'_>) -> Result<Option<i64>, QueryError> {
    if !given.has("binSize") {
        return Ok(Some(1));
    }
    let value = given.named("binSize");
    if is_nullish(value) {
        return Ok(None);
    }
    let Some(bin) = value.and_then(integral64) else {
        return Err(refused!(
            5439017,
            "$dateTrunc requires 'binSize' to be a 64-bit integer, but got value '{}' of type \
                 {}",
            shown(value),
            name_of(value)
        ));
    };
    if bin <= 0 {
        return Err(refused!(
            5439018,
            "$dateTrunc requires 'binSize' to be greater than 0, but got value {bin}"
        ));
    }
    Ok(Some(bin))
}

fn ts_second(given: &CallArgs<'_>) -> Outcome {
    timestamp(given, "$tsSecond", 5687301, |timestamp| timestamp.time)
}

fn ts_increment(given: &CallArgs<'_>) -> Outcome {
    timestamp(given, "$tsIncrement", 5687302, |timestamp| timestamp.increment)
}

fn timestamp(
    given: &CallArgs<'_>,
    name: &str,
    code: i32,
    half: fn(bson::Timestamp) -> u32,
) -> Outcome {
    match given.at(0) {
        value if is_nullish(value) => null(),
        Some(RawBsonRef::Timestamp(timestamp)) => {
            Ok(Some(RawBson::Int64(i64::from(half(timestamp)))))
        }
        other => Err(refused(
            code,
            format!(" Argument to {name} must be a timestamp, but is {}", name_of(other)),
        )),
    }
}

fn refuse_add(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes = NamedCodes {
        not_document: 5166400,
        unknown: 5166401,
        missing: &[("startDate", 5166402), ("unit", 5166402), ("amount", 5166402)],
    };
    date_refusal(operator, mistake, &CODES)
}

fn refuse_diff(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes = NamedCodes {
        not_document: 5166301,
        unknown: 5166302,
        missing: &[("startDate", 5166303), ("endDate", 5166304), ("unit", 5166305)],
    };
    date_refusal(operator, mistake, &CODES)
}

fn refuse_trunc(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes = NamedCodes {
        not_document: 5439007,
        unknown: 5439008,
        missing: &[("date", 5439009), ("unit", 5439010)],
    };
    date_refusal(operator, mistake, &CODES)
}

#[cfg(test)]
mod tests {
    use crate::query::expression::testing::{check, refused};

    #[test]
    fn dates_are_added_and_compared() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is(
            "{$dateAdd: {startDate: {$date: '2020-12-31T12:10:05Z'}, unit: 'day', amount: 3}}",
            "{$date: '2021-01-03T12:10:05Z'}",
        );
        is(
            "{$dateAdd: {startDate: {$date: '2021-01-31T00:00:00Z'}, unit: 'month', amount: 1}}",
            "{$date: '2021-02-28T00:00:00Z'}",
        );
        is(
            "{$dateAdd: {startDate: {$date: '2021-03-13T15:00:00Z'}, unit: 'day', amount: 1, timezone: 'America/New_York'}}",
            "{$date: '2021-03-14T14:00:00Z'}",
        );
        is(
            "{$dateAdd: {startDate: {$date: '2021-03-13T15:00:00Z'}, unit: 'hour', amount: 24, timezone: 'America/New_York'}}",
            "{$date: '2021-03-14T15:00:00Z'}",
        );
        is(
            "{$dateSubtract: {startDate: {$date: '2020-05-31T00:00:00Z'}, unit: 'quarter', amount: 1}}",
            "{$date: '2020-02-29T00:00:00Z'}",
        );
        is("{$dateAdd: {startDate: null, unit: 'day', amount: 1}}", "null");
        is(
            "{$dateAdd: {startDate: {$date: '2020-01-01T00:00:00Z'}, unit: 'week', amount: 2.0}}",
            "{$date: '2020-01-15T00:00:00Z'}",
        );
        is(
            "{$dateDiff: {startDate: {$date: '2010-06-30T23:59:59Z'}, endDate: {$date: '2010-07-01T00:00:00Z'}, unit: 'day'}}",
            "{$numberLong: '1'}",
        );
        is(
            "{$dateDiff: {startDate: {$date: '2021-01-24T00:00:00Z'}, endDate: {$date: '2021-01-31T00:00:00Z'}, unit: 'week'}}",
            "{$numberLong: '1'}",
        );
        is(
            "{$dateDiff: {startDate: {$date: '2021-01-28T00:00:00Z'}, endDate: {$date: '2021-01-29T00:00:00Z'}, unit: 'week', startOfWeek: 'fri'}}",
            "{$numberLong: '1'}",
        );
        is(
            "{$dateDiff: {startDate: {$date: '2021-03-14T06:30:00Z'}, endDate: {$date: '2021-03-14T07:30:00Z'}, unit: 'hour', timezone: 'America/New_York'}}",
            "{$numberLong: '1'}",
        );
        is(
            "{$dateDiff: {startDate: {$date: '2020-12-31T23:59:59Z'}, endDate: {$date: '2011-01-01T00:00:00Z'}, unit: 'year'}}",
            "{$numberLong: '-9'}",
        );
    }

    #[test]
    fn dates_fall_into_bins_and_timestamps_apart() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is(
            "{$dateTrunc: {date: {$date: '2021-03-20T11:30:05Z'}, unit: 'order', binSize: null}}",
            "null",
        );
        is(
            "{$dateTrunc: {date: {$date: '2021-03-20T11:30:05Z'}, unit: 'hour'}}",
            "{$date: '2021-03-20T11:00:00Z'}",
        );
        is(
            "{$dateTrunc: {date: {$date: '2021-03-20T11:30:05Z'}, unit: 'week', binSize: 2, timezone: 'America/Los_Angeles', startOfWeek: 'Monday'}}",
            "{$date: '2021-03-15T07:00:00Z'}",
        );
        is(
            "{$dateTrunc: {date: {$date: '2021-03-20T11:30:05Z'}, unit: 'month', binSize: 5}}",
            "{$date: '2020-11-01T00:00:00Z'}",
        );
        is(
            "{$dateTrunc: {date: {$date: '1999-03-20T11:30:05Z'}, unit: 'year', binSize: 2}}",
            "{$date: '1998-01-01T00:00:00Z'}",
        );
        is(
            "{$dateTrunc: {date: {$date: '2021-03-20T11:30:05Z'}, unit: 'quarter'}}",
            "{$date: '2021-01-01T00:00:00Z'}",
        );
        is(
            "{$dateTrunc: {date: {$date: '2021-07-20T03:30:05Z'}, unit: 'day', timezone: 'America/New_York'}}",
            "{$date: '2021-07-19T04:00:00Z'}",
        );
        is("{$tsSecond: {$timestamp: {t: 5, i: 7}}}", "{$numberLong: '5'}");
        is("{$tsIncrement: {$timestamp: {t: 5, i: 7}}}", "{$numberLong: '7'}");
        is("{$tsSecond: null}", "null");
    }

    #[test]
    fn arguments_that_are_no_dates_or_units_are_refused() {
        refused("{$dateAdd: 1}", 5166400);
        refused("{$dateAdd: {startDate: null}}", 5166402);
        refused("{$dateAdd: {x: null}}", 5166401);
        refused("{$dateAdd: {startDate: 1, unit: 'day', amount: 1}}", 5166403);
        refused(
            "{$dateAdd: {startDate: {$date: '2020-01-01T00:00:00Z'}, unit: 'day', amount: 1.5}}",
            5166405,
        );
        refused(
            "{$dateAdd: {startDate: {$date: '2020-01-01T00:00:00Z'}, unit: 5, amount: 1}}",
            5439013,
        );
        refused(
            "{$dateAdd: {startDate: {$date: '2020-01-01T00:00:00Z'}, unit: 'year', amount: {$numberLong: '9000000000'}}}",
            5976500,
        );
        refused(
            "{$dateAdd: {startDate: {$date: '2020-01-01T00:00:00Z'}, unit: 'year', amount: 500000000}}",
            5166406,
        );
        refused(
            "{$dateSubtract: {startDate: {$date: '2020-01-01T00:00:00Z'}, unit: 'millisecond', amount: {$numberLong: '-9223372036854775808'}}}",
            6045000,
        );
        refused("{$dateDiff: 1}", 5166301);
        refused("{$dateDiff: {startDate: 1, endDate: 1, unit: 'day'}}", 5166307);
        refused("{$dateDiff: {endDate: 1, unit: 'day'}}", 5166303);
        refused(
            "{$dateDiff: {startDate: {$date: {$numberLong: '-9223372036854775807'}}, endDate: {$date: {$numberLong: '9223372036854775807'}}, unit: 'millisecond'}}",
            5166308,
        );
        refused(
            "{$dateTrunc: {date: {$date: '2020-01-01T00:00:00Z'}, unit: 'day', binSize: 0}}",
            5439018,
        );
        refused(
            "{$dateTrunc: {date: {$date: '2020-01-01T00:00:00Z'}, unit: 'day', binSize: 'a'}}",
            5439017,
        );
        refused(
            "{$dateTrunc: {date: {$date: '2020-01-01T00:00:00Z'}, unit: 'week', startOfWeek: 'x'}}",
            5439016,
        );
        refused(
            "{$dateTrunc: {date: {$date: '2020-01-01T00:00:00Z'}, unit: 'day', binSize: {$numberLong: '100000000001'}}}",
            5439006,
        );
        refused(
            "{$dateTrunc: {date: {$date: '2020-01-01T00:00:00Z'}, unit: 'hour', binSize: {$numberLong: '9223372036854775807'}}}",
            5439002,
        );
        refused("{$tsSecond: 1}", 5687301);
    }
}
