//! Numbers as filters read them.

use bson::raw::RawBsonRef;

use crate::value::Decimal;

/// Beyond this a double does not fit into an int64.
const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;

/// The value as a double; `None` if it is not a number. Large integers are rounded.
pub fn as_double(value: RawBsonRef<'_>) -> Option<f64> {
    match value {
        RawBsonRef::Int32(n) => Some(f64::from(n)),
        #[expect(clippy::cast_precision_loss, reason = "callers want the nearest double")]
        RawBsonRef::Int64(n) => Some(n as f64),
        RawBsonRef::Double(n) => Some(n),
        RawBsonRef::Decimal128(n) => n.to_string().parse().ok(),
        _ => None,
    }
}

/// The number without its fraction; `None` if it is not a number, not finite, or beyond int64.
pub(crate) fn truncated(value: RawBsonRef<'_>) -> Option<i64> {
    match value {
        RawBsonRef::Int32(n) => Some(i64::from(n)),
        RawBsonRef::Int64(n) => Some(n),
        RawBsonRef::Decimal128(n) => Decimal::from(n).to_i64(),
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
        RawBsonRef::Decimal128(n) => Decimal::from(n).is_whole(),
        _ => as_double(value)?.fract() == 0.0,
    };
    is_whole.then_some(number)
}

/// Whether a flag with this value is on: anything but false, 0, null and undefined.
pub(crate) fn truthy(value: RawBsonRef<'_>) -> bool {
    match value {
        RawBsonRef::Boolean(flag) => flag,
        RawBsonRef::Null | RawBsonRef::Undefined => false,
        // One that is too small for a double is not zero.
        RawBsonRef::Decimal128(n) => !Decimal::from(n).is_zero(),
        _ => as_double(value) != Some(0.0),
    }
}

/// Whether this is not-a-number, as a double or a decimal.
pub fn is_nan(value: RawBsonRef<'_>) -> bool {
    match value {
        RawBsonRef::Double(n) => n.is_nan(),
        RawBsonRef::Decimal128(_) => as_double(value).is_some_and(f64::is_nan),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_keeps_what_a_double_has_no_room_for() {
        let check = |text: &str, cut: Option<i64>, full: Option<i64>, is_on: bool| {
            let number = RawBsonRef::Decimal128(text.parse().expect(text));
            assert_eq!(
                (truncated(number), whole(number), truthy(number)),
                (cut, full, is_on),
                "{text}"
            );
        };
        check("9007199254740993", Some(9_007_199_254_740_993), Some(9_007_199_254_740_993), true);
        check("9223372036854775807", Some(i64::MAX), Some(i64::MAX), true);
        check("9223372036854775808", None, None, true);
        check("9007199254740993.5", Some(9_007_199_254_740_993), None, true);
        check("1E-6000", Some(0), None, true);
        check("-0", Some(0), Some(0), false);
        check("NaN", None, None, true);
        check("-Infinity", None, None, true);
    }
}
