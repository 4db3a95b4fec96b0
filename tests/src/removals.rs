//! The documents of the tests about removed documents: all of them are due at once.

use bson::{DateTime, Document, doc};

/// Database of the test.
pub const DB: &str = "removals";

/// Collection of the test.
pub const COLLECTION: &str = "c";

/// Documents inserted in one step.
pub const STEP: i64 = 20;

/// The instant of the paused clock, in milliseconds since 1970.
pub const NOW_MS: i64 = 1_700_000_000_000;

/// The document with number `number`.
pub fn document(number: i64) -> Document {
    let size = usize::try_from(number.rem_euclid(41)).unwrap_or_default() * 9;
    doc! {
        "_id": number,
        "at": DateTime::from_millis(NOW_MS - 1_000),
        "tags": [number % 7, "all"],
        "payload": format!("{number}:{}", "x".repeat(size)),
    }
}
