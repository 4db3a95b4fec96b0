//! Documents read for the dialog of a conversion.

use bson::{Bson, Document};

use super::draft::{asker, draft};
use super::server::ReadValues;
use crate::apply::Apply;
use crate::apply::question::Question;
use crate::job::reply::{documents, number};
use crate::limits::{CONVERT_PREVIEW_DOCUMENTS, CONVERT_SAMPLE_DOCUMENTS};
use crate::state::convert::{ConvertCounts, ConvertDraft};
use crate::state::transfer::Loadable;
use crate::state::{Namespace, State};
use crate::worker::Reply;

/// Fields that look like dates.
#[derive(Debug, PartialEq)]
pub(super) struct DateFields;

impl Question for DateFields {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        let waits = |open: &ConvertDraft| open.fields == Loadable::Waiting(generation);
        let Some(open) = asker(&reply, waits, cx.state) else { return };
        open.take_fields(&reply.ok().map(documents).unwrap_or_default());
    }
}

#[derive(Debug, PartialEq)]
pub(super) struct SampleValues;

impl Question for SampleValues {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        let waits = |open: &ConvertDraft| open.detected == Loadable::Waiting(generation);
        let Some(open) = asker(&reply, waits, cx.state) else { return };
        match reply.result {
            Ok(found) => open.take_sample(&documents(&found)),
            Err(error) => open.detected = Loadable::Failed(error),
        }
        look(cx);
    }
}

/// Values before and after.
#[derive(Debug, PartialEq)]
pub(super) struct PreviewValues;

impl Question for PreviewValues {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        let waits = |open: &ConvertDraft| open.preview == Loadable::Waiting(generation);
        let Some(open) = asker(&reply, waits, cx.state) else { return };
        let pair = |document: &Document| {
            let value = |name| document.get(name).cloned().unwrap_or(Bson::Null);
            (value("before"), value("after"))
        };
        open.preview = loaded(reply, |all| all.iter().map(pair).collect());
    }
}

#[derive(Debug, PartialEq)]
pub(super) struct FailingValues;

impl Question for FailingValues {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        let waits = |open: &ConvertDraft| open.failing == Loadable::Waiting(generation);
        let Some(open) = asker(&reply, waits, cx.state) else { return };
        open.failing = loaded(reply, failing);
    }
}

/// How many values convert.
#[derive(Debug, PartialEq)]
pub(super) struct CountValues;

impl Question for CountValues {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, generation: u64, reply: Reply, cx: &mut Apply<'_>) {
        let waits = |open: &ConvertDraft| open.counts == Loadable::Waiting(generation);
        let Some(open) = asker(&reply, waits, cx.state) else { return };
        open.counts = loaded(reply, counts);
    }
}

fn loaded<T>(reply: Reply, read: impl FnOnce(&[Document]) -> T) -> Loadable<T> {
    match reply.result {
        Ok(found) => Loadable::Here(read(&documents(&found))),
        Err(error) => Loadable::Failed(error),
    }
}

/// The `_id` and the value of each document of a check.
fn failing(found: &[Document]) -> Vec<(Bson, Bson)> {
    let pair =
        |document: &Document| Some((document.get("_id")?.clone(), document.get("before")?.clone()));
    found.iter().filter_map(pair).collect()
}

fn counts(groups: &[Document]) -> ConvertCounts {
    let sum = |name: &str, is_date: bool| {
        let of =
            groups.iter().filter(|group| (group.get_str("_id").ok() == Some("date")) == is_date);
        of.filter_map(|group| number(group, name)).sum()
    };
    let (converts, fails, due) = (sum("n", true), sum("n", false), sum("due", true));
    ConvertCounts { converts, fails, due, of: None }
}

/// The TTL index on the field of the dialog, and the latest date that is past its threshold.
fn ttl(state: &mut State) -> Option<(String, i64)> {
    let open = draft(state)?;
    let (namespace, path) = (open.namespace.clone()?, open.path.trim().to_owned());
    let tab = state.tabs.open().iter().find(|tab| tab.namespace == namespace)?;
    let index = tab.indexes.ttl().into_iter().find(|index| index.field == path)?;
    let due_ms = state.now_ms().saturating_sub(index.secs.saturating_mul(1_000));
    Some((index.name, due_ms))
}

/// Previews and counts what the dialog would do.
pub(super) fn look(cx: &mut Apply<'_>) {
    let ttl = ttl(cx.state);
    let Some(open) = draft(cx.state) else { return };
    let due_ms = ttl.as_ref().map(|(_, due_ms)| *due_ms);
    open.ttl = ttl;
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
        let read = cx.ask(ReadValues, db, read);
        if let Some(open) = draft(cx.state) {
            open.preview = Loadable::Waiting(read);
            (open.failing, open.counts) = (Loadable::Waiting(read), Loadable::Waiting(read));
        }
        return;
    }
    let preview = conversion.preview(collection, CONVERT_PREVIEW_DOCUMENTS, false);
    let preview = cx.ask(PreviewValues, db, preview);
    let failing = cx.ask(FailingValues, db, conversion.check(collection));
    let counts = cx.ask(CountValues, db, conversion.count(collection, due_ms));
    if let Some(open) = draft(cx.state) {
        open.preview = Loadable::Waiting(preview);
        open.failing = Loadable::Waiting(failing);
        open.counts = Loadable::Waiting(counts);
    }
}
