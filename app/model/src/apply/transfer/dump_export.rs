//! An export of a database: drafted, written.

use std::path::PathBuf;

use mayfly_engine::transfer::{DumpExport, DumpReport, Progress};

use super::export::DownloadFolder;
use super::job::{self, FileWork};
use super::open_draft::can_transfer;
use super::run::{failed, is_shown};
use crate::apply::Apply;
use crate::source::Source;
use crate::state::State;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::offer::Offer;
use crate::state::operations::{OperationId, Stage};
use crate::state::toasts::Kind;
use crate::state::transfer::dump_export::exported as words;
use crate::state::transfer::{Dialog, DumpExportDraft, Kind as RunKind};
use crate::worker::transfer::{Failure, transfers};

/// The dialog that is open.
pub(super) fn draft(state: &mut State) -> Option<&mut DumpExportDraft> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Transfer(Dialog::ExportDatabase(draft))) => Some(draft),
        _ => None,
    }
}

/// Opens the dialog.
pub(super) fn open(db: String, cx: &mut Apply<'_>) {
    if !can_transfer(cx.state) {
        return;
    }
    let draft = DumpExportDraft::new(db, cx.state.transfer.folder.as_deref());
    cx.state.transfer.chooser_note = None;
    cx.state.dialogs.show(AnyDialog::Transfer(Dialog::ExportDatabase(Box::new(draft))));
    if cx.state.transfer.folder.is_none() {
        cx.run(DownloadFolder);
    }
}

/// Exports as drafted in the open dialog.
pub(super) fn start(cx: &mut Apply<'_>) {
    let Some(draft) = draft(cx.state) else { return };
    let request = match draft.request() {
        Ok(request) => request,
        Err(error) => {
            draft.error = Some(error);
            return;
        }
    };
    let draft = draft.clone();
    cx.state.transfer.folder = request.folder.parent().map(PathBuf::from);
    let found = cx.state.tree.database(&draft.db);
    let documents = found.into_iter().flat_map(|found| &found.collections);
    let total = documents.map(|found| found.documents.unwrap_or(0)).sum();
    let title = format!("Export {} to {}", draft.db, request.folder.display());
    let dialog = Dialog::ExportDatabase(Box::new(draft));
    job::start(title, total, dialog, RunKind::ExportDatabase, request, cx);
}

impl FileWork for DumpExport {
    type Done = DumpReport;

    fn run(&self, source: &dyn Source, progress: &Progress) -> Result<DumpReport, Failure> {
        Ok(transfers(source)?.export_dump(self, progress)?)
    }

    fn ended(operation: OperationId, result: Result<DumpReport, Failure>, cx: &mut Apply<'_>) {
        exported(operation, result, cx.state);
    }
}

/// An export ended.
fn exported(operation: OperationId, result: Result<DumpReport, Failure>, state: &mut State) {
    let report = match result {
        Ok(report) => report,
        Err(failure) => return failed(operation, failure, state),
    };
    let Some(running) = state.transfer.take(operation) else { return };
    let Dialog::ExportDatabase(draft) = &running.draft else { return };
    let folder = draft.folder().unwrap_or_default();
    let (text, path) = (words(&report, &folder), folder.display().to_string());
    state.operations.end(operation, Stage::Done(text.clone()));
    if let Some(ended) = state.operations.get_mut(operation) {
        ended.file = Some(path.clone());
    }
    if is_shown(operation, state) {
        state.dialogs.close();
    }
    let copy = ("Copy path".to_owned(), Offer::Copy(path));
    state.toasts.push(Kind::Done, text, Some(copy), state.uptime);
    for note in report.notes {
        state.toast(Kind::Warning, note);
    }
}
