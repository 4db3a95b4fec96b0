//! Questions about when documents expire, and why some never do.

use bson::doc;

use super::chosen::{found, refusal};
use super::server;
use super::tab::with;
use crate::apply::Apply;
use crate::apply::indexes;
use crate::apply::question::Question;
use crate::commands;
use crate::job::slow_read::SlowRead;
use crate::limits::{REASONS_DOCUMENTS_MAX, SERVER_LATE_LOOKS_MAX};
use crate::state::expiry::Totals;
use crate::state::reasons::index_of_reasons;
use crate::state::toasts::Kind;
use crate::state::{State, TabId};
use crate::worker::{Reply, code};

/// The soonest documents.
#[derive(Debug, PartialEq)]
pub(in crate::apply) struct Soonest(pub TabId);

impl Question for Soonest {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::OfTab))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        note_gone(self.0, &reply, cx.state);
        if let Some(error) = refusal(self.0, &reply, cx) {
            return soonest_refused(self.0, &reply, error, cx);
        }
        let Some(found) = reply.ok().filter(|_| is_about_shown(self.0, &reply, cx.state)) else {
            return;
        };
        if server::take_soonest(self.0, &reply.command, found, cx.state) {
            indexes::refresh(self.0, cx);
        }
    }
}

/// The view can't be without these documents, so the user learns why a server does not list them.
fn soonest_refused(tab: TabId, reply: &Reply, error: &str, cx: &mut Apply<'_>) {
    if reply.is_late() {
        with(cx.state, tab, |view| view.late_looks += 1);
        let late = cx.state.tabs.get(tab).map_or(0, |open| open.expiry.late_looks);
        if late >= SERVER_LATE_LOOKS_MAX {
            return cx.warn("The server answers too late; Refresh looks again");
        }
    }
    if cx.state.store.connection.is_some() {
        cx.toast(Kind::Error, format!("The server doesn't list what expires: {error}"));
    }
}

/// How many documents expire when.
#[derive(Debug, PartialEq)]
pub(super) struct Density(pub TabId);

impl Question for Density {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::OfTab))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        note_gone(self.0, &reply, cx.state);
        let now_ms = cx.state.now_ms();
        let Some(found) = found(self.0, &reply, cx) else { return };
        if !is_about_shown(self.0, &reply, cx.state) {
            return;
        }
        with(cx.state, self.0, |view| view.take_forecast(&reply.command, found, now_ms));
        server::note_totals(self.0, cx.state);
        ask_cliff(self.0, cx);
        let Some(open) = cx.state.tabs.get(self.0) else { return };
        let lacks_reasons = open.expiry.totals.as_ref().is_some_and(Totals::lack_reasons);
        if open.expiry.lacks_lanes() {
            look_again(self.0, cx);
        }
        if lacks_reasons {
            ask_reasons_of_few(self.0, cx);
        }
    }
}

/// How many documents expire in the chosen range.
#[derive(Debug, PartialEq)]
pub(super) struct RangeCount(pub TabId);

impl Question for RangeCount {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::OfTab))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(found) = found(self.0, &reply, cx)
            && is_about_shown(self.0, &reply, cx.state)
        {
            with(cx.state, self.0, |view| view.take_range(&reply.command, found));
        }
    }
}

/// The minute in which most of many documents expire.
#[derive(Debug, PartialEq)]
pub(super) struct Cliff(pub TabId);

impl Question for Cliff {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::OfTab))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(found) = found(self.0, &reply, cx)
            && is_about_shown(self.0, &reply, cx.state)
        {
            with(cx.state, self.0, |view| view.take_cliff(&reply.command, found));
        }
    }
}

/// Why documents never expire.
#[derive(Debug, PartialEq)]
pub(super) struct Reasons(pub TabId);

impl Question for Reasons {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        Some((self.0, SlowRead::OfTab))
    }

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(error) = refusal(self.0, &reply, cx) {
            with(cx.state, self.0, |view| view.reasons_refused = Some(error.to_owned()));
        }
        let Some(open) = cx.state.tabs.get(self.0) else { return };
        let of = reply.command.get_document("index").and_then(|index| index.get_str("name")).ok();
        let is_shown = index_of_reasons(open).is_some_and(|index| of == Some(&*index.name));
        let now_ms = cx.state.now_ms();
        if let Some(found) = reply.ok().filter(|_| is_shown) {
            with(cx.state, self.0, |view| view.take_reasons(found, now_ms));
        }
    }
}

/// The collection was dropped.
fn note_gone(tab: TabId, reply: &Reply, state: &mut State) {
    if reply.failed_with(code::NAMESPACE_NOT_FOUND) {
        let now_ms = state.now_ms();
        with(state, tab, |view| view.take_gone(now_ms));
    }
}

/// Whether an answer is about the index that is shown now.
fn is_about_shown(tab: TabId, reply: &Reply, state: &State) -> bool {
    state.tabs.get(tab).is_some_and(|open| open.expiry.is_about_shown(&reply.command))
}

/// Queries the soonest documents again, and nothing else: a server tells nothing by itself.
pub(in crate::apply) fn look_again(tab: TabId, cx: &mut Apply<'_>) {
    let uptime = cx.state.uptime;
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.expiry.looked = Some(uptime);
    let command = open.expiry.expiring_command(&open.namespace.collection);
    let db = open.namespace.db.clone();
    cx.ask(Soonest(tab), &db, command);
}

/// Queries the documents of the chosen range, or the soonest ones again, and how many they are.
pub(super) fn ask_range(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab).filter(|open| open.expiry.awaits_range()) else {
        return;
    };
    let (db, collection) = (open.namespace.db.clone(), &open.namespace.collection);
    let command = open.expiry.expiring_command(collection);
    let range = open.expiry.range_command(collection);
    cx.ask(Soonest(tab), &db, command);
    if let Some(range) = range {
        cx.ask(RangeCount(tab), &db, range);
    }
}

/// Queries the reasons where counting them costs little.
pub(super) fn ask_reasons_of_few(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let counted = open.expiry.totals.as_ref().map(|totals| totals.documents().likely());
    let documents = cx.state.tree.documents_of(&open.namespace).or(counted);
    if documents.is_some_and(|count| count <= REASONS_DOCUMENTS_MAX) {
        ask_reasons(tab, cx);
    }
}

pub(super) fn ask_density(tab: TabId, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.expiry.ask_density(now_ms);
    let command = open.expiry.forecast_command(&open.namespace.collection, now_ms);
    let db = open.namespace.db.clone();
    cx.ask(Density(tab), &db, command);
}

/// Queries why documents never expire, with the seconds that the index has now.
pub(super) fn ask_reasons(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let Some(index) = index_of_reasons(open) else { return };
    let index = doc! { "name": &index.name, "expireAfterSeconds": index.secs };
    let command = commands::expiry::what_if(&open.namespace.collection, index);
    let db = open.namespace.db.clone();
    with(cx.state, tab, |view| view.reasons_refused = None);
    cx.ask(Reasons(tab), &db, command);
}

/// Queries whether many documents of one slice share a minute.
pub(super) fn ask_cliff(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let Some(command) = open.expiry.cliff_command(&open.namespace.collection) else { return };
    let db = open.namespace.db.clone();
    cx.ask(Cliff(tab), &db, command);
}
