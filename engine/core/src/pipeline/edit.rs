//! Changing one field of a document without decoding it.

use bson::raw::{CString, RawBson, RawBsonRef, RawDocument, RawDocumentBuf};

use super::PipelineError;
use crate::{
    pipeline::error::fail,
    query::Code,
    value::{Path, is_reserved_name},
};

/// A dotted path whose parts can be written into documents. It leads through documents only; a
/// write replaces any other value on its way with a document.
#[derive(Debug, Clone)]
pub(super) struct FieldPath {
    parts: Vec<CString>,
    path: Path,
}

impl FieldPath {
    /// Reads a path as stages take it, without a leading `$`.
    pub(super) fn parse(text: &str) -> Result<Self, PipelineError> {
        if text.is_empty() {
            return fail(40352, "FieldPath cannot be constructed with empty string");
        }
        if text.ends_with('.') {
            return fail(40353, "FieldPath must not end with a '.'.");
        }
        for part in text.split('.') {
            check_name(part)?;
        }
        let path = match Path::parse(text) {
            Ok(path) => path,
            Err(error) => return fail(Code::FAILED_TO_PARSE, error.to_string()),
        };
        let parts = text.split('.').map(CString::try_from).collect::<Result<_, _>>()?;
        Ok(Self { parts, path })
    }

    /// The value there; arrays are not entered.
    pub(super) fn get<'d>(&self, document: &'d RawDocument) -> Option<RawBsonRef<'d>> {
        self.path.get(document)
    }

    /// The document with this value there, or without the field.
    pub(super) fn set(
        &self,
        document: &RawDocument,
        value: Option<RawBsonRef<'_>>,
    ) -> RawDocumentBuf {
        with(document, &self.parts, value)
    }
}

/// Refuses names that no field of a result can have.
pub(super) fn check_name(name: &str) -> Result<(), PipelineError> {
    if name.is_empty() {
        fail(15998, "FieldPath field names may not be empty strings.")
    } else if is_reserved_name(name) {
        fail(
            16410,
            format!(
                "FieldPath field names may not start with '$'. Consider using $getField or \
                 $setField, but found: {name}"
            ),
        )
    } else if name.contains('\0') {
        fail(16411, "FieldPath field names may not contain '\\0'.")
    } else if name.contains('.') {
        fail(16412, "FieldPath field names may not contain '.'.")
    } else {
        Ok(())
    }
}

/// Recursion is bounded by the parts of a path.
fn with(
    document: &RawDocument,
    parts: &[CString],
    value: Option<RawBsonRef<'_>>,
) -> RawDocumentBuf {
    let mut out = RawDocumentBuf::new();
    let Some((first, rest)) = parts.split_first() else { return out };
    let mut is_found = false;
    for (name, current) in document.into_iter().map_while(Result::ok) {
        if name.as_str() != first.as_str() {
            out.append(name, current);
            continue;
        }
        is_found = true;
        match (current, value) {
            (RawBsonRef::Document(inner), _) if !rest.is_empty() => {
                out.append(name, with(inner, rest, value));
            }
            (_, Some(value)) => out.append(name, built(rest, value)),
            (current, None) if !rest.is_empty() => out.append(name, current),
            (_, None) => {}
        }
    }
    if let (false, Some(value)) = (is_found, value) {
        out.append(first, built(rest, value));
    }
    out
}

fn built(parts: &[CString], value: RawBsonRef<'_>) -> RawBson {
    parts.iter().rev().fold(value.into(), |value: RawBson, part| {
        let mut document = RawDocumentBuf::new();
        document.append(part, value);
        RawBson::Document(document)
    })
}
