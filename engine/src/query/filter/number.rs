//! Numbers as filters read them.

use bson::raw::RawBsonRef;

/// Beyond this a double does not fit into an int64.
const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;

/// The value as a double; `None` if it is no number. Large integers are rounded.
pub(crate) fn as_double(value: RawBsonRef<'_>) -> Option<f64> {
    match value {
        RawBsonRef::Int32(n) => Some(f64::from(n)),
        #[expect(clippy::cast_precision_loss, reason = "callers want the nearest double")]
        RawBsonRef::Int64(n) => Some(n as f64),
        RawBsonRef::Double(n) => Some(n),
        RawBsonRef::Decimal128(n) => n.to_string().parse().ok(),
        _ => None,
    }
}

/// The number without its fraction; `None` if it is no number, not finite, or beyond int64.
pub(crate) fn truncated(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::Int32(n) => Some(i64::from(n)),
        RawBsonRef::Int64(n) => Some(n),
        _ => {
            let number = as_double(value)?;
            let fits = (-TWO_POW_63..TWO_POW_63).contains(&number);
            #[expect(clippy::cast_possible_truncation, reason = "checked; the fraction goes")]
            fits.then_some(number as i64)
        }
    }
}

/// The number, if it has no fraction and fits into an int64.
pub(crate) fn whole(value: RawBsonRef<'_>) -> Option<i64> {
    let number = truncated(value)?;
    let is_whole = match value {
        RawBsonRef::Int32(_) | RawBsonRef::Int64(_) => true,
        _ => as_double(value)?.fract() == 0.0,
    };
    is_whole.then_some(number)
}

/// Whether a flag with this value is on: anything but false, 0, null and undefined.
pub(crate) fn truthy(value: RawBsonRef<'_>) -> bool {
    match value {
        RawBsonRef::Boolean(flag) => flag,
        RawBsonRef::Null | RawBsonRef::Undefined => false,
        _ => as_double(value) != Some(0.0),
    }
}

/// Whether the value is a number that is not a number.
pub(crate) fn is_nan(value: RawBsonRef<'_>) -> bool {
    match value {
        RawBsonRef::Double(n) => n.is_nan(),
        RawBsonRef::Decimal128(_) => as_double(value).is_some_and(f64::is_nan),
        _ => false,
    }
}
