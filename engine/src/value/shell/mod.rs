//! mongosh literals: text to BSON and back, and commands as a person would type them.

mod command;
mod writer;

use bson::{Bson, Document};

pub use command::write_command;
pub use writer::{write_document, write_value};

pub use super::text::{Layout, TextError};

/// Reads one document as mongosh would.
///
/// # Errors
/// The first thing found wrong, with its place.
pub fn read_document(text: &str) -> Result<Document, TextError> {
    todo!("{text}")
}

/// Reads one value as mongosh would.
///
/// # Errors
/// The first thing found wrong, with its place.
pub fn read_value(text: &str) -> Result<Bson, TextError> {
    todo!("{text}")
}
