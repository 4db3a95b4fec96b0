//! Restrictions of hashed, text and wildcard indexes.

use bson::{Bson, Document};

use super::{index_spec::wrong_type, numbers::Whole};
use crate::catalog::{CatalogError, CatalogErrorKind, IndexKey, KeyKind, index_key::KeyPart};

/// Largest weight of a field of a text index (MongoDB's limit).
const WEIGHT_MAX: i64 = 99_999;

/// Checks a key with a special kind, and its options.
///
/// # Errors
/// `CannotCreateIndex`, `FailedToParse`, and kinds with MongoDB's own numbers.
pub(super) fn check(key: &IndexKey, spec: &Document, unique: bool) -> Result<(), CatalogError> {
    check_hashed(key, unique)?;
    check_weights(spec)?;
    let wildcards: Vec<&KeyPart> =
        key.parts.iter().filter(|part| part.kind == KeyKind::Wildcard).collect();
    match wildcards.as_slice() {
        [] => Ok(()),
        [wildcard] => check_wildcard(key, wildcard, spec),
        _ => Err(refused!(
            WildcardTwice,
            "a wildcard index has just one field with $**; remove the others"
        )),
    }
}

fn check_hashed(key: &IndexKey, unique: bool) -> Result<(), CatalogError> {
    match key.parts.iter().filter(|part| part.kind == KeyKind::Hashed).count() {
        1 if unique => Err(refused!(
            HashedUnique,
            "Currently hashed indexes cannot guarantee uniqueness. Use a regular index."
        )),
        0 | 1 => Ok(()),
        count => Err(refused!(
            HashedTwice,
            "A maximum of one index field is allowed to be hashed but found {count}"
        )),
    }
}

fn check_weights(spec: &Document) -> Result<(), CatalogError> {
    let Ok(weights) = spec.get_document("weights") else { return Ok(()) };
    for (field, weight) in weights {
        match Whole::of(weight) {
            Some(Whole::Number(1..=WEIGHT_MAX)) => {}
            Some(_) => {
                return Err(cannot(format!(
                    "the weight of {field:?} must be from 1 to {WEIGHT_MAX}, but is {weight}"
                )));
            }
            None => {
                return Err(cannot(format!(
                    "the weight of {field:?} must be a number, but is {weight}"
                )));
            }
        }
    }
    Ok(())
}

fn check_wildcard(key: &IndexKey, wildcard: &KeyPart, spec: &Document) -> Result<(), CatalogError> {
    if matches!(spec.get("v").and_then(Whole::of), Some(Whole::Number(1))) {
        return Err(cannot("a wildcard index needs the index version 2"));
    }
    if spec.get("sparse").and_then(super::numbers::safe_bool) == Some(true) {
        return Err(cannot("the index type 'wildcard' does not support the sparse option"));
    }
    let projection = match spec.get("wildcardProjection") {
        None => None,
        Some(Bson::Document(projection)) => Some(projection),
        Some(other) => return Err(wrong_type("wildcardProjection", "an object", other)),
    };
    let others = key.parts.iter().filter(|part| *part != wildcard);
    if let Some(above) = wildcard.path.as_str().strip_suffix(".$**") {
        if projection.is_some() {
            return Err(CatalogError::new(
                CatalogErrorKind::FailedToParse,
                "The field 'wildcardProjection' is only allowed when the 'key' is {\"$**\": ±1}",
            ));
        }
        let mut others = others;
        return match others.find(|part| is_under(part.path.as_str(), above)) {
            Some(part) => Err(cannot(format!(
                "the wildcard {1:?} already covers the field {0:?}; keep only one of them",
                part.path.as_str(),
                wildcard.path.as_str()
            ))),
            None => Ok(()),
        };
    }
    let includes = projection.map(check_projection).transpose()?;
    for part in others {
        let field = part.path.as_str();
        let Some(projection) = projection else {
            return Err(cannot(
                "a compound wildcard index on all fields needs a wildcardProjection that leaves out \
                 its other fields",
            ));
        };
        if covers(projection, includes == Some(true), field) {
            return Err(refused!(
                WildcardOverlap,
                "the wildcardProjection of a compound wildcard index must leave out its other \
                     fields; leave out {field:?}"
            ));
        }
    }
    Ok(())
}

/// Whether the projection includes fields (else it excludes them).
fn check_projection(projection: &Document) -> Result<bool, CatalogError> {
    let mut includes = None;
    for (field, value) in projection {
        let keeps = keeps(value).ok_or_else(|| {
            refused!(
                ProjectionComputed,
                "Bad projection specification, cannot use computed fields when parsing a spec in \
                     kBanComputedFields mode: {{{field}: {value}}}"
            )
        })?;
        if field == "_id" {
            continue;
        }
        match includes {
            Some(true) if !keeps => {
                return Err(refused!(
                    ExclusionInInclusion,
                    "Cannot do exclusion on field {field} in inclusion projection"
                ));
            }
            Some(false) if keeps => {
                return Err(refused!(
                    InclusionInExclusion,
                    "Cannot do inclusion on field {field} in exclusion projection"
                ));
            }
            _ => includes = Some(keeps),
        }
    }
    Ok(includes.unwrap_or_else(|| projection.get("_id").and_then(keeps) == Some(true)))
}

/// Whether a field's value in a projection includes it; `None` for a computed one. A document lists
/// nested fields.
fn keeps(value: &Bson) -> Option<bool> {
    match value {
        Bson::Document(below) => below.values().next().and_then(keeps),
        other => super::numbers::safe_bool(other),
    }
}

/// Whether the wildcard covers this field too.
fn covers(projection: &Document, includes: bool, field: &str) -> bool {
    let named =
        projection.keys().any(|name| is_under(field, name) || (includes && is_under(name, field)));
    if field == "_id" {
        projection.get("_id").and_then(keeps) == Some(true)
    } else {
        named == includes
    }
}

fn is_under(field: &str, above: &str) -> bool {
    field.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn cannot(message: impl Into<String>) -> CatalogError {
    CatalogError::new(CatalogErrorKind::CannotCreateIndex, message)
}
