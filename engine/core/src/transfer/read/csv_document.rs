//! Rows of CSV as documents, written without a value for each cell in between.

use std::borrow::Cow;

use bson::RawBson;
use bson::raw::{RawBsonRef, RawDocumentBuf};

use crate::transfer::TextPosition;
use crate::transfer::read::bson_bytes::{
    append_double, append_int32, append_int64, append_text, append_value, begin, end,
};
use crate::transfer::read::convert::Converter;
use crate::transfer::read::csv_header::{CellError, Column, broken_text};
use crate::transfer::read::csv_number::{CellForm, comma_number};
use crate::transfer::read::csv_row::Cell;
use crate::transfer::read::csv_value::CellType;
use crate::transfer::read::row_shape::{Cells, RowShape};
use crate::value::zone::Zone;

/// A row that becomes a document.
pub(in crate::transfer) struct Row<'r> {
    pub bytes: &'r [u8],
    pub cells: &'r [Cell],
    pub columns: &'r [Column],
    pub zone: Zone,
    pub converter: Option<&'r mut Converter>,
    /// Where the row starts in the file.
    pub position: TextPosition,
    /// Broken characters are replaced.
    pub replaces: bool,
    /// How many were.
    pub replaced: u64,
}

/// A row as a document. A field without a value is left out. Cells after those that are known are
/// named `field` plus their index, as in mongoimport.
///
/// # Errors
/// When a cell can't become its value.
pub(in crate::transfer) fn document(
    shape: &RowShape,
    row: &mut Row<'_>,
    reuse: RawDocumentBuf,
) -> Result<RawDocumentBuf, CellError> {
    let mut out = reuse.into_bytes();
    out.clear();
    let start = begin(&mut out);
    if let Some(converter) = &mut row.converter {
        converter.begin_document(row.position);
    }
    shape.append(row, &mut out)?;
    for index in row.columns.len()..row.cells.len() {
        let mut name = format!("field{index}");
        while shape.has(&name) {
            name.push('_');
        }
        row.append(index, name.as_bytes(), &mut out)?;
    }
    end(&mut out, start);
    RawDocumentBuf::from_bytes(out)
        .map_err(|_| (0, "the row can't be converted to a document".to_owned()))
}

impl Row<'_> {
    /// The text of a cell.
    ///
    /// # Errors
    /// When it has broken characters, unless they are replaced.
    fn text<'t>(&mut self, cell: &Cell, bytes: &'t [u8]) -> Result<Cow<'t, str>, CellError> {
        match str::from_utf8(bytes) {
            Ok(text) => Ok(Cow::Borrowed(text)),
            Err(_) if self.replaces => {
                let broken = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty());
                self.replaced += broken.count() as u64;
                Ok(String::from_utf8_lossy(bytes))
            }
            Err(error) => Err((cell.offset(error.valid_up_to()), broken_text())),
        }
    }

    /// Appends the value that a chosen type makes of a cell. A value that doesn't convert keeps each
    /// character.
    fn append_chosen(
        &mut self,
        (field, has_commas): (usize, bool),
        (cell, text): (&Cell, &str),
        name: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), CellError> {
        let Some(converter) = &mut self.converter else { return Ok(()) };
        let bare = if converter.is_text(field) { text } else { cell.number_text(text) };
        let bare = &*with_point(bare, has_commas && converter.is_number(field));
        let value = converter.scalar(field, RawBsonRef::String(bare));
        match value.map_err(|reason| (cell.at, reason))? {
            RawBson::String(kept) if kept == bare => append_text(name, text, out),
            value => append_value(name, value, out),
        }
        Ok(())
    }
}

impl Cells for Row<'_> {
    /// A chosen type may make null of a cell without a value.
    fn has_cell(&self, column: usize) -> bool {
        let Some(cell) = self.cells.get(column) else { return false };
        match self.columns.get(column) {
            Some(column) => column.has_value(cell, self.bytes),
            None => !cell.is_missing(self.bytes),
        }
    }

    fn has_value(&self, column: usize) -> bool {
        let is_null = || {
            let field = self.columns.get(column).and_then(|column| column.field);
            let converter = self.converter.as_ref().filter(|_| column < self.cells.len());
            field.is_some() && converter.is_some_and(|converter| converter.fills_blanks())
        };
        self.has_cell(column) || is_null()
    }

    fn append(&mut self, index: usize, name: &[u8], out: &mut Vec<u8>) -> Result<(), CellError> {
        let (row, cells, columns) = (self.bytes, self.cells, self.columns);
        let Some(cell) = cells.get(index) else { return Ok(()) };
        let bytes = cell.bytes(row);
        let text = &*self.text(cell, &bytes)?;
        let Some(column) = columns.get(index) else {
            append_form(name, text, CellType::Auto.form(cell.number_text(text)), out);
            return Ok(());
        };
        if let Some(field) = column.field
            && self.converter.is_some()
        {
            return self.append_chosen((field, column.has_commas), (cell, text), name, out);
        }
        let bare = cell.number_text(text);
        match &column.to {
            CellType::Text => append_text(name, text, out),
            CellType::Auto | CellType::Numbers { .. } | CellType::Booleans => {
                append_form(name, text, column.to.form(bare), out);
            }
            _ => {
                let is_number = matches!(column.to, CellType::Double | CellType::Decimal);
                let bare = with_point(bare, column.has_commas && is_number);
                let value = column.value(&bare, self.zone).map_err(|reason| (cell.at, reason))?;
                let value =
                    RawBson::try_from(value).map_err(|error| (cell.at, error.to_string()))?;
                append_value(name, value, out);
            }
        }
        Ok(())
    }
}

/// The text of a number with a point in place of its decimal comma.
fn with_point(text: &str, has_comma: bool) -> Cow<'_, str> {
    if has_comma && comma_number(text).is_some() {
        return Cow::Owned(text.replace(',', "."));
    }
    Cow::Borrowed(text)
}

/// Appends a cell that reads like this.
fn append_form(name: &[u8], text: &str, form: CellForm, out: &mut Vec<u8>) {
    match form {
        CellForm::Int32(int) => append_int32(name, int, out),
        CellForm::Int64(int) => append_int64(name, int, out),
        CellForm::Double(double) | CellForm::NotFinite(double) => append_double(name, double, out),
        CellForm::Bool(is) => append_value(name, RawBson::Boolean(is), out),
        CellForm::Altered { .. } | CellForm::Missing | CellForm::Text => {
            append_text(name, text, out);
        }
    }
}
