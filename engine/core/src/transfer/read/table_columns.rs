//! The columns of a table whose values have types: as those of a CSV file, without a look at all rows.

use std::collections::HashSet;

use crate::transfer::read::csv_header::{Column, rename_late};
use crate::transfer::read::csv_name::{self, ColumnPath};

/// A column for each header. `renames` are names that the user chose, each after the name that the
/// column has without it.
///
/// # Errors
/// One sentence without its full stop.
pub(in crate::transfer) fn table_columns(
    headers: &[&str],
    renames: &[(String, String)],
) -> Result<Vec<Column>, String> {
    let column = |(path, header): (ColumnPath, &&str)| {
        let header = (*header).trim().to_owned();
        Column { header, ..Column::plain(path) }
    };
    let paths = csv_name::paths(headers);
    let mut columns: Vec<Column> = paths.into_iter().zip(headers).map(column).collect();
    part_nested(&mut columns);
    rename_late(&mut columns, &renames.iter().collect::<Vec<_>>())?;
    Ok(columns)
}

/// Takes columns out of those around them: a row may have a value in both.
fn part_nested(columns: &mut [Column]) {
    let mut taken: HashSet<ColumnPath> = columns.iter().map(|column| column.path.clone()).collect();
    let known = taken.clone();
    for column in columns.iter_mut() {
        let mut outer = (1..column.path.len()).filter_map(|end| column.path.get(..end));
        if outer.any(|outer| known.contains(outer)) {
            column.path = csv_name::flat(&column.path, &taken);
            taken.insert(column.path.clone());
        }
    }
    csv_name::mend_arrays(columns.iter_mut().map(|column| &mut column.path));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transfer::read::csv_name::path_text;

    #[track_caller]
    fn check(headers: &[&str], renames: &[(&str, &str)], expected: Result<&[&str], &str>) {
        let renames: Vec<(String, String)> =
            renames.iter().map(|(from, to)| ((*from).to_owned(), (*to).to_owned())).collect();
        match (table_columns(headers, &renames), expected) {
            (Ok(columns), Ok(names)) => {
                let found: Vec<String> = columns.iter().map(|it| path_text(&it.path)).collect();
                assert_eq!(found, names);
            }
            (Err(reason), Err(word)) => assert!(reason.contains(word), "{reason}"),
            (found, expected) => panic!("{found:?} is not {expected:?}"),
        }
    }

    #[test]
    fn columns_have_the_names_of_a_csv_file() {
        check(&["", "a", "a", "b.c", "No."], &[], Ok(&["field0", "a", "a_2", "b.c", "No"]));
        check(&["a", "a.b", "a.c.d"], &[], Ok(&["a", "a_b", "a_c_d"]));
        check(&["tags[0]", "tags[1]"], &[], Ok(&["tags[0]", "tags[1]"]));
        check(&["a", "b"], &[("a", "x.y"), ("b", "x.z")], Ok(&["x.y", "x.z"]));
        check(&["a", "b"], &[("c", "x")], Err("no column is called \"c\""));
        check(&["a", "b"], &[("a", "b")], Err("two columns would be called \"b\""));
        check(&["a", "b"], &[("a", "b.c")], Err("would be inside of another column"));
    }
}
