//! Shared by the families of operators: reading arguments, and the errors about them.

use bson::{Bson, Decimal128, RawBson, RawBsonRef, RawDocument};

pub(super) use super::value::{is_nullish, type_name as name_of};
use super::{
    convert::text::double_text,
    date::iso_text,
    operator::{CallArgs, NamedMistake, Outcome, named_mistake},
};
pub(super) use crate::query::filter::{name_of_type as type_name_of, number::as_double};
use crate::{
    query::{Code, QueryError, error::refused},
    value::{Layout, shell},
};

/// A named argument as the answer.
pub(super) fn owned(given: &CallArgs<'_>, name: &str) -> Outcome {
    match given.failure(name) {
        Some(error) => Err(error.clone()),
        None => Ok(given.named(name).map(RawBson::from)),
    }
}

/// The answer null.
#[expect(clippy::unnecessary_wraps, reason = "the type of every operator's answer")]
pub(super) fn null() -> Outcome {
    Ok(Some(RawBson::Null))
}

/// A count: an int, or a long if it is too large.
#[expect(clippy::unnecessary_wraps, reason = "the type of every operator's answer")]
pub(super) fn count(number: usize) -> Outcome {
    Ok(Some(i32::try_from(number).map_or_else(
        |_| RawBson::Int64(i64::try_from(number).unwrap_or(i64::MAX)),
        RawBson::Int32,
    )))
}

/// A value as a message shows it.
pub(super) fn shown(value: Option<RawBsonRef<'_>>) -> String {
    let Some(value) = value else { return "missing".to_owned() };
    match value {
        RawBsonRef::Double(number) => double_text(number),
        RawBsonRef::Decimal128(number) => number.to_string(),
        RawBsonRef::Int32(number) => number.to_string(),
        RawBsonRef::Int64(number) => number.to_string(),
        _ => Bson::try_from(value)
            .map_or_else(|_| "?".to_owned(), |value| shell::write_value(&value, Layout::OneLine)),
    }
}

pub(super) fn is_number(value: RawBsonRef<'_>) -> bool {
    matches!(
        value,
        RawBsonRef::Int32(_)
            | RawBsonRef::Int64(_)
            | RawBsonRef::Double(_)
            | RawBsonRef::Decimal128(_)
    )
}

/// The number, if it is whole and fits into an int64.
pub(super) fn integral64(value: RawBsonRef<'_>) -> Option<i64> {
    const LONG_END: f64 = 9_223_372_036_854_775_808.0;
    match value {
        RawBsonRef::Int32(number) => Some(i64::from(number)),
        RawBsonRef::Int64(number) => Some(number),
        RawBsonRef::Double(number) => {
            let fits = (-LONG_END..LONG_END).contains(&number) && number.fract() == 0.0;
            #[expect(clippy::cast_possible_truncation, reason = "checked: whole and in range")]
            fits.then_some(number as i64)
        }
        RawBsonRef::Decimal128(number) => {
            let (whole, exact) = decimal_parts(number)?;
            exact.then_some(whole)
        }
        _ => None,
    }
}

/// The number, if it is whole and fits into an int32.
pub(super) fn integral32(value: RawBsonRef<'_>) -> Option<i32> {
    integral64(value).and_then(|number| i32::try_from(number).ok())
}

/// A number without its fraction, cut to the range of an int64; `None` for other types.
pub(super) fn as_long(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::Int32(number) => Some(i64::from(number)),
        RawBsonRef::Int64(number) => Some(number),
        #[expect(clippy::cast_possible_truncation, reason = "cut to the range, as wanted")]
        _ => as_double(value).map(|number| number as i64),
    }
}

/// A decimal without its fraction, if it fits into an int64.
pub(super) fn decimal_truncated(number: Decimal128) -> Option<i64> {
    decimal_parts(number).map(|(whole, _)| whole)
}

/// The integer part, and whether the number has no fraction.
fn decimal_parts(number: Decimal128) -> Option<(i64, bool)> {
    let bits = u128::from_le_bytes(number.bytes());
    if (bits >> 123) & 0xf == 0xf {
        return None;
    }
    if (bits >> 125) & 0b11 == 0b11 {
        // This form of a coefficient is always out of range and counts as zero.
        return Some((0, true));
    }
    let coefficient = bits & ((1 << 113) - 1);
    let exponent = i32::try_from((bits >> 113) & 0x3fff).ok()? - 6_176;
    let (whole, exact) = match exponent {
        0.. => (coefficient.checked_mul(10_u128.checked_pow(exponent.unsigned_abs())?), true),
        _ => match 10_u128.checked_pow(exponent.unsigned_abs()) {
            Some(unit) => (Some(coefficient / unit), coefficient.is_multiple_of(unit)),
            None => (Some(0), coefficient == 0),
        },
    };
    let whole = i128::try_from(whole.or((coefficient == 0).then_some(0))?).ok()?;
    let signed = if bits >> 127 == 1 { -whole } else { whole };
    Some((i64::try_from(signed).ok()?, exact))
}

/// A double as a decimal of 15 digits, as MongoDB turns one into the other.
pub(super) fn decimal_of_double(number: f64) -> Decimal128 {
    let text = if number == 0.0 {
        if number.is_sign_negative() { "-0".to_owned() } else { "0".to_owned() }
    } else if number.is_finite() {
        format!("{number:.14e}")
    } else {
        double_text(number)
    };
    // Fifteen digits and an exponent of a double are always in range.
    text.parse().unwrap_or_else(|_| Decimal128::from_bytes([0; 16]))
}

/// Whether a value counts as true: everything but false, zero and null.
pub(super) fn is_true(value: RawBsonRef<'_>) -> bool {
    crate::query::filter::number::truthy(value)
}

/// Fields of a document.
pub(super) fn size_of(document: &RawDocument) -> usize {
    document.iter_elements().count()
}

/// A value as text, for operators that take more than strings; null is the empty text.
pub(super) fn coerced_text(value: Option<RawBsonRef<'_>>) -> Result<String, QueryError> {
    Ok(match value {
        value if is_nullish(value) => String::new(),
        Some(RawBsonRef::String(text) | RawBsonRef::Symbol(text)) => text.to_owned(),
        Some(RawBsonRef::JavaScriptCode(code)) => code.to_owned(),
        Some(RawBsonRef::DateTime(date)) => iso_text(date.timestamp_millis())?,
        Some(RawBsonRef::Timestamp(timestamp)) => timestamp_text(timestamp),
        Some(number) if is_number(number) => shown(Some(number)),
        other => {
            return Err(refused(
                16007,
                format!("can't convert from BSON type {} to String", name_of(other)),
            ));
        }
    })
}

/// A timestamp as the server prints it: `Jan  1 00:00:01:2`.
fn timestamp_text(timestamp: bson::Timestamp) -> String {
    let text = super::date::clock_text(i64::from(timestamp.time) * 1_000);
    format!("{text}:{}", timestamp.increment)
}

/// Numbers of the mistakes in a document of named arguments. `missing` has one for each field that
/// must be given.
pub(super) struct NamedCodes {
    pub not_document: i32,
    pub unknown: i32,
    pub missing: &'static [(&'static str, i32)],
}

impl NamedCodes {
    fn code(&self, mistake: NamedMistake<'_>) -> Code {
        match mistake {
            NamedMistake::NotDocument(_) => Code(self.not_document),
            NamedMistake::Unknown(_) => Code(self.unknown),
            NamedMistake::Missing(field) => {
                let known = self.missing.iter().find(|(name, _)| *name == field);
                known.map_or(Code::IDL_FAILED_TO_PARSE, |(_, code)| Code(*code))
            }
        }
    }
}

/// The error for a mistake in named arguments.
pub(super) fn named_refusal(
    operator: &'static str,
    mistake: NamedMistake<'_>,
    codes: &NamedCodes,
) -> QueryError {
    refused(codes.code(mistake), named_mistake(operator, mistake).message)
}

/// The same in the words of the date operators.
pub(super) fn date_refusal(
    operator: &'static str,
    mistake: NamedMistake<'_>,
    codes: &NamedCodes,
) -> QueryError {
    let message = match mistake {
        NamedMistake::NotDocument(value) => format!(
            "{operator} only supports an object as its argument, found: {}",
            name_of(Some(value))
        ),
        NamedMistake::Unknown(field) => format!("Unrecognized argument to {operator}: {field}"),
        NamedMistake::Missing(field) => format!("Missing '{field}' parameter to {operator}"),
    };
    refused(codes.code(mistake), message)
}
