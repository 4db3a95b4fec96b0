//! Positional parts of a path, made concrete on one document.

use std::collections::BTreeMap;

use bson::{Bson, Document};

use super::{
    path::{Part, UpdatePath},
    raw, shown, target,
};
use crate::query::{Expr, Filter, QueryError};

/// The concrete paths that a path stands for in this document.
pub(super) fn expand(
    path: &UpdatePath,
    document: &Document,
    array_filters: &BTreeMap<String, Expr>,
    filter: Option<&Filter>,
) -> Result<Vec<Vec<String>>, QueryError> {
    let mut paths: Vec<Vec<String>> = vec![Vec::new()];
    for part in &path.parts {
        if let Part::Name(name) = part {
            for path in &mut paths {
                path.push(name.clone());
            }
            continue;
        }
        if *part == Part::Matched {
            let position = matched_position(document, filter)?;
            for path in &mut paths {
                path.push(position.to_string());
            }
            continue;
        }
        let mut longer = Vec::new();
        for found in paths {
            let elements = match target::get(document, &found) {
                Some(Bson::Array(elements)) => elements,
                Some(other) => {
                    return Err(QueryError::bad_value(format!(
                        "Cannot apply array updates to non-array element {}",
                        shown(found.last().map_or("", String::as_str), other)
                    )));
                }
                None => {
                    return Err(QueryError::bad_value(format!(
                        "The path '{}' must exist in the document in order to apply array updates.",
                        found.join(".")
                    )));
                }
            };
            for (position, element) in elements.iter().enumerate() {
                if accepts(part, element, array_filters)? {
                    let mut next = found.clone();
                    next.push(position.to_string());
                    longer.push(next);
                }
            }
        }
        paths = longer;
    }
    Ok(paths)
}

/// Array filters see the element as the field that carries the identifier's name.
fn accepts(
    part: &Part,
    element: &Bson,
    array_filters: &BTreeMap<String, Expr>,
) -> Result<bool, QueryError> {
    let Part::Filtered(name) = part else { return Ok(true) };
    let mut carrier = Document::new();
    carrier.insert(name.clone(), element.clone());
    let carrier = raw(&carrier)?;
    array_filters.get(name).map_or(Ok(false), |filter| filter.matches(&carrier))
}

fn matched_position(document: &Document, filter: Option<&Filter>) -> Result<usize, QueryError> {
    let document = raw(document)?;
    let position = filter.map(|filter| filter.root().matched_position(&document)).transpose()?;
    position.flatten().ok_or_else(|| {
        QueryError::bad_value(
            "The positional operator did not find the match needed from the query.",
        )
    })
}
