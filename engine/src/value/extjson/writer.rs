//! BSON to Extended JSON.

use bson::raw::{RawBsonRef, RawDocument};

use crate::value::text::Layout;

/// Which types stay visible in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Style {
    /// Extended JSON v2, relaxed: numbers and common dates as plain JSON.
    Relaxed,
    /// Extended JSON v2, canonical: every type written out.
    Canonical,
    /// Relaxed, but int64 beyond 2^53 and every double keep their type.
    #[default]
    Typed,
}

/// One document as text.
pub fn write_document(document: &RawDocument, style: Style, layout: Layout) -> String {
    let _ = (document, style, layout);
    todo!()
}

/// One value as text.
pub fn write_value(value: RawBsonRef<'_>, style: Style, layout: Layout) -> String {
    let _ = (value, style, layout);
    todo!()
}

/// Appends one document on one line, without a line end.
pub fn append_document(out: &mut Vec<u8>, document: &RawDocument, style: Style) {
    let _ = (out, document, style);
    todo!()
}
