//! Field paths: `$a.b`, `$$ROOT.a`, `$$x.b`.

use bson::raw::{RawArray, RawArrayBuf, RawBson, RawBsonRef, RawDocument};

use super::{names::VariableNames, scope::Scope, value::Value};
use crate::{
    query::{QueryError, error::refused},
    value::{is_reserved_name, scan::DEPTH_MAX},
};

/// A path that begins at the document or at a variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FieldPath {
    /// `None` begins at `$$CURRENT`.
    pub variable: Option<String>,
    /// Names of fields; empty for a variable itself.
    pub parts: Vec<String>,
}

impl FieldPath {
    /// Reads a text that begins with `$`.
    pub(super) fn parse(text: &str, names: &VariableNames) -> Result<Self, QueryError> {
        let Some(rest) = text.strip_prefix('$').filter(|rest| !rest.is_empty()) else {
            return Err(refused(16872, "'$' by itself is not a valid FieldPath"));
        };
        let Some(rest) = rest.strip_prefix('$') else {
            return Ok(Self { variable: None, parts: parts(rest)? });
        };
        let (variable, path) = rest.split_once('.').map_or((rest, None), |(v, p)| (v, Some(p)));
        names.check_use(variable)?;
        let parts = path.map(parts).transpose()?.unwrap_or_default();
        let variable =
            Some(variable.to_owned()).filter(|variable| variable != "CURRENT" || parts.is_empty());
        Ok(Self { variable, parts })
    }

    /// The value in this scope. Arrays of documents along the path give arrays; a number is a
    /// field's name and never a position.
    pub(super) fn evaluate<'v>(&self, scope: &Scope<'v>) -> Result<Value<'v>, QueryError> {
        let start = match &self.variable {
            None => scope.current().into(),
            Some(name) => scope.variable(name)?,
        };
        if self.parts.is_empty() {
            return Ok(start);
        }
        Ok(match start {
            Value::Missing => Value::Missing,
            Value::Ref(value) => descend(&self.parts, value),
            Value::Owned(value) => descend(&self.parts, value.as_raw_bson_ref()).detached(),
        })
    }
}

/// Checks the name of one field in a path or in an object.
pub(super) fn check_field_name(name: &str) -> Result<(), QueryError> {
    if name.is_empty() {
        return Err(refused(15998, "FieldPath field names may not be empty strings."));
    }
    if is_reserved_name(name) {
        return Err(refused!(
            16410,
            "FieldPath field names may not start with '$', given '{name}'."
        ));
    }
    if name.contains('\0') {
        return Err(refused(16411, "FieldPath field names may not contain '\\0'."));
    }
    if name.contains('.') {
        return Err(refused!(16412, "FieldPath field names may not contain '.', given '{name}'."));
    }
    Ok(())
}

fn parts(path: &str) -> Result<Vec<String>, QueryError> {
    if path.is_empty() {
        return Err(refused(40352, "FieldPath cannot be constructed with empty string"));
    }
    if path.ends_with('.') {
        return Err(refused(40353, "FieldPath must not end with a '.'."));
    }
    if path.split('.').count() > DEPTH_MAX {
        return Err(QueryError::new(crate::query::Code::OVERFLOW, "FieldPath is too long"));
    }
    path.split('.').map(|name| check_field_name(name).map(|()| name.to_owned())).collect()
}

/// Recursion is bounded by the number of parts.
fn descend<'v>(parts: &[String], value: RawBsonRef<'v>) -> Value<'v> {
    match (value, parts) {
        (value, []) => Value::Ref(value),
        (RawBsonRef::Document(document), [name, rest @ ..]) => {
            let mut document: &'v RawDocument = document;
            let (mut name, mut rest) = (name, rest);
            loop {
                match (document.get(name.as_str()).ok().flatten(), rest) {
                    (None, _) => return Value::Missing,
                    (Some(RawBsonRef::Document(inner)), [next, after @ ..]) => {
                        (document, name, rest) = (inner, next, after);
                    }
                    (Some(value), rest) => return descend(rest, value),
                }
            }
        }
        (RawBsonRef::Array(array), _) => Value::Owned(RawBson::Array(each(parts, array))),
        _ => Value::Missing,
    }
}

fn each(parts: &[String], array: &RawArray) -> RawArrayBuf {
    let mut found = RawArrayBuf::new();
    for element in array.into_iter().map_while(Result::ok) {
        if let RawBsonRef::Document(_) = element
            && let Some(value) = descend(parts, element).as_ref()
        {
            found.push(value);
        }
    }
    found
}
