//! A number of one of the four types.

use bson::raw::{RawBson, RawBsonRef};

use crate::{
    query::{
        QueryError,
        error::refused,
        expression::{
            operator::{CallArgs, Outcome},
            value::{is_nullish, type_name},
        },
    },
    value::Decimal,
};

/// A number; the order of the variants is the order in which types are widened.
#[derive(Debug, Clone, Copy)]
pub(in crate::query::expression) enum Number {
    Int(i32),
    Long(i64),
    Double(f64),
    Decimal(Decimal),
}

/// Two numbers, both in the wider of their types.
pub(super) enum Pair {
    Ints(i32, i32),
    Longs(i64, i64),
    Doubles(f64, f64),
    Decimals(Decimal, Decimal),
}

impl Number {
    /// The number in this value; `None` if it is of another type.
    pub(in crate::query::expression) fn of(value: RawBsonRef<'_>) -> Option<Self> {
        Some(match value {
            RawBsonRef::Int32(n) => Self::Int(n),
            RawBsonRef::Int64(n) => Self::Long(n),
            RawBsonRef::Double(n) => Self::Double(n),
            RawBsonRef::Decimal128(n) => Self::Decimal(n.into()),
            _ => return None,
        })
    }

    /// A whole number in the smallest type that holds it.
    pub(in crate::query::expression) fn smallest(number: i64) -> Self {
        i32::try_from(number).map_or(Self::Long(number), Self::Int)
    }

    /// The nearest double.
    #[expect(clippy::cast_precision_loss, reason = "MongoDB widens to the nearest double")]
    pub(in crate::query::expression) fn to_f64(self) -> f64 {
        match self {
            Self::Int(n) => f64::from(n),
            Self::Long(n) => n as f64,
            Self::Double(n) => n,
            Self::Decimal(n) => n.to_f64(),
        }
    }

    /// As a decimal; doubles with 15 digits.
    pub(in crate::query::expression) fn to_decimal(self) -> Decimal {
        match self {
            Self::Int(n) => i64::from(n).into(),
            Self::Long(n) => n.into(),
            Self::Double(n) => Decimal::from_f64(n),
            Self::Decimal(n) => n,
        }
    }

    /// The whole number; `None` for doubles and decimals.
    pub(super) fn integer(self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(n.into()),
            Self::Long(n) => Some(n),
            Self::Double(_) | Self::Decimal(_) => None,
        }
    }

    /// Both in the wider of their types.
    pub(super) fn widen(self, other: Self) -> Pair {
        match (self, other) {
            (Self::Decimal(_), _) | (_, Self::Decimal(_)) => {
                Pair::Decimals(self.to_decimal(), other.to_decimal())
            }
            (Self::Int(a), Self::Int(b)) => Pair::Ints(a, b),
            _ => match (self.integer(), other.integer()) {
                (Some(a), Some(b)) => Pair::Longs(a, b),
                _ => Pair::Doubles(self.to_f64(), other.to_f64()),
            },
        }
    }

    /// The difference: int, then long, then double at overflow.
    pub(super) fn minus(self, other: Self) -> Self {
        self.combine(other, i64::checked_sub, |a, b| a - b, Decimal::minus)
    }

    /// The sum, with the same types.
    pub(super) fn plus(self, other: Self) -> Self {
        self.combine(other, i64::checked_add, |a, b| a + b, Decimal::plus)
    }

    #[expect(clippy::cast_precision_loss, reason = "beyond int64 only a double is left")]
    fn combine(
        self,
        other: Self,
        longs: fn(i64, i64) -> Option<i64>,
        doubles: fn(f64, f64) -> f64,
        decimals: fn(Decimal, Decimal) -> Decimal,
    ) -> Self {
        let long = |a, b| longs(a, b).map_or(Self::Double(doubles(a as f64, b as f64)), Self::Long);
        match self.widen(other) {
            Pair::Ints(a, b) => {
                longs(a.into(), b.into()).map_or_else(|| long(a.into(), b.into()), Self::smallest)
            }
            Pair::Longs(a, b) => long(a, b),
            Pair::Doubles(a, b) => Self::Double(doubles(a, b)),
            Pair::Decimals(a, b) => Self::Decimal(decimals(a, b)),
        }
    }
}

impl From<Number> for RawBson {
    fn from(number: Number) -> Self {
        match number {
            Number::Int(n) => Self::Int32(n),
            Number::Long(n) => Self::Int64(n),
            Number::Double(n) => Self::Double(n),
            Number::Decimal(n) => Self::Decimal128(n.into()),
        }
    }
}

/// Runs an operator of one number; null for null and missing.
pub(super) fn single(
    given: &CallArgs<'_>,
    run: impl FnOnce(Number) -> Result<Number, QueryError>,
) -> Outcome {
    let value = given.at(0);
    if is_nullish(value) {
        return Ok(Some(RawBson::Null));
    }
    let Some(number) = value.and_then(Number::of) else {
        return Err(refused(
            28765,
            format!("{} only supports numeric types, not {}", given.name(), type_name(value)),
        ));
    };
    run(number).map(|number| Some(number.into()))
}
