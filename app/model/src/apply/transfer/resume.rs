//! Imports that did not reach the end of their files: found, resumed, rolled back, left. Operations
//! that were cut short are found with them.

use bson::oid::ObjectId;
use mayfly_engine::transfer::{ImportReport, Progress, RollBackReport, UnfinishedImport};

use super::imported::imported;
use super::job::{self, FileWork};
use super::run::{failed, is_shown};
use crate::apply::question::{Answer, Question, Report, Run};
use crate::apply::{Apply, lock};
use crate::job::cut::CutWork;
use crate::source::Source;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::operations::{OperationId, Stage};
use crate::state::toasts::Kind;
use crate::state::transfer::import::file_name;
use crate::state::transfer::{Dialog, Kind as RunKind};
use crate::state::{Namespace, State};
use crate::worker::transfer::{
    Failure, leave as leave_import, roll_back as roll_back_each, transfers, unfinished,
};
use crate::worker::{Desk, Lane};

/// Queries them. `show` opens the dialog if there are any.
pub fn ask(show: bool, cx: &mut Apply<'_>) {
    if cx.state.store.capabilities.transfer {
        cx.run(Unfinished { show });
    }
}

/// The imports and operations that stopped early.
#[derive(Debug, PartialEq)]
struct Unfinished {
    /// Whether a dialog shows them if there are any.
    show: bool,
}

impl Question for Unfinished {
    type Answer = Result<(Vec<UnfinishedImport>, Vec<CutWork>), String>;

    fn answered(&self, _: u64, found: Self::Answer, cx: &mut Apply<'_>) {
        match found {
            Ok(found) => self::found(self.show, found, cx.state),
            Err(error) => refused(error, cx.state),
        }
    }
}

impl Run for Unfinished {
    const LANE: Lane = Lane::Read;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        report.send(desk.open_source().and_then(|source| unfinished(source.as_ref())));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}

fn found(show: bool, found: (Vec<UnfinishedImport>, Vec<CutWork>), state: &mut State) {
    (state.transfer.unfinished, state.transfer.cut) = found;
    let is_empty = state.transfer.unfinished.is_empty() && state.transfer.cut.is_empty();
    if is_open(state) && is_empty {
        state.dialogs.close();
    } else if show && !is_empty && state.dialogs.open().is_none() {
        state.dialogs.show(AnyDialog::Transfer(Dialog::Unfinished { error: None }));
    }
}

/// Shows why one of them could not be forgotten, or why they could not be found.
fn refused(error: String, state: &mut State) {
    if is_open(state) {
        let dialog = Dialog::Unfinished { error: Some(error) };
        state.dialogs.replace(AnyDialog::Transfer(dialog));
    } else {
        state.toast(Kind::Warning, error);
    }
}

fn is_open(state: &State) -> bool {
    matches!(state.dialogs.open(), Some(AnyDialog::Transfer(Dialog::Unfinished { .. })))
}

/// Finds the others once one is forgotten.
pub(in crate::apply) fn forgotten(result: Result<(), String>, cx: &mut Apply<'_>) {
    match result {
        Ok(()) => ask(false, cx),
        Err(error) => refused(error, cx.state),
    }
}

/// Resumes an import.
pub fn resume(id: ObjectId, cx: &mut Apply<'_>) {
    if lock::refuses(cx.state) {
        return;
    }
    let Some((title, into)) = title("Resume import", id, cx.state) else { return };
    let kind = RunKind::Import { into: vec![into], paused: false };
    job::start(title, 0, Dialog::Unfinished { error: None }, kind, Resume(id), cx);
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
    let dialog = Dialog::Unfinished { error: None };
    job::start(title, total, dialog, kind, RollBack(vec![id]), cx);
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
    job::start(title, total, back, kind, RollBack(ids), cx);
}

/// Forgets an import; its documents stay.
pub fn leave(id: ObjectId, cx: &mut Apply<'_>) {
    cx.run(Leave(id));
}

#[derive(Debug, PartialEq)]
struct Leave(ObjectId);

impl Question for Leave {
    type Answer = Result<(), String>;

    fn answered(&self, _: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        forgotten(result, cx);
    }
}

impl Run for Leave {
    const LANE: Lane = Lane::Transfer;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        report.send(desk.open_source().and_then(|source| leave_import(source.as_ref(), self.0)));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}

#[derive(Debug)]
struct Resume(ObjectId);

impl FileWork for Resume {
    type Done = ImportReport;

    fn run(&self, source: &dyn Source, progress: &Progress) -> Result<ImportReport, Failure> {
        Ok(transfers(source)?.resume(self.0.into(), progress)?)
    }

    fn ended(operation: OperationId, result: Result<ImportReport, Failure>, cx: &mut Apply<'_>) {
        imported(operation, vec![result], cx);
    }
}

#[derive(Debug)]
struct RollBack(Vec<ObjectId>);

impl FileWork for RollBack {
    type Done = RollBackReport;

    fn run(&self, source: &dyn Source, progress: &Progress) -> Result<RollBackReport, Failure> {
        roll_back_each(transfers(source)?, &self.0, progress)
    }

    fn ended(operation: OperationId, result: Result<RollBackReport, Failure>, cx: &mut Apply<'_>) {
        rolled_back(operation, result, cx);
    }
}

/// A roll back ended.
fn rolled_back(
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
