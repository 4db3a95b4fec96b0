//! The items that a file is read as.

use bson::RawDocument;

use crate::transfer::TextPosition;
use crate::transfer::limits::{REJECT_REST_BYTES_MAX, REJECT_TEXT_BYTES_MAX};
use crate::value::extjson::{Style, append_document};

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
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transfer) struct BadRecord {
    pub position: TextPosition,
    /// Line where the document starts, at most that of `position`.
    pub start_line: u64,
    /// States the problem, then what to do. No period at the end.
    pub reason: String,
    /// Its text, or the start of it.
    pub text: Vec<u8>,
    /// The text is longer.
    pub is_cut: bool,
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
        // A document is kept whole, unless it can't be one. The rest of a file may be long, too.
        let is_whole = !fatal && text.len() <= REJECT_TEXT_BYTES_MAX;
        let bytes_max = if is_whole { REJECT_TEXT_BYTES_MAX } else { REJECT_REST_BYTES_MAX };
        let kept = text.get(..bytes_max).unwrap_or(text);
        let (start_line, is_cut) = (position.line, kept.len() < text.len());
        Self { position, start_line, reason: reason.into(), text: kept.to_vec(), is_cut, fatal }
    }

    /// A document that can't be stored.
    pub(in crate::transfer) fn of(
        position: TextPosition,
        reason: String,
        document: &RawDocument,
    ) -> Self {
        let mut text = Vec::new();
        append_document(&mut text, document, Style::Canonical);
        Self::new(position, reason, &text, false)
    }

    /// Sets the line where the document starts.
    pub(in crate::transfer) fn started(self, line: u64) -> Self {
        Self { start_line: line.min(self.position.line), ..self }
    }
}
