//! Removed documents: the rows of the trash, and those that were moved to archives.

use bson::{Bson, Document, doc};

use super::smallest_int;
use crate::job::TrashScope;
use crate::limits::BULK_STEP_DOCUMENTS;

/// Sets how long removed documents are kept; 0 turns the trash off.
pub fn keep(secs: i64) -> Document {
    doc! { "setParameter": 1, "mayflyTrashSecs": smallest_int(secs) }
}

/// A page of the list, newest first, after the place that the last page named.
pub fn page(scope: &TrashScope, rows: i32, has_documents: bool, after: Option<Bson>) -> Document {
    let mut command = about("mayflyTrash", scope);
    command.insert("limit", rows);
    if has_documents {
        command.insert("documents", true);
    }
    command.extend(after.map(|after| ("after".to_owned(), after)));
    command
}

/// Counts the documents: the reply has the number as `matching`.
pub fn count(scope: &TrashScope) -> Document {
    let mut command = about("mayflyTrash", scope);
    command.extend(doc! { "limit": 1, "count": true });
    command
}

/// One step of restoring all of a scope. `after` is the `next` of the step before.
pub fn restore_step(scope: &TrashScope, after: Option<Bson>) -> Document {
    let mut command = about("mayflyRestoreTrash", scope);
    command.insert("limit", i32::try_from(BULK_STEP_DOCUMENTS).unwrap_or(i32::MAX));
    command.extend(after.map(|after| ("after".to_owned(), after)));
    command
}

/// Restores documents of one collection. The command carries the filter of the list: several versions
/// of an `_id` may be kept, and the newest listed one is restored.
pub fn restore_ids(collection: &str, ids: Vec<Bson>, filter: Option<&Document>) -> Document {
    let mut command = doc! { "mayflyRestoreTrash": collection, "ids": ids };
    command.extend(filter.map(|filter| ("filter".to_owned(), filter.clone().into())));
    command.insert("archived", true);
    command
}

/// Removes the rows that wait for an archive which the store doesn't know.
pub fn discard(scope: &TrashScope) -> Document {
    doc! { "mayflyDiscardTrash": scope.home().1 }
}

fn about(name: &str, scope: &TrashScope) -> Document {
    let mut command = Document::new();
    command.insert(name, scope.home().1);
    command.extend(scope.pass.map(|pass| ("pass".to_owned(), pass.into())));
    command.extend(scope.filter.clone().map(|filter| ("filter".to_owned(), filter.into())));
    command.insert("archived", true);
    command
}
