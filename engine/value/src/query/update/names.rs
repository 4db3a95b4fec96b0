//! Names that begin with `$` in stored documents.
//!
//! MongoDB 5.0 and newer store them: an insert may have them at any level but in its `_id`. An
//! update of a stored document adds none at the top level, except as a pipeline does, and changes
//! those below freely. The names of a `DBRef` are allowed where they form one. The rules are those
//! of `scanDocument` in MongoDB's `src/mongo/db/update/storage_validation.cpp`; the manual
//! describes them in "Field Names with Periods and Dollar Signs".

use bson::{Bson, Document};

use super::value::type_of;
use crate::query::{Code, QueryError};

/// Checks the top level of a document that replaces a stored one, unless the two are the same.
///
/// # Errors
/// `DollarPrefixedFieldName`, `InvalidDBRef`.
pub(super) fn check_replacement(before: &Document, after: &Document) -> Result<(), QueryError> {
    let is_special = after.keys().any(|name| name.starts_with('$'));
    if !is_special || before.to_vec()? == after.to_vec()? {
        return Ok(());
    }
    after.keys().try_for_each(|name| check_field(after, name))
}

/// Checks one field of the top level that an update has made or changed.
///
/// # Errors
/// As [`check_replacement`].
pub(super) fn check_field(document: &Document, name: &str) -> Result<(), QueryError> {
    if !name.starts_with('$') {
        return Ok(());
    }
    match document.keys().position(|key| key == name) {
        Some(at) => check_at(document, at, name),
        None => Ok(()),
    }
}

/// Checks an `_id`: all its levels but names in arrays, which are positions.
///
/// # Errors
/// As [`check_replacement`]; `InvalidIdField` for a type that no `_id` has.
pub(super) fn check_id(id: &Bson) -> Result<(), QueryError> {
    match id {
        Bson::Document(fields) => check_levels("_id", fields),
        Bson::Array(_) | Bson::RegularExpression(_) | Bson::Undefined => Err(QueryError::new(
            Code::INVALID_ID_FIELD,
            format!("The '_id' value cannot be of type {}", type_of(id)),
        )),
        _ => Ok(()),
    }
}

fn check_levels(path: &str, document: &Document) -> Result<(), QueryError> {
    for (at, (name, value)) in document.iter().enumerate() {
        let path = format!("{path}.{name}");
        if name.starts_with('$') {
            check_at(document, at, &path)?;
        }
        check_value(&path, value)?;
    }
    Ok(())
}

fn check_value(path: &str, value: &Bson) -> Result<(), QueryError> {
    match value {
        Bson::Document(inner) => check_levels(path, inner),
        Bson::Array(elements) => elements.iter().try_for_each(|value| check_value(path, value)),
        _ => Ok(()),
    }
}

/// Refuses the field at this position, whose name begins with `$`, unless it belongs to a `DBRef`:
/// `$ref` with a text, `$id` after it, and then `$db` with a text or nothing.
fn check_at(document: &Document, at: usize, path: &str) -> Result<(), QueryError> {
    let fields: Vec<(&String, &Bson)> = document.iter().collect();
    let name_at =
        |at: Option<usize>| at.and_then(|at| fields.get(at)).map(|(name, _)| name.as_str());
    let value_at = |at: usize| fields.get(at).map_or(&Bson::Null, |(_, value)| *value);
    let text = |at: usize, name: &str| match value_at(at) {
        Bson::String(_) => Ok(()),
        other => Err(invalid_reference(format!(
            "The DBRef {name} field must be a String, not a {}",
            type_of(other)
        ))),
    };
    let mut current = Some(at);
    if name_at(current) == Some("$db") {
        text(at, "$db")?;
        current = at.checked_sub(1);
        if name_at(current) != Some("$id") {
            return Err(invalid_reference(
                "Found $db field without a $id before it, which is invalid.",
            ));
        }
    }
    if name_at(current) == Some("$id") {
        current = current.and_then(|at| at.checked_sub(1));
        if name_at(current) != Some("$ref") {
            return Err(invalid_reference(
                "Found $id field without a $ref before it, which is invalid.",
            ));
        }
    }
    match current {
        Some(at) if name_at(current) == Some("$ref") => {
            text(at, "$ref")?;
            if name_at(at.checked_add(1)) == Some("$id") {
                return Ok(());
            }
            Err(invalid_reference("The DBRef $ref field must be followed by a $id field"))
        }
        _ => Err(QueryError::new(
            Code::DOLLAR_PREFIXED_FIELD_NAME,
            format!(
                "The dollar ($) prefixed field '{}' in '{path}' is not allowed in the context of \
                 an update's replacement document. Consider using an aggregation pipeline with \
                 $replaceWith.",
                name_at(Some(at)).unwrap_or_default()
            ),
        )),
    }
}

fn invalid_reference(message: impl Into<String>) -> QueryError {
    QueryError::new(Code::INVALID_DB_REF, message)
}
