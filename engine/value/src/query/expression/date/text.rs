//! `$dateToString` and `$dateFromString`.

use bson::{RawBson, RawBsonRef};

use super::arguments::{date, date_of, zone};
use super::format;
use super::format::{FROM_STRING, ISO_LOCAL, ISO_UTC, TO_STRING};
use super::parse::from_text;
use crate::query::{
    Code, QueryError,
    error::refused,
    expression::{
        arguments::{NamedCodes, date_refusal, is_nullish, name_of, null, owned, shown},
        operator::{Arguments, CallArgs, NamedMistake, Operator, Outcome},
    },
};
use crate::value::zone::Zone;

pub(in crate::query::expression) static OPERATORS: &[Operator] = &[
    Operator {
        name: "$dateToString",
        arguments: Arguments::Named {
            fields: &[("date", true), ("format", false), ("timezone", false), ("onNull", false)],
            refuse: refuse_to_string,
        },
        run: date_to_string,
    },
    Operator {
        name: "$dateFromString",
        arguments: Arguments::Named {
            fields: &[
                ("dateString", true),
                ("format", false),
                ("timezone", false),
                ("onError", false),
                ("onNull", false),
            ],
            refuse: refuse_from_string,
        },
        run: date_from_string,
    },
];

/// The argument `format`, checked even if there is no date. `None` if it is null.
fn format_of<'v>(
    given: &'v CallArgs<'_>,
    name: &str,
    code: i32,
    specifiers: &str,
) -> Result<Option<&'v str>, QueryError> {
    match given.named("format") {
        value if is_nullish(value) => Ok(None),
        Some(RawBsonRef::String(text)) => format::check(text, specifiers).map(|()| Some(text)),
        other => Err(refused!(
            code,
            "{name} requires that 'format' be a string, found: {} with value {}",
            name_of(other),
            shown(other)
        )),
    }
}

fn on_null(given: &CallArgs<'_>) -> Outcome {
    if given.has("onNull") { owned(given, "onNull") } else { null() }
}

fn date_to_string(given: &CallArgs<'_>) -> Outcome {
    let format = format_of(given, "$dateToString", 18533, TO_STRING)?;
    let zone = zone(given)?;
    let value = given.named("date").filter(|value| !is_nullish(Some(*value)));
    let Some(value) = value else { return on_null(given) };
    let Some(zone) = zone else { return null() };
    let format = match format {
        Some(format) => format,
        None if given.has("format") => return null(),
        None if zone == Zone::UTC => ISO_UTC,
        None => ISO_LOCAL,
    };
    let local = zone.local(date_of(value)?);
    Ok(Some(RawBson::String(format::write(format, &local)?)))
}

fn date_from_string(given: &CallArgs<'_>) -> Outcome {
    let format = format_of(given, "$dateFromString", 40684, FROM_STRING)?;
    let zone = zone(given)?;
    let value = given.named("dateString").filter(|value| !is_nullish(Some(*value)));
    let Some(value) = value else { return on_null(given) };
    let read = match value {
        RawBsonRef::String(text) => {
            let Some(zone) = zone else { return null() };
            if format.is_none() && given.has("format") {
                return null();
            }
            from_text(text, format, zone)
        }
        other => Err(format!(
            "$dateFromString requires that 'dateString' be a string, found: {} with value {}",
            name_of(Some(other)),
            shown(Some(other))
        )),
    };
    match read {
        Ok(millis) => Ok(Some(date(millis))),
        Err(_) if given.has("onError") => owned(given, "onError"),
        Err(message) => Err(refused(Code::CONVERSION_FAILURE, message)),
    }
}

fn refuse_to_string(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes =
        NamedCodes { not_document: 18629, unknown: 18534, missing: &[("date", 18628)] };
    date_refusal(operator, mistake, &CODES)
}

fn refuse_from_string(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes =
        NamedCodes { not_document: 40540, unknown: 40541, missing: &[("dateString", 40542)] };
    date_refusal(operator, mistake, &CODES)
}

#[cfg(test)]
mod tests {
    use crate::query::{
        Code,
        expression::testing::{check, refused},
    };

    #[test]
    fn dates_are_written_and_read() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is(
            "{$dateToString: {date: {$date: '2014-01-01T08:15:39.736Z'}, format: '%Y-%m-%d'}}",
            "'2014-01-01'",
        );
        is(
            "{$dateToString: {date: {$date: '2014-01-01T08:15:39.736Z'}}}",
            "'2014-01-01T08:15:39.736Z'",
        );
        is(
            "{$dateToString: {date: {$date: '2014-01-01T08:15:39.736Z'}, timezone: 'America/New_York'}}",
            "'2014-01-01T03:15:39.736'",
        );
        is("{$dateToString: {date: null, onNull: 'none'}}", "'none'");
        is("{$dateToString: {date: null}}", "null");
        is("{$dateToString: {date: {$date: '2014-01-01T08:15:39.736Z'}, format: null}}", "null");
        is("{$dateToString: {date: {$date: '2014-01-01T08:15:39.736Z'}, timezone: null}}", "null");
        is(
            "{$dateFromString: {dateString: '2017-02-08T12:10:40.787'}}",
            "{$date: '2017-02-08T12:10:40.787Z'}",
        );
        is(
            "{$dateFromString: {dateString: '2017-02-08', timezone: '-0500'}}",
            "{$date: '2017-02-08T05:00:00Z'}",
        );
        is(
            "{$dateFromString: {dateString: '2017-02-08', onError: {$divide: [1, 0]}}}",
            "{$date: '2017-02-08T00:00:00Z'}",
        );
        is("{$dateFromString: {dateString: 'x', onError: 7}}", "7");
        is("{$dateFromString: {dateString: 5, onError: 7}}", "7");
        is("{$dateFromString: {dateString: null, onNull: 8}}", "8");
        is(
            "{$dateFromString: {dateString: '06-15-2018', format: '%m-%d-%Y'}}",
            "{$date: '2018-06-15T00:00:00Z'}",
        );
        is("{$dateFromString: {dateString: '06-15-2018', format: null}}", "null");
        refused("{$dateToString: 1}", 18629);
        refused("{$dateToString: {format: '%Y'}}", 18628);
        refused("{$dateToString: {date: null, x: 1}}", 18534);
        refused("{$dateToString: {date: null, format: 5}}", 18533);
        refused("{$dateToString: {date: null, format: '%'}}", 18535);
        refused("{$dateToString: {date: null, format: '%n'}}", 18536);
        refused("{$dateToString: {date: {$date: {$numberLong: '253402300800000'}}}}", 18537);
        refused("{$dateToString: {date: 'a'}}", 16006);
        refused("{$dateFromString: {dateString: 'x'}}", Code::CONVERSION_FAILURE);
        refused("{$dateFromString: 1}", 40540);
        refused("{$dateFromString: {format: 'x'}}", 40542);
        refused("{$dateFromString: {dateString: '1', format: '%w'}}", 18536);
        refused("{$dateFromString: {dateString: '1', format: 1}}", 40684);
    }
}
