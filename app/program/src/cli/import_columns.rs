//! The columns of a table that is imported: their names, and numbers that stay text.

use mayfly_engine::transfer::{ImportRequest, TableColumn};

use super::Failure;
use crate::state::transfer::command_line::quoted;

/// Names that a hint lists.
const LISTED_MAX: usize = 5;

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
    for column in columns.iter().filter(|column| !is_typed(&column.name)) {
        let Some(text) = &column.kept_text else { continue };
        hints.push(format!(
            "{}: {text} would be written in another way as a number, so the column stays text; to \
             convert it, add --type {}.",
            column.name,
            quoted(&format!("{}=double", column.name))
        ));
    }
    hints
}

#[cfg(test)]
mod tests {
    use mayfly_engine::catalog::Namespace;

    use super::*;

    fn column(header: &str, name: &str, kept_text: Option<&str>) -> TableColumn {
        let kept_text = kept_text.map(str::to_owned);
        TableColumn { header: header.to_owned(), name: name.to_owned(), kept_text }
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
                "price: 1.10 would be written in another way as a number, so the column stays \
                 text; to convert it, add --type price=double.",
            ]
        );
        request
            .types
            .add(mayfly_engine::transfer::FieldType::parse("price=double").expect("a type"));
        assert_eq!(hints(&columns[2..], &request), Vec::<String>::new());
    }
}
