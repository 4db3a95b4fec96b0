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
//! appears whole or not at all. Documents of a scan and those of a command's cursor take the same way
//! ([`ExportDocuments`]). An export says what an import of its file will change ([`Losses`]), by the
//! rules of the import.

#![cfg_attr(not(feature = "tables"), allow(dead_code, reason = "the readers of tables use it"))]

mod compression;
mod dump;
mod error;
mod export;
mod import;
mod limits;
mod progress;
mod read;
mod report;
mod request;
mod resume;
#[cfg(test)]
mod tests;

pub use compression::Compression;
pub use dump::export::{DumpExport, DumpReport, export_dump, export_dump_of};
pub use dump::import::{
    DumpChoice, DumpImport, DumpOutcome, create_dump_indexes, import_dump, import_dump_into,
};
pub use dump::read::{
    Dump, DumpCollection, DumpIndex, ListedData, holds_dump, is_dump_archive, looks_like_dump,
    metadata_path, read_dump, read_dump_with, rehearse_dump, visit_in_file_order,
};
pub use dump::source::{DumpSource, DumpedCollection, WriteBatch, write_bson};
pub use dump::target::{CreateError, DumpTarget};
pub use error::{TransferError, URL, is_url};
pub use export::atomic_file::check_target;
pub use export::cells::CsvForm;
pub use export::collection::{
    CsvOptions, DamagedDocuments, ExportFormat, ExportReport, ExportRequest, Lookalikes, export,
    export_losses, export_warning, indexes_path,
};
pub use export::csv::{csv_cell, without_formula};
pub use export::file_name::file_name;
pub use export::losses::{Losses, LostKind, LostValues, ReadAs};
pub use export::pipeline::{
    DocumentSink, ExportDocuments, ExportFile, Warn, export_documents, export_text, losses_of,
};
pub use export::query::ExportQuery;
pub use import::collection::{import, resume_import};
pub use import::disk_space::DiskSpace;
pub use import::preview::{
    FieldTypes, Preview, Rehearsal, RehearsalRule, RehearsedIndex, preview, rehearse,
    rehearse_rules, visit_documents,
};
pub use import::target::{ImportTarget, StoredAs, import_into, resume_into};
pub use limits::{
    IMPORT_REJECTS_MAX, IMPORT_TEXT_BYTES_MAX, PREVIEW_DOCS_MAX, REJECTS_SHARE,
    REJECTS_SHARE_DOCS_MIN, SAMPLE_DOCS_MAX,
};
pub use progress::{Progress, ProgressNow};
pub use read::convert::{FailedValue, FieldCounts};
pub use read::csv_header::{ColumnNote, TableColumn};
pub use read::decode::TextEncoding;
pub use read::detect::{DetectedFormat, ImportFormat, RecordFormat};
pub use read::sample::{DeclaredType, PathSample};
pub use read::text_position::TextPosition;
pub use read::types::{FieldType, TargetType, Types, Unconverted};
pub use report::{FieldResult, ImportEnd, ImportReport, Reject};
pub use request::{CsvReading, ImportMode, ImportRequest, ReadOptions, ResumeRequest};
pub use resume::roll_back::{RollBackReport, roll_back_import};
pub use resume::unfinished::{UnfinishedImport, leave_import, unfinished_imports};

pub use crate::value::{
    extjson::{Leniency, Nonstandard, Tally},
    zone::Zone,
};
