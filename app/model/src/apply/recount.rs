//! Counts of a server's collections, which the header, the sidebar and dialogs show.

use std::time::Duration;

use bson::Document;

use super::Apply;
use super::question::Question;
use crate::commands;
use crate::job::Namespace;
use crate::job::reply::number;
use crate::limits::RECOUNT_MAX;
use crate::state::State;
use crate::worker::Reply;

/// Documents of a collection came or went, or of any. A store of Mayfly's tells its counts by itself.
pub(super) fn note(namespace: Option<&Namespace>, state: &mut State) {
    let uptime = state.uptime;
    let is_told = state.store.capabilities.reaper_events;
    let Some(connection) = state.store.connection.as_mut().filter(|_| !is_told) else { return };
    let tabs = state.tabs.open().iter().map(|tab| &tab.namespace);
    for open in tabs.filter(|open| namespace.is_none_or(|namespace| namespace == *open)) {
        connection.recounts.note(open, uptime);
    }
}

/// Counts what is due. Returns the time until something is again.
pub(super) fn settle(cx: &mut Apply<'_>) -> Option<Duration> {
    let uptime = cx.state.uptime;
    let tabs = cx.state.tabs.open();
    let is_open = |namespace: &Namespace| tabs.iter().any(|tab| tab.namespace == *namespace);
    let connection = cx.state.store.connection.as_mut()?;
    let due = connection.recounts.take_due(uptime, is_open);
    let next = connection.recounts.next();
    for namespace in due {
        let command = commands::store::count(&namespace.collection, RECOUNT_MAX);
        let db = namespace.db.clone();
        cx.ask(CountDocuments(namespace), &db, command);
    }
    next.map(|at| at.saturating_sub(uptime))
}

#[derive(Debug, PartialEq)]
struct CountDocuments(Namespace);

impl Question for CountDocuments {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        counted(&self.0, reply.result.ok().as_ref(), cx);
    }

    fn refused(&self, _: u64, _: Reply, cx: &mut Apply<'_>) {
        stale(&self.0, cx.state);
    }
}

/// Takes a count. The server's statistics are right enough for more documents than were counted.
fn counted(namespace: &Namespace, reply: Option<&Document>, cx: &mut Apply<'_>) {
    match reply.and_then(|reply| number(reply, "n")) {
        Some(count) if count < RECOUNT_MAX => {
            if let Some(collection) = cx.state.tree.collection_mut(namespace) {
                collection.documents = Some(count);
            }
        }
        _ => ask_figures(namespace, cx),
    }
}

/// Asks again later for the summary of a collection.
pub(super) fn stale(namespace: &Namespace, state: &mut State) {
    if let Some(collection) = state.tree.collection_mut(namespace) {
        collection.stale = true;
    }
}

/// Asks for the count and the size of a collection.
pub(super) fn ask_figures(namespace: &Namespace, cx: &mut Apply<'_>) {
    let command = commands::store::stats(&namespace.collection);
    cx.ask(Figures(namespace.clone()), &namespace.db, command);
}

/// The count and the size of a collection. Known ones stay while a server does not answer.
#[derive(Debug, PartialEq)]
pub(super) struct Figures(pub(super) Namespace);

impl Question for Figures {
    type Answer = Reply;
    const BACKGROUND: bool = true;

    fn answered(&self, _: u64, reply: Reply, cx: &mut Apply<'_>) {
        let collection = cx.state.tree.collection_mut(&self.0);
        if let (Ok(figures), Some(collection)) = (reply.result, collection) {
            collection.documents = number(&figures, "count");
            collection.bytes = number(&figures, "size");
            collection.is_capped = figures.get_bool("capped").unwrap_or(false);
        }
    }

    fn refused(&self, _: u64, _: Reply, cx: &mut Apply<'_>) {
        stale(&self.0, cx.state);
    }
}

#[cfg(test)]
mod tests {
    use bson::{DateTime, doc};

    use super::*;
    use crate::apply::question::Question;
    use crate::apply::{Effects, event, expiry};
    use crate::job::{Attached, ServerMark};
    use crate::state::connect::Connection;
    use crate::state::{Phase, TabId};

    fn attached() -> (State, TabId) {
        let mut state = State::default();
        state.store.phase = Phase::Open;
        state.store.connection = Some(Connection::new(Box::new(Attached {
            address: "mongodb://h/".to_owned(),
            name: "h".to_owned(),
            mark: ServerMark::default(),
            topology: "standalone".to_owned(),
            version: String::new(),
            ahead_ms: 0,
            pass_job: None,
            is_replica_set: false,
            slow_down: crate::job::server::SlowDown::default(),
            stored: crate::job::Stored::default(),
        })));
        state.tree.learn_databases(vec![("d".to_owned(), 1)]);
        state.tree.learn_collections("d", vec![("c".to_owned(), "collection".to_owned())]);
        let id = state.tabs.show(&Namespace::new("d", "c")).expect("a tab");
        (state, id)
    }

    /// The names of the commands that settling sends.
    fn settled(state: &mut State) -> Vec<String> {
        let mut effects = Effects::default();
        event::settle(&mut Apply::new(state, &mut effects));
        let commands =
            effects.jobs.iter().filter_map(|job| job.command()?.1.keys().next().cloned());
        commands.filter(|name| name == "count").collect()
    }

    fn look(state: &mut State, id: TabId, rows: &[i32]) {
        let at = DateTime::from_millis(-1_000);
        let row = |id: &i32| -> Document {
            doc! {
                "_id": *id, "index": "at_1", "field": "at", "base": at, "threshold": at,
                "source": "index", "state": "overdue",
            }
        };
        let page = doc! { "batch": rows.iter().map(row).collect::<Vec<_>>(), "ok": 1.0 };
        let reply = Reply::new("d".to_owned(), doc! { "mayflyExpiring": "c" }, Ok(page), 1);
        let mut effects = Effects::default();
        let cx = &mut Apply::new(state, &mut effects);
        expiry::Soonest(id).answered(1, reply, cx);
    }

    #[test]
    fn documents_are_counted_when_the_view_sees_that_some_are_gone() {
        let (mut state, id) = attached();
        look(&mut state, id, &[1, 2, 3]);
        assert!(settled(&mut state).is_empty(), "nothing is gone");
        look(&mut state, id, &[3]);
        assert_eq!(settled(&mut state), ["count"]);
        assert!(settled(&mut state).is_empty(), "once");
        state.uptime += Duration::from_secs(20);
        assert_eq!(settled(&mut state), ["count"], "a server's count may lag");
        state.uptime += Duration::from_secs(20);
        assert!(settled(&mut state).is_empty());
    }

    #[test]
    fn documents_are_counted_after_a_change() {
        let (mut state, _) = attached();
        let namespace = Namespace::new("d", "c");
        state.changes.note(Some(&namespace));
        settled(&mut state);
        assert_eq!(settled(&mut state), ["count"]);
        let mut effects = Effects::default();
        let cx = &mut Apply::new(&mut state, &mut effects);
        counted(&namespace, Some(&doc! { "n": 14 }), cx);
        assert_eq!(cx.state.tree.documents_of(&namespace), Some(14));
        let many = i64::try_from(RECOUNT_MAX).expect("few");
        counted(&namespace, Some(&doc! { "n": many }), cx);
        assert_eq!(cx.state.tree.documents_of(&namespace), Some(14));
        assert_eq!(effects.jobs.len(), 1, "there are more: the server's statistics");
    }
}
