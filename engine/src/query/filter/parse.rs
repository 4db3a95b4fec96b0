//! Filter documents to trees: the top level and its fields.

use std::sync::Arc;

use bson::raw::{RawBsonRef, RawDocument};

use super::{
    expr::{CompareOp, Expr, Test},
    operators::{Term, operators},
    pattern::Pattern,
    schema::Schema,
};
use crate::{
    query::{Expression, QueryError, VariableNames},
    value::{Path, scan::DEPTH_MAX},
};

/// Parses a whole filter.
///
/// `names` are the variables that `$expr` may name; `None` where `$expr` may not stand.
pub(super) fn filter(
    filter: &RawDocument,
    names: Option<&VariableNames>,
) -> Result<Expr, QueryError> {
    level(filter, 0, names)
}

/// Parses a filter that stands `depth` levels deep in another one.
pub(super) fn document(filter: &RawDocument, depth: usize) -> Result<Expr, QueryError> {
    level(filter, depth, None)
}

fn level(
    filter: &RawDocument,
    depth: usize,
    names: Option<&VariableNames>,
) -> Result<Expr, QueryError> {
    if depth > DEPTH_MAX {
        return Err(QueryError::bad_value(format!(
            "the filter is nested too deep; at most {DEPTH_MAX} levels are possible"
        )));
    }
    let mut parts = Vec::new();
    for element in filter {
        let (name, value) = element?;
        let name = name.as_str();
        if name.starts_with('$') {
            parts.extend(top_level(name, value, depth, names)?);
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
    names: Option<&VariableNames>,
) -> Result<Option<Expr>, QueryError> {
    let expr = match name {
        "$and" => all(list(name, value, depth, names)?),
        "$or" => Expr::Or(list(name, value, depth, names)?),
        "$nor" => Expr::Nor(list(name, value, depth, names)?),
        "$comment" => return Ok(None),
        "$alwaysTrue" => Expr::True,
        "$alwaysFalse" => Expr::False,
        "$expr" => {
            let names = names.ok_or_else(|| {
                QueryError::bad_value(
                    "$expr is not allowed in this context: it can only be applied to the \
                     top-level document of a query",
                )
            })?;
            Expr::Expression(Arc::new(Expression::parse(value, names)?))
        }
        "$where" => {
            return Err(QueryError::unsupported(
                "$where is not supported; write the condition with query operators",
            ));
        }
        "$jsonSchema" => Expr::Schema(Arc::new(Schema::parse(value)?)),
        "$text" | "$sampleRate" => {
            return Err(QueryError::unsupported(format!("{name} is not supported in a filter")));
        }
        _ => {
            return Err(QueryError::bad_value(format!(
                "unknown top level operator: {name}. A field whose name starts with '$' can't be \
                 named in a filter"
            )));
        }
    };
    Ok(Some(expr))
}

fn list(
    name: &str,
    value: RawBsonRef<'_>,
    depth: usize,
    names: Option<&VariableNames>,
) -> Result<Vec<Expr>, QueryError> {
    let nonempty = || QueryError::bad_value(format!("{name} must be a nonempty array"));
    let items = value.as_array().ok_or_else(nonempty)?;
    let mut parts = Vec::new();
    for item in items {
        let RawBsonRef::Document(item) = item? else {
            return Err(QueryError::bad_value("$or/$and/$nor entries need to be full objects"));
        };
        parts.push(level(item, depth + 1, names)?);
    }
    if parts.is_empty() { Err(nonempty()) } else { Ok(parts) }
}

fn field(name: &str, value: RawBsonRef<'_>, depth: usize) -> Result<Expr, QueryError> {
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
    first_name(document)
        .is_some_and(|name| name.starts_with('$') && !["$ref", "$id", "$db"].contains(&name))
}

/// The name of the first field.
pub(super) fn first_name(document: &RawDocument) -> Option<&str> {
    document.into_iter().next()?.ok().map(|(name, _)| name.as_str())
}
