//! The progress of imports and exports, and those that did nothing.

use std::time::Duration;

use super::open_draft::import_draft;
use crate::job::Cancel;
use crate::limits::METER_PAUSE;
use crate::state::State;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::operations::{OperationId, Progress as OperationProgress, Stage};
use crate::state::toasts::Kind;
use crate::state::transfer::export::already_exist;
use crate::state::transfer::{Dialog, Kind as RunKind, meter};
use crate::worker::transfer::Failure;

/// Shows the progress of everything and passes on cancellation. Returns the time until the next
/// update.
pub fn follow(state: &mut State) -> Option<Duration> {
    stop_unwanted_look(state);
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

/// Stops the look whose dialog was closed: nothing waits for it, but it keeps a reader.
fn stop_unwanted_look(state: &mut State) {
    if state.transfer.look.is_some() && import_draft(state).is_none() {
        state.transfer.look.take().iter().for_each(|running| running.cancel());
    }
}

/// Stops everything, because the store closes.
pub fn cancel_all(state: &mut State) {
    for running in &state.transfer.running {
        running.progress.cancel();
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

pub(super) fn is_shown(operation: OperationId, state: &State) -> bool {
    let shown = AnyDialog::Transfer(Dialog::Running(operation));
    state.dialogs.open() == Some(&shown)
}

/// Shows how an import ended.
pub fn show_result(operation: OperationId, state: &mut State) {
    let found = state.transfer.results.iter().find(|result| result.operation == operation);
    if let Some(result) = found.cloned() {
        state.dialogs.show(AnyDialog::Transfer(Dialog::Imported(Box::new(result))));
    }
}
