//! The chosen document.

use bson::{Bson, Document};
use mayfly_engine::reply::Verdict;

use super::tab::with;
use crate::apply::effects::TOO_MUCH;
use crate::apply::question::Question;
use crate::apply::{Apply, indexes};
use crate::commands;
use crate::job::reply;
use crate::state::TabId;
use crate::state::documents::change;
use crate::worker::{Reply, code};

#[derive(Debug, PartialEq)]
pub(super) struct ChosenDocument(pub TabId);

impl Question for ChosenDocument {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(found) = found(self.0, &reply, cx) else { return };
        let document = reply::batch(found).next().cloned();
        let asked = reply.command.get_document("filter").ok().cloned();
        with(cx.state, self.0, |view| {
            if view.selected.clone().map(change::by_id) == asked {
                view.document = document;
            }
        });
    }
}

/// The verdict of each TTL index on it.
#[derive(Debug, PartialEq)]
pub(super) struct ChosenVerdict(pub TabId);

impl Question for ChosenVerdict {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let Some(found) = found(self.0, &reply, cx) else { return };
        with(cx.state, self.0, |view| {
            if view.selected.as_ref() == reply.command.get("id") {
                view.verdict = Verdict::from_document(found);
            }
        });
    }
}

pub(super) fn select(tab: TabId, id: Option<Bson>, removed_ms: Option<i64>, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.expiry.selected = id;
    open.expiry.selected_removed_ms = removed_ms;
    (open.expiry.document, open.expiry.verdict) = (None, None);
    ask_document(tab, cx);
}

/// Queries the selected document, unless it is a tombstone: the stored one is another document.
pub(super) fn ask_document(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let view = &open.expiry;
    let Some(id) = view.selected.clone().filter(|_| view.selected_removed_ms.is_none()) else {
        return;
    };
    let command = change::read(&open.namespace.collection, &[id]);
    let db = open.namespace.db.clone();
    cx.ask(ChosenDocument(tab), &db, command);
    ask_verdict(tab, cx);
}

/// Queries what each TTL index says about the selected document, where there are several.
pub(super) fn ask_verdict(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let view = &open.expiry;
    let id = view.selected.clone().filter(|_| view.selected_removed_ms.is_none());
    let Some(id) = id.filter(|_| open.indexes.ttl().len() > 1) else { return };
    let command = commands::expiry::verdict(&open.namespace.collection, id);
    let db = open.namespace.db.clone();
    cx.ask(ChosenVerdict(tab), &db, command);
}

/// The result of a question, unless it was refused.
pub(super) fn found<'r>(tab: TabId, reply: &'r Reply, cx: &mut Apply<'_>) -> Option<&'r Document> {
    refusal(tab, reply, cx);
    reply.ok()
}

/// Why a question was refused, unless the view asks it again by itself.
pub(super) fn refusal<'r>(tab: TabId, reply: &'r Reply, cx: &mut Apply<'_>) -> Option<&'r str> {
    if reply.failed_with(code::INDEX_NOT_FOUND) {
        // Another program dropped it: with the list, the view shows what is left.
        indexes::refresh(tab, cx);
        return None;
    }
    let error = reply.error()?;
    if error == TOO_MUCH {
        with(cx.state, tab, |view| view.asked = false);
        return None;
    }
    Some(error)
}
