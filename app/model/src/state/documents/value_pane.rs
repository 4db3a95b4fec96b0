//! One value in a pane: a long text, binary data, a deep array.

use bson::Bson;

use crate::limits::PANE_TEXT_BYTES_MAX;

/// A value that is shown whole.
#[derive(Debug, Clone, PartialEq)]
pub struct ValuePane {
    pub path: String,
    pub value: Bson,
    pub search: String,
}

/// One line of a hex dump.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HexLine {
    /// The place of the first byte.
    pub offset: String,
    /// The bytes.
    pub hex: String,
    /// The same as characters, with `.` for what has none.
    pub text: String,
}

/// Bytes in a line of a hex dump.
pub const HEX_BYTES: usize = 16;

impl ValuePane {
    /// Opens a value.
    pub fn new(path: String, value: Bson) -> Self {
        Self { path, value, search: String::new() }
    }

    /// Type and size, in one line.
    pub fn summary(&self) -> String {
        use super::super::number::{bytes, count, counted};
        match &self.value {
            Bson::String(text) => {
                let chars = counted(text.chars().count() as u64, "character", "characters");
                let lines = counted(text.lines().count().max(1) as u64, "line", "lines");
                format!("String, {chars}, {lines}, {}", bytes(text.len() as u64))
            }
            Bson::Binary(binary) => {
                let size = bytes(binary.bytes.len() as u64);
                format!("Binary of subtype {}, {size}", u8::from(binary.subtype))
            }
            Bson::Array(items) => {
                format!("Array of {}", counted(items.len() as u64, "item", "items"))
            }
            Bson::Document(fields) => {
                format!("Document with {}", counted(fields.len() as u64, "field", "fields"))
            }
            other => format!("{} of {}", count(1), super::FieldKind::of(other).label()),
        }
    }
}

/// The beginning of a text that can be laid out at once, and whether it is all of it.
pub fn beginning(text: &str) -> (&str, bool) {
    if text.len() <= PANE_TEXT_BYTES_MAX {
        return (text, true);
    }
    let end = (0..=PANE_TEXT_BYTES_MAX).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    (&text[..end], false)
}

/// Line `at` of a hex dump.
pub fn hex_line(bytes: &[u8], at: usize) -> HexLine {
    use std::fmt::Write as _;
    let from = (at * HEX_BYTES).min(bytes.len());
    let part = &bytes[from..(from + HEX_BYTES).min(bytes.len())];
    let mut hex = String::with_capacity(HEX_BYTES * 3 + 1);
    for (place, byte) in part.iter().enumerate() {
        let gap = if place == HEX_BYTES / 2 { "  " } else { " " };
        let gap = if place == 0 { "" } else { gap };
        // Writing to memory can't fail.
        let _ = write!(hex, "{gap}{byte:02x}");
    }
    let plain = |byte: &u8| if (0x20..0x7f).contains(byte) { char::from(*byte) } else { '.' };
    HexLine { offset: format!("{from:08x}"), hex, text: part.iter().map(plain).collect() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_lines_of_sixteen() {
        let bytes: Vec<u8> = (b'0'..=b'@').collect();
        let first = hex_line(&bytes, 0);
        assert_eq!(first.offset, "00000000");
        assert_eq!(first.hex, "30 31 32 33 34 35 36 37  38 39 3a 3b 3c 3d 3e 3f");
        assert_eq!(first.text, "0123456789:;<=>?");
        let second = hex_line(&bytes, 1);
        assert_eq!((second.offset.as_str(), second.hex.as_str()), ("00000010", "40"));
        assert_eq!(hex_line(&bytes, 9).hex, "");
        assert_eq!(hex_line(&[0, 0xff], 0).text, "..");
    }

    #[test]
    fn a_long_text_is_cut_between_characters() {
        let long = "ä".repeat(PANE_TEXT_BYTES_MAX);
        let (part, is_whole) = beginning(&long);
        assert!(!is_whole && part.len() <= PANE_TEXT_BYTES_MAX);
        assert_eq!(beginning("short"), ("short", true));
    }

    #[test]
    fn a_value_says_what_it_is() {
        let check = |value: Bson, expected: &str| {
            assert_eq!(ValuePane::new(String::new(), value).summary(), expected);
        };
        check("a\nb".into(), "String, 3 characters, 2 lines, 3 B");
        check(Bson::Array(vec![Bson::Null]), "Array of 1 item");
    }
}
