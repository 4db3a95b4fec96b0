//! Files in and out: streamed, cancellable, with progress.
//!
//! Import: a reader thread finds the documents of a file and turns each into BSON; the calling thread
//! stores them in bounded transactions. Memory stays flat however large the file is. Nothing is
//! lost silently: what can't be stored goes with its reason, line and column to a file of rejected
//! documents, and every end has a sentence that says what was stored.
//!
//! Export: bounded reads, text to a temporary file in the target's folder, then one rename: the file
//! appears whole or not at all.

mod batch;
mod csv;
mod detect;
mod error;
mod export;
mod export_csv;
mod import;
mod input;
mod json;
mod limits;
mod place;
mod prepare;
mod preview;
mod progress;
mod records;
mod rejects;
mod report;
mod store_batch;
mod target;
#[cfg(test)]
mod tests;

pub use detect::{Detected, Form, Format};
pub use error::TransferError;
pub use export::{ExportFormat, ExportReport, ExportRequest, export};
pub use import::{ImportRequest, Mode, import};
pub use limits::{IMPORT_REJECTS_MAX, IMPORT_TEXT_BYTES_MAX, PREVIEW_DOCS_MAX};
pub use place::Place;
pub use preview::{FieldTypes, Preview, Rehearsal, RehearsedIndex, preview, rehearse};
pub use progress::{Progress, ProgressNow};
pub use report::{End, ImportReport, Reject};
