//! The columns of the table: the fields of the documents that are there.

use std::collections::BTreeSet;

use bson::Bson;

use super::pages::Pages;
use crate::limits::COLUMNS_MAX;

/// Names of the fields of the documents that are there: `_id` first, then in the order in which
/// they are met.
pub fn merge(columns: &mut Vec<String>, pages: &Pages) {
    // Known columns keep their places, so that a new document moves nothing.
    let mut known: BTreeSet<String> = columns.iter().cloned().collect();
    for (_, row) in pages.rows() {
        for name in row.document.keys() {
            if columns.len() >= COLUMNS_MAX {
                return;
            }
            if known.insert(name.clone()) {
                columns.push(name.clone());
            }
        }
    }
    if let Some(at) = columns.iter().position(|name| name == "_id").filter(|at| *at > 0) {
        let id = columns.remove(at);
        columns.insert(0, id);
    }
}

/// Names of the fields inside of a field, in the order in which they are met.
pub fn inside(field: &str, pages: &Pages) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut known: BTreeSet<String> = BTreeSet::new();
    for (_, row) in pages.rows() {
        let Some(Bson::Document(inner)) = row.document.get(field) else { continue };
        for name in inner.keys() {
            if names.len() >= COLUMNS_MAX {
                return names;
            }
            if known.insert(name.clone()) {
                names.push(name.clone());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::state::documents::Row;

    #[test]
    fn columns_keep_their_places() {
        let mut pages = Pages::default();
        pages.begin_run();
        let rows = vec![
            Row::new(doc! {"a": 1, "_id": 1}, None),
            Row::new(doc! {"_id": 2, "c": 1, "a": 1}, None),
        ];
        pages.take(1, 0, rows, false);
        let mut columns = vec!["old".to_owned()];
        merge(&mut columns, &pages);
        assert_eq!(columns, ["_id", "old", "a", "c"]);
    }

    #[test]
    fn fields_of_a_field_are_found_in_every_document() {
        let mut pages = Pages::default();
        pages.begin_run();
        let rows = [doc! {"a": {"x": 1}}, doc! {"a": 1}, doc! {"a": {"y": 1, "x": 2}}];
        pages.take(1, 0, rows.map(|row| Row::new(row, None)).into(), false);
        assert_eq!(inside("a", &pages), ["x", "y"]);
        assert!(inside("b", &pages).is_empty());
    }
}
