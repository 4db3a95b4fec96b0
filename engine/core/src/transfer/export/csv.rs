//! Documents as CSV rows.

use std::{collections::HashSet, mem};

use bson::raw::{RawBsonRef, RawDocument};

use crate::transfer::limits::CSV_COLUMNS_MAX;
use crate::value::{
    extjson::{Layout, Style, write_value},
    iso_text, same_value,
};

/// The columns of a CSV file, as dotted paths.
#[derive(Debug, Default)]
pub(in crate::transfer) struct Columns {
    names: Vec<String>,
    known: HashSet<String>,
    /// Paths without a column, with all that is inside them.
    hidden: Vec<String>,
    /// The user chose the columns: other fields are left out.
    are_chosen: bool,
    too_many: bool,
    /// A column that is ambiguous for some document: `a.b` next to `{a: {b: …}}`, or a duplicate
    /// field.
    unclear: Option<String>,
    /// A field without a column.
    new: Option<String>,
    /// The current path, kept to reuse its allocation.
    path: String,
}

impl Columns {
    pub(in crate::transfer) fn chosen(fields: &[String]) -> Self {
        Self { names: fields.to_vec(), are_chosen: true, ..Self::default() }
    }

    /// No columns yet; those at and inside of `hidden` are never added.
    pub(in crate::transfer) fn all_but(hidden: &[String]) -> Self {
        Self { hidden: hidden.to_vec(), ..Self::default() }
    }

    fn hides(&self, path: &str) -> bool {
        self.hidden.iter().any(|hidden| {
            path.strip_prefix(&**hidden)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        })
    }

    /// Adds all paths of a document that lead to a value other than a non-empty document.
    pub(in crate::transfer) fn add(&mut self, document: &RawDocument) {
        let (mut path, may_be_unclear) = (mem::take(&mut self.path), may_be_unclear(document));
        leaves(document, &mut path, &mut |path, value| {
            if self.hides(path) {
                return;
            }
            if may_be_unclear && !is_under(document, path, value) {
                self.unclear.get_or_insert_with(|| path.to_owned());
            }
            if !self.known.contains(path) {
                if self.names.len() >= CSV_COLUMNS_MAX {
                    self.too_many = true;
                    return;
                }
                self.known.insert(path.to_owned());
                self.names.push(path.to_owned());
            }
        });
        self.path = path;
    }

    /// Whether the row holds every value of a document. If not, [`Self::failure`] says why.
    pub(in crate::transfer) fn hold(&mut self, document: &RawDocument) -> bool {
        let may_be_unclear = may_be_unclear(document);
        if self.are_chosen {
            let twice = |path: &&String| may_be_unclear && stands_twice(document, path);
            self.unclear = self.names.iter().find(twice).cloned();
            return self.unclear.is_none();
        }
        let mut path = mem::take(&mut self.path);
        leaves(document, &mut path, &mut |path, value| {
            if self.hides(path) {
                return;
            }
            if !self.known.contains(path) {
                self.new.get_or_insert_with(|| path.to_owned());
            } else if may_be_unclear && !is_under(document, path, value) {
                self.unclear.get_or_insert_with(|| path.to_owned());
            }
        });
        self.path = path;
        self.new.is_none() && self.unclear.is_none()
    }

    /// Why some field has no column.
    pub(in crate::transfer) fn failure(&self) -> Option<String> {
        let other = if self.are_chosen { "other" } else { "the" };
        let instead = format!("choose {other} fields, or another format");
        if let Some(path) = &self.new {
            let what = format!("the field {path:?} was added during the export");
            return Some(format!("{what}; export again, or choose the fields"));
        }
        if self.too_many {
            let what = "the documents have too many different fields for CSV";
            return Some(format!("{what}; {instead}"));
        }
        let path = self.unclear.as_ref()?;
        Some(format!("two fields would have the same column {path:?} in CSV; {instead}"))
    }

    pub(in crate::transfer) fn header(&self, escape_formulas: bool) -> Vec<u8> {
        let (mut out, names) = (Vec::new(), self.names.iter().cloned());
        append_csv_line(
            &mut out,
            names.map(|name| Some(if escape_formulas { without_formula(name) } else { name })),
        );
        out
    }

    /// The value in a column. A document whose fields have columns leaves the one at its path empty,
    /// which holds the other values there.
    fn value<'d>(&self, document: &'d RawDocument, name: &str) -> Option<RawBsonRef<'d>> {
        let is_split = |value: &RawBsonRef<'_>| {
            !self.are_chosen && matches!(value, RawBsonRef::Document(inner) if !inner.is_empty())
        };
        lookup(document, name).filter(|value| !is_split(value))
    }
}

/// Appends a document's row. A missing value is an empty cell; empty text is one with quotes.
pub(in crate::transfer) fn append_row(
    out: &mut Vec<u8>,
    columns: &Columns,
    document: &RawDocument,
    for_spreadsheets: bool,
) {
    let cell = |name: &String| csv_cell(columns.value(document, name)?, for_spreadsheets);
    append_csv_line(out, columns.names.iter().map(cell));
}

/// Whether some name, at any depth, is empty, contains a dot or is a duplicate, so that paths can
/// be ambiguous.
fn may_be_unclear(document: &RawDocument) -> bool {
    let mut names: Vec<&str> = Vec::new();
    for (name, value) in document.iter().filter_map(Result::ok) {
        let name = name.as_str();
        let is_odd = name.is_empty() || name.contains('.');
        if is_odd || matches!(value, RawBsonRef::Document(inner) if may_be_unclear(inner)) {
            return true;
        }
        names.push(name);
    }
    names.sort_unstable();
    names.windows(2).any(|pair| pair.first() == pair.last())
}

/// Whether a name on this path is a duplicate, so that a row would show only one of several values.
fn stands_twice(document: &RawDocument, path: &str) -> bool {
    let is_twice = |name: &str| {
        let names = document.iter().filter_map(Result::ok).map(|(name, _)| name);
        names.filter(|known| known.as_str() == name).nth(1).is_some()
    };
    is_twice(path) || path.match_indices('.').any(|(at, _)| {
        let (Some(head), Some(tail)) = (path.get(..at), path.get(at + 1..)) else {
            return false;
        };
        let inner = document.get(head);
        is_twice(head)
            || matches!(inner, Ok(Some(RawBsonRef::Document(inner))) if stands_twice(inner, tail))
    })
}

/// Visits every value with its dotted path, which starts with `path`. An empty document is a value.
fn leaves<'d>(
    document: &'d RawDocument,
    path: &mut String,
    visit: &mut dyn FnMut(&str, RawBsonRef<'d>),
) {
    let end = path.len();
    for (name, value) in document.iter().filter_map(Result::ok) {
        if end > 0 {
            path.push('.');
        }
        path.push_str(name.as_str());
        match value {
            RawBsonRef::Document(inner) if inner.as_bytes().len() > 5 => leaves(inner, path, visit),
            value => visit(path, value),
        }
        path.truncate(end);
    }
}

/// Whether the row shows this value under the path.
fn is_under(document: &RawDocument, path: &str, value: RawBsonRef<'_>) -> bool {
    lookup(document, path).is_some_and(|found| {
        found.element_type() == value.element_type() && same_value(found, value)
    })
}

/// The value at a dotted path. A field whose own name has the dots wins.
fn lookup<'d>(document: &'d RawDocument, path: &str) -> Option<RawBsonRef<'d>> {
    if let Ok(Some(value)) = document.get(path) {
        return Some(value);
    }
    path.match_indices('.').find_map(|(at, _)| {
        let (head, tail) = (path.get(..at)?, path.get(at + 1..)?);
        match document.get(head) {
            Ok(Some(RawBsonRef::Document(inner))) => lookup(inner, tail),
            _ => None,
        }
    })
}

/// The text of a CSV cell: numbers and strings plain, an `ObjectId` as hex, dates in ISO 8601, other
/// types as Extended JSON. `None` for a cell without a value.
///
/// For spreadsheets, `null` is an empty cell as a missing field is, and text that would run as a
/// formula gets a quote in front. Finite numbers can't run.
pub fn csv_cell(value: RawBsonRef<'_>, for_spreadsheets: bool) -> Option<String> {
    let text =
        match value {
            RawBsonRef::Null | RawBsonRef::Undefined if for_spreadsheets => return None,
            RawBsonRef::String(text) => text.to_owned(),
            RawBsonRef::ObjectId(id) => id.to_hex(),
            RawBsonRef::Int64(int) => int.to_string(),
            RawBsonRef::Decimal128(decimal) => decimal.to_string(),
            RawBsonRef::Double(double) if for_spreadsheets && double.is_nan() => "NaN".to_owned(),
            RawBsonRef::Double(double) if for_spreadsheets && double.is_infinite() => {
                if double < 0.0 { "-Infinity".to_owned() } else { "Infinity".to_owned() }
            }
            RawBsonRef::DateTime(date) => {
                let ms = date.timestamp_millis();
                let far = || iso_text(ms).unwrap_or_else(|| ms.to_string());
                date.try_to_rfc3339_string().unwrap_or_else(|_| far())
            }
            value => write_value(value, Style::Relaxed, Layout::OneLine),
        };
    let is_number = matches!(
        value,
        RawBsonRef::Int32(_)
            | RawBsonRef::Int64(_)
            | RawBsonRef::Double(_)
            | RawBsonRef::Decimal128(_)
    );
    if is_number && text.ends_with(|last: char| last.is_ascii_digit()) {
        return Some(text);
    }
    Some(if for_spreadsheets { without_formula(text) } else { text })
}

/// Text that a spreadsheet doesn't run.
pub fn without_formula(text: String) -> String {
    let runs = text.starts_with(['=', '+', '-', '@', '\t', '\r', '\0']);
    if runs { format!("'{text}") } else { text }
}

/// Appends a line of CSV with its line end. `None` is a cell without a value. Empty text has
/// quotes, so that an import tells them apart.
pub fn append_csv_line(out: &mut Vec<u8>, cells: impl Iterator<Item = Option<String>>) {
    let start = out.len();
    for (number, text) in cells.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        if let Some(text) = text {
            append_cell(out, &text);
        }
    }
    // Readers skip an empty line, and its row would be lost.
    if out.len() == start {
        out.extend_from_slice(b"\"\"");
    }
    out.extend_from_slice(b"\r\n");
}

fn append_cell(out: &mut Vec<u8>, text: &str) {
    // At the start of a file, a bracket would begin JSON.
    let needs_quotes = text.is_empty()
        || text.contains([',', '"', '\n', '\r', ';', '\t', '|'])
        || text.starts_with(|first: char| first.is_whitespace() || "{[<".contains(first))
        || text.ends_with(char::is_whitespace);
    if needs_quotes {
        out.push(b'"');
        out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}
