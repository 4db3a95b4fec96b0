//! Splits CSV into rows and cells, without copying them.

use std::borrow::Cow;

use crate::transfer::limits::CSV_COLUMNS_MAX;

/// The signs of a CSV file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transfer) struct CsvSigns {
    pub separator: u8,
    /// A backslash takes the next byte as text, also a quote or a separator.
    pub escapes: bool,
}

impl CsvSigns {
    /// A file where only quotes keep separators apart.
    pub(in crate::transfer) fn plain(separator: u8) -> Self {
        Self { separator, escapes: false }
    }
}

const ESCAPE: u8 = b'\\';

const AFTER_QUOTE: &str = "expected a separator or line ending after the closing quote";
const ESCAPED_QUOTE: &str = "expected a separator or line ending after the closing quote; if a \
                             backslash escapes it, choose that (--backslash-escapes)";

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
    /// Backslashes in it are escapes.
    escaped: bool,
}

impl Cell {
    /// The text without its quotes.
    pub(in crate::transfer) fn bytes<'r>(&self, row: &'r [u8]) -> Cow<'r, [u8]> {
        let bytes = row.get(self.start..self.end).unwrap_or_default();
        if !self.doubled && !self.escaped {
            return Cow::Borrowed(bytes);
        }
        let (mut text, mut rest) = (Vec::with_capacity(bytes.len()), bytes);
        while let Some((byte, after)) = rest.split_first() {
            let is_pair = (*byte == ESCAPE && self.escaped)
                || (*byte == b'"' && self.doubled && after.first() == Some(&b'"'));
            let (kept, next) = match after.split_first() {
                Some((second, next)) if is_pair => (second, next),
                _ => (byte, after),
            };
            text.push(*kept);
            rest = next;
        }
        Cow::Owned(text)
    }

    /// Whether nothing is there, not even quotes or blanks.
    pub(in crate::transfer) fn is_empty(&self) -> bool {
        !self.quoted && self.start >= self.end
    }

    /// Whether no value is there unless the column is text: at most blanks without quotes. `""` is
    /// empty text.
    pub(in crate::transfer) fn is_missing(&self, row: &[u8]) -> bool {
        !self.quoted
            && row.get(self.start..self.end).is_none_or(|text| text.trim_ascii().is_empty())
    }

    /// The part of the text that may be a number: blanks around unquoted text aren't.
    pub(in crate::transfer) fn number_text<'t>(&self, text: &'t str) -> &'t str {
        if self.quoted { text } else { text.trim_ascii() }
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
    signs: CsvSigns,
    ended: bool,
    cells: &mut Vec<Cell>,
) -> RowEnd {
    let CsvSigns { separator, escapes } = signs;
    cells.clear();
    let mut at = 0;
    let mut beyond = None;
    loop {
        let lead = at + space(bytes, at, separator);
        let cell = if bytes.get(lead) == Some(&b'"') {
            let Some(cell) = quoted(bytes, lead, escapes) else {
                return RowEnd::Unterminated(lead);
            };
            at = cell.end + 1;
            let after = at + space(bytes, at, separator);
            let ends =
                bytes.get(after).is_none_or(|byte| *byte == separator || b"\r\n".contains(byte));
            at = if ends { after } else { at };
            cell
        } else {
            let start = at;
            let rest = bytes.get(at..).unwrap_or_default();
            let (length, escaped) = text_length(rest, signs);
            at += length;
            let is_last = bytes.get(at).is_none_or(|byte| *byte == b'\n');
            let return_at = at.checked_sub(1).filter(|last| is_last && *last >= start);
            let returns = return_at.is_some_and(|last| bytes.get(last) == Some(&b'\r'));
            let end = at - usize::from(returns);
            // MySQL's mark of a missing value.
            let is_null = escaped && bytes.get(start..end) == Some(b"\\N");
            let end = if is_null { start } else { end };
            Cell { at: start, start, end, quoted: false, doubled: false, escaped }
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
                let is_escape = !escapes && bytes.get(cell.end.wrapping_sub(1)) == Some(&ESCAPE);
                return RowEnd::Invalid(at, if is_escape { ESCAPED_QUOTE } else { AFTER_QUOTE });
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

/// Bytes up to the next separator or line break, and whether an escape is among them.
fn text_length(bytes: &[u8], signs: CsvSigns) -> (usize, bool) {
    let is_end = |byte: &u8| *byte == signs.separator || *byte == b'\n';
    if !signs.escapes {
        return (bytes.iter().position(is_end).unwrap_or(bytes.len()), false);
    }
    let (mut at, mut escaped) = (0, false);
    while let Some(byte) = bytes.get(at).filter(|byte| !is_end(byte)) {
        escaped |= *byte == ESCAPE;
        at += if *byte == ESCAPE { 2 } else { 1 };
    }
    (at.min(bytes.len()), escaped)
}

/// The cell whose opening quote is at this offset; `None` without its closing quote.
fn quoted(bytes: &[u8], at: usize, escapes: bool) -> Option<Cell> {
    let start = at + 1;
    let (mut end, mut doubled, mut escaped) = (start, false, false);
    loop {
        let rest = bytes.get(end..)?;
        end += if escapes {
            memchr::memchr2(b'"', ESCAPE, rest)?
        } else {
            memchr::memchr(b'"', rest)?
        };
        if bytes.get(end) == Some(&ESCAPE) {
            (end, escaped) = (end + 2, true);
        } else if bytes.get(end + 1) == Some(&b'"') {
            (end, doubled) = (end + 2, true);
        } else {
            return Some(Cell { at, start, end, quoted: true, doubled, escaped });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_takes_the_next_byte_as_text() {
        let check = |row: &str, expected: &[&str]| {
            let signs = CsvSigns { separator: b',', escapes: true };
            let mut cells = Vec::new();
            let end = split(row.as_bytes(), signs, true, &mut cells);
            assert_eq!(end, RowEnd::Complete(row.len()), "{row}");
            let text = |cell: &Cell| {
                let bytes = cell.bytes(row.as_bytes()).into_owned();
                if cell.is_empty() {
                    "missing".to_owned()
                } else {
                    String::from_utf8(bytes).unwrap()
                }
            };
            assert_eq!(cells.iter().map(text).collect::<Vec<_>>(), expected, "{row}");
        };
        check(r#""He said \"hi\"",x"#, &["He said \"hi\"", "x"]);
        check("a\\,b,c\\\\\r\n", &["a,b", "c\\"]);
        check("\\N,\"\\N\",\"a\"\"b\\\\\"", &["missing", "N", "a\"b\\"]);
        check("a\\\nb,c\n", &["a\nb", "c"]);
        check("a\\", &["a\\"]);
    }
}
