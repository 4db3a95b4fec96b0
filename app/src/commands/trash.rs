//! The trash: `of` is a collection, or 1 on `admin` for all of them.

use bson::{Bson, Document, doc};

use super::smallest_int;

/// Sets how long removed documents are kept; 0 turns the trash off.
#[must_use]
pub fn keep(secs: i64) -> Document {
    doc! { "setParameter": 1, "mayflyTrashSecs": smallest_int(secs) }
}

/// A page of the trash, after the row with this number.
#[must_use]
pub fn page(of: Bson, rows: i32, after: Option<i64>) -> Document {
    let mut command = doc! { "mayflyTrash": of, "limit": rows };
    if let Some(after) = after {
        command.insert("after", after);
    }
    command
}

/// Restores everything.
#[must_use]
pub fn restore_all(of: Bson) -> Document {
    doc! { "mayflyRestoreTrash": of }
}

/// Restores what one pass removed.
#[must_use]
pub fn restore_pass(of: Bson, pass: i64) -> Document {
    doc! { "mayflyRestoreTrash": of, "pass": pass }
}

/// Restores documents by their `_id`.
#[must_use]
pub fn restore_ids(collection: &str, ids: Vec<Bson>) -> Document {
    doc! { "mayflyRestoreTrash": collection, "ids": ids }
}
