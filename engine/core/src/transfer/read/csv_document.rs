//! Rows of CSV as documents, written without a value for each cell in between.

use bson::raw::{RawBsonRef, RawDocumentBuf, cstr};

use crate::transfer::read::convert::Converter;
use crate::transfer::read::csv_header::{CellError, Column};
use crate::transfer::read::csv_name::PathStep;
use crate::transfer::read::csv_number::{CellForm, cell_form};
use crate::transfer::read::csv_row::Cell;
use crate::transfer::read::csv_value::CellType;
use crate::value::zone::Zone;

const DOUBLE: u8 = 0x01;
const STRING: u8 = 0x02;
const DOCUMENT: u8 = 0x03;
const ARRAY: u8 = 0x04;
const NULL: u8 = 0x0a;
const INT32: u8 = 0x10;
const INT64: u8 = 0x12;

/// The fields of a document, and which columns fill them.
#[derive(Debug, Default)]
pub(in crate::transfer) struct RowShape {
    fields: Vec<Field>,
}

#[derive(Debug)]
struct Field {
    /// Without a zero byte.
    name: Vec<u8>,
    column: Option<usize>,
    /// The fields or elements inside, if the column has no value.
    inner: Vec<Field>,
    is_array: bool,
}

/// A row that becomes a document.
pub(in crate::transfer) struct Row<'r> {
    pub bytes: &'r [u8],
    pub cells: &'r [Cell],
    pub columns: &'r [Column],
    pub zone: Zone,
    pub converter: Option<&'r mut Converter>,
}

impl RowShape {
    pub(in crate::transfer) fn of(columns: &[Column]) -> Self {
        let mut shape = Self::default();
        for (index, column) in columns.iter().enumerate() {
            place(&mut shape.fields, &column.path, index);
        }
        shape
    }

    /// Whether a field of the document itself has this name.
    fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name.as_bytes())
    }

    /// A row as a document. A field without a value is left out. Cells after those that are known
    /// are named `field` plus their index, as in mongoimport.
    ///
    /// # Errors
    /// When a cell can't become its value.
    pub(in crate::transfer) fn document(
        &self,
        mut row: Row<'_>,
        reuse: RawDocumentBuf,
    ) -> Result<RawDocumentBuf, CellError> {
        let mut out = reuse.into_bytes();
        out.clear();
        out.extend_from_slice(&[0; 4]);
        if let Some(converter) = &mut row.converter {
            converter.begin_document();
        }
        for field in &self.fields {
            field.append(&mut row, &mut out)?;
        }
        for index in row.columns.len()..row.cells.len() {
            let mut name = format!("field{index}");
            while self.has(&name) {
                name.push('_');
            }
            row.append_cell(index, name.as_bytes(), &mut out)?;
        }
        end(&mut out, 0);
        RawDocumentBuf::from_bytes(out)
            .map_err(|_| (0, "the row can't be converted to a document".to_owned()))
    }
}

fn place(fields: &mut Vec<Field>, path: &[PathStep], column: usize) {
    let Some((first, rest)) = path.split_first() else { return };
    let name = match first {
        PathStep::Name(name) => name.clone().into_bytes(),
        PathStep::Index(index) => index.to_string().into_bytes(),
    };
    let at = fields.iter().position(|field| field.name == name).unwrap_or_else(|| {
        fields.push(Field { name, column: None, inner: Vec::new(), is_array: false });
        fields.len() - 1
    });
    let Some(field) = fields.get_mut(at) else { return };
    if rest.is_empty() {
        field.column = Some(column);
    } else {
        field.is_array |= matches!(rest.first(), Some(PathStep::Index(_)));
        place(&mut field.inner, rest, column);
    }
}

impl Field {
    fn has_value(&self, row: &Row<'_>) -> bool {
        self.column.is_some_and(|column| row.has_value(column))
            || self.inner.iter().any(|field| field.has_value(row))
    }

    /// Appends the field with its value, or nothing.
    fn append(&self, row: &mut Row<'_>, out: &mut Vec<u8>) -> Result<(), CellError> {
        // Other cells inside of a blank one have values: then null is not what the row says.
        let has_inner = self.inner.iter().any(|field| field.has_value(row));
        let is_own = |column: &usize| row.has_cell(*column) || !has_inner && row.has_value(*column);
        if let Some(column) = self.column.filter(is_own) {
            return row.append_cell(column, &self.name, out);
        }
        if !self.has_value(row) {
            return Ok(());
        }
        let kind = if self.is_array { ARRAY } else { DOCUMENT };
        begin_field(kind, &self.name, out);
        let start = out.len();
        out.extend_from_slice(&[0; 4]);
        let mut missing: Vec<&[u8]> = Vec::new();
        for field in &self.inner {
            if self.is_array && !field.has_value(row) {
                // An element keeps its place.
                missing.push(&field.name);
                continue;
            }
            for name in missing.drain(..) {
                begin_field(NULL, name, out);
            }
            field.append(row, out)?;
        }
        end(out, start);
        Ok(())
    }
}

impl Row<'_> {
    /// Whether a cell has a value. A chosen type may make null of a cell without one.
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

    fn append_cell(
        &mut self,
        index: usize,
        name: &[u8],
        out: &mut Vec<u8>,
    ) -> Result<(), CellError> {
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
                CellForm::Int32(int) => append_fixed(INT32, name, &int.to_le_bytes(), out),
                CellForm::Int64(int) => append_fixed(INT64, name, &int.to_le_bytes(), out),
                CellForm::Double(double) => append_fixed(DOUBLE, name, &double.to_le_bytes(), out),
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

fn begin_field(kind: u8, name: &[u8], out: &mut Vec<u8>) {
    out.push(kind);
    out.extend_from_slice(name);
    out.push(0);
}

fn append_fixed(kind: u8, name: &[u8], value: &[u8], out: &mut Vec<u8>) {
    begin_field(kind, name, out);
    out.extend_from_slice(value);
}

fn append_text(name: &[u8], text: &str, out: &mut Vec<u8>) {
    begin_field(STRING, name, out);
    let length = i32::try_from(text.len() + 1).unwrap_or(i32::MAX);
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(text.as_bytes());
    out.push(0);
}

/// Appends a value of any type.
fn append_value(name: &[u8], value: bson::RawBson, out: &mut Vec<u8>) {
    let mut one = RawDocumentBuf::new();
    one.append(cstr!(""), value);
    // Length, type, the name's end; then the value and the document's end.
    if let [_, _, _, _, kind, 0, value @ .., 0] = one.as_bytes() {
        append_fixed(*kind, name, value, out);
    }
}

/// Ends the document that starts here with its length.
fn end(out: &mut Vec<u8>, start: usize) {
    out.push(0);
    let length = i32::try_from(out.len() - start).unwrap_or(i32::MAX);
    if let Some(prefix) = out.get_mut(start..start + 4) {
        prefix.copy_from_slice(&length.to_le_bytes());
    }
}
