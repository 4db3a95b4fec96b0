//! Files into a server. The documents are inserted by standard commands. How far an import is, and what
//! it inserted, is in files on this machine until it is complete.

use std::path::{Path, PathBuf};

use bson::oid::ObjectId;
use bson::{Document, RawDocument};
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::transfer::{
    DiskSpace, Dump, DumpCollection, DumpExport, DumpImport, DumpOutcome, DumpReport, ImportEnd,
    ImportReport, ImportRequest, ImportTarget, Progress, ReadOptions, Rehearsal, RehearsalRule,
    ResumeRequest, RollBackReport, StoredAs, TransferError, UnfinishedImport, export_dump_of,
    import_dump_into, import_into, read_dump_with, rehearse_dump, rehearse_rules, resume_into,
};

use super::asking::Asking;
use super::import_file::{self, KeptImport};
use super::{Remote, rules};
use crate::job::reply::sentence;
use crate::job::{Cancel, InsertedIds, Namespace};
use crate::source::Transfers;
use crate::source::inserts::{Inserts, roll_back};

/// Said when an import is refused before it begins.
const LOCKED: &str = "This connection is read-only; unlock it, then import again";

/// Said of an import that another thread works on, too.
const GONE: &str = "This import no longer exists, or is in progress";

pub(super) fn elsewhere(what: impl Into<String>) -> TransferError {
    TransferError::Elsewhere { what: what.into() }
}

/// An import that was canceled in a pause.
fn end_as_canceled(report: &mut ImportReport, progress: &Progress) {
    if progress.is_cancelled() && matches!(report.end, ImportEnd::Failed(_)) {
        // The user ended a pause, and the import failed because of that.
        report.end = ImportEnd::Cancelled;
    }
}

/// Inserts documents and remembers how far.
struct Remembering<'s> {
    inserts: Inserts<'s>,
    /// The folder for its state, if there is a home folder.
    folder: Option<PathBuf>,
    /// Its state, once the first document is read.
    file: Option<KeptImport>,
    is_resumed: bool,
}

impl ImportTarget for Remembering<'_> {
    fn clear(&mut self) -> Result<(), String> {
        self.inserts.clear()?;
        // Their documents are gone.
        let Some(folder) = &self.folder else { return Ok(()) };
        let all = import_file::unfinished(folder).into_iter();
        for known in all.filter(|known| known.request.namespace == self.inserts.namespace) {
            if let Ok(Some((file, _))) = KeptImport::open(folder, known.id) {
                file.remove();
            }
        }
        Ok(())
    }

    fn store(
        &mut self,
        documents: &[&RawDocument],
        done: &mut Vec<StoredAs>,
    ) -> Result<(), String> {
        self.inserts.store(documents, done)
    }

    fn repeats(&mut self) {
        self.inserts.set_repeats(true);
    }

    fn remember(&mut self, import: ObjectId, state: &Document) -> Result<(), String> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let file = match &mut self.file {
            Some(file) => file,
            none => none.insert(KeptImport::begin(folder, import)?),
        };
        file.state.clone_from(state);
        file.save(&self.inserts.ids)?;
        self.inserts.set_repeats(false);
        Ok(())
    }
}

impl Remote {
    /// The folder for the state of its imports.
    fn imports_folder(&self) -> Option<PathBuf> {
        Some(self.journals.as_ref()?.join("imports"))
    }

    fn import_file(
        &self,
        id: ObjectId,
    ) -> Result<Option<(KeptImport, InsertedIds)>, TransferError> {
        let Some(folder) = self.imports_folder() else { return Ok(None) };
        KeptImport::open(&folder, id).map_err(elsewhere)
    }

    /// Forgets an import that is complete or stored nothing, and completes the report.
    fn finish(
        &self,
        request: &ImportRequest,
        target: Remembering<'_>,
        started_ms: i64,
        mut report: ImportReport,
    ) -> ImportReport {
        let Remembering { inserts, file, is_resumed, .. } = target;
        if let (ImportEnd::Failed(reason), 1..) = (&mut report.end, inserts.unknown) {
            let unknown = inserts.unknown;
            *reason = format!("{reason}. It is not known whether {unknown} more were stored");
        }
        let is_complete = report.end == ImportEnd::Complete;
        // A resumed one may have stored documents that it does not know of.
        let has_some = report.imported > 0 || inserts.unknown > 0 || is_resumed;
        let is_remembered = file.is_some();
        match file {
            Some(file) if !is_complete && has_some => report.unfinished = Some(file.id()),
            Some(file) => file.remove(),
            None => {}
        }
        let is_kept = if is_complete { request.keeps_inserted } else { !is_remembered };
        if is_kept && inserts.ids.can_roll_back() {
            let id = ObjectId::new();
            let kept = if is_complete { &mut report.complete } else { &mut report.unfinished };
            *kept = Some(id);
            let import = UnfinishedImport {
                id,
                request: request.clone(),
                started_ms,
                imported: report.imported,
                replaced: inserts.replaced,
                skipped: report.skipped,
                rejected: report.rejected,
                reasons: Vec::new(),
                stopped_at: (0, 0),
                rolling_back: false,
            };
            self.imports.keep(import, inserts.ids, is_complete);
        }
        report
    }
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
        let is_stopped = || progress.is_cancelled();
        let target = Inserts::new(self, request.namespace.clone(), request.mode);
        let target = target.until(&is_stopped);
        let mut target = Remembering {
            inserts: target,
            folder: self.imports_folder(),
            file: None,
            is_resumed: false,
        };
        let now_ms = SystemClock.now_ms();
        let mut report = import_into(request, &mut target, now_ms, progress)?;
        end_as_canceled(&mut report, progress);
        Ok(self.finish(request, target, now_ms, report))
    }

    fn read_dump(&self, path: &Path, progress: &Progress) -> Result<Dump, TransferError> {
        read_dump_with(path, progress).map(Dump::for_server)
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
        rehearse_dump(collection, &ReadOptions::default(), now_ms, documents_max, progress)
    }

    fn unfinished(&self) -> Result<Vec<UnfinishedImport>, TransferError> {
        let mut found = self.imports_folder().map(|at| import_file::unfinished(&at));
        let all = self.imports.lock();
        let unfinished = all.iter().filter(|(.., is_complete)| !is_complete);
        let found = found.get_or_insert_default();
        found.extend(unfinished.map(|(import, ..)| import.clone()));
        Ok(std::mem::take(found))
    }

    fn resume(
        &self,
        resumed: ResumeRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError> {
        if self.lock.is_locked() {
            return Err(elsewhere(LOCKED));
        }
        let Some((file, ids)) = self.import_file(resumed.id)? else { return Err(elsewhere(GONE)) };
        let damaged = || elsewhere("Another version of Mayfly began this import; discard it");
        let known = file.unfinished().ok_or_else(damaged)?;
        if file.is_rolling_back {
            return Err(elsewhere("Can't resume: the import is being rolled back"));
        }
        let request = &known.request;
        let is_stopped = || progress.is_cancelled();
        let inserts = Inserts::new(self, request.namespace.clone(), request.mode);
        let mut inserts = inserts.until(&is_stopped);
        (inserts.ids, inserts.replaced) = (ids, known.replaced);
        let state = file.state.clone();
        let folder = self.imports_folder();
        let mut target = Remembering { inserts, folder, file: Some(file), is_resumed: true };
        let mut report = resume_into((resumed, &state), &mut target, progress)?;
        end_as_canceled(&mut report, progress);
        Ok(self.finish(request, target, known.started_ms, report))
    }

    fn roll_back(
        &self,
        id: ObjectId,
        progress: &Progress,
    ) -> Result<RollBackReport, TransferError> {
        let all = self.imports.lock();
        let known = all.iter().find(|(import, ..)| import.id == id).cloned();
        drop(all);
        let (known, mut file) = match (known, self.import_file(id)?) {
            (Some((import, ids, _)), _) => ((import, ids), None),
            (None, Some((file, ids))) => {
                let import = file.unfinished().ok_or_else(|| elsewhere(GONE))?;
                ((import, ids), Some(file))
            }
            (None, None) => return Err(elsewhere(GONE)),
        };
        let (import, ids) = known;
        if ids.is_cut() {
            let what = "This import inserted too many documents to remember them, so it can't be \
                        rolled back; resume or discard it";
            return Err(elsewhere(what));
        }
        if let Some(file) = &mut file {
            file.is_rolling_back = true;
            file.save(&ids).map_err(elsewhere)?;
        }
        let namespace = &import.request.namespace;
        let mut report = roll_back(self, namespace, &ids, progress).map_err(elsewhere)?;
        report.replaced = import.replaced;
        if !report.cancelled {
            self.imports.lock().retain(|(import, ..)| import.id != id);
            if let Some(file) = file {
                file.remove();
            }
        }
        Ok(report)
    }

    fn leave(&self, id: ObjectId) -> Result<(), TransferError> {
        self.imports.lock().retain(|(import, ..)| import.id != id);
        if let Some((file, _)) = self.import_file(id)? {
            file.remove();
        }
        Ok(())
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
