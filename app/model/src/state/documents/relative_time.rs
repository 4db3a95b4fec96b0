//! `now - 2h` in a filter: a time relative to the store's, each time the filter runs.
//!
//! mongosh has no such word. The store is sent the instant, and so is the command that the window shows.

use std::fmt::Write as _;

use bson::Document;
use mayfly_engine::value::shell;

use crate::quoted;

const SECOND_MS: i64 = 1_000;
const MINUTE_MS: i64 = 60 * SECOND_MS;
const HOUR_MS: i64 = 60 * MINUTE_MS;
const DAY_MS: i64 = 24 * HOUR_MS;

/// The units after a number, with the milliseconds of each. Months and years are missing because
/// their length varies.
pub const UNITS: [(&str, i64); 7] = [
    ("ms", 1),
    ("s", SECOND_MS),
    ("min", MINUTE_MS),
    ("m", MINUTE_MS),
    ("h", HOUR_MS),
    ("d", DAY_MS),
    ("w", 7 * DAY_MS),
];

/// A text with the instants in place of the words, and where each came from.
#[derive(Debug, PartialEq, Eq)]
struct Expanded {
    text: String,
    /// For each instant: its first byte here, the byte after it, and the same of the words.
    moved: Vec<[usize; 4]>,
}

/// Why a text can't be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// One sentence with the place.
    pub message: String,
    /// The byte at which reading stopped.
    pub offset: usize,
}

/// Reads a document as mongosh would, with `now` and `new Date()` as this time.
pub fn read_document(text: &str, now_ms: i64) -> Result<Document, Unreadable> {
    let expanded = expand(text, now_ms);
    shell::read_document_at(&expanded.text, now_ms).map_err(|error| {
        let offset = expanded.original(error.offset).min(text.len());
        let before = text.get(..offset).unwrap_or(text);
        let line = before.matches('\n').count() + 1;
        let column = before.chars().rev().take_while(|c| *c != '\n').count() + 1;
        let message = format!("{} (line {line}, column {column})", error.message);
        Unreadable { message, offset }
    })
}

impl Expanded {
    fn original(&self, offset: usize) -> usize {
        let before = self.moved.iter().rev().find(|[start, ..]| *start <= offset);
        match before {
            None => offset,
            Some([_, end, first, _]) if offset < *end => *first,
            Some([_, end, _, last]) => last + (offset - end),
        }
    }
}

fn expand(text: &str, now_ms: i64) -> Expanded {
    let (mut out, mut moved) = (String::with_capacity(text.len()), Vec::new());
    let mut at = 0;
    // The last character outside of quotes that isn't a space.
    let mut before = None;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let length = match c {
            '\'' | '"' => quoted::length(rest, c).unwrap_or(rest.len()),
            '/' if matches!(before, Some(':' | '[' | ',' | '(')) => {
                quoted::length(rest, '/').unwrap_or(rest.len())
            }
            c if c.is_alphanumeric() || matches!(c, '_' | '$') => word(rest),
            c => c.len_utf8(),
        };
        let is_value = matches!(before, Some(':' | '[' | ','));
        let instant = if is_value && &rest[..length] == "now" { instant(rest) } else { None };
        if let Some((words, shift_ms)) = instant {
            let start = out.len();
            let _ = write!(out, "new Date({})", now_ms.saturating_add(shift_ms));
            moved.push([start, out.len(), at, at + words]);
            at += words;
            before = Some(')');
            continue;
        }
        out.push_str(&rest[..length]);
        at += length;
        if !c.is_whitespace() {
            before = Some(c);
        }
    }
    Expanded { text: out, moved }
}

/// Reads text that begins with `now`: how many bytes belong to it, and the milliseconds from now.
/// `None` if it is a field's name, or more follows.
pub fn instant(text: &str) -> Option<(usize, i64)> {
    let mut end = text.strip_prefix("now").map(|_| 3)?;
    let mut shift_ms = 0_i64;
    while let Some((length, ms)) = shift(&text[end..]) {
        end += length;
        shift_ms = shift_ms.saturating_add(ms);
    }
    let next = text[end..].trim_start().chars().next();
    matches!(next, None | Some(',' | '}' | ']' | ')')).then_some((end, shift_ms))
}

/// A part such as ` - 2h`: its bytes, and its milliseconds.
fn shift(text: &str) -> Option<(usize, i64)> {
    let is_space = |c: char| c.is_whitespace();
    let sign = text.trim_start_matches(is_space);
    let direction = match sign.chars().next()? {
        '+' => 1,
        '-' => -1,
        _ => return None,
    };
    let number = sign[1..].trim_start_matches(is_space);
    let digits = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    let count: i64 = number[..digits].parse().ok()?;
    let unit = number[digits..].trim_start_matches(is_space);
    let name = &unit[..unit.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unit.len())];
    let (_, ms) = UNITS.into_iter().find(|(known, _)| *known == name)?;
    let bytes = text.len() - unit.len() + name.len();
    Some((bytes, count.saturating_mul(ms).saturating_mul(direction)))
}

fn word(text: &str) -> usize {
    text.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$'))).unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use bson::{Bson, DateTime, doc};

    use super::*;

    fn at(ms: i64) -> Bson {
        Bson::DateTime(DateTime::from_millis(ms))
    }

    #[test]
    fn times_are_relative_to_now() {
        let check = |text: &str, expected: Document| {
            assert_eq!(read_document(text, DAY_MS), Ok(expected), "{text}");
        };
        check("{at: now}", doc! { "at": at(DAY_MS) });
        check("{at: {$gt: now - 2h}}", doc! { "at": { "$gt": at(DAY_MS - 2 * HOUR_MS) } });
        check(
            "{at: {$lt: now + 1d - 30 min }}",
            doc! { "at": { "$lt": at(2 * DAY_MS - 1_800_000) } },
        );
        check("{a: [now-1s, now-5ms]}", doc! { "a": [at(DAY_MS - 1_000), at(DAY_MS - 5)] });
        check("{at: {$gt: now - 1w}}", doc! { "at": { "$gt": at(-6 * DAY_MS) } });
        check("{at: {$lt: new Date()}}", doc! { "at": { "$lt": at(DAY_MS) } });
    }

    #[test]
    fn names_and_texts_stay() {
        let check = |text: &str, expected: Document| {
            assert_eq!(read_document(text, 7), Ok(expected), "{text}");
        };
        check("{now: 1, a: 'now - 2h'}", doc! { "now": 1, "a": "now - 2h" });
        check("{a: 1, now : 2}", doc! { "a": 1, "now": 2 });
        check("{'it\\'s': 1, b: \": now\"}", doc! { "it's": 1, "b": ": now" });
    }

    #[test]
    fn an_error_after_an_instant_has_the_place_in_what_was_typed() {
        let text = "{at: {$gt: now - 2h},\n b: }";
        let error = read_document(text, 0).expect_err("it can't be read");
        assert_eq!(error.offset, text.len() - 1, "{}", error.message);
        assert!(error.message.ends_with("(line 2, column 5)"), "{}", error.message);
        let error = read_document("{at: now - 2 years}", 0).expect_err("no such unit");
        assert_eq!(error.offset, 5, "{}", error.message);
    }
}
