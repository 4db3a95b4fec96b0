//! Folders of mongodump and exported databases, as work for the threads.
//!
//! A folder of mongodump, or a `.bson` file next to its metadata, is found by the preview (`worker/dump.rs`);
//! the dialog of its collections takes the place of the import's. The engine's `import_dump` creates each
//! collection, imports its documents as any import does, then creates the chosen indexes. `export_dump`
//! writes such a folder (`mayfly export` without `--collection`), then its `manifest.json`. An import of a
//! folder with a manifest first checks that each file is as listed. Both run over any `DumpSource` or
//! `DumpTarget`: the engine's collections, or a server (`source/remote/dumps.rs`).

use mayfly_engine::transfer::{Rehearsal, TransferError, looks_like_dump};

use super::transfer::{Failure, TransferDone, TransferWork};
use crate::limits::REHEARSED_DOCS_MAX;
use crate::source::{Source, Transfers};

impl TransferWork {
    /// Does it if it is about a dump; a file that is looked into may be one.
    pub(super) fn run_dump(&self, source: Option<&dyn Source>) -> Option<TransferDone> {
        let transfers = source.and_then(Source::transfers);
        match (self, transfers) {
            (Self::Preview { path, all, .. }, Some(transfers))
                if all.len() == 1 && looks_like_dump(path) =>
            {
                let dump = transfers.read_dump(path).map_err(|error| error.to_string());
                Some(TransferDone::Dump { path: path.clone(), dump })
            }
            (Self::ImportDump { progress, .. }, Some(_)) if progress.is_cancelled() => {
                Some(TransferDone::DumpImport(Err(Failure::Cancelled)))
            }
            (Self::ImportDump { request, progress }, Some(transfers)) => {
                let done = transfers.import_dump(request, progress);
                Some(TransferDone::DumpImport(done.map_err(Failure::from)))
            }
            (Self::ExportDatabase { progress, .. }, Some(_)) if progress.is_cancelled() => {
                Some(TransferDone::DatabaseExport(Err(Failure::Cancelled)))
            }
            (Self::ExportDatabase { request, progress }, Some(transfers)) => {
                let done = transfers.export_dump(request, progress);
                Some(TransferDone::DatabaseExport(done.map_err(Failure::from)))
            }
            (Self::RehearseDump { .. }, Some(transfers)) => {
                Some(TransferDone::DumpRehearsal(Ok(self.rehearse_dump(transfers))))
            }
            _ => None,
        }
    }

    /// Returns nothing if it was canceled.
    fn rehearse_dump(&self, transfers: &dyn Transfers) -> Option<Vec<Rehearsal>> {
        let Self::RehearseDump { collections, progress } = self else { return None };
        let mut found = Vec::with_capacity(collections.len());
        for collection in collections {
            match transfers.rehearse_dump(collection, REHEARSED_DOCS_MAX, progress) {
                Ok(one) => found.push(one),
                Err(TransferError::Cancelled) => return None,
                // The import says what is wrong with a file.
                Err(_) => found.push(Rehearsal::default()),
            }
        }
        Some(found)
    }
}
