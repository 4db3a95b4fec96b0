//! The archive of a collection.

use bson::{Document, doc};

/// The status of all archives of a database; on `admin`, of all.
pub fn status() -> Document {
    doc! { "mayflyArchives": 1 }
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
