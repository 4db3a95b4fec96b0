//! Compares a requested index with the existing ones.

use std::sync::Arc;

use bson::{Bson, Document};

use crate::broken_rules::{BrokenRule, is_broken};
use crate::catalog::{CatalogError, IndexMeta, KeyKind, index_key::same_document};

/// Options that are never compared. `background` said how an index is built and nothing about the
/// index (`kIndexOptionsNotConsideredForEqualityCheck` in MongoDB's `index_descriptor.cpp`).
const NOT_COMPARED: &[&str] =
    &["background", "textIndexVersion", "2dsphereIndexVersion", "wildcardProjection"];

/// The existing index that equals the requested one.
///
/// # Errors
/// `IndexKeySpecsConflict` when another index has its name, `IndexOptionsConflict` when the same
/// index has another name or other options.
pub(super) fn existing<'e>(
    requested: &IndexMeta,
    existing: &'e [Arc<IndexMeta>],
) -> Result<Option<&'e Arc<IndexMeta>>, CatalogError> {
    if requested.is_id() {
        return Ok(existing.iter().find(|index| index.is_id()));
    }
    if let Some(named) = existing.iter().find(|index| index.name == requested.name) {
        if !same_identity(requested, named) {
            return Err(refused!(
                IndexKeySpecsConflict,
                "An existing index has the same name as the requested index: {}; choose another name",
                named.name
            ));
        }
        if !same_options(requested, named) && !is_broken(BrokenRule::CreateIndexAgain) {
            return Err(refused!(
                IndexOptionsConflict,
                "An equivalent index already exists with the same name but different options: {}; \
                 change it with collMod, or drop it first",
                named.name
            ));
        }
        return Ok(Some(named));
    }
    let text = |index: &IndexMeta| index.key.has(KeyKind::Text);
    if let Some(other) = existing.iter().find(|index| text(index) && text(requested)) {
        return Err(refused!(
            IndexOptionsConflict,
            "only one text index per collection allowed, found existing text index {:?}",
            other.name
        ));
    }
    match existing.iter().find(|index| same_identity(requested, index)) {
        Some(other) => Err(refused!(
            IndexOptionsConflict,
            "Index already exists with a different name: {}; use that name, or change it with \
             collMod",
            other.name
        )),
        None => Ok(None),
    }
}

fn same_identity(a: &IndexMeta, b: &IndexMeta) -> bool {
    let same_partial = match (&a.partial, &b.partial) {
        (Some(a), Some(b)) => a.is_equivalent(b),
        (None, None) => true,
        _ => false,
    };
    let projection =
        |index: &IndexMeta| index.extra.get_document("wildcardProjection").cloned().ok();
    a.key.same_pattern(&b.key.source)
        && a.unique == b.unique
        && a.sparse == b.sparse
        && a.collation == b.collation
        && same_partial
        && same(projection(a), projection(b))
}

fn same_options(a: &IndexMeta, b: &IndexMeta) -> bool {
    let rest = |index: &IndexMeta| -> Document {
        let compared = |option: &&str| !NOT_COMPARED.contains(option);
        let options = index.extra.iter();
        options
            .filter(|(option, _)| compared(&option.as_str()))
            .map(|(option, value): (&String, &Bson)| (option.clone(), value.clone()))
            .collect()
    };
    a.expire_after_secs == b.expire_after_secs
        && a.hidden == b.hidden
        && a.prepare_unique == b.prepare_unique
        && same_document(&rest(a), &rest(b))
}

fn same(a: Option<Document>, b: Option<Document>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same_document(&a, &b),
        (None, None) => true,
        _ => false,
    }
}
