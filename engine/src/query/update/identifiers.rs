//! `arrayFilters` and the `$[identifier]`s that they belong to.

use std::collections::BTreeMap;

use bson::raw::RawDocument;

use super::{Change, path::Part};
use crate::query::{Expr, Filter, QueryError};

/// Each array filter names one identifier, as the first part of its paths.
pub(super) fn parse(filters: &[&RawDocument]) -> Result<BTreeMap<String, Expr>, QueryError> {
    let mut found = BTreeMap::new();
    for filter in filters {
        let expr = Filter::parse(filter)?.root().clone();
        let mut names = Vec::new();
        collect(&expr, &mut names);
        names.sort_unstable();
        names.dedup();
        let [name] = names.as_slice() else {
            return Err(QueryError::failed_to_parse(
                "Error parsing array filter: each one needs exactly one identifier as the first \
                 part of its paths",
            ));
        };
        if found.insert(name.clone(), expr).is_some() {
            return Err(QueryError::failed_to_parse(format!(
                "Found multiple array filters with the same top-level field name {name}"
            )));
        }
    }
    Ok(found)
}

fn collect(expr: &Expr, names: &mut Vec<String>) {
    match expr {
        Expr::And(parts) | Expr::Or(parts) | Expr::Nor(parts) => {
            for part in parts {
                collect(part, names);
            }
        }
        Expr::Not(part) => collect(part, names),
        Expr::Field { path, .. } => {
            names.extend(path.parts().first().map(|part| part.name.clone()));
        }
        Expr::True | Expr::False | Expr::Schema(_) | Expr::Expression(_) => {}
    }
}

/// Every identifier has its filter and every filter its use.
pub(super) fn check(
    changes: &[Change],
    array_filters: &BTreeMap<String, Expr>,
) -> Result<(), QueryError> {
    let parts = || changes.iter().flat_map(|change| &change.path.parts);
    for part in parts() {
        if let Part::Filtered(name) = part
            && !array_filters.contains_key(name)
        {
            return Err(QueryError::bad_value(format!(
                "No array filter found for identifier '{name}'"
            )));
        }
    }
    let is_used = |name: &String| parts().any(|part| *part == Part::Filtered(name.clone()));
    match array_filters.keys().find(|name| !is_used(name)) {
        Some(name) => Err(QueryError::failed_to_parse(format!(
            "The array filter for identifier '{name}' was not used in the update"
        ))),
        None => Ok(()),
    }
}
