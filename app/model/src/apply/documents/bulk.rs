//! Changes of many documents: the dialogs about them, the work in steps, and its end.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bson::Document;

use super::reading::ask;
use super::tab::with;
use super::{reading, writing};
use crate::action::{Action, TabsAction, TransferAction};
use crate::apply::question::{Answer, Question, Report, Run};
use crate::apply::{Apply, question};
use crate::job::bulk::{BulkChange, BulkReport, BulkWork};
use crate::job::convert::Conversion;
use crate::job::reply;
use crate::job::reply::documents;
use crate::job::slow_read::SlowRead;
use crate::job::{End, Gauge};
use crate::limits::METER_PAUSE;
use crate::state::documents::bulk::{BulkCopy, BulkDelete, BulkRun, BulkUpdate, Measured, Scope};
use crate::state::documents::change::id_of;
use crate::state::documents::undo::Change;
use crate::state::documents::view::key;
use crate::state::documents::{Dialog, Origin};
use crate::state::number::{self, counted};
use crate::state::offer::Offer;
use crate::state::operations::{OperationId, Progress, Stage};
use crate::state::tabs::ViewKind;
use crate::state::toasts::Kind;
use crate::state::{Dialog as AnyDialog, Namespace, State, TabId};
use crate::worker::{Desk, Lane, Reply, bulk};

/// The change of the selected documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    Delete,
    Update,
    Copy,
}

/// Opens the dialog about the selected documents.
pub fn open(tab: TabId, asked: Asked, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let view = &open.documents;
    if view.selected.is_empty() {
        return;
    }
    let scope = Scope::new(view.selected.target_of(&view.query), view.selected.len());
    let collection = &open.namespace.collection;
    let (measure, sample) = (scope.measure(collection), scope.read_sample(collection));
    let dialog = match asked {
        Asked::Delete => Dialog::Delete(BulkDelete { scope }),
        Asked::Update => Dialog::Update(Box::new(BulkUpdate::new(scope, now_ms))),
        Asked::Copy => Dialog::Copy(Box::new(BulkCopy::new(scope, &open.namespace))),
    };
    cx.state.dialogs.show(AnyDialog::Documents(tab, dialog));
    ask(tab, Sample(tab), sample, cx);
    ask(tab, Measure(tab), measure, cx);
}

/// The scope of the open dialog, if it is about the documents that `command` asked for.
fn scope(
    tab: TabId,
    state: &mut State,
    is_asked: impl Fn(&Scope, &str) -> bool,
) -> Option<(&mut Dialog, i64)> {
    let now_ms = state.now_ms();
    let collection = state.tabs.get(tab)?.namespace.collection.clone();
    let AnyDialog::Documents(of, dialog) = state.dialogs.open_mut()? else { return None };
    let is_of_it = *of == tab && dialog.scope().is_some_and(|scope| is_asked(scope, &collection));
    is_of_it.then_some((dialog, now_ms))
}

/// How many documents a dialog is about, and their bytes.
#[derive(Debug, PartialEq)]
struct Measure(TabId);

impl Question for Measure {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::Documents))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let result = reply.result.map(|found| {
            let sums = documents(&found).into_iter().next().unwrap_or_default();
            let sum = |name| reply::number(&sums, name).unwrap_or(0);
            Measured { documents: sum("n"), bytes: sum("bytes") }
        });
        let is_asked = |scope: &Scope, of: &str| scope.measure(of) == reply.command;
        let dialog = scope(self.0, cx.state, is_asked);
        if let Some(scope) = dialog.and_then(|(dialog, _)| dialog.scope_mut()) {
            scope.measured = Some(result);
        }
    }
}

/// Some of the documents that a dialog is about.
#[derive(Debug, PartialEq)]
struct Sample(TabId);

impl Question for Sample {
    type Answer = Reply;

    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::Documents))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(found) = reply.ok().map(documents) else { return };
        let is_asked = |scope: &Scope, of: &str| scope.read_sample(of) == reply.command;
        let Some((dialog, now_ms)) = scope(self.0, cx.state, is_asked) else { return };
        if let Some(scope) = dialog.scope_mut() {
            scope.set_sample(found);
        }
        if let Dialog::Update(draft) = dialog {
            draft.changed(now_ms);
        }
    }
}

pub fn start(tab: TabId, change: BulkChange, origin: Origin, cx: &mut Apply<'_>) {
    start_noted(tab, change, None, origin, cx);
}

/// Starts a change, or what continues or takes back the one with this journal.
pub fn start_noted(
    tab: TabId,
    change: BulkChange,
    journal: Option<PathBuf>,
    origin: Origin,
    cx: &mut Apply<'_>,
) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let namespace = open.namespace.clone();
    if writing::is_busy(tab, cx.state) {
        writing::tell_busy(cx.state);
        return;
    }
    begin(Some(tab), namespace, (change, journal), origin, tab_ended, cx);
}

/// Called with a change that ended, and its report.
pub type Ended = fn(&BulkRun, BulkReport, &mut Apply<'_>);

/// Starts a change of a tab, or a restore from the trash, which has none.
pub fn begin(
    tab: Option<TabId>,
    namespace: Namespace,
    (change, journal): (BulkChange, Option<PathBuf>),
    origin: Origin,
    ended: Ended,
    cx: &mut Apply<'_>,
) {
    let gauge = Arc::new(Gauge::default());
    let work = BulkWork { namespace, change, journal, gauge };
    let title = work.change.title(&work.namespace, origin == Origin::Redo);
    let (now_ms, uptime) = (cx.state.now_ms(), cx.state.uptime);
    let cancel = Some(work.gauge.cancel.clone());
    let operation = cx.state.operations.begin(title, now_ms, uptime, cancel);
    let run = BulkRun { operation, tab, work: work.clone(), origin, started: uptime };
    cx.state.bulk.push(run);
    cx.run(ChangeMany { operation, work, ended });
}

/// A change of many documents.
#[derive(Debug)]
struct ChangeMany {
    operation: OperationId,
    work: BulkWork,
    ended: Ended,
}

impl PartialEq for ChangeMany {
    fn eq(&self, other: &Self) -> bool {
        self.operation == other.operation
    }
}

/// A step of a change of many documents, or its end.
enum Told {
    Sent(Reply),
    Ended(BulkReport),
}

impl Question for ChangeMany {
    type Answer = Told;

    fn answered(&self, generation: u64, told: Told, cx: &mut Apply<'_>) {
        match told {
            Told::Sent(reply) => question::noted(Self::BACKGROUND, generation, &reply, cx),
            Told::Ended(report) => {
                if report.is_unfinished {
                    cx.then(Action::Transfer(TransferAction::ListUnfinished));
                }
                let known = cx.state.bulk.iter().position(|run| run.operation == self.operation);
                if let Some(at) = known {
                    (self.ended)(&cx.state.bulk.remove(at), report, cx);
                }
            }
        }
    }
}

impl Run for ChangeMany {
    const LANE: Lane = Lane::Bulk;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let tell = &mut |reply| report.send(Told::Sent(reply));
        let run = || match desk.source.as_deref() {
            Some(source) => bulk::run(source, &self.work, &desk.ends, tell),
            None => BulkReport::failed("No store is open".to_owned()),
        };
        let cancel = self.work.gauge.cancel.clone();
        let ended = desk.at_close.stopping(move || cancel.cancel(), run);
        report.send(Told::Ended(ended));
    }

    fn failed(&self, message: String) -> Told {
        Told::Ended(BulkReport::failed(message))
    }
}

/// Shows how far the changes are. Returns when to look again.
pub fn follow(state: &mut State) -> Option<Duration> {
    for run in &state.bulk {
        let (done, total) = run.work.gauge.now();
        let text = run.words(state.uptime);
        if let Some(operation) = state.operations.get_mut(run.operation) {
            operation.progress = Progress { done, total, text };
        }
    }
    (!state.bulk.is_empty()).then_some(METER_PAUSE)
}

/// Stops every change after its present step, because the store closes. The rest is offered when it
/// is opened again.
pub fn cancel_all(state: &State) {
    for run in &state.bulk {
        run.work.gauge.leave();
    }
}

/// Counts the documents that an undo or a redo did not reach.
fn add_left(run: &BulkRun, report: &mut BulkReport) {
    let is_begun = report.changed > 0 || !report.left.is_empty();
    if let (BulkChange::Back(made) | BulkChange::Again(made), false) = (&run.work.change, is_begun)
    {
        report.left.clone_from(&made.pairs);
    }
}

/// A change of a tab ended.
fn tab_ended(run: &BulkRun, mut report: BulkReport, cx: &mut Apply<'_>) {
    let Some(tab) = run.tab else { return };
    add_left(run, &mut report);
    let words = words(run, &report);
    end(run.operation, &report.end, &words, cx.state);
    let is_complete = report.end == End::Complete;
    let is_whole = report.refused == 0 && report.left.is_empty();
    let kind = match Kind::of(&report.end) {
        Kind::Done if !is_whole => Kind::Warning,
        kind => kind,
    };
    forget(tab, run, &report, cx.state);
    let is_left = !report.left.is_empty() || matches!(report.end, End::Failed(_));
    let is_noted = note(tab, run, report, cx.state) && cx.state.tabs.get(tab).is_some();
    let offer = match run.origin {
        Origin::Person => is_noted.then(|| ("Undo".to_owned(), Offer::Undo(tab))),
        origin => writing::offer(tab, origin).filter(|_| is_left),
    };
    cx.state.toasts.push(kind, words, offer, cx.state.uptime);
    refresh(tab, run, cx);
    if let BulkChange::Duplicate { to, .. } = &run.work.change
        && is_complete
    {
        // Nothing in it can expire yet, so its documents come first.
        cx.then(Action::Tabs(TabsAction::ShowView(to.clone(), ViewKind::Documents)));
    }
}

/// Ends the operation of a change.
pub fn end(operation: OperationId, end: &End, words: &str, state: &mut State) {
    state.operations.end(operation, Stage::of(end, words.to_owned()));
    state.tree.stale = true;
}

/// Deleted documents are not selected any more.
fn forget(tab: TabId, run: &BulkRun, report: &BulkReport, state: &mut State) {
    if !matches!(run.work.change, BulkChange::Delete(_) | BulkChange::Empty) {
        return;
    }
    let gone: Option<BTreeSet<String>> = report.pairs.as_ref().map(|pairs| {
        let before = pairs.iter().filter_map(|pair| pair.before.as_ref());
        let ids = before.filter_map(|raw| Document::try_from(raw.as_ref()).ok());
        ids.map(|document| key(&id_of(&document))).collect()
    });
    let is_complete = report.end == End::Complete && report.refused == 0;
    with(state, tab, |view| {
        if is_complete {
            view.selected.clear();
        } else if let Some(gone) = &gone {
            view.selected.forget(gone);
        }
    });
}

/// Notes what was changed, so that it can be taken back. Returns whether it was noted.
fn note(tab: TabId, run: &BulkRun, report: BulkReport, state: &mut State) -> bool {
    let made = |pairs| Change::Many(run.work.change.made(&run.work.namespace, pairs));
    let is_noted = match report.pairs {
        Some(pairs) if !pairs.is_empty() => {
            writing::note(tab, made(pairs), run.origin, state);
            true
        }
        Some(_) => false,
        // The changes before one that can't be taken back can't be either.
        None => {
            if run.work.change.is_undoable() || run.work.change == BulkChange::Empty {
                with(state, tab, |view| view.undo.clear());
            }
            false
        }
    };
    if !report.left.is_empty() {
        let left = made(report.left);
        with(state, tab, |view| view.undo.give_back(left, run.origin));
    }
    is_noted
}

fn refresh(tab: TabId, run: &BulkRun, cx: &mut Apply<'_>) {
    let (change, namespace) = (&run.work.change, &run.work.namespace);
    cx.state.changes.note(Some(namespace));
    if !matches!(change, BulkChange::Copy { folder: Some(_), .. }) {
        cx.state.changes.note(Some(change.changes(namespace)));
    }
    reading::refresh(tab, cx);
}

/// The result of a change, in words.
fn words(run: &BulkRun, report: &BulkReport) -> String {
    let what = counted(report.changed, "document", "documents");
    let (done, left) = match &run.work.change {
        BulkChange::Delete(_) => (format!("Deleted {what}"), ""),
        BulkChange::Update { .. } => (format!("Updated {what}"), "unchanged"),
        BulkChange::Convert(Conversion { path, .. }) => {
            let done = format!("Converted {path} to dates in {what} of {}", run.work.namespace);
            (done, "changed since and left as they are")
        }
        BulkChange::Copy { to, .. } => (format!("Copied {what} to {to}"), "already there"),
        BulkChange::Empty if report.end == End::Complete => {
            (format!("Emptied {}: deleted {what}", run.work.namespace), "")
        }
        BulkChange::Empty => (format!("Deleted {what} from {}", run.work.namespace), ""),
        BulkChange::Duplicate { to, .. } if report.end == End::Complete => {
            (format!("Duplicated {} as {to}: copied {what}", run.work.namespace), "")
        }
        BulkChange::Duplicate { .. } => ("Nothing was copied".to_owned(), ""),
        BulkChange::Restore(_) => (format!("Restored {what}"), "already there"),
        BulkChange::Back(made) => {
            let verb = match made.verb {
                "Deleted" => "inserted",
                "Copied" => "deleted",
                _ => "restored",
            };
            (format!("Undone: {verb} {what}"), "changed since and left as they are")
        }
        BulkChange::Again(made) => {
            let verb = made.verb.to_lowercase();
            (format!("Redone: {verb} {what}"), "changed since and left as they are")
        }
    };
    let mut words = match &report.end {
        End::Complete => done,
        End::Cancelled => format!("Canceled. {done}"),
        End::Failed(message) if report.changed == 0 => return message.clone(),
        End::Failed(message) => format!("{done}, then failed: {message}"),
    };
    if report.unchanged > 0 && !left.is_empty() {
        let _ = write!(words, ", {} {left}", number::count(report.unchanged));
    }
    if report.refused > 0 {
        let why = report.refusal.as_deref().unwrap_or("the store gave no reason");
        let _ = write!(words, "; {} refused: {why}", number::count(report.refused));
    }
    if report.is_unfinished {
        words.push_str("; see Unfinished operations in the menu to continue or undo it");
    }
    if report.pairs.is_none() && run.work.change.is_undoable() {
        words.push_str("; too large to undo");
    }
    words
}
