//! Whole numbers as arguments of operators, refused in MongoDB's words.

use bson::raw::RawBsonRef;

use super::number::{as_double, truncated};
use crate::value::error_text::element_text;

/// The argument as an integer, or why it is not one. `name` is the operator, or the argument's
/// position.
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
