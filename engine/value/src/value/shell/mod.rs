//! mongosh literals: text to BSON and back, and commands as mongosh lines.
//!
//! Where mongosh goes through JavaScript numbers, this reader keeps what is written: `1.0` is a
//! double, and a whole number beyond 32 bits is an int64. The writer marks both so that mongosh
//! itself reads them back rightly: `Double(1.0)`, `Long('5')`.
//!
//! The parser reads no clock. A reader whose name ends with `_at` takes the present time from its
//! caller and accepts what depends on it: `new Date()`, `ISODate()`, `Date.now() - 60 * 1000`,
//! `ObjectId()` and `UUID()`. Whatever the user types is read by one of these.

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
    read(text, None)
}

/// Reads one document as mongosh would at this time, in ms since 1970.
///
/// # Errors
/// As [`read_document`].
pub fn read_document_at(text: &str, now_ms: i64) -> Result<Document, TextError> {
    read(text, Some(now_ms))
}

fn read(text: &str, now_ms: Option<i64>) -> Result<Document, TextError> {
    let document = text::read_document(text, Dialect::Shell, now_ms)?;
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
    text::read_value(text, Dialect::Shell, None)
}

/// Reads one value as mongosh would at this time, in ms since 1970.
///
/// # Errors
/// As [`read_value`].
pub fn read_value_at(text: &str, now_ms: i64) -> Result<Bson, TextError> {
    text::read_value(text, Dialect::Shell, Some(now_ms))
}

/// Reads values that follow one another, as mongosh would at this time, in ms since 1970: one on
/// each line, say, or with commas between them. There is at least one.
///
/// # Errors
/// The first thing found wrong, with its place.
pub fn read_values_at(text: &str, now_ms: i64) -> Result<Vec<Bson>, TextError> {
    text::read_values(text, Dialect::Shell, Some(now_ms))
}

#[cfg(test)]
mod tests {
    use bson::bson;

    use super::*;

    #[test]
    fn values_follow_one_another() {
        let check = |text: &str, expected: &[Bson]| {
            assert_eq!(read_values_at(text, 0).as_deref(), Ok(expected), "{text}");
        };
        check("{a: 1}", &[bson!({"a": 1})]);
        check("{\"a\": 1}\n{\"a\": 2}\n\n", &[bson!({"a": 1}), bson!({"a": 2})]);
        check("{a: 1}, // one\n{a: 2},", &[bson!({"a": 1}), bson!({"a": 2})]);
        check("[{a: 1}]{}", &[bson!([{"a": 1}]), bson!({})]);
        for (text, line, column) in [("", 1, 1), ("{a: 1}\n{a: }", 2, 5), ("{},,", 1, 4)] {
            let error = read_values_at(text, 0).expect_err(text);
            assert_eq!((error.line, error.column), (line, column), "{text}: {error}");
        }
    }
}
