//! Detects a file's format from its contents.

use crate::transfer::read::csv_detect::{has_escapes, is_table, separator};
use crate::transfer::read::csv_row::CsvSigns;
use crate::transfer::{Compression, ReadOptions};
use crate::value::extjson::{self, Documents, Step};

/// The format that the user chose.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImportFormat {
    /// Detect automatically.
    #[default]
    Auto,
    /// Extended JSON: NDJSON, concatenated documents or an array.
    Json,
    /// CSV with a header row.
    Csv,
    /// BSON documents, one after another.
    Bson,
}

/// The format of the records in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordFormat {
    /// Only white space.
    Empty,
    /// One document per line.
    Lines,
    /// Concatenated documents that may span lines.
    Objects,
    /// One array of documents.
    Array,
    /// CSV with a header row.
    Csv {
        /// `,`, `;`, `|` or a tab, or what Excel's line `sep=` names.
        separator: u8,
        /// A backslash takes the next character as text.
        escapes: bool,
    },
    /// BSON documents, one after another.
    Bson,
    /// Parquet.
    Parquet,
    /// Arrow IPC: a file, such as Feather's version 2, or a stream.
    Arrow,
    /// A sheet of a workbook of Excel or `LibreOffice`.
    Workbook,
}

/// The result of a detection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetectedFormat {
    /// The format of its records.
    pub form: RecordFormat,
    /// How it is compressed.
    pub compression: Compression,
}

impl DetectedFormat {
    /// A short description for the user.
    pub fn words(&self) -> String {
        let form = match self.form {
            RecordFormat::Empty => "empty",
            RecordFormat::Lines => "one JSON document per line",
            RecordFormat::Objects => "concatenated JSON documents",
            RecordFormat::Array => "a JSON array",
            RecordFormat::Csv { separator, .. } => match separator {
                b'\t' => "tab-separated CSV",
                b';' => "semicolon-separated CSV",
                b'|' => "CSV separated by |",
                b',' => "comma-separated CSV",
                _ => "CSV with the separator of its first line",
            },
            RecordFormat::Bson => "BSON",
            RecordFormat::Parquet => "Parquet",
            RecordFormat::Arrow => "Arrow",
            RecordFormat::Workbook => "a sheet of a workbook",
        };
        let mut words = form.to_owned();
        if let RecordFormat::Csv { escapes: true, .. } = self.form {
            words.push_str(" with backslash escapes");
        }
        if self.compression != Compression::None {
            words = format!("{words}, {}-compressed", self.compression.name());
        }
        words
    }
}

/// Length of a UTF-8 byte order mark at the start.
pub(in crate::transfer) fn byte_order_mark_length(bytes: &[u8]) -> usize {
    if bytes.starts_with(&[0xef, 0xbb, 0xbf]) { 3 } else { 0 }
}

/// Recognizes an encoding that has no byte order mark, or that can't be read. States what the file is,
/// then what to do.
pub(in crate::transfer) fn refuse(start: &[u8]) -> Option<&'static str> {
    match start {
        [0xff, 0xfe, 0, 0, ..] | [0, 0, 0xfe, 0xff, ..] => {
            Some("the file is UTF-32; save it as UTF-8 first")
        }
        _ if is_utf16(start, u16::from_be_bytes) => {
            Some("the file looks like UTF-16; choose that encoding (--encoding UTF-16BE)")
        }
        _ if is_utf16(start, u16::from_le_bytes) => {
            Some("the file looks like UTF-16; choose that encoding (--encoding UTF-16LE)")
        }
        _ => None,
    }
}

/// Characters whose halves tell whether they are UTF-16.
const UTF16_CHARS: usize = 64;

/// Whether bytes are text in UTF-16, most of it of Latin letters. Binary numbers have zero bytes too,
/// but next to control characters and other zeros.
fn is_utf16(start: &[u8], character: fn([u8; 2]) -> u16) -> bool {
    let (pairs, _) = start.as_chunks();
    let units: Vec<u16> = pairs.iter().take(UTF16_CHARS).map(|pair| character(*pair)).collect();
    let is_text = |unit: &u16| *unit >= 0x20 || matches!(unit, 9 | 10 | 13);
    let latin = units.iter().filter(|unit| **unit < 0x100).count();
    !units.is_empty() && units.iter().all(is_text) && latin * 2 > units.len()
}

/// Detects the format from the first bytes. `whole` means that they are the whole file, `table`
/// that its name ends in `.csv` or `.tsv`.
pub(in crate::transfer) fn detect(
    start: &[u8],
    whole: bool,
    options: &ReadOptions,
    table: bool,
) -> Option<RecordFormat> {
    let format = options.format;
    let csv = |text: &[u8]| {
        let separator = separator(text);
        let escapes = options.csv.backslash_escapes || has_escapes(text, separator, whole);
        CsvSigns { separator, escapes }
    };
    let form = |CsvSigns { separator, escapes }| RecordFormat::Csv { separator, escapes };
    let text = start.get(byte_order_mark_length(start)..).unwrap_or_default();
    let first = text.iter().position(|byte| !byte.is_ascii_whitespace());
    let Some(first) = first else { return Some(RecordFormat::Empty) };
    if format == ImportFormat::Csv {
        return Some(form(csv(text)));
    }
    // The exports of some tools begin with a comment.
    let document = text.get(Documents::comments(text)..).unwrap_or_default();
    match document.first() {
        Some(b'[') => return Some(RecordFormat::Array),
        Some(b'{') => return Some(objects(document, whole)),
        _ => {}
    }
    if format == ImportFormat::Json {
        return Some(RecordFormat::Objects);
    }
    let text = text.get(first..).unwrap_or_default();
    let signs = csv(text);
    (table || is_table(text, signs, whole)).then(|| form(signs))
}

/// Whether a text begins with a whole document of JSON in this format.
pub(in crate::transfer) fn starts_with_json(text: &[u8], form: RecordFormat, whole: bool) -> bool {
    let inner = match form {
        RecordFormat::Array => extjson::Form::Array,
        _ => extjson::Form::Stream,
    };
    matches!(Documents::new(inner).step(text, whole), Ok(Step::Document { .. }))
}

/// NDJSON if the first line is a whole document or at least ends like one.
fn objects(text: &[u8], whole: bool) -> RecordFormat {
    let end = text.iter().position(|byte| *byte == b'\n');
    let (line, complete) = match end {
        Some(end) => (text.get(..end).unwrap_or_default(), true),
        None => (text, whole),
    };
    match Documents::new(extjson::Form::Stream).step(line, true) {
        Ok(Step::Document { .. }) => RecordFormat::Lines,
        _ if complete && line.trim_ascii_end().ends_with(b"}") => RecordFormat::Lines,
        _ => RecordFormat::Objects,
    }
}
