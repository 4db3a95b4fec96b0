//! Decoded values compared as MongoDB does.

use std::cmp::Ordering;

use bson::{
    Bson, Document,
    raw::{RawBson, RawDocumentBuf},
};

use crate::{
    query::{QueryError, filter},
    value::{Collation, compare_in, error_text::element_text},
};

/// MongoDB's order of two values.
pub(super) fn order_in(
    a: &Bson,
    b: &Bson,
    collation: Option<&Collation>,
) -> Result<Ordering, QueryError> {
    let (a, b) = (RawBson::try_from(a.clone())?, RawBson::try_from(b.clone())?);
    Ok(compare_in(a.as_raw_bson_ref(), b.as_raw_bson_ref(), collation))
}

/// Whether MongoDB takes the two for the same value.
pub(super) fn is_same(a: &Bson, b: &Bson) -> Result<bool, QueryError> {
    Ok(order_in(a, b, None)?.is_eq())
}

/// A value's type by MongoDB's name.
pub(super) fn type_of(value: &Bson) -> &'static str {
    RawBson::try_from(value.clone())
        .map_or("unknown", |raw| filter::type_name(raw.as_raw_bson_ref()))
}

/// A field with its value, e.g. `a: [ 1, 2 ]`, as messages show it.
pub(super) fn shown(name: &str, value: &Bson) -> String {
    RawBson::try_from(value.clone())
        .map_or_else(|_| name.to_owned(), |raw| element_text(name, raw.as_raw_bson_ref()))
}

/// The document's `_id` as messages show it.
pub(super) fn shown_id(document: &Document) -> String {
    document.get("_id").map_or_else(|| "no _id".to_owned(), |id| shown("_id", id))
}

/// A document as raw bytes, for filters.
pub(super) fn raw(document: &Document) -> Result<RawDocumentBuf, QueryError> {
    Ok(RawDocumentBuf::try_from(document)?)
}

/// Where a value is, for messages.
#[derive(Clone, Copy)]
pub(super) struct ValueLocation<'p> {
    /// The names and positions that lead to it.
    pub(super) path: &'p [String],
    pub(super) document: &'p Document,
}

impl ValueLocation<'_> {
    /// The whole path.
    pub(super) fn dotted(self) -> String {
        self.path.join(".")
    }

    /// The last name.
    pub(super) fn name(self) -> String {
        self.path.last().cloned().unwrap_or_default()
    }
}
