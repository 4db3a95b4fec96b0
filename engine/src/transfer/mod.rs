//! Files in and out: streamed, cancellable, with progress.
//!
//! Import: a reader thread finds the documents of a file and turns each into BSON; the calling thread
//! stores them in bounded transactions. Memory stays flat however large the file is. Nothing is
//! lost silently: what can't be stored goes with its reason, line and column to a file of rejected
//! documents, and every end has a sentence that says what was stored. What many programs write although
//! it is no JSON is refused too, unless the import's [`Leniency`] takes it; then it is counted.
//!
//! Each transaction of an import keeps its checkpoint with it: what was read, and which documents were
//! inserted. An import that was cut off, cancelled or stopped can be resumed, rolled back or left.
//! Rejected documents go to their file between two transactions; until then the checkpoint has them, so
//! that the file gets each once whenever the program is ended.
//!
//! Export: bounded reads, text to a temporary file in the target's folder, then one rename: the file
//! appears whole or not at all.

mod atomic_file;
mod batch;
mod checkpoint;
mod checkpoint_bson;
mod csv;
#[cfg(test)]
mod damaged_tests;
mod detect;
mod disk_space;
mod error;
mod export;
mod export_csv;
#[cfg(test)]
mod export_tests;
mod file_name;
mod identity;
mod import;
mod import_lock;
mod input;
mod inserted;
mod json;
#[cfg(test)]
mod leniency_tests;
mod limits;
mod prepare;
mod preview;
mod progress;
mod records;
mod rejects;
mod report;
#[cfg(test)]
mod resume_tests;
mod roll_back;
mod store_batch;
#[cfg(test)]
mod tests;
mod text_position;
mod unfinished;

pub use detect::{DetectedFormat, ImportFormat, RecordFormat};
pub use disk_space::DiskSpace;
pub use error::TransferError;
pub use export::{
    DamagedDocuments, ExportFormat, ExportReport, ExportRequest, Lookalikes, export, indexes_path,
};
pub use file_name::file_name;
pub use import::{ImportMode, ImportRequest, import, resume_import};
pub use limits::{
    IMPORT_REJECTS_MAX, IMPORT_TEXT_BYTES_MAX, PREVIEW_DOCS_MAX, REJECTS_SHARE,
    REJECTS_SHARE_DOCS_MIN,
};
pub use preview::{FieldTypes, Preview, Rehearsal, RehearsedIndex, preview, rehearse};
pub use progress::{Progress, ProgressNow};
pub use report::{ImportEnd, ImportReport, Reject};
pub use roll_back::{RollBackReport, roll_back_import};
pub use text_position::TextPosition;
pub use unfinished::{UnfinishedImport, leave_import, unfinished_imports};

pub use crate::value::{
    extjson::{Leniency, Nonstandard, Tally},
    zone::Zone,
};
