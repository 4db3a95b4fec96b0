//! Reads the rows of a CSV file before they are imported: a column has one type, wherever in the
//! file a value stands.

use std::collections::{HashMap, HashSet};

use crate::transfer::limits::CSV_ROW_BYTES_MAX;
use crate::transfer::read::csv_header::Column;
use crate::transfer::read::csv_name::{self, ColumnPath};
use crate::transfer::read::csv_number::{CellForm, cell_form};
use crate::transfer::read::csv_row::{Cell, RowEnd, is_blank, split};
use crate::transfer::read::csv_value::CellType;
use crate::transfer::read::input::Input;

/// The cells of one column.
#[derive(Debug, Clone, Default)]
pub(in crate::transfer) struct Evidence {
    has_text: bool,
    /// A number that loses a character, and isn't only written in another way.
    has_altered: bool,
    /// The first number that would be written in another way.
    notation: Option<String>,
    has_values: bool,
}

/// The findings of a look at all rows about their columns.
#[derive(Debug, Default)]
pub(in crate::transfer) struct Survey {
    columns: Vec<Evidence>,
    /// Columns with a type, which need no evidence.
    typed: Vec<bool>,
    /// Columns that are inside of another: the index of both.
    nested: Vec<(usize, usize)>,
    /// Columns of which some row has a value both in them and in the one around them.
    both: HashSet<usize>,
    rows: u64,
    /// The most cells of a row.
    widest: usize,
    /// The fewest cells of a row.
    narrowest: Option<usize>,
}

impl Survey {
    pub(in crate::transfer) fn new(columns: &[Column]) -> Self {
        let at: HashMap<&ColumnPath, usize> =
            columns.iter().enumerate().map(|(index, column)| (&column.path, index)).collect();
        let outer = |(inner, column): (usize, &Column)| {
            let ends = 1..column.path.len();
            let outer: Vec<(usize, usize)> = ends
                .filter_map(|end| Some((inner, *at.get(&column.path.get(..end)?.to_vec())?)))
                .collect();
            outer
        };
        Self {
            columns: vec![Evidence::default(); columns.len()],
            typed: columns.iter().map(|it| it.declared.is_some()).collect(),
            nested: columns.iter().enumerate().flat_map(outer).collect(),
            ..Self::default()
        }
    }

    /// Looks at the rows in these bytes. Returns how many bytes they are; a row that isn't complete
    /// is left.
    pub(in crate::transfer) fn rows(&mut self, bytes: &[u8], separator: u8, ended: bool) -> usize {
        let (mut at, mut cells) = (0, Vec::new());
        while at < bytes.len() {
            let rest = bytes.get(at..).unwrap_or_default();
            match split(rest, separator, ended, &mut cells) {
                RowEnd::Complete(length) => {
                    self.row(rest, &cells);
                    at += length;
                }
                RowEnd::TooWide(_, length) => at += length,
                RowEnd::Unterminated(_) => break,
                RowEnd::Invalid(from, _) => {
                    let line = memchr::memchr(b'\n', rest.get(from..).unwrap_or_default());
                    match line {
                        Some(end) => at += from + end + 1,
                        None if ended => at = bytes.len(),
                        None => break,
                    }
                }
            }
        }
        at
    }

    /// Looks at rows up to the end of the input, or until it has enough.
    pub(in crate::transfer) fn read(&mut self, input: &mut Input<'_>, separator: u8) {
        loop {
            let taken = self.rows(input.bytes(), separator, input.has_ended());
            input.consume(taken);
            let left = input.bytes().len();
            // The import itself says why a file can't be read to its end.
            let goes_on = !input.has_ended() && !input.is_enough() && left < CSV_ROW_BYTES_MAX;
            let wanted = if taken == 0 { left * 2 } else { left + 1 };
            if !goes_on || input.fill().and_then(|()| input.fill_to(wanted)).is_err() {
                return;
            }
        }
    }

    fn row(&mut self, row: &[u8], cells: &[Cell]) {
        if is_blank(cells, row) {
            return;
        }
        self.rows += 1;
        self.widest = self.widest.max(cells.len());
        self.narrowest = Some(self.narrowest.map_or(cells.len(), |few| few.min(cells.len())));
        if self.columns.len() < cells.len() {
            self.columns.resize(cells.len(), Evidence::default());
        }
        for (index, (evidence, cell)) in self.columns.iter_mut().zip(cells).enumerate() {
            if self.typed.get(index).is_some_and(|is_typed| *is_typed) {
                evidence.has_values |= !cell.is_missing(row);
            } else {
                evidence.add(row, cell);
            }
        }
        for (inner, outer) in &self.nested {
            let has = |at: &usize| cells.get(*at).is_some_and(|cell| !cell.is_missing(row));
            if has(inner) && has(outer) {
                self.both.insert(*inner);
            }
        }
    }

    /// Gives the columns the types of their cells, and adds those that the header lacks.
    pub(in crate::transfer) fn apply(self, columns: &mut Vec<Column>) {
        let mut taken: HashSet<ColumnPath> =
            columns.iter().map(|column| column.path.clone()).collect();
        let is_shifted = self.is_shifted(columns.len());
        for (inner, _) in &self.nested {
            // The cells of a shifted row are those of other columns.
            if !is_shifted && !self.both.contains(inner) {
                continue;
            }
            if let Some(column) = columns.get_mut(*inner) {
                column.path = csv_name::flat(&column.path, &taken);
                taken.insert(column.path.clone());
            }
        }
        csv_name::mend_arrays(columns.iter_mut().map(|column| &mut column.path));
        for index in columns.len()..self.widest {
            let mut path = csv_name::unnamed(if is_shifted { 0 } else { index });
            csv_name::make_unique(&mut path, &taken);
            taken.insert(path.clone());
            let at = if is_shifted { 0 } else { index };
            columns.insert(at, Column::plain(path));
        }
        for (column, evidence) in columns.iter_mut().zip(self.columns) {
            if column.declared.is_some() {
                continue;
            }
            column.to = evidence.cell_type();
            if !evidence.has_text && !evidence.has_altered {
                column.kept_text = evidence.notation;
            }
        }
    }

    /// Whether each row has exactly one cell more than the header: R writes tables like this, and
    /// the first cell is the row's name. A last cell that is always empty is a separator too many.
    fn is_shifted(&self, columns: usize) -> bool {
        let wide = columns + 1;
        self.widest == wide
            && self.narrowest == Some(wide)
            && !self.typed.iter().any(|is_typed| *is_typed)
            && self.columns.last().is_some_and(|last| last.has_values)
    }
}

impl Evidence {
    fn add(&mut self, row: &[u8], cell: &Cell) {
        if self.has_text || cell.is_missing(row) {
            return;
        }
        self.has_values = true;
        let bytes = cell.bytes(row);
        // A cell that isn't UTF-8 is rejected with its row.
        let Ok(text) = str::from_utf8(&bytes) else { return };
        self.note(text, cell_form(cell.number_text(text)));
    }

    /// Takes a cell with this text, which reads like this.
    pub(in crate::transfer) fn note(&mut self, text: &str, form: CellForm) {
        match form {
            CellForm::Int32(_) | CellForm::Int64(_) | CellForm::Double(_) | CellForm::NoNumber => {}
            CellForm::Altered { is_notation: false } => self.has_altered = true,
            CellForm::Altered { is_notation: true } => {
                self.notation.get_or_insert_with(|| text.trim().to_owned());
            }
            CellForm::Text => self.has_text = true,
        }
    }

    /// The type that the cells give to their column.
    pub(in crate::transfer) fn cell_type(&self) -> CellType {
        let is_altered = self.has_altered || self.notation.is_some();
        if self.has_text || is_altered { CellType::Text } else { CellType::Auto }
    }
}
