//! Errors in text, with their place.

/// Why a text could not be read, and where.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message} (line {line}, column {column})")]
pub struct TextError {
    /// One sentence that says what is wrong and what to do.
    pub message: String,
    /// Offset in bytes.
    pub offset: usize,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}
