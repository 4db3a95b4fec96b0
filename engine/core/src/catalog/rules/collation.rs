//! Collations in `create` and `createIndexes`.

use bson::{Bson, Document, RawDocumentBuf};

use super::{index_spec::wrong_type, numbers::Whole};
use crate::{
    catalog::{CatalogError, IndexMeta, KeyKind},
    query::QueryError,
    value::Collation,
};

/// The collation in the field of this name; the outer `None` when there is none.
///
/// # Errors
/// The first invalid field.
#[expect(clippy::option_option, reason = "the simple collation overrides another one")]
pub(super) fn read(
    options: &Document,
    place: &str,
) -> Result<Option<Option<Collation>>, CatalogError> {
    let given = match options.get("collation") {
        None => return Ok(None),
        Some(Bson::Document(given)) => given,
        Some(other) => return Err(wrong_type("collation", "an object", other)),
    };
    let raw = RawDocumentBuf::try_from(given)
        .map_err(|_| refused!(BadValue, "the collation can't be written as BSON"))?;
    Ok(Some(Collation::read(&raw, place).map_err(QueryError::from)?))
}

/// The collation of an index: its own, or that of its collection.
///
/// # Errors
/// The first invalid field.
pub(super) fn of_index(
    spec: &Document,
    inherited: Option<&Collation>,
) -> Result<Option<Collation>, CatalogError> {
    let is_old = spec.get("v").and_then(Whole::of) == Some(Whole::Number(1));
    if spec.get_document("collation").is_ok_and(Document::is_empty) {
        return Err(refused!(BadValue, "The field 'collation' cannot be an empty object."));
    }
    match read(spec, "collation")? {
        // Indexes of the first version have none.
        None => Ok(inherited.filter(|_| !is_old).cloned()),
        Some(Some(_)) if is_old => Err(refused!(
            CannotCreateIndex,
            "an index of version 1 has no collation; remove v or the collation"
        )),
        Some(given) => Ok(given),
    }
}

/// The index on `_id` has the collation of its collection.
///
/// # Errors
/// `BadValue` for another one, and what is wrong with it.
pub(super) fn check_of_id(
    spec: &Document,
    of_collection: Option<&Collation>,
) -> Result<(), CatalogError> {
    if of_index(spec, of_collection)?.as_ref() == of_collection {
        return Ok(());
    }
    Err(refused!(
        BadValue,
        "The _id index must have the same collation as the collection; leave it out"
    ))
}

/// Refuses a collation for kinds of indexes that have none in MongoDB.
///
/// # Errors
/// `CannotCreateIndex`
pub(super) fn check_kind(index: &IndexMeta) -> Result<(), CatalogError> {
    let kinds = [(KeyKind::Text, "text"), (KeyKind::Geo2d, "2d")];
    match kinds.iter().find(|(kind, _)| index.key.has(*kind)) {
        Some((_, name)) if index.collation.is_some() => Err(refused!(
            CannotCreateIndex,
            "Index type '{name}' does not support collation; give it {{locale: \"simple\"}}"
        )),
        _ => Ok(()),
    }
}
