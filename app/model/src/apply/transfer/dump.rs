//! A dump: found in place of a file, drafted, imported.

use std::path::PathBuf;
use std::sync::Arc;

use mayfly_engine::transfer::{Dump, DumpCollection, DumpImport, DumpOutcome, Progress, Rehearsal};

use super::job::{self, FileWork};
use super::open_draft::import_draft;
use super::run::{failed, is_shown};
use crate::apply::Apply;
use crate::apply::question::{Answer, Question, Report, Run};
use crate::source::Source;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::operations::{OperationId, Stage};
use crate::state::toasts::Kind;
use crate::state::transfer::{Dialog, DumpDraft, DumpResult, Kind as RunKind, Loadable};
use crate::state::{State, StoreTree};
use crate::worker::dump::rehearse;
use crate::worker::transfer::{Failure, transfers};
use crate::worker::{Desk, Lane};

fn dump_draft(state: &mut State) -> Option<&mut DumpDraft> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Transfer(Dialog::Dump(draft))) => Some(draft),
        _ => None,
    }
}

/// The file that was looked into is a dump: its dialog takes the place of the import's.
pub(super) fn found(generation: u64, path: PathBuf, dump: Dump, cx: &mut Apply<'_>) {
    let Some(draft) = import_draft(cx.state) else { return };
    if draft.look != Loadable::Waiting(generation) {
        return;
    }
    let db = if draft.db.is_empty() { first_database(&cx.state.tree) } else { draft.db.clone() };
    let draft = DumpDraft::new(path, dump, &db);
    let collections = draft.dump.collections.clone();
    cx.state.dialogs.replace(AnyDialog::Transfer(Dialog::Dump(Box::new(draft))));
    if let Some(running) = cx.state.transfer.rehearsal.take() {
        running.cancel();
    }
    let progress = Arc::new(Progress::new());
    cx.state.transfer.rehearsal = Some(Arc::clone(&progress));
    let generation = cx.run(RehearseDump { collections, progress });
    if let Some(draft) = dump_draft(cx.state) {
        draft.rehearsals = Loadable::Waiting(generation);
    }
}

fn first_database(tree: &StoreTree) -> String {
    tree.databases.first().map_or_else(|| "test".to_owned(), |first| first.name.clone())
}

/// Documents of a dump past their threshold already, of which only the newest count is of use.
#[derive(Debug)]
struct RehearseDump {
    collections: Vec<DumpCollection>,
    /// Stops it.
    progress: Arc<Progress>,
}

impl PartialEq for RehearseDump {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Question for RehearseDump {
    /// `None` if it was canceled.
    type Answer = Result<Option<Vec<Rehearsal>>, String>;

    fn answered(&self, generation: u64, result: Self::Answer, cx: &mut Apply<'_>) {
        if let Some(draft) = dump_draft(cx.state) {
            draft.rehearsals.answer(generation, result);
        }
    }
}

impl Run for RehearseDump {
    const LANE: Lane = Lane::Read;

    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>) {
        let stop = Arc::clone(&self.progress);
        report.send(desk.at_close.stopping(
            move || stop.cancel(),
            || {
                let source = desk.open_source()?;
                Ok(rehearse(transfers(source.as_ref())?, &self.collections, &self.progress))
            },
        ));
    }

    fn failed(&self, message: String) -> Self::Answer {
        Err(message)
    }
}

/// Imports as drafted in the open dialog.
pub(super) fn start(cx: &mut Apply<'_>) {
    let Some(draft) = dump_draft(cx.state) else { return };
    let request = match draft.request() {
        Ok(request) => request,
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
    job::start(title, 0, Dialog::Dump(Box::new(draft)), kind, request, cx);
}

impl FileWork for DumpImport {
    type Done = Vec<DumpOutcome>;

    fn run(&self, source: &dyn Source, progress: &Progress) -> Result<Self::Done, Failure> {
        Ok(transfers(source)?.import_dump(self, progress)?)
    }

    fn ended(operation: OperationId, result: Result<Self::Done, Failure>, cx: &mut Apply<'_>) {
        imported(operation, result, cx);
    }
}

/// An import ended.
fn imported(operation: OperationId, result: Result<Vec<DumpOutcome>, Failure>, cx: &mut Apply<'_>) {
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
