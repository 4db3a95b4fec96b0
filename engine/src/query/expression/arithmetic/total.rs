//! Sums in which doubles keep what rounding would lose.

use super::Number;
use crate::value::Decimal;

/// Halves of a whole number that is longer than an int64.
const HALF: i128 = 1_000_000_000_000_000_000;

/// A sum of numbers of all types; its type is the widest of theirs.
#[derive(Debug, Clone, Copy, Default)]
pub(in crate::query::expression) struct Total {
    /// Whole numbers, exactly.
    whole: i128,
    has_long: bool,
    has_double: bool,
    /// Doubles, and the error of their additions.
    doubles: f64,
    error: f64,
    decimals: Option<Decimal>,
}

impl Total {
    /// Adds a number.
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
                sum = sum.plus(Decimal::from_f64(self.exact()));
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
