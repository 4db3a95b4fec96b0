//! Why a collection or a database can't be used.

use super::{CatalogError, CatalogErrorKind};

/// Why a collection can't be used. Its name stays taken and its record unchanged.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ClosedReason {
    /// Another version wrote it and this one can't read it. The text is part of a sentence.
    Unknown(String),
    /// The definition does not match its checksum.
    Damaged,
}

impl ClosedReason {
    /// The reason, as part of a sentence.
    pub fn reason(&self) -> &str {
        match self {
            Self::Unknown(reason) => reason,
            Self::Damaged => "its definition is damaged: it does not match its checksum",
        }
    }

    /// The error for any use of `what`.
    pub(super) fn error(&self, what: &str) -> CatalogError {
        let reason = self.reason();
        let remedy = match self {
            Self::Unknown(_) => {
                "open the store with the version of Mayfly that wrote it, or a newer one"
            }
            Self::Damaged => "restore a backup from before the damage",
        };
        CatalogError::new(
            CatalogErrorKind::CommandNotSupported,
            format!(
                "{what} is unavailable: {reason}. Its documents are kept and don't expire; \
                 {remedy}. Until then you can't read, write, rename, drop or export it"
            ),
        )
    }
}
