//! CSV with a header row: rows to documents, with mongoimport's types where no text loses a
//! character.

use bson::{RawDocument, RawDocumentBuf};

use crate::transfer::limits::{CSV_COLUMNS_MAX, CSV_ROW_BYTES_MAX};
use crate::transfer::read::convert::Converter;
use crate::transfer::read::csv_document::{Row, document};
use crate::transfer::read::csv_header::{
    CellError, Column, TableColumn, header, rename, rename_late,
};
use crate::transfer::read::csv_name::names;
use crate::transfer::read::csv_row::{Cell, CsvSigns, RowEnd, is_blank, split};
use crate::transfer::read::csv_survey::{CellRules, Survey};
use crate::transfer::read::csv_value::CellType;
use crate::transfer::read::input::Input;
use crate::transfer::read::item::{BadRecord, Item};
use crate::transfer::read::row_shape::RowShape;
use crate::transfer::{DeclaredType, Nonstandard, ReadOptions, TextPosition};
use crate::value::{extjson::Tally, zone::Zone};

/// The rows of a CSV file.
pub(in crate::transfer) struct CsvRecords {
    rules: CellRules,
    /// The zone of dates that name none.
    zone: Zone,
    /// Names of columns that the user chose.
    renames: Vec<(String, String)>,
    position: TextPosition,
    columns: Vec<Column>,
    shape: RowShape,
    header_read: bool,
    /// Bytes that decide the types of columns.
    survey_bytes_max: u64,
    /// Columns with words for missing values.
    worded: Vec<usize>,
    tally: Tally,
    /// The cells of the current row.
    cells: Vec<Cell>,
    document: RawDocumentBuf,
}

impl CsvRecords {
    pub(in crate::transfer) fn new(
        signs: CsvSigns,
        options: &ReadOptions,
        position: TextPosition,
    ) -> Self {
        let rules = CellRules {
            signs,
            decimal_comma: options.csv.decimal_comma,
            replaces: options.leniency.takes(Nonstandard::BrokenText),
        };
        Self {
            rules,
            zone: options.types.zone,
            renames: options.renames.clone(),
            position,
            columns: Vec::new(),
            shape: RowShape::default(),
            header_read: false,
            survey_bytes_max: u64::MAX,
            worded: Vec::new(),
            tally: Tally::NONE,
            cells: Vec::new(),
            document: RawDocumentBuf::new(),
        }
    }

    /// Sets how many bytes decide the types of columns. The default is all.
    pub(in crate::transfer) fn survey_at_most(&mut self, bytes: u64) {
        self.survey_bytes_max = bytes;
    }

    /// Reads the header row and continues at `position`.
    ///
    /// # Errors
    /// When the header row can no longer be read; one sentence without its full stop.
    pub(in crate::transfer) fn resume(
        &mut self,
        position: TextPosition,
        input: &mut Input<'_>,
        mut converter: Option<&mut Converter>,
    ) -> Result<(), String> {
        while position.offset > self.position.offset && !self.header_read {
            if self.step(input, converter.as_deref_mut()).is_some() {
                return Err("the header row can no longer be read".to_owned());
            }
        }
        self.position = position;
        Ok(())
    }

    /// Where the next row starts.
    pub(in crate::transfer) fn position(&self) -> TextPosition {
        self.position
    }

    pub(in crate::transfer) fn document(&self) -> &RawDocument {
        &self.document
    }

    /// The type that the header gives to the column with this path, with dots.
    pub(in crate::transfer) fn declared(&self, path: &str) -> Option<DeclaredType> {
        let column = self.columns.iter().find(|column| column.field_path() == path)?;
        let dates = match &column.to {
            CellType::Date(form) => Some(form.clone()),
            _ => None,
        };
        column.declared.clone().map(|text| DeclaredType { text, dates })
    }

    /// Words for missing values that were left out, and broken characters that were replaced.
    pub(in crate::transfer) fn tally(&self) -> Tally {
        self.tally
    }

    /// The columns, once the header was read.
    pub(in crate::transfer) fn columns(&self) -> Vec<TableColumn> {
        self.columns.iter().map(Column::shown).collect()
    }

    pub(in crate::transfer) fn next(
        &mut self,
        input: &mut Input<'_>,
        mut converter: Option<&mut Converter>,
    ) -> Item {
        loop {
            if let Some(item) = self.step(input, converter.as_deref_mut()) {
                return item;
            }
        }
    }

    /// Reads one row; `None` for a blank row or the header.
    fn step(&mut self, input: &mut Input<'_>, converter: Option<&mut Converter>) -> Option<Item> {
        let length = match self.row(input) {
            Ok(Some(length)) => length,
            Ok(None) => return Some(Item::End),
            Err(bad) => return Some(Item::Bad(bad)),
        };
        let cells = std::mem::take(&mut self.cells);
        let bytes = input.bytes().get(..length).unwrap_or_default();
        // A row of separators is a row of empty cells, even if the separators are tabs.
        let is_blank = is_blank(&cells, bytes)
            || (!self.header_read
                && (bytes.trim_ascii().is_empty() || named_separator(bytes).is_some()));
        let position = self.position;
        let item = if is_blank {
            None
        } else if self.header_read {
            let (columns, zone, replaces) = (&self.columns, self.zone, self.rules.replaces);
            let mut row = Row {
                bytes,
                cells: &cells,
                columns,
                zone,
                converter,
                position,
                replaces,
                replaced: 0,
            };
            let reuse = std::mem::take(&mut self.document);
            let document = document(&self.shape, &mut row, reuse);
            let replaced = row.replaced;
            Some(match document {
                Ok(document) => {
                    self.document = document;
                    self.count(bytes, &cells, replaced);
                    Item::Document(position)
                }
                Err(error) => Item::Bad(self.wrong(bytes, error, false)),
            })
        } else {
            let read = header(bytes, &cells, self.rules.replaces);
            match read.and_then(|columns| self.begin(columns, length, input, converter.as_deref()))
            {
                Ok(()) => None,
                Err(error) => Some(Item::Bad(self.wrong(bytes, error, true))),
            }
        };
        let bytes = input.bytes().get(..length).unwrap_or_default();
        if !is_blank {
            self.position.document += u64::from(self.header_read);
            self.header_read = true;
        }
        self.position = self.position.after(bytes);
        input.consume(length);
        self.cells = cells;
        item
    }

    /// Counts what was left out of a row, and this many characters that were replaced in it.
    fn count(&mut self, row: &[u8], cells: &[Cell], replaced: u64) {
        let broken = Nonstandard::BrokenText;
        self.tally.set(broken, self.tally[broken] + replaced);
        for index in &self.worded {
            let (column, cell) = (self.columns.get(*index), cells.get(*index));
            let Some((column, cell)) = column.zip(cell).filter(|(_, cell)| !cell.is_missing(row))
            else {
                continue;
            };
            // `""` is a missing value without a word.
            let is_word = || !cell.bytes(row).is_empty() && column.is_word(cell, row);
            self.tally.missing_words += u64::from(is_word());
        }
    }

    fn wrong(&self, row: &[u8], (at, reason): CellError, fatal: bool) -> BadRecord {
        let position = self.position.after(row.get(..at).unwrap_or(row));
        BadRecord::new(position, reason, row.trim_ascii_end(), fatal).started(self.position.line)
    }

    /// Takes the columns of the header, which has this many bytes, with the types of their cells.
    fn begin(
        &mut self,
        mut columns: Vec<Column>,
        length: usize,
        input: &Input<'_>,
        converter: Option<&Converter>,
    ) -> Result<(), CellError> {
        let refused = |reason| (0, reason);
        let renames: Vec<&(String, String)> = self.renames.iter().collect();
        let late = rename(&mut columns, &renames).map_err(refused)?;
        let mut survey = Survey::new(&columns, self.rules);
        let rows = input.bytes().get(length..).unwrap_or_default();
        let offset = self.position.offset + length as u64;
        let again = (!input.has_ended()).then(|| input.again(offset, self.survey_bytes_max));
        match again.flatten() {
            Some(mut again) => survey.read(&mut again),
            None => drop(survey.rows(rows, input.has_ended())),
        }
        survey.apply(&mut columns);
        rename_late(&mut columns, &late).map_err(refused)?;
        for column in &mut columns {
            column.has_commas |= self.rules.decimal_comma;
            column.field = converter.and_then(|it| it.field_at(&names(&column.path)));
            let Some((field, converter)) = column.field.zip(converter) else { continue };
            column.keeps_blanks = converter.is_text(field);
            if column.declared.is_none() {
                (column.to, column.has_words, column.notes) = (CellType::Auto, false, Vec::new());
            }
        }
        let has_words = |(index, column): (usize, &Column)| column.has_words.then_some(index);
        self.worded = columns.iter().enumerate().filter_map(has_words).collect();
        self.shape = RowShape::of(&columns);
        self.columns = columns;
        Ok(())
    }

    /// Splits the next row into `cells`. Returns its length, `None` at the end of the file.
    fn row(&mut self, input: &mut Input<'_>) -> Result<Option<usize>, BadRecord> {
        loop {
            let bytes = input.bytes();
            if bytes.is_empty() && input.has_ended() {
                return Ok(None);
            }
            let wrong = |at, reason: &str, fatal| {
                let text = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
                let position = self.position.after(bytes.get(..at).unwrap_or(bytes));
                BadRecord::new(position, reason, text, fatal).started(self.position.line)
            };
            match split(bytes, self.rules.signs, input.has_ended(), &mut self.cells) {
                RowEnd::Complete(length) => return Ok(Some(length)),
                RowEnd::Unterminated(at) if input.has_ended() => {
                    return Err(wrong(at, "unclosed quote; close it", true));
                }
                RowEnd::Unterminated(_) => self.read_more(input)?,
                RowEnd::Invalid(at, reason) => {
                    let rest = bytes.get(at..).unwrap_or_default();
                    let line = rest.iter().position(|byte| *byte == b'\n');
                    if line.is_none() && !input.has_ended() {
                        // The rest of the line belongs to this row and must not be parsed as
                        // another one.
                        self.read_more(input)?;
                        continue;
                    }
                    let bad = wrong(at, reason, !self.header_read);
                    let length = line.map_or(bytes.len(), |end| at + end + 1);
                    self.skip(length, input);
                    return Err(bad);
                }
                RowEnd::TooWide(at, length) => {
                    let what = if self.header_read { "row" } else { "header" };
                    let reason =
                        format!("the {what} has more than {CSV_COLUMNS_MAX} columns; split it");
                    let bad = wrong(at, &reason, !self.header_read);
                    self.skip(length, input);
                    return Err(bad);
                }
            }
        }
    }

    /// Doubles the buffered bytes, for a row that is longer.
    fn read_more(&self, input: &mut Input<'_>) -> Result<(), BadRecord> {
        let bytes = input.bytes();
        if bytes.len() >= CSV_ROW_BYTES_MAX {
            let text = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
            return Err(BadRecord::new(self.position, "the row is too long; split it", text, true));
        }
        let wanted = bytes.len() * 2;
        let filled = input.fill().and_then(|()| input.fill_to(wanted));
        filled.map_err(|reason| BadRecord::new(self.position, reason, &[], true))
    }

    /// Skips a row that can't be used.
    fn skip(&mut self, length: usize, input: &mut Input<'_>) {
        let bytes = input.bytes();
        self.position = self.position.after(bytes.get(..length).unwrap_or(bytes));
        self.position.document += 1;
        input.consume(length);
    }
}

/// The separator of Excel's line `sep=;`, which comes before the header.
pub(in crate::transfer) fn named_separator(line: &[u8]) -> Option<u8> {
    let line = line.trim_ascii_end();
    let line = line.strip_prefix(b"\"").and_then(|line| line.strip_suffix(b"\"")).unwrap_or(line);
    match line {
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'=', separator] => Some(*separator),
        // The tab at the end was trimmed.
        [b's' | b'S', b'e' | b'E', b'p' | b'P', b'='] => Some(b'\t'),
        _ => None,
    }
}
