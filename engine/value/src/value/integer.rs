//! Integers in BSON values.

use bson::Bson;

/// The value of an integer type.
pub fn integer(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        _ => None,
    }
}

/// int32 where it fits.
pub fn shortest(number: u64) -> Bson {
    i32::try_from(number)
        .map_or_else(|_| Bson::Int64(i64::try_from(number).unwrap_or(i64::MAX)), Bson::Int32)
}

/// The value of an integer type, or of a double without its fraction.
pub fn whole(value: &Bson) -> Option<i64> {
    match value {
        #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
        Bson::Double(number) if number.is_finite() => Some(*number as i64),
        other => integer(other),
    }
}
