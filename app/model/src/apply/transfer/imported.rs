//! How imports end, of one collection or of several.

use bson::Document;
use mayfly_engine::transfer::{ImportEnd, ImportReport};

use super::run::{failed, is_shown};
use super::{opened, resume};
use crate::action::ReaperAction;
use crate::apply::question::Question;
use crate::apply::{Apply, reaper};
use crate::commands;
use crate::limits::IMPORT_RESULTS_MAX;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::offer::Offer;
use crate::state::operations::{OperationId, Stage};
use crate::state::toasts::Kind;
use crate::state::transfer::{CreatedIndexes, Dialog, ImportResult, Kind as RunKind, Running};
use crate::state::{Namespace, State, number};
use crate::worker::Reply;
use crate::worker::transfer::Failure;

/// An import ended, with a result for each collection. Those after a cancellation have none.
pub(super) fn imported(
    operation: OperationId,
    results: Vec<Result<ImportReport, Failure>>,
    cx: &mut Apply<'_>,
) {
    resume::ask(false, cx);
    if results.iter().flatten().all(|report| report.imported == 0) {
        resume_reaper(operation, cx);
    }
    if !results.iter().any(Result::is_ok) {
        let failure = results.into_iter().find_map(Result::err).unwrap_or(Failure::Cancelled);
        return failed(operation, failure, cx.state);
    }
    let Some(running) = cx.state.transfer.take(operation) else { return };
    let Some(result) = result_of(&running, results, cx) else { return };
    let words = counts_of(&result);
    let is_canceled = result.reports().any(|report| report.end == ImportEnd::Cancelled);
    let one = result.report.sentence().filter(|_| result.others.is_empty());
    cx.state.operations.end(
        operation,
        match () {
            () if result.is_complete() => Stage::Done(words.clone()),
            () if is_canceled => Stage::Cancelled(words.clone()),
            () => Stage::Failed(one.unwrap_or_else(|| words.clone())),
        },
    );
    cx.state.tree.stale = true;
    let shows = matches!(&running.draft, Dialog::Import(draft) if draft.shows_documents);
    if shows && is_shown(operation, cx.state) {
        opened::show_documents(&result, cx);
    }
    tell(result, &words, cx.state);
}

/// The results of all collections as one. Creates the indexes of those that are complete.
fn result_of(
    running: &Running,
    results: Vec<Result<ImportReport, Failure>>,
    cx: &mut Apply<'_>,
) -> Option<ImportResult> {
    let RunKind::Import { into: targets, paused } = &running.kind else { return None };
    let parts = match &running.draft {
        Dialog::Import(draft) => draft.parts(),
        _ => Vec::new(),
    };
    let (mut others, mut first, mut indexes) = (Vec::new(), None, None);
    let mut results = results.into_iter();
    for (at, into) in targets.iter().enumerate() {
        let result = results.next().map(|result| result.map_err(words));
        let result = result.unwrap_or_else(|| Err("Canceled before it began".to_owned()));
        cx.state.changes.note(Some(into));
        let is_complete = result.as_ref().is_ok_and(|report| report.end == ImportEnd::Complete);
        if let Some(part) = parts.get(at).filter(|_| is_complete) {
            let created = create_indexes(running.operation, into, part.indexes(), cx);
            indexes = sum(indexes, created);
        }
        match result {
            Ok(report) if first.is_none() => first = Some((into.clone(), report)),
            result => others.push((into.clone(), result)),
        }
    }
    let (into, report) = first?;
    let took = cx.state.uptime.saturating_sub(running.began.unwrap_or(running.asked));
    let mut result = ImportResult {
        operation: running.operation,
        into,
        report,
        others,
        took,
        paused: false,
        indexes,
        is_rolled_back: false,
    };
    result.paused = *paused && result.imported() > 0;
    Some(result)
}

fn words(failure: Failure) -> String {
    match failure {
        Failure::Cancelled => "Canceled. Nothing was imported".to_owned(),
        Failure::Exists(_) => "A file is already there".to_owned(),
        Failure::Failed(sentence) => sentence,
    }
}

fn sum(one: Option<CreatedIndexes>, other: Option<CreatedIndexes>) -> Option<CreatedIndexes> {
    match (one, other) {
        (Some(one), Some(other)) => {
            Some(CreatedIndexes { waiting: one.waiting + other.waiting, ..one })
        }
        (one, other) => one.or(other),
    }
}

/// Creates indexes after an import, with a command each: one that is refused is not in the way of
/// the others.
fn create_indexes(
    operation: OperationId,
    into: &Namespace,
    definitions: Vec<Document>,
    cx: &mut Apply<'_>,
) -> Option<CreatedIndexes> {
    let waiting = definitions.len();
    for index in definitions {
        let name = index.get_str("name").unwrap_or_default().to_owned();
        let command = commands::indexes::create(&into.collection, index);
        cx.change(CreateIndex(operation, name), &into.db, command);
    }
    (waiting > 0).then(|| CreatedIndexes { waiting, ..CreatedIndexes::default() })
}

/// An index of this name is created after an import.
#[derive(Debug, PartialEq)]
struct CreateIndex(OperationId, String);

impl Question for CreateIndex {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        index_created(self.0, &self.1, &reply, cx.state);
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

fn tell(result: ImportResult, words: &str, state: &mut State) {
    state.transfer.results.push_back(result.clone());
    if state.transfer.results.len() > IMPORT_RESULTS_MAX {
        state.transfer.results.pop_front();
    }
    let operation = result.operation;
    if is_shown(operation, state) {
        state.dialogs.replace(AnyDialog::Transfer(Dialog::Imported(Box::new(result))));
        return;
    }
    let rejected: u64 = result.reports().map(|report| report.rejected).sum();
    let kind = match (&result.report.end, rejected) {
        (ImportEnd::Complete, 0) if result.is_complete() => Kind::Done,
        (ImportEnd::Complete | ImportEnd::Cancelled, _) => Kind::Warning,
        _ => Kind::Error,
    };
    let text = format!("{}: {words}", result.into_words());
    let show = Offer::ShowResult(operation);
    state.toasts.push(kind, text, Some(("Show result".to_owned(), show)), state.uptime);
}

/// How much was imported into all collections, in words.
fn counts_of(result: &ImportResult) -> String {
    let mut sum = result.report.clone();
    for (_, other) in &result.others {
        let Ok(other) = other else { continue };
        sum.imported += other.imported;
        sum.skipped += other.skipped;
        sum.rejected += other.rejected;
    }
    counts(&sum)
}

/// How much was imported, in words.
fn counts(report: &ImportReport) -> String {
    let mut words = number::counted(report.imported, "document imported", "documents imported");
    if report.skipped > 0 {
        words = format!("{words}, {} skipped", number::count(report.skipped));
    }
    if report.rejected > 0 {
        words = format!("{words}, {} rejected", number::count(report.rejected));
    }
    words
}

/// Lets the reaper run again after an import that changed nothing.
fn resume_reaper(operation: OperationId, cx: &mut Apply<'_>) {
    let paused = cx
        .state
        .transfer
        .get(operation)
        .is_some_and(|running| matches!(running.kind, RunKind::Import { paused: true, .. }));
    if paused {
        reaper::apply(&ReaperAction::SetEnabled(true), cx);
    }
}
