//! `$push`, `$addToSet`, `$pull`.

use std::cmp::Ordering;

use bson::{
    Bson, Document,
    raw::{RawBson, RawDocumentBuf, cstr},
};

use super::arithmetic::is_number;
use super::target;
use super::value::{order_in, raw};
use crate::{
    interrupt,
    query::{Expr, QueryError},
    value::{Collation, compare_in},
};

/// `$push` with its modifiers.
#[derive(Debug, Clone, Default)]
pub(super) struct Push {
    pub(super) values: Vec<Bson>,
    /// From the start, or from the end if negative; at the end if missing.
    pub(super) position: Option<i64>,
    /// The first, or the last if negative.
    pub(super) slice: Option<i64>,
    pub(super) sort: Option<PushSort>,
}

/// `$sort` of `$push`.
#[derive(Debug, Clone)]
pub(super) enum PushSort {
    /// By the whole element; true = ascending.
    Whole(bool),
    Fields(Vec<(Vec<String>, bool)>),
}

/// The elements that `$pull` removes.
#[derive(Debug, Clone)]
pub(super) enum Pull {
    /// Elements that pass as the field with the empty name: an array also by one of its elements.
    Values(Expr),
    Documents(Expr),
    Value(Bson),
}

impl Push {
    pub(super) fn onto(
        &self,
        mut elements: Vec<Bson>,
        collation: Option<&Collation>,
    ) -> Result<Vec<Bson>, QueryError> {
        let count = elements.len();
        let distance = |n: i64| usize::try_from(n.unsigned_abs()).unwrap_or(usize::MAX);
        let at = match self.position {
            None => count,
            Some(n) if n < 0 => count.saturating_sub(distance(n)),
            Some(n) => distance(n).min(count),
        };
        elements.splice(at..at, self.values.iter().cloned());
        if let Some(sort) = &self.sort {
            sort.apply(&mut elements, collation)?;
        }
        match self.slice {
            Some(n) if n < 0 => {
                elements.drain(..elements.len().saturating_sub(distance(n)));
            }
            Some(n) => elements.truncate(distance(n)),
            None => {}
        }
        Ok(elements)
    }
}

impl PushSort {
    fn apply(
        &self,
        elements: &mut Vec<Bson>,
        collation: Option<&Collation>,
    ) -> Result<(), QueryError> {
        let mut keyed = Vec::with_capacity(elements.len());
        for element in elements.drain(..) {
            interrupt::tick()?;
            keyed.push((self.key(&element)?, element));
        }
        keyed.sort_by(|(a, _), (b, _)| self.order(a, b, collation));
        elements.extend(keyed.into_iter().map(|(_, element)| element));
        Ok(())
    }

    /// The parts of an element that `$sort` compares.
    fn key(&self, element: &Bson) -> Result<Vec<RawBson>, QueryError> {
        match self {
            Self::Whole(_) => Ok(vec![RawBson::try_from(element.clone())?]),
            Self::Fields(fields) => {
                let field = |(path, _): &(Vec<String>, bool)| {
                    let value = element.as_document().and_then(|inner| target::get(inner, path));
                    Ok(RawBson::try_from(value.cloned().unwrap_or(Bson::Null))?)
                };
                fields.iter().map(field).collect()
            }
        }
    }

    fn order(&self, a: &[RawBson], b: &[RawBson], collation: Option<&Collation>) -> Ordering {
        let ups: &mut dyn Iterator<Item = bool> = match self {
            Self::Whole(up) => &mut std::iter::once(*up),
            Self::Fields(fields) => &mut fields.iter().map(|(_, up)| *up),
        };
        let of_pair = |((a, b), up): ((&RawBson, &RawBson), bool)| {
            let order = in_order(a, b, collation);
            if up { order } else { order.reverse() }
        };
        a.iter().zip(b).zip(ups).map(of_pair).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }
}

impl Pull {
    pub(super) fn takes(
        &self,
        element: &Bson,
        collation: Option<&Collation>,
    ) -> Result<bool, QueryError> {
        match self {
            Self::Values(expr) => {
                let mut carrier = RawDocumentBuf::new();
                carrier.append(cstr!(""), RawBson::try_from(element.clone())?);
                expr.matches(&carrier)
            }
            Self::Documents(expr) => match element {
                Bson::Document(inner) => expr.matches(&raw(inner)?),
                _ => Ok(false),
            },
            Self::Value(value) => Ok(order_in(value, element, collation)?.is_eq()),
        }
    }
}

/// Appends those values that are not there yet.
pub(super) fn add_to_set(
    mut elements: Vec<Bson>,
    values: &[Bson],
    collation: Option<&Collation>,
) -> Result<Vec<Bson>, QueryError> {
    let present = Values::of(&elements, collation)?;
    let mut new: Vec<(RawBson, usize)> = Vec::with_capacity(values.len());
    for (place, value) in values.iter().enumerate() {
        let value = RawBson::try_from(value.clone())?;
        if !present.has(&value) {
            new.push((value, place));
        }
    }
    // Of equal ones the first.
    new.sort_by(|(a, at), (b, other)| in_order(a, b, collation).then(at.cmp(other)));
    new.dedup_by(|(a, _), (b, _)| in_order(a, b, collation).is_eq());
    new.sort_unstable_by_key(|(_, place)| *place);
    elements.extend(new.iter().filter_map(|(_, place)| values.get(*place).cloned()));
    Ok(elements)
}

/// Values among which many are looked for.
pub(super) struct Values<'c> {
    values: Vec<RawBson>,
    collation: Option<&'c Collation>,
}

impl<'c> Values<'c> {
    pub(super) fn of(
        values: &[Bson],
        collation: Option<&'c Collation>,
    ) -> Result<Self, QueryError> {
        let raw: Result<Vec<_>, _> = values.iter().cloned().map(RawBson::try_from).collect();
        let mut raw = raw?;
        raw.sort_by(|a, b| in_order(a, b, collation));
        Ok(Self { values: raw, collation })
    }

    pub(super) fn has_same(&self, wanted: &Bson) -> Result<bool, QueryError> {
        Ok(self.has(&RawBson::try_from(wanted.clone())?))
    }

    fn has(&self, wanted: &RawBson) -> bool {
        let order = |value: &RawBson| in_order(value, wanted, self.collation);
        self.values.binary_search_by(order).is_ok()
    }
}

fn in_order(a: &RawBson, b: &RawBson, collation: Option<&Collation>) -> Ordering {
    compare_in(a.as_raw_bson_ref(), b.as_raw_bson_ref(), collation)
}

/// The dotted path of a sort field.
pub(super) fn sort_path(text: &str) -> Vec<String> {
    text.split('.').map(str::to_owned).collect()
}

/// Reads `$sort` of `$push`.
pub(super) fn parse_sort(argument: &Bson) -> Result<PushSort, QueryError> {
    let direction = |value: &Bson| match value {
        Bson::Int32(1) | Bson::Int64(1) | Bson::Double(1.0) => Ok(true),
        Bson::Int32(-1) | Bson::Int64(-1) | Bson::Double(-1.0) => Ok(false),
        _ => Err(QueryError::bad_value("The $sort element value must be either 1 or -1")),
    };
    match argument {
        Bson::Document(fields) if fields.is_empty() => Err(QueryError::bad_value(
            "The $sort pattern is empty when it should be a set of fields.",
        )),
        Bson::Document(fields) => fields_of(fields, direction).map(PushSort::Fields),
        number if is_number(number) => direction(number).map(PushSort::Whole),
        _ => Err(QueryError::bad_value(
            "The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort \
             embedded fields",
        )),
    }
}

fn fields_of(
    fields: &Document,
    direction: impl Fn(&Bson) -> Result<bool, QueryError>,
) -> Result<Vec<(Vec<String>, bool)>, QueryError> {
    let path = |name: &str| {
        if name.is_empty() {
            return Err(QueryError::bad_value("The $sort field cannot be empty"));
        }
        let path = sort_path(name);
        if path.iter().any(String::is_empty) {
            return Err(QueryError::bad_value(format!(
                "The $sort field is a dotted field but has an empty part: {name}"
            )));
        }
        Ok(path)
    };
    fields.iter().map(|(name, value)| Ok((path(name)?, direction(value)?))).collect()
}
