//! The trash: `of` is a collection, or 1 on `admin` for all of them.

use bson::{Bson, Document, doc};

use super::smallest_int;
use crate::job::TrashScope;
use crate::limits::BULK_STEP_DOCUMENTS;

/// Sets how long removed documents are kept; 0 turns the trash off.
pub fn keep(secs: i64) -> Document {
    doc! { "setParameter": 1, "mayflyTrashSecs": smallest_int(secs) }
}

/// A page of the trash, after the row with this number.
pub fn page(of: Bson, rows: i32, after: Option<i64>) -> Document {
    let mut command = doc! { "mayflyTrash": of, "limit": rows };
    if let Some(after) = after {
        command.insert("after", after);
    }
    command
}

/// Counts the documents of the trash: the reply has the number as `matching`.
pub fn count(scope: &TrashScope) -> Document {
    let mut command = doc! { "mayflyTrash": scope.home().1, "limit": 1, "count": true };
    command.extend(scope.pass.map(|pass| ("pass".to_owned(), pass.into())));
    command
}

/// One step of restoring everything, or what one pass removed. `after` is the `next` of the step
/// before.
pub fn restore_step(scope: &TrashScope, after: Option<i64>) -> Document {
    let documents = i32::try_from(BULK_STEP_DOCUMENTS).unwrap_or(i32::MAX);
    let mut command = doc! { "mayflyRestoreTrash": scope.home().1 };
    command.extend(scope.pass.map(|pass| ("pass".to_owned(), pass.into())));
    command.insert("limit", documents);
    command.extend(after.map(|after| ("after".to_owned(), after.into())));
    command
}

pub fn restore_ids(collection: &str, ids: Vec<Bson>) -> Document {
    doc! { "mayflyRestoreTrash": collection, "ids": ids }
}
