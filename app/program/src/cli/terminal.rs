//! Text on its way to a terminal. Names and messages come from files, stores and servers; a control
//! character in one of them must not reach the terminal, which would obey it.

use std::fmt::Write as _;

use crate::job::invisible::mark;

/// A text with marks for characters that can't be seen. Line feeds and tabs stay.
pub(crate) fn shown(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match mark(c).filter(|_| !matches!(c, '\n' | '\t')) {
            None => shown.push(c),
            Some(mark) => shown.push_str(&mark),
        }
    }
    shown
}

/// A line of JSON with escapes for characters that can't be seen, which only its strings have.
pub(super) fn json(line: &str) -> String {
    let mut shown = String::with_capacity(line.len());
    for c in line.chars() {
        if mark(c).is_none() {
            shown.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut [0; 2]) {
            // A string takes whatever is written to it.
            let _ = write!(shown, "\\u{unit:04x}");
        }
    }
    shown
}

/// `println!` for text that may come from elsewhere.
macro_rules! println {
    ($($text:tt)*) => {
        std::println!("{}", $crate::cli::terminal::shown(&std::format!($($text)*)))
    };
}

/// `eprintln!` for text that may come from elsewhere.
macro_rules! eprintln {
    ($($text:tt)*) => {
        std::eprintln!("{}", $crate::cli::terminal::shown(&std::format!($($text)*)))
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_left() {
        assert_eq!(shown("a\tb\nc ü"), "a\tb\nc ü");
        assert_eq!(
            shown("\u{1b}]0;t\u{7}\r\u{9b}2J\u{202e}"),
            "\\u{1b}]0;t\\u{7}\\r\\u{9b}2J\\u{202e}"
        );
    }

    #[test]
    fn escaped_json_means_the_same() {
        let line = serde_json::json!({ "error": "\u{1b}\u{9b}\u{202e}\u{e0001}ü" }).to_string();
        let escaped = json(&line);
        assert!(escaped.chars().all(|c| mark(c).is_none()), "{escaped}");
        let read = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
        assert_eq!(read(&escaped), read(&line));
    }
}
