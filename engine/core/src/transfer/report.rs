//! The result of an import.

use std::{fmt, path::PathBuf};

use bson::oid::ObjectId;

use super::{DetectedFormat, Tally, TextPosition};
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
            files: Vec::new(),
            rejects: Vec::new(),
            rejects_files: Vec::new(),
            end: ImportEnd::Complete,
            unfinished: None,
            complete: None,
        }
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
            text = format!("{text} Rejected documents are saved in {}.", file.display());
        }
        Some(text)
    }
}
