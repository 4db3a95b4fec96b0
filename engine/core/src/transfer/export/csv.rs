//! The text of CSV: cells and lines.

use std::borrow::Cow;

use bson::raw::RawBsonRef;

use super::cells::CsvForm;
use crate::value::{
    extjson::{Layout, Style, write_value},
    iso_text,
};

/// The text of a CSV cell: numbers and strings plain, an `ObjectId` as hex, dates in ISO 8601, other
/// types as Extended JSON. `None` for a cell without a value.
///
/// For spreadsheets, `null` is an empty cell as a missing field is, and text that would run as a
/// formula gets a quote in front. Finite numbers can't run.
pub fn csv_cell(value: RawBsonRef<'_>, for_spreadsheets: bool) -> Option<String> {
    let form = if for_spreadsheets { CsvForm::Spreadsheet } else { CsvForm::Exact };
    cell_text(value, form).map(Cow::into_owned)
}

/// The same without a copy of text.
pub(super) fn cell_text(value: RawBsonRef<'_>, form: CsvForm) -> Option<Cow<'_, str>> {
    let for_spreadsheets = form == CsvForm::Spreadsheet;
    let text: Cow<'_, str> = match value {
        RawBsonRef::Null | RawBsonRef::Undefined if for_spreadsheets => return None,
        RawBsonRef::String(text) => text.into(),
        RawBsonRef::ObjectId(id) => id.to_hex().into(),
        RawBsonRef::Int64(int) => int.to_string().into(),
        RawBsonRef::Decimal128(decimal) => decimal.to_string().into(),
        RawBsonRef::Double(double) if double.is_nan() => "NaN".into(),
        RawBsonRef::Double(double) if double.is_infinite() => {
            if double < 0.0 { "-Infinity" } else { "Infinity" }.into()
        }
        RawBsonRef::DateTime(date) => {
            let ms = date.timestamp_millis();
            let far = || iso_text(ms).unwrap_or_else(|| ms.to_string());
            date.try_to_rfc3339_string().unwrap_or_else(|_| far()).into()
        }
        value => write_value(value, Style::Relaxed, Layout::OneLine).into(),
    };
    let is_number = matches!(
        value,
        RawBsonRef::Int32(_)
            | RawBsonRef::Int64(_)
            | RawBsonRef::Double(_)
            | RawBsonRef::Decimal128(_)
    );
    if !for_spreadsheets || is_number && text.ends_with(|last: char| last.is_ascii_digit()) {
        return Some(text);
    }
    Some(if is_formula(&text) { format!("'{text}").into() } else { text })
}

/// Text that a spreadsheet doesn't run.
pub fn without_formula(text: String) -> String {
    if is_formula(&text) { format!("'{text}") } else { text }
}

fn is_formula(text: &str) -> bool {
    text.starts_with(['=', '+', '-', '@', '\t', '\r', '\0'])
}

/// Appends a line of CSV with its line end. `None` is a cell without a value. Empty text has
/// quotes, so that an import tells them apart, and so has text of a cell that is true.
pub(super) fn append_csv_line<'t>(
    out: &mut Vec<u8>,
    cells: impl Iterator<Item = (Option<Cow<'t, str>>, bool)>,
) {
    let start = out.len();
    for (number, (text, is_quoted)) in cells.enumerate() {
        if number > 0 {
            out.push(b',');
        }
        if let Some(text) = text {
            append_cell(out, &text, is_quoted);
        }
    }
    // Readers skip an empty line, and its row would be lost.
    if out.len() == start {
        out.extend_from_slice(b"\"\"");
    }
    out.extend_from_slice(b"\r\n");
}

/// Whether a text isn't read as it is without quotes.
pub(super) fn needs_quotes(text: &str) -> bool {
    // At the start of a file, a bracket would begin JSON.
    text.is_empty()
        || text.contains([',', '"', '\n', '\r', ';', '\t', '|'])
        || text.starts_with(|first: char| first.is_whitespace() || "{[<".contains(first))
        || text.ends_with(char::is_whitespace)
}

fn append_cell(out: &mut Vec<u8>, text: &str, is_quoted: bool) {
    if is_quoted || needs_quotes(text) {
        out.push(b'"');
        out.extend_from_slice(text.replace('"', "\"\"").as_bytes());
        out.push(b'"');
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}
