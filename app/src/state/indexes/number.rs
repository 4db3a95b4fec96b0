//! Numbers in replies, whichever type they have.

use bson::Bson;

pub(super) fn as_f64(value: &Bson) -> Option<f64> {
    match value {
        Bson::Int32(number) => Some(f64::from(*number)),
        #[expect(clippy::cast_precision_loss, reason = "only its sign is read")]
        Bson::Int64(number) => Some(*number as f64),
        Bson::Double(number) => Some(*number),
        _ => None,
    }
}

/// A whole number of any integer type; a double is cut.
#[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
pub(super) fn whole_secs(value: &Bson) -> Option<i64> {
    match value {
        Bson::Int32(number) => Some(i64::from(*number)),
        Bson::Int64(number) => Some(*number),
        Bson::Double(number) if number.is_finite() => Some(*number as i64),
        _ => None,
    }
}
