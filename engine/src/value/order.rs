//! MongoDB's order over all BSON values.

use std::cmp::Ordering;

use bson::raw::{RawBsonRef, RawDocument};

/// Compares two values as MongoDB sorts them.
pub fn compare(a: RawBsonRef<'_>, b: RawBsonRef<'_>) -> Ordering {
    todo!("{a:?} {b:?}")
}

/// Compares two documents field by field: class of the value, then name, then value.
pub fn compare_documents(a: &RawDocument, b: &RawDocument) -> Ordering {
    todo!("{a:?} {b:?}")
}

/// The class of a value in MongoDB's order, with MongoDB's own class numbers (`MinKey` 1 …
/// Date 45, Timestamp 47 … `MaxKey` 127). Undefined (3) sorts just below null (5).
pub fn type_rank(value: RawBsonRef<'_>) -> u8 {
    todo!("{value:?}")
}

/// Whether MongoDB takes the two for the same value: `1`, `1.0` and `NumberLong(1)` are.
pub fn same_value(a: RawBsonRef<'_>, b: RawBsonRef<'_>) -> bool {
    compare(a, b) == Ordering::Equal
}
