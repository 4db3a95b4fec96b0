//! Text and numbers of a field to dates: the dialog, the check before the change, and its start.

use bson::{Bson, Document};
use mayfly_engine::transfer::Unconverted;

use super::documents::bulk;
use super::{Apply, TOO_MUCH};
use crate::action::ConvertAction;
use crate::commands::convert::sample;
use crate::commands::documents;
use crate::limits::{CONVERT_PREVIEW_DOCUMENTS, CONVERT_SAMPLE_DOCUMENTS};
use crate::state::convert::{CheckedConversion, ConvertDraft, failing_words};
use crate::state::dialogs::Dialog;
use crate::state::documents::Origin;
use crate::state::purpose::ConvertPurpose;
use crate::state::tabs::Tab;
use crate::state::toasts::Kind;
use crate::state::transfer::Loadable;
use crate::state::{Namespace, Purpose, State};
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
    cx.state.dialogs.close();
    let has_it = |tab: &&Tab| tab.namespace == namespace;
    let tab = cx.state.tabs.open().iter().find(has_it).map(|tab| tab.id);
    let Some(tab) = tab.or_else(|| cx.state.tabs.show(&namespace)) else { return };
    if conversion.unconverted != Unconverted::Reject {
        return bulk::start(tab, conversion.change(), Origin::Person, cx);
    }
    // The dialog has counted, but documents may have changed since.
    let check = conversion.check(&namespace.collection);
    let generation = ask(ConvertPurpose::Check, &namespace.db, check, cx);
    cx.state.convert.checking.push(CheckedConversion { generation, tab, conversion });
}

/// Begins to write if every value converts; else names documents whose value does not.
fn checked(generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    let Some(CheckedConversion { tab, conversion, .. }) = cx.state.convert.take(generation) else {
        return;
    };
    let failing = reply.result.as_ref().map(|found| failing(&batch(found)));
    let text = match failing {
        Ok(failing) if failing.is_empty() => {
            return bulk::start(tab, conversion.change(), Origin::Person, cx);
        }
        Ok(failing) => format!(
            "Nothing was converted, because values of {} do not convert: {}",
            conversion.path,
            failing_words(&conversion, &failing)
        ),
        Err(error) => format!("Nothing was converted: {error}"),
    };
    cx.state.toasts.push(Kind::Error, text, None, cx.state.uptime);
}

/// The `_id` and the value of each document of a check.
fn failing(found: &[Document]) -> Vec<(Bson, Bson)> {
    let pair =
        |document: &Document| Some((document.get("_id")?.clone(), document.get("before")?.clone()));
    found.iter().filter_map(pair).collect()
}

/// Handles a reply.
pub fn answer(purpose: &ConvertPurpose, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    match purpose {
        ConvertPurpose::Fields
        | ConvertPurpose::Sample
        | ConvertPurpose::Preview
        | ConvertPurpose::Failing
        | ConvertPurpose::Count => looked(purpose, generation, reply, cx),
        ConvertPurpose::Check => checked(generation, reply, cx),
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

/// A command came back without having been done, because too much was asked at once.
pub fn dropped(purpose: &ConvertPurpose, generation: u64, cx: &mut Apply<'_>) {
    if *purpose != ConvertPurpose::Check {
        if let Some(open) = draft(cx.state) {
            open.looked_for = None;
        }
    } else if cx.state.convert.take(generation).is_some() {
        cx.state.toasts.push(Kind::Error, TOO_MUCH, None, cx.state.uptime);
    }
}
