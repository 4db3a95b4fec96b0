//! Why a command of the command line failed.

use crate::job::instant_ms;

/// Why a command failed: one sentence for standard error.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Failure(pub String);

impl Failure {
    /// From an error whose text is a sentence.
    pub(super) fn from_error(error: impl std::fmt::Display) -> Self {
        Self(error.to_string())
    }
}

/// The instant that an option names, in milliseconds since 1970.
pub(super) fn start_ms(option: &str, text: &str) -> Result<i64, Failure> {
    instant_ms(text).map_err(|sentence| Failure(format!("{option} {sentence}.")))
}
