//! Where in a file something stands.

use crate::value::extjson::Tally;

/// Where in a file a document or an error stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPosition {
    /// Line, from 1.
    pub line: u64,
    /// Column in characters, from 1.
    pub column: u64,
    /// Bytes from the start of the unpacked file, from 0.
    pub offset: u64,
    /// Number of the document in the file, from 1.
    pub document: u64,
}

impl TextPosition {
    pub(super) const START: Self = Self { line: 1, column: 1, offset: 0, document: 1 };

    /// The place behind these bytes, within the same document.
    pub(super) fn after(self, bytes: &[u8]) -> Self {
        let last = memchr::memrchr(b'\n', bytes);
        let newlines = last.map_or(0, |_| memchr::memchr_iter(b'\n', bytes).count() as u64);
        let tail = bytes.get(last.map_or(0, |at| at + 1)..).unwrap_or_default();
        let characters = tail.iter().filter(|byte| **byte & 0xc0 != 0x80).count() as u64;
        Self {
            line: self.line + newlines,
            column: characters + if newlines == 0 { self.column } else { 1 },
            offset: self.offset + bytes.len() as u64,
            document: self.document,
        }
    }
}

impl TextPosition {
    /// The place behind a line of so many bytes that holds one document and begins here.
    pub(super) fn after_line(self, bytes: usize) -> Self {
        Self {
            line: self.line + 1,
            column: 1,
            offset: self.offset + bytes as u64,
            document: self.document + 1,
        }
    }
}

/// Where a file goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ResumePoint {
    /// The place.
    pub position: TextPosition,
    /// What of the values before it was not as Extended JSON has it.
    pub tally: Tally,
}

impl ResumePoint {
    /// The start of a file.
    pub(super) const START: Self = Self { position: TextPosition::START, tally: Tally::NONE };
}
