//! From PCRE's syntax, which MongoDB's patterns are written in, to that of the crates here.

use std::{iter::Peekable, str::Chars};

/// The same pattern for the crates `regex` and `fancy-regex`, where the two read it differently:
/// `\d`, `\w`, `\s` and `\b` know ASCII only, `[` in a class is a plain character, and so is a
/// brace that is not a repetition. `end` takes the place of `$`, which PCRE also finds before a
/// line end that is the text's last character.
pub(super) fn translated(source: &str, end: &str) -> String {
    let mut out = String::with_capacity(source.len() + 16);
    let mut rest = source.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\\' => escape(&mut rest, &mut out, false),
            '[' => class(&mut rest, &mut out),
            '{' if !is_repetition(rest.clone()) => out.push_str("\\{"),
            '$' => out.push_str(end),
            _ => out.push(c),
        }
    }
    out
}

/// Whether a pattern turns on, within itself, that `$` is found before every line end.
pub(super) fn sets_many_lines(source: &str) -> bool {
    source.split("(?").skip(1).any(|rest| {
        let flags = rest.split([')', ':', '-']).next().unwrap_or_default();
        flags.bytes().all(|byte| byte.is_ascii_lowercase()) && flags.contains('m')
    })
}

fn escape(rest: &mut Peekable<Chars<'_>>, out: &mut String, in_class: bool) {
    match rest.next() {
        Some('d') => out.push_str("[0-9]"),
        Some('D') => out.push_str("[^0-9]"),
        Some('w') => out.push_str("[0-9A-Za-z_]"),
        Some('W') => out.push_str("[^0-9A-Za-z_]"),
        Some('s') => out.push_str("[\\t\\n\\x0B\\f\\r\\x20]"),
        Some('S') => out.push_str("[^\\t\\n\\x0B\\f\\r\\x20]"),
        Some('b') if in_class => out.push_str("\\x08"),
        Some('b') => out.push_str("(?-u:\\b)"),
        Some('Q') => quoted(rest, out),
        Some(c) if !in_class && matches!(c, '\'' | '"' | '@' | '%' | ',' | ';' | '=' | '!') => {
            out.push(c);
        }
        Some(c @ ('p' | 'P' | 'x' | 'k' | 'g')) => {
            out.extend(['\\', c]);
            // A name in braces belongs to the escape.
            if rest.peek() == Some(&'{') {
                braced(rest, out);
            }
        }
        Some(c) => out.extend(['\\', c]),
        None => out.push('\\'),
    }
}

fn braced(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    for c in rest.by_ref() {
        out.push(c);
        if c == '}' {
            return;
        }
    }
}

/// `\Q…\E`: plain text.
fn quoted(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    while let Some(c) = rest.next() {
        if c == '\\' && rest.peek() == Some(&'E') {
            rest.next();
            return;
        }
        if c.is_ascii_punctuation() {
            out.push('\\');
        }
        out.push(c);
    }
}

/// The rest of a class after its `[`.
fn class(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push('[');
    if rest.next_if_eq(&'^').is_some() {
        out.push('^');
    }
    // A bracket that comes first does not end the class.
    if rest.next_if_eq(&']').is_some() {
        out.push_str("\\]");
    }
    while let Some(c) = rest.next() {
        match c {
            ']' => {
                out.push(']');
                return;
            }
            '\\' => escape(rest, out, true),
            '[' if rest.peek() == Some(&':') => named_class(rest, out),
            '[' => out.push_str("\\["),
            // Doubled, these would be operations on sets.
            '&' | '~' => out.extend(['\\', c]),
            '-' if rest.peek() == Some(&'-') => out.push_str("\\-"),
            _ => out.push(c),
        }
    }
}

/// `[:alpha:]` and its like stay as they are.
fn named_class(rest: &mut Peekable<Chars<'_>>, out: &mut String) {
    out.push('[');
    for c in rest.by_ref() {
        out.push(c);
        if c == ']' {
            return;
        }
    }
}

/// Whether what follows a `{` makes it a repetition: `n}`, `n,}` or `n,m}`.
fn is_repetition(rest: Peekable<Chars<'_>>) -> bool {
    let inner: String = rest.take_while(|c| *c != '}').collect();
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match inner.split_once(',') {
        Some((low, high)) => digits(low) && (high.is_empty() || digits(high)),
        None => digits(&inner),
    }
}

#[cfg(test)]
mod tests {
    use super::translated;

    #[test]
    fn what_pcre_reads_otherwise_is_rewritten() {
        let check = |source: &str, expected: &str| {
            assert_eq!(translated(source, "END"), expected, "{source}");
        };
        check("^a.c$", "^a.cEND");
        check("a$|[$]|\\$|\\Q$\\E", "aEND|[$]|\\$|\\$");
        check(r"\d+", "[0-9]+");
        check(r"\\d", r"\\d");
        check(r"[\w.]", "[[0-9A-Za-z_].]");
        check("[a[b]", r"[a\[b]");
        check("[]a]", r"[\]a]");
        check("[^]a]", r"[^\]a]");
        check("[[:alpha:]x]", "[[:alpha:]x]");
        check("a{2,3}", "a{2,3}");
        check("a{2,}", "a{2,}");
        check("{a}", r"\{a}");
        check("a{,3}", r"a\{,3}");
        check(r"\Qa.b\Ec", r"a\.bc");
        check(r"\p{Greek}", r"\p{Greek}");
        check("a\\", "a\\");
    }
}
