//! `min` and `max`: a range of an index given as keys.

use bson::raw::RawDocument;

use super::{
    PlanError, PlanErrorKind,
    bounds::Bounds,
    choose::{Access, Hint, Plan, hinted, index_plan},
    range::Interval,
};
use crate::{
    catalog::{CollectionMeta, IndexMeta},
    query::Sort,
    value::key::KeyEncoder,
};

/// A half-open range of index keys.
#[derive(Debug, Clone, Copy, Default)]
pub struct KeyRange<'k> {
    /// `min`: the first key, inclusive.
    pub min: Option<&'k RawDocument>,
    /// `max`: the upper end, exclusive.
    pub max: Option<&'k RawDocument>,
}

impl KeyRange<'_> {
    /// Whether neither end is given.
    pub fn is_everything(&self) -> bool {
        self.min.is_none() && self.max.is_none()
    }
}

/// The plan for a range of the hinted index.
///
/// # Errors
/// `BoundsWithoutHint`, `BoundsOfOtherIndex`, `BoundsOutOfOrder`, `NoPlans` with `$natural`, and
/// `BadHint`.
pub fn choose_min_max(
    collection: &CollectionMeta,
    range: KeyRange<'_>,
    sort: Option<&Sort>,
    hint: Option<&Hint>,
) -> Result<Plan, PlanError> {
    let hint = match hint {
        None => {
            return Err(PlanError::new(
                PlanErrorKind::BoundsWithoutHint,
                "When using min()/max() a hint of which index to use must be provided",
            ));
        }
        Some(Hint::Natural(_)) => {
            return Err(PlanError::new(
                PlanErrorKind::NoPlans,
                "min and max are incompatible with $natural",
            ));
        }
        Some(hint) => hint,
    };
    let index = hinted(collection, hint, sort.and_then(Sort::collation))?;
    let lower = range.min.map(|key| key_of(index, key)).transpose()?.unwrap_or_default();
    let upper = range.max.map(|key| key_of(index, key)).transpose()?;
    if range.min.is_some() && upper.as_ref().is_some_and(|upper| *upper <= lower) {
        return Err(PlanError::new(
            PlanErrorKind::BoundsOutOfOrder,
            "The value provided for min() does not come before the value provided for max()",
        ));
    }
    let bounds = Bounds::of_interval(Interval { lower, upper }, &index.key);
    let plan = index_plan(index, bounds, sort);
    debug_assert!(matches!(plan.access, Access::Index { .. }), "a hinted index is used");
    Ok(plan)
}

/// The key with these values, which must be given for all fields of the index in order.
fn key_of(index: &IndexMeta, values: &RawDocument) -> Result<Vec<u8>, PlanError> {
    let other = || {
        PlanError::new(
            PlanErrorKind::BoundsOfOtherIndex,
            "The index chosen is not compatible with min/max",
        )
    };
    let mut encoder = KeyEncoder::of(index.collation.as_ref());
    let mut values = values.iter();
    for part in &index.key.parts {
        let (name, value) = values.next().and_then(Result::ok).ok_or_else(other)?;
        let direction = part.kind.direction().ok_or_else(other)?;
        if name.as_str() != part.path.as_str() {
            return Err(other());
        }
        encoder.push(Some(value), direction);
    }
    if values.next().is_some() {
        return Err(other());
    }
    // Without the hash of a truncated key, which has no order.
    Ok(encoder.finish().ordered().to_vec())
}
