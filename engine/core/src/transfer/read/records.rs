//! Reads documents one by one from a file of any format.

use std::{
    io,
    path::{Path, PathBuf},
};

use bson::{RawDocument, RawDocumentBuf};

use crate::transfer::limits::DETECT_BYTES;
use crate::transfer::read::bson_records::BsonRecords;
use crate::transfer::read::container::Container;
use crate::transfer::read::convert::{Converter, FieldCounts};
use crate::transfer::read::csv::CsvRecords;
use crate::transfer::read::csv_header::TableColumn;
use crate::transfer::read::csv_row::CsvSigns;
use crate::transfer::read::detect::{byte_order_mark_length, detect, refuse, starts_with_json};
use crate::transfer::read::encoding::{is_mostly_broken, other_encoding};
use crate::transfer::read::foreign::{binary, foreign, known};
use crate::transfer::read::input::Input;
use crate::transfer::read::item::{BadRecord, Item};
use crate::transfer::read::json::JsonRecords;
use crate::transfer::read::row_reader::{NoRows, RowReader};
use crate::transfer::read::tables;
use crate::transfer::read::text_position::ResumePoint;
use crate::transfer::{
    Compression, DeclaredType, DetectedFormat, ImportFormat, Nonstandard, Progress, ReadOptions,
    RecordFormat, TextEncoding, TextPosition, TransferError, read::bson_records,
};
use crate::value::extjson::Tally;

/// The documents of one file.
pub(in crate::transfer) struct Records<'p> {
    input: Input<'p>,
    detected: DetectedFormat,
    reader: Box<dyn RowReader>,
    /// Gives fields their types. With `None` nothing is converted, and nothing is copied.
    converter: Option<Converter>,
    /// The converted document of a reader that doesn't convert.
    converted: RawDocumentBuf,
    /// Non-standard values that an earlier run counted.
    tally_before: Tally,
    wanted: u64,
    /// Set until the file is opened.
    unopened: Option<Unopened<'p>>,
}

/// A file that is opened when its first record is read.
struct Unopened<'p> {
    path: PathBuf,
    options: ReadOptions,
    progress: &'p Progress,
}

impl<'p> Records<'p> {
    /// Opens a file and detects its format.
    ///
    /// # Errors
    /// When it can't be read or its format is unknown.
    pub(in crate::transfer) fn open(
        path: &Path,
        options: &ReadOptions,
        progress: Option<&'p Progress>,
    ) -> Result<Self, TransferError> {
        Self::of(Input::open(path, progress)?, path, options)
    }

    /// A file that is opened when its first record is read, and probably has this format: a container is
    /// read in order, so the files in it are opened one after the other.
    pub(in crate::transfer) fn later(
        path: &Path,
        options: &ReadOptions,
        progress: &'p Progress,
        detected: DetectedFormat,
    ) -> Self {
        let unopened = Unopened { path: path.to_owned(), options: options.clone(), progress };
        let input = Input::over(Box::new(io::empty()));
        Self { unopened: Some(unopened), ..Self::over(input, detected, Box::new(NoRows), None) }
    }

    fn over(
        input: Input<'p>,
        detected: DetectedFormat,
        reader: Box<dyn RowReader>,
        converter: Option<Converter>,
    ) -> Self {
        let (converted, tally_before) = (RawDocumentBuf::new(), Tally::default());
        let (wanted, unopened) = (u64::MAX, None);
        Self { input, detected, reader, converter, converted, tally_before, wanted, unopened }
    }

    /// Detects the format of an open file.
    ///
    /// # Errors
    /// When it can't be read or its format is unknown.
    pub(in crate::transfer) fn of(
        mut input: Input<'p>,
        path: &Path,
        options: &ReadOptions,
    ) -> Result<Self, TransferError> {
        let not_readable =
            |what: String| TransferError::NotReadable { path: path.display().to_string(), what };
        input.fill_up_to(DETECT_BYTES);
        if input.bytes().is_empty() && !input.has_ended() {
            input.fill().map_err(not_readable)?;
        }
        if let Some(container) = Container::of(input.bytes()) {
            let what = container.words();
            return Err(not_readable(format!("{what}; import it alone, as a folder of mongodump")));
        }
        let form = form_of(&mut input, path, options);
        // Where a file breaks off decides what its start looks like.
        let form = form.map_err(|what| not_readable(input.failure().unwrap_or(what)))?;
        let reader = reader_of(form, &mut input, options).map_err(not_readable)?;
        let detected = DetectedFormat { form, compression: input.compression() };
        Ok(Self::over(input, detected, reader, Converter::new(&options.types)))
    }

    /// Continues after a document of an earlier run, which ended at `resume_point`.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub(in crate::transfer) fn resume(&mut self, resume_point: ResumePoint) -> Result<(), String> {
        let position = resume_point.position;
        self.tally_before = resume_point.tally;
        let is_array = self.detected.form == RecordFormat::Array;
        let is_in_array = resume_point.is_in_array.unwrap_or(is_array);
        let converter = self.converter.as_mut();
        self.reader.resume((position, is_in_array), &mut self.input, converter)?;
        self.input.skip_to(position.offset)
    }

    /// Where reading continues after the last record.
    pub(in crate::transfer) fn resume_point(&self) -> ResumePoint {
        let is_in_array = self.reader.is_in_array();
        ResumePoint { position: self.reader.position(), tally: self.tally(), is_in_array }
    }

    /// Sets how many decompressed bytes are wanted. A document that starts before is read to its
    /// end.
    pub(in crate::transfer) fn want(&mut self, bytes: u64) {
        self.wanted = bytes;
        self.input.want(bytes);
        self.reader.want(bytes);
    }

    /// Sets how many bytes decide the types of a table's columns. The default is all.
    pub(in crate::transfer) fn survey_at_most(&mut self, bytes: u64) {
        self.reader.survey_at_most(bytes);
    }

    /// The columns of a table, once its first row was read.
    pub(in crate::transfer) fn columns(&self) -> Vec<TableColumn> {
        self.reader.columns()
    }

    /// Whether to stop reading.
    pub(in crate::transfer) fn is_enough(&self) -> bool {
        match self.reader.bytes() {
            Some(bytes) => bytes >= self.wanted || self.input.is_cancelled(),
            None => self.input.is_enough(),
        }
    }

    /// The sheets of a workbook, by their names.
    pub(in crate::transfer) fn sheets(&self) -> &[String] {
        self.reader.sheets()
    }

    /// The sheet that is read.
    pub(in crate::transfer) fn sheet(&self) -> Option<&str> {
        self.reader.sheet()
    }

    /// The type that the header of a table gives to the column with this path, with dots.
    pub(in crate::transfer) fn declared(&self, path: &str) -> Option<DeclaredType> {
        self.reader.declared(path)
    }

    /// As [`Input::file_bytes`].
    pub(in crate::transfer) fn file_bytes(&self) -> u64 {
        self.input.file_bytes()
    }

    pub(in crate::transfer) fn detected(&self) -> DetectedFormat {
        self.detected
    }

    /// The next record. Don't call it after the end or a fatal error.
    pub(in crate::transfer) fn next(&mut self) -> Item {
        if let Some(Unopened { path, options, progress }) = self.unopened.take() {
            match Self::open(&path, &options, Some(progress)) {
                Ok(opened) => *self = opened,
                Err(error) => {
                    let reason = error.to_string().trim_end_matches('.').to_owned();
                    return Item::Bad(BadRecord::new(TextPosition::START, reason, &[], true));
                }
            }
        }
        if self.reader.converts() {
            return self.reader.next(&mut self.input, self.converter.as_mut());
        }
        let item = self.reader.next(&mut self.input, None);
        let (Item::Document(position), Some(converter)) = (&item, &mut self.converter) else {
            return item;
        };
        let document = self.reader.document();
        match converter.convert(document, *position) {
            Ok(document) => {
                self.converted = document;
                item
            }
            Err(reason) => Item::Bad(BadRecord::of(*position, reason, document)),
        }
    }

    /// The document of the last [`Item::Document`].
    pub(in crate::transfer) fn document(&self) -> &RawDocument {
        if self.converter.is_some() && !self.reader.converts() {
            return &self.converted;
        }
        self.reader.document()
    }

    /// Non-standard values so far, and what got another type.
    pub(in crate::transfer) fn tally(&self) -> Tally {
        let mut tally = self.tally_before + self.reader.tally();
        tally.ignored_bytes = self.input.ignored_bytes();
        tally.padding_bytes = self.input.padding_bytes();
        if let Some(converter) = &self.converter {
            let (converted, unconverted) = converter.totals();
            tally.converted += converted;
            tally.unconverted += unconverted;
        }
        tally
    }

    /// How the values of each field converted, in the order of the options.
    pub(in crate::transfer) fn field_counts(&self) -> &[FieldCounts] {
        self.converter.as_ref().map_or(&[], Converter::counts)
    }
}

/// The format of a file.
///
/// # Errors
/// When it is unknown, or the text can't be read; one sentence without its full stop.
fn form_of(
    input: &mut Input<'_>,
    path: &Path,
    options: &ReadOptions,
) -> Result<RecordFormat, String> {
    let is_named = has_ending(path, &tables::WORKBOOK_ENDINGS);
    if let Some(form) = tables::form(input, is_named) {
        return as_chosen(form, options.format);
    }
    let is_bson = options.format == ImportFormat::Bson
        || bson_records::starts_with_document(input)
        || (options.format == ImportFormat::Auto && has_ending(path, &[".bson"]));
    // Text can be recognized even if its name is wrong, but nothing else can be damaged BSON.
    if is_bson && !(input.bytes().is_empty() && input.has_ended()) {
        return as_chosen(RecordFormat::Bson, options.format);
    }
    if let Some(what) = known(input.bytes(), options.format == ImportFormat::Auto) {
        return Err(what.to_owned());
    }
    decode(input, options)?;
    input.drop_padding();
    input.fill_up_to(DETECT_BYTES);
    if input.bytes().is_empty() && input.padding_bytes() > 0 {
        return Err("the file has only zero bytes; get a new copy".to_owned());
    }
    if let Some(what) = refuse(input.bytes()) {
        return Err(what.to_owned());
    }
    input.detect_line_ends();
    let is_table = has_ending(path, &[".csv", ".tsv"]);
    let form = detect(input.bytes(), input.has_ended(), options, is_table);
    check_format(input, options, is_table)?;
    let is_table = is_table || matches!(form, Some(RecordFormat::Csv { .. }));
    // JSON may begin with a comment, as JavaScript does.
    let is_json =
        matches!(form, Some(RecordFormat::Lines | RecordFormat::Objects | RecordFormat::Array));
    let text = input.bytes().get(byte_order_mark_length(input.bytes())..).unwrap_or_default();
    let what = match options.format {
        ImportFormat::Auto if !is_json => foreign(text, is_table),
        ImportFormat::Auto => None,
        _ => binary(text, is_table),
    };
    if let Some(what) = what {
        return Err(what.to_owned());
    }
    let may_be_broken = options.leniency.takes(Nonstandard::BrokenText);
    let is_broken = is_mostly_broken(input.bytes()) && !may_be_broken;
    let wrong = match input.encoding() {
        Some(encoding) => (is_broken || !has_ascii(input.bytes()))
            .then(|| format!("the text is not {}; choose another encoding", encoding.name())),
        None => other_encoding(input.bytes()).filter(|_| !may_be_broken),
    };
    if let Some(what) = wrong {
        return Err(what);
    }
    form.ok_or_else(|| {
        let position = start_of_text(input.bytes());
        format!(
            "the file is not JSON documents or CSV with a header row (line {}, column {}: expected a \
             document that starts with {{)",
            position.line, position.column
        )
    })
}

/// Whether some character of a text is a letter, a sign or white space of ASCII, or nothing is there:
/// no JSON and no CSV goes without, in whatever language.
fn has_ascii(text: &[u8]) -> bool {
    text.is_empty() || text.iter().any(|byte| byte.is_ascii_graphic() || b" \t\r\n".contains(byte))
}

/// The format of a file that can't be mistaken for another one.
///
/// # Errors
/// When another one was chosen; one sentence without its full stop.
fn as_chosen(form: RecordFormat, chosen: ImportFormat) -> Result<RecordFormat, String> {
    match (form, chosen) {
        (_, ImportFormat::Auto) | (RecordFormat::Bson, ImportFormat::Bson) => Ok(form),
        _ => Err(other_format(form, chosen)),
    }
}

fn other_format(form: RecordFormat, chosen: ImportFormat) -> String {
    let found = DetectedFormat { form, compression: Compression::None }.words();
    let chosen = match chosen {
        ImportFormat::Csv => "CSV",
        ImportFormat::Bson => "BSON",
        ImportFormat::Json | ImportFormat::Auto => "JSON",
    };
    format!("the file is {found}, not {chosen}; have its format detected (without --format)")
}

/// Refuses a text that is surely in another format than the chosen one.
///
/// # Errors
/// One sentence without its full stop.
fn check_format(input: &Input<'_>, options: &ReadOptions, is_table: bool) -> Result<(), String> {
    let chosen = options.format;
    if !matches!(chosen, ImportFormat::Csv | ImportFormat::Json) {
        return Ok(());
    }
    let auto = ReadOptions { format: ImportFormat::Auto, ..options.clone() };
    let (text, has_ended) = (input.bytes(), input.has_ended());
    let Some(form) = detect(text, has_ended, &auto, is_table) else { return Ok(()) };
    let text = text.get(byte_order_mark_length(text)..).unwrap_or_default();
    let is_other = match (chosen, form) {
        (ImportFormat::Csv, RecordFormat::Lines | RecordFormat::Objects | RecordFormat::Array) => {
            starts_with_json(text, form, has_ended)
        }
        (ImportFormat::Json, RecordFormat::Csv { .. }) => {
            let line = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
            !line.iter().any(|byte| b"{[".contains(byte))
        }
        _ => false,
    };
    if is_other { Err(other_format(form, chosen)) } else { Ok(()) }
}

/// Reads the text in the chosen encoding, or in the one that its byte order mark names.
///
/// # Errors
/// When the file can't be read; one sentence without its full stop.
fn decode(input: &mut Input<'_>, options: &ReadOptions) -> Result<(), String> {
    let encoding = options.encoding.or_else(|| TextEncoding::of_mark(input.bytes()));
    let Some(encoding) = encoding.filter(|encoding| !encoding.is_utf8()) else { return Ok(()) };
    input.decode(encoding);
    input.fill_up_to(DETECT_BYTES);
    input.failure().filter(|_| input.bytes().is_empty()).map_or(Ok(()), Err)
}

/// The reader of a format.
///
/// # Errors
/// One sentence without its full stop.
fn reader_of(
    form: RecordFormat,
    input: &mut Input<'_>,
    options: &ReadOptions,
) -> Result<Box<dyn RowReader>, String> {
    let start = match form {
        RecordFormat::Bson
        | RecordFormat::Parquet
        | RecordFormat::Arrow
        | RecordFormat::Workbook => 0,
        _ => byte_order_mark_length(input.bytes()),
    };
    input.consume(start);
    let position = TextPosition { offset: start as u64, ..TextPosition::START };
    Ok(match form {
        RecordFormat::Empty => Box::new(NoRows),
        RecordFormat::Bson => Box::new(BsonRecords::new()),
        RecordFormat::Parquet | RecordFormat::Arrow | RecordFormat::Workbook => {
            tables::reader(form, input, options)?
        }
        RecordFormat::Csv { separator, escapes } => {
            Box::new(CsvRecords::new(CsvSigns { separator, escapes }, options, position))
        }
        RecordFormat::Lines | RecordFormat::Objects | RecordFormat::Array => {
            Box::new(JsonRecords::new(form, position, options.leniency))
        }
    })
}

/// Whether the name, without that of a compression, has one of these endings.
fn has_ending(path: &Path, endings: &[&str]) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    endings.iter().any(|ending| Compression::bare_name(&name).ends_with(ending))
}

fn start_of_text(bytes: &[u8]) -> TextPosition {
    let text = bytes.get(byte_order_mark_length(bytes)..).unwrap_or_default();
    let blank = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    TextPosition::START.after(text.get(..blank).unwrap_or_default())
}
