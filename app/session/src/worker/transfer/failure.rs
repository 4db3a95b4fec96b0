//! Why nothing was done with a file.

use std::path::PathBuf;

use mayfly_engine::transfer::TransferError;

/// Why nothing was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Failure {
    /// The user canceled.
    Cancelled,
    /// These files already exist.
    Exists(Vec<PathBuf>),
    /// Something failed: one sentence.
    Failed(String),
}

impl From<TransferError> for Failure {
    fn from(error: TransferError) -> Self {
        match error {
            TransferError::Cancelled => Self::Cancelled,
            other => Self::Failed(other.to_string()),
        }
    }
}

impl From<String> for Failure {
    fn from(sentence: String) -> Self {
        Self::Failed(sentence)
    }
}
