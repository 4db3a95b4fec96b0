//! `validator`, `validationLevel` and `validationAction` in `create` and `collMod`.

use bson::{Bson, Document};

use super::index_spec::wrong_type;
use crate::{
    catalog::{CatalogError, Namespace, Validation, ValidationAction, ValidationLevel},
    value::Collation,
};

/// The three options.
pub const FIELDS: [&str; 3] = ["validator", "validationLevel", "validationAction"];

/// Sets the options that are given.
///
/// # Errors
/// `TypeMismatch`, `BadValue`, and errors of the filter.
pub fn apply(
    validation: &mut Validation,
    options: &Document,
    collation: Option<&Collation>,
    place: &str,
) -> Result<(), CatalogError> {
    match options.get("validator") {
        None => {}
        Some(Bson::Document(given)) if given.is_empty() => validation.validator = None,
        Some(Bson::Document(given)) => {
            let filter = Validation::parse(given, collation)?;
            validation.validator = Some(filter);
        }
        Some(other) => return Err(wrong_type("validator", "an object", other)),
    }
    if let Some(name) = word(options, "validationLevel")? {
        let level = ValidationLevel::from_name(name);
        validation.level = Some(level.ok_or_else(|| no_such(place, "validationLevel", name))?);
    }
    if let Some(name) = word(options, "validationAction")? {
        let action = ValidationAction::from_name(name);
        validation.action = Some(action.ok_or_else(|| no_such(place, "validationAction", name))?);
    }
    Ok(())
}

/// Refuses a validator in databases where MongoDB allows none.
///
/// # Errors
/// `InvalidOptions`
pub fn check_place(namespace: &Namespace) -> Result<(), CatalogError> {
    let is_own = ["admin", "local", "config"].contains(&namespace.db.as_str());
    if !is_own && !namespace.is_system() {
        return Ok(());
    }
    Err(refused!(
        InvalidOptions,
        "Document validators are not allowed on {namespace}, which belongs to the server; use \
             another database"
    ))
}

fn word<'o>(options: &'o Document, field: &str) -> Result<Option<&'o str>, CatalogError> {
    match options.get(field) {
        None => Ok(None),
        Some(Bson::String(word)) => Ok(Some(word)),
        Some(other) => Err(wrong_type(field, "a string", other)),
    }
}

fn no_such(place: &str, field: &str, word: &str) -> CatalogError {
    refused!(
        BadValue,
        "Enumeration value '{word}' for field '{place}.{field}' is not a valid value."
    )
}
