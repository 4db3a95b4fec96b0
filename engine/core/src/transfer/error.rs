//! Errors of imports and exports.

use std::{io, path::Path};

use thiserror::Error;

use super::read::source::is_canceled;
use crate::{collection::WriteError, plan::PlanError, query::QueryError, store::StoreError};

/// Why an import or export could not start or continue. Each text is a sentence for the user.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TransferError {
    /// A file can't be opened, read or written.
    #[error("{path}: {reason}.")]
    File {
        /// The file.
        path: String,
        /// The system's reason.
        reason: String,
    },
    /// The file can't be imported.
    #[error("{path}: {what}.")]
    NotReadable {
        /// The file.
        path: String,
        /// The contents, then what to do.
        what: String,
    },
    /// The target of an export is refused.
    #[error("Can't write {path}: {what}.")]
    Target {
        /// The target.
        path: String,
        /// Why, and what to do.
        what: String,
    },
    /// The collection to export doesn't exist.
    #[error("Collection {namespace} not found.")]
    NoCollection {
        /// Its name.
        namespace: String,
    },
    /// The collection was dropped or replaced during the export; nothing was written.
    #[error(
        "The collection {namespace} was dropped or replaced during the export. Nothing was written."
    )]
    CollectionGone {
        /// Its name.
        namespace: String,
    },
    /// An unfinished import can't be resumed, rolled back or dismissed; as a sentence.
    #[error("{what}")]
    Unfinished {
        /// Why, and what to do.
        what: String,
    },
    /// The server or store that the documents go to refused; as a sentence.
    #[error("{what}")]
    Elsewhere {
        /// Why.
        what: String,
    },
    /// The user canceled; nothing was written.
    #[error("Canceled. Nothing was written.")]
    Cancelled,
    /// The filter failed on a document; nothing was written.
    #[error("Nothing was written: {0}.")]
    Filter(#[from] QueryError),
    /// The query can't be planned, or a step of it failed; nothing was written.
    #[error("Nothing was written: {0}.")]
    Search(#[from] PlanError),
    /// The store refused or failed.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Internal error.
    #[error("Internal error during import or export: {what}. Please report this.")]
    Bug {
        /// The broken invariant.
        what: String,
    },
}

impl From<StoreError> for TransferError {
    fn from(error: StoreError) -> Self {
        Self::Write(WriteError::Store(error))
    }
}

impl TransferError {
    pub(super) fn file(path: &Path, error: &io::Error) -> Self {
        if is_canceled(error) {
            return Self::Cancelled;
        }
        if error.kind() != io::ErrorKind::PermissionDenied && is_url(path) {
            let path = path.display().to_string();
            return Self::NotReadable { path, what: format!("it {URL}") };
        }
        Self::File { path: path.display().to_string(), reason: io_reason(error) }
    }

    pub(super) fn target(path: &Path, what: impl Into<String>) -> Self {
        Self::Target { path: path.display().to_string(), what: what.into() }
    }
}

/// How to open the file at a URL.
pub const URL: &str = "is a URL and not a file; download it, then open the file";

/// Whether a path is the address of something on the web, which no file has.
pub fn is_url(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let scheme = text.split_once(":/").map_or("", |(scheme, _)| scheme);
    ["http", "https", "ftp", "s3", "gs", "file"].contains(&&*scheme.to_ascii_lowercase())
}

/// The reason of a failed file operation in plain words.
pub(super) fn io_reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "file not found".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder, not a file".to_owned(),
        _ => {
            let text = error.to_string();
            text.split(" (os error").next().unwrap_or_default().to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_no_path() {
        for (text, expected) in [
            ("https://example.com/a.json", true),
            ("HTTP://example.com", true),
            ("file:///tmp/a.json", true),
            // Two slashes of a path are one.
            ("s3:/bucket/a.csv", true),
            ("/tmp/http/a.json", false),
            ("C:/a.json", false),
            ("a.json", false),
        ] {
            assert_eq!(is_url(Path::new(text)), expected, "{text}");
            let error = TransferError::file(Path::new(text), &io::ErrorKind::NotFound.into());
            assert_eq!(error.to_string().contains("download it"), expected, "{error}");
        }
    }
}
