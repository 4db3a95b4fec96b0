//! The items that a file is read as.

use crate::transfer::TextPosition;
use crate::transfer::limits::REJECT_TEXT_BYTES_MAX;

/// The next item of a file.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::transfer) enum Item {
    /// A document, see `Records::document`, and where it starts.
    Document(TextPosition),
    /// An unreadable record. Reading can continue unless it is fatal.
    Bad(BadRecord),
    End,
}

/// A record that is not a valid document.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::transfer) struct BadRecord {
    pub position: TextPosition,
    /// Line where the document starts, at most that of `position`.
    pub start_line: u64,
    /// States the problem, then what to do. No period at the end.
    pub reason: String,
    /// Its text, at most [`REJECT_TEXT_BYTES_MAX`] bytes.
    pub text: Vec<u8>,
    /// The rest of the file can't be read.
    pub fatal: bool,
}

impl BadRecord {
    pub(in crate::transfer) fn new(
        position: TextPosition,
        reason: impl Into<String>,
        text: &[u8],
        fatal: bool,
    ) -> Self {
        let kept = text.get(..REJECT_TEXT_BYTES_MAX).unwrap_or(text);
        let start_line = position.line;
        Self { position, start_line, reason: reason.into(), text: kept.to_vec(), fatal }
    }

    /// Sets the line where the document starts.
    pub(in crate::transfer) fn started(self, line: u64) -> Self {
        Self { start_line: line.min(self.position.line), ..self }
    }
}
