//! Extended JSON: text to BSON and back.
//!
//! Reading takes the canonical and the relaxed form of version 2 mixed, and the unambiguous forms
//! of version 1: a number in `$date`, and `$binary` with `$type` next to it. `$regex` with
//! `$options` stays a query operator. A whole number becomes the smaller of int32 and int64, every
//! other number a double. Wrappers are not recognized at the top of a document. Forms that are
//! refused but often met in files are a [`Nonstandard`], which [`Documents::lenient`] reads.

mod documents;
mod lookalike;
mod writer;

use bson::{Bson, RawDocumentBuf};

pub use documents::{Documents, Form, Step};
pub use lookalike::reads_otherwise;
pub use writer::{Style, append_document, write_document, write_value};

use super::text::{self, Dialect};
pub use super::text::{Layout, Leniency, Nonstandard, Tally, TextError};

/// Reads one document. Nothing but white space may follow it.
///
/// # Errors
/// The first thing found wrong, with its place.
pub fn read_document(text: &str) -> Result<RawDocumentBuf, TextError> {
    text::read_document(text, Dialect::Json, None)
}

/// Reads one value of any type. Nothing but white space may follow it.
///
/// # Errors
/// The first thing found wrong, with its place.
pub fn read_value(text: &str) -> Result<Bson, TextError> {
    text::read_value(text, Dialect::Json, None)
}
