//! Reads the rows of a CSV file before they are imported: a column has one type, wherever in the
//! file a value stands.

use std::collections::{HashMap, HashSet};

use crate::transfer::limits::CSV_ROW_BYTES_MAX;
use crate::transfer::read::csv_header::{Column, ColumnNote};
use crate::transfer::read::csv_name::{self, ColumnPath};
use crate::transfer::read::csv_number::{CellForm, cell_form, comma_number};
use crate::transfer::read::csv_row::{Cell, CsvSigns, RowEnd, is_blank, split};
use crate::transfer::read::csv_value::CellType;
use crate::transfer::read::input::Input;

/// The cells of one column.
#[derive(Debug, Clone, Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is another kind of cell")]
pub(in crate::transfer) struct Evidence {
    has_text: bool,
    /// A number that loses a character, and isn't only written in another way.
    has_altered: bool,
    /// The first number that would be written in another way.
    notation: Option<String>,
    has_numbers: bool,
    has_bools: bool,
    has_infinity: bool,
    /// The first word for a missing value; empty for `""`.
    missing: Option<String>,
    /// The first word for not a number: a number next to numbers, but no value next to booleans.
    nan: Option<String>,
    /// Some number has a point before its decimals.
    has_points: bool,
    /// The first number with a comma before its decimals, and whether some comma is surely that.
    comma: Option<(String, bool)>,
    has_values: bool,
    has_blanks: bool,
    /// The first value in quotes.
    quoted: Option<String>,
    /// Some value has no quotes. Words for missing values don't count: R writes them without.
    has_unquoted: bool,
}

/// How a survey reads cells.
#[derive(Debug, Clone, Copy)]
pub(in crate::transfer) struct CellRules {
    pub signs: CsvSigns,
    /// As the user chose it.
    pub decimal_comma: bool,
    /// Broken characters are replaced.
    pub replaces: bool,
}

impl CellRules {
    /// Whether a comma may come before decimals: it isn't the separator, or the user says so.
    fn may_have_commas(self) -> bool {
        self.decimal_comma || self.signs.separator != b','
    }
}

/// The findings of a look at all rows about their columns.
#[derive(Debug)]
pub(in crate::transfer) struct Survey {
    rules: CellRules,
    columns: Vec<Evidence>,
    /// Columns with a type, which need no evidence.
    typed: Vec<bool>,
    /// Columns that are inside of another: the index of both.
    nested: Vec<(usize, usize)>,
    /// Columns of which some row has a value both in them and in the one around them.
    both: HashSet<usize>,
    /// The same if blanks are values, with the column around them.
    both_blank: HashSet<(usize, usize)>,
    rows: u64,
    /// The most cells of a row.
    widest: usize,
    /// The fewest cells of a row.
    narrowest: Option<usize>,
    /// Some row is wider than the header, and has a backslash before a separator.
    has_escapes: bool,
}

impl Survey {
    pub(in crate::transfer) fn new(columns: &[Column], rules: CellRules) -> Self {
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
            rules,
            columns: vec![Evidence::default(); columns.len()],
            typed: columns.iter().map(|it| it.declared.is_some()).collect(),
            nested: columns.iter().enumerate().flat_map(outer).collect(),
            both: HashSet::new(),
            both_blank: HashSet::new(),
            rows: 0,
            widest: 0,
            narrowest: None,
            has_escapes: false,
        }
    }

    /// Looks at the rows in these bytes. Returns how many bytes they are; a row that isn't complete
    /// is left.
    pub(in crate::transfer) fn rows(&mut self, bytes: &[u8], ended: bool) -> usize {
        let (mut at, mut cells) = (0, Vec::new());
        while at < bytes.len() {
            let rest = bytes.get(at..).unwrap_or_default();
            match split(rest, self.rules.signs, ended, &mut cells) {
                RowEnd::Complete(length) => {
                    self.row(rest.get(..length).unwrap_or(rest), &cells);
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
    pub(in crate::transfer) fn read(&mut self, input: &mut Input<'_>) {
        loop {
            let taken = self.rows(input.bytes(), input.has_ended());
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
        if cells.len() > self.typed.len() && !self.has_escapes && !self.rules.signs.escapes {
            let escape = [b'\\', self.rules.signs.separator];
            self.has_escapes = memchr::memmem::find(row, &escape).is_some();
        }
        for (index, (evidence, cell)) in self.columns.iter_mut().zip(cells).enumerate() {
            if self.typed.get(index).is_some_and(|is_typed| *is_typed) {
                evidence.has_values |= !cell.is_missing(row);
            } else {
                evidence.add(row, cell, self.rules);
            }
        }
        for (inner, outer) in &self.nested {
            let has = |at: &usize| cells.get(*at).is_some_and(|cell| !cell.is_missing(row));
            let may_have = |at: &usize| cells.get(*at).is_some_and(|cell| !cell.is_empty());
            if has(inner) && has(outer) {
                self.both.insert(*inner);
            } else if may_have(inner) && may_have(outer) {
                self.both_blank.insert((*inner, *outer));
            }
        }
    }

    /// Gives the columns the types of their cells, and adds those that the header lacks.
    pub(in crate::transfer) fn apply(self, columns: &mut Vec<Column>) {
        let mut taken: HashSet<ColumnPath> =
            columns.iter().map(|column| column.path.clone()).collect();
        let is_shifted = self.is_shifted(columns.len());
        let is_text = |at: usize| self.columns.get(at).is_some_and(|it| it.is_text(&self.columns));
        for (inner, outer) in &self.nested {
            let has_both = self.both.contains(inner)
                || (self.both_blank.contains(&(*inner, *outer))
                    && (is_text(*inner) || is_text(*outer)));
            // The cells of a shifted row are those of other columns.
            if !is_shifted && !has_both {
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
            let notes = self.has_escapes.then_some(ColumnNote::ShiftedByEscape);
            columns
                .insert(at, Column { notes: notes.into_iter().collect(), ..Column::plain(path) });
        }
        for (column, evidence) in columns.iter_mut().zip(&self.columns) {
            if column.declared.is_none() {
                evidence.apply(column, &self.columns, self.rules);
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
    fn add(&mut self, row: &[u8], cell: &Cell, rules: CellRules) {
        if self.has_text {
            // Only whether a cell without quotes comes later matters yet.
            self.has_unquoted = self.has_unquoted || (!cell.quoted && !cell.is_missing(row));
            return;
        }
        if cell.is_missing(row) {
            self.has_blanks |= !cell.is_empty();
            return;
        }
        self.has_values = true;
        let bytes = cell.bytes(row);
        let Ok(text) = str::from_utf8(&bytes) else {
            // Else the cell is rejected with its row.
            self.has_text |= rules.replaces;
            return;
        };
        let text = cell.number_text(text);
        let form = cell_form(text);
        if !cell.quoted {
            self.note_unquoted(form);
        } else if self.quoted.is_none() {
            self.quoted = Some(text.to_owned());
        }
        match form {
            CellForm::Text if rules.may_have_commas() => self.note_comma(text),
            form => self.note(text, form),
        }
    }

    /// Takes a cell without quotes.
    pub(in crate::transfer) fn note_unquoted(&mut self, form: CellForm) {
        self.has_unquoted |= !matches!(form, CellForm::Missing | CellForm::NotFinite(_));
    }

    pub(in crate::transfer) fn has_unquoted(&self) -> bool {
        self.has_unquoted
    }

    fn note_comma(&mut self, text: &str) {
        let Some(number) = comma_number(text) else { return self.note(text, CellForm::Text) };
        let (_, is_sure) = self.comma.get_or_insert_with(|| (text.to_owned(), false));
        *is_sure |= number.is_sure;
        match number.form {
            CellForm::Altered { .. } => self.note(text, number.form),
            _ => self.has_numbers = true,
        }
    }

    /// Takes a cell with this text, which reads like this.
    pub(in crate::transfer) fn note(&mut self, text: &str, form: CellForm) {
        match form {
            CellForm::Int32(_) | CellForm::Int64(_) => self.has_numbers = true,
            CellForm::Double(_) => (self.has_numbers, self.has_points) = (true, true),
            CellForm::Bool(_) => self.has_bools = true,
            CellForm::NotFinite(number) if number.is_nan() => {
                self.nan.get_or_insert_with(|| text.to_owned());
            }
            CellForm::NotFinite(_) => self.has_infinity = true,
            CellForm::Missing => {
                let known = self.missing.get_or_insert_with(|| text.to_owned());
                if known.is_empty() {
                    text.clone_into(known);
                }
            }
            CellForm::Altered { is_notation: false } => self.has_altered = true,
            CellForm::Altered { is_notation: true } => {
                self.has_points |= text.contains('.');
                self.notation.get_or_insert_with(|| text.to_owned());
            }
            CellForm::Text => self.has_text = true,
        }
    }

    /// The type that the cells give to their column, by themselves.
    pub(in crate::transfer) fn cell_type(&self) -> CellType {
        let has_numbers = self.has_numbers || self.has_altered || self.notation.is_some();
        let is_mixed = self.has_bools && (has_numbers || self.has_infinity);
        if self.has_text || self.has_altered || self.notation.is_some() || is_mixed {
            CellType::Text
        } else if self.has_bools {
            CellType::Booleans
        } else if self.has_numbers {
            CellType::Numbers { comma: self.comma.is_some() }
        } else if self.has_values || self.has_blanks || self.missing.is_some() {
            CellType::Text
        } else {
            CellType::Auto
        }
    }

    /// Whether all its values have quotes and some of another column hasn't: they are meant as text.
    fn is_quoted(&self, all: &[Self]) -> bool {
        self.quoted.is_some() && !self.has_unquoted && all.iter().any(|other| other.has_unquoted)
    }

    fn is_text(&self, all: &[Self]) -> bool {
        self.cell_type() == CellType::Text || self.is_quoted(all)
    }

    /// Gives a column the type of its cells.
    fn apply(&self, column: &mut Column, all: &[Self], rules: CellRules) {
        let own = self.cell_type();
        // Between commas, a number with a comma needs its quotes.
        let is_decimal = rules.decimal_comma && self.comma.is_some();
        let is_quoted = !is_decimal && self.is_quoted(all);
        let is_unclear = self
            .comma
            .as_ref()
            .is_some_and(|(_, is_sure)| self.has_points || (!is_sure && !rules.decimal_comma));
        let is_number = matches!(own, CellType::Numbers { .. } | CellType::Booleans);
        column.has_commas = rules.decimal_comma || (self.comma.is_some() && !is_unclear);
        column.to = match own {
            _ if is_quoted || is_unclear => CellType::Text,
            CellType::Numbers { .. } => CellType::Numbers { comma: column.has_commas },
            own => own,
        };
        column.keeps_blanks = column.to == CellType::Text;
        let word = self.word(&column.to);
        column.has_words = word.is_some();
        column.notes.extend(self.notes(column, is_quoted, is_unclear, is_number));
    }

    /// The first word that isn't a value in a column of this type; empty for `""`.
    fn word(&self, to: &CellType) -> Option<&String> {
        match to {
            CellType::Numbers { .. } => self.missing.as_ref(),
            CellType::Booleans => {
                let missing = self.missing.as_ref().filter(|word| !word.is_empty());
                missing.or(self.nan.as_ref()).or(self.missing.as_ref())
            }
            _ => None,
        }
    }

    fn notes(
        &self,
        column: &Column,
        is_quoted: bool,
        is_unclear: bool,
        is_number: bool,
    ) -> Vec<ColumnNote> {
        let is_only_notation = !self.has_text && !self.has_altered && !self.has_bools;
        let comma = self.comma.as_ref().map(|(first, _)| first.clone());
        let notes = [
            self.quoted.clone().filter(|_| is_quoted && is_number).map(ColumnNote::Quoted),
            comma
                .clone()
                .filter(|_| is_unclear && is_only_notation && !is_quoted)
                .map(ColumnNote::UnclearComma),
            self.notation
                .clone()
                .filter(|_| is_only_notation && !is_quoted && !is_unclear)
                .map(ColumnNote::Altered),
            comma
                .filter(|_| matches!(column.to, CellType::Numbers { .. }))
                .map(ColumnNote::DecimalComma),
            self.word(&column.to)
                .filter(|word| !word.is_empty())
                .cloned()
                .map(ColumnNote::MissingWord),
        ];
        notes.into_iter().flatten().collect()
    }
}
