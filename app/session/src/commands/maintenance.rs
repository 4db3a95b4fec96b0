//! Maintenance of the store, on `admin`.

use std::path::Path;

use bson::{Document, doc};

/// Reads Mayfly's part of the server status alone.
pub fn status() -> Document {
    doc! { "serverStatus": 1, "none": 1, "mayfly": 1 }
}

/// Starts the scrub, or stops it.
pub fn scrub(start: bool) -> Document {
    doc! { "mayflyScrub": if start { "start" } else { "stop" } }
}

/// Writes a backup.
pub fn backup(file: &Path) -> Document {
    doc! { "mayflyBackup": 1, "to": file.to_string_lossy().into_owned() }
}
