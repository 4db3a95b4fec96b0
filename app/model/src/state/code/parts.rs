//! The parts of a query, and how programs write values.

use std::fmt::Write as _;

use bson::{Bson, Document};

use crate::state::documents::Query;

/// Characters up to which a document or a list is written in one line.
pub(super) const LINE_CHARS_MAX: usize = 80;

/// Parts between two signs: in one line if they fit, else one a line.
pub(super) fn block(open: &str, parts: &[String], close: &str, depth: usize) -> String {
    if parts.is_empty() {
        return format!("{open}{close}");
    }
    let line = format!("{open} {} {close}", parts.join(", "));
    if !line.contains('\n') && 4 * depth + line.chars().count() <= LINE_CHARS_MAX {
        return line;
    }
    let inner = indent(depth + 1);
    let mut text = format!("{open}\n");
    for (at, part) in parts.iter().enumerate() {
        let comma = if at + 1 < parts.len() { "," } else { "" };
        let _ = writeln!(text, "{inner}{part}{comma}");
    }
    text + &indent(depth) + close
}

pub(super) fn indent(depth: usize) -> String {
    "    ".repeat(depth)
}

/// A text in double quotes, as JSON and most languages read it.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

pub(super) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// A finite double with a point, or with an exponent.
pub(super) fn double(double: f64) -> String {
    format!("{double:?}")
}

/// A part of a query besides its filter.
pub(super) enum Part<'q> {
    Projection(&'q Document),
    Sort(&'q Document),
    Skip(u64),
    Limit(u64),
    Hint(&'q Bson),
    /// In milliseconds.
    TimeLimit(u64),
    Collation(&'q Document),
}

/// The parts that a query has, in the order in which every language writes them.
pub(super) fn parts(query: &Query) -> impl Iterator<Item = Part<'_>> {
    let has = |part: &'_ Document| !part.is_empty();
    let all = [
        has(&query.projection).then_some(Part::Projection(&query.projection)),
        has(&query.sort).then_some(Part::Sort(&query.sort)),
        (query.skip > 0).then_some(Part::Skip(query.skip)),
        query.limit.map(Part::Limit),
        query.hint.as_ref().map(Part::Hint),
        query.max_time_ms.map(Part::TimeLimit),
        has(&query.collation).then_some(Part::Collation(&query.collation)),
    ];
    all.into_iter().flatten()
}

/// A collation for languages that have a type for it.
pub(super) struct Rules<'r> {
    pub(super) locale: &'r str,
    /// The name of a strength other than the usual one.
    pub(super) strength: Option<&'static str>,
    pub(super) is_numeric: bool,
}

impl<'r> Rules<'r> {
    pub(super) fn of(rules: &'r Document) -> Self {
        let strength = match rules.get("strength").and_then(mayfly_engine::value::whole) {
            Some(1) => Some("Primary"),
            Some(2) => Some("Secondary"),
            Some(4) => Some("Quaternary"),
            Some(5) => Some("Identical"),
            _ => None,
        };
        let is_numeric = rules.get_bool("numericOrdering").unwrap_or(false);
        Self { locale: rules.get_str("locale").unwrap_or_default(), strength, is_numeric }
    }
}

/// The name and the value of each field.
pub(super) fn fields(document: &Document) -> impl Iterator<Item = (&String, &Bson)> {
    document.iter()
}
