//! CSV with a header row: rows to documents, with mongoimport's types.

use std::collections::HashSet;

use bson::{Bson, Document, RawDocument, RawDocumentBuf, raw::RawBsonRef};

use crate::transfer::limits::{CSV_COLUMNS_MAX, CSV_ROW_BYTES_MAX, DETECT_BYTES};
use crate::transfer::read::convert::Converter;
use crate::transfer::read::csv_header::{Cell, CellError, Column, header};
use crate::transfer::read::csv_value::{CellType, has_leading_zero};
use crate::transfer::read::input::Input;
use crate::transfer::read::item::{BadRecord, Item};
use crate::transfer::{DeclaredType, TextPosition};
use crate::value::zone::Zone;

/// The rows of a CSV file.
pub(in crate::transfer) struct CsvRecords {
    separator: u8,
    /// The zone of dates that name none.
    zone: Zone,
    position: TextPosition,
    columns: Vec<Column>,
    header_read: bool,
    document: RawDocumentBuf,
}

/// How the bytes at a position parse as a row.
#[derive(Debug, PartialEq, Eq)]
enum Row {
    /// The cells, and the row's length in bytes with its line ending.
    Cells(Vec<Cell>, usize),
    /// The row continues after these bytes. Offset of the unclosed quote, or 0.
    Unterminated(usize),
    /// An error at this byte offset.
    Invalid(usize, &'static str),
    /// Offset of the first excess cell, and the row's length in bytes with its line ending.
    TooWide(usize, usize),
}

impl CsvRecords {
    pub(in crate::transfer) fn new(separator: u8, zone: Zone, position: TextPosition) -> Self {
        Self {
            separator,
            zone,
            position,
            columns: Vec::new(),
            header_read: false,
            document: RawDocumentBuf::new(),
        }
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
        let column = self.columns.iter().find(|column| column.path.join(".") == path)?;
        let dates = match &column.to {
            CellType::Date(form) => Some(form.clone()),
            _ => None,
        };
        column.declared.clone().map(|text| DeclaredType { text, dates })
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
    fn step(
        &mut self,
        input: &mut Input<'_>,
        mut converter: Option<&mut Converter>,
    ) -> Option<Item> {
        let (cells, length) = match self.row(input) {
            Ok(Some(row)) => row,
            Ok(None) => return Some(Item::End),
            Err(bad) => return Some(Item::Bad(bad)),
        };
        let row = input.bytes().get(..length).unwrap_or_default();
        // A row of separators is a row of empty cells, even if the separators are tabs.
        let is_blank = match cells.as_slice() {
            [only] => !only.quoted && only.text.trim_ascii().is_empty(),
            _ => !self.header_read && row.trim_ascii().is_empty(),
        };
        let position = self.position;
        let wrong = |(at, reason): (usize, String), fatal| {
            let position = position.after(row.get(..at).unwrap_or(row));
            BadRecord::new(position, reason, row.trim_ascii_end(), fatal)
                .started(self.position.line)
        };
        let item = if is_blank {
            None
        } else if self.header_read {
            Some(match document(&self.columns, &cells, self.zone, converter) {
                Ok(document) => {
                    self.document = document;
                    Item::Document(position)
                }
                Err(error) => Item::Bad(wrong(error, false)),
            })
        } else {
            match header(&cells) {
                Ok(mut columns) => {
                    let start = input.bytes().get(..DETECT_BYTES).unwrap_or(input.bytes());
                    keep_zeros(
                        &mut columns,
                        start.get(length..).unwrap_or_default(),
                        self.separator,
                    );
                    for column in &mut columns {
                        let converter = converter.as_deref_mut();
                        column.field = converter.and_then(|all| all.field_at(&column.path));
                    }
                    self.columns = columns;
                    None
                }
                Err(error) => Some(Item::Bad(wrong(error, true))),
            }
        };
        if !is_blank {
            self.position.document += u64::from(self.header_read);
            self.header_read = true;
        }
        self.position = self.position.after(row);
        input.consume(length);
        item
    }

    /// The next row; `None` at the end of the file.
    fn row(&mut self, input: &mut Input<'_>) -> Result<Option<(Vec<Cell>, usize)>, BadRecord> {
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
            match row(bytes, self.separator, input.has_ended()) {
                Row::Cells(cells, length) => return Ok(Some((cells, length))),
                Row::Unterminated(at) if input.has_ended() => {
                    return Err(wrong(at, "unclosed quote; close it", true));
                }
                Row::Unterminated(_) => self.read_more(input)?,
                Row::Invalid(at, reason) => {
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
                Row::TooWide(at, length) => {
                    let what = if self.header_read { "row" } else { "header" };
                    let reason = format!("the {what} has more than {CSV_COLUMNS_MAX} columns");
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

/// Splits the row at the start of `bytes`. A quoted cell may hold line breaks, and a doubled quote
/// is one quote. Excess cells are skipped without being stored: there can be millions.
fn row(bytes: &[u8], separator: u8, ended: bool) -> Row {
    let mut cells = Vec::new();
    let mut at = 0;
    let mut beyond = None;
    let whole = |cells, beyond: Option<usize>, length| match beyond {
        None => Row::Cells(cells, length),
        Some(at) => Row::TooWide(at, length),
    };
    loop {
        let lead = at + space(bytes, at, separator);
        let mut cell = Cell { text: Vec::new(), at, quoted: false };
        if bytes.get(lead) == Some(&b'"') {
            (cell.at, at) = (lead, lead);
            cell.quoted = true;
            at = match quoted(bytes, at + 1, &mut cell.text) {
                Some(at) => at,
                None => return Row::Unterminated(cell.at),
            };
            let behind = at + space(bytes, at, separator);
            let ends =
                bytes.get(behind).is_none_or(|byte| *byte == separator || b"\r\n".contains(byte));
            at = if ends { behind } else { at };
        } else {
            let rest = bytes.get(at..).unwrap_or_default();
            let end = rest.iter().position(|byte| *byte == separator || *byte == b'\n');
            let text = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
            let is_last = end.is_none_or(|end| rest.get(end) == Some(&b'\n'));
            let kept = if is_last { text.strip_suffix(b"\r").unwrap_or(text) } else { text };
            cell.text.extend_from_slice(kept);
            at += text.len();
        }
        let quoted = cell.quoted;
        if cells.len() < CSV_COLUMNS_MAX {
            cells.push(cell);
        } else {
            beyond = beyond.or(Some(cell.at));
        }
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(byte), _) if *byte == separator => at += 1,
            (Some(b'\r'), Some(b'\n')) => return whole(cells, beyond, at + 2),
            (None, _) | (Some(b'\r'), None) if !ended => return Row::Unterminated(0),
            (Some(b'\n'), _) | (Some(b'\r'), None) => return whole(cells, beyond, at + 1),
            (None, _) => return whole(cells, beyond, at),
            _ if quoted => {
                return Row::Invalid(
                    at,
                    "expected a separator or line ending after the closing quote",
                );
            }
            _ => return Row::Invalid(at, "unexpected character"),
        }
    }
}

/// Bytes of white space that is not a separator.
fn space(bytes: &[u8], from: usize, separator: u8) -> usize {
    let bytes = bytes.get(from..).unwrap_or_default();
    bytes.iter().take_while(|byte| b" \t".contains(byte) && **byte != separator).count()
}

/// Unquotes text after the opening quote; returns the offset after the closing quote.
fn quoted(bytes: &[u8], from: usize, text: &mut Vec<u8>) -> Option<usize> {
    let mut at = from;
    loop {
        let rest = bytes.get(at..)?;
        let end = rest.iter().position(|byte| *byte == b'"')?;
        text.extend_from_slice(rest.get(..end)?);
        at += end + 1;
        if bytes.get(at) != Some(&b'"') {
            return Some(at);
        }
        text.push(b'"');
        at += 1;
    }
}

/// A row as a document. If cells are missing, so are their fields. Excess cells are named `field`
/// plus their index, as in mongoimport.
fn document(
    columns: &[Column],
    cells: &[Cell],
    zone: Zone,
    mut converter: Option<&mut Converter>,
) -> Result<RawDocumentBuf, CellError> {
    let mut document = Document::new();
    if let Some(converter) = &mut converter {
        converter.begin_document();
    }
    let has_more = cells.len() > columns.len();
    let named = columns.iter().filter(|_| has_more).filter_map(|column| column.path.first());
    let named: HashSet<&str> = named.map(String::as_str).collect();
    for (number, cell) in cells.iter().enumerate() {
        let text = str::from_utf8(&cell.text).map_err(|error| {
            let at = cell.at + error.valid_up_to() + usize::from(cell.quoted);
            (at, "the text is not valid UTF-8; convert the file to UTF-8".to_owned())
        })?;
        let extra;
        let column = if let Some(column) = columns.get(number) {
            column
        } else {
            let name = format!("field{number}");
            if named.contains(name.as_str()) {
                return Err((
                    cell.at,
                    format!(
                        "the row has more cells than the header, and {name} is already a column; \
                         complete the header"
                    ),
                ));
            }
            extra = Column::plain(vec![name]);
            &extra
        };
        let text = if cell.quoted { text } else { text.trim_start() };
        let value = match (column.field, &mut converter) {
            (Some(field), Some(converter)) => {
                let value = converter.scalar(field, RawBsonRef::String(text));
                let value = value.map_err(|reason| (cell.at, reason))?;
                Bson::try_from(value).map_err(|error| (cell.at, error.to_string()))?
            }
            _ => column.value(text, zone).map_err(|reason| (cell.at, reason))?,
        };
        set(&mut document, &column.path, value);
    }
    RawDocumentBuf::try_from(&document)
        .map_err(|_| (0, "the row can't be converted to a document".to_owned()))
}

fn set(document: &mut Document, path: &[String], value: Bson) {
    match path {
        [] => {}
        [name] => {
            document.insert(name.clone(), value);
        }
        [name, rest @ ..] => {
            let inner = document.entry(name.clone()).or_insert_with(|| Document::new().into());
            if let Bson::Document(inner) = inner {
                set(inner, rest, value);
            }
        }
    }
}

/// Makes columns text in which some cell starts with a zero, such as zip codes: otherwise `01234`
/// would be text and 98052 a number. Looks at the rows in `bytes`, the start of the file, so that a
/// resumed import decides alike.
fn keep_zeros(columns: &mut [Column], bytes: &[u8], separator: u8) {
    let mut rest = bytes;
    while let Row::Cells(cells, length) = row(rest, separator, false) {
        for (column, cell) in columns.iter_mut().zip(&cells) {
            let text = str::from_utf8(&cell.text).unwrap_or_default().trim();
            let is_whole = text.bytes().all(|byte| byte.is_ascii_digit());
            if column.declared.is_none() && is_whole && has_leading_zero(text) {
                column.to = CellType::Text;
            }
        }
        rest = rest.get(length..).unwrap_or_default();
    }
}
