//! Positions in a file.

use crate::value::extjson::Tally;

/// Where in a file a document or an error is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextPosition {
    /// Line, from 1; 0 in a file without lines. The row of a table that isn't text.
    pub line: u64,
    /// Column in characters, from 1; 0 in a file without lines.
    pub column: u64,
    /// Byte offset in the decompressed file, from 0.
    pub offset: u64,
    /// Number of the document in the file, from 1.
    pub document: u64,
}

impl TextPosition {
    /// Whether the file is text. In other files, places are rows, or documents and bytes.
    pub fn has_lines(&self) -> bool {
        self.line > 0 && self.column > 0
    }

    /// Whether the place is the row of a table that isn't text.
    pub fn is_row(&self) -> bool {
        self.line > 0 && self.column == 0
    }

    /// A row of a table that isn't text.
    pub(in crate::transfer) fn row(row: u64, document: u64) -> Self {
        Self { line: row, column: 0, offset: 0, document }
    }

    /// The position in words: `line 3, column 7, document 2`.
    pub fn words(&self) -> String {
        let Self { line, column, offset, document } = self;
        match (line, column) {
            (0, _) => format!("document {document}, byte {offset}"),
            (row, 0) => format!("row {row}"),
            _ => format!("line {line}, column {column}, document {document}"),
        }
    }

    /// Where the document starts, in words: `line 3`.
    pub fn start_words(&self) -> String {
        match (self.line, self.column) {
            (0, _) => format!("document {}", self.document),
            (row, 0) => format!("row {row}"),
            (line, _) => format!("line {line}"),
        }
    }

    pub(in crate::transfer) const START: Self = Self { line: 1, column: 1, offset: 0, document: 1 };

    /// The position after these bytes, within the same document.
    pub(in crate::transfer) fn after(self, bytes: &[u8]) -> Self {
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
    /// The position after a line of this length that holds one document and starts here.
    pub(in crate::transfer) fn after_line(self, bytes: usize) -> Self {
        Self {
            line: self.line + 1,
            column: 1,
            offset: self.offset + bytes as u64,
            document: self.document + 1,
        }
    }
}

/// Where reading a file continues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transfer) struct ResumePoint {
    pub position: TextPosition,
    pub tally: Tally,
    /// Whether that is in an array of JSON. `None` in other files, and in checkpoints of earlier
    /// versions.
    pub is_in_array: Option<bool>,
}

impl ResumePoint {
    pub(in crate::transfer) const START: Self =
        Self { position: TextPosition::START, tally: Tally::NONE, is_in_array: None };
}
