//! The result of an import.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use bson::oid::ObjectId;

use super::read::container::on_disk;
use super::{DetectedFormat, FieldCounts, RecordFormat, Tally, TextPosition, Types};
use crate::value::{count, counted};

/// A rejected document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reject {
    /// Its file.
    pub file: PathBuf,
    /// Where in the file the error is.
    pub position: TextPosition,
    /// Line where the document starts, at most that of `position`.
    pub start_line: u64,
    /// The problem, without a period at the end.
    pub reason: String,
}

impl fmt::Display for Reject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file.display(), self.position.words())?;
        if self.position.has_lines() && self.start_line < self.position.line {
            write!(f, " (starts on line {})", self.start_line)?;
        }
        write!(f, ": {}", self.reason)
    }
}

/// How the values of a field with a chosen type converted, in one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FieldResult {
    /// The file.
    pub file: PathBuf,
    /// The field's path.
    pub path: String,
    /// The name of its type.
    pub to: &'static str,
    /// The counts, without those of an earlier run of a resumed import.
    pub counts: FieldCounts,
}

/// How an import ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ImportEnd {
    /// Every file was read to its end.
    Complete,
    /// A document was rejected and the request says to stop then.
    StoppedOnError,
    /// More documents were rejected than [`super::IMPORT_REJECTS_MAX`] or [`super::REJECTS_SHARE`]
    /// allow.
    TooManyRejects,
    /// The rest of a file can't be read.
    Broken(Reject),
    /// The user canceled.
    Cancelled,
    /// The store or a file failed; the reason as a sentence.
    Failed(String),
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportReport {
    /// Documents stored, including replaced and merged ones.
    pub imported: u64,
    /// Documents skipped because their `_id` already existed (mode skip).
    pub skipped: u64,
    /// Documents rejected.
    pub rejected: u64,
    /// Non-standard values that were converted.
    pub tally: Tally,
    /// How the fields with a chosen type converted.
    pub fields: Vec<FieldResult>,
    /// An earlier run read documents too.
    pub is_resumed: bool,
    /// The detected format of each opened file.
    pub files: Vec<(PathBuf, DetectedFormat)>,
    /// The first rejected documents.
    pub rejects: Vec<Reject>,
    /// The files with all rejected documents.
    pub rejects_files: Vec<PathBuf>,
    /// How it ended.
    pub end: ImportEnd,
    /// The id for resuming or rolling back; `None` if the import is complete or stored nothing.
    pub unfinished: Option<ObjectId>,
    /// The id for rolling back a complete import that remembers what it inserted.
    pub complete: Option<ObjectId>,
}

impl ImportReport {
    pub(super) fn new() -> Self {
        Self {
            imported: 0,
            skipped: 0,
            rejected: 0,
            tally: Tally::default(),
            fields: Vec::new(),
            is_resumed: false,
            files: Vec::new(),
            rejects: Vec::new(),
            rejects_files: Vec::new(),
            end: ImportEnd::Complete,
            unfinished: None,
            complete: None,
        }
    }

    /// Takes the counts of a file so far, in the order of the types.
    pub(super) fn note_fields(&mut self, types: &Types, file: &Path, counts: &[FieldCounts]) {
        for (field, counts) in types.fields.iter().zip(counts) {
            let known = self.fields.iter_mut().find(|it| it.path == field.path && it.file == file);
            match known {
                Some(known) => known.counts.clone_from(counts),
                None => self.fields.push(FieldResult {
                    file: file.to_owned(),
                    path: field.path.clone(),
                    to: field.to.name(),
                    counts: counts.clone(),
                }),
            }
        }
    }

    /// The values read differently from how they were written, each without a period at the end.
    pub fn notes(&self) -> Vec<String> {
        let failed: u64 = self.fields.iter().map(|field| field.counts.failed).sum();
        let mut tally = self.tally;
        if failed == tally.unconverted {
            // The fields say it.
            tally.unconverted = 0;
        }
        let mut notes = tally.sentences();
        notes.extend(self.fields.iter().filter_map(|field| self.failed_words(field)));
        notes.extend(self.nowhere());
        notes
    }

    fn failed_words(&self, field: &FieldResult) -> Option<String> {
        let FieldResult { file, path, to, counts } = field;
        let first = counts.first_failed.as_ref()?;
        let values = counted(counts.failed, "value", "values");
        let of =
            if self.files.len() > 1 { format!(" of {}", file.display()) } else { String::new() };
        Some(format!(
            "{path}: {values} did not convert to {to}, the first in {}{of}: {}, {}",
            first.position.start_words(),
            first.value,
            first.reason
        ))
    }

    /// Fields that no file has, unless an earlier run may have seen them.
    fn nowhere(&self) -> Option<String> {
        if self.is_resumed || self.imported + self.skipped + self.rejected == 0 {
            return None;
        }
        let has_values = |path: &str| {
            let of = self.fields.iter().filter(|field| field.path == path);
            of.map(|of| &of.counts).any(|it| it.converted + it.blank + it.failed > 0)
        };
        let mut paths: Vec<&str> = self.fields.iter().map(|field| field.path.as_str()).collect();
        paths.retain(|path| !has_values(path));
        paths.dedup();
        let names = paths.join(", ");
        let many = if paths.len() > 1 { "these fields" } else { "the field" };
        (!paths.is_empty()).then(|| format!("No document has {many} with a chosen type: {names}"))
    }

    /// One or two sentences about how it ended and what is stored; `None` after a full success.
    pub fn sentence(&self) -> Option<String> {
        let stored = match self.imported {
            0 => "Nothing was imported.".to_owned(),
            1 => "1 document imported so far is kept.".to_owned(),
            n => format!("{} documents imported so far are kept.", count(n)),
        };
        let mut text = match &self.end {
            ImportEnd::Complete if self.rejected == 0 => return None,
            ImportEnd::Complete => {
                format!("{} rejected.", counted(self.rejected, "document was", "documents were"))
            }
            ImportEnd::StoppedOnError => {
                format!("Stopped at the first rejected document. {stored}")
            }
            ImportEnd::TooManyRejects => {
                format!(
                    "Stopped because {} documents were rejected. {stored}",
                    count(self.rejected)
                )
            }
            ImportEnd::Broken(reject) => {
                format!("{reject}. The rest of the file was not read. {stored}")
            }
            ImportEnd::Cancelled => format!("Canceled. {stored}"),
            ImportEnd::Failed(reason) => {
                let stop = if reason.ends_with('.') { "" } else { "." };
                format!("{reason}{stop} {stored}")
            }
        };
        if !matches!(self.end, ImportEnd::Broken(_))
            && let Some(first) = self.rejects.first()
        {
            text = format!("{text} First: {first}.");
        }
        for file in &self.rejects_files {
            let is_beside =
                self.files.iter().any(|(source, _)| on_disk(source).parent() == file.parent());
            let is_moved = !is_beside && file.parent() == Some(&*std::env::temp_dir());
            let why =
                if is_moved { ", because the folder of the file can't be written" } else { "" };
            text = format!("{text} Rejected documents are saved in {}{why}.", file.display());
        }
        Some(text)
    }

    /// Why a complete import had no document, as a sentence; `None` if it had one.
    pub fn nothing_read(&self) -> Option<String> {
        let read = self.imported + self.skipped + self.rejected;
        let (path, detected) = self.files.first()?;
        if read > 0 || self.end != ImportEnd::Complete {
            return None;
        }
        let why = match detected.form {
            _ if self.files.len() > 1 => "the files have no documents",
            RecordFormat::Empty => "the file is empty",
            RecordFormat::Csv { .. } => "the file has a header row and no rows below it",
            RecordFormat::Workbook => "the sheet has no rows below its header row",
            RecordFormat::Parquet | RecordFormat::Arrow => "the table has no rows",
            _ => "the file has no documents",
        };
        Some(format!("{}: {why}, so nothing was imported.", path.display()))
    }
}
