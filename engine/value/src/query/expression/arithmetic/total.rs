//! Sums in which doubles keep what rounding would lose.

use bson::raw::{RawBson, RawBsonRef};

use super::Number;
use crate::value::Decimal;

/// Halves of a whole number that is longer than an int64.
const HALF: i128 = 1_000_000_000_000_000_000;

/// A sum of numbers of all types; its type is the widest of theirs.
#[derive(Debug, Clone, Copy, Default)]
pub struct Total {
    whole: i128,
    has_long: bool,
    has_double: bool,
    /// Doubles, and the error of their additions.
    doubles: f64,
    error: f64,
    decimals: Option<Decimal>,
}

impl Total {
    /// Adds a number and ignores any other value. Returns whether it was a number.
    pub fn add_value(&mut self, value: RawBsonRef<'_>) -> bool {
        let number = Number::of(value);
        if let Some(number) = number {
            self.add(number);
        }
        number.is_some()
    }

    /// The sum as a value.
    pub fn sum(&self) -> RawBson {
        self.number().into()
    }

    /// The sum divided by how many numbers it has: a decimal or a double; null for none.
    pub fn average(&self, count: u64) -> RawBson {
        let count = Number::Long(i64::try_from(count).unwrap_or(i64::MAX));
        match self.number() {
            _ if matches!(count, Number::Long(0)) => RawBson::Null,
            Number::Decimal(total) => Number::Decimal(total.over(count.to_decimal())).into(),
            total => RawBson::Double(total.to_f64() / count.to_f64()),
        }
    }

    pub(in crate::query::expression) fn add(&mut self, number: Number) {
        match number {
            Number::Int(n) => self.whole = self.whole.saturating_add(n.into()),
            Number::Long(n) => {
                self.has_long = true;
                self.whole = self.whole.saturating_add(n.into());
            }
            Number::Double(n) => {
                self.has_double = true;
                self.add_double(n);
            }
            Number::Decimal(n) => {
                self.decimals = Some(self.decimals.map_or(n, |before| before.plus(n)));
            }
        }
    }

    /// The sum.
    pub(in crate::query::expression) fn number(&self) -> Number {
        if let Some(decimals) = self.decimals {
            let mut sum = decimals.plus(decimal_of(self.whole));
            if self.has_double {
                // All digits, not the 15 with which a double turns into a decimal elsewhere.
                sum = sum.plus(Decimal::from_f64_exact(self.doubles));
                if self.doubles.is_finite() {
                    sum = sum.plus(Decimal::from_f64_exact(self.error));
                }
            }
            return Number::Decimal(sum);
        }
        match i64::try_from(self.whole) {
            _ if self.has_double => Number::Double(self.double()),
            Ok(whole) if self.has_long => Number::Long(whole),
            Ok(whole) => Number::smallest(whole),
            Err(_) => Number::Double(self.double()),
        }
    }

    fn add_double(&mut self, number: f64) {
        let sum = self.doubles + number;
        if sum.is_finite() {
            let high = sum - self.doubles;
            self.error += (self.doubles - (sum - high)) + (number - high);
        }
        self.doubles = sum;
    }

    fn exact(&self) -> f64 {
        if self.doubles.is_finite() { self.doubles + self.error } else { self.doubles }
    }

    /// A whole number has more bits than a double, so its two halves are added.
    #[expect(clippy::cast_precision_loss, reason = "a sum with doubles is a double")]
    #[expect(clippy::cast_possible_truncation, reason = "a sum of int64s is below 10^37")]
    fn double(&self) -> f64 {
        let mut all = *self;
        let high = self.whole as f64;
        all.add_double(high);
        all.add_double(self.whole.saturating_sub(high as i128) as f64);
        all.exact()
    }
}

fn decimal_of(whole: i128) -> Decimal {
    let part = |n: i128| Decimal::from(i64::try_from(n).unwrap_or(i64::MAX));
    match i64::try_from(whole) {
        Ok(whole) => whole.into(),
        Err(_) => part(whole / HALF).times(part(HALF)).plus(part(whole % HALF)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[RawBsonRef<'_>], sum: RawBson, average: RawBson) {
        let (mut total, mut count) = (Total::default(), 0);
        for value in values {
            count += u64::from(total.add_value(*value));
        }
        assert_eq!((total.sum(), total.average(count)), (sum, average), "{values:?}");
    }

    #[test]
    fn a_sum_has_the_widest_type_of_its_numbers() {
        use RawBsonRef::{Boolean, Double, Int32, Int64};
        check(&[], RawBson::Int32(0), RawBson::Null);
        check(&[Boolean(true)], RawBson::Int32(0), RawBson::Null);
        check(&[Int32(1), Int32(2)], RawBson::Int32(3), RawBson::Double(1.5));
        check(&[Int32(1), Int64(2)], RawBson::Int64(3), RawBson::Double(1.5));
        let half = f64::from(i32::MAX);
        check(&[Int32(i32::MAX); 2], RawBson::Int64(4_294_967_294), RawBson::Double(half));
        let two_63 = 9_223_372_036_854_775_808.0;
        check(&[Int64(i64::MAX), Int64(1)], RawBson::Double(two_63), RawBson::Double(two_63 / 2.0));
        check(&[Double(0.1); 10], RawBson::Double(1.0), RawBson::Double(0.1));
        check(&[Int32(1), Double(0.5)], RawBson::Double(1.5), RawBson::Double(0.75));
    }

    #[test]
    fn decimals_are_added_and_divided_with_34_digits_and_overflow_to_infinity() {
        let decimal = |text: &str| RawBson::Decimal128(text.parse().expect(text));
        let check_decimals = |values: &[RawBson], sum: &str, average: &str| {
            let values: Vec<_> = values.iter().map(RawBson::as_raw_bson_ref).collect();
            check(&values, decimal(sum), decimal(average));
        };
        let nines = "9999999999999999999999999999999999";
        check_decimals(&[decimal("1.10"), decimal("2.2")], "3.30", "1.65");
        check_decimals(
            &[decimal(nines), decimal("0.6"), RawBson::Int32(0)],
            "1.000000000000000000000000000000000E+34",
            "3333333333333333333333333333333333",
        );
        check_decimals(&[decimal("9.9E+6144"), decimal("9.9E+6144")], "Infinity", "Infinity");
        check_decimals(&[decimal("Infinity"), decimal("-Infinity")], "NaN", "NaN");
        check_decimals(&[decimal("1"), RawBson::Double(2.5)], "3.5", "1.75");
        check_decimals(&[decimal("1"), RawBson::Double(100.0)], "101", "50.5");
        check_decimals(
            &[decimal("1"), RawBson::Double(0.1)],
            "1.100000000000000005551115123125783",
            "0.5500000000000000027755575615628915",
        );
        check_decimals(
            &[decimal("0.5"), RawBson::Int64(i64::MAX), RawBson::Int64(i64::MAX)],
            "18446744073709551614.5",
            "6148914691236517204.833333333333333",
        );
    }
}
