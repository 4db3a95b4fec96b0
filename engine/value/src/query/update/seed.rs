//! The document that an upsert starts from.

use std::{collections::BTreeSet, ops::Bound};

use bson::{Bson, Document, raw::RawBson};

use super::target::{self, Growth};
use crate::query::{Code, CompareOp, Expr, Filter, QueryError, Test};

/// The fields that the filter fixes by equality, or only the whole `_id`, as
/// `populateDocumentWithQueryFields` in MongoDB's `update_driver.cpp`.
pub(super) fn document(filter: &Filter, only_id: bool) -> Result<Document, QueryError> {
    let mut found = Vec::new();
    collect(filter.root(), &mut found);
    if only_id {
        found.retain(|(path, _)| path.split('.').next() == Some("_id"));
        if let Some((path, _)) = found.iter().find(|(path, _)| *path != "_id") {
            return Err(QueryError::new(
                Code::NOT_EXACT_VALUE_FIELD,
                format!(
                    "field at '_id' must be exactly specified, field at sub-path '{path}'found"
                ),
            ));
        }
    }
    let (mut seed, mut growth) = (Document::new(), Growth::default());
    let mut taken = BTreeSet::new();
    for (path, value) in found {
        let parts: Vec<String> = path.split('.').map(str::to_owned).collect();
        if let Some(other) = clash(&taken, &parts) {
            return Err(QueryError::new(
                Code::NOT_SINGLE_VALUE_FIELD,
                match other.join(".") {
                    other if other == path => {
                        format!("cannot infer query fields to set, path '{path}' is matched twice")
                    }
                    other => format!(
                        "cannot infer query fields to set, both paths '{path}' and '{other}' are \
                         matched"
                    ),
                },
            ));
        }
        target::set(&mut seed, &parts, Bson::try_from(value.clone())?, &mut growth)?;
        taken.insert(parts);
    }
    Ok(seed)
}

/// A path among these that leads to this one, or that this one leads to.
fn clash<'t>(taken: &'t BTreeSet<Vec<String>>, path: &[String]) -> Option<&'t Vec<String>> {
    let above = (1..=path.len()).find_map(|end| taken.get(path.get(..end)?));
    above.or_else(|| {
        let from = (Bound::Included(path), Bound::Unbounded);
        taken.range::<[String], _>(from).next().filter(|other| other.starts_with(path))
    })
}

fn collect<'f>(expr: &'f Expr, found: &mut Vec<(&'f str, &'f RawBson)>) {
    match expr {
        Expr::And(parts) => parts.iter().for_each(|part| collect(part, found)),
        Expr::Or(parts) => {
            if let [only] = parts.as_slice() {
                collect(only, found);
            }
        }
        Expr::Field { path, test } => match test.collated().0 {
            Test::Compare { op: CompareOp::Eq, value } => found.push((path.as_str(), value)),
            Test::In { values, patterns } if patterns.is_empty() => {
                if let [only] = values.as_slice() {
                    found.push((path.as_str(), only));
                }
            }
            _ => {}
        },
        _ => {}
    }
}
