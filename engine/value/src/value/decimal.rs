//! Arithmetic of Decimal128, with 34 digits and rounding half to even, as MongoDB has it.

use std::fmt;

use bson::Decimal128;
use dec::{Context, Rounding};

/// Digits of a Decimal128.
const DIGITS: usize = 34;
/// Units of three digits that hold [`DIGITS`] digits.
const UNITS: usize = 12;
/// Largest and smallest exponents of a Decimal128 with one digit before the point.
const EXPONENT_MAX: isize = 6_144;
const EXPONENT_MIN: isize = -6_143;

/// A Decimal128 for arithmetic.
#[derive(Clone, Copy)]
pub struct Decimal(dec::Decimal128);

/// How digits go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecimalRounding {
    /// To the nearest, and to the even one between two.
    HalfEven,
    /// Towards zero.
    Truncate,
    /// Towards negative infinity.
    Floor,
    Ceiling,
}

impl From<Decimal128> for Decimal {
    fn from(value: Decimal128) -> Self {
        Self::parse(&value.to_string()).unwrap_or_else(Self::nan)
    }
}

impl From<Decimal> for Decimal128 {
    fn from(value: Decimal) -> Self {
        /// The positive quiet NaN.
        const NAN: u128 = 0x7C << 120;
        value.to_string().parse().unwrap_or(Self::from_bytes(NAN.to_le_bytes()))
    }
}

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Self(value.into())
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl fmt::Debug for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Decimal {
    /// Reads a number as text, rounded to 34 digits; `None` if it is not a number.
    pub fn parse(text: &str) -> Option<Self> {
        Context::<dec::Decimal128>::default().parse(text).ok().map(Self)
    }

    /// Not a number.
    pub fn nan() -> Self {
        Self(dec::Decimal128::NAN)
    }

    /// A double with 15 significant digits, which is how MongoDB mixes doubles with decimals.
    pub fn from_f64(value: f64) -> Self {
        Self::from_text_of(value, format!("{value:.14e}"))
    }

    /// A double with all digits that fit, without trailing zeros.
    pub fn from_f64_exact(value: f64) -> Self {
        if value.fract() == 0.0 && value.abs() < 1e34 {
            return Self::from_text_of(value, format!("{value:.0}"));
        }
        let text = format!("{value:.33e}");
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        Self::from_text_of(value, format!("{}e{exponent}", digits.trim_end_matches('0')))
    }

    fn from_text_of(value: f64, text: String) -> Self {
        let text = match value {
            0.0 if value.is_sign_negative() => "-0".to_owned(),
            0.0 => "0".to_owned(),
            _ if value.is_nan() => "NaN".to_owned(),
            f64::INFINITY => "Infinity".to_owned(),
            f64::NEG_INFINITY => "-Infinity".to_owned(),
            _ => text,
        };
        Self::parse(&text).unwrap_or_else(Self::nan)
    }

    /// The nearest double.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        let text = self.0.to_string();
        text.parse().unwrap_or(f64::NAN)
    }

    /// The number without its fraction; `None` beyond int64 and for NaN and infinity.
    #[must_use]
    pub fn to_i64(self) -> Option<i64> {
        if !self.is_finite() {
            return None;
        }
        let whole = self.at_place(0, DecimalRounding::Truncate)?;
        i64::try_from(whole.0.coefficient()).ok().and_then(|number| {
            // `coefficient` carries the sign; a whole number with exponent 0 is its coefficient.
            if whole.0.exponent() == 0 { Some(number) } else { None }
        })
    }

    /// Whether it is neither infinite nor not a number.
    #[must_use]
    pub fn is_finite(self) -> bool {
        self.0.is_finite()
    }

    /// Whether it is not a number.
    #[must_use]
    pub fn is_nan(self) -> bool {
        self.0.is_nan()
    }

    /// Whether it is positive or negative infinity.
    #[must_use]
    pub fn is_infinite(self) -> bool {
        self.0.is_infinite()
    }

    /// Whether it is 0 or -0.
    #[must_use]
    pub fn is_zero(self) -> bool {
        self.0.is_zero()
    }

    /// Whether it is below zero.
    #[must_use]
    pub fn is_negative(self) -> bool {
        self.0.is_negative() && !self.0.is_zero()
    }

    /// Whether it has no fraction.
    #[must_use]
    pub fn is_whole(self) -> bool {
        self.is_finite()
            && self
                .at_place(0, DecimalRounding::Truncate)
                .is_none_or(|whole| whole.minus(self).is_zero())
    }

    /// The sum.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        Self(Context::<dec::Decimal128>::default().add(self.0, other.0))
    }

    /// The difference.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self(Context::<dec::Decimal128>::default().sub(self.0, other.0))
    }

    /// The product.
    #[must_use]
    pub fn times(self, other: Self) -> Self {
        Self(Context::<dec::Decimal128>::default().mul(self.0, other.0))
    }

    /// The quotient; infinite or not a number where the divisor is 0.
    #[must_use]
    pub fn over(self, other: Self) -> Self {
        Self(Context::<dec::Decimal128>::default().div(self.0, other.0))
    }

    /// The remainder of a division, with the sign of the dividend. It is exact, however long the
    /// quotient is.
    #[must_use]
    pub fn modulo(self, other: Self) -> Self {
        let rest = Self(Context::<dec::Decimal128>::default().rem(self.0, other.0));
        let is_too_long =
            rest.is_nan() && self.is_finite() && other.is_finite() && !other.is_zero();
        if is_too_long { self.rest_of_long(other) } else { rest }
    }

    /// [`Decimal::modulo`] where the quotient has more than 34 digits: the dividend's exponent is
    /// the larger one by far.
    fn rest_of_long(self, other: Self) -> Self {
        /// `10^34 * 10^4` is below the largest `u128`.
        const PLACES: u32 = 4;
        let divisor = other.0.coefficient().unsigned_abs();
        let mut places = self.0.exponent().abs_diff(other.0.exponent());
        let mut rest = self.0.coefficient().unsigned_abs() % divisor;
        // The dividend's zeros are brought down a few at a time, thousands at most.
        while places > 0 && rest > 0 {
            let step = places.min(PLACES);
            rest = rest * 10_u128.pow(step) % divisor;
            places -= step;
        }
        let sign = if self.0.is_negative() { "-" } else { "" };
        Self::parse(&format!("{sign}{rest}E{}", other.0.exponent())).unwrap_or_else(Self::nan)
    }

    /// Without its sign.
    #[must_use]
    pub fn abs(self) -> Self {
        Self(Context::<dec::Decimal128>::default().abs(self.0))
    }

    /// Rounded so that `places` digits follow the point (a negative number: zeros before it);
    /// `None` if the result would need more than 34 digits.
    #[must_use]
    pub fn at_place(self, places: i32, rounding: DecimalRounding) -> Option<Self> {
        let unit = Self::parse(&format!("1E{}", places.checked_neg()?))?;
        let mut context = Context::<dec::Decimal128>::default();
        context.set_rounding(match rounding {
            DecimalRounding::HalfEven => Rounding::HalfEven,
            DecimalRounding::Truncate => Rounding::Down,
            DecimalRounding::Floor => Rounding::Floor,
            DecimalRounding::Ceiling => Rounding::Ceiling,
        });
        let rounded = context.quantize(self.0, unit.0);
        (!context.status().invalid_operation()).then_some(Self(rounded))
    }

    /// The square root; not a number below 0.
    #[must_use]
    pub fn sqrt(self) -> Self {
        self.wide(Context::sqrt)
    }

    /// `e` to this power.
    #[must_use]
    pub fn exp(self) -> Self {
        self.wide(Context::exp)
    }

    /// The natural logarithm.
    #[must_use]
    pub fn ln(self) -> Self {
        self.wide(Context::ln)
    }

    /// The logarithm to the base 10.
    #[must_use]
    pub fn log10(self) -> Self {
        self.wide(Context::log10)
    }

    /// This number to a power.
    #[must_use]
    pub fn pow(self, power: Self) -> Self {
        let power = dec::Decimal::<UNITS>::from(power.0);
        self.wide(|context, value| context.pow(value, &power))
    }

    /// Functions that only libdecnumber's form of any length has.
    fn wide(
        self,
        run: impl FnOnce(&mut Context<dec::Decimal<UNITS>>, &mut dec::Decimal<UNITS>),
    ) -> Self {
        let mut context = Context::<dec::Decimal<UNITS>>::default();
        let ready = context.set_precision(DIGITS).is_ok()
            && context.set_max_exponent(EXPONENT_MAX).is_ok()
            && context.set_min_exponent(EXPONENT_MIN).is_ok();
        if !ready {
            return Self::nan();
        }
        let mut value = dec::Decimal::<UNITS>::from(self.0);
        run(&mut context, &mut value);
        Self(value.to_decimal128())
    }
}

#[cfg(test)]
mod tests {
    use super::{Decimal, DecimalRounding};

    fn d(text: &str) -> Decimal {
        Decimal::parse(text).expect("a number")
    }

    #[track_caller]
    fn check(found: Decimal, expected: &str) {
        assert_eq!(found.to_string(), expected);
        let stored = bson::Decimal128::from(found);
        assert_eq!(Decimal::from(stored).to_string(), expected, "stored and read back");
    }

    #[test]
    fn reckons_with_34_digits() {
        check(d("0.1").plus(d("0.2")), "0.3");
        check(d("1.10").minus(d("0.1")), "1.00");
        check(d("1.5").times(d("2")), "3.0");
        check(d("1").over(d("3")), "0.3333333333333333333333333333333333");
        check(d("-7").modulo(d("3")), "-1");
        check(d("2").sqrt(), "1.414213562373095048801688724209698");
        check(d("2").pow(d("10")), "1024");
        check(d("1").exp(), "2.718281828459045235360287471352662");
        check(d("100").log10(), "2");
        check(d("-5").abs(), "5");
        check(d("1").over(d("0")), "Infinity");
        check(d("0").over(d("0")), "NaN");
    }

    /// libdecnumber reads an array there after its block has ended. No compiler may make use of it.
    #[test]
    fn a_large_exponent_is_folded_down() {
        for (text, folded) in [
            ("1E+6144", "1.000000000000000000000000000000000E+6144"),
            ("12E+6143", "1.200000000000000000000000000000000E+6144"),
            ("1.5E+6144", "1.500000000000000000000000000000000E+6144"),
            ("-9E+6130", "-9.0000000000000000000E+6130"),
        ] {
            check(d(text), folded);
        }
    }

    #[test]
    fn a_remainder_is_exact_however_long_the_quotient_is() {
        check(d("1E+40").modulo(d("2")), "0");
        check(d("1E+40").modulo(d("3")), "1");
        check(d("-1E+40").modulo(d("7")), "-4");
        check(d("1E+40").modulo(d("-7")), "4");
        check(d("1E+40").modulo(d("0.07")), "0.01");
        check(d("12345E+36").modulo(d("98765")), "98125");
        check(d("9.999999999999999999999999999999999E+6144").modulo(d("1E-6176")), "0E-6176");
        let largest = "9999999999999999999999999999999999";
        check(d("1E+6144").modulo(d(largest)), "1000000000000000000000000");
        check(d("1E+34").modulo(d(largest)), "1");
        assert!(d("1E+40").modulo(d("0")).is_nan() && d("Infinity").modulo(d("2")).is_nan());
        check(d("5").modulo(d("Infinity")), "5");
    }

    #[test]
    fn takes_doubles_with_15_digits() {
        check(Decimal::from_f64(0.1), "0.100000000000000");
        check(Decimal::from_f64(2.5), "2.50000000000000");
        check(Decimal::from_f64(0.0), "0");
        check(Decimal::from_f64(f64::NEG_INFINITY), "-Infinity");
        check(Decimal::from_f64_exact(2.5), "2.5");
        check(Decimal::from_f64_exact(-1e20), "-100000000000000000000");
        check(Decimal::from_f64_exact(-0.0), "-0");
        check(Decimal::from_f64_exact(0.1), "0.1000000000000000055511151231257827");
        check(Decimal::from_f64_exact(f64::NEG_INFINITY), "-Infinity");
        assert!(Decimal::from_f64(f64::NAN).is_nan());
        assert_eq!(d("0.1").to_f64().to_bits(), 0.1_f64.to_bits());
    }

    #[test]
    fn rounds_to_a_place() {
        let round = |text, places| d(text).at_place(places, DecimalRounding::HalfEven);
        check(round("2.5", 0).expect("fits"), "2");
        check(round("3.5", 0).expect("fits"), "4");
        check(round("1234.56", 1).expect("fits"), "1234.6");
        check(round("1234.56", -2).expect("fits"), "1.2E+3");
        assert!(round("1E+33", 10).is_none(), "more than 34 digits");
        check(d("-1.5").at_place(0, DecimalRounding::Floor).expect("fits"), "-2");
    }

    #[test]
    fn gives_whole_numbers() {
        assert_eq!(d("-12.9").to_i64(), Some(-12));
        assert_eq!(d("9223372036854775807").to_i64(), Some(i64::MAX));
        assert_eq!(d("9223372036854775808").to_i64(), None);
        assert_eq!(d("1E+2").to_i64(), Some(100));
        assert_eq!(Decimal::nan().to_i64(), None);
        assert!(d("5.00").is_whole() && !d("5.01").is_whole() && d("1E+3000").is_whole());
    }
}
