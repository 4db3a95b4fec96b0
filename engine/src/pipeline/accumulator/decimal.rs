//! Adding and dividing decimals of 34 digits.

use bson::Decimal128;

/// Largest coefficient of a Decimal128.
const COEFFICIENT_MAX: u128 = 9_999_999_999_999_999_999_999_999_999_999_999;
/// Largest power of ten that a u128 holds.
const POWER_MAX: u32 = 38;
/// Bias of the exponent field.
const BIAS: i32 = 6_176;
const EXPONENT_MAX: i32 = 6_111;

/// A finite decimal: sign, coefficient, power of ten.
#[derive(Debug, Clone, Copy)]
struct Finite {
    is_negative: bool,
    coefficient: u128,
    exponent: i32,
}

/// The sum; NaN and infinities as IEEE has them.
pub(super) fn add(a: Decimal128, b: Decimal128) -> Decimal128 {
    match (finite(a), finite(b)) {
        (Some(a), Some(b)) => sum(a, b).pack(),
        (None, Some(_)) => a,
        (Some(_), None) => b,
        // Infinities of the same sign stay; everything else is not a number.
        (None, None) if a.bytes() == b.bytes() => a,
        (None, None) => nan(),
    }
}

/// The quotient by a whole number above zero.
pub(super) fn divide(a: Decimal128, by: u64) -> Decimal128 {
    let Some(mut a) = finite(a) else { return a };
    let by = u128::from(by.max(1));
    let (mut quotient, mut rest) = (a.coefficient / by, a.coefficient % by);
    while rest > 0 && quotient <= COEFFICIENT_MAX / 10 && a.exponent > -BIAS {
        quotient = quotient * 10 + rest * 10 / by;
        rest = rest * 10 % by;
        a.exponent -= 1;
    }
    if rest * 2 > by || (rest * 2 == by && quotient % 2 == 1) {
        quotient += 1;
    }
    a.coefficient = quotient;
    a.pack()
}

/// A whole number.
pub(super) fn of_int(number: i128) -> Decimal128 {
    let coefficient = number.unsigned_abs();
    Finite { is_negative: number < 0, coefficient, exponent: 0 }.pack()
}

/// A double, by its 15 digits as MongoDB converts it.
pub(super) fn of_double(number: f64) -> Decimal128 {
    if number.is_nan() {
        return nan();
    }
    if number.is_infinite() {
        let text = if number > 0.0 { "Infinity" } else { "-Infinity" };
        return text.parse().unwrap_or_else(|_| nan());
    }
    format!("{number:.14e}").parse().unwrap_or_else(|_| nan())
}

fn nan() -> Decimal128 {
    Decimal128::from_bytes((0b11111_u128 << 122).to_le_bytes())
}

fn finite(decimal: Decimal128) -> Option<Finite> {
    let bits = u128::from_le_bytes(decimal.bytes());
    if (bits >> 123) & 0xf == 0xf {
        return None;
    }
    let is_negative = bits >> 127 == 1;
    if (bits >> 125) & 0b11 == 0b11 {
        return Some(Finite { is_negative, coefficient: 0, exponent: 0 });
    }
    let coefficient = bits & ((1 << 113) - 1);
    let exponent = i32::try_from((bits >> 113) & 0x3fff).unwrap_or(0) - BIAS;
    let coefficient = if coefficient > COEFFICIENT_MAX { 0 } else { coefficient };
    Some(Finite { is_negative, coefficient, exponent })
}

fn sum(a: Finite, b: Finite) -> Finite {
    let (mut high, mut low) = if a.exponent >= b.exponent { (a, b) } else { (b, a) };
    if high.coefficient == 0 {
        return low;
    }
    while high.exponent > low.exponent && high.coefficient < 10_u128.pow(POWER_MAX - 2) {
        high.coefficient *= 10;
        high.exponent -= 1;
    }
    if high.exponent > low.exponent {
        let distance = high.exponent.abs_diff(low.exponent);
        low.coefficient = 10_u128.checked_pow(distance).map_or(0, |power| low.coefficient / power);
        low.exponent = high.exponent;
    }
    let exponent = low.exponent;
    if high.is_negative == low.is_negative {
        let coefficient = high.coefficient.saturating_add(low.coefficient);
        return Finite { is_negative: high.is_negative, coefficient, exponent };
    }
    let coefficient = high.coefficient.abs_diff(low.coefficient);
    let larger = if high.coefficient >= low.coefficient { high } else { low };
    Finite { is_negative: larger.is_negative && coefficient > 0, coefficient, exponent }
}

impl Finite {
    /// Rounded to 34 digits, half to even.
    fn pack(mut self) -> Decimal128 {
        let (mut dropped, mut is_exact) = (0, true);
        while self.coefficient > COEFFICIENT_MAX {
            is_exact &= dropped == 0;
            dropped = self.coefficient % 10;
            self.coefficient /= 10;
            self.exponent += 1;
        }
        let is_half = dropped == 5 && is_exact;
        if dropped > 5 || (dropped == 5 && !is_exact) || (is_half && self.coefficient % 2 == 1) {
            self.coefficient += 1;
        }
        let exponent = self.exponent.clamp(-BIAS, EXPONENT_MAX);
        let field = u128::from((exponent + BIAS).unsigned_abs());
        let sign = u128::from(self.is_negative) << 127;
        Decimal128::from_bytes((sign | (field << 113) | self.coefficient).to_le_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal128 {
        text.parse().expect(text)
    }

    #[test]
    fn sums_and_quotients() {
        let check = |a: &str, b: &str, expected: &str| {
            assert_eq!(add(decimal(a), decimal(b)).to_string(), expected, "{a} + {b}");
        };
        check("1.10", "2.2", "3.30");
        check("0.1", "-0.1", "0.0");
        check("9999999999999999999999999999999999", "1", "1.000000000000000000000000000000000E+34");
        check("1E+3", "0.5", "1000.5");
        check("Infinity", "1", "Infinity");
        check("Infinity", "-Infinity", "NaN");
        let quotient = |a: &str, by, expected: &str| {
            assert_eq!(divide(decimal(a), by).to_string(), expected, "{a} / {by}");
        };
        quotient("3.30", 2, "1.65");
        quotient("1", 3, "0.3333333333333333333333333333333333");
        quotient("2", 3, "0.6666666666666666666666666666666667");
        assert_eq!(of_int(-5).to_string(), "-5");
    }
}
