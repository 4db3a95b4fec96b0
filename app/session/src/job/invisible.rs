//! Characters that can't be seen, shown as marks.

/// `content` with marks as plain text, for places that draw a single colour.
pub fn with_marks(content: &str) -> String {
    let mut shown = String::with_capacity(content.len());
    for c in content.chars() {
        match mark(c) {
            None => shown.push(c),
            Some(mark) => shown.push_str(&mark),
        }
    }
    shown
}

/// The mark of a character that can't be seen; `None` for one that can.
pub fn mark(c: char) -> Option<String> {
    match c {
        '\n' => Some("\\n".to_owned()),
        '\r' => Some("\\r".to_owned()),
        '\t' => Some("\\t".to_owned()),
        '\u{0}'..='\u{1f}'
        | '\u{7f}'..='\u{9f}'
        | '\u{ad}'
        | '\u{61c}'
        | '\u{180e}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => Some(format!("\\u{{{:x}}}", u32::from(c))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_shown() {
        let check = |content: &str, expected: &str| assert_eq!(with_marks(content), expected);
        check("plain ünïcødé 文字", "plain ünïcødé 文字");
        check("a\u{202e}b", "a\\u{202e}b");
        check("zero\u{200b}width", "zero\\u{200b}width");
        check("tab\tline\n", "tab\\tline\\n");
        check("\u{0}\u{1b}[31m", "\\u{0}\\u{1b}[31m");
        check("\u{feff}x", "\\u{feff}x");
    }
}
