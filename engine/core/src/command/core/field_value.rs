//! Values of a command's fields as plain types, and the refusals of fields.

use bson::raw::RawBsonRef;

use super::{Code, CommandError};
pub(crate) use crate::query::filter::type_name;

/// A number without its fraction, which a decimal rounds, half to even; `None` for other types and
/// NaN counts as 0.
pub fn as_integer(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::Int32(number) => Some(i64::from(number)),
        RawBsonRef::Int64(number) => Some(number),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "`as` saturates, which is what is wanted"
        )]
        RawBsonRef::Double(number) => Some(number as i64),
        #[expect(
            clippy::cast_possible_truncation,
            reason = "`as` saturates, which is what is wanted"
        )]
        RawBsonRef::Decimal128(number) => {
            number.to_string().parse::<f64>().ok().map(|number| number.round_ties_even() as i64)
        }
        _ => None,
    }
}

/// Yes or no as MongoDB's "safe bool": a bool, or any number but 0.
pub fn as_flag(value: RawBsonRef<'_>) -> Option<bool> {
    match value {
        RawBsonRef::Boolean(flag) => Some(flag),
        RawBsonRef::Double(number) => Some(number != 0.0),
        RawBsonRef::Decimal128(number) => {
            number.to_string().parse::<f64>().ok().map(|number| number != 0.0)
        }
        other => as_integer(other).map(|number| number != 0),
    }
}

/// Yes or no where any type is accepted: only false, null and zero are false (`trueValue` of
/// MongoDB's `BSONElement`).
pub fn is_true(value: RawBsonRef<'_>) -> bool {
    match value {
        RawBsonRef::Null | RawBsonRef::Undefined => false,
        other => as_flag(other).unwrap_or(true),
    }
}

pub fn wrong_type_at(place: &str, found: RawBsonRef<'_>, expected: &str) -> CommandError {
    CommandError::type_mismatch(format!(
        "BSON field '{place}' is the wrong type '{}', expected {expected}",
        type_name(found)
    ))
}

/// `NotImplemented`
pub fn unsupported_field(place: &str, name: &str) -> CommandError {
    CommandError::not_supported(format!(
        "the field '{name}' of {place} is not supported; leave it out"
    ))
}

/// `IDLUnknownField`
pub fn unknown_field(place: &str, name: &str) -> CommandError {
    CommandError::new(
        Code::IDL_UNKNOWN_FIELD,
        format!("BSON field '{place}.{name}' is an unknown field."),
    )
}

/// `IDLFailedToParse`: a required field is missing.
pub fn missing_field(place: &str, name: &str) -> CommandError {
    CommandError::new(
        Code::IDL_FAILED_TO_PARSE,
        format!("BSON field '{place}.{name}' is missing but a required field"),
    )
}
