//! Summaries of collections in the sidebar.

use mayfly_engine::reply::Forecast;

use crate::apply::Apply;
use crate::apply::question::Question;
use crate::apply::recount::{ask_figures, stale};
use crate::apply::tabs::{self, ask_unseen, next};
use crate::commands;
use crate::limits::{STRIP_BUCKETS, STRIP_SPAN_MS, SUMMARY_UNSEEN_MAX};
use crate::state::Namespace;
use crate::state::store::{Next, Order};
use crate::worker::Reply;

pub(super) fn sort(order: Order, cx: &mut Apply<'_>) {
    cx.state.settings.order = order;
    ask_unseen(SUMMARY_UNSEEN_MAX, cx);
}

pub(in crate::apply) fn load_summary(namespace: &Namespace, cx: &mut Apply<'_>) {
    let uptime = cx.state.uptime;
    let Some(collection) = cx.state.tree.collection_mut(namespace) else { return };
    collection.asked_at = Some(uptime);
    collection.stale = false;
    let is_view = collection.kind == "view";
    if is_view {
        collection.next = Next::NoTtl;
        tabs::choose_view(namespace, cx);
        return tabs::freshen(cx);
    }
    ask_figures(namespace, cx);
    next(namespace, cx);
    if cx.state.store.connection.is_some() {
        // The strip would cost a server a look at every document of each collection on the screen.
        return;
    }
    let from_ms = cx.state.now_ms();
    let to_ms = from_ms.saturating_add(STRIP_SPAN_MS);
    let buckets = i32::try_from(STRIP_BUCKETS).unwrap_or(i32::MAX);
    let command = commands::expiry::forecast(&namespace.collection, from_ms, to_ms, buckets, None);
    cx.ask(NextHour(namespace.clone()), &namespace.db, command);
}

/// The documents of a collection that expire in the next hour.
#[derive(Debug, PartialEq)]
pub(super) struct NextHour(pub Namespace);

impl Question for NextHour {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        if let Some(collection) = cx.state.tree.collection_mut(&self.0) {
            collection.forecast = reply.result.ok().as_ref().and_then(Forecast::from_document);
        }
    }

    fn refused(&self, _: u64, _: Reply, cx: &mut Apply<'_>) {
        stale(&self.0, cx.state);
    }
}
