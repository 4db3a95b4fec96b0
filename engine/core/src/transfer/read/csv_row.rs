//! Splits CSV into rows and cells, without copying them.

use std::borrow::Cow;

use crate::transfer::limits::CSV_COLUMNS_MAX;

/// A cell as a range of the row's bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transfer) struct Cell {
    /// Offset of the cell, with its opening quote.
    pub at: usize,
    start: usize,
    end: usize,
    pub quoted: bool,
    /// Quotes in it are doubled.
    doubled: bool,
}

impl Cell {
    /// The text without its quotes. White space before unquoted text isn't part of it.
    pub(in crate::transfer) fn bytes<'r>(&self, row: &'r [u8]) -> Cow<'r, [u8]> {
        let bytes = row.get(self.start..self.end).unwrap_or_default();
        if !self.doubled {
            return Cow::Borrowed(if self.quoted { bytes } else { bytes.trim_ascii_start() });
        }
        let mut text = Vec::with_capacity(bytes.len());
        let mut parts = bytes.split(|byte| *byte == b'"');
        text.extend_from_slice(parts.next().unwrap_or_default());
        // Each pair has an empty part between its quotes.
        while parts.next().is_some() {
            text.push(b'"');
            text.extend_from_slice(parts.next().unwrap_or_default());
        }
        Cow::Owned(text)
    }

    /// Whether nothing is there, not even quotes: a missing value. `""` is empty text.
    pub(in crate::transfer) fn is_missing(&self, row: &[u8]) -> bool {
        !self.quoted
            && row.get(self.start..self.end).is_none_or(|text| text.trim_ascii().is_empty())
    }

    /// The part of the text that may be a number: white space after unquoted text isn't.
    pub(in crate::transfer) fn number_text<'t>(&self, text: &'t str) -> &'t str {
        if self.quoted { text } else { text.trim_ascii_end() }
    }

    /// Offset in the row of this byte of the text.
    pub(in crate::transfer) fn offset(&self, byte: usize) -> usize {
        self.start + byte
    }
}

/// How the bytes at a position parse as a row.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::transfer) enum RowEnd {
    /// The row's length in bytes with its line ending.
    Complete(usize),
    /// The row continues after these bytes. Offset of the unclosed quote, or 0.
    Unterminated(usize),
    /// An error at this byte offset.
    Invalid(usize, &'static str),
    /// Offset of the first excess cell, and the row's length in bytes with its line ending.
    TooWide(usize, usize),
}

/// Splits the row at the start of `bytes` into `cells`. A quoted cell may hold line breaks, and a
/// doubled quote is one quote. Excess cells are skipped without being stored: there can be
/// millions.
pub(in crate::transfer) fn split(
    bytes: &[u8],
    separator: u8,
    ended: bool,
    cells: &mut Vec<Cell>,
) -> RowEnd {
    cells.clear();
    let mut at = 0;
    let mut beyond = None;
    loop {
        let lead = at + space(bytes, at, separator);
        let cell = if bytes.get(lead) == Some(&b'"') {
            let Some(cell) = quoted(bytes, lead) else { return RowEnd::Unterminated(lead) };
            at = cell.end + 1;
            let after = at + space(bytes, at, separator);
            let ends =
                bytes.get(after).is_none_or(|byte| *byte == separator || b"\r\n".contains(byte));
            at = if ends { after } else { at };
            cell
        } else {
            let start = at;
            let rest = bytes.get(at..).unwrap_or_default();
            let end = rest.iter().position(|byte| *byte == separator || *byte == b'\n');
            at += end.unwrap_or(rest.len());
            let is_last = bytes.get(at).is_none_or(|byte| *byte == b'\n');
            let return_at = at.checked_sub(1).filter(|last| is_last && *last >= start);
            let returns = return_at.is_some_and(|last| bytes.get(last) == Some(&b'\r'));
            let end = at - usize::from(returns);
            Cell { at: start, start, end, quoted: false, doubled: false }
        };
        if cells.len() < CSV_COLUMNS_MAX {
            cells.push(cell);
        } else {
            beyond = beyond.or(Some(cell.at));
        }
        let length = match (bytes.get(at), bytes.get(at + 1)) {
            (Some(byte), _) if *byte == separator => {
                at += 1;
                continue;
            }
            (Some(b'\r'), Some(b'\n')) => at + 2,
            (None, _) | (Some(b'\r'), None) if !ended => return RowEnd::Unterminated(0),
            (Some(b'\n'), _) | (Some(b'\r'), None) => at + 1,
            (None, _) => at,
            _ if cell.quoted => {
                let what = "expected a separator or line ending after the closing quote";
                return RowEnd::Invalid(at, what);
            }
            _ => return RowEnd::Invalid(at, "unexpected character"),
        };
        return match beyond {
            None => RowEnd::Complete(length),
            Some(at) => RowEnd::TooWide(at, length),
        };
    }
}

/// Whether a row holds nothing.
pub(in crate::transfer) fn is_blank(cells: &[Cell], row: &[u8]) -> bool {
    matches!(cells, [only] if only.is_missing(row))
}

/// Bytes of white space that is not a separator.
fn space(bytes: &[u8], from: usize, separator: u8) -> usize {
    let bytes = bytes.get(from..).unwrap_or_default();
    bytes.iter().take_while(|byte| b" \t".contains(byte) && **byte != separator).count()
}

/// The cell whose opening quote is at this offset; `None` without its closing quote.
fn quoted(bytes: &[u8], at: usize) -> Option<Cell> {
    let start = at + 1;
    let (mut end, mut doubled) = (start, false);
    loop {
        end += memchr::memchr(b'"', bytes.get(end..)?)?;
        if bytes.get(end + 1) != Some(&b'"') {
            return Some(Cell { at, start, end, quoted: true, doubled });
        }
        (end, doubled) = (end + 2, true);
    }
}
