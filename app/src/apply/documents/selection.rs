//! Selections of more rows than are loaded: the store is asked for their `_id`.

use bson::Bson;

use super::reading::{ask, documents};
use super::with;
use crate::apply::Apply;
use crate::limits::SELECTED_MAX;
use crate::state::documents::change::id_of;
use crate::state::documents::{Purpose, RowRange};
use crate::state::number;
use crate::state::toasts::Kind;
use crate::state::{State, TabId};
use crate::worker::Reply;

/// Selects a range of rows, or says that it is too long and selects nothing new.
pub fn range(tab: TabId, range: RowRange, cx: &mut Apply<'_>) {
    if range.count > SELECTED_MAX as u64 {
        too_many(Some(range.count), cx.state);
        return;
    }
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    if open.documents.select_loaded(&range) {
        return;
    }
    let command = open.documents.find_ids(&open.namespace.collection, range.first, range.count);
    ask(tab, Purpose::Range(range), command, cx);
}

/// Selects every document that matches, or says that there are too many.
pub fn all(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let total = open.documents.pages.total();
    if total.is_some_and(|total| total > SELECTED_MAX as u64) {
        too_many(total, cx.state);
        return;
    }
    let (collection, count) = (&open.namespace.collection, SELECTED_MAX as u64 + 1);
    let command = open.documents.find_ids(collection, 0, count);
    ask(tab, Purpose::All, command, cx);
}

/// Says how many documents can be selected.
pub fn too_many(count: Option<u64>, state: &mut State) {
    let most = number::count(SELECTED_MAX as u64);
    let text = match count {
        Some(count) => format!(
            "You can select up to {most} documents; these are {}. Use a filter to select fewer",
            number::count(count)
        ),
        None => format!("You can select up to {most} documents"),
    };
    state.toasts.push(Kind::Warning, text, None, state.uptime);
}

/// The `_id` of each row of a range came.
pub fn ranged(tab: TabId, range: &RowRange, reply: &Reply, state: &mut State) {
    let Some(open) = state.tabs.get(tab) else { return };
    let collection = &open.namespace.collection;
    // By now another query may run.
    if open.documents.find_ids(collection, range.first, range.count) != reply.command {
        return;
    }
    let Some(ids) = ids(reply, state) else { return };
    select(tab, range.within(ids), range.count, state);
}

/// The `_id` of every document that matches came.
pub fn all_found(tab: TabId, reply: &Reply, state: &mut State) {
    let Some(open) = state.tabs.get(tab) else { return };
    let count = SELECTED_MAX as u64 + 1;
    if open.documents.find_ids(&open.namespace.collection, 0, count) != reply.command {
        return;
    }
    let total = open.documents.pages.total();
    let Some(ids) = ids(reply, state) else { return };
    if ids.len() > SELECTED_MAX {
        too_many(total.filter(|total| *total >= count), state);
        return;
    }
    let expected = total.unwrap_or(ids.len() as u64);
    select(tab, ids, expected, state);
}

fn ids(reply: &Reply, state: &mut State) -> Option<Vec<Bson>> {
    match &reply.result {
        Ok(found) => Some(documents(found).iter().map(id_of).collect()),
        Err(error) => {
            state.toasts.push(Kind::Error, error.clone(), None, state.uptime);
            None
        }
    }
}

fn select(tab: TabId, ids: Vec<Bson>, expected: u64, state: &mut State) {
    let found = ids.len() as u64;
    with(state, tab, |view| view.select_all(ids));
    if found < expected {
        let text = format!(
            "Selected {} of {} documents; the others were removed or have very long _id values",
            number::count(found),
            number::count(expected)
        );
        state.toasts.push(Kind::Info, text, None, state.uptime);
    }
}
