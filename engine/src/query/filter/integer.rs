//! Whole numbers as arguments of operators, refused in MongoDB's words.

use bson::{Bson, Timestamp, raw::RawBsonRef};

use super::number::{as_double, truncated};
use crate::value::{Layout, shell};

/// The argument as a whole number, or why it is none. `name` is the operator or the position that
/// it stands at.
pub(crate) fn integer(name: &str, value: RawBsonRef<'_>) -> Result<i64, String> {
    match value {
        RawBsonRef::Int32(n) => return Ok(i64::from(n)),
        RawBsonRef::Int64(n) => return Ok(n),
        _ => {}
    }
    let shown = || element_text(name, value);
    let Some(number) = as_double(value) else {
        return Err(format!("Expected a number in: {}", shown()));
    };
    if number.is_nan() {
        return Err(format!("Expected an integer, but found NaN in: {}", shown()));
    }
    let whole = truncated(value)
        .ok_or_else(|| format!("Cannot represent as a 64-bit integer: {}", shown()))?;
    if number.fract() == 0.0 { Ok(whole) } else { Err(format!("Expected an integer: {}", shown())) }
}

/// As [`integer`], and at least 0.
pub(crate) fn not_negative(name: &str, value: RawBsonRef<'_>) -> Result<i64, String> {
    match integer(name, value)? {
        number if number < 0 => {
            Err(format!("Expected a non-negative number in: {}", element_text(name, value)))
        }
        number => Ok(number),
    }
}

/// As [`integer`], at least 0, and within a signed 32-bit integer.
pub(crate) fn position(name: &str, value: RawBsonRef<'_>) -> Result<u32, String> {
    let number = not_negative(name, value)?;
    i32::try_from(number).ok().and_then(|number| u32::try_from(number).ok()).ok_or_else(|| {
        format!("Cannot represent as a 32-bit integer: {}", element_text(name, value))
    })
}

/// The number without its fraction, or why that can't be.
pub(crate) fn coerced(value: RawBsonRef<'_>) -> Result<i64, &'static str> {
    truncated(value).ok_or_else(|| match as_double(value) {
        Some(number) if number.is_finite() => "Out of bounds coercing to integral value",
        _ => "Unable to coerce NaN/Inf to integral type",
    })
}

/// A field with its value as MongoDB prints it in errors.
pub(crate) fn element_text(name: &str, value: RawBsonRef<'_>) -> String {
    format!("{name}: {}", value_text(value))
}

/// A value as MongoDB prints it in errors.
pub(crate) fn value_text(value: RawBsonRef<'_>) -> String {
    match value {
        RawBsonRef::Double(number) if number.is_nan() => "nan.0".to_owned(),
        RawBsonRef::Double(number) if number.is_infinite() => {
            (if number > 0.0 { "inf" } else { "-inf" }).to_owned()
        }
        RawBsonRef::Double(number) => format!("{number:?}"),
        RawBsonRef::Int64(number) => number.to_string(),
        RawBsonRef::Decimal128(number) => number.to_string(),
        RawBsonRef::String(text) => format!("\"{text}\""),
        RawBsonRef::DateTime(date) => format!("new Date({})", date.timestamp_millis()),
        RawBsonRef::Timestamp(Timestamp { time, increment }) => {
            format!("Timestamp({time}, {increment})")
        }
        RawBsonRef::Document(document) => {
            let fields = document.iter().filter_map(Result::ok);
            listed('{', fields.map(|(name, value)| element_text(name.as_str(), value)), '}')
        }
        RawBsonRef::Array(array) => {
            listed('[', array.into_iter().filter_map(Result::ok).map(value_text), ']')
        }
        _ => Bson::try_from(value).map_or_else(
            |_| "<invalid>".to_owned(),
            |value| shell::write_value(&value, Layout::OneLine),
        ),
    }
}

fn listed(open: char, items: impl Iterator<Item = String>, close: char) -> String {
    let items: Vec<String> = items.collect();
    if items.is_empty() {
        return format!("{open}{close}");
    }
    format!("{open} {} {close}", items.join(", "))
}
