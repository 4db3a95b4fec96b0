//! `$replaceRoot` and `$replaceWith`.

use bson::raw::{RawBsonRef, RawDocument, RawDocumentBuf};

use crate::{
    query::{Expression, QueryError, Scope, VariableNames, error::refused, filter::type_name},
    value::{
        Layout,
        extjson::{self, Style},
    },
};

/// Reads the document of `$replaceRoot`.
pub(super) fn parse(
    value: RawBsonRef<'_>,
    names: &VariableNames,
) -> Result<Expression, QueryError> {
    let RawBsonRef::Document(options) = value else {
        return Err(refused!(
            40229,
            "expected an object as specification for $replaceRoot stage, got {}",
            type_name(value)
        ));
    };
    let mut root = None;
    for element in options {
        let (name, value) = element?;
        if name.as_str() != "newRoot" {
            return Err(refused(
                40230,
                format!("BSON field '$replaceRoot.{}' is an unknown field.", name.as_str()),
            ));
        }
        root = Some(Expression::parse(value, names)?);
    }
    root.ok_or_else(|| {
        refused(40231, "BSON field '$replaceRoot.newRoot' is missing but a required field")
    })
}

/// The document that the expression gives.
pub(super) fn replace(
    root: &Expression,
    document: &RawDocument,
    scope: &Scope<'_>,
) -> Result<RawDocumentBuf, QueryError> {
    let value = root.evaluate(scope)?;
    match value.as_ref() {
        Some(RawBsonRef::Document(root)) => Ok(root.to_owned()),
        other => {
            let shown = |value| extjson::write_value(value, Style::Relaxed, Layout::OneLine);
            Err(refused!(
                40228,
                "'newRoot' expression must evaluate to an object, but resulting value was: {}. \
                     Type of resulting value: '{}'. Input document: {}",
                other.map_or_else(|| "MISSING".to_owned(), shown),
                other.map_or("missing", type_name),
                shown(RawBsonRef::Document(document))
            ))
        }
    }
}
