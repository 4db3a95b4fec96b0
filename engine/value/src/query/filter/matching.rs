//! Whether a document passes a filter's tree.

use std::{cmp::Ordering, ops::ControlFlow};

use bson::raw::{RawArray, RawBson, RawBsonRef, RawDocument};

use super::{
    expr::{CompareOp, Expr, Test},
    number::{is_nan, truncated},
};
use crate::{
    interrupt,
    query::{Context, QueryError, Scope},
    value::{
        Candidate,
        collation::{Simple, TextOrder},
        compare,
        order::compare_by,
        type_rank,
    },
};

/// Parts of a filter between two looks whether the operation has to end: each may walk a long
/// array.
const PARTS_PER_TICK: usize = 8;

impl Expr {
    /// Whether the document passes a tree without `$expr`.
    ///
    /// # Errors
    /// As [`super::Filter::matches_in`].
    pub fn matches(&self, document: &RawDocument) -> Result<bool, QueryError> {
        self.passes(document, None)
    }

    /// Whether the document passes. Evaluation stops at the part that decides.
    pub(super) fn passes(
        &self,
        document: &RawDocument,
        context: Option<&Context>,
    ) -> Result<bool, QueryError> {
        let passes = |part: &Self| part.passes(document, context);
        Ok(match self {
            Self::True => true,
            Self::False => false,
            Self::And(parts) => all(parts, passes)?,
            Self::Or(parts) => any(parts, passes)?,
            Self::Nor(parts) => !any(parts, passes)?,
            Self::Not(part) => !part.passes(document, context)?,
            Self::Schema(schema) => schema.matches(document)?,
            Self::Expression(expression) => {
                let Some(context) = context else {
                    return Err(QueryError::bad_value("$expr is not allowed in this context"));
                };
                expression.evaluate(&Scope::new(document, context))?.is_true()
            }
            Self::Field { path, test } => {
                let decided =
                    path.match_values(document, &mut |candidate| match test.accepts(candidate) {
                        Ok(false) => ControlFlow::Continue(()),
                        decided => ControlFlow::Break(decided),
                    });
                decided.break_value().unwrap_or(Ok(false))?
            }
        })
    }

    /// Whether it contains an `$expr`.
    pub(super) fn has_expression(&self) -> bool {
        match self {
            Self::Expression(_) => true,
            Self::And(parts) | Self::Or(parts) | Self::Nor(parts) => {
                parts.iter().any(Self::has_expression)
            }
            Self::Not(part) => part.has_expression(),
            Self::True | Self::False | Self::Schema(_) | Self::Field { .. } => false,
        }
    }
}

impl Test {
    /// `$in` of these.
    pub(super) fn among(mut values: Vec<RawBson>, patterns: Vec<super::Pattern>) -> Self {
        values.sort_by(|a, b| compare(a.as_raw_bson_ref(), b.as_raw_bson_ref()));
        Self::In { values, patterns }
    }

    /// Whether a candidate of a path passes. `$size` and `$elemMatch` look at the array itself,
    /// all others also at its elements.
    fn accepts(&self, candidate: Candidate<'_>) -> Result<bool, QueryError> {
        let whole_only =
            matches!(self, Self::Size(_) | Self::ElemMatchDocument(_) | Self::ElemMatchValue(_));
        if whole_only && candidate.in_array {
            return Ok(false);
        }
        match candidate.value {
            Some(value) => self.holds(value),
            None => Ok(self.holds_for_missing()),
        }
    }

    /// Whether this one value passes; arrays are taken as they are.
    ///
    /// # Errors
    /// As [`super::Filter::matches_in`].
    pub fn holds(&self, value: RawBsonRef<'_>) -> Result<bool, QueryError> {
        Ok(match self {
            Self::Compare { .. } | Self::In { .. } => self.holds_by(value, &Simple)?,
            Self::Collated(collated) => collated.test.holds_by(value, &collated.collation)?,
            Self::Exists => true,
            Self::Type(types) => types.contains(value),
            Self::Regex(pattern) => matches_pattern(pattern, value)?,
            Self::ElemMatchDocument(_) | Self::ElemMatchValue(_) => match value.as_array() {
                Some(array) => self.matching_element(array)?.is_some(),
                None => false,
            },
            Self::Size(size) => value.as_array().is_some_and(|array| {
                usize::try_from(*size).is_ok_and(|size| array.into_iter().count() == size)
            }),
            Self::Mod { divisor, remainder } => {
                truncated(value).is_some_and(|n| n.wrapping_rem(*divisor) == *remainder)
            }
            Self::Bits(bits) => bits.holds(value),
            Self::NotAll(tests) => !all(tests, |test| test.holds(value))?,
        })
    }

    /// The comparisons, with this order of text.
    fn holds_by(&self, value: RawBsonRef<'_>, text: &impl TextOrder) -> Result<bool, QueryError> {
        match self {
            Self::Compare { op, value: with } => {
                Ok(compares(value, *op, with.as_raw_bson_ref(), text))
            }
            Self::In { values, patterns } => Ok(is_among(value, values, text)
                || any(patterns, |pattern| matches_pattern(pattern, value))?),
            _ => Ok(false),
        }
    }

    /// Position and value of the first element that `$elemMatch`, or any other test, accepts.
    ///
    /// # Errors
    /// As [`super::Filter::matches_in`].
    pub(crate) fn matching_element<'a>(
        &self,
        array: &'a RawArray,
    ) -> Result<Option<(usize, RawBsonRef<'a>)>, QueryError> {
        let accepts = |element: RawBsonRef<'_>| match self {
            Self::ElemMatchDocument(expr) => {
                let document = match element {
                    RawBsonRef::Document(document) => Some(document),
                    RawBsonRef::Array(inner) => RawDocument::from_bytes(inner.as_bytes()).ok(),
                    _ => None,
                };
                document.map_or(Ok(false), |document| expr.matches(document))
            }
            Self::ElemMatchValue(tests) => all(tests, |test| test.holds(element)),
            _ => self.holds(element),
        };
        for (position, element) in array.into_iter().map_while(Result::ok).enumerate() {
            if accepts(element)? {
                return Ok(Some((position, element)));
            }
        }
        Ok(None)
    }

    fn holds_for_missing(&self) -> bool {
        match self {
            Self::Compare { op, value } => matches!(
                (op, value),
                (CompareOp::Eq | CompareOp::Gte | CompareOp::Lte, RawBson::Null)
                    | (CompareOp::Gt | CompareOp::Gte, RawBson::MinKey)
                    | (CompareOp::Lt | CompareOp::Lte, RawBson::MaxKey)
            ),
            // Text is never null, so its order does not matter.
            Self::In { values, .. } => is_among(RawBsonRef::Null, values, &Simple),
            Self::Collated(collated) => collated.test.holds_for_missing(),
            _ => false,
        }
    }
}

/// Whether a value is equal to one of these, which are in order: equality is the same in both,
/// NaN's too.
fn is_among(value: RawBsonRef<'_>, values: &[RawBson], text: &impl TextOrder) -> bool {
    values.binary_search_by(|with| compare_by(with.as_raw_bson_ref(), value, text)).is_ok()
}

/// Whether `{field: wanted}` matches a field with this value that is not an array.
pub fn is_equal(value: RawBsonRef<'_>, wanted: RawBsonRef<'_>) -> bool {
    compares(value, CompareOp::Eq, wanted, &Simple)
}

/// Compares with MongoDB's type bracketing: values of different classes are never in order, except
/// that everything is between `MinKey` and `MaxKey`; NaN is equal to NaN and to nothing else.
fn compares(
    value: RawBsonRef<'_>,
    op: CompareOp,
    with: RawBsonRef<'_>,
    text: &impl TextOrder,
) -> bool {
    if type_rank(value) != type_rank(with) {
        return match with {
            RawBsonRef::MinKey => matches!(op, CompareOp::Gt | CompareOp::Gte),
            RawBsonRef::MaxKey => matches!(op, CompareOp::Lt | CompareOp::Lte),
            _ => false,
        };
    }
    if is_nan(value) || is_nan(with) {
        let both = is_nan(value) && is_nan(with);
        return both && !matches!(op, CompareOp::Gt | CompareOp::Lt);
    }
    let order = compare_by(value, with, text);
    match op {
        CompareOp::Eq => order == Ordering::Equal,
        CompareOp::Gt => order == Ordering::Greater,
        CompareOp::Gte => order != Ordering::Less,
        CompareOp::Lt => order == Ordering::Less,
        CompareOp::Lte => order != Ordering::Greater,
    }
}

/// Text is matched; a stored regular expression matches when it is written the same way.
fn matches_pattern(pattern: &super::Pattern, value: RawBsonRef<'_>) -> Result<bool, QueryError> {
    match value {
        RawBsonRef::String(text) | RawBsonRef::Symbol(text) => pattern.is_match(text),
        RawBsonRef::RegularExpression(stored) => Ok(stored.pattern.as_str() == pattern.source()
            && stored.options.as_str() == pattern.options()),
        _ => Ok(false),
    }
}

/// Whether one of them holds. Stops at the first that does.
pub(super) fn any<T>(
    items: impl IntoIterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<bool, QueryError>,
) -> Result<bool, QueryError> {
    for (at, item) in items.into_iter().enumerate() {
        if at % PARTS_PER_TICK == PARTS_PER_TICK - 1 {
            interrupt::tick()?;
        }
        if holds(item)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether all of them hold. Stops at the first that does not.
pub(super) fn all<T>(
    items: impl IntoIterator<Item = T>,
    mut holds: impl FnMut(T) -> Result<bool, QueryError>,
) -> Result<bool, QueryError> {
    Ok(!any(items, |item| holds(item).map(|holds| !holds))?)
}
