//! `$inc`, `$mul` and `$bit`.

use bson::Bson;

use super::value::{ValueLocation, shown_id, type_of};
use crate::{
    query::QueryError,
    value::{Decimal, integer},
};

/// `$inc` or `$mul`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sum {
    Add,
    Multiply,
}

/// `and`, `or`, `xor` of `$bit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BitOp {
    And,
    Or,
    Xor,
}

impl Sum {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Add => "$inc",
            Self::Multiply => "$mul",
        }
    }

    /// The result has the wider type of the two: int32, int64, double, decimal. An int32 that
    /// overflows becomes an int64; an int64 that overflows is refused.
    pub(super) fn of(
        self,
        current: &Bson,
        by: &Bson,
        place: ValueLocation<'_>,
    ) -> Result<Bson, QueryError> {
        if let (Some(a), Some(b)) = (integer(current), integer(by)) {
            let result = match self {
                Self::Add => a.checked_add(b),
                Self::Multiply => a.checked_mul(b),
            };
            let result = result.ok_or_else(|| {
                QueryError::bad_value(format!(
                    "Failed to apply {} operations to current value ({}) for document {{{}}}: the \
                     result does not fit into a 64-bit integer",
                    self.name(),
                    shown_number(current),
                    shown_id(place.document)
                ))
            })?;
            let both_small = matches!((current, by), (Bson::Int32(_), Bson::Int32(_)));
            return Ok(match i32::try_from(result) {
                Ok(small) if both_small => Bson::Int32(small),
                _ => Bson::Int64(result),
            });
        }
        if matches!((current, by), (Bson::Decimal128(_), _) | (_, Bson::Decimal128(_)))
            && let (Some(a), Some(b)) = (decimal(current), decimal(by))
        {
            let result = match self {
                Self::Add => a.plus(b),
                Self::Multiply => a.times(b),
            };
            return Ok(Bson::Decimal128(result.into()));
        }
        match (double(current), double(by)) {
            (Some(a), Some(b)) => Ok(Bson::Double(match self {
                Self::Add => a + b,
                Self::Multiply => a * b,
            })),
            _ => Err(QueryError::type_mismatch(format!(
                "Cannot apply {} to a value of non-numeric type. {{{}}} has the field '{}' of \
                 non-numeric type {}",
                self.name(),
                shown_id(place.document),
                place.name(),
                type_of(current)
            ))),
        }
    }

    /// The value of a field that did not exist: the sum of nothing and the operand, or a product
    /// with zero.
    pub(super) fn initial(self, by: &Bson) -> Bson {
        match (self, by) {
            (Self::Add, by) => by.clone(),
            (Self::Multiply, Bson::Int64(_)) => Bson::Int64(0),
            // The product has the operand's type and, for a double, its sign.
            (Self::Multiply, Bson::Double(by)) => Bson::Double(0.0 * by),
            (Self::Multiply, Bson::Decimal128(by)) => {
                Bson::Decimal128(Decimal::from(0).times((*by).into()).into())
            }
            (Self::Multiply, _) => Bson::Int32(0),
        }
    }
}

/// Whether the value is a number of any type.
pub(super) fn is_number(value: &Bson) -> bool {
    matches!(value, Bson::Int32(_) | Bson::Int64(_) | Bson::Double(_) | Bson::Decimal128(_))
}

impl BitOp {
    pub(super) fn of(
        self,
        current: &Bson,
        mask: &Bson,
        place: ValueLocation<'_>,
    ) -> Result<Bson, QueryError> {
        let (Some(a), Some(b)) = (integer(current), integer(mask)) else {
            return Err(QueryError::bad_value(format!(
                "Cannot apply $bit to a value of non-integral type.{{{}}} has the field {} of \
                 non-integer type {}",
                shown_id(place.document),
                place.name(),
                type_of(current)
            )));
        };
        let result = match self {
            Self::And => a & b,
            Self::Or => a | b,
            Self::Xor => a ^ b,
        };
        let both_small = matches!((current, mask), (Bson::Int32(_), Bson::Int32(_)));
        Ok(match i32::try_from(result) {
            Ok(small) if both_small => Bson::Int32(small),
            _ => Bson::Int64(result),
        })
    }
}

/// A number with the name of its type.
fn shown_number(value: &Bson) -> String {
    match value {
        Bson::Int32(number) => format!("(NumberInt){number}"),
        Bson::Int64(number) => format!("(NumberLong){number}"),
        other => other.to_string(),
    }
}

fn double(value: &Bson) -> Option<f64> {
    match value {
        Bson::Double(n) => Some(*n),
        #[expect(clippy::cast_precision_loss, reason = "a sum with a double is a double")]
        _ => integer(value).map(|n| n as f64),
    }
}

fn decimal(value: &Bson) -> Option<Decimal> {
    match value {
        Bson::Decimal128(n) => Some((*n).into()),
        Bson::Double(n) => Some(Decimal::from_f64(*n)),
        _ => integer(value).map(Decimal::from),
    }
}
