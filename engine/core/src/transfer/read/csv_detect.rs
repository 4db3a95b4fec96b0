//! Recognizes CSV, and its separator.

use crate::transfer::read::csv::named_separator;
use crate::transfer::read::csv_header::header;
use crate::transfer::read::csv_row::{Cell, CsvSigns, RowEnd, split};

/// In the order in which they are preferred.
const SEPARATORS: [u8; 4] = [b',', b';', b'\t', b'|'];

/// Rows after the header that are looked at.
const ROWS_MAX: usize = 10;

/// The separator that the first line names, or that which most of the first rows have as often as
/// the header, or else the most frequent one in the header.
pub(in crate::transfer) fn separator(text: &[u8]) -> u8 {
    let line = text.trim_ascii_start().split(|byte| *byte == b'\n').next().unwrap_or_default();
    if let Some(separator) = named_separator(line) {
        return separator;
    }
    let mut best = (b',', 0, 0);
    for separator in SEPARATORS {
        let (widths, _) = widths(text, CsvSigns::plain(separator), false, ROWS_MAX);
        let Some((header, rows)) = widths.split_first() else { continue };
        let alike = rows.iter().filter(|row| **row == *header).count();
        let (_, alike_before, header_before) = best;
        if *header > 1 && (alike, *header) > (alike_before, header_before) {
            best = (separator, alike, *header);
        }
    }
    best.0
}

/// Whether backslashes in this text are escapes: with them each row has as many cells as the first,
/// and without them fewer rows do.
pub(in crate::transfer) fn has_escapes(text: &[u8], separator: u8, whole: bool) -> bool {
    let has = |next: u8| memchr::memmem::find(text, &[b'\\', next]).is_some();
    if !has(b'"') && !has(separator) {
        return false;
    }
    let rows = |escapes| {
        let (widths, _) = widths(text, CsvSigns { separator, escapes }, whole, usize::MAX);
        let alike = widths.iter().filter(|width| Some(*width) == widths.first()).count();
        (alike, widths.len())
    };
    let ((plain, _), (escaped, all)) = (rows(false), rows(true));
    escaped == all && escaped > plain
}

/// Whether this text, in a file that isn't named as a table, is one: half of its rows or more have
/// as many cells as the first, give or take one. Prose with a comma in its first line isn't.
pub(in crate::transfer) fn is_table(text: &[u8], signs: CsvSigns, whole: bool) -> bool {
    let (widths, is_cut) = widths(text, signs, whole, ROWS_MAX);
    let Some((first, rows)) = widths.split_first() else { return false };
    let alike = rows.iter().filter(|row| **row > 1 && row.abs_diff(*first) <= 1).count();
    let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    // A line that ends with a carriage return alone is refused by the reader, which says so.
    let is_cut = is_cut || line.trim_ascii_end().contains(&b'\r');
    let has_rows = *first > 1 && (is_cut || !rows.is_empty());
    named_separator(line).is_some()
        || (has_rows && alike * 2 >= rows.len())
        || has_types(text, signs, whole)
}

/// Whether the first row is a header that names types: nothing else looks like it.
fn has_types(text: &[u8], signs: CsvSigns, whole: bool) -> bool {
    let mut cells = Vec::new();
    let RowEnd::Complete(length) = split(text, signs, whole, &mut cells) else { return false };
    let columns = header(text.get(..length).unwrap_or_default(), &cells, false);
    columns.is_ok_and(|columns| columns.iter().any(|column| column.declared.is_some()))
}

/// How many cells each of the first rows has, up to a row that can't be read or isn't complete, and
/// whether there is one. Blank rows don't count.
fn widths(text: &[u8], signs: CsvSigns, whole: bool, rows_max: usize) -> (Vec<usize>, bool) {
    let (mut rest, mut cells) = (text, Vec::<Cell>::new());
    let mut widths = Vec::new();
    while widths.len() <= rows_max && !rest.is_empty() {
        let length = match split(rest, signs, whole, &mut cells) {
            RowEnd::Complete(length) => length,
            RowEnd::TooWide(..) if widths.is_empty() => return (vec![cells.len()], true),
            RowEnd::TooWide(..) | RowEnd::Unterminated(_) | RowEnd::Invalid(..) => {
                return (widths, true);
            }
        };
        let row = rest.get(..length).unwrap_or_default();
        if !row.trim_ascii().is_empty() {
            widths.push(cells.len());
        }
        rest = rest.get(length..).unwrap_or_default();
    }
    (widths, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_separator_is_the_one_that_the_rows_share() {
        let check = |text: &str, expected: char| {
            assert_eq!(char::from(separator(text.as_bytes())), expected, "{text:?}");
        };
        check("a,b\n1,2\n", ',');
        check("a;b\n1,5;2\n", ';');
        check("item|price|qty\nnut|1.50|3\n", '|');
        check("City, State\tPop, total, year\nx\t1\ny\t2\n", '\t');
        check("a,b|c\n1,2|3,4\n5,6|7,8\n", '|');
        check("a\n1\n", ',');
        check("\"a;b\",c\n1,2\n", ',');
        check("sep=;\nitem;price\n", ';');
        check("SEP=|\r\nitem|price\n", '|');
        check("sep=\t\nitem\tprice\n", '\t');
        check("\"sep=^\"\na^b\n", '^');
        check("", ',');
    }

    #[test]
    fn backslashes_are_escapes_if_the_rows_fit_only_then() {
        let check = |text: &str, expected: bool| {
            assert_eq!(has_escapes(text.as_bytes(), b',', true), expected, "{text:?}");
        };
        check("a,b\n\"He said \\\"hi\\\"\",1\n", true);
        check("a,b\n1,2\nx\\,y,3\n", true);
        check("a,b\nC:\\dir,2\n", false);
        check("a,b\n\"C:\\dir\\\",2\n\"D:\\\",3\n", false);
        check("a,b\nC:\\,2\nD:\\,3\n", false);
        check("a,b\n1,2,3\n", false);
    }

    #[test]
    fn prose_is_no_table() {
        let check = |text: &str, expected: bool| {
            let separator = separator(text.as_bytes());
            assert_eq!(
                is_table(text.as_bytes(), CsvSigns::plain(separator), true),
                expected,
                "{text:?}"
            );
        };
        check("a,b\n1,2\n", true);
        check("a,b\n1,2", true);
        check("a,b\n1,x\n2\n", true);
        check("a,b\n\"r\",1,2\n", true);
        check("sep=;\nitem\n", true);
        check("v.string()\na\n", true);
        check("a.string()b\n", false);
        check("Not found, sorry\n", false);
        check("Not found, sorry", false);
        check("Dear all,\n\nplease find below what you asked for.\nYours\n", false);
        check("name: x, y\nage: 3\nlist:\n  - a\n", false);
        check("words\nonly\n", false);
    }
}
