//! Imports that did not reach the end of their files: found, resumed, rolled back, left. Operations
//! that were cut short are found with them.

use std::sync::Arc;

use bson::oid::ObjectId;
use mayfly_engine::transfer::{RollBackReport, UnfinishedImport};

use super::run::{begin, failed, is_shown};
use crate::apply::Apply;
use crate::apply::lock;
use crate::job::cut::CutWork;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::operations::{OperationId, Stage};
use crate::state::toasts::Kind;
use crate::state::transfer::import::file_name;
use crate::state::transfer::{Dialog, Kind as RunKind, Purpose};
use crate::state::{Namespace, State};
use crate::worker::transfer::Failure;
use crate::worker::{Lane, TransferWork};

/// Queries them. `show` opens the dialog if there are any.
pub fn ask(show: bool, cx: &mut Apply<'_>) {
    if cx.state.store.capabilities.transfer {
        let purpose = Purpose::Unfinished { show };
        cx.transfer(purpose, Lane::Read, TransferWork::Unfinished);
    }
}

/// Handles the reply with the unfinished transfers.
pub fn found(
    show: bool,
    found: Result<(Vec<UnfinishedImport>, Vec<CutWork>), String>,
    state: &mut State,
) {
    let is_open =
        matches!(state.dialogs.open(), Some(AnyDialog::Transfer(Dialog::Unfinished { .. })));
    match found {
        Ok((imports, cut)) => (state.transfer.unfinished, state.transfer.cut) = (imports, cut),
        Err(error) if is_open => {
            let dialog = Dialog::Unfinished { error: Some(error) };
            state.dialogs.replace(AnyDialog::Transfer(dialog));
            return;
        }
        Err(error) => {
            state.toast(Kind::Warning, error);
            return;
        }
    }
    let is_empty = state.transfer.unfinished.is_empty() && state.transfer.cut.is_empty();
    if is_open && is_empty {
        state.dialogs.close();
    } else if show && !is_empty && state.dialogs.open().is_none() {
        state.dialogs.show(AnyDialog::Transfer(Dialog::Unfinished { error: None }));
    }
}

/// Resumes an import.
pub fn resume(id: ObjectId, cx: &mut Apply<'_>) {
    if lock::refuses(cx.state) {
        return;
    }
    let Some((title, into)) = title("Resume import", id, cx.state) else { return };
    let kind = RunKind::Import { into: vec![into], paused: false };
    let operation = begin(title, 0, Dialog::Unfinished { error: None }, kind, cx.state);
    let Some(running) = cx.state.transfer.get(operation) else { return };
    let resume = TransferWork::Resume { id, progress: Arc::clone(&running.progress) };
    cx.transfer(Purpose::Import(operation), Lane::Transfer, resume);
}

/// Takes an import back.
pub fn roll_back(id: ObjectId, cx: &mut Apply<'_>) {
    let Some((title, from)) = title("Roll back import", id, cx.state) else { return };
    let kind = RunKind::RollBack { from: vec![from] };
    // Replaced and merged documents stay. An interrupted roll back doesn't know how many it
    // removed.
    let known =
        cx.state.transfer.unfinished.iter().find(|known| known.id == id && !known.rolling_back);
    let total = known.map_or(0, |known| known.imported.saturating_sub(known.replaced));
    let operation = begin(title, total, Dialog::Unfinished { error: None }, kind, cx.state);
    let Some(running) = cx.state.transfer.get(operation) else { return };
    let progress = Arc::clone(&running.progress);
    let roll_back = TransferWork::RollBack { ids: vec![id], progress };
    cx.transfer(Purpose::RollBack(operation), Lane::Transfer, roll_back);
}

/// Takes the import of a result back, whether it is complete or not.
pub fn roll_back_result(of: OperationId, cx: &mut Apply<'_>) {
    let Some(result) = cx.state.transfer.results.iter().find(|known| known.operation == of) else {
        return;
    };
    let ids = result.roll_back_ids();
    if ids.is_empty() || lock::refuses(cx.state) {
        return;
    }
    let Some(result) = cx.state.transfer.results.iter().find(|known| known.operation == of) else {
        return;
    };
    let (from, total) = (result.targets(), result.imported());
    let title = format!("Roll back import into {}", result.into_words());
    let back = Dialog::Imported(Box::new(result.clone()));
    let kind = RunKind::RollBack { from };
    let operation = begin(title, total, back, kind, cx.state);
    let Some(running) = cx.state.transfer.get(operation) else { return };
    let progress = Arc::clone(&running.progress);
    let roll_back = TransferWork::RollBack { ids, progress };
    cx.transfer(Purpose::RollBack(operation), Lane::Transfer, roll_back);
}

/// Forgets an import; its documents stay.
pub fn leave(id: ObjectId, cx: &mut Apply<'_>) {
    let purpose = Purpose::Unfinished { show: false };
    cx.transfer(purpose, Lane::Transfer, TransferWork::Leave(id));
}

/// A roll back ended.
pub fn rolled_back(
    operation: OperationId,
    result: Result<RollBackReport, Failure>,
    cx: &mut Apply<'_>,
) {
    ask(false, cx);
    let report = match result {
        Ok(report) => report,
        Err(failure) => return failed(operation, failure, cx.state),
    };
    let is_shown = is_shown(operation, cx.state);
    let Some(running) = cx.state.transfer.take(operation) else { return };
    let RunKind::RollBack { from } = running.kind else { return };
    if let Dialog::Imported(result) = &running.draft {
        let of = result.operation;
        let known = cx.state.transfer.results.iter_mut().find(|known| known.operation == of);
        if let Some(known) = known {
            known.is_rolled_back = true;
        }
    }
    let text = report.sentence();
    let (stage, kind) = if report.cancelled {
        (Stage::Cancelled(text.clone()), Kind::Warning)
    } else {
        (Stage::Done(text.clone()), Kind::Done)
    };
    cx.state.operations.end(operation, stage);
    if is_shown {
        cx.state.dialogs.close();
    }
    cx.state.tree.stale = true;
    for namespace in &from {
        cx.state.changes.note(Some(namespace));
    }
    cx.toast(kind, text);
}

/// A title for what is done with an import, and its collection.
fn title(what: &str, id: ObjectId, state: &State) -> Option<(String, Namespace)> {
    let known = state.transfer.unfinished.iter().find(|known| known.id == id)?;
    let namespace = &known.request.namespace;
    let files: Vec<String> = known.request.files.iter().map(|file| file_name(file)).collect();
    Some((format!("{what} of {} into {namespace}", files.join(", ")), namespace.clone()))
}
