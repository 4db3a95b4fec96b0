//! A dump: found in place of a file, drafted, imported.

use std::path::PathBuf;
use std::sync::Arc;

use mayfly_engine::transfer::{Dump, DumpOutcome, Progress, Rehearsal};

use super::open_draft::import_draft;
use super::run::{begin, failed, is_shown};
use crate::apply::Apply;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::operations::{OperationId, Stage};
use crate::state::toasts::Kind;
use crate::state::transfer::{Dialog, DumpDraft, DumpResult, Kind as RunKind, Loadable, Purpose};
use crate::state::{State, StoreTree};
use crate::worker::transfer::Failure;
use crate::worker::{Lane, TransferWork};

fn dump_draft(state: &mut State) -> Option<&mut DumpDraft> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Transfer(Dialog::Dump(draft))) => Some(draft),
        _ => None,
    }
}

/// The file that was looked into is a dump: its dialog takes the place of the import's.
pub fn found(generation: u64, path: PathBuf, dump: Result<Dump, String>, cx: &mut Apply<'_>) {
    let Some(draft) = import_draft(cx.state) else { return };
    if draft.look != Loadable::Waiting(generation) {
        return;
    }
    let dump = match dump {
        Ok(dump) => dump,
        Err(error) => {
            draft.look = Loadable::Failed(error);
            return;
        }
    };
    let db = if draft.db.is_empty() { first_database(&cx.state.tree) } else { draft.db.clone() };
    let draft = DumpDraft::new(path, dump, &db);
    let collections = draft.dump.collections.clone();
    cx.state.dialogs.replace(AnyDialog::Transfer(Dialog::Dump(Box::new(draft))));
    if let Some(running) = cx.state.transfer.rehearsal.take() {
        running.cancel();
    }
    let progress = Arc::new(Progress::new());
    cx.state.transfer.rehearsal = Some(Arc::clone(&progress));
    let rehearse = TransferWork::RehearseDump { collections, progress };
    let generation = cx.transfer(Purpose::RehearseDump, Lane::Read, rehearse);
    if let Some(draft) = dump_draft(cx.state) {
        draft.rehearsals = Loadable::Waiting(generation);
    }
}

fn first_database(tree: &StoreTree) -> String {
    tree.databases.first().map_or_else(|| "test".to_owned(), |first| first.name.clone())
}

/// Takes the counts of documents past their threshold already.
pub fn rehearsed(
    generation: u64,
    result: Result<Option<Vec<Rehearsal>>, String>,
    state: &mut State,
) {
    if let Some(draft) = dump_draft(state)
        && draft.rehearsals == Loadable::Waiting(generation)
    {
        draft.rehearsals = match result {
            Ok(Some(found)) => Loadable::Here(found),
            Ok(None) => Loadable::Nothing,
            Err(error) => Loadable::Failed(error),
        };
    }
}

/// Imports as drafted in the open dialog.
pub fn start(cx: &mut Apply<'_>) {
    let Some(draft) = dump_draft(cx.state) else { return };
    let request = match draft.request() {
        Ok(request) => Box::new(request),
        Err(error) => {
            draft.error = Some(error);
            return;
        }
    };
    let draft = draft.clone();
    if let Some(running) = cx.state.transfer.rehearsal.take() {
        running.cancel();
    }
    let title = draft.title();
    let into = request.choices.iter().map(|choice| choice.into.clone()).collect();
    let kind = RunKind::ImportDump { into };
    let operation = begin(title, 0, Dialog::Dump(Box::new(draft)), kind, cx.state);
    let Some(running) = cx.state.transfer.get(operation) else { return };
    let progress = Arc::clone(&running.progress);
    let import = TransferWork::ImportDump { request, progress };
    cx.transfer(Purpose::ImportDump(operation), Lane::Transfer, import);
}

/// An import ended.
pub fn imported(
    operation: OperationId,
    result: Result<Vec<DumpOutcome>, Failure>,
    cx: &mut Apply<'_>,
) {
    super::resume::ask(false, cx);
    let outcomes = match result {
        Ok(outcomes) => outcomes,
        Err(failure) => {
            failed(operation, failure, cx.state);
            return;
        }
    };
    let Some(running) = cx.state.transfer.take(operation) else { return };
    let Dialog::Dump(draft) = &running.draft else { return };
    let began = running.began.unwrap_or(running.asked);
    let took = cx.state.uptime.saturating_sub(began);
    let result = DumpResult { outcomes, chosen: draft.chosen().count(), took };
    let words = result.words();
    let is_canceled = running.progress.is_cancelled();
    let (kind, stage) = match (is_canceled, result.is_complete()) {
        (true, _) => (Kind::Warning, Stage::Cancelled(words.clone())),
        (_, true) => (Kind::Done, Stage::Done(words.clone())),
        (_, false) => (Kind::Warning, Stage::Done(words.clone())),
    };
    cx.state.operations.end(operation, stage);
    cx.state.tree.stale = true;
    for outcome in &result.outcomes {
        cx.state.changes.note(Some(&outcome.into));
    }
    if is_shown(operation, cx.state) {
        cx.state.dialogs.replace(AnyDialog::Transfer(Dialog::DumpImported(Box::new(result))));
        return;
    }
    cx.toast(kind, words);
}
