//! Arguments that many date operators share.

use bson::{DateTime, RawBson, RawBsonRef};

use super::unit::{Unit, Weekday};
use crate::query::{
    QueryError,
    error::refused,
    expression::{
        arguments::{is_nullish, name_of},
        operator::{CallArgs, NamedMistake},
    },
};
use crate::value::zone::Zone;

/// Milliseconds since 1970 of a Date, Timestamp or `ObjectId`.
pub(in crate::query::expression) fn date_of(value: RawBsonRef<'_>) -> Result<i64, QueryError> {
    instant_of(value).ok_or_else(|| {
        refused(16006, format!("can't convert from BSON type {} to Date", name_of(Some(value))))
    })
}

/// The same, `None` for other types.
pub(super) fn instant_of(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::DateTime(date) => Some(date.timestamp_millis()),
        RawBsonRef::Timestamp(timestamp) => Some(i64::from(timestamp.time) * 1_000),
        RawBsonRef::ObjectId(id) => Some(id.timestamp().timestamp_millis()),
        _ => None,
    }
}

/// A date as a value.
pub(super) fn date(millis: i64) -> RawBson {
    RawBson::DateTime(DateTime::from_millis(millis))
}

/// The argument `timezone`: UTC without one, `None` if it is null.
pub(super) fn zone(given: &CallArgs<'_>) -> Result<Option<Zone>, QueryError> {
    if !given.has("timezone") {
        return Ok(Some(Zone::UTC));
    }
    match given.named("timezone") {
        value if is_nullish(value) => Ok(None),
        Some(RawBsonRef::String(text)) => Zone::parse(text).map(Some).ok_or_else(|| {
            refused(40485, format!("unrecognized time zone identifier: \"{text}\""))
        }),
        other => Err(refused(
            40517,
            format!("timezone must evaluate to a string, found {}", name_of(other)),
        )),
    }
}

/// The argument `unit`; `None` if it is null.
pub(super) fn unit(given: &CallArgs<'_>, operator: &str) -> Result<Option<Unit>, QueryError> {
    match given.named("unit") {
        Some(value) if !is_nullish(Some(value)) => Unit::parse(value, operator).map(Some),
        _ => Ok(None),
    }
}

/// The argument `startOfWeek`, which only weeks look at; `None` if it is null.
pub(super) fn start_of_week(
    given: &CallArgs<'_>,
    unit: Unit,
    operator: &str,
) -> Result<Option<Weekday>, QueryError> {
    if unit != Unit::Week || !given.has("startOfWeek") {
        return Ok(Some(Weekday::SUNDAY));
    }
    match given.named("startOfWeek") {
        Some(value) if !is_nullish(Some(value)) => Weekday::parse(value, operator).map(Some),
        _ => Ok(None),
    }
}

/// The error for a date and time zone that are written wrong.
pub(in crate::query::expression) fn refuse_dated(
    operator: &'static str,
    mistake: NamedMistake<'_>,
) -> QueryError {
    match mistake {
        NamedMistake::Unknown(field) => {
            refused(40535, format!("unrecognized option to {operator}: \"{field}\""))
        }
        NamedMistake::NotDocument(_) | NamedMistake::Missing(_) => {
            refused(40539, format!("missing 'date' argument to {operator}"))
        }
    }
}

/// The error for an array of other than one date.
pub(in crate::query::expression) fn refuse_count(
    operator: &'static str,
    count: usize,
) -> QueryError {
    refused!(
        40536,
        "{operator} accepts exactly one argument if given an array, but was given {count}"
    )
}
