//! mongosh literals: text to BSON and back, and commands as mongosh lines.
//!
//! Where mongosh goes through JavaScript numbers, this reader keeps what is written: `1.0` is a
//! double, and a whole number beyond 32 bits is an int64. The writer marks both so that mongosh
//! itself reads them back rightly: `Double(1.0)`, `Long('5')`. Constructors that would need the
//! present time or chance (`ObjectId()`, `new Date()`) are refused: say the value.

mod command;
mod writer;

use bson::{Bson, Document};

pub use command::write_command;
pub use writer::{write_document, write_value};

use super::text::{self, Dialect};
pub use super::text::{Layout, TextError};

/// Reads one document as mongosh would.
///
/// # Errors
/// The first thing found wrong, with its place.
pub fn read_document(text: &str) -> Result<Document, TextError> {
    let document = text::read_document(text, Dialect::Shell)?;
    Document::try_from(&*document).map_err(|_| TextError {
        message: "this is not a document".to_owned(),
        offset: 0,
        line: 1,
        column: 1,
        nonstandard: None,
    })
}

/// Reads one value as mongosh would.
///
/// # Errors
/// The first thing found wrong, with its place.
pub fn read_value(text: &str) -> Result<Bson, TextError> {
    text::read_value(text, Dialect::Shell)
}
