//! Applies one operator to one value.

use std::cmp::Ordering;

use bson::{Bson, DateTime, Timestamp};

use super::arithmetic::{BitOp, Sum};
use super::array::{Pull, Push};
use super::value::{ValueLocation, order_in, shown_id, type_of};
use super::{UpdateContext, array};
use crate::query::QueryError;

/// An operator with its argument.
#[derive(Debug, Clone)]
pub(super) enum Action {
    Set(Bson),
    SetOnInsert(Bson),
    Unset,
    Sum(Sum, Bson),
    /// `$min` (smaller wins) or `$max` (larger wins).
    Extreme(Ordering, Bson),
    Rename(Vec<String>),
    /// The target of a rename: nothing else may touch it.
    Reserve,
    CurrentDate {
        timestamp: bool,
    },
    Push(Push),
    AddToSet(Vec<Bson>),
    Pull(Pull),
    PullAll(Vec<Bson>),
    Pop {
        first: bool,
    },
    Bit(Vec<(BitOp, Bson)>),
}

#[derive(Debug, Clone, PartialEq)]
pub(super) enum ValueChange {
    Keep,
    Set(Bson),
    Remove,
}

impl Action {
    /// Whether it takes elements from an array and makes nothing.
    pub(super) fn only_takes(&self) -> bool {
        matches!(self, Self::Pull(_) | Self::PullAll(_) | Self::Pop { .. })
    }

    /// `current` is the value at this place, if there is one.
    pub(super) fn outcome(
        &self,
        current: Option<&Bson>,
        place: ValueLocation<'_>,
        context: &UpdateContext<'_>,
    ) -> Result<ValueChange, QueryError> {
        let collation = context.collation;
        Ok(match self {
            Self::Set(value) | Self::SetOnInsert(value) => ValueChange::Set(value.clone()),
            Self::Unset if current.is_some() => ValueChange::Remove,
            Self::Unset | Self::Rename(_) | Self::Reserve => ValueChange::Keep,
            Self::Sum(sum, by) => ValueChange::Set(match current {
                Some(current) => sum.of(current, by, place)?,
                None => sum.initial(by),
            }),
            Self::Extreme(wins, value) => match current {
                Some(current) if order_in(value, current, collation)? != *wins => ValueChange::Keep,
                _ => ValueChange::Set(value.clone()),
            },
            Self::CurrentDate { timestamp } => ValueChange::Set(now(*timestamp, context.now_ms)),
            Self::Push(push) => {
                ValueChange::Set(Bson::Array(push.onto(pushed_on(current, place)?, collation)?))
            }
            Self::AddToSet(values) => {
                let elements = added_to(current, place)?;
                ValueChange::Set(Bson::Array(array::add_to_set(elements, values, collation)?))
            }
            Self::Pull(pull) => on_array(current, |item| pull.takes(item, collation))?,
            Self::PullAll(values) => {
                let values = array::Values::of(values, collation)?;
                on_array(current, |item| values.has_same(item))?
            }
            Self::Pop { first } => pop(current, *first, place)?,
            Self::Bit(steps) => {
                let mut value = current.cloned().unwrap_or(Bson::Int32(0));
                for (op, mask) in steps {
                    value = op.of(&value, mask, place)?;
                }
                ValueChange::Set(value)
            }
        })
    }
}

fn now(timestamp: bool, now_ms: i64) -> Bson {
    if timestamp {
        let time = u32::try_from(now_ms.div_euclid(1_000)).unwrap_or_default();
        Bson::Timestamp(Timestamp { time, increment: 1 })
    } else {
        Bson::DateTime(DateTime::from_millis(now_ms))
    }
}

fn pushed_on(current: Option<&Bson>, place: ValueLocation<'_>) -> Result<Vec<Bson>, QueryError> {
    elements(current, |other| {
        format!(
            "The field '{}' must be an array but is of type {} in document {{{}}}",
            place.dotted(),
            type_of(other),
            shown_id(place.document)
        )
    })
}

fn added_to(current: Option<&Bson>, place: ValueLocation<'_>) -> Result<Vec<Bson>, QueryError> {
    elements(current, |other| {
        format!(
            "Cannot apply $addToSet to non-array field. Field named '{}' has non-array type {}",
            place.name(),
            type_of(other)
        )
    })
}

fn elements(
    current: Option<&Bson>,
    refused: impl FnOnce(&Bson) -> String,
) -> Result<Vec<Bson>, QueryError> {
    match current {
        None => Ok(Vec::new()),
        Some(Bson::Array(elements)) => Ok(elements.clone()),
        Some(other) => Err(QueryError::bad_value(refused(other))),
    }
}

fn on_array(
    current: Option<&Bson>,
    takes: impl Fn(&Bson) -> Result<bool, QueryError>,
) -> Result<ValueChange, QueryError> {
    let Some(current) = current else { return Ok(ValueChange::Keep) };
    let Bson::Array(elements) = current else {
        return Err(QueryError::bad_value("Cannot apply $pull to a non-array value"));
    };
    let mut kept = Vec::with_capacity(elements.len());
    for element in elements {
        if !takes(element)? {
            kept.push(element.clone());
        }
    }
    Ok(ValueChange::Set(Bson::Array(kept)))
}

fn pop(
    current: Option<&Bson>,
    first: bool,
    place: ValueLocation<'_>,
) -> Result<ValueChange, QueryError> {
    match current {
        None => Ok(ValueChange::Keep),
        Some(Bson::Array(elements)) => {
            let mut elements = elements.clone();
            if first && !elements.is_empty() {
                elements.remove(0);
            } else {
                elements.pop();
            }
            Ok(ValueChange::Set(Bson::Array(elements)))
        }
        Some(other) => Err(QueryError::type_mismatch(format!(
            "Path '{}' contains an element of non-array type '{}'",
            place.dotted(),
            type_of(other)
        ))),
    }
}
