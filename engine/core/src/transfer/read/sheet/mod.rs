//! Sheets of a workbook. A sheet is read whole, with a bound, because its columns are known only at
//! its end; its values are kept as they will be in documents.

mod cell;
mod workbook;

use std::ops::Range;

use bson::{RawDocument, RawDocumentBuf};

use crate::transfer::limits::{CSV_COLUMNS_MAX, SAMPLE_DOCS_MAX, SHEET_BYTES_MAX};
use crate::transfer::read::bson_bytes::{begin, begin_field, end};
use crate::transfer::read::convert::Converter;
use crate::transfer::read::csv_header::{CellError, Column, TableColumn};
use crate::transfer::read::input::Input;
use crate::transfer::read::item::{BadRecord, Item};
use crate::transfer::read::row_reader::RowReader;
use crate::transfer::read::row_shape::{Cells, RowShape};
use crate::transfer::read::table_columns::table_columns;
use crate::transfer::{ReadOptions, TextPosition};
use crate::value::{counted, extjson::Tally, zone::Zone};
use cell::{CellValue, CellWriter};
use workbook::Workbook;

pub(in crate::transfer) use workbook::{is_legacy, is_workbook};

/// A cell of [`Table`].
struct SheetCell {
    column: u32,
    /// Bytes of its value: type, an empty name, the value.
    bytes: u32,
    start: usize,
}

struct SheetRow {
    /// As the program shows it, from 1.
    number: u32,
    /// The end of its cells, which are in the order of their columns.
    end: usize,
    as_text: u32,
    error_cells: u32,
    far_dates: u32,
}

/// The cells of a sheet.
#[derive(Default)]
struct Table {
    header: Vec<String>,
    /// Columns with a value below the header.
    used: Vec<bool>,
    rows: Vec<SheetRow>,
    cells: Vec<SheetCell>,
    values: Vec<u8>,
    /// Cells with a formula and without a value.
    empty_formulas: u64,
    /// Not all rows were wanted.
    is_cut: bool,
}

/// The rows of a sheet.
pub(in crate::transfer) struct SheetRows {
    workbook: Workbook,
    sheets: Vec<String>,
    sheet: String,
    renames: Vec<(String, String)>,
    /// The zone of its dates.
    zone: Zone,
    /// Bytes after which no further row is wanted.
    wanted: u64,
    table: Option<Table>,
    columns: Vec<Column>,
    shape: RowShape,
    /// The next row.
    at: usize,
    bytes: u64,
    document: RawDocumentBuf,
    tally: Tally,
}

impl SheetRows {
    /// Opens a workbook and finds the sheet.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub(in crate::transfer) fn open(
        input: &Input<'_>,
        options: &ReadOptions,
    ) -> Result<Self, String> {
        let workbook = Workbook::open(input)?;
        let sheets = workbook.sheets();
        let sheet = match &options.sheet {
            Some(name) if sheets.contains(name) => name.clone(),
            Some(name) => {
                let known = sheets.join(", ");
                return Err(format!("the workbook has no sheet {name:?}; choose one of: {known}"));
            }
            None => workbook.first_sheet().ok_or("the workbook has no sheet with cells")?,
        };
        Ok(Self {
            workbook,
            sheets,
            sheet,
            renames: options.renames.clone(),
            zone: options.types.zone,
            wanted: u64::MAX,
            table: None,
            columns: Vec::new(),
            shape: RowShape::default(),
            at: 0,
            bytes: 0,
            document: RawDocumentBuf::new(),
            tally: Tally::NONE,
        })
    }

    /// Reads the cells.
    fn load(&mut self, input: &Input<'_>) -> Result<(), String> {
        let mut filling = Filling::new(self.zone, self.wanted);
        self.workbook.cells(&self.sheet, input, &mut |row, column, value| {
            filling.cell(row, column, value)
        })?;
        let mut table = filling.finish();
        if self.at == 0 {
            // A resumed import has counted them.
            self.tally.empty_formulas += table.empty_formulas;
        }
        let width = table.used.len().max(table.header.len());
        table.header.resize(width, String::new());
        table.used.resize(width, false);
        let headers: Vec<&str> = table.header.iter().map(String::as_str).collect();
        self.columns = table_columns(&headers, &self.renames)?;
        self.shape = RowShape::of(&self.columns);
        self.table = Some(table);
        Ok(())
    }

    fn row(&mut self) -> Option<Result<RawDocumentBuf, CellError>> {
        let table = self.table.as_ref()?;
        let row = table.rows.get(self.at)?;
        let before = self.at.checked_sub(1).and_then(|before| table.rows.get(before));
        let cells = before.map_or(0, |before| before.end)..row.end;
        self.tally.as_text += u64::from(row.as_text);
        self.tally.error_cells += u64::from(row.error_cells);
        self.tally.far_dates += u64::from(row.far_dates);
        let mut out = std::mem::take(&mut self.document).into_bytes();
        out.clear();
        let begun = begin(&mut out);
        let appended = self.shape.append(&mut Row { table, cells }, &mut out);
        end(&mut out, begun);
        let document = RawDocumentBuf::from_bytes(out)
            .map_err(|_| (0, "the row can't be converted to a document".to_owned()));
        Some(appended.and(document))
    }
}

impl RowReader for SheetRows {
    fn next(&mut self, input: &mut Input<'_>, _: Option<&mut Converter>) -> Item {
        if self.table.is_none() {
            let loaded = self.load(input);
            input.note_read(self.workbook.read_bytes());
            if let Err(reason) = loaded {
                return Item::Bad(BadRecord::new(self.position(), reason, &[], true));
            }
        }
        let position = self.position();
        let Some(row) = self.row() else { return Item::End };
        self.at += 1;
        match row {
            Ok(document) => {
                self.bytes += document.as_bytes().len() as u64;
                self.document = document;
                Item::Document(position)
            }
            Err((_, reason)) => Item::Bad(BadRecord::new(position, reason, &[], false)),
        }
    }

    fn document(&self) -> &RawDocument {
        &self.document
    }

    fn position(&self) -> TextPosition {
        let row = self.table.as_ref().and_then(|table| table.rows.get(self.at));
        let document = self.at as u64 + 1;
        TextPosition::row(row.map_or(document, |row| u64::from(row.number)), document)
    }

    fn resume(
        &mut self,
        (position, _): (TextPosition, bool),
        _: &mut Input<'_>,
        _: Option<&mut Converter>,
    ) -> Result<(), String> {
        self.at = usize::try_from(position.document.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok(())
    }

    fn want(&mut self, bytes: u64) {
        self.wanted = bytes;
    }

    fn bytes(&self) -> Option<u64> {
        let is_cut =
            self.table.as_ref().is_some_and(|table| table.is_cut && self.at >= table.rows.len());
        Some(if is_cut { u64::MAX } else { self.bytes })
    }

    fn sheets(&self) -> &[String] {
        &self.sheets
    }

    fn sheet(&self) -> Option<&str> {
        Some(&self.sheet)
    }

    fn columns(&self) -> Vec<TableColumn> {
        let Some(table) = &self.table else { return Vec::new() };
        // Columns left of the table, and those that are only formatted, have neither.
        let is_there = |(column, used): &(&Column, &bool)| **used || !column.header.is_empty();
        let columns = self.columns.iter().zip(&table.used).filter(is_there);
        columns.map(|(column, _)| column.shown()).collect()
    }

    fn tally(&self) -> Tally {
        self.tally
    }
}

/// A row that becomes a document.
struct Row<'r> {
    table: &'r Table,
    cells: Range<usize>,
}

impl Row<'_> {
    /// The value of a column: type, an empty name, the value.
    fn value(&self, column: usize) -> Option<&[u8]> {
        let cells = self.table.cells.get(self.cells.clone())?;
        let column = u32::try_from(column).ok()?;
        // A cell that is written twice has its last value.
        let after = cells.partition_point(|cell| cell.column <= column);
        let cell = cells.get(after.checked_sub(1)?).filter(|cell| cell.column == column)?;
        self.table.values.get(cell.start..cell.start + cell.bytes as usize)
    }
}

impl Cells for Row<'_> {
    fn has_cell(&self, column: usize) -> bool {
        self.value(column).is_some()
    }

    fn append(&mut self, column: usize, name: &[u8], out: &mut Vec<u8>) -> Result<(), CellError> {
        if let Some([kind, 0, value @ ..]) = self.value(column) {
            begin_field(*kind, name, out);
            out.extend_from_slice(value);
        }
        Ok(())
    }
}

/// A table while its sheet is read.
struct Filling {
    table: Table,
    zone: Zone,
    wanted: u64,
    /// The row that is read, from 0.
    row: Option<u32>,
    /// Its cells begin here.
    row_start: usize,
    /// Of this row.
    tally: Tally,
    has_header: bool,
}

impl Filling {
    fn new(zone: Zone, wanted: u64) -> Self {
        let (table, tally) = (Table::default(), Tally::NONE);
        Self { table, zone, wanted, row: None, row_start: 0, tally, has_header: false }
    }

    /// Takes a cell with a value. Returns whether a further one is wanted.
    fn cell(&mut self, row: u32, column: u32, value: &CellValue<'_>) -> Result<bool, String> {
        if matches!(value, CellValue::EmptyFormula) {
            self.table.empty_formulas += 1;
            return Ok(true);
        }
        if self.row != Some(row) {
            self.end_row();
            self.row = Some(row);
            let is_enough = self.table.values.len() as u64 >= self.wanted
                || self.wanted < u64::MAX && self.table.rows.len() as u64 > SAMPLE_DOCS_MAX;
            if is_enough {
                (self.table.is_cut, self.row) = (true, None);
                return Ok(false);
            }
        }
        let at = usize::try_from(column).unwrap_or(usize::MAX);
        if at >= CSV_COLUMNS_MAX {
            return Err(format!("the sheet has more than {CSV_COLUMNS_MAX} columns; split it"));
        }
        if !self.has_header {
            let header = &mut self.table.header;
            header.resize(header.len().max(at + 1), String::new());
            if let Some(name) = header.get_mut(at) {
                *name = value.name(self.zone);
            }
            return Ok(true);
        }
        let table = &mut self.table;
        let start = table.values.len();
        let mut writer = CellWriter { zone: self.zone, tally: &mut self.tally };
        writer.append(value, &mut table.values);
        let bytes = u32::try_from(table.values.len() - start).unwrap_or(u32::MAX);
        table.cells.push(SheetCell { column, bytes, start });
        table.used.resize(table.used.len().max(at + 1), false);
        if let Some(used) = table.used.get_mut(at) {
            *used = true;
        }
        let bytes = table.values.len() + table.cells.len() * size_of::<SheetCell>();
        if bytes > SHEET_BYTES_MAX {
            let rows = counted(u64::from(row), "row", "rows");
            let max = SHEET_BYTES_MAX >> 30;
            return Err(format!(
                "the first {rows} of the sheet have more than {max} GB of values; save the sheet as \
                 CSV"
            ));
        }
        Ok(true)
    }

    fn end_row(&mut self) {
        let Some(row) = self.row else { return };
        let end = self.table.cells.len();
        if !self.has_header {
            self.has_header = true;
        } else if end > self.row_start {
            let cells = self.table.cells.get_mut(self.row_start..).unwrap_or_default();
            if !cells.is_sorted_by_key(|cell| cell.column) {
                cells.sort_by_key(|cell| cell.column);
            }
            let count = |count| u32::try_from(count).unwrap_or(u32::MAX);
            let (as_text, error_cells) = (count(self.tally.as_text), count(self.tally.error_cells));
            let (number, far_dates) = (row.saturating_add(1), count(self.tally.far_dates));
            self.table.rows.push(SheetRow { number, end, as_text, error_cells, far_dates });
        }
        (self.row_start, self.tally) = (end, Tally::NONE);
    }

    fn finish(mut self) -> Table {
        self.end_row();
        self.table
    }
}
