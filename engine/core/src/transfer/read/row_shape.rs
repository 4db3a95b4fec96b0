//! The fields of the documents of a table: columns whose names are paths become nested documents and
//! arrays.

use crate::transfer::read::bson_bytes::{ARRAY, DOCUMENT, append_null, begin, begin_field, end};
use crate::transfer::read::csv_header::{CellError, Column};
use crate::transfer::read::csv_name::PathStep;

/// The cells of a row, by their column.
pub(in crate::transfer) trait Cells {
    /// Whether the row itself has a value in this column.
    fn has_cell(&self, column: usize) -> bool;

    /// The same, with values that an option puts in place of missing ones.
    fn has_value(&self, column: usize) -> bool {
        self.has_cell(column)
    }

    /// Appends the value of a column under this name.
    ///
    /// # Errors
    /// When the cell can't become its value.
    fn append(&mut self, column: usize, name: &[u8], out: &mut Vec<u8>) -> Result<(), CellError>;
}

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

impl RowShape {
    pub(in crate::transfer) fn of(columns: &[Column]) -> Self {
        let mut shape = Self::default();
        for (index, column) in columns.iter().enumerate() {
            place(&mut shape.fields, &column.path, index);
        }
        shape
    }

    /// Whether a field of the document itself has this name.
    pub(in crate::transfer) fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|field| field.name == name.as_bytes())
    }

    /// Appends the fields of a row. A field without a value is left out.
    ///
    /// # Errors
    /// When a cell can't become its value.
    pub(in crate::transfer) fn append(
        &self,
        row: &mut impl Cells,
        out: &mut Vec<u8>,
    ) -> Result<(), CellError> {
        self.fields.iter().try_for_each(|field| field.append(row, out))
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
    fn has_value(&self, row: &impl Cells) -> bool {
        self.column.is_some_and(|column| row.has_value(column))
            || self.inner.iter().any(|field| field.has_value(row))
    }

    /// Appends the field with its value, or nothing.
    fn append(&self, row: &mut impl Cells, out: &mut Vec<u8>) -> Result<(), CellError> {
        // Other cells inside of a blank one have values: then null is not what the row says.
        let has_inner = self.inner.iter().any(|field| field.has_value(row));
        let is_own = |column: &usize| row.has_cell(*column) || !has_inner && row.has_value(*column);
        if let Some(column) = self.column.filter(is_own) {
            return row.append(column, &self.name, out);
        }
        if !self.has_value(row) {
            return Ok(());
        }
        begin_field(if self.is_array { ARRAY } else { DOCUMENT }, &self.name, out);
        let start = begin(out);
        let mut missing: Vec<&[u8]> = Vec::new();
        for field in &self.inner {
            if self.is_array && !field.has_value(row) {
                // An element keeps its place.
                missing.push(&field.name);
                continue;
            }
            for name in missing.drain(..) {
                append_null(name, out);
            }
            field.append(row, out)?;
        }
        end(out, start);
        Ok(())
    }
}
