//! Text and numbers of a field to dates: in steps, so that each write is short and *Cancel* works.

use bson::{Bson, Document};
use mayfly_engine::transfer::Unconverted;

use super::{Apply, TOO_MUCH};
use crate::action::ConvertAction;
use crate::commands::convert::{more, sample, undo};
use crate::commands::documents::{self, close_cursor};
use crate::job::Cancel;
use crate::limits::{CONVERT_PREVIEW_DOCUMENTS, CONVERT_SAMPLE_DOCUMENTS, CONVERT_STEP_DOCUMENTS};
use crate::state::convert::{
    ConvertDraft, DoneConversion, RunningConversion, UndoValues, failing_words, value_at,
};
use crate::state::dialogs::Dialog;
use crate::state::offer::Offer;
use crate::state::operations::{OperationId, Stage};
use crate::state::purpose::ConvertPurpose;
use crate::state::toasts::Kind;
use crate::state::transfer::Loadable;
use crate::state::{Namespace, Purpose, State, number};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(action: ConvertAction, cx: &mut Apply<'_>) {
    match action {
        ConvertAction::Open { namespace, path } => {
            let (db, collection) = (namespace.db.clone(), namespace.collection.clone());
            let draft = ConvertDraft::new(namespace, &path);
            // The dialog of an index comes back afterwards.
            cx.state.dialogs.show_before(Dialog::Convert(Box::new(draft)));
            let fields = documents::sample(&collection, CONVERT_SAMPLE_DOCUMENTS);
            let fields = ask(ConvertPurpose::Fields, &db, fields, cx);
            if let Some(open) = self::draft(cx.state) {
                open.fields = Loadable::Waiting(fields);
            }
            ask_sample(cx);
        }
        ConvertAction::Sample => ask_sample(cx),
        ConvertAction::Look => look(cx),
        ConvertAction::Start => start(cx),
        ConvertAction::Undo(operation) => start_undo(operation, cx),
    }
}

fn draft(state: &mut State) -> Option<&mut ConvertDraft> {
    match state.dialogs.open_mut() {
        Some(Dialog::Convert(draft)) => Some(draft),
        _ => None,
    }
}

fn ask(purpose: ConvertPurpose, db: &str, command: Document, cx: &mut Apply<'_>) -> u64 {
    cx.read(Purpose::Convert(purpose), db, command)
}

/// Reads values of the field in the dialog.
fn ask_sample(cx: &mut Apply<'_>) {
    let Some(open) = draft(cx.state) else { return };
    let path = open.path.trim().to_owned();
    (open.detected, open.looked_for) = (Loadable::Nothing, None);
    (open.preview, open.failing, open.counts) = Default::default();
    open.forms.clear();
    let Some(namespace) = open.namespace.clone() else { return };
    if path.split('.').any(str::is_empty) || path.starts_with('$') {
        return;
    }
    let command = sample(&namespace.collection, &path, CONVERT_SAMPLE_DOCUMENTS);
    let generation = ask(ConvertPurpose::Sample, &namespace.db, command, cx);
    if let Some(open) = draft(cx.state) {
        open.detected = Loadable::Waiting(generation);
    }
}

/// Previews and counts what the dialog would do.
fn look(cx: &mut Apply<'_>) {
    let Some(open) = draft(cx.state) else { return };
    let (Some(namespace), Ok(conversion)) = (open.namespace.clone(), open.conversion()) else {
        open.looked_for = None;
        (open.preview, open.failing, open.counts) = Default::default();
        return;
    };
    if open.looked_for.as_ref() == Some(&conversion) {
        return;
    }
    open.looked_for = Some(conversion.clone());
    let Namespace { db, collection } = &namespace;
    let preview = conversion.preview(collection, CONVERT_PREVIEW_DOCUMENTS, false);
    let preview = ask(ConvertPurpose::Preview, db, preview, cx);
    let failing = ask(ConvertPurpose::Failing, db, conversion.check(collection), cx);
    let counts = ask(ConvertPurpose::Count, db, conversion.count(collection), cx);
    if let Some(open) = draft(cx.state) {
        open.preview = Loadable::Waiting(preview);
        open.failing = Loadable::Waiting(failing);
        open.counts = Loadable::Waiting(counts);
    }
}

fn start(cx: &mut Apply<'_>) {
    let Some(open) = draft(cx.state) else { return };
    let (Some(namespace), Ok(conversion)) = (open.namespace.clone(), open.conversion()) else {
        return;
    };
    let total = open.changes().unwrap_or(0);
    cx.state.dialogs.close();
    let title = format!("Convert {} of {namespace} to dates", conversion.path);
    let operation = begin(title, cx.state);
    let Namespace { db, collection } = namespace.clone();
    // The dialog has counted, but documents may have changed since.
    let checks = conversion.unconverted == Unconverted::Reject;
    let command = if checks {
        conversion.check(&collection)
    } else {
        conversion.find(&collection, CONVERT_STEP_DOCUMENTS)
    };
    cx.state.convert.running.push(RunningConversion {
        operation,
        namespace,
        conversion,
        total,
        changed: 0,
        cursor: 0,
        step: Vec::new(),
        undo: UndoValues::default(),
        is_undo: false,
    });
    let purpose =
        if checks { ConvertPurpose::Check(operation) } else { ConvertPurpose::Find(operation) };
    ask(purpose, &db, command, cx);
}

/// Begins to write if every value converts; else names documents whose value does not.
fn checked(operation: OperationId, found: &Document, cx: &mut Apply<'_>) {
    let Some(running) = cx.state.convert.get_mut(operation) else { return };
    let failing = failing(&batch(found));
    let Namespace { db, collection } = running.namespace.clone();
    if failing.is_empty() {
        let command = running.conversion.find(&collection, CONVERT_STEP_DOCUMENTS);
        ask(ConvertPurpose::Find(operation), &db, command, cx);
        return;
    }
    let words = failing_words(&running.conversion, &failing);
    let text = format!(
        "Nothing was converted, because values of {} do not convert: {words}",
        running.conversion.path
    );
    cx.state.convert.take(operation);
    cx.state.operations.end(operation, Stage::Failed(text.clone()));
    cx.state.toasts.push(Kind::Error, text, None, cx.state.uptime);
}

/// The `_id` and the value of each document of a check.
fn failing(found: &[Document]) -> Vec<(Bson, Bson)> {
    let pair =
        |document: &Document| Some((document.get("_id")?.clone(), document.get("before")?.clone()));
    found.iter().filter_map(pair).collect()
}

fn begin(title: String, state: &mut State) -> OperationId {
    let (now_ms, uptime) = (state.now_ms(), state.uptime);
    state.operations.begin(title, now_ms, uptime, Some(Cancel::default()))
}

/// Puts the values of the latest conversion back.
fn start_undo(operation: OperationId, cx: &mut Apply<'_>) {
    let Some(done) = cx.state.convert.done.take_if(|done| done.operation == operation) else {
        let text = "That conversion can no longer be undone";
        cx.state.toasts.push(Kind::Warning, text, None, cx.state.uptime);
        return;
    };
    let DoneConversion { namespace, conversion, undo, .. } = done;
    let title = format!("Undo: convert {} of {namespace} to dates", conversion.path);
    let operation = begin(title, cx.state);
    cx.state.convert.running.push(RunningConversion {
        operation,
        namespace,
        conversion,
        total: undo.len() as u64,
        changed: 0,
        cursor: 0,
        step: Vec::new(),
        undo,
        is_undo: true,
    });
    undo_step(operation, cx);
}

/// Puts the next values back.
fn undo_step(operation: OperationId, cx: &mut Apply<'_>) {
    let Some(running) = cx.state.convert.get_mut(operation) else { return };
    let count = usize::try_from(CONVERT_STEP_DOCUMENTS).unwrap_or(1);
    let values = running.undo.take(count);
    if values.is_empty() {
        return end(operation, None, cx);
    }
    let Namespace { db, collection } = running.namespace.clone();
    let command = undo(&collection, &running.conversion.path, &values);
    cx.write(Purpose::Convert(ConvertPurpose::Write(operation)), &db, command);
}

/// Handles a reply.
pub fn answer(purpose: &ConvertPurpose, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    match purpose {
        ConvertPurpose::Fields
        | ConvertPurpose::Sample
        | ConvertPurpose::Preview
        | ConvertPurpose::Failing
        | ConvertPurpose::Count => looked(purpose, generation, reply, cx),
        ConvertPurpose::Check(operation) => match &reply.result {
            Ok(found) => checked(*operation, found, cx),
            Err(error) => end(*operation, Some(error), cx),
        },
        ConvertPurpose::Find(operation) => match &reply.result {
            Ok(found) => write_step(*operation, found, cx),
            Err(error) => end(*operation, Some(error), cx),
        },
        ConvertPurpose::Write(operation) => match &reply.result {
            Ok(found) => next_step(*operation, found, cx),
            Err(error) => end(*operation, Some(error), cx),
        },
    }
}

/// Handles an answer for the dialog.
fn looked(purpose: &ConvertPurpose, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    let Some(open) = draft(cx.state) else { return };
    let found = reply.result.as_ref().map(batch);
    match purpose {
        ConvertPurpose::Fields if open.fields == Loadable::Waiting(generation) => {
            open.take_fields(&found.unwrap_or_default());
        }
        ConvertPurpose::Sample if open.detected == Loadable::Waiting(generation) => {
            match found {
                Ok(documents) => open.take_sample(&documents),
                Err(error) => open.detected = Loadable::Failed(error.clone()),
            }
            look(cx);
        }
        ConvertPurpose::Preview if open.preview == Loadable::Waiting(generation) => {
            let pair = |document: &Document| {
                let value = |name| document.get(name).cloned().unwrap_or(Bson::Null);
                (value("before"), value("after"))
            };
            open.preview = loaded(found.map(|all| all.iter().map(pair).collect()));
        }
        ConvertPurpose::Failing if open.failing == Loadable::Waiting(generation) => {
            open.failing = loaded(found.map(|all| failing(&all)));
        }
        ConvertPurpose::Count if open.counts == Loadable::Waiting(generation) => {
            open.counts = loaded(found.map(|all| counts(&all)));
        }
        _ => {}
    }
}

fn loaded<T>(found: Result<T, &String>) -> Loadable<T> {
    found.map_or_else(|error| Loadable::Failed(error.clone()), Loadable::Here)
}

/// Values that convert, and values that do not.
fn counts(groups: &[Document]) -> (u64, u64) {
    let count = |is_date: bool| {
        let of =
            groups.iter().filter(|group| (group.get_str("_id").ok() == Some("date")) == is_date);
        of.filter_map(|group| super::number::number(group, "n")).sum()
    };
    (count(true), count(false))
}

/// The documents of a cursor's batch.
fn batch(reply: &Document) -> Vec<Document> {
    let Ok(cursor) = reply.get_document("cursor") else { return Vec::new() };
    let batch = cursor.get_array("firstBatch").or_else(|_| cursor.get_array("nextBatch"));
    let documents = batch.map(|batch| batch.iter().filter_map(Bson::as_document).cloned());
    documents.map(Iterator::collect).unwrap_or_default()
}

/// Changes the documents that were found.
fn write_step(operation: OperationId, found: &Document, cx: &mut Apply<'_>) {
    let Some(running) = cx.state.convert.get_mut(operation) else { return };
    let cursor = found.get_document("cursor").ok().and_then(|cursor| cursor.get_i64("id").ok());
    running.cursor = cursor.unwrap_or(0);
    let path = &running.conversion.path;
    let pair = |document: &Document| {
        Some((document.get("_id")?.clone(), value_at(document, path)?.clone()))
    };
    running.step = batch(found).iter().filter_map(pair).collect();
    if running.step.is_empty() && running.cursor == 0 {
        return end(operation, None, cx);
    }
    let ids: Vec<Bson> = running.step.iter().map(|(id, _)| id.clone()).collect();
    let Namespace { db, collection } = running.namespace.clone();
    let command = running.conversion.update_step(&collection, ids);
    cx.write(Purpose::Convert(ConvertPurpose::Write(operation)), &db, command);
}

/// Counts what was changed and continues unless the user canceled.
fn next_step(operation: OperationId, found: &Document, cx: &mut Apply<'_>) {
    let Some(running) = cx.state.convert.get_mut(operation) else { return };
    running.changed += super::number::number(found, "nModified").unwrap_or(0);
    let step = std::mem::take(&mut running.step);
    if !running.is_undo {
        running.undo.add(step);
    }
    let (done, total) = (running.changed, running.total);
    let Namespace { db, collection } = running.namespace.clone();
    let (cursor, is_undo) = (running.cursor, running.is_undo);
    let Some(shown) = cx.state.operations.get_mut(operation) else { return };
    shown.progress.done = done;
    shown.progress.total = total.max(done);
    shown.progress.text = number::counted(done, "document", "documents");
    let is_cancelled = shown.cancel.as_ref().is_some_and(Cancel::is_cancelled);
    if is_undo && !is_cancelled {
        return undo_step(operation, cx);
    }
    if cursor == 0 || is_cancelled {
        if cursor != 0 {
            let purpose = Purpose::Convert(ConvertPurpose::Find(operation));
            cx.read(purpose, &db, close_cursor(&collection, cursor));
        }
        return end(operation, None, cx);
    }
    let command = more(&collection, cursor, CONVERT_STEP_DOCUMENTS);
    ask(ConvertPurpose::Find(operation), &db, command, cx);
}

/// Ends a conversion, and says what was changed and how to undo it.
fn end(operation: OperationId, error: Option<&str>, cx: &mut Apply<'_>) {
    let Some(running) = cx.state.convert.take(operation) else { return };
    let RunningConversion { namespace, conversion, changed, undo, is_undo, .. } = running;
    let state = &mut *cx.state;
    let shown = state.operations.get_mut(operation);
    let is_cancelled =
        shown.and_then(|shown| shown.cancel.as_ref()).is_some_and(Cancel::is_cancelled);
    let documents = number::counted(changed, "document", "documents");
    let path = &conversion.path;
    let mut text = if is_undo {
        format!("Restored {path} in {documents} of {namespace}")
    } else {
        format!("Converted {path} to dates in {documents} of {namespace}")
    };
    if undo.is_beyond() {
        text.push_str("; too many to be undone");
    }
    let (kind, stage) = match error {
        Some(error) => {
            text = format!("{text}, then it failed: {error}");
            (Kind::Error, Stage::Failed(text.clone()))
        }
        None if is_cancelled => {
            text.push_str(", then it was canceled");
            (Kind::Warning, Stage::Cancelled(text.clone()))
        }
        None => (Kind::Done, Stage::Done(text.clone())),
    };
    state.operations.end(operation, stage);
    state.changes.note(Some(&namespace));
    let offer = (!is_undo && !undo.is_empty())
        .then(|| ("Undo".to_owned(), Offer::UndoConversion(operation)));
    state.toasts.push(kind, text, offer, state.uptime);
    if !is_undo {
        state.convert.done = Some(DoneConversion { operation, namespace, conversion, undo });
    }
}

/// A command came back without having been done, because too much was asked at once.
pub fn dropped(purpose: &ConvertPurpose, cx: &mut Apply<'_>) {
    match purpose {
        ConvertPurpose::Check(operation)
        | ConvertPurpose::Find(operation)
        | ConvertPurpose::Write(operation) => {
            end(*operation, Some(TOO_MUCH), cx);
        }
        _ => {
            if let Some(open) = draft(cx.state) {
                open.looked_for = None;
            }
        }
    }
}

/// Ends everything, because the store closes.
pub fn close_all(state: &mut State) {
    for running in std::mem::take(&mut state.convert.running) {
        let text = "The store was closed".to_owned();
        state.operations.end(running.operation, Stage::Cancelled(text));
    }
    state.convert.done = None;
}
