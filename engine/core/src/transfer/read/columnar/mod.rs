//! Tables in columns: Parquet and Arrow. Both are read in batches of rows, so memory stays bounded by
//! one of them.

mod arrow;
mod decimal;
mod parquet;
mod value;

use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::RecordBatch;
use arrow_schema::{DataType, Field, SchemaRef};
use bson::{RawDocument, RawDocumentBuf};

use crate::transfer::limits::CSV_COLUMNS_MAX;
use crate::transfer::read::bson_bytes::{begin, end};
use crate::transfer::read::convert::Converter;
use crate::transfer::read::csv_header::{CellError, Column, TableColumn};
use crate::transfer::read::input::Input;
use crate::transfer::read::item::{BadRecord, Item};
use crate::transfer::read::row_reader::RowReader;
use crate::transfer::read::row_shape::{Cells, RowShape};
use crate::transfer::read::table_columns::table_columns;
use crate::transfer::{ReadOptions, TextPosition};
use crate::value::{extjson::Tally, scan::DEPTH_MAX, zone::Zone};
use value::{ValueWriter, is_null};

pub(in crate::transfer) use arrow::is_arrow;
pub(in crate::transfer) use parquet::is_parquet;

/// The batches of a file.
trait Batches: Send {
    fn schema(&self) -> SchemaRef;

    /// The next batch; `None` after the last.
    ///
    /// # Errors
    /// Why the rest of the file can't be read, without a full stop.
    fn next(&mut self, input: &mut Input<'_>) -> Result<Option<RecordBatch>, String>;

    /// Skips rows before the first batch is read. Returns how many are left to be skipped in what
    /// [`Self::next`] returns.
    ///
    /// # Errors
    /// One sentence without its full stop.
    fn skip(&mut self, rows: u64) -> Result<u64, String>;
}

/// The rows of a Parquet or Arrow file.
pub(in crate::transfer) struct ColumnarRows {
    batches: Box<dyn Batches>,
    schema: SchemaRef,
    columns: Vec<Column>,
    shape: RowShape,
    /// The zone of timestamps without one.
    zone: Zone,
    batch: Option<RecordBatch>,
    /// The next row of the batch.
    at: usize,
    /// Rows to skip before the next one.
    to_skip: u64,
    /// The number of the next row in the file, from 1.
    number: u64,
    bytes: u64,
    document: RawDocumentBuf,
    tally: Tally,
}

impl ColumnarRows {
    /// Opens a Parquet file.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub(in crate::transfer) fn parquet(
        input: &mut Input<'_>,
        options: &ReadOptions,
    ) -> Result<Self, String> {
        let batches = guarded("Parquet", || parquet::ParquetBatches::open(input))?;
        Self::of(Box::new(batches), options)
    }

    /// Reads the schema of an Arrow file or stream.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub(in crate::transfer) fn arrow(
        input: &mut Input<'_>,
        options: &ReadOptions,
    ) -> Result<Self, String> {
        let batches = guarded("Arrow", || arrow::ArrowBatches::open(input))?;
        Self::of(Box::new(batches), options)
    }

    fn of(batches: Box<dyn Batches>, options: &ReadOptions) -> Result<Self, String> {
        let schema = batches.schema();
        if schema.fields().len() > CSV_COLUMNS_MAX {
            return Err(format!("the table has more than {CSV_COLUMNS_MAX} columns; split it"));
        }
        if let Some(deep) =
            schema.fields().iter().find(|field| depth(field.data_type()) > DEPTH_MAX)
        {
            let name = deep.name();
            return Err(format!(
                "the column {name:?} has values nested deeper than {DEPTH_MAX} levels; flatten it"
            ));
        }
        let headers: Vec<&str> =
            schema.fields().iter().map(|field| field.name().as_str()).collect();
        let columns = table_columns(&headers, &options.renames)?;
        Ok(Self {
            shape: RowShape::of(&columns),
            batches,
            schema,
            columns,
            zone: options.types.zone,
            batch: None,
            at: 0,
            to_skip: 0,
            number: 1,
            bytes: 0,
            document: RawDocumentBuf::new(),
            tally: Tally::NONE,
        })
    }

    /// The batch with the next row; `None` after the last.
    fn batch(&mut self, input: &mut Input<'_>) -> Result<Option<RecordBatch>, String> {
        loop {
            if let Some(batch) = &self.batch {
                let left = batch.num_rows().saturating_sub(self.at);
                let skipped = usize::try_from(self.to_skip).unwrap_or(left).min(left);
                self.at += skipped;
                self.to_skip -= skipped as u64;
                if self.at < batch.num_rows() {
                    return Ok(Some(batch.clone()));
                }
            }
            (self.batch, self.at) = (self.batches.next(input)?, 0);
            if self.batch.is_none() {
                return Ok(None);
            }
        }
    }

    /// Converts a row.
    fn row(&mut self, batch: &RecordBatch) -> Result<RawDocumentBuf, CellError> {
        let mut out = std::mem::take(&mut self.document).into_bytes();
        out.clear();
        let start = begin(&mut out);
        let fields = self.schema.fields();
        let (zone, tally, at) = (self.zone, &mut self.tally, self.at);
        let mut row = Row { batch, fields, at, zone, tally };
        self.shape.append(&mut row, &mut out)?;
        end(&mut out, start);
        RawDocumentBuf::from_bytes(out)
            .map_err(|_| (0, "the row can't be converted to a document".to_owned()))
    }
}

impl RowReader for ColumnarRows {
    fn next(&mut self, input: &mut Input<'_>, _: Option<&mut Converter>) -> Item {
        let position = self.position();
        let batch = match self.batch(input) {
            Ok(Some(batch)) => batch,
            Ok(None) if self.to_skip > 0 => {
                let reason = "the file is shorter than before";
                return Item::Bad(BadRecord::new(position, reason, &[], true));
            }
            Ok(None) => return Item::End,
            Err(reason) => return Item::Bad(BadRecord::new(position, reason, &[], true)),
        };
        let converted = self.row(&batch);
        self.at += 1;
        self.number += 1;
        match converted {
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
        TextPosition::row(self.number, self.number)
    }

    fn resume(
        &mut self,
        (position, _): (TextPosition, bool),
        _: &mut Input<'_>,
        _: Option<&mut Converter>,
    ) -> Result<(), String> {
        let rows = position.document.saturating_sub(1);
        self.to_skip = self.batches.skip(rows)?;
        self.number = position.document;
        Ok(())
    }

    fn bytes(&self) -> Option<u64> {
        Some(self.bytes)
    }

    fn columns(&self) -> Vec<TableColumn> {
        self.columns.iter().map(Column::shown).collect()
    }

    fn tally(&self) -> Tally {
        self.tally
    }
}

/// A row of a batch.
struct Row<'r> {
    batch: &'r RecordBatch,
    fields: &'r [std::sync::Arc<Field>],
    at: usize,
    zone: Zone,
    tally: &'r mut Tally,
}

impl Cells for Row<'_> {
    fn has_cell(&self, column: usize) -> bool {
        self.batch.columns().get(column).is_some_and(|column| !is_null(column, self.at))
    }

    fn append(&mut self, column: usize, name: &[u8], out: &mut Vec<u8>) -> Result<(), CellError> {
        let (Some(field), Some(array)) =
            (self.fields.get(column), self.batch.columns().get(column))
        else {
            return Ok(());
        };
        let mut writer = ValueWriter { zone: self.zone, tally: &mut *self.tally, out };
        writer.append(field, array, self.at, name).map_err(|reason| {
            let name = field.name();
            (0, format!("column {name:?}: {reason}"))
        })
    }
}

/// How deep the values of a type are nested.
fn depth(of: &DataType) -> usize {
    match of {
        DataType::List(inner)
        | DataType::LargeList(inner)
        | DataType::ListView(inner)
        | DataType::LargeListView(inner)
        | DataType::FixedSizeList(inner, _)
        | DataType::Map(inner, _)
        | DataType::RunEndEncoded(_, inner) => 1 + depth(inner.data_type()),
        DataType::Struct(fields) => {
            1 + fields.iter().map(|field| depth(field.data_type())).max().unwrap_or(0)
        }
        DataType::Union(fields, _) => {
            1 + fields.iter().map(|(_, field)| depth(field.data_type())).max().unwrap_or(0)
        }
        DataType::Dictionary(_, values) => depth(values),
        _ => 1,
    }
}

/// Runs the decoder of a format, whose panic means that the file is damaged.
fn guarded<T>(format: &str, work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(damaged(format)))
}

fn damaged(format: &str) -> String {
    format!("the {format} file is damaged; get a new copy")
}

fn cut_short(format: &str) -> String {
    format!("the {format} file is cut short; get a new copy")
}

fn encrypted(format: &str) -> String {
    format!("the {format} file is encrypted; decrypt it first")
}
