//! Requests to import files.

use std::path::PathBuf;

use bson::oid::ObjectId;

use super::{ImportFormat, Leniency, TextEncoding, Types};
use crate::catalog::Namespace;

/// The treatment of a document whose `_id` already exists.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImportMode {
    /// Reject the document.
    #[default]
    Insert,
    /// Skip and count it.
    Skip,
    /// Replace the stored document.
    Replace,
    /// Update its fields in the stored document and keep the others.
    Merge,
}

/// How CSV is written, where its text doesn't say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CsvReading {
    /// Numbers have a comma before their decimals.
    pub decimal_comma: bool,
    /// A backslash takes the next character as text, also a quote or a separator.
    pub backslash_escapes: bool,
}

/// How files are read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// The format of the files.
    pub format: ImportFormat,
    /// The encoding of text. With `None` it is UTF-8, or what a byte order mark names.
    pub encoding: Option<TextEncoding>,
    /// Which non-standard JSON to accept.
    pub leniency: Leniency,
    /// The types that fields get.
    pub types: Types,
    /// Other names for columns of a table: each as [`super::TableColumn::name`] or its header has
    /// it, then the new one. A file without such a column is refused.
    pub renames: Vec<(String, String)>,
    /// The sheet of a workbook; its first one without a name.
    pub sheet: Option<String>,
    /// How CSV is written.
    pub csv: CsvReading,
}

/// A request to import files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRequest {
    /// The files, read one after the other.
    pub files: Vec<PathBuf>,
    /// The target collection; created if missing.
    pub namespace: Namespace,
    /// The format of the files.
    pub format: ImportFormat,
    /// As in [`ReadOptions::encoding`].
    pub encoding: Option<TextEncoding>,
    /// Which non-standard JSON to accept.
    pub leniency: Leniency,
    /// The types that fields get.
    pub types: Types,
    /// As in [`ReadOptions::renames`].
    pub renames: Vec<(String, String)>,
    /// As in [`ReadOptions::sheet`].
    pub sheet: Option<String>,
    /// How CSV is written.
    pub csv: CsvReading,
    /// The treatment of a document whose `_id` already exists.
    pub mode: ImportMode,
    /// Drop the collection and its indexes before the first document is stored.
    pub drop: bool,
    /// Stop at the first rejected document.
    pub stop_on_error: bool,
    /// Remember what was inserted after the import is complete too, so that it can be rolled back.
    pub keeps_inserted: bool,
    /// The file for rejected documents, or `None` for `<name>.rejected.jsonl` next to each file. An
    /// existing file is never overwritten: the name gets a number instead.
    pub rejects: Option<PathBuf>,
    /// Rejected documents after which the import stops; 0 for no limit. With `None` it stops after
    /// [`super::IMPORT_REJECTS_MAX`], or when more than one in [`super::REJECTS_SHARE`] was rejected.
    pub rejects_max: Option<u64>,
}

impl ImportRequest {
    /// A request with default options.
    pub fn new(files: Vec<PathBuf>, namespace: Namespace) -> Self {
        Self {
            files,
            namespace,
            format: ImportFormat::Auto,
            encoding: None,
            leniency: Leniency::default(),
            types: Types::default(),
            renames: Vec::new(),
            sheet: None,
            csv: CsvReading::default(),
            mode: ImportMode::Insert,
            drop: false,
            stop_on_error: false,
            keeps_inserted: false,
            rejects: None,
            rejects_max: None,
        }
    }

    /// How its files are read.
    pub fn read_options(&self) -> ReadOptions {
        let Self { format, encoding, leniency, types, renames, sheet, csv, .. } = self;
        ReadOptions {
            format: *format,
            encoding: *encoding,
            leniency: *leniency,
            types: types.clone(),
            renames: renames.clone(),
            sheet: sheet.clone(),
            csv: *csv,
        }
    }
}

/// A request to resume an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ResumeRequest {
    /// The import.
    pub id: ObjectId,
    /// In place of [`ImportRequest::rejects_max`].
    pub rejects_max: Option<u64>,
}

impl From<ObjectId> for ResumeRequest {
    fn from(id: ObjectId) -> Self {
        Self { id, rejects_max: None }
    }
}
