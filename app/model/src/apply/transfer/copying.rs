//! A copy of a collection into another store: drafted, run, taken back.

use std::sync::Arc;

use bson::Document;
use mayfly_engine::transfer::{Progress, RollBackReport};

use super::job::{self, FileWork, begin, send};
use super::run::{failed, is_shown};
use crate::apply::question::{Answer, Question, Report, Run};
use crate::apply::{Apply, stores};
use crate::job::{Cancel, CopyEnded, CopyLook, CopyPlan, CopyTarget, CopyUndo, End, OpenRequest};
use crate::source::Source;
use crate::source::copying::look as look_at;
use crate::state::connect::ConnectDraft;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::operations::{OperationId, Stage};
use crate::state::toasts::Kind;
use crate::state::transfer::copying::{CopyTo, counts};
use crate::state::transfer::{CopyDraft, CopyResult, Dialog, Kind as RunKind, Loadable};
use crate::state::{Namespace, State};
use crate::worker::transfer::Failure;
use crate::worker::{Desk, Lane, copying as worker};

/// The dialog that is open.
pub(super) fn draft(state: &mut State) -> Option<&mut CopyDraft> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Transfer(Dialog::Copy(draft))) => Some(draft),
        _ => None,
    }
}

/// Opens the dialog.
pub(super) fn open(from: Namespace, filter: &str, cx: &mut Apply<'_>) {
    let is_server = cx.state.store.connection.is_some();
    let to = if is_server { CopyTo::Sandbox } else { CopyTo::Server };
    let mut draft = CopyDraft::new(from, to, filter, cx.state.now_ms());
    let mut servers =
        cx.state.beside.iter().filter_map(|open| open.parked.store.connection.as_ref());
    if let Some(open) = servers.next().filter(|_| to == CopyTo::Server) {
        // All of it but a password.
        draft.server = ConnectDraft::of(&open.attached.address, open.attached.mark);
    }
    cx.state.transfer.chooser_note = None;
    cx.state.dialogs.show(AnyDialog::Transfer(Dialog::Copy(Box::new(draft))));
    look(cx);
}

/// Asks what would be copied, if that is not known for the present filter.
pub(super) fn look(cx: &mut Apply<'_>) {
    let Some(draft) = draft(cx.state) else { return };
    let Ok(filter) = draft.used_filter() else { return };
    if draft.looked_for.as_ref() == Some(&filter) {
        return;
    }
    draft.looked_for = Some(filter.clone());
    let namespace = draft.from.clone();
    let generation = cx.run(LookAtCopy { namespace, filter });
    if let Some(draft) = self::draft(cx.state) {
        draft.look = Loadable::Waiting(generation);
    }
}

/// Copies as drafted in the open dialog.
pub(super) fn start(cx: &mut Apply<'_>) {
    let Some(draft) = draft(cx.state) else { return };
    let (plan, to) = match draft.plan() {
        Ok(plan) => plan,
        Err(error) => {
            draft.error = Some(error);
            return;
        }
    };
    let draft = draft.clone();
    let (title, total) = (draft.title(), draft.total());
    let dialog = Dialog::Copy(Box::new(draft));
    let operation = begin(title, total, dialog, RunKind::Copy, cx);
    let known = cx.state.operations.get_mut(operation);
    let cancel = known.and_then(|known| known.cancel.clone()).unwrap_or_default();
    send(operation, Copy { plan, to, cancel }, cx);
}

/// The expected copy, of which only the newest look is of use.
#[derive(Debug)]
struct LookAtCopy {
    namespace: Namespace,
    filter: Document,
}

impl PartialEq for LookAtCopy {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for LookAtCopy {
    type Answer = Result<CopyLook, String>;

    fn answered(&self, generation: u64, look: Self::Answer, cx: &mut Apply<'_>) {
        if let Some(draft) = draft(cx.state) {
            draft.look.answer(generation, look.map(Some));
        }
    }
}

impl Run for LookAtCopy {
    const LANE: Lane = Lane::Read;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let Self { namespace, filter } = self;
        let cancel = Cancel::default();
        let look = |source: &Arc<dyn Source>| look_at(source.as_ref(), namespace, filter, &cancel);
        report.send(desk.open_source().and_then(look));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}

#[derive(Debug)]
struct Copy {
    plan: CopyPlan,
    to: CopyTarget,
    cancel: Cancel,
}

impl FileWork for Copy {
    type Done = Box<CopyEnded>;

    fn run(&self, source: &dyn Source, progress: &Progress) -> Result<Self::Done, Failure> {
        worker::copy(source, &self.plan, &self.to, progress, &self.cancel)
    }

    fn ended(operation: OperationId, ended: Result<Self::Done, Failure>, cx: &mut Apply<'_>) {
        copied(operation, ended, cx);
    }
}

#[derive(Debug)]
struct RollBackCopy(Arc<CopyUndo>);

impl FileWork for RollBackCopy {
    type Done = RollBackReport;

    fn run(&self, _: &dyn Source, progress: &Progress) -> Result<RollBackReport, Failure> {
        Ok(worker::roll_back(&self.0, progress)?)
    }

    fn ended(operation: OperationId, result: Result<RollBackReport, Failure>, cx: &mut Apply<'_>) {
        let report = match result {
            Ok(report) => report,
            Err(failure) => return failed(operation, failure, cx.state),
        };
        let is_shown = is_shown(operation, cx.state);
        let text = report.sentence();
        let stage = if report.cancelled { Stage::Cancelled } else { Stage::Done };
        cx.state.transfer.take(operation);
        cx.state.operations.end(operation, stage(text.clone()));
        if is_shown {
            cx.state.dialogs.close();
        }
        cx.toast(Kind::Done, text);
    }
}

/// A copy ended. A sandbox with all documents opens at once if the user waited for it.
fn copied(operation: OperationId, ended: Result<Box<CopyEnded>, Failure>, cx: &mut Apply<'_>) {
    let ended = match ended {
        Ok(ended) => *ended,
        Err(failure) => return failed(operation, failure, cx.state),
    };
    let was_shown = is_shown(operation, cx.state);
    let Some(running) = cx.state.transfer.take(operation) else { return };
    let Dialog::Copy(draft) = &running.draft else { return };
    let (title, folder) = (draft.title(), draft.folder());
    let words = counts(&ended.report);
    let said = match &ended.report.end {
        End::Failed(why) => format!("{why}. {words}"),
        End::Complete | End::Cancelled => words.clone(),
    };
    cx.state.operations.end(operation, Stage::of(&ended.report.end, said));
    let began = running.began.unwrap_or(running.asked);
    let took = cx.state.uptime.saturating_sub(began);
    let is_whole = ended.report.end == End::Complete
        && ended.report.refused == 0
        && ended.report.notes.is_empty();
    let can_open = was_shown && cx.state.why_store_stays().is_none();
    if let (true, true, Some(request)) = (can_open, is_whole, &ended.opens) {
        let request = request.clone();
        cx.state.dialogs.close();
        cx.toast(Kind::Done, words);
        return open_store(request, cx);
    }
    let result = CopyResult { operation, title, ended, took, folder };
    let dialog = AnyDialog::Transfer(Dialog::Copied(Box::new(result)));
    if was_shown {
        cx.state.dialogs.replace(dialog);
    } else {
        // It has the only way to what was copied.
        cx.state.dialogs.show_kept(dialog);
    }
}

fn result(state: &State) -> Option<&CopyResult> {
    match state.dialogs.open() {
        Some(AnyDialog::Transfer(Dialog::Copied(result))) => Some(result),
        _ => None,
    }
}

/// Opens the store that the open dialog's copy went into.
pub(super) fn show(cx: &mut Apply<'_>) {
    let Some(result) = result(cx.state) else { return };
    let folder = result.folder.clone();
    let in_folder =
        folder.map(|folder| OpenRequest { folder: Some(folder), ..OpenRequest::default() });
    let Some(request) = result.ended.opens.clone().or(in_folder) else { return };
    cx.state.dialogs.close();
    open_store(request, cx);
}

/// Removes what the open dialog's copy inserted.
pub(super) fn roll_back(cx: &mut Apply<'_>) {
    let Some(result) = result(cx.state).cloned() else { return };
    let Some(undo) = result.ended.undo.clone() else { return };
    let (title, total) = (format!("Roll back: {}", result.title), undo.ids.count());
    let dialog = Dialog::Copied(Box::new(result));
    let kind = RunKind::RollBack { from: vec![undo.into.clone()] };
    job::start(title, total, dialog, kind, RollBackCopy(undo), cx);
}

fn open_store(request: OpenRequest, cx: &mut Apply<'_>) {
    stores::open(request, cx);
}
