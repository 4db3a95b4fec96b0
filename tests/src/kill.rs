//! What the kill test's writer writes, so that its judge can tell what must be there.

use bson::{DateTime, Document, doc};

/// Database of the test.
pub const DB: &str = "kill";

/// Collection of the test.
pub const COLLECTION: &str = "steps";

/// Documents inserted in one step.
pub const STEP: i64 = 20;

/// Documents kept behind the newest; older ones are deleted.
pub const KEPT: i64 = 400;

/// The document with number `number`, as inserted.
#[must_use]
pub fn document(number: i64) -> Document {
    let size = usize::try_from(number.rem_euclid(37)).unwrap_or_default() * 8;
    doc! {
        "_id": number,
        "at": DateTime::from_millis(number * 1000),
        "tags": [number % 7, number % 11, "all"],
        "payload": format!("{number}:{}", "x".repeat(size)),
    }
}

/// The fields that a step sets on its first document.
#[must_use]
pub fn marked(number: i64) -> Document {
    doc! { "marked": true, "at": DateTime::from_millis(number * 1000 + 500) }
}
