//! Text in quotes, in code that is read as it is typed.

/// The bytes of the text in `quote`s that `code` begins with, with both quotes; `None` while it is
/// still open. A backslash escapes the next character.
pub fn length(code: &str, quote: char) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in code.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return Some(at + c.len_utf8()),
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::length;

    #[test]
    fn an_escaped_quote_does_not_end_a_text() {
        let check = |code: &str, quote, expected| assert_eq!(length(code, quote), expected);
        check("'a' b'", '\'', Some(3));
        check("'it\\'s' b", '\'', Some(7));
        check("\"ü\"", '"', Some(4));
        check("'open\\'", '\'', None);
        check("'", '\'', None);
    }
}
