//! Imports and exports: their start, their progress and their end.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mayfly_engine::transfer::{ExportReport, ImportReport, Progress};
use mayfly_engine::value::whole;

use super::open_draft::{export_draft, import_draft};
use crate::action::{Action, ReaperAction, TransferAction};
use crate::apply::{Apply, QUEUE_FULL, lock};
use crate::commands;
use crate::job::Cancel;
use crate::limits::METER_PAUSE;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::offer::Offer;
use crate::state::operations::{OperationId, Progress as OperationProgress, Stage};
use crate::state::toasts::Kind;
use crate::state::transfer::export::{Content, already_exist};
use crate::state::transfer::import::file_name;
use crate::state::transfer::{
    Again, Dialog, Kind as RunKind, Loadable, Meter, Purpose, Running, meter,
};
use crate::state::{self, State, number};
use crate::worker::result_file::ResultFile;
use crate::worker::transfer::Failure;
use crate::worker::{Lane, Reply, TransferWork};

/// Imports as drafted in the open dialog.
pub fn start_import(cx: &mut Apply<'_>) {
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
    let operation = begin(title, 0, Dialog::Import(Box::new(draft)), kind, cx.state);
    if let Some(running) = cx.state.transfer.rehearsal.take() {
        running.cancel();
    }
    if paused {
        // The import starts once the reaper is known to be paused.
        let purpose = state::Purpose::Transfer(Purpose::PauseReaper(operation));
        let command = commands::reaper::set_enabled(false);
        cx.write(purpose, "admin", command);
    } else {
        send_import(operation, cx);
    }
}

/// Exports as drafted in the open dialog.
pub fn start_export(overwrite: bool, cx: &mut Apply<'_>) {
    let Some(draft) = export_draft(cx.state) else { return };
    draft.exists.clear();
    if draft.content != Content::Documents {
        start_other(overwrite, cx);
        return;
    }
    let request = match draft.request() {
        Ok(request) => request,
        Err(error) => {
            draft.error = Some(error);
            return;
        }
    };
    let draft = draft.clone();
    let path = request.path.clone();
    cx.state.transfer.folder = path.parent().map(PathBuf::from);
    let all = cx.state.tree.collection(&draft.namespace).and_then(|found| found.documents);
    let total = match &draft.count {
        Loadable::Here(count) if draft.as_shown => *count,
        _ if draft.as_shown && draft.has_choice() => 0,
        _ => all.unwrap_or(0),
    };
    let title = format!("Export {} to {}", draft.namespace, file_name(&path));
    let kind = RunKind::Export { path };
    let operation = begin(title, total, Dialog::Export(Box::new(draft)), kind, cx.state);
    let Some(running) = cx.state.transfer.get(operation) else { return };
    let progress = Arc::clone(&running.progress);
    let request = Box::new(request);
    let export = TransferWork::Export { request, overwrite, progress };
    cx.transfer(Purpose::Export(operation), Lane::Transfer, export);
}

/// Exports the results of a command, or a JSON Schema, as drafted in the open dialog.
fn start_other(overwrite: bool, cx: &mut Apply<'_>) {
    let Some(draft) = export_draft(cx.state) else { return };
    let (path, format) = match draft.target() {
        Ok(target) => target,
        Err(error) => {
            draft.error = Some(error);
            return;
        }
    };
    let draft = draft.clone();
    cx.state.transfer.folder = path.parent().map(PathBuf::from);
    let namespace = draft.namespace.clone();
    let content = draft.content.clone();
    let what = if matches!(content, Content::JsonSchema(_)) { "JSON Schema" } else { "results" };
    let title = format!("Export {what} of {namespace} to {}", file_name(&path));
    let kind = RunKind::Export { path: path.clone() };
    let operation = begin(title, 0, Dialog::Export(Box::new(draft)), kind, cx.state);
    let Some(running) = cx.state.transfer.get(operation) else { return };
    let progress = Arc::clone(&running.progress);
    let export = match content {
        Content::JsonSchema(text) => TransferWork::ExportText { path, text, overwrite },
        Content::Results(command) | Content::Removals(command) => {
            let file = Box::new(ResultFile { db: namespace.db, command, path, format });
            TransferWork::ExportResults { file, overwrite, progress }
        }
        Content::Documents => return,
    };
    cx.transfer(Purpose::Export(operation), Lane::Transfer, export);
}

pub(super) fn begin(
    title: String,
    total: u64,
    draft: Dialog,
    kind: RunKind,
    state: &mut State,
) -> OperationId {
    let (now_ms, uptime) = (state.now_ms(), state.uptime);
    let operation = state.operations.begin(title, now_ms, uptime, Some(Cancel::default()));
    let again = Again::of(&draft).map(|again| (operation, again));
    state.transfer.again.extend(again);
    state.transfer.running.push(Running {
        operation,
        progress: Arc::new(Progress::new()),
        meter: Meter::default(),
        documents_total: total,
        draft,
        asked: uptime,
        began: None,
        kind,
    });
    state.dialogs.replace(AnyDialog::Transfer(Dialog::Running(operation)));
    operation
}

fn send_import(operation: OperationId, cx: &mut Apply<'_>) {
    let Some(running) = cx.state.transfer.get(operation) else { return };
    let Dialog::Import(draft) = &running.draft else { return };
    let Ok(mut requests) = draft.requests() else { return };
    let progress = Arc::clone(&running.progress);
    let import = match requests.pop() {
        Some(request) if requests.is_empty() => TransferWork::Import { request, progress },
        last => {
            requests.extend(last);
            TransferWork::ImportMany { requests, progress }
        }
    };
    cx.transfer(Purpose::Import(operation), Lane::Transfer, import);
}

/// Handles the reply to a command that a transfer sent.
pub fn answer(purpose: &Purpose, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    if let (Purpose::CountExport, Some(draft)) = (purpose, export_draft(cx.state))
        && draft.count == Loadable::Waiting(generation)
    {
        draft.count = match &reply.result {
            Ok(found) => found
                .get("n")
                .and_then(whole)
                .and_then(|n| u64::try_from(n).ok())
                .map_or(Loadable::Nothing, Loadable::Here),
            Err(error) => Loadable::Failed(error.clone()),
        };
        return;
    }
    if let Purpose::CreateIndex(operation, name) = purpose {
        return index_created(*operation, name, reply, cx.state);
    }
    let Purpose::PauseReaper(operation) = purpose else { return };
    match &reply.result {
        Ok(_) => {
            cx.state.reaper.enabled = false;
            send_import(*operation, cx);
        }
        Err(error) => {
            let text =
                format!("Nothing was imported because the TTL monitor couldn't be paused: {error}");
            failed(*operation, Failure::Failed(text), cx.state);
        }
    }
}

/// Shows the progress of everything and passes on cancellation. Returns the time until the next
/// update.
pub fn follow(state: &mut State) -> Option<Duration> {
    if state.transfer.running.is_empty() {
        return None;
    }
    let uptime = state.uptime;
    let waiting = state.transfer.waiting();
    for (running, waits) in state.transfer.running.iter_mut().zip(waiting) {
        let Some(operation) = state.operations.get_mut(running.operation) else { continue };
        if operation.cancel.as_ref().is_some_and(Cancel::is_cancelled) {
            running.progress.cancel();
        }
        if waits {
            "Queued".clone_into(&mut operation.progress.text);
            continue;
        }
        running.began.get_or_insert(uptime);
        let now = running.progress.now();
        running.meter.note(uptime, now);
        let (done, total) = match running.documents_total {
            0 => (now.bytes, now.bytes_total),
            total => (now.documents.min(total), total),
        };
        let rest = match running.documents_total {
            0 => running.meter.rest(now.bytes_total, |now| now.bytes),
            total => running.meter.rest(total, |now| now.documents),
        };
        let text = meter::words(&now, &running.meter, rest);
        operation.progress = OperationProgress { done, total, text };
    }
    Some(METER_PAUSE)
}

/// Stops everything, because the store closes.
pub fn cancel_all(state: &mut State) {
    for running in &state.transfer.running {
        running.progress.cancel();
    }
}

/// The store answered about one of them. The last answer tells how all of them ended.
fn index_created(operation: OperationId, name: &str, reply: &Reply, state: &mut State) {
    let answer = reply.result.as_ref().map_err(String::as_str);
    let Some(result) = state.transfer.results.iter_mut().find(|it| it.operation == operation)
    else {
        return;
    };
    let Some(made) = &mut result.indexes else { return };
    made.note(name, answer);
    let (made, result) = (made.clone(), result.clone());
    let is_shown = match state.dialogs.open_mut() {
        Some(AnyDialog::Transfer(Dialog::Imported(shown))) if shown.operation == operation => {
            **shown = result;
            true
        }
        _ => false,
    };
    if made.waiting == 0 && !is_shown {
        let kind = if made.refused.is_empty() { Kind::Done } else { Kind::Warning };
        state.toast(kind, made.sentences().join(". "));
    }
}

/// An export ended.
pub fn exported(operation: OperationId, result: Result<ExportReport, Failure>, state: &mut State) {
    let report = match result {
        Ok(report) => report,
        Err(failure) => return failed(operation, failure, state),
    };
    let Some(running) = state.transfer.take(operation) else { return };
    let RunKind::Export { path } = running.kind else { return };
    let path = path.display().to_string();
    let words = match &running.draft {
        Dialog::Export(draft) if matches!(draft.content, Content::JsonSchema(_)) => {
            "the JSON Schema".to_owned()
        }
        _ => number::counted(report.exported, "document", "documents"),
    };
    let mut text = format!("Exported {words} to {path}");
    if let Some(indexes) = &report.indexes_file {
        text.push_str(", indexes to ");
        text.push_str(&file_name(indexes));
    }
    state.operations.end(operation, Stage::Done(text.clone()));
    if let Some(ended) = state.operations.get_mut(operation) {
        ended.file = Some(path.clone());
    }
    if is_shown(operation, state) {
        state.dialogs.close();
    }
    let copy = Offer::Copy(path);
    state.toasts.push(Kind::Done, text, Some(("Copy path".to_owned(), copy)), state.uptime);
    if let Some(left_out) = report.left_out {
        state.toast(Kind::Warning, format!("{left_out}."));
    }
    if let Some(lookalikes) = report.lookalikes {
        state.toast(Kind::Warning, lookalikes.to_string());
    }
}

/// Nothing was done: back to the dialog it was started from, which says why.
pub(super) fn failed(operation: OperationId, failure: Failure, state: &mut State) {
    let Some(running) = state.transfer.take(operation) else { return };
    let there = if let Failure::Exists(files) = &failure { files.clone() } else { Vec::new() };
    let (ended, sentence) = match failure {
        Failure::Cancelled => {
            let text = match running.kind {
                RunKind::Import { .. } | RunKind::ImportDump { .. } => {
                    "Canceled. Nothing was imported"
                }
                RunKind::Copy => "Canceled. Nothing was copied",
                RunKind::RollBack { .. } => "Canceled. Nothing was rolled back",
                RunKind::Export { .. } => "Canceled. No file was written",
                RunKind::ExportDatabase => "Canceled. No folder was written",
            };
            if is_shown(operation, state) {
                state.dialogs.close();
            }
            state.operations.end(operation, Stage::Cancelled(text.to_owned()));
            state.toast(Kind::Info, text);
            return;
        }
        Failure::Exists(files) => {
            let text = already_exist(&files);
            (Stage::Cancelled(text.clone()), text)
        }
        Failure::Failed(text) => (Stage::Failed(text.clone()), text),
    };
    state.operations.end(operation, ended);
    let mut draft = running.draft;
    match (&mut draft, running.kind) {
        (Dialog::Import(draft), _) => draft.error = Some(sentence.clone()),
        (Dialog::Copy(draft), _) => draft.error = Some(sentence.clone()),
        (Dialog::Dump(draft), _) => draft.error = Some(sentence.clone()),
        (Dialog::ExportDatabase(draft), _) => draft.error = Some(sentence.clone()),
        (Dialog::Unfinished { error }, _) => *error = Some(sentence.clone()),
        (Dialog::Imported(_), _) => {
            state.toast(Kind::Error, sentence.clone());
        }
        (Dialog::Export(draft), RunKind::Export { .. }) => {
            draft.error = there.is_empty().then(|| sentence.clone());
            draft.exists = there;
        }
        _ => {}
    }
    if is_shown(operation, state) {
        state.dialogs.replace(AnyDialog::Transfer(draft));
    } else {
        state.dialogs.show_kept(AnyDialog::Transfer(draft));
    }
}

/// Lets the reaper run again after an import that changed nothing.
pub(super) fn resume_reaper(operation: OperationId, cx: &mut Apply<'_>) {
    let paused = cx
        .state
        .transfer
        .get(operation)
        .is_some_and(|running| matches!(running.kind, RunKind::Import { paused: true, .. }));
    if paused {
        crate::apply::apply(Action::Reaper(ReaperAction::SetEnabled(true)), cx);
    }
}

pub(super) fn is_shown(operation: OperationId, state: &State) -> bool {
    let shown = AnyDialog::Transfer(Dialog::Running(operation));
    state.dialogs.open() == Some(&shown)
}

/// Opens the dialog of an operation that ended, filled in as it was.
pub fn again(operation: OperationId, cx: &mut Apply<'_>) {
    let Some(again) = cx.state.transfer.again.get(&operation) else { return };
    let dialog = again.dialog(cx.state.now_ms());
    cx.state.transfer.chooser_note = None;
    cx.state.dialogs.show(AnyDialog::Transfer(dialog));
    crate::apply::apply(Action::Transfer(TransferAction::Look), cx);
}

/// Shows how an import ended.
pub fn show_result(operation: OperationId, state: &mut State) {
    let found = state.transfer.results.iter().find(|result| result.operation == operation);
    if let Some(result) = found.cloned() {
        state.dialogs.show(AnyDialog::Transfer(Dialog::Imported(Box::new(result))));
    }
}

/// How much was imported, in words.
pub fn counts(report: &ImportReport) -> String {
    let mut words = number::counted(report.imported, "document imported", "documents imported");
    if report.skipped > 0 {
        words = format!("{words}, {} skipped", number::count(report.skipped));
    }
    if report.rejected > 0 {
        words = format!("{words}, {} rejected", number::count(report.rejected));
    }
    words
}

/// A job that will not be done, because too much was asked at once.
pub fn dropped(purpose: &Purpose, state: &mut State) {
    if let Purpose::Import(operation)
    | Purpose::ImportDump(operation)
    | Purpose::RollBack(operation)
    | Purpose::Export(operation) = purpose
    {
        let text = QUEUE_FULL.to_owned();
        failed(*operation, Failure::Failed(text), state);
    }
}
