//! The columns of a table that is imported: their names, and numbers that stay text.

use std::mem::discriminant;

use mayfly_engine::transfer::{
    ColumnNote, ImportRequest, ReadOptions, TableColumn, Types, preview,
};

use super::Failure;
use crate::state::number::counted;
use crate::state::transfer::command_line::quoted;

/// Names that a hint lists.
const LISTED_MAX: usize = 5;

/// Columns that a refusal names.
const NAMED_MAX: usize = 20;

/// Reads `OLD=NEW`.
pub(super) fn renames(all: &[String]) -> Result<Vec<(String, String)>, Failure> {
    let rename = |text: &String| {
        let (from, to) = text.rsplit_once('=').filter(|(from, to)| {
            let is_name = |name: &str| !name.trim().is_empty();
            is_name(from) && is_name(to)
        })?;
        Some((from.to_owned(), to.to_owned()))
    };
    let wrong =
        |text: &String| Failure(format!("--rename: {text:?} is not OLD=NEW, such as field0=name."));
    all.iter().map(|text| rename(text).ok_or_else(|| wrong(text))).collect()
}

/// Refuses a type for a column that no file has, if all files are tables. A document of another
/// format may lack any field.
pub(super) fn check_types(request: &ImportRequest, first: &[TableColumn]) -> Result<(), Failure> {
    let is_of = |column: &TableColumn, path: &str| column.field_path() == path;
    let fields = request.types.fields.iter().map(|field| field.path.as_str());
    let mut missing: Vec<&str> = fields.collect();
    missing.retain(|path| !first.iter().any(|column| is_of(column, path)));
    let options = ReadOptions { types: Types::default(), ..request.read_options() };
    for file in request.files.iter().skip(1) {
        if missing.is_empty() || first.is_empty() {
            return Ok(());
        }
        // A file that can't be read is reported by the import.
        let Ok(found) = preview(file, &options) else { return Ok(()) };
        if found.columns.is_empty() {
            return Ok(());
        }
        missing.retain(|path| !found.columns.iter().any(|column| is_of(column, path)));
    }
    let Some(path) = missing.first().filter(|_| !first.is_empty()) else { return Ok(()) };
    let mut names: Vec<&str> = first.iter().map(|column| column.name.as_str()).collect();
    let more = names.len().saturating_sub(NAMED_MAX);
    names.truncate(NAMED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Err(Failure(format!(
        "--type: no column is called {path:?}; the columns are {}{more}.",
        names.join(", ")
    )))
}

/// Sentences about the columns of a file.
pub(super) fn hints(columns: &[TableColumn], request: &ImportRequest) -> Vec<String> {
    let mut hints = Vec::new();
    let chosen = |name: &str| request.renames.iter().any(|(_, to)| to.trim() == name);
    let renamed: Vec<_> = columns
        .iter()
        .enumerate()
        .filter(|(_, column)| column.is_renamed() && !chosen(&column.name))
        .collect();
    if let Some((_, first)) = renamed.first() {
        let named = |(index, column): &(usize, &TableColumn)| match column.header.trim() {
            "" => format!("column {} is {}", index + 1, column.name),
            header => format!("{header} is {}", column.name),
        };
        let mut list: Vec<String> = renamed.iter().take(LISTED_MAX).map(named).collect();
        if renamed.len() > LISTED_MAX {
            list.push(format!("{} more", renamed.len() - LISTED_MAX));
        }
        hints.push(format!(
            "Columns without a usable name get one: {}. To choose another, add --rename {}.",
            list.join(", "),
            quoted(&format!("{}=NAME", first.name))
        ));
    }
    let is_typed = |name: &str| request.types.field(name).is_some();
    let notes = columns.iter().filter(|column| !is_typed(&column.name));
    let notes = notes.flat_map(|column| column.notes.iter().map(move |note| (column, note)));
    let (mut kinds, mut more) = (Vec::new(), 0);
    for (column, note) in notes {
        let kind = discriminant(note);
        kinds.push(kind);
        if kinds.iter().filter(|known| **known == kind).count() <= LISTED_MAX {
            hints.push(hint(&column.name, note));
        } else {
            more += 1;
        }
    }
    if more > 0 {
        hints.push(format!("{} more are read in these ways.", counted(more, "column", "columns")));
    }
    hints
}

/// A note with the option that has the column read otherwise.
fn hint(name: &str, note: &ColumnNote) -> String {
    let typed = |to: &str| format!("add --type {}", quoted(&format!("{name}={to}")));
    let (what, instead) = match note {
        ColumnNote::Altered(_) => ("convert it", typed("double")),
        ColumnNote::Quoted(_) => ("convert it", typed("long")),
        ColumnNote::UnclearComma(_) => ("read decimals", "add --decimal-comma".to_owned()),
        ColumnNote::DecimalComma(_) | ColumnNote::MissingWord(_) => {
            ("keep all text", typed("text"))
        }
        ColumnNote::ShiftedByEscape => {
            ("read such separators as text", "add --backslash-escapes".to_owned())
        }
    };
    format!("{name}: {}; to {what}, {instead}.", note.words())
}

#[cfg(test)]
mod tests {
    use mayfly_engine::catalog::Namespace;

    use super::*;

    fn column(header: &str, name: &str, kept_text: Option<&str>) -> TableColumn {
        let notes = kept_text.map(|text| ColumnNote::Altered(text.to_owned()));
        let notes = notes.into_iter().collect();
        TableColumn { header: header.to_owned(), name: name.to_owned(), notes }
    }

    #[test]
    fn a_name_is_changed_after_the_last_equals_sign() {
        let found = renames(&["field0=id".to_owned(), "a=b=c".to_owned()]);
        let found = found.map_err(|Failure(sentence)| sentence);
        let pair = |from: &str, to: &str| (from.to_owned(), to.to_owned());
        assert_eq!(found, Ok(vec![pair("field0", "id"), pair("a=b", "c")]));
        for wrong in ["a", "=a", "a=", "a= "] {
            assert!(renames(&[wrong.to_owned()]).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_hint_says_what_the_columns_are_called_and_how_to_change_it() {
        let columns = [
            column("", "field0", None),
            column("No.", "No", None),
            column("x", "x", None),
            column("price", "price", Some("1.10")),
        ];
        let mut request = ImportRequest::new(Vec::new(), Namespace::new("d", "c"));
        assert_eq!(
            hints(&columns, &request),
            [
                "Columns without a usable name get one: column 1 is field0, No. is No. To choose \
                 another, add --rename field0=NAME.",
                "price: stays text: 1.10 would be written in another way as a number; to convert \
                 it, add --type price=double.",
            ]
        );
        request
            .types
            .add(mayfly_engine::transfer::FieldType::parse("price=double").expect("a type"));
        assert_eq!(hints(&columns[2..], &request), Vec::<String>::new());
    }
}
