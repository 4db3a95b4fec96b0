//! Decimal128 from a whole number and its scale.

use bson::Decimal128;

/// One more than the largest coefficient: 34 digits.
const COEFFICIENT_END: u128 = 10_u128.pow(34);
/// Added to an exponent in its binary form.
const EXPONENT_BIAS: i32 = 6_176;
/// Where the exponent begins, if the coefficient fits below it, which 34 digits do.
const EXPONENT_SHIFT: u32 = 113;
const SIGN: u128 = 1 << 127;

/// `value * 10^-scale` with all its digits; `None` if there are more than 34.
pub(super) fn decimal128(value: i128, scale: i8) -> Option<Decimal128> {
    let coefficient = value.unsigned_abs();
    let exponent = u128::try_from(EXPONENT_BIAS - i32::from(scale)).ok()?;
    if coefficient >= COEFFICIENT_END {
        return None;
    }
    let sign = if value < 0 { SIGN } else { 0 };
    let bits = sign | exponent << EXPONENT_SHIFT | coefficient;
    Some(Decimal128::from_bytes(bits.to_le_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_decimal_has_the_digits_of_its_text() {
        for (value, scale, text) in [
            (0, 0, "0"),
            (0, 2, "0.00"),
            (1_999, 2, "19.99"),
            (-1_999, 2, "-19.99"),
            (5, -3, "5E+3"),
            (1, 10, "1E-10"),
            (i128::from(u64::MAX), 0, "18446744073709551615"),
            (10_i128.pow(34) - 1, 6, "9999999999999999999999999999.999999"),
        ] {
            let expected: Decimal128 = text.parse().unwrap();
            let found = decimal128(value, scale).unwrap();
            assert_eq!(found.bytes(), expected.bytes(), "{text}: {found}");
        }
        assert_eq!(decimal128(10_i128.pow(34), 0), None);
        assert_eq!(decimal128(i128::MIN, 0), None);
    }
}
