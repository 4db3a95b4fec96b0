//! The seam between formats and imports: each format is a reader of rows.

use bson::RawDocument;

use crate::transfer::read::bson_records::BsonRecords;
use crate::transfer::read::convert::Converter;
use crate::transfer::read::csv::CsvRecords;
use crate::transfer::read::csv_header::TableColumn;
use crate::transfer::read::input::Input;
use crate::transfer::read::item::{BadRecord, Item};
use crate::transfer::read::json::JsonRecords;
use crate::transfer::{DeclaredType, TextPosition};
use crate::value::extjson::Tally;

/// The documents of a file in one format.
pub(in crate::transfer) trait RowReader: Send {
    /// The next record. Not called after the end or a fatal error. `converter` is for readers that
    /// [convert](Self::converts).
    fn next(&mut self, input: &mut Input<'_>, converter: Option<&mut Converter>) -> Item;

    /// The document of the last [`Item::Document`].
    fn document(&self) -> &RawDocument;

    /// Where the next record starts.
    fn position(&self) -> TextPosition;

    /// Continues at a position that an earlier run ended at, in an array of JSON or not. The caller then
    /// skips the input to its offset.
    ///
    /// # Errors
    /// One sentence without its full stop.
    fn resume(
        &mut self,
        point: (TextPosition, bool),
        input: &mut Input<'_>,
        converter: Option<&mut Converter>,
    ) -> Result<(), String>;

    /// Whether the next record is in an array of JSON. `None` in other files.
    fn is_in_array(&self) -> Option<bool> {
        None
    }

    /// Whether [`Self::next`] gives fields their chosen types. Of other readers, the finished
    /// document is converted.
    fn converts(&self) -> bool {
        false
    }

    /// Sets how many bytes decide the types of a table's columns.
    fn survey_at_most(&mut self, _bytes: u64) {}

    /// Sets how many bytes of documents are wanted.
    fn want(&mut self, _bytes: u64) {}

    /// Bytes of the documents so far, of a reader whose position in the input says nothing.
    fn bytes(&self) -> Option<u64> {
        None
    }

    /// The sheets of a workbook, by their names.
    fn sheets(&self) -> &[String] {
        &[]
    }

    /// The sheet that is read.
    fn sheet(&self) -> Option<&str> {
        None
    }

    /// The columns of a table, once its first row was read.
    fn columns(&self) -> Vec<TableColumn> {
        Vec::new()
    }

    /// The type that the header of a table gives to the column with this path, with dots.
    fn declared(&self, _path: &str) -> Option<DeclaredType> {
        None
    }

    /// Values so far that were read differently from how they were written.
    fn tally(&self) -> Tally {
        Tally::NONE
    }
}

/// A file of white space.
pub(in crate::transfer) struct NoRows;

impl RowReader for NoRows {
    fn next(&mut self, input: &mut Input<'_>, _: Option<&mut Converter>) -> Item {
        if input.has_ended() {
            return Item::End;
        }
        let failure = input.fill().err();
        let reason = "the file starts with too much white space; remove it".to_owned();
        Item::Bad(BadRecord::new(TextPosition::START, failure.unwrap_or(reason), &[], true))
    }

    fn document(&self) -> &RawDocument {
        RawDocument::from_bytes(&[5, 0, 0, 0, 0])
            .unwrap_or_else(|_| unreachable!("five bytes are the empty document"))
    }

    fn position(&self) -> TextPosition {
        TextPosition::START
    }

    fn resume(
        &mut self,
        _: (TextPosition, bool),
        _: &mut Input<'_>,
        _: Option<&mut Converter>,
    ) -> Result<(), String> {
        Ok(())
    }
}

impl RowReader for JsonRecords {
    fn next(&mut self, input: &mut Input<'_>, _: Option<&mut Converter>) -> Item {
        self.next(input)
    }

    fn document(&self) -> &RawDocument {
        self.document()
    }

    fn position(&self) -> TextPosition {
        self.position()
    }

    fn resume(
        &mut self,
        (position, is_in_array): (TextPosition, bool),
        _: &mut Input<'_>,
        _: Option<&mut Converter>,
    ) -> Result<(), String> {
        self.resume(position, is_in_array);
        Ok(())
    }

    fn is_in_array(&self) -> Option<bool> {
        Some(self.is_inside())
    }

    fn tally(&self) -> Tally {
        self.tally()
    }
}

impl RowReader for BsonRecords {
    fn next(&mut self, input: &mut Input<'_>, _: Option<&mut Converter>) -> Item {
        self.next(input)
    }

    fn document(&self) -> &RawDocument {
        self.document()
    }

    fn position(&self) -> TextPosition {
        self.position()
    }

    fn resume(
        &mut self,
        (position, _): (TextPosition, bool),
        _: &mut Input<'_>,
        _: Option<&mut Converter>,
    ) -> Result<(), String> {
        self.resume(position);
        Ok(())
    }
}

/// Its header has types, and a cell without a value is not a field, so it converts cell by cell.
impl RowReader for CsvRecords {
    fn next(&mut self, input: &mut Input<'_>, converter: Option<&mut Converter>) -> Item {
        self.next(input, converter)
    }

    fn document(&self) -> &RawDocument {
        self.document()
    }

    fn position(&self) -> TextPosition {
        self.position()
    }

    fn resume(
        &mut self,
        (position, _): (TextPosition, bool),
        input: &mut Input<'_>,
        converter: Option<&mut Converter>,
    ) -> Result<(), String> {
        self.resume(position, input, converter)
    }

    fn converts(&self) -> bool {
        true
    }

    fn survey_at_most(&mut self, bytes: u64) {
        self.survey_at_most(bytes);
    }

    fn columns(&self) -> Vec<TableColumn> {
        self.columns()
    }

    fn tally(&self) -> Tally {
        self.tally()
    }

    fn declared(&self, path: &str) -> Option<DeclaredType> {
        self.declared(path)
    }
}
