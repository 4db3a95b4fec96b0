//! Rows of CSV as documents, written without a value for each cell in between.

use bson::raw::{RawBsonRef, RawDocumentBuf};

use crate::transfer::read::bson_bytes::{
    append_double, append_int32, append_int64, append_text, append_value, begin, end,
};
use crate::transfer::read::convert::Converter;
use crate::transfer::read::csv_header::{CellError, Column};
use crate::transfer::read::csv_number::{CellForm, cell_form};
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
}

/// A row as a document. A field without a value is left out. Cells after those that are known are
/// named `field` plus their index, as in mongoimport.
///
/// # Errors
/// When a cell can't become its value.
pub(in crate::transfer) fn document(
    shape: &RowShape,
    mut row: Row<'_>,
    reuse: RawDocumentBuf,
) -> Result<RawDocumentBuf, CellError> {
    let mut out = reuse.into_bytes();
    out.clear();
    let start = begin(&mut out);
    if let Some(converter) = &mut row.converter {
        converter.begin_document();
    }
    shape.append(&mut row, &mut out)?;
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

impl Cells for Row<'_> {
    /// A chosen type may make null of a cell without a value.
    fn has_cell(&self, column: usize) -> bool {
        self.cells.get(column).is_some_and(|cell| !cell.is_missing(self.bytes))
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
        let Some(cell) = self.cells.get(index) else { return Ok(()) };
        let bytes = cell.bytes(self.bytes);
        let text = str::from_utf8(&bytes).map_err(|error| {
            let at = cell.offset(error.valid_up_to());
            (at, "the text is not valid UTF-8; convert the file to UTF-8".to_owned())
        })?;
        let column = self.columns.get(index);
        if let (Some(field), Some(converter)) =
            (column.and_then(|column| column.field), &mut self.converter)
        {
            let value = converter.scalar(field, RawBsonRef::String(text));
            let value = value.map_err(|reason| (cell.at, reason))?;
            append_value(name, value, out);
            return Ok(());
        }
        match column.map_or(&CellType::Auto, |column| &column.to) {
            CellType::Text => append_text(name, text, out),
            CellType::Auto => match cell_form(cell.number_text(text)) {
                CellForm::Int32(int) => append_int32(name, int, out),
                CellForm::Int64(int) => append_int64(name, int, out),
                CellForm::Double(double) => append_double(name, double, out),
                CellForm::Altered { .. } | CellForm::NoNumber | CellForm::Text => {
                    append_text(name, text, out);
                }
            },
            _ => {
                let Some(column) = column else { return Ok(()) };
                let value = column.value(text, self.zone).map_err(|reason| (cell.at, reason))?;
                let value =
                    bson::RawBson::try_from(value).map_err(|error| (cell.at, error.to_string()))?;
                append_value(name, value, out);
            }
        }
        Ok(())
    }
}
