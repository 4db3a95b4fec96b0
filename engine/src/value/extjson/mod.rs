//! Extended JSON: text to BSON and back.

mod documents;
mod writer;

use bson::{Bson, RawDocumentBuf};

pub use documents::{Documents, Form, Step};
pub use writer::{Style, append_document, write_document, write_value};

pub use super::text::{Layout, TextError};

/// Reads one document. Nothing but white space may follow it.
///
/// # Errors
/// The first thing found wrong, with its place.
pub fn read_document(text: &str) -> Result<RawDocumentBuf, TextError> {
    todo!("{text}")
}

/// Reads one value of any type. Nothing but white space may follow it.
///
/// # Errors
/// The first thing found wrong, with its place.
pub fn read_value(text: &str) -> Result<Bson, TextError> {
    todo!("{text}")
}
