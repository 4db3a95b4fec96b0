//! Imports of files: drafted, begun.

use std::path::PathBuf;

use mayfly_engine::transfer::{ImportReport, ImportRequest, Progress};

use super::imported::imported;
use super::job::{FileWork, begin, send};
use super::open_draft::can_transfer;
use super::open_draft::import_draft;
use super::preview::look;
use super::run::failed;
use crate::apply::question::Question;
use crate::apply::{Apply, lock};
use crate::commands;
use crate::limits::IMPORT_FILES_MAX;
use crate::source::Source;
use crate::state::Namespace;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::operations::OperationId;
use crate::state::toasts::Kind;
use crate::state::transfer::import::{WHOLE_PATH, typed_path};
use crate::state::transfer::{Dialog, ImportDraft, Kind as RunKind};
use crate::worker::Reply;
use crate::worker::transfer::{Failure, import_each, transfers};

pub(super) fn open_named(files: Vec<PathBuf>, cx: &mut Apply<'_>) {
    let into = cx.state.tabs.active().map(|tab| tab.namespace.clone());
    open(files, into.as_ref(), cx);
    if let Some(draft) = import_draft(cx.state) {
        draft.shows_documents = true;
    }
}

pub(super) fn open(files: Vec<PathBuf>, into: Option<&Namespace>, cx: &mut Apply<'_>) {
    if !can_transfer(cx.state) {
        return;
    }
    if let Some(draft) = import_draft(cx.state) {
        draft.add(files, IMPORT_FILES_MAX);
        look(cx);
        return;
    }
    let busy = !matches!(
        cx.state.dialogs.open(),
        None | Some(AnyDialog::Transfer(
            Dialog::Running(_)
                | Dialog::Imported(_)
                | Dialog::Dump(_)
                | Dialog::DumpImported(_)
                | Dialog::Unfinished { .. }
        ))
    );
    if busy {
        let text = "Close the open dialog, then drop the files again";
        cx.toast(Kind::Info, text);
        return;
    }
    let draft = ImportDraft::of_files(files, into, &cx.state.tree);
    cx.state.transfer.chooser_note = None;
    cx.state.dialogs.replace(AnyDialog::Transfer(Dialog::Import(Box::new(draft))));
    look(cx);
}

pub(super) fn open_into(namespace: Namespace, cx: &mut Apply<'_>) {
    open(Vec::new(), Some(&namespace), cx);
    if let Some(draft) = import_draft(cx.state).filter(|draft| draft.files.is_empty()) {
        draft.go_into(namespace);
    }
}

pub(super) fn add_typed(cx: &mut Apply<'_>) {
    let Some(draft) = import_draft(cx.state) else { return };
    let Some(path) = typed_path(&draft.typed) else { return };
    if path.is_relative() {
        draft.error = Some(WHOLE_PATH.to_owned());
        return;
    }
    draft.typed.clear();
    draft.add(vec![path], IMPORT_FILES_MAX);
    look(cx);
}

/// Imports as drafted in the open dialog.
pub(super) fn start(cx: &mut Apply<'_>) {
    let Some(draft) = import_draft(cx.state) else { return };
    if let Err(error) = draft.requests() {
        draft.error = Some(error);
        return;
    }
    let draft = draft.clone();
    if lock::refuses(cx.state) {
        return;
    }
    let paused = draft.pause_reaper && draft.overdue() > 0;
    let kind = RunKind::Import { into: draft.all_targets(), paused };
    let title = draft.title();
    let operation = begin(title, 0, Dialog::Import(Box::new(draft)), kind, cx);
    if let Some(running) = cx.state.transfer.rehearsal.take() {
        running.cancel();
    }
    if paused {
        // The import starts once the reaper is known to be paused.
        cx.change(PauseReaper(operation), "admin", commands::reaper::set_enabled(false));
    } else {
        send_requests(operation, cx);
    }
}

fn send_requests(operation: OperationId, cx: &mut Apply<'_>) {
    let Some(running) = cx.state.transfer.get(operation) else { return };
    let Dialog::Import(draft) = &running.draft else { return };
    let Ok(requests) = draft.requests() else { return };
    send(operation, ImportFiles(requests), cx);
}

/// The reaper is paused before an import begins.
#[derive(Debug, PartialEq)]
pub(super) struct PauseReaper(pub OperationId);

impl Question for PauseReaper {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(error) = reply.error() {
            let text =
                format!("Nothing was imported because the TTL monitor couldn't be paused: {error}");
            return failed(self.0, Failure::Failed(text), cx.state);
        }
        cx.state.reaper.enabled = false;
        send_requests(self.0, cx);
    }
}

/// Imports into one collection after the other. Those after a cancellation are missing in the results.
#[derive(Debug)]
pub(super) struct ImportFiles(pub Vec<ImportRequest>);

impl FileWork for ImportFiles {
    type Done = Vec<Result<ImportReport, Failure>>;

    fn run(&self, source: &dyn Source, progress: &Progress) -> Result<Self::Done, Failure> {
        Ok(import_each(transfers(source)?, &self.0, progress))
    }

    fn ended(operation: OperationId, results: Result<Self::Done, Failure>, cx: &mut Apply<'_>) {
        imported(operation, results.unwrap_or_else(|failure| vec![Err(failure)]), cx);
    }
}
