//! Sum and product of operands one after the other, as `$add` and `$multiply` make them: unlike a
//! [`Total`](super::Total) they keep nothing that rounding loses on the way.

use bson::{DateTime, raw::RawBson};

use super::number::{Number, Pair};
use crate::{
    query::{Code, QueryError},
    value::{Decimal, decimal::DecimalRounding},
};

/// Beyond this a double does not fit into an int64.
const TWO_POW_63: f64 = 9_223_372_036_854_775_808.0;

/// A sum so far. Its type is the widest of its operands', and a double once an int64 has
/// overflowed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sum {
    number: Number,
    has_long: bool,
    /// Milliseconds since 1970, once a date was among the operands; nothing else counts then.
    date: Option<i64>,
}

impl Default for Sum {
    fn default() -> Self {
        Self { number: Number::Int(0), has_long: false, date: None }
    }
}

impl Sum {
    pub(super) fn add(&mut self, number: Number) -> Result<(), QueryError> {
        if let Some(date) = &mut self.date {
            *date = moved("$add", *date, number, i64::checked_add)?;
            return Ok(());
        }
        self.has_long |= matches!(number, Number::Long(_));
        self.number = self.number.plus(number);
        Ok(())
    }

    /// Adds a date. Numbers added before and after it count in whole milliseconds. Returns false
    /// and does nothing if the sum has a date already.
    pub(super) fn add_date(&mut self, ms: i64) -> Result<bool, QueryError> {
        let is_first = self.date.is_none();
        if is_first {
            self.date = Some(moved("$add", ms, self.number, i64::checked_add)?);
        }
        Ok(is_first)
    }
}

impl From<Sum> for RawBson {
    fn from(sum: Sum) -> Self {
        match sum.date {
            Some(ms) => Self::DateTime(DateTime::from_millis(ms)),
            None => narrowed(sum.number, sum.has_long).into(),
        }
    }
}

/// int32s that have left their range on the way come back into it.
fn narrowed(number: Number, has_long: bool) -> Number {
    match number {
        Number::Long(number) if !has_long => Number::smallest(number),
        number => number,
    }
}

/// A date moved by a number of milliseconds, rounded to whole ones.
pub(super) fn moved(
    operator: &str,
    date: i64,
    by: Number,
    reckon: fn(i64, i64) -> Option<i64>,
) -> Result<i64, QueryError> {
    let ms = match by {
        Number::Int(n) => Some(i64::from(n)),
        Number::Long(n) => Some(n),
        #[expect(clippy::cast_possible_truncation, reason = "checked to be in range")]
        Number::Double(n) => {
            (-TWO_POW_63..TWO_POW_63).contains(&n.round()).then_some(n.round() as i64)
        }
        Number::Decimal(n) => n.at_place(0, DecimalRounding::HalfEven).and_then(Decimal::to_i64),
    };
    ms.and_then(|ms| reckon(date, ms)).ok_or_else(|| overflow(operator))
}

pub(super) fn overflow(operator: &str) -> QueryError {
    QueryError::new(Code::OVERFLOW, format!("date overflow in {operator}"))
}

/// A product so far. The product of doubles is kept next to the one of whole numbers, for when that
/// overflows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Product {
    number: Number,
    double: f64,
    has_long: bool,
}

impl Default for Product {
    fn default() -> Self {
        Self { number: Number::Int(1), double: 1.0, has_long: false }
    }
}

impl Product {
    pub(super) fn multiply(&mut self, by: Number) {
        self.has_long |= matches!(by, Number::Long(_));
        self.double *= by.to_f64();
        self.number = match self.number.widen(by) {
            Pair::Decimals(a, b) => Number::Decimal(a.times(b)),
            Pair::Doubles(..) => Number::Double(self.double),
            Pair::Ints(a, b) => self.whole(a.into(), b.into()),
            Pair::Longs(a, b) => self.whole(a, b),
        };
    }

    fn whole(&self, a: i64, b: i64) -> Number {
        a.checked_mul(b).map_or(Number::Double(self.double), Number::Long)
    }
}

impl From<Product> for Number {
    fn from(product: Product) -> Self {
        narrowed(product.number, product.has_long)
    }
}
