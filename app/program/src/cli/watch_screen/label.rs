//! Data as text for a terminal.

use bson::Bson;
use mayfly_engine::value::{Layout, shell::write_value};

use crate::{
    cli::limits::WATCH_ID_CHARS_MAX,
    job::invisible::{mark, with_marks},
};

/// An `_id` as a short text: the text of a string, the digits of an `ObjectId`.
pub(super) fn label(id: &Bson) -> String {
    let text = match id {
        Bson::String(text) => text.chars().take(WATCH_ID_CHARS_MAX + 1).collect(),
        Bson::ObjectId(id) => id.to_hex(),
        other => write_value(other, Layout::OneLine),
    };
    match text.char_indices().nth(WATCH_ID_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// `text` with marks for characters that can't be seen, and for those whose width terminals don't
/// agree on: parts of emoji that join with the character before them.
pub(super) fn safe(text: &str) -> String {
    if text.is_ascii() {
        return with_marks(text);
    }
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        if let Some(mark) = mark(c) {
            safe.push_str(&mark);
        } else if joins(c) {
            safe.extend(c.escape_unicode());
        } else {
            safe.push(c);
        }
    }
    safe
}

/// Variation selectors, the keycap, letters of flags, tones of skin.
fn joins(c: char) -> bool {
    matches!(
        c,
        '\u{fe00}'..='\u{fe0f}'
            | '\u{20e3}'
            | '\u{1f1e6}'..='\u{1f1ff}'
            | '\u{1f3fb}'..='\u{1f3ff}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

#[cfg(test)]
mod tests {
    use bson::oid::ObjectId;

    use super::*;

    #[test]
    fn an_id_is_a_short_text() {
        assert_eq!(label(&Bson::String("cart-1".to_owned())), "cart-1");
        assert_eq!(label(&Bson::Int64(7)), "Long('7')");
        let id = ObjectId::parse_str("6b05b228764665c6126f40d2").unwrap();
        assert_eq!(label(&Bson::ObjectId(id)), "6b05b228764665c6126f40d2");
        let long = label(&Bson::String("é".repeat(1_000)));
        assert_eq!(long.chars().count(), WATCH_ID_CHARS_MAX + 1);
    }

    #[test]
    fn a_terminal_is_not_commanded_by_data() {
        let check = |text: &str, expected: &str| assert_eq!(safe(text), expected);
        check("a\u{1b}[2Jb", r"a\u{1b}[2Jb");
        check("王小明 שלום", "王小明 שלום");
        check("c\u{202e}d", r"c\u{202e}d");
        check("❤\u{fe0f}", r"❤\u{fe0f}");
        check("\u{1f1f9}\u{1f1f7}", r"\u{1f1f9}\u{1f1f7}");
        check("\u{1f468}\u{200d}\u{1f469}", "\u{1f468}\\u{200d}\u{1f469}");
    }
}
