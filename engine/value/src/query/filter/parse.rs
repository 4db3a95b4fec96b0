//! Filter documents to trees: the top level and its fields.

use std::sync::Arc;

use bson::{
    raw::{RawBsonRef, RawDocument},
    rawdoc,
};

use super::{
    expr::{CompareOp, Expr, Test},
    integer::integer,
    number::as_double,
    operators::{Term, operators},
    pattern::Pattern,
    schema::Schema,
};
use crate::{
    query::{Code, Expression, QueryError, VariableNames},
    value::{Path, is_reserved_name, scan::DEPTH_MAX},
};

/// The context of a part of a filter; `$expr` and its like are not allowed in all of them.
#[derive(Clone, Copy)]
pub(super) enum FilterContext<'n> {
    /// At the top of a query, whose expressions may name these variables.
    Query(&'n VariableNames),
    /// At the top of a filter that may not fail on a document.
    Plain,
    /// Inside `$elemMatch`.
    Inside,
}

/// Parses a whole filter.
pub(super) fn filter(filter: &RawDocument, place: FilterContext<'_>) -> Result<Expr, QueryError> {
    level(filter, 0, place)
}

/// Parses a filter for elements of an array, `depth` levels deep in another filter.
pub(super) fn document(filter: &RawDocument, depth: usize) -> Result<Expr, QueryError> {
    level(filter, depth, FilterContext::Inside)
}

/// Refuses a filter nested deeper than a document can be.
pub(super) fn check_depth(depth: usize) -> Result<(), QueryError> {
    if depth > DEPTH_MAX {
        return Err(QueryError::bad_value(format!(
            "exceeded maximum query tree depth of {DEPTH_MAX}"
        )));
    }
    Ok(())
}

fn level(filter: &RawDocument, depth: usize, place: FilterContext<'_>) -> Result<Expr, QueryError> {
    check_depth(depth)?;
    let mut parts = Vec::new();
    for element in filter {
        let (name, value) = element?;
        let name = name.as_str();
        // A DBRef is looked into field by field, so its names are those of fields here too.
        if is_reserved_name(name) {
            parts.extend(top_level(name, value, depth, place)?);
        } else {
            parts.push(field(name, value, depth)?);
        }
    }
    Ok(all(parts))
}

/// The conjunction of the parts.
fn all(mut parts: Vec<Expr>) -> Expr {
    match parts.len() {
        0 => Expr::True,
        1 => parts.swap_remove(0),
        _ => Expr::And(parts),
    }
}

fn top_level(
    name: &str,
    value: RawBsonRef<'_>,
    depth: usize,
    place: FilterContext<'_>,
) -> Result<Option<Expr>, QueryError> {
    let expr = match name {
        "$and" => all(list(name, value, depth, place)?),
        "$or" => Expr::Or(list(name, value, depth, place)?),
        "$nor" => Expr::Nor(list(name, value, depth, place)?),
        "$comment" => return Ok(None),
        "$alwaysTrue" => constant(name, value, Expr::True)?,
        "$alwaysFalse" => constant(name, value, Expr::False)?,
        "$expr" => expression(name, value, place)?,
        "$sampleRate" => sample(value, place)?,
        "$where" if matches!(place, FilterContext::Inside) => return Err(only_at_top(name)),
        "$where" => {
            return Err(QueryError::new(
                Code::NOT_SUPPORTED,
                "$where is not supported; write the condition with query operators",
            )
            .or_elsewhere(Code::BAD_VALUE));
        }
        "$jsonSchema" => Expr::Schema(Arc::new(Schema::parse(value)?)),
        "$text" => {
            return Err(QueryError::new(
                Code::NOT_SUPPORTED,
                "$text is not supported: there are no text indexes; use $regex",
            )
            .or_elsewhere(Code::BAD_VALUE));
        }
        "$not" => {
            return Err(QueryError::bad_value(
                "unknown top level operator: $not. If you are trying to negate an entire \
                 expression, use $nor.",
            ));
        }
        _ => {
            return Err(QueryError::bad_value(format!(
                "unknown top level operator: {name}. If you have a field name that starts with a \
                 '$' symbol, consider using $getField or $setField."
            )));
        }
    };
    Ok(Some(expr))
}

fn only_at_top(name: &str) -> QueryError {
    QueryError::bad_value(format!("{name} can only be applied to the top-level document"))
}

fn expression(
    name: &str,
    value: RawBsonRef<'_>,
    place: FilterContext<'_>,
) -> Result<Expr, QueryError> {
    match place {
        FilterContext::Query(names) => {
            Ok(Expr::Expression(Arc::new(Expression::parse(value, names)?)))
        }
        FilterContext::Inside => Err(only_at_top(name)),
        FilterContext::Plain => Err(QueryError::new(
            Code::QUERY_FEATURE_NOT_ALLOWED,
            format!("{name} is not allowed in this context"),
        )),
    }
}

/// `$sampleRate` is a condition on a random number.
fn sample(value: RawBsonRef<'_>, place: FilterContext<'_>) -> Result<Expr, QueryError> {
    if matches!(place, FilterContext::Inside) {
        return Err(only_at_top("$sampleRate"));
    }
    let rate = as_double(value)
        .ok_or_else(|| QueryError::bad_value("argument to $sampleRate must be a numeric type"))?;
    if !(0.0..=1.0).contains(&rate) {
        return Err(QueryError::bad_value("numeric argument to $sampleRate must be in [0, 1]"));
    }
    if rate == 0.0 {
        return Ok(Expr::False);
    }
    if rate >= 1.0 {
        return Ok(Expr::True);
    }
    let condition = rawdoc! { "$lt": [{ "$rand": {} }, rate] };
    expression("$sampleRate", RawBsonRef::Document(&condition), place)
}

fn constant(name: &str, value: RawBsonRef<'_>, expr: Expr) -> Result<Expr, QueryError> {
    match integer(name, value) {
        Ok(1) => Ok(expr),
        Ok(_) => Err(QueryError::failed_to_parse(format!("{name} must be an integer value of 1"))),
        Err(reason) => Err(QueryError::failed_to_parse(reason)),
    }
}

fn list(
    name: &str,
    value: RawBsonRef<'_>,
    depth: usize,
    place: FilterContext<'_>,
) -> Result<Vec<Expr>, QueryError> {
    let items = value
        .as_array()
        .ok_or_else(|| QueryError::bad_value(format!("{name} must be an array")))?;
    let mut parts = Vec::new();
    for item in items {
        let RawBsonRef::Document(item) = item? else {
            return Err(QueryError::bad_value("$or/$and/$nor entries need to be full objects"));
        };
        parts.push(level(item, depth + 1, place)?);
    }
    if parts.is_empty() {
        return Err(QueryError::bad_value("$and/$or/$nor must be a nonempty array"));
    }
    Ok(parts)
}

fn field(name: &str, value: RawBsonRef<'_>, depth: usize) -> Result<Expr, QueryError> {
    if name.split('.').count() > DEPTH_MAX {
        return Err(QueryError::new(5729100, "FieldPath is too long"));
    }
    let path = Path::parse_any(name).map_err(|error| QueryError::bad_value(error.to_string()))?;
    let terms = match value {
        RawBsonRef::RegularExpression(regex) => {
            let pattern = Pattern::new(regex.pattern.as_str(), regex.options.as_str())?;
            vec![Term::Is(Test::Regex(pattern))]
        }
        RawBsonRef::Document(inner) if is_operators(inner) => operators(name, inner, depth + 1)?,
        RawBsonRef::Undefined => return Err(QueryError::bad_value("cannot compare to undefined")),
        _ => vec![Term::Is(Test::Compare { op: CompareOp::Eq, value: value.into() })],
    };
    Ok(on_path(&path, terms))
}

fn on_path(path: &Path, terms: Vec<Term>) -> Expr {
    let part = |term| match term {
        Term::Is(test) => Expr::Field { path: path.clone(), test },
        Term::NotAll(terms) => Expr::Not(Box::new(on_path(path, terms))),
    };
    all(terms.into_iter().map(part).collect())
}

/// Whether a field's document holds operators, and is not a value to be equal to. A `DBRef` is a
/// value although its names start with `$`.
pub(crate) fn is_operators(document: &RawDocument) -> bool {
    first_name(document).is_some_and(is_reserved_name)
}

/// Whether a field's document is an expression, and does not hold fields to compute. An expression
/// can't be a `DBRef`, so its names count too.
pub(crate) fn is_expression(document: &RawDocument) -> bool {
    first_name(document).is_some_and(|name| name.starts_with('$'))
}

/// The name of the first field.
pub(super) fn first_name(document: &RawDocument) -> Option<&str> {
    document.into_iter().next()?.ok().map(|(name, _)| name.as_str())
}
