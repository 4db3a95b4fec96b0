//! Numbers as commands read them: doubles truncate toward zero, decimals round half to even.

use bson::Bson;

use crate::broken_rules::{BrokenRule, is_broken};
use crate::query::filter::name_of_type;

/// A numeric value as an integer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Whole {
    /// NaN, from a double or decimal.
    Nan,
    /// Values outside int64 are clamped.
    Number(i64),
}

impl Whole {
    /// Converts a numeric value; `None` for other types.
    pub(super) fn of(value: &Bson) -> Option<Self> {
        match value {
            Bson::Int32(number) => Some(Self::Number(i64::from(*number))),
            Bson::Int64(number) => Some(Self::Number(*number)),
            Bson::Double(number) if number.is_nan() => Some(Self::Nan),
            #[expect(
                clippy::cast_possible_truncation,
                reason = "truncating is the rule, `as` saturates"
            )]
            Bson::Double(number) => Some(Self::Number(*number as i64)),
            Bson::Decimal128(number) => Some(of_decimal(&number.to_string())),
            _ => None,
        }
    }

    /// The number; 0 for NaN, as in `collMod`.
    pub(super) fn or_zero(self) -> i64 {
        match self {
            Self::Nan if is_broken(BrokenRule::CollModNan) => i64::MIN,
            Self::Nan => 0,
            Self::Number(number) => number,
        }
    }
}

/// Booleans and numbers as MongoDB's options accept them: any number but 0 is true.
pub(super) fn safe_bool(value: &Bson) -> Option<bool> {
    match value {
        Bson::Boolean(on) => Some(*on),
        Bson::Int32(number) => Some(*number != 0),
        Bson::Int64(number) => Some(*number != 0),
        Bson::Double(number) => Some(*number != 0.0),
        Bson::Decimal128(number) => {
            let text = number.to_string();
            let digits = text.split(['E', 'e']).next().unwrap_or_default();
            Some(text.contains(['N', 'I']) || digits.contains(|c: char| matches!(c, '1'..='9')))
        }
        _ => None,
    }
}

/// MongoDB's name of a value's type.
pub(super) fn type_name(value: &Bson) -> &'static str {
    name_of_type(value.element_type())
}

/// Parses decimal text such as `-12.5`, `1E+3`, `NaN` or `Infinity`.
fn of_decimal(text: &str) -> Whole {
    let (negative, text) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    if text.starts_with("NaN") {
        return Whole::Nan;
    }
    let end = if negative { i64::MIN } else { i64::MAX };
    let (mantissa, exponent) = text.split_once(['E', 'e']).unwrap_or((text, "0"));
    let Ok(exponent) = exponent.parse::<i64>() else { return Whole::Number(end) };
    let (before, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if !before.bytes().chain(after.bytes()).all(|byte| byte.is_ascii_digit()) {
        return Whole::Number(end); // Infinity
    }
    let digits: Vec<u8> = before.bytes().chain(after.bytes()).map(|byte| byte - b'0').collect();
    let point = i64::try_from(before.len()).unwrap_or(i64::MAX).saturating_add(exponent);
    let magnitude = round_half_even(&digits, point);
    let number = magnitude.map(|number| if negative { -number } else { number });
    Whole::Number(number.and_then(|number| i64::try_from(number).ok()).unwrap_or(end))
}

/// The nearest integer to the digits with a decimal point after the first `point` digits; `None`
/// with more than 30 digits.
fn round_half_even(digits: &[u8], point: i64) -> Option<i128> {
    if digits.iter().all(|digit| *digit == 0) {
        return Some(0);
    }
    let Ok(point) = usize::try_from(point) else { return Some(0) };
    let mut whole: i128 = 0;
    for place in 0..point {
        whole = whole * 10 + i128::from(digits.get(place).copied().unwrap_or(0));
        if whole > 10_i128.pow(30) {
            return None;
        }
    }
    let rest = digits.get(point..).unwrap_or_default();
    let half = rest.first().copied().unwrap_or(0);
    let beyond_half = rest.iter().skip(1).any(|digit| *digit != 0);
    let up = half > 5 || (half == 5 && (beyond_half || whole % 2 == 1));
    Some(whole + i128::from(up))
}

#[cfg(test)]
mod tests {
    use super::{Whole, of_decimal};

    #[test]
    fn decimals_round_half_to_even() {
        let check = |text: &str, expected: i64| {
            assert_eq!(of_decimal(text), Whole::Number(expected), "{text}");
        };
        check("3600", 3600);
        check("3600.5", 3600);
        check("50.5", 50);
        check("50.7", 51);
        check("51.5", 52);
        check("51.50001", 52);
        check("50.50001", 51);
        check("-0", 0);
        check("-0.5", 0);
        check("-0.9", -1);
        check("0.5", 0);
        check("0.05", 0);
        check("5E-1", 0);
        check("6E-1", 1);
        check("1E+3", 1000);
        check("1.25E+1", 12);
        check("9E+6000", i64::MAX);
        check("-9E+6000", i64::MIN);
        check("0E+6000", 0);
        check("1E-6000", 0);
        check("Infinity", i64::MAX);
        check("-Infinity", i64::MIN);
        check("9223372036854775807", i64::MAX);
        check("9223372036854775808", i64::MAX);
        assert_eq!(of_decimal("NaN"), Whole::Nan);
    }
}
