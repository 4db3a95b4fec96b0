//! `$sum` and `$avg`: the type of the result is the widest of the numbers' types.

use bson::{
    Decimal128,
    raw::{RawBson, RawBsonRef},
};

use super::decimal;

/// A sum of numbers of all types.
#[derive(Debug, Clone, Default)]
pub(in crate::pipeline) struct Sum {
    /// How many numbers.
    count: u64,
    /// Whole numbers, exactly.
    whole: i128,
    has_long: bool,
    has_double: bool,
    /// Doubles, and the error of their additions.
    doubles: f64,
    error: f64,
    decimals: Option<Decimal128>,
}

impl Sum {
    /// Adds a value; what is no number is passed over.
    pub(super) fn add(&mut self, value: RawBsonRef<'_>) {
        match value {
            RawBsonRef::Int32(number) => self.whole = self.whole.saturating_add(i128::from(number)),
            RawBsonRef::Int64(number) => {
                self.has_long = true;
                self.whole = self.whole.saturating_add(i128::from(number));
            }
            RawBsonRef::Double(number) => {
                self.has_double = true;
                self.add_double(number);
            }
            RawBsonRef::Decimal128(number) => {
                self.decimals = Some(match self.decimals {
                    None => number,
                    Some(before) => decimal::add(before, number),
                });
            }
            _ => return,
        }
        self.count += 1;
    }

    /// Adds exactly, keeping what rounding loses.
    fn add_double(&mut self, number: f64) {
        let sum = self.doubles + number;
        if sum.is_finite() {
            let high = sum - self.doubles;
            self.error += (self.doubles - (sum - high)) + (number - high);
        }
        self.doubles = sum;
    }

    #[expect(clippy::cast_precision_loss, reason = "a sum with doubles is a double")]
    fn double(&self) -> f64 {
        let mut all = self.clone();
        // A whole number has more bits than a double: its two halves are added.
        let high = self.whole as f64;
        all.add_double(high);
        if high.abs() < 1e37 {
            #[expect(clippy::cast_possible_truncation, reason = "a double below 10^37 fits")]
            all.add_double((self.whole - high as i128) as f64);
        }
        if all.doubles.is_finite() { all.doubles + all.error } else { all.doubles }
    }

    fn decimal(&self) -> Option<Decimal128> {
        let decimals = self.decimals?;
        let mut sum = decimal::add(decimals, decimal::of_int(self.whole));
        if self.has_double {
            let doubles =
                if self.doubles.is_finite() { self.doubles + self.error } else { self.doubles };
            sum = decimal::add(sum, decimal::of_double(doubles));
        }
        Some(sum)
    }

    /// `$sum`
    pub(super) fn sum(&self) -> RawBson {
        if let Some(decimal) = self.decimal() {
            return RawBson::Decimal128(decimal);
        }
        if self.has_double {
            return RawBson::Double(self.double());
        }
        match (i32::try_from(self.whole), i64::try_from(self.whole)) {
            (Ok(number), _) if !self.has_long => RawBson::Int32(number),
            (_, Ok(number)) => RawBson::Int64(number),
            _ => RawBson::Double(self.double()),
        }
    }

    /// `$avg`
    #[expect(clippy::cast_precision_loss, reason = "an average is a double")]
    pub(super) fn average(&self) -> RawBson {
        if self.count == 0 {
            return RawBson::Null;
        }
        match self.decimal() {
            Some(sum) => RawBson::Decimal128(decimal::divide(sum, self.count)),
            None => RawBson::Double(self.double() / self.count as f64),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(values: &[RawBsonRef<'_>], sum: RawBson, average: RawBson) {
        let mut state = Sum::default();
        for value in values {
            state.add(*value);
        }
        assert_eq!((state.sum(), state.average()), (sum, average), "{values:?}");
    }

    #[test]
    fn types() {
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
}
