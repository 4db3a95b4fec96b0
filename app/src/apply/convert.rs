//! Text and numbers of a field to dates: the dialog, and the start of the change.

use bson::{Bson, Document};

use super::documents::bulk;
use super::{Apply, lock};
use crate::action::ConvertAction;
use crate::commands::convert::sample;
use crate::commands::documents;
use crate::limits::{
    CONVERT_COUNT_MS, CONVERT_PREVIEW_DOCUMENTS, CONVERT_READ_BYTES, CONVERT_SAMPLE_DOCUMENTS,
};
use crate::state::convert::{ConvertCounts, ConvertDraft};
use crate::state::dialogs::Dialog;
use crate::state::documents::Origin;
use crate::state::documents::pages::estimated_bytes;
use crate::state::purpose::ConvertPurpose;
use crate::state::tabs::Tab;
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
    if cx.state.store.connection.is_some() {
        // A server may have far more documents than may be looked at for a preview.
        let read = conversion.read_some(collection, CONVERT_SAMPLE_DOCUMENTS);
        let read = ask(ConvertPurpose::Read, db, read, cx);
        if let Some(open) = draft(cx.state) {
            open.preview = Loadable::Waiting(read);
            (open.failing, open.counts) = (Loadable::Waiting(read), Loadable::Waiting(read));
        }
        return;
    }
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
    if lock::refuses(cx.state) {
        return;
    }
    cx.state.dialogs.close();
    let has_it = |tab: &&Tab| tab.namespace == namespace;
    let tab = cx.state.tabs.open().iter().find(has_it).map(|tab| tab.id);
    let Some(tab) = tab.or_else(|| cx.state.tabs.show(&namespace)) else { return };
    bulk::start(tab, conversion.change(), Origin::Person, cx);
}

/// Values of a server were read. If there are more, their documents are counted.
fn read(reply: &Reply, cx: &mut Apply<'_>) {
    let Some(open) = draft(cx.state) else { return };
    let (Some(namespace), Some(conversion)) = (open.namespace.clone(), open.looked_for.clone())
    else {
        return;
    };
    let documents = match reply.result.as_ref() {
        Ok(found) => batch(found),
        Err(error) => {
            open.preview = Loadable::Failed(error.clone());
            (open.failing, open.counts) = Default::default();
            return;
        }
    };
    let bytes: usize = documents.iter().map(estimated_bytes).sum();
    // One reply holds no more than 16 MiB.
    let count = i64::try_from(documents.len()).unwrap_or(i64::MAX);
    let is_all = count < CONVERT_SAMPLE_DOCUMENTS && bytes < CONVERT_READ_BYTES;
    if !open.take_read(&conversion, &documents, is_all) {
        return;
    }
    let count = conversion.count_candidates(&namespace.collection, CONVERT_COUNT_MS);
    let generation = ask(ConvertPurpose::CountAll, &namespace.db, count, cx);
    if let Some(open) = draft(cx.state) {
        open.counting = Some(generation);
    }
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
        ConvertPurpose::Read => {
            let is_asked = |open: &mut ConvertDraft| open.preview == Loadable::Waiting(generation);
            if draft(cx.state).is_some_and(is_asked) {
                read(reply, cx);
            }
        }
        ConvertPurpose::CountAll => {
            let open = draft(cx.state).filter(|open| open.counting == Some(generation));
            if let (Some(open), Ok(found)) = (open, reply.result.as_ref()) {
                open.take_count(super::number::number(found, "n").unwrap_or(0));
            }
        }
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
fn counts(groups: &[Document]) -> ConvertCounts {
    let count = |is_date: bool| {
        let of =
            groups.iter().filter(|group| (group.get_str("_id").ok() == Some("date")) == is_date);
        of.filter_map(|group| super::number::number(group, "n")).sum()
    };
    ConvertCounts { converts: count(true), fails: count(false), of: None }
}

/// The documents of a cursor's batch.
fn batch(reply: &Document) -> Vec<Document> {
    let Ok(cursor) = reply.get_document("cursor") else { return Vec::new() };
    let batch = cursor.get_array("firstBatch").or_else(|_| cursor.get_array("nextBatch"));
    let documents = batch.map(|batch| batch.iter().filter_map(Bson::as_document).cloned());
    documents.map(Iterator::collect).unwrap_or_default()
}

/// A command came back without having been done, because too much was asked at once.
pub fn dropped(cx: &mut Apply<'_>) {
    if let Some(open) = draft(cx.state) {
        open.looked_for = None;
    }
}
