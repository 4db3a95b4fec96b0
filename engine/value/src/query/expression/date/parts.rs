//! Single parts of a date, all parts at once, and a date from its parts.

use bson::{RawBson, RawBsonRef, RawDocumentBuf, raw::cstr};

use super::arguments::{date, date_of, zone};
use super::format::week;
use crate::query::{
    Code, QueryError,
    error::refused,
    expression::{
        arguments::{NamedCodes, date_refusal, integral64, is_nullish, name_of, null, shown},
        operator::{Arguments, CallArgs, NamedMistake, Operator, Outcome},
    },
};
use crate::value::calendar::{DAY_SECS, number_of_any_month, number_of_iso};
use crate::value::zone::Local;

pub(in crate::query::expression) static OPERATORS: &[Operator] = &[
    Operator { name: "$year", arguments: Arguments::Dated, run: |g| part(g, |l| l.day.year) },
    Operator { name: "$month", arguments: Arguments::Dated, run: |g| part(g, |l| l.day.month) },
    Operator { name: "$dayOfMonth", arguments: Arguments::Dated, run: |g| part(g, |l| l.day.day) },
    Operator { name: "$hour", arguments: Arguments::Dated, run: |g| part(g, |l| l.hour) },
    Operator { name: "$minute", arguments: Arguments::Dated, run: |g| part(g, |l| l.minute) },
    Operator { name: "$second", arguments: Arguments::Dated, run: |g| part(g, |l| l.second) },
    Operator {
        name: "$millisecond",
        arguments: Arguments::Dated,
        run: |g| part(g, |l| l.millisecond),
    },
    Operator {
        name: "$dayOfWeek",
        arguments: Arguments::Dated,
        run: |g| part(g, |l| l.day.iso_weekday() % 7 + 1),
    },
    Operator {
        name: "$dayOfYear",
        arguments: Arguments::Dated,
        run: |g| part(g, |l| l.day.of_year()),
    },
    Operator { name: "$week", arguments: Arguments::Dated, run: |g| part(g, week) },
    Operator {
        name: "$isoWeek",
        arguments: Arguments::Dated,
        run: |g| part(g, |l| l.day.iso_week().1),
    },
    Operator { name: "$isoWeekYear", arguments: Arguments::Dated, run: iso_week_year },
    Operator {
        name: "$isoDayOfWeek",
        arguments: Arguments::Dated,
        run: |g| part(g, |l| l.day.iso_weekday()),
    },
    Operator {
        name: "$dateToParts",
        arguments: Arguments::Named {
            fields: &[("date", true), ("timezone", false), ("iso8601", false)],
            refuse: refuse_to_parts,
        },
        run: date_to_parts,
    },
    Operator {
        name: "$dateFromParts",
        arguments: Arguments::Named {
            fields: &[
                ("year", false),
                ("month", false),
                ("day", false),
                ("hour", false),
                ("minute", false),
                ("second", false),
                ("millisecond", false),
                ("isoWeekYear", false),
                ("isoWeek", false),
                ("isoDayOfWeek", false),
                ("timezone", false),
            ],
            refuse: refuse_from_parts,
        },
        run: date_from_parts,
    },
];

/// The date as its zone's clock shows it; `None` if either is null.
fn local(given: &CallArgs<'_>) -> Result<Option<Local>, QueryError> {
    let value = given.named("date").filter(|value| !is_nullish(Some(*value)));
    let Some(value) = value else { return Ok(None) };
    let millis = date_of(value)?;
    Ok(zone(given)?.map(|zone| zone.local(millis)))
}

fn int(number: i64) -> RawBson {
    i32::try_from(number).map_or(RawBson::Int64(number), RawBson::Int32)
}

fn part(given: &CallArgs<'_>, of: fn(&Local) -> i64) -> Outcome {
    Ok(Some(local(given)?.map_or(RawBson::Null, |local| int(of(&local)))))
}

/// A long, unlike the other parts.
fn iso_week_year(given: &CallArgs<'_>) -> Outcome {
    Ok(Some(local(given)?.map_or(RawBson::Null, |l| RawBson::Int64(l.day.iso_week().0))))
}

fn date_to_parts(given: &CallArgs<'_>) -> Outcome {
    let value = given.named("date");
    let Some(zone) = zone(given)? else { return null() };
    let iso = match given.named("iso8601") {
        _ if !given.has("iso8601") => false,
        value if is_nullish(value) => return null(),
        Some(RawBsonRef::Boolean(iso)) => iso,
        other => {
            return Err(refused(
                40521,
                format!("iso8601 must evaluate to a bool, found {}", name_of(other)),
            ));
        }
    };
    let Some(value) = value.filter(|value| !is_nullish(Some(*value))) else { return null() };
    let local = zone.local(date_of(value)?);
    let mut parts = RawDocumentBuf::new();
    if iso {
        let (year, week) = local.day.iso_week();
        parts.append(cstr!("isoWeekYear"), int(year));
        parts.append(cstr!("isoWeek"), int(week));
        parts.append(cstr!("isoDayOfWeek"), int(local.day.iso_weekday()));
    } else {
        parts.append(cstr!("year"), int(local.day.year));
        parts.append(cstr!("month"), int(local.day.month));
        parts.append(cstr!("day"), int(local.day.day));
    }
    parts.append(cstr!("hour"), int(local.hour));
    parts.append(cstr!("minute"), int(local.minute));
    parts.append(cstr!("second"), int(local.second));
    parts.append(cstr!("millisecond"), int(local.millisecond));
    Ok(Some(RawBson::Document(parts)))
}

fn date_from_parts(given: &CallArgs<'_>) -> Outcome {
    check_mixture(given)?;
    let read = |name| bounded(given, name, 0);
    let (Some(hour), Some(minute)) = (read("hour")?, read("minute")?) else { return null() };
    let Some(second) = number(given, "second", 0)? else { return null() };
    let Some(millisecond) = number(given, "millisecond", 0)? else { return null() };
    let Some(zone) = zone(given)? else { return null() };
    let names = if given.has("year") {
        ["year", "month", "day"]
    } else {
        ["isoWeekYear", "isoWeek", "isoDayOfWeek"]
    };
    let [year_name, month_name, day_name] = names;
    let Some(year) = number(given, year_name, 1_970)? else { return null() };
    let Some(month) = bounded(given, month_name, 1)? else { return null() };
    let Some(day) = bounded(given, day_name, 1)? else { return null() };
    if !(1..=9_999).contains(&year) {
        let code = if year_name == "year" { 40523 } else { 31095 };
        return Err(refused!(
            code,
            "'{year_name}' must evaluate to an integer in the range 1 to 9999, found {year}"
        ));
    }
    let days = if year_name == "year" {
        number_of_any_month(year, month, 1) + day - 1
    } else {
        number_of_iso(year, month, day)
    };
    let secs = i128::from(days * DAY_SECS + hour * 3_600 + minute * 60) + i128::from(second);
    // Milliseconds may carry into the seconds, so they count before the zone is asked.
    let carried = secs + i128::from(millisecond.div_euclid(1_000));
    let millis = zone.utc_secs(carried) * 1_000 + i128::from(millisecond.rem_euclid(1_000));
    i64::try_from(millis)
        .map(|millis| Some(date(millis)))
        .map_err(|_| refused(Code::DURATION_OVERFLOW, "overflow when making a date from its parts"))
}

fn check_mixture(given: &CallArgs<'_>) -> Result<(), QueryError> {
    let any = |names: &[&str]| names.iter().any(|name| given.has(name));
    if !any(&["year", "isoWeekYear"]) {
        return Err(refused(
            40516,
            "$dateFromParts requires either 'year' or 'isoWeekYear' to be present",
        ));
    }
    if given.has("year") && any(&["isoWeekYear", "isoWeek", "isoDayOfWeek"]) {
        return Err(refused(
            40489,
            "$dateFromParts does not allow mixing natural dates with ISO dates",
        ));
    }
    if given.has("isoWeekYear") && any(&["year", "month", "day"]) {
        return Err(refused(
            40525,
            "$dateFromParts does not allow mixing ISO dates with natural dates",
        ));
    }
    Ok(())
}

/// A part, the default if it is not given, `None` if it is null.
fn number(given: &CallArgs<'_>, name: &str, default: i64) -> Result<Option<i64>, QueryError> {
    if !given.has(name) {
        return Ok(Some(default));
    }
    let value = given.named(name);
    if is_nullish(value) {
        return Ok(None);
    }
    value.and_then(integral64).map(Some).ok_or_else(|| {
        refused!(
            40515,
            "'{name}' must evaluate to an integer, found {} with value {}",
            name_of(value),
            shown(value)
        )
    })
}

fn bounded(given: &CallArgs<'_>, name: &str, default: i64) -> Result<Option<i64>, QueryError> {
    let (least, most) = (i64::from(i16::MIN), i64::from(i16::MAX));
    let number = number(given, name, default)?;
    if let Some(number) = number.filter(|number| !(least..=most).contains(number)) {
        return Err(refused!(
            31034,
            "'{name}' must evaluate to a value in the range [{least}, {most}]; value {number} \
                 is not in range"
        ));
    }
    Ok(number)
}

fn refuse_to_parts(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes =
        NamedCodes { not_document: 40524, unknown: 40520, missing: &[("date", 40522)] };
    date_refusal(operator, mistake, &CODES)
}

fn refuse_from_parts(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes = NamedCodes { not_document: 40519, unknown: 40518, missing: &[] };
    date_refusal(operator, mistake, &CODES)
}

#[cfg(test)]
mod tests {
    use crate::query::expression::testing::{check, refused};

    #[test]
    fn parts_of_dates_are_read_and_put_together() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is("{$year: {$date: '2014-01-01T08:15:39.736Z'}}", "2014");
        is("{$month: [{$date: '2014-01-01T08:15:39.736Z'}]}", "1");
        is(
            "{$dayOfMonth: {date: {$date: '2014-01-01T02:15:39.736Z'}, timezone: 'America/New_York'}}",
            "31",
        );
        is("{$hour: {date: {$date: '2014-01-01T08:15:39.736Z'}, timezone: '+0530'}}", "13");
        is("{$minute: {$date: '2014-01-01T08:15:39.736Z'}}", "15");
        is("{$second: {$date: '2014-01-01T08:15:39.736Z'}}", "39");
        is("{$millisecond: {$date: '2014-01-01T08:15:39.736Z'}}", "736");
        is("{$dayOfWeek: {$date: '2014-01-01T08:15:39.736Z'}}", "4");
        is("{$dayOfYear: {$date: '2016-12-31T00:00:00Z'}}", "366");
        is("{$week: {$date: '2016-01-01T00:00:00Z'}}", "0");
        is("{$isoWeek: {$date: '2016-01-04T00:00:00Z'}}", "1");
        is("{$isoWeekYear: {$date: '2016-01-01T00:00:00Z'}}", "{$numberLong: '2015'}");
        is("{$isoDayOfWeek: {$date: '2016-01-03T00:00:00Z'}}", "7");
        is("{$year: null}", "null");
        is("{$year: {date: '$missing'}}", "null");
        is("{$year: {date: {$date: '2014-01-01T08:15:39.736Z'}, timezone: null}}", "null");
        is("{$year: {$timestamp: {t: 0, i: 1}}}", "1970");
        is("{$year: {$oid: '507c7f79bcf86cd7994f6c0e'}}", "2012");
        is("{$year: {$date: {$numberLong: '9223372036854775807'}}}", "292278994");
        is(
            "{$dateToParts: {date: {$date: '2017-01-01T01:29:09.123Z'}}}",
            "{year: 2017, month: 1, day: 1, hour: 1, minute: 29, second: 9, millisecond: 123}",
        );
        is(
            "{$dateToParts: {date: {$date: '2017-01-01T01:29:09.123Z'}, iso8601: true}}",
            "{isoWeekYear: 2016, isoWeek: 52, isoDayOfWeek: 7, hour: 1, minute: 29, second: 9, millisecond: 123}",
        );
        is("{$dateToParts: {date: {$date: '2017-01-01T01:29:09.123Z'}, iso8601: null}}", "null");
        is(
            "{$dateFromParts: {year: 2017, month: 2, day: 8, hour: 12}}",
            "{$date: '2017-02-08T12:00:00Z'}",
        );
        is(
            "{$dateFromParts: {isoWeekYear: 2017, isoWeek: 6, isoDayOfWeek: 3, hour: 12}}",
            "{$date: '2017-02-08T12:00:00Z'}",
        );
        is(
            "{$dateFromParts: {year: 2016, month: 12, day: 31, hour: 23, minute: 46, second: 12, timezone: 'America/New_York'}}",
            "{$date: '2017-01-01T04:46:12Z'}",
        );
        is(
            "{$dateFromParts: {year: 2017, month: 14, day: 1, hour: 12}}",
            "{$date: '2018-02-01T12:00:00Z'}",
        );
        is(
            "{$dateFromParts: {year: 2017, month: 0, day: 0, hour: -1}}",
            "{$date: '2016-11-29T23:00:00Z'}",
        );
        is(
            "{$dateFromParts: {year: 2017, millisecond: -1}}",
            "{$date: '2016-12-31T23:59:59.999Z'}",
        );
        is("{$dateFromParts: {year: 2017, day: null}}", "null");
        refused("{$year: 'a'}", 16006);
        refused("{$year: 1}", 16006);
        refused("{$year: {date: {$date: '2014-01-01T08:15:39.736Z'}, timezone: 'x'}}", 40485);
        refused("{$year: {date: {$date: '2014-01-01T08:15:39.736Z'}, timezone: 5}}", 40517);
        refused("{$year: {timezone: 'UTC'}}", 40539);
        refused("{$year: {date: null, x: 1}}", 40535);
        refused("{$year: [1, 2]}", 40536);
        refused("{$dateToParts: 1}", 40524);
        refused("{$dateToParts: {timezone: 'UTC'}}", 40522);
        refused("{$dateToParts: {date: null, x: 1}}", 40520);
        refused("{$dateToParts: {date: null, iso8601: 1}}", 40521);
        refused("{$dateFromParts: 1}", 40519);
        refused("{$dateFromParts: {x: 1}}", 40518);
        refused("{$dateFromParts: {month: 1}}", 40516);
        refused("{$dateFromParts: {year: 1, isoWeek: 1}}", 40489);
        refused("{$dateFromParts: {isoWeekYear: 1, month: 1}}", 40525);
        refused("{$dateFromParts: {year: 'a'}}", 40515);
        refused("{$dateFromParts: {year: 2000, month: 40000}}", 31034);
        refused("{$dateFromParts: {year: 10000}}", 40523);
        refused("{$dateFromParts: {isoWeekYear: 0}}", 31095);
    }
}
