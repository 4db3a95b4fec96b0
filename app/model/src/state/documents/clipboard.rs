//! Documents as text for the clipboard.

use bson::{Bson, Document};
use mayfly_engine::transfer::{csv_cell, without_formula};
use mayfly_engine::value::Layout;
use mayfly_engine::value::extjson::{self, Style};
use mayfly_engine::value::shell;

use super::field_path;
use crate::limits::COPIED_TEXT_BYTES_MAX;

/// How documents are written to the clipboard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum CopyForm {
    /// A line for each, with tabs between the columns that are shown.
    Table,
    /// Extended JSON.
    Json,
    /// As typed in mongosh.
    Shell,
    /// A line for each and one with the names, with commas between the columns that are shown.
    Csv,
}

/// Writes documents as text, not longer than [`COPIED_TEXT_BYTES_MAX`] by more than one of them.
/// `columns` are those of a table. Returns how many documents are in the text too.
pub fn text(form: CopyForm, documents: &[Document], columns: &[Vec<String>]) -> (String, usize) {
    match form {
        CopyForm::Table => table(documents, columns, documents.len() > 1, '\t'),
        CopyForm::Csv => table(documents, columns, true, ','),
        CopyForm::Json => {
            list(documents, |document| match bson::RawDocumentBuf::try_from(document) {
                Ok(raw) => extjson::write_document(&raw, Style::Relaxed, Layout::Indented),
                // No store has such a document.
                Err(_) => String::new(),
            })
        }
        CopyForm::Shell => list(documents, |document| {
            shell::write_value(&Bson::Document(document.clone()), Layout::Indented)
        }),
    }
}

/// One document alone, several as an array.
fn list(documents: &[Document], write: impl Fn(&Document) -> String) -> (String, usize) {
    if let [document] = documents {
        return (write(document), 1);
    }
    let (mut text, mut count) = ("[".to_owned(), 0);
    for document in documents {
        if text.len() > COPIED_TEXT_BYTES_MAX {
            break;
        }
        text.push_str(if count == 0 { "\n  " } else { ",\n  " });
        text.push_str(&write(document).replace('\n', "\n  "));
        count += 1;
    }
    text.push_str("\n]");
    (text, count)
}

/// A line with the names of the columns, then one for each document.
fn table(
    documents: &[Document],
    columns: &[Vec<String>],
    has_names: bool,
    separator: char,
) -> (String, usize) {
    let line = |cells: Vec<String>| cells.join(&separator.to_string());
    let quoted = |text| quoted(text, separator);
    let mut lines = Vec::new();
    // A single document has no such line, because it is pasted next to others.
    if has_names {
        lines.push(line(
            columns.iter().map(|path| quoted(without_formula(field_path::dotted(path)))).collect(),
        ));
    }
    let (mut bytes, mut count) = (0, 0);
    for document in documents {
        if bytes > COPIED_TEXT_BYTES_MAX {
            break;
        }
        let cells = columns
            .iter()
            .map(|path| field_path::value(document, path).map_or_else(String::new, plain_cell))
            .map(quoted);
        let written = line(cells.collect());
        bytes += written.len();
        lines.push(written);
        count += 1;
    }
    (lines.join("\n"), count)
}

/// One value as text: empty for null, text and numbers as they are.
pub fn cell(value: &Bson) -> String {
    match value {
        Bson::Null | Bson::Undefined => String::new(),
        value => quoted(raw_cell(value, false), '\t'),
    }
}

/// A value as a spreadsheet reads it, as in an export for one.
fn plain_cell(value: &Bson) -> String {
    raw_cell(value, true)
}

fn raw_cell(value: &Bson, for_spreadsheets: bool) -> String {
    // No store has a value that has no raw form.
    bson::RawBson::try_from(value.clone())
        .ok()
        .and_then(|raw| csv_cell(raw.as_raw_bson_ref(), for_spreadsheets))
        .unwrap_or_default()
}

/// Spreadsheets read a cell in quotes with separators and line ends in it. Quotes inside of a cell
/// mean something in CSV alone.
fn quoted(text: String, separator: char) -> String {
    let has_quote = text.starts_with('"') || separator == ',' && text.contains('"');
    if has_quote || text.contains([separator, '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;

    fn columns(names: &[&str]) -> Vec<Vec<String>> {
        names.iter().map(|name| vec![(*name).to_owned()]).collect()
    }

    #[test]
    fn a_table_is_read_by_spreadsheets() {
        let documents = [
            doc! {"_id": 1, "name": "a\tb", "at": bson::DateTime::from_millis(0)},
            doc! {"_id": 2, "name": Bson::Null, "n": 7_i64, "tags": ["x"]},
        ];
        let (text, count) =
            text(CopyForm::Table, &documents, &columns(&["_id", "name", "at", "n", "tags"]));
        assert_eq!(count, 2);
        assert_eq!(
            text,
            "_id\tname\tat\tn\ttags\n1\t\"a\tb\"\t1970-01-01T00:00:00Z\t\t\n2\t\t\t7\t[\"x\"]"
        );
    }

    #[test]
    fn no_cell_runs_as_a_formula() {
        let one = [doc! {"_id": -1, "a": "=1+1", "b": "-1", "c": [1], "d": f64::NAN}];
        for (form, separator) in [(CopyForm::Csv, ","), (CopyForm::Table, "\t")] {
            let (text, _) = text(form, &one, &columns(&["_id", "a", "b", "c", "d"]));
            let line = text.lines().last().unwrap_or_default();
            assert_eq!(line, ["-1", "'=1+1", "'-1", "[1]", "NaN"].join(separator));
        }
        assert_eq!(cell(&Bson::from("=1+1")), "=1+1", "one value is copied as it is");
    }

    #[test]
    fn csv_has_names_and_quotes() {
        let one = [doc! {"_id": 1, "name": "a \"b\", c", "tags": ["x"], "at": "1\t2"}];
        let (text, count) = text(CopyForm::Csv, &one, &columns(&["_id", "name", "tags", "at"]));
        assert_eq!(count, 1);
        assert_eq!(text, "_id,name,tags,at\n1,\"a \"\"b\"\", c\",\"[\"\"x\"\"]\",1\t2");
    }

    #[test]
    fn one_document_stands_alone_and_several_in_an_array() {
        let check = |form, documents: &[Document], expected: &str| {
            let (text, count) = text(form, documents, &columns(&["_id", "a"]));
            assert_eq!((text.as_str(), count), (expected, documents.len()), "{form:?}");
        };
        let one = doc! {"_id": 1, "a": 5_i64};
        check(CopyForm::Table, std::slice::from_ref(&one), "1\t5");
        check(CopyForm::Shell, std::slice::from_ref(&one), "{\n  _id: 1,\n  a: Long('5')\n}");
        let two = [doc! {"_id": 1}, doc! {"_id": 2}];
        check(CopyForm::Shell, &two, "[\n  {\n    _id: 1\n  },\n  {\n    _id: 2\n  }\n]");
        let json = "[\n  {\n    \"_id\": 1\n  },\n  {\n    \"_id\": 2\n  }\n]";
        check(CopyForm::Json, &two, json);
    }

    #[test]
    fn a_text_that_would_be_too_long_ends_after_a_document() {
        let long = "x".repeat(COPIED_TEXT_BYTES_MAX / 2);
        let documents: Vec<Document> = (0..5).map(|id| doc! {"_id": id, "a": &long}).collect();
        for form in [CopyForm::Table, CopyForm::Shell, CopyForm::Json] {
            let (text, count) = text(form, &documents, &columns(&["_id", "a"]));
            assert!(count < 5 && count > 1, "{form:?}: {count}");
            assert!(text.len() < 2 * COPIED_TEXT_BYTES_MAX, "{form:?}");
        }
    }
}
