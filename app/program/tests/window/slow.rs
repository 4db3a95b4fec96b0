//! A store whose maintenance jobs start canceled, and whose imports end only when they are
//! canceled.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bson::{Document, oid::ObjectId};
use mayfly::job::Backup;
use mayfly::source::maintenance::{MaintenanceError, Offline, OfflineWork};
use mayfly::source::{Capabilities, Events, Maintenance, Source, Transfers};
use mayfly_engine::catalog::Namespace;
use mayfly_engine::store::{JobProgress, JobStep, Watch};
use mayfly_engine::transfer::{
    DiskSpace, DumpCollection, DumpExport, DumpImport, DumpOutcome, DumpReport, ExportReport,
    ExportRequest, ImportEnd, ImportReport, ImportRequest, Progress, ReadOptions, Rehearsal,
    ResumeRequest, RollBackReport, TransferError, UnfinishedImport,
};

/// Passes everything to its store, and cancels maintenance at its first step. An import stores
/// every document and then waits to be canceled, as if its file had more.
pub struct Slow(pub Arc<dyn Source>);

impl Source for Slow {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.0.run(db, command)
    }

    fn subscribe(&self) -> Events {
        self.0.subscribe()
    }

    fn capabilities(&self) -> Capabilities {
        self.0.capabilities()
    }

    fn transfers(&self) -> Option<&dyn Transfers> {
        Some(self)
    }

    fn close(&self) {
        self.0.close();
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(self)
    }
}

impl Maintenance for Slow {
    fn backup(&self, file: &Path, watch: &mut Watch<'_>) -> Result<Backup, MaintenanceError> {
        wait(watch);
        self.0.maintenance().expect("it has one").backup(file, watch)
    }

    fn offline(&self, work: &OfflineWork, watch: &mut Watch<'_>) -> Offline {
        wait(watch);
        self.0.maintenance().expect("it has one").offline(work, watch)
    }
}

impl Slow {
    fn inner(&self) -> &dyn Transfers {
        self.0.transfers().expect("it has them")
    }
}

impl Transfers for Slow {
    fn import(
        &self,
        request: &ImportRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError> {
        let report = self.inner().import(request, progress)?;
        while !progress.is_cancelled() {
            std::thread::park_timeout(Duration::from_millis(2));
        }
        Ok(ImportReport { end: ImportEnd::Cancelled, ..report })
    }

    fn import_dump(
        &self,
        request: &DumpImport,
        progress: &Progress,
    ) -> Result<Vec<DumpOutcome>, TransferError> {
        self.inner().import_dump(request, progress)
    }

    fn export_dump(
        &self,
        request: &DumpExport,
        progress: &Progress,
    ) -> Result<DumpReport, TransferError> {
        while !progress.is_cancelled() {
            std::thread::park_timeout(Duration::from_millis(2));
        }
        self.inner().export_dump(request, progress)
    }

    fn rehearse_dump(
        &self,
        collection: &DumpCollection,
        documents_max: u64,
        progress: &Progress,
    ) -> Result<Rehearsal, TransferError> {
        self.inner().rehearse_dump(collection, documents_max, progress)
    }

    fn unfinished(&self) -> Result<Vec<UnfinishedImport>, TransferError> {
        self.inner().unfinished()
    }

    fn resume(
        &self,
        request: ResumeRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError> {
        self.inner().resume(request, progress)
    }

    fn roll_back(
        &self,
        id: ObjectId,
        progress: &Progress,
    ) -> Result<RollBackReport, TransferError> {
        self.inner().roll_back(id, progress)
    }

    fn leave(&self, id: ObjectId) -> Result<(), TransferError> {
        self.inner().leave(id)
    }

    fn export(
        &self,
        request: &ExportRequest,
        progress: &Progress,
    ) -> Result<ExportReport, TransferError> {
        self.inner().export(request, progress)
    }

    fn disk_space(&self, files: &[PathBuf]) -> Result<Option<DiskSpace>, TransferError> {
        self.inner().disk_space(files)
    }

    fn rehearse(
        &self,
        namespace: &Namespace,
        path: &Path,
        options: &ReadOptions,
        documents_max: u64,
        progress: &Progress,
    ) -> Result<Rehearsal, TransferError> {
        self.inner().rehearse(namespace, path, options, documents_max, progress)
    }
}

fn wait(watch: &mut Watch<'_>) {
    let at = JobProgress { step: JobStep::Copying, done: 4_000, total: 8_000 };
    while watch(at) == ControlFlow::Continue(()) {
        std::thread::park_timeout(Duration::from_millis(2));
    }
}
