//! The archive of a collection.

use bson::{Bson, Document, doc};

/// The status of all archives of a database.
pub fn status() -> Document {
    doc! { "mayflyArchives": 1 }
}

/// A page of archived documents, after the place that the last page named.
pub fn page(
    collection: &str,
    rows: i32,
    filter: Option<&Document>,
    after: Option<Document>,
) -> Document {
    let mut command = doc! { "mayflyArchived": collection, "limit": rows };
    if let Some(filter) = filter {
        command.insert("filter", filter.clone());
    }
    if let Some(after) = after {
        command.insert("after", after);
    }
    command
}

/// Turns archiving on or changes it; an empty target is the data folder.
pub fn turn_on(
    collection: &str,
    target: &str,
    max_bytes: Option<u64>,
    max_age_secs: Option<u64>,
) -> Document {
    let mut command = doc! { "mayflyArchive": collection };
    if !target.is_empty() {
        command.insert("target", target);
    }
    for (name, limit) in [("maxBytes", max_bytes), ("maxAgeSecs", max_age_secs)] {
        if let Some(limit) = limit.and_then(|limit| i64::try_from(limit).ok()) {
            command.insert(name, limit);
        }
    }
    command
}

pub fn turn_off(collection: &str) -> Document {
    doc! { "mayflyArchive": collection, "off": true }
}

/// Restores documents. The command carries the filter of the list: an archive may hold several
/// versions of one `_id`, and the newest listed one is restored.
pub fn restore(collection: &str, ids: Vec<Bson>, filter: Option<&Document>) -> Document {
    let mut command = doc! { "mayflyRestoreArchived": collection, "ids": ids };
    if let Some(filter) = filter {
        command.insert("filter", filter.clone());
    }
    command
}
