//! Files into a server. The documents are inserted by standard commands. What an import inserted is
//! known in this process only, so it can be rolled back while the connection is open.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use bson::oid::ObjectId;
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::transfer::{
    DiskSpace, Dump, DumpCollection, DumpExport, DumpImport, DumpOutcome, DumpReport, ExportReport,
    ExportRequest, ImportEnd, ImportReport, ImportRequest, Progress, ReadOptions, Rehearsal,
    RehearsalRule, RollBackReport, TransferError, UnfinishedImport, export_dump_of,
    import_dump_into, import_into, read_dump, rehearse_dump, rehearse_rules,
};

use super::asking::Asking;
use super::{Remote, rules};
use crate::job::{Cancel, InsertedIds, Namespace};
use crate::limits::SERVER_IMPORTS_MAX;
use crate::source::Transfers;
use crate::source::batches::sentence;
use crate::source::inserts::{Inserts, roll_back};

/// Said when an import is refused before it begins.
const LOCKED: &str = "This connection is read-only; unlock it, then import again";

/// Imports that can be rolled back, with what they inserted, and whether they are complete.
#[derive(Default)]
pub(super) struct UnfinishedImports(Mutex<Vec<(UnfinishedImport, InsertedIds, bool)>>);

impl UnfinishedImports {
    fn lock(&self) -> MutexGuard<'_, Vec<(UnfinishedImport, InsertedIds, bool)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps an import. The oldest one is forgotten when there are too many.
    fn keep(&self, import: UnfinishedImport, ids: InsertedIds, is_complete: bool) {
        let mut all = self.lock();
        if all.len() >= SERVER_IMPORTS_MAX {
            all.remove(0);
        }
        all.push((import, ids, is_complete));
    }
}

pub(super) fn elsewhere(what: impl Into<String>) -> TransferError {
    TransferError::Elsewhere { what: what.into() }
}

impl Transfers for Remote {
    fn import(
        &self,
        request: &ImportRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError> {
        if self.lock.is_locked() {
            return Err(elsewhere(LOCKED));
        }
        let started_ms = SystemClock.now_ms();
        let is_stopped = || progress.is_cancelled();
        let mut target =
            Inserts::new(self, request.namespace.clone(), request.mode).until(&is_stopped);
        let mut report = import_into(request, &mut target, progress)?;
        if is_stopped() && matches!(report.end, ImportEnd::Failed(_)) {
            report.end = ImportEnd::Cancelled;
        }
        if let (ImportEnd::Failed(reason), 1..) = (&mut report.end, target.unknown) {
            let unknown = target.unknown;
            *reason = format!("{reason}. It is not known whether {unknown} more were stored");
        }
        let is_complete = report.end == ImportEnd::Complete;
        if (!is_complete || request.keeps_inserted) && target.ids.can_roll_back() {
            let id = ObjectId::new();
            let kept = if is_complete { &mut report.complete } else { &mut report.unfinished };
            *kept = Some(id);
            let import = UnfinishedImport {
                id,
                request: request.clone(),
                started_ms,
                imported: report.imported,
                replaced: target.replaced,
                skipped: report.skipped,
                rejected: report.rejected,
                reasons: Vec::new(),
                stopped_at: (0, 0),
                rolling_back: false,
            };
            self.imports.keep(import, target.ids, is_complete);
        }
        Ok(report)
    }

    fn read_dump(&self, path: &Path) -> Result<Dump, TransferError> {
        read_dump(path).map(Dump::for_server)
    }

    fn import_dump(
        &self,
        request: &DumpImport,
        progress: &Progress,
    ) -> Result<Vec<DumpOutcome>, TransferError> {
        if self.lock.is_locked() {
            return Err(elsewhere(LOCKED));
        }
        import_dump_into(self, request, progress)
    }

    fn export_dump(
        &self,
        request: &DumpExport,
        progress: &Progress,
    ) -> Result<DumpReport, TransferError> {
        export_dump_of(self, request, progress)
    }

    fn rehearse_dump(
        &self,
        collection: &DumpCollection,
        documents_max: u64,
        progress: &Progress,
    ) -> Result<Rehearsal, TransferError> {
        let now_ms = crate::source::Source::now_ms(self);
        rehearse_dump(collection, now_ms, documents_max, progress)
    }

    fn unfinished(&self) -> Result<Vec<UnfinishedImport>, TransferError> {
        let all = self.imports.lock();
        let unfinished = all.iter().filter(|(.., is_complete)| !is_complete);
        Ok(unfinished.map(|(import, ..)| import.clone()).collect())
    }

    fn resume(&self, _: ObjectId, _: &Progress) -> Result<ImportReport, TransferError> {
        let what = "An import into a server can't be resumed; import again with the mode Skip";
        Err(elsewhere(what))
    }

    fn roll_back(
        &self,
        id: ObjectId,
        progress: &Progress,
    ) -> Result<RollBackReport, TransferError> {
        let all = self.imports.lock();
        let known = all.iter().find(|(import, ..)| import.id == id).cloned();
        drop(all);
        let Some((import, ids, _)) = known else {
            return Err(elsewhere("This import no longer exists"));
        };
        let namespace = &import.request.namespace;
        let mut report = roll_back(self, namespace, &ids, progress).map_err(elsewhere)?;
        report.replaced = import.replaced;
        if !report.cancelled {
            self.imports.lock().retain(|(import, ..)| import.id != id);
        }
        Ok(report)
    }

    fn leave(&self, id: ObjectId) -> Result<(), TransferError> {
        self.imports.lock().retain(|(import, ..)| import.id != id);
        Ok(())
    }

    fn export(&self, _: &ExportRequest, _: &Progress) -> Result<ExportReport, TransferError> {
        Err(elsewhere("A server is exported by a query"))
    }

    /// The disk of a server is not known here.
    fn disk_space(&self, _: &[PathBuf]) -> Result<Option<DiskSpace>, TransferError> {
        Ok(None)
    }

    fn rehearse(
        &self,
        namespace: &Namespace,
        path: &Path,
        options: &ReadOptions,
        documents_max: u64,
        progress: &Progress,
    ) -> Result<Rehearsal, TransferError> {
        let cancel = Cancel::default();
        let asking = Asking::new(self, &namespace.db, &namespace.collection, &cancel);
        let known = rules::of(&asking).map_err(|reply| elsewhere(sentence(&reply)))?;
        let known: Vec<RehearsalRule> = known
            .iter()
            .map(|index| RehearsalRule {
                index: index.name.clone(),
                rule: index.rule().clone(),
                partial: index.parsed_partial().cloned(),
            })
            .collect();
        let now_ms = crate::source::Source::now_ms(self);
        rehearse_rules(&known, now_ms, path, options, documents_max, progress)
    }
}
