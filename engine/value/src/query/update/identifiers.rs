//! `arrayFilters` and the `$[identifier]`s that they belong to.

use std::collections::{BTreeMap, BTreeSet};

use bson::raw::RawDocument;

use super::change::Change;
use super::path::Part;
use crate::{
    query::{Expr, Filter, QueryError},
    value::{Collation, Layout, shell},
};

/// Each array filter names one identifier, as the first part of its paths.
pub(super) fn parse(
    filters: &[&RawDocument],
    collation: Option<&Collation>,
) -> Result<BTreeMap<String, Expr>, QueryError> {
    let mut found = BTreeMap::new();
    for filter in filters {
        let expr = Filter::parse_in(filter, collation).map_err(in_filter)?.root().clone();
        let mut names = Vec::new();
        collect(&expr, &mut names);
        names.sort_unstable();
        names.dedup();
        let name = match names.as_slice() {
            [name] => name,
            [] => {
                return Err(QueryError::failed_to_parse(
                    "Cannot use an expression without a top-level field name in arrayFilters",
                ));
            }
            [first, second, ..] => {
                return Err(in_filter(QueryError::failed_to_parse(format!(
                    "Expected a single top-level field name, found '{first}' and '{second}'"
                ))));
            }
        };
        check_name(name)?;
        if found.insert(name.clone(), expr).is_some() {
            return Err(QueryError::failed_to_parse(format!(
                "Found multiple array filters with the same top-level field name {name}"
            )));
        }
    }
    Ok(found)
}

fn in_filter(mut error: QueryError) -> QueryError {
    error.message.insert_str(0, "Error parsing array filter :: caused by :: ");
    error
}

/// An identifier begins with a small letter and has only letters and digits.
fn check_name(name: &str) -> Result<(), QueryError> {
    let starts = name.bytes().next().is_some_and(|byte| byte.is_ascii_lowercase());
    if starts && name.bytes().all(|byte| byte.is_ascii_alphanumeric()) {
        return Ok(());
    }
    Err(in_filter(QueryError::bad_value(format!(
        "The top-level field name must be an alphanumeric string beginning with a lowercase \
         letter, found '{name}'"
    ))))
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
    update: &RawDocument,
) -> Result<(), QueryError> {
    let mut used = BTreeSet::new();
    for change in changes {
        for part in &change.path.parts {
            let Part::Filtered(name) = part else { continue };
            if !array_filters.contains_key(name) {
                return Err(QueryError::bad_value(format!(
                    "No array filter found for identifier '{name}' in path '{}'",
                    change.path.text
                )));
            }
            used.insert(name);
        }
    }
    match array_filters.keys().find(|name| !used.contains(name)) {
        Some(name) => Err(QueryError::failed_to_parse(format!(
            "The array filter for identifier '{name}' was not used in the update {}",
            shell::write_document(update, Layout::OneLine)
        ))),
        None => Ok(()),
    }
}
