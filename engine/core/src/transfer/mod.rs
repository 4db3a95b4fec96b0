//! Import and export: streamed, cancelable, with progress.
//!
//! Import: a reader thread splits a file into documents and converts them to BSON. The calling
//! thread stores them in bounded transactions, so memory stays flat for any file size. Nothing is
//! lost silently: a rejected document goes to a file with its reason, line and column, and the
//! report says what was stored. Non-standard JSON is rejected too, unless the import's [`Leniency`]
//! accepts it; then it is counted.
//!
//! Each transaction stores a checkpoint: how far the import has read, and which documents it
//! inserted. An interrupted import can be resumed, rolled back or dismissed. Rejected documents are
//! written to their file between two transactions. Until then the checkpoint holds them, so the
//! file gets each of them exactly once, whenever the process ends.
//!
//! A folder of mongodump is a BSON file and a metadata file for each collection. Its import creates
//! the collection, then imports the documents, then creates the indexes. An exported folder also has
//! a manifest, which an import checks before it writes anything.
//!
//! Export: bounded reads into a temporary file in the target's folder, then one rename, so the file
//! appears whole or not at all.

mod atomic_file;
mod batch;
mod bson_records;
#[cfg(test)]
mod bson_tests;
mod checkpoint;
mod checkpoint_bson;
mod compression;
mod convert;
mod csv;
mod csv_header;
mod csv_value;
#[cfg(test)]
mod damaged_tests;
mod detect;
mod disk_space;
mod dump_export;
mod dump_import;
mod dump_read;
mod dump_source;
mod dump_target;
#[cfg(test)]
mod dump_tests;
mod error;
mod export;
mod export_csv;
mod export_query;
#[cfg(test)]
mod export_tests;
mod file_name;
mod identity;
mod import;
mod import_into;
mod import_lock;
mod input;
mod inserted;
mod item;
mod json;
#[cfg(test)]
mod leniency_tests;
mod limits;
mod manifest;
#[cfg(test)]
mod manifest_tests;
mod prepare;
mod preview;
mod progress;
mod records;
mod rejects;
mod report;
mod request;
#[cfg(test)]
mod resume_tests;
mod roll_back;
mod sample;
mod store_batch;
#[cfg(test)]
mod tests;
mod text_position;
mod types;
#[cfg(test)]
mod types_tests;
mod unfinished;

pub use compression::Compression;
pub use convert::FieldCounts;
pub use detect::{DetectedFormat, ImportFormat, RecordFormat};
pub use disk_space::DiskSpace;
pub use dump_export::{DumpExport, DumpReport, export_dump, export_dump_of};
pub use dump_import::{DumpChoice, DumpImport, DumpOutcome, import_dump, import_dump_into};
pub use dump_read::{
    Dump, DumpCollection, DumpIndex, ListedData, holds_dump, looks_like_dump, read_dump,
    rehearse_dump,
};
pub use dump_source::{DumpSource, DumpedCollection, WriteBatch, write_bson};
pub use dump_target::{CreateError, DumpTarget};
pub use error::TransferError;
pub use export::{
    DamagedDocuments, ExportFormat, ExportReport, ExportRequest, Lookalikes, export, indexes_path,
};
pub use export_csv::{append_csv_line, csv_cell, without_formula};
pub use export_query::ExportQuery;
pub use file_name::file_name;
pub use import::{import, resume_import};
pub use import_into::{ImportTarget, StoredAs, import_into, resume_into};
pub use limits::{
    IMPORT_REJECTS_MAX, IMPORT_TEXT_BYTES_MAX, PREVIEW_DOCS_MAX, REJECTS_SHARE,
    REJECTS_SHARE_DOCS_MIN, SAMPLE_DOCS_MAX,
};
pub use preview::{
    FieldTypes, Preview, Rehearsal, RehearsalRule, RehearsedIndex, preview, rehearse,
    rehearse_rules, visit_documents,
};
pub use progress::{Progress, ProgressNow};
pub use report::{ImportEnd, ImportReport, Reject};
pub use request::{ImportMode, ImportRequest, ReadOptions};
pub use roll_back::{RollBackReport, roll_back_import};
pub use sample::{DeclaredType, PathSample};
pub use text_position::TextPosition;
pub use types::{FieldType, TargetType, Types, Unconverted};
pub use unfinished::{UnfinishedImport, leave_import, unfinished_imports};

pub use crate::value::{
    extjson::{Leniency, Nonstandard, Tally},
    zone::Zone,
};
