//! JavaScript to BSON, as the Node driver does: a whole number in 32 bits is an int32.

use bson::{Bson, Document};
use rquickjs::{Object, Value};

/// One sentence on what can't be stored.
type Refused = String;

/// Reads an object as a document.
///
/// # Errors
/// It is no object, or holds what BSON has no type for.
pub(in crate::shell) fn document(value: &Value<'_>) -> Result<Document, Refused> {
    match value.as_object() {
        Some(object) if !object.is_array() => fields(object),
        _ => Err("expected a document".to_owned()),
    }
}

fn fields(object: &Object<'_>) -> Result<Document, Refused> {
    let mut document = Document::new();
    for entry in object.props::<String, Value<'_>>() {
        let (key, value) = entry.map_err(|error| error.to_string())?;
        if !value.is_function() {
            document.insert(key, bson(&value)?);
        }
    }
    Ok(document)
}

fn bson(value: &Value<'_>) -> Result<Bson, Refused> {
    if value.is_null() || value.is_undefined() {
        return Ok(Bson::Null);
    }
    if let Some(flag) = value.as_bool() {
        return Ok(Bson::Boolean(flag));
    }
    if let Some(int) = value.as_int() {
        return Ok(Bson::Int32(int));
    }
    if let Some(number) = value.as_float() {
        return Ok(Bson::Double(number));
    }
    if let Some(text) = value.as_string() {
        return text.to_string().map(Bson::String).map_err(|error| error.to_string());
    }
    if let Some(array) = value.as_array() {
        let items = array
            .iter::<Value<'_>>()
            .map(|item| item.map_err(|error| error.to_string()).and_then(|item| bson(&item)));
        return items.collect::<Result<_, _>>().map(Bson::Array);
    }
    match value.as_object() {
        Some(object) => fields(object).map(Bson::Document),
        None => Err(format!("a {} can't be stored", value.type_name())),
    }
}
