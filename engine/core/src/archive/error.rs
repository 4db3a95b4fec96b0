//! Errors of archives.

use std::io;

use thiserror::Error;

use crate::{catalog::CatalogError, collection::WriteError, store::StoreError};

/// A failure of an archive. Each kind's text is a sentence for the user.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ArchiveError {
    /// The folder or bucket can't be written or read.
    #[error("{what}.")]
    Backend {
        /// The operation, and why it failed.
        what: String,
    },
    /// Documents can't be archived, so they wait in the trash.
    #[error(
        "Can't write the archive of {namespace}, so removed documents stay in the trash: {reason}"
    )]
    Waiting {
        /// The collection.
        namespace: String,
        /// The failure as a sentence.
        reason: String,
    },
    /// A setting is invalid.
    #[error("{message}")]
    BadSetting {
        /// Names the setting, and what to change.
        message: String,
    },
    /// This build does not support it.
    #[error("{message}")]
    NotSupported {
        /// Names the missing feature.
        message: String,
    },
    /// The collection has no archive.
    #[error("the collection {namespace} has no archive")]
    NoArchive {
        /// The collection.
        namespace: String,
    },
    /// There is no such collection.
    #[error("the collection {namespace} does not exist")]
    NoCollection {
        /// Its name.
        namespace: String,
    },
    /// The collection can't have one: it is a view or a time-series collection.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The archive's contents are not what was written.
    #[error("The archive is damaged: {what}.")]
    Damaged {
        /// Names the segment and the damage.
        what: String,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The rows could not be taken out of the trash.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl ArchiveError {
    /// A failed call of the operating system; `tried` begins a sentence ("Can't write the archive").
    pub(super) fn io(tried: &str, error: &io::Error) -> Self {
        let why = match error.kind() {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "the disk is full".into(),
            _ => error.to_string(),
        };
        Self::Backend { what: format!("{tried}: {why}") }
    }

    pub(super) fn bad(message: impl Into<String>) -> Self {
        Self::BadSetting { message: message.into() }
    }
}
