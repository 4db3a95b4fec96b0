//! The names of a table's columns, as drafted.

use std::collections::BTreeMap;

use mayfly_engine::transfer::{Preview, TableColumn};

/// The columns of the shown file. A type or a name that is chosen reads the file again, but the columns stay as they
/// were first: a typed name is kept by the first one.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ColumnsDraft {
    /// As they are named without a choice.
    pub first: Vec<TableColumn>,
    /// Names as typed, by the first name.
    pub typed: BTreeMap<String, String>,
    /// Whether all columns are listed.
    pub shows_all: bool,
    /// The sheet of a workbook that was chosen in place of its first one.
    pub sheet: Option<String>,
}

impl ColumnsDraft {
    /// Takes the columns of a look. One with chosen names has no first ones.
    pub fn take(&mut self, preview: &Preview) {
        if self.renames().is_empty() {
            self.first.clone_from(&preview.columns);
        }
    }

    /// The chosen names: the first one, and the one in its place.
    pub fn renames(&self) -> Vec<(String, String)> {
        let chosen = self
            .typed
            .iter()
            .filter(|(first, typed)| !typed.trim().is_empty() && typed.trim() != first.as_str());
        chosen.map(|(first, typed)| (first.clone(), typed.trim().to_owned())).collect()
    }

    /// The columns to list: all, or those with something to say.
    pub fn listed(&self) -> impl Iterator<Item = &TableColumn> {
        self.first.iter().filter(|column| {
            let is_odd = column.is_renamed() || !column.notes.is_empty();
            self.shows_all || is_odd || self.typed.contains_key(&column.name)
        })
    }

    /// The name of a column now.
    pub fn name<'a>(&'a self, column: &'a TableColumn) -> &'a str {
        self.typed.get(&column.name).map_or(&column.name, String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use mayfly_engine::transfer::ColumnNote;

    use super::*;

    fn column(header: &str, name: &str, kept_text: Option<&str>) -> TableColumn {
        let notes = kept_text.map(|text| ColumnNote::Altered(text.to_owned()));
        let notes = notes.into_iter().collect();
        TableColumn { header: header.to_owned(), name: name.to_owned(), notes }
    }

    #[test]
    fn only_columns_with_something_to_say_are_listed() {
        let first = vec![
            column("", "field0", None),
            column("x", "x", None),
            column("zip", "zip", Some("007")),
        ];
        let mut draft = ColumnsDraft { first, ..ColumnsDraft::default() };
        let names = |draft: &ColumnsDraft| {
            draft.listed().map(|column| draft.name(column).to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(names(&draft), ["field0", "zip"]);
        draft.typed.insert("x".to_owned(), " y ".to_owned());
        assert_eq!(names(&draft), ["field0", " y ", "zip"]);
        assert_eq!(draft.renames(), [("x".to_owned(), "y".to_owned())]);
    }

    #[test]
    fn an_empty_name_is_the_first_one() {
        let mut draft = ColumnsDraft::default();
        for typed in ["", "  ", "a"] {
            draft.typed.insert("a".to_owned(), typed.to_owned());
            assert!(draft.renames().is_empty(), "{typed:?}");
        }
    }
}
