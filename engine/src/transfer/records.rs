//! Document after document out of a file, whatever its form.

use std::path::Path;

use bson::RawDocument;

use super::{
    DetectedFormat, ImportFormat, Leniency, Progress, RecordFormat, TextPosition, TransferError,
    csv::CsvRecords,
    detect::{byte_order_mark_length, detect, refuse},
    input::Input,
    json::JsonRecords,
    limits::{DETECT_BYTES, REJECT_TEXT_BYTES_MAX},
    text_position::ResumePoint,
};
use crate::value::extjson::Tally;

/// What comes next in a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Item {
    /// A document, to be had by [`Records::document`].
    Document(TextPosition),
    /// Something that is no document. Reading can go on unless it says otherwise.
    Bad(BadRecord),
    /// The end of the file.
    End,
}

/// Something in a file that is no acceptable document.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct BadRecord {
    /// Where the error is.
    pub position: TextPosition,
    /// Line where the document starts, at most that of `position`.
    pub start_line: u64,
    /// What is wrong and what to do, without a full stop.
    pub reason: String,
    /// The text, bounded.
    pub text: Vec<u8>,
    /// The rest of the file can't be read.
    pub fatal: bool,
}

impl BadRecord {
    pub(super) fn new(
        position: TextPosition,
        reason: impl Into<String>,
        text: &[u8],
        fatal: bool,
    ) -> Self {
        let kept = text.get(..REJECT_TEXT_BYTES_MAX).unwrap_or(text);
        let start_line = position.line;
        Self { position, start_line, reason: reason.into(), text: kept.to_vec(), fatal }
    }

    /// The same for a document that starts on an earlier line.
    pub(super) fn started(self, line: u64) -> Self {
        Self { start_line: line.min(self.position.line), ..self }
    }
}

/// The documents of one file.
pub(super) struct Records<'p> {
    input: Input<'p>,
    detected: DetectedFormat,
    reader: RecordReader,
    /// What an earlier run has met.
    tally_before: Tally,
}

enum RecordReader {
    Empty,
    Json(JsonRecords),
    Csv(CsvRecords),
}

impl<'p> Records<'p> {
    /// Opens a file and tells its form.
    ///
    /// # Errors
    /// When it can't be read or its form is not one of those known.
    pub(super) fn open(
        path: &Path,
        format: ImportFormat,
        leniency: Leniency,
        progress: Option<&'p Progress>,
    ) -> Result<Self, TransferError> {
        Self::of(Input::open(path, progress)?, path, format, leniency)
    }

    /// Tells the form of what comes from a file.
    ///
    /// # Errors
    /// When it can't be read or its form is not one of those known.
    pub(super) fn of(
        mut input: Input<'p>,
        path: &Path,
        format: ImportFormat,
        leniency: Leniency,
    ) -> Result<Self, TransferError> {
        let not_readable =
            |what: String| TransferError::NotReadable { path: path.display().to_string(), what };
        input.fill_to(DETECT_BYTES).map_err(not_readable)?;
        if let Some(what) = refuse(input.bytes()) {
            return Err(not_readable(what.to_owned()));
        }
        let form = detect(input.bytes(), input.has_ended(), format, is_table(path));
        let Some(form) = form else {
            let position = start_of_text(input.bytes());
            return Err(not_readable(format!(
                "the file is not JSON documents or CSV with a header row (line {}, column {}: \
                 expected a document that starts with {{)",
                position.line, position.column
            )));
        };
        let start = byte_order_mark_length(input.bytes());
        input.consume(start);
        let position = TextPosition { offset: start as u64, ..TextPosition::START };
        let reader = match form {
            RecordFormat::Empty => RecordReader::Empty,
            RecordFormat::Csv { separator } => {
                RecordReader::Csv(CsvRecords::new(separator, position))
            }
            RecordFormat::Lines | RecordFormat::Objects | RecordFormat::Array => {
                RecordReader::Json(JsonRecords::new(form, position, leniency))
            }
        };
        let detected = DetectedFormat { form, gzip: input.is_gzip() };
        Ok(Self { input, detected, reader, tally_before: Tally::default() })
    }

    /// Goes on behind a document whose end was [`Self::position`] in an earlier run.
    ///
    /// # Errors
    /// One sentence without its full stop.
    pub(super) fn resume(&mut self, resume_point: ResumePoint) -> Result<(), String> {
        let position = resume_point.position;
        self.tally_before = resume_point.tally;
        match &mut self.reader {
            RecordReader::Empty => return Ok(()),
            RecordReader::Json(records) => records.resume(position),
            RecordReader::Csv(records) => records.resume(position, &mut self.input)?,
        }
        self.input.skip_to(position.offset)
    }

    /// The place behind what [`Self::next`] gave last.
    pub(super) fn position(&self) -> TextPosition {
        match &self.reader {
            RecordReader::Empty => TextPosition::START,
            RecordReader::Json(records) => records.position(),
            RecordReader::Csv(records) => records.position(),
        }
    }

    /// How many bytes of the file are wanted, unpacked; what has begun before them is still read.
    pub(super) fn want(&mut self, bytes: u64) {
        self.input.want(bytes);
    }

    /// Whether nobody wants more of the file.
    pub(super) fn is_enough(&self) -> bool {
        self.input.is_enough()
    }

    /// What the file looks like.
    pub(super) fn detected(&self) -> DetectedFormat {
        self.detected
    }

    /// What comes next. Not to be called again after the end or a fatal error.
    pub(super) fn next(&mut self) -> Item {
        match &mut self.reader {
            RecordReader::Empty if self.input.has_ended() => Item::End,
            RecordReader::Empty => {
                let position = TextPosition::START;
                let reason = "the file starts with too much white space; remove it";
                Item::Bad(BadRecord::new(position, reason, &[], true))
            }
            RecordReader::Json(records) => records.next(&mut self.input),
            RecordReader::Csv(records) => records.next(&mut self.input),
        }
    }

    /// The document of the last [`Item::Document`].
    pub(super) fn document(&self) -> &RawDocument {
        match &self.reader {
            RecordReader::Json(records) => records.document(),
            RecordReader::Csv(records) => records.document(),
            RecordReader::Empty => RawDocument::from_bytes(&[5, 0, 0, 0, 0])
                .unwrap_or_else(|_| unreachable!("five bytes are the empty document")),
        }
    }

    /// How many values so far were not as version 2 of Extended JSON has them.
    pub(super) fn tally(&self) -> Tally {
        match &self.reader {
            RecordReader::Json(records) => self.tally_before + records.tally(),
            RecordReader::Csv(_) | RecordReader::Empty => self.tally_before,
        }
    }
}

/// Whether a file's name ends like that of a CSV file.
fn is_table(path: &Path) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".csv", ".tsv"].iter().any(|ending| name.ends_with(ending))
}

fn start_of_text(bytes: &[u8]) -> TextPosition {
    let text = bytes.get(byte_order_mark_length(bytes)..).unwrap_or_default();
    let blank = text.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    TextPosition::START.after(text.get(..blank).unwrap_or_default())
}
