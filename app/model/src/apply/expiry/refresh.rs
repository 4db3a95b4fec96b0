//! The Expiry view asks again: when it is shown, after a change, and once the indexes are known.

use bson::{Bson, Document};

use super::chosen::refusal;
use super::chosen::{ask_document, ask_verdict};
use super::ledger;
use super::timeline::{RangeCount, Soonest, ask_density, ask_reasons_of_few};
use super::what_if;
use crate::apply::question::Question;
use crate::apply::{Apply, documents, indexes};
use crate::commands;
use crate::job::reply::number;
use crate::state::TabId;
use crate::state::toasts::Kind;
use crate::worker::Reply;

/// Queries everything the view shows. Called when the view is first shown, when the user asks, and
/// when the data changed while the view is shown.
pub fn refresh(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    if !open.expiry.restored {
        open.expiry.restored = true;
        open.expiry.index.clone_from(&open.saved_expiry.index);
        open.expiry.mode = open.saved_expiry.mode;
    }
    open.expiry.asked = true;
    open.expiry.looked = Some(cx.state.uptime);
    open.expiry.late_looks = 0;
    let indexes_asked = open.indexes.asked;
    let (db, collection) = (open.namespace.db.clone(), open.namespace.collection.clone());
    let command = open.expiry.expiring_command(&collection);
    let range = open.expiry.range_command(&collection);
    cx.ask(Soonest(tab), &db, command);
    if let Some(range) = range {
        cx.ask(RangeCount(tab), &db, range);
    }
    if !indexes_asked {
        indexes::refresh(tab, cx);
    }
    ask_density(tab, cx);
    what_if::ask_again(tab, cx);
    ask_reasons_of_few(tab, cx);
    ask_document(tab, cx);
    ledger::ask_kept(tab, cx);
}

/// Shows documents as if a TTL index did not exist, or with it again.
pub(super) fn hide_index(tab: TabId, name: &str, hidden: bool, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let ttl = open.indexes.ttl();
    let view = &open.expiry;
    let is_shown = |index: &str| if index == name { !hidden } else { view.shows(index) };
    let shown: Vec<String> =
        ttl.iter().map(|index| index.name.clone()).filter(|index| is_shown(index)).collect();
    let only = if shown.len() == ttl.len() { Vec::new() } else { shown };
    if hidden && only.is_empty() {
        return;
    }
    open.expiry.show_only(only);
    refresh(tab, cx);
}

/// The indexes came: what had to wait for them is asked.
pub fn indexes_known(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let ttl = open.indexes.ttl();
    // A hidden index, or one of the others, was dropped.
    let is_there = |name: &String| ttl.iter().any(|index| index.name == *name);
    let is_outdated = !open.expiry.only.iter().all(is_there)
        || !open.expiry.only.is_empty() && open.expiry.only.len() == ttl.len();
    if is_outdated {
        open.expiry.show_only(Vec::new());
        refresh(tab, cx);
    } else if open.expiry.asked {
        ask_reasons_of_few(tab, cx);
        ask_verdict(tab, cx);
    }
}

/// Sets the date that the index reads to now, as a heartbeat does. Several dates are not replaced
/// by the one of now.
pub(super) fn refresh_date(tab: TabId, id: Bson, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let mut waiting = open.expiry.lanes.iter().filter(|lane| lane.removed_ms.is_none());
    let Some(lane) = waiting.find(|lane| lane.id == id) else { return };
    if lane.field == "_ts" {
        let text = "_ts is the last modification time; save any change to the document to restart \
                    its TTL";
        cx.toast(Kind::Info, text);
        return;
    }
    let collection = &open.namespace.collection;
    let command = commands::expiry::set_date(collection, id, &lane.field, now_ms);
    let db = open.namespace.db.clone();
    cx.change(RefreshDate(tab), &db, command);
}

/// Reports a rejected change, and one that came too late.
pub(super) fn date_refreshed(reply: &Document, cx: &mut Apply<'_>) {
    let said = match documents::first_write_error(reply) {
        Some(error) => (Kind::Error, error),
        None if number(reply, "n") == Some(0) => {
            let text = "Date not refreshed: the document was removed, or the field holds several \
                        dates. Edit the document to change them";
            (Kind::Warning, text.to_owned())
        }
        None => return,
    };
    cx.toast(said.0, said.1);
}

/// A date that is set to now.
#[derive(Debug, PartialEq)]
pub(super) struct RefreshDate(pub TabId);

impl Question for RefreshDate {
    type Answer = Reply;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(error) = refusal(self.0, &reply, cx) {
            cx.toast(Kind::Error, error);
        }
        if let Some(found) = reply.ok() {
            date_refreshed(found, cx);
            refresh(self.0, cx);
        }
    }
}
