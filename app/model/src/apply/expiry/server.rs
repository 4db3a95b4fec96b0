//! Removals, as a server's answers and its change stream report them.

use bson::Document;
use mayfly_engine::reply::DocCount;

use super::tab::with;
use crate::apply::recount;
use crate::job::{DeletedDocument, Namespace};
use crate::state::expiry::{Look, Totals};
use crate::state::store::Next;
use crate::state::{State, TabId};

/// A server's row in the sidebar is asked about only once: it follows the view that is looked at.
fn note_next(tab: TabId, command: &Document, reply: &Document, state: &mut State) {
    let is_all = ["index", "from", "to"].iter().all(|field| !command.contains_key(field));
    let Some(open) = state.tabs.get(tab).filter(|_| is_all) else { return };
    let namespace = open.namespace.clone();
    let next = Next::of(reply);
    if let Some(collection) = state.tree.collection_mut(&namespace) {
        collection.next = next;
    }
}

/// Takes the soonest documents. A server doesn't say what it removed; a store of Mayfly's does. Returns whether
/// another program has changed the rules.
pub(super) fn take_soonest(
    tab: TabId,
    command: &Document,
    reply: &Document,
    state: &mut State,
) -> bool {
    let (now_ms, is_told) = (state.now_ms(), state.store.capabilities.reaper_events);
    if !is_told {
        note_next(tab, command, reply, state);
    }
    let mut look = Look::default();
    with(state, tab, |view| look = view.take_look(command, reply, now_ms, is_told));
    if look.gone > 0 {
        let namespace = state.tabs.get(tab).map(|open| open.namespace.clone());
        recount::note(namespace.as_ref(), state);
    }
    if let (Some((from_ms, to_ms)), Some(connection)) = (look.pass, &mut state.store.connection) {
        connection.monitor.note_removal(from_ms, to_ms);
    }
    look.has_other_rules
}

/// The collection has as many documents as the totals, if these are exact.
pub(super) fn note_totals(tab: TabId, state: &mut State) {
    let Some(open) = state.tabs.get(tab).filter(|_| state.store.connection.is_some()) else {
        return;
    };
    let totals = open.expiry.totals.as_ref().map(Totals::documents);
    let namespace = open.namespace.clone();
    if let (Some(DocCount::Exact(count)), Some(collection)) =
        (totals, state.tree.collection_mut(&namespace))
    {
        collection.documents = Some(count);
    }
}

/// Takes deletions that a server's change stream reported.
pub(in crate::apply) fn deleted(
    namespace: &Namespace,
    documents: Vec<DeletedDocument>,
    missed: u64,
    state: &mut State,
) {
    let Some(tab) = state.tabs.open_mut().iter_mut().find(|tab| tab.namespace == *namespace) else {
        return;
    };
    let spans = tab.expiry.take_deleted(documents, missed);
    recount::note(Some(namespace), state);
    let Some(connection) = &mut state.store.connection else { return };
    connection.streams.has_news = true;
    // A pass takes a moment, and its documents go one after another.
    for (from_ms, to_ms) in spans {
        connection.monitor.note_removal(from_ms - PASS_MS, to_ms);
    }
}

/// How long before a removal its pass began, at most, as far as an estimate is concerned.
const PASS_MS: i64 = 1_000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::connect::Connection;

    #[test]
    fn a_collection_has_as_many_documents_as_exact_totals_say() {
        let mut state = State::default();
        state.store.connection = Some(Connection::new(Box::default()));
        state.tree.learn_databases(vec![("d".to_owned(), 1)]);
        state.tree.learn_collections("d", vec![("c".to_owned(), "collection".to_owned())]);
        let namespace = Namespace::new("d", "c");
        let id = state.tabs.show(&namespace).expect("a tab");
        let mut counted = |waiting| {
            let totals = Totals { overdue: 4.into(), waiting, ..Totals::default() };
            state.tabs.get_mut(id).expect("a tab").expiry.totals = Some(totals);
            note_totals(id, &mut state);
            state.tree.documents_of(&namespace)
        };
        assert_eq!(counted(10.into()), Some(14));
        assert_eq!(counted(DocCount::AtLeast(1_000)), Some(14), "that is no count");
    }
}
