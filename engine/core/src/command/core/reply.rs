//! Small parts of replies: numbers as MongoDB writes them, documents as raw bytes.

use bson::{Bson, Document, raw::RawDocumentBuf};

use super::CommandError;
pub use crate::value::shortest;

/// A count as an int64.
pub fn long(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// int32 where it fits, else int64.
pub fn int32_or_long(number: i64) -> Bson {
    i32::try_from(number).map_or(Bson::Int64(number), Bson::Int32)
}

/// A decoded document as raw bytes.
///
/// # Errors
/// `InvalidBSON` when a name holds a NUL character.
pub fn raw(document: &Document) -> Result<RawDocumentBuf, CommandError> {
    Ok(RawDocumentBuf::try_from(document)?)
}
