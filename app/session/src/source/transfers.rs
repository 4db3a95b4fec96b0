//! Files in and out of a store.

use std::path::{Path, PathBuf};

use bson::oid::ObjectId;
use mayfly_engine::transfer::{
    DiskSpace, Dump, DumpCollection, DumpExport, DumpImport, DumpOutcome, DumpReport, ExportReport,
    ExportRequest, ImportReport, ImportRequest, Losses, Progress, ReadOptions, Rehearsal,
    ResumeRequest, RollBackReport, TransferError, UnfinishedImport, read_dump_with,
};

use super::Namespace;

const READ_BY_COMMAND: &str = "A server is exported by a command.";

/// A store that takes documents out of files and writes them to files. Each call takes as long as
/// the files are long; [`Progress`] reports and cancels it.
pub trait Transfers: Send + Sync {
    /// Imports files.
    ///
    /// # Errors
    /// When nothing was changed; a later failure is in the report.
    fn import(
        &self,
        request: &ImportRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError>;

    /// Lists the collections of a folder, as this store can have them.
    ///
    /// # Errors
    /// When it can't be read, differs from its manifest, or the user cancels.
    fn read_dump(&self, path: &Path, progress: &Progress) -> Result<Dump, TransferError> {
        read_dump_with(path, progress)
    }

    /// Imports collections of a folder. Failures of one are in its outcome.
    ///
    /// # Errors
    /// When nothing was changed: a file differs from its manifest, or the user canceled.
    fn import_dump(
        &self,
        request: &DumpImport,
        progress: &Progress,
    ) -> Result<Vec<DumpOutcome>, TransferError>;

    /// Exports databases to a folder.
    ///
    /// # Errors
    /// A step failed or the user canceled; the folder is then as it was.
    fn export_dump(
        &self,
        request: &DumpExport,
        progress: &Progress,
    ) -> Result<DumpReport, TransferError>;

    /// Counts the documents of a dump's collection that are past the thresholds of its TTL indexes,
    /// among the first `documents_max`.
    ///
    /// # Errors
    /// The file can't be read, or the user canceled.
    fn rehearse_dump(
        &self,
        collection: &DumpCollection,
        documents_max: u64,
        progress: &Progress,
    ) -> Result<Rehearsal, TransferError>;

    /// The imports that did not reach the end of their files.
    fn unfinished(&self) -> Result<Vec<UnfinishedImport>, TransferError>;

    /// Resumes one of them.
    ///
    /// # Errors
    /// When nothing was changed; a later failure is in the report.
    fn resume(
        &self,
        request: ResumeRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError>;

    /// Removes what one of them has stored.
    ///
    /// # Errors
    /// When the store fails; the rest can be rolled back later.
    fn roll_back(&self, id: ObjectId, progress: &Progress)
    -> Result<RollBackReport, TransferError>;

    /// Forgets one of them; its documents stay.
    fn leave(&self, id: ObjectId) -> Result<(), TransferError>;

    /// Exports a collection. A server's is read by a command, into a
    /// [`ResultFile`](crate::worker::result_file::ResultFile).
    ///
    /// # Errors
    /// A step failed or the user canceled; there is no new file then.
    fn export(
        &self,
        request: &ExportRequest,
        progress: &Progress,
    ) -> Result<ExportReport, TransferError> {
        let _ = (request, progress);
        Err(TransferError::Elsewhere { what: READ_BY_COMMAND.to_owned() })
    }

    /// Counts what an import of the exported file would change.
    ///
    /// # Errors
    /// A read failed or the user canceled.
    fn export_losses(
        &self,
        request: &ExportRequest,
        progress: &Progress,
    ) -> Result<Losses, TransferError> {
        let _ = (request, progress);
        Err(TransferError::Elsewhere { what: READ_BY_COMMAND.to_owned() })
    }

    /// The disk space for the contents of these files; `None` when unknown.
    fn disk_space(&self, files: &[PathBuf]) -> Result<Option<DiskSpace>, TransferError>;

    /// Counts the documents of a file that are past the thresholds of a collection's TTL indexes,
    /// among the first `documents_max`.
    ///
    /// # Errors
    /// The file can't be read, or the user canceled.
    fn rehearse(
        &self,
        namespace: &Namespace,
        path: &Path,
        options: &ReadOptions,
        documents_max: u64,
        progress: &Progress,
    ) -> Result<Rehearsal, TransferError>;
}
