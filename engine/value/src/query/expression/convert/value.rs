//! The table of conversions.

use bson::{DateTime, Decimal128, RawBson, RawBsonRef, oid::ObjectId, spec::ElementType};

use super::{
    binary::{self, Bytes},
    target::Target,
    text::{decimal, double, double_text, integer},
};
use crate::query::{
    Code, QueryError,
    error::refused,
    expression::{
        arguments::{
            as_double, decimal_of_double, decimal_truncated, is_true, name_of, type_name_of,
        },
        date::{date_of, iso_text, utc_text},
    },
};

/// 2^63.
const LONG_END: f64 = 9_223_372_036_854_775_808.0;

/// A failure that `onError` answers.
pub(super) fn failed(message: String) -> QueryError {
    refused(Code::CONVERSION_FAILURE, message)
}

/// Converts a value that is not null.
pub(super) fn convert(
    value: RawBsonRef<'_>,
    target: Target,
    how: Bytes,
) -> Result<RawBson, QueryError> {
    match target.element_type {
        ElementType::Boolean => Ok(RawBson::Boolean(is_true(value))),
        ElementType::Int32 => to_int(value, how),
        ElementType::Int64 => to_long(value, how),
        ElementType::Double => to_double(value, how),
        ElementType::Decimal128 => to_decimal(value),
        ElementType::String => to_text(value, how),
        ElementType::DateTime => to_date(value),
        ElementType::ObjectId => to_object_id(value),
        ElementType::Binary => to_binary(value, target, how),
        _ => Err(unsupported(value, target.element_type)),
    }
}

fn unsupported(value: RawBsonRef<'_>, target: ElementType) -> QueryError {
    failed(format!(
        "Unsupported conversion from {} to {} in $convert with no onError value",
        name_of(Some(value)),
        type_name_of(target)
    ))
}

fn overflow(number: &str) -> QueryError {
    failed(format!(
        "Conversion would overflow target type in $convert with no onError value: {number}"
    ))
}

fn not_finite(what: &str) -> QueryError {
    failed(format!(
        "Attempt to convert {what} value to integer type in $convert with no onError value"
    ))
}

fn unread(text: &str, reason: &str) -> QueryError {
    failed(format!("Failed to parse number '{text}' in $convert with no onError value: {reason}"))
}

fn refuse_hexadecimal(text: &str) -> Result<(), QueryError> {
    if text.starts_with("0x") || text.starts_with("0X") {
        return Err(failed(format!(
            "Illegal hexadecimal input in $convert with no onError value: {text}"
        )));
    }
    Ok(())
}

/// The whole part of a number.
fn truncated(value: RawBsonRef<'_>) -> Result<i64, QueryError> {
    match value {
        RawBsonRef::Int32(number) => Ok(i64::from(number)),
        RawBsonRef::Int64(number) => Ok(number),
        RawBsonRef::Decimal128(number) => {
            let text = number.to_string();
            if text.contains("NaN") {
                return Err(not_finite("NaN"));
            }
            if text.contains("Inf") {
                return Err(not_finite("infinity"));
            }
            decimal_truncated(number).ok_or_else(|| overflow(&text))
        }
        _ => {
            let number = as_double(value).unwrap_or(f64::NAN);
            if number.is_nan() {
                return Err(not_finite("NaN"));
            }
            if number.is_infinite() {
                return Err(not_finite("infinity"));
            }
            if !(-LONG_END..LONG_END).contains(&number) {
                return Err(overflow(&double_text(number)));
            }
            #[expect(clippy::cast_possible_truncation, reason = "checked; the fraction goes")]
            Ok(number as i64)
        }
    }
}

fn to_int(value: RawBsonRef<'_>, how: Bytes) -> Result<RawBson, QueryError> {
    match value {
        RawBsonRef::Boolean(flag) => Ok(RawBson::Int32(i32::from(flag))),
        RawBsonRef::Int32(number) => Ok(RawBson::Int32(number)),
        RawBsonRef::Double(number) if number.is_finite() => {
            // A fraction beyond the largest int is too much, as in MongoDB.
            let fits = (f64::from(i32::MIN)..=f64::from(i32::MAX)).contains(&number);
            #[expect(clippy::cast_possible_truncation, reason = "checked; the fraction goes")]
            fits.then_some(RawBson::Int32(number as i32))
                .ok_or_else(|| overflow(&double_text(number)))
        }
        RawBsonRef::Double(_) | RawBsonRef::Int64(_) | RawBsonRef::Decimal128(_) => {
            let number = truncated(value)?;
            i32::try_from(number).map(RawBson::Int32).map_err(|_| overflow(&number.to_string()))
        }
        RawBsonRef::String(text) => {
            refuse_hexadecimal(text)?;
            let number = integer(text, 10).map_err(|reason| unread(text, reason))?;
            i32::try_from(number).map(RawBson::Int32).map_err(|_| unread(text, "Overflow"))
        }
        RawBsonRef::Binary(bytes) => binary::to_number(bytes, ElementType::Int32, how),
        _ => Err(unsupported(value, ElementType::Int32)),
    }
}

fn to_long(value: RawBsonRef<'_>, how: Bytes) -> Result<RawBson, QueryError> {
    match value {
        RawBsonRef::Boolean(flag) => Ok(RawBson::Int64(i64::from(flag))),
        RawBsonRef::DateTime(date) => Ok(RawBson::Int64(date.timestamp_millis())),
        RawBsonRef::Int32(_)
        | RawBsonRef::Int64(_)
        | RawBsonRef::Double(_)
        | RawBsonRef::Decimal128(_) => truncated(value).map(RawBson::Int64),
        RawBsonRef::String(text) => {
            refuse_hexadecimal(text)?;
            integer(text, 10).map(RawBson::Int64).map_err(|reason| unread(text, reason))
        }
        RawBsonRef::Binary(bytes) => binary::to_number(bytes, ElementType::Int64, how),
        _ => Err(unsupported(value, ElementType::Int64)),
    }
}

fn to_double(value: RawBsonRef<'_>, how: Bytes) -> Result<RawBson, QueryError> {
    match value {
        RawBsonRef::Boolean(flag) => Ok(RawBson::Double(f64::from(u8::from(flag)))),
        #[expect(clippy::cast_precision_loss, reason = "the nearest double is wanted")]
        RawBsonRef::DateTime(date) => Ok(RawBson::Double(date.timestamp_millis() as f64)),
        RawBsonRef::Int32(_) | RawBsonRef::Int64(_) | RawBsonRef::Double(_) => {
            Ok(RawBson::Double(as_double(value).unwrap_or(f64::NAN)))
        }
        RawBsonRef::Decimal128(number) => {
            let text = number.to_string();
            let nearest = as_double(value).unwrap_or(f64::NAN);
            let digits = text.split('E').next().unwrap_or_default();
            let vanished = nearest == 0.0 && digits.bytes().any(|c| matches!(c, b'1'..=b'9'));
            let grown = nearest.is_infinite() && !text.contains("Inf");
            if vanished || grown { Err(overflow(&text)) } else { Ok(RawBson::Double(nearest)) }
        }
        RawBsonRef::String(text) => {
            refuse_hexadecimal(text)?;
            double(text).map(RawBson::Double).map_err(|reason| unread(text, reason))
        }
        RawBsonRef::Binary(bytes) => binary::to_number(bytes, ElementType::Double, how),
        _ => Err(unsupported(value, ElementType::Double)),
    }
}

fn to_decimal(value: RawBsonRef<'_>) -> Result<RawBson, QueryError> {
    let of_long = |number: i64| number.to_string().parse::<Decimal128>();
    let number = match value {
        RawBsonRef::Boolean(flag) => of_long(i64::from(flag)),
        RawBsonRef::DateTime(date) => of_long(date.timestamp_millis()),
        RawBsonRef::Int32(number) => of_long(i64::from(number)),
        RawBsonRef::Int64(number) => of_long(number),
        RawBsonRef::Decimal128(number) => Ok(number),
        RawBsonRef::Double(number) => return Ok(RawBson::Decimal128(decimal_of_double(number))),
        RawBsonRef::String(text) => {
            refuse_hexadecimal(text)?;
            return decimal(text).map(RawBson::Decimal128).map_err(|reason| unread(text, reason));
        }
        _ => return Err(unsupported(value, ElementType::Decimal128)),
    };
    number.map(RawBson::Decimal128).map_err(|_| unsupported(value, ElementType::Decimal128))
}

fn to_text(value: RawBsonRef<'_>, how: Bytes) -> Result<RawBson, QueryError> {
    let text = match value {
        RawBsonRef::String(text) => text.to_owned(),
        RawBsonRef::Boolean(flag) => flag.to_string(),
        RawBsonRef::Int32(number) => number.to_string(),
        RawBsonRef::Int64(number) => number.to_string(),
        RawBsonRef::Double(number) => double_text(number),
        RawBsonRef::Decimal128(number) => number.to_string(),
        RawBsonRef::ObjectId(id) => id.to_hex(),
        RawBsonRef::DateTime(date) => iso_text(date.timestamp_millis())?,
        RawBsonRef::Binary(bytes) => return binary::to_text(bytes, how),
        _ => return Err(unsupported(value, ElementType::String)),
    };
    Ok(RawBson::String(text))
}

fn to_date(value: RawBsonRef<'_>) -> Result<RawBson, QueryError> {
    let millis = match value {
        RawBsonRef::DateTime(_) | RawBsonRef::Timestamp(_) | RawBsonRef::ObjectId(_) => {
            date_of(value)?
        }
        RawBsonRef::Int64(_) | RawBsonRef::Double(_) | RawBsonRef::Decimal128(_) => {
            truncated(value)?
        }
        RawBsonRef::String(text) => utc_text(text).map_err(failed)?,
        _ => return Err(unsupported(value, ElementType::DateTime)),
    };
    Ok(RawBson::DateTime(DateTime::from_millis(millis)))
}

fn to_object_id(value: RawBsonRef<'_>) -> Result<RawBson, QueryError> {
    match value {
        RawBsonRef::ObjectId(id) => Ok(RawBson::ObjectId(id)),
        RawBsonRef::String(text) => {
            ObjectId::parse_str(text).map(RawBson::ObjectId).map_err(|_| {
                let reason = if text.len() == 24 {
                    "Invalid character found in hex string".to_owned()
                } else {
                    format!(
                        "Invalid string length for parsing to OID, expected 24 but found {}",
                        text.len()
                    )
                };
                failed(format!(
                    "Failed to parse objectId '{text}' in $convert with no onError value: {reason}"
                ))
            })
        }
        _ => Err(unsupported(value, ElementType::ObjectId)),
    }
}

fn to_binary(value: RawBsonRef<'_>, target: Target, how: Bytes) -> Result<RawBson, QueryError> {
    match value {
        RawBsonRef::String(text) => binary::of_text(text, target, how),
        RawBsonRef::Binary(bytes) => binary::same(bytes, target),
        RawBsonRef::Int32(number) => Ok(binary::of_number(&number.to_le_bytes(), target, how)),
        RawBsonRef::Int64(number) => Ok(binary::of_number(&number.to_le_bytes(), target, how)),
        RawBsonRef::Double(number) => Ok(binary::of_number(&number.to_le_bytes(), target, how)),
        _ => Err(unsupported(value, ElementType::Binary)),
    }
}
