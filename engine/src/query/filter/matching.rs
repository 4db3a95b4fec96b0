//! Whether a document passes a filter's tree.

use std::{cmp::Ordering, ops::ControlFlow};

use bson::raw::{RawArray, RawBson, RawBsonRef, RawDocument};

use super::{
    expr::{CompareOp, Expr, Test},
    number::{is_nan, truncated},
};
use crate::{
    query::{Context, QueryError, Scope},
    value::{Candidate, compare, type_rank},
};

impl Expr {
    /// Whether the document passes a tree without `$expr`; one with it passes nothing.
    #[must_use]
    pub fn matches(&self, document: &RawDocument) -> bool {
        self.passes(document, None).unwrap_or(false)
    }

    /// Whether the document passes. Only an expression can fail. Parts behind the one that decides
    /// are not looked at.
    pub(super) fn passes(
        &self,
        document: &RawDocument,
        context: Option<&Context>,
    ) -> Result<bool, QueryError> {
        let first = |parts: &[Self], wanted: bool| -> Result<bool, QueryError> {
            for part in parts {
                if part.passes(document, context)? == wanted {
                    return Ok(true);
                }
            }
            Ok(false)
        };
        Ok(match self {
            Self::True => true,
            Self::False => false,
            Self::And(parts) => !first(parts, false)?,
            Self::Or(parts) => first(parts, true)?,
            Self::Nor(parts) => !first(parts, true)?,
            Self::Not(part) => !part.passes(document, context)?,
            Self::Schema(schema) => schema.matches(document),
            Self::Expression(expression) => {
                let Some(context) = context else {
                    return Err(QueryError::bad_value("$expr is not allowed in this context"));
                };
                expression.evaluate(&Scope::new(document, context))?.is_true()
            }
            Self::Field { path, test } => path
                .match_values(document, &mut |candidate| {
                    if test.accepts(candidate) {
                        ControlFlow::Break(())
                    } else {
                        ControlFlow::Continue(())
                    }
                })
                .is_break(),
        })
    }

    /// Whether an `$expr` stands in it.
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
    fn accepts(&self, candidate: Candidate<'_>) -> bool {
        let whole_only =
            matches!(self, Self::Size(_) | Self::ElemMatchDocument(_) | Self::ElemMatchValue(_));
        if whole_only && candidate.in_array {
            return false;
        }
        match candidate.value {
            Some(value) => self.holds(value),
            None => self.holds_for_missing(),
        }
    }

    /// Whether this one value passes; arrays are taken as they are.
    #[must_use]
    pub fn holds(&self, value: RawBsonRef<'_>) -> bool {
        match self {
            Self::Compare { op, value: with } => compares(value, *op, with.as_raw_bson_ref()),
            Self::In { values, patterns } => {
                is_among(value, values) || patterns.iter().any(|p| matches_pattern(p, value))
            }
            Self::Exists => true,
            Self::Type(types) => types.contains(value),
            Self::Regex(pattern) => matches_pattern(pattern, value),
            Self::ElemMatchDocument(_) | Self::ElemMatchValue(_) => {
                value.as_array().is_some_and(|array| self.matching_element(array).is_some())
            }
            Self::Size(size) => value.as_array().is_some_and(|array| {
                usize::try_from(*size).is_ok_and(|size| array.into_iter().count() == size)
            }),
            Self::Mod { divisor, remainder } => {
                truncated(value).is_some_and(|n| n.wrapping_rem(*divisor) == *remainder)
            }
            Self::Bits(bits) => bits.holds(value),
            Self::NotAll(tests) => !tests.iter().all(|test| test.holds(value)),
        }
    }

    /// Position and value of the first element that `$elemMatch`, or any other test, accepts.
    pub(crate) fn matching_element<'a>(
        &self,
        array: &'a RawArray,
    ) -> Option<(usize, RawBsonRef<'a>)> {
        let accepts = |element: RawBsonRef<'_>| match self {
            Self::ElemMatchDocument(expr) => {
                let document = match element {
                    RawBsonRef::Document(document) => Some(document),
                    RawBsonRef::Array(inner) => RawDocument::from_bytes(inner.as_bytes()).ok(),
                    _ => None,
                };
                document.is_some_and(|document| expr.matches(document))
            }
            Self::ElemMatchValue(tests) => tests.iter().all(|test| test.holds(element)),
            _ => self.holds(element),
        };
        array.into_iter().map_while(Result::ok).enumerate().find(|(_, element)| accepts(*element))
    }

    fn holds_for_missing(&self) -> bool {
        match self {
            Self::Compare { op, value } => matches!(
                (op, value),
                (CompareOp::Eq | CompareOp::Gte | CompareOp::Lte, RawBson::Null)
                    | (CompareOp::Gt | CompareOp::Gte, RawBson::MinKey)
                    | (CompareOp::Lt | CompareOp::Lte, RawBson::MaxKey)
            ),
            Self::In { values, .. } => is_among(RawBsonRef::Null, values),
            _ => false,
        }
    }
}

/// Whether a value is equal to one of these, which are in order: equality is the same in both, NaN's too.
fn is_among(value: RawBsonRef<'_>, values: &[RawBson]) -> bool {
    values.binary_search_by(|with| compare(with.as_raw_bson_ref(), value)).is_ok()
}

/// Whether `{field: wanted}` matches a field with this value that is no array.
#[must_use]
pub fn is_equal(value: RawBsonRef<'_>, wanted: RawBsonRef<'_>) -> bool {
    compares(value, CompareOp::Eq, wanted)
}

/// Compares with MongoDB's type bracketing: values of different classes are never in order, except
/// that everything lies between `MinKey` and `MaxKey`; NaN is equal to NaN and to nothing else.
fn compares(value: RawBsonRef<'_>, op: CompareOp, with: RawBsonRef<'_>) -> bool {
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
    let order = compare(value, with);
    match op {
        CompareOp::Eq => order == Ordering::Equal,
        CompareOp::Gt => order == Ordering::Greater,
        CompareOp::Gte => order != Ordering::Less,
        CompareOp::Lt => order == Ordering::Less,
        CompareOp::Lte => order != Ordering::Greater,
    }
}

/// Text is matched; a stored regular expression matches when it is written the same way.
fn matches_pattern(pattern: &super::Pattern, value: RawBsonRef<'_>) -> bool {
    match value {
        RawBsonRef::String(text) | RawBsonRef::Symbol(text) => pattern.is_match(text),
        RawBsonRef::RegularExpression(stored) => {
            stored.pattern.as_str() == pattern.source()
                && stored.options.as_str() == pattern.options()
        }
        _ => false,
    }
}
