//! The Expiry view of a tab.

mod chosen;
mod filters;
mod ledger;
mod server;
mod timeline;

use bson::{Bson, Document, doc};
use mayfly_engine::value::extjson::Layout;
use mayfly_engine::value::shell;

use self::chosen::{ChosenDocument, ChosenVerdict, RefreshDate};
pub(super) use self::server::deleted;
pub(super) use self::timeline::Soonest;
use self::timeline::{Cliff, Density, RangeCount, Reasons};
use super::{Apply, TOO_MUCH, documents, indexes};
use crate::action::ExpiryAction;
use crate::commands;
use crate::job::reply::number;
use crate::job::{RemovedDocument, RestoredDocument};
use crate::limits::{REASONS_DOCUMENTS_MAX, REMOVED_ROWS_REST};
use crate::state::documents::change;
use crate::state::expiry::{ExpiryView, Lane, SavedExpiry, ShownPass};
use crate::state::reasons::index_of_reasons;
use crate::state::toasts::Kind;
use crate::state::{State, Tab, TabId};
use crate::worker::{Reply, code};

/// Carries out one action.
pub fn apply(tab: TabId, action: ExpiryAction, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    match action {
        ExpiryAction::Refresh => refresh(tab, cx),
        ExpiryAction::RefreshDensity => ask_density(tab, cx),
        ExpiryAction::CountReasons => ask_reasons(tab, cx),
        ExpiryAction::ChooseIndex(index) => {
            with(cx.state, tab, |view| view.choose_index(index));
            save(tab, cx.state);
            refresh(tab, cx);
        }
        ExpiryAction::Show(mode) => {
            with(cx.state, tab, |view| view.mode = mode);
            save(tab, cx.state);
            ledger::ask_kept(tab, cx);
        }
        ExpiryAction::ZoomStep { further_out } => {
            with(cx.state, tab, |view| view.axis.zoom_step(further_out));
        }
        ExpiryAction::Zoom { factor, anchor } => {
            with(cx.state, tab, |view| view.axis.zoom(factor, anchor));
        }
        ExpiryAction::Pan(fraction) => with(cx.state, tab, |view| view.axis.pan(fraction)),
        ExpiryAction::Brush(brush) => {
            with(cx.state, tab, |view| view.brush = brush.map(|brush| view.on_slices(brush)));
            if brush.is_none() {
                ask_range(tab, cx);
            }
        }
        ExpiryAction::ListRange => ask_range(tab, cx),
        ExpiryAction::HideIndex { name, hidden } => hide_index(tab, &name, hidden, cx),
        ExpiryAction::FilterBrush => show_filter(tab, filters::brush, cx),
        ExpiryAction::ShowRange(from_ms, to_ms) => {
            with(cx.state, tab, |view| view.show_range(from_ms, to_ms, now_ms));
        }
        ExpiryAction::Follow => with(cx.state, tab, |view| view.axis.follow()),
        ExpiryAction::Fit => with(cx.state, tab, |view| view.fit(now_ms)),
        ExpiryAction::Select(id) => select(tab, id, None, cx),
        ExpiryAction::SelectRemoved(id, at_ms) => {
            select(tab, Some(id), Some(at_ms), cx);
            ledger::ask_kept(tab, cx);
        }
        ExpiryAction::Hold(held) => with(cx.state, tab, |view| view.hold(held, now_ms)),
        ExpiryAction::WhatIf => what_if(tab, cx),
        ExpiryAction::CreateIndex => indexes::open_create(tab, true, String::new(), cx),
        ExpiryAction::RefreshDate(id) => refresh_date(tab, id, cx),
        ExpiryAction::ShowDocument(id) => {
            let filter = shell_filter(&doc! { "_id": id });
            documents::show_filter(tab, filter, cx);
        }
        ExpiryAction::FilterNever(code) => show_filter(tab, |open| filters::never(open, &code), cx),
        ExpiryAction::FilterPhase { overdue } => {
            show_filter(tab, |open| filters::phase(open, overdue, now_ms), cx);
        }
        ExpiryAction::CopyLedger => ledger::copy(tab, cx),
        ExpiryAction::SaveLedger => ledger::save(tab, cx),
        ExpiryAction::Pick(id, removed_ms, how) => {
            with(cx.state, tab, |view| view.pick(&id, removed_ms, how));
            select(tab, Some(id), Some(removed_ms), cx);
        }
        ExpiryAction::PickRestorable => with(cx.state, tab, ExpiryView::pick_restorable),
        ExpiryAction::RestorePicked => ledger::restore(tab, cx),
    }
}

fn with(state: &mut State, tab: TabId, change: impl FnOnce(&mut ExpiryView)) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        change(&mut tab.expiry);
    }
}

/// Keeps the choices for the next start.
fn save(tab: TabId, state: &mut State) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        tab.saved_expiry = SavedExpiry { index: tab.expiry.index.clone(), mode: tab.expiry.mode };
    }
}

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
    ask_reasons_of_few(tab, cx);
    ask_document(tab, cx);
    ledger::ask_kept(tab, cx);
}

/// Queries the soonest documents again, and nothing else: a server tells nothing by itself.
pub(super) fn look_again(tab: TabId, cx: &mut Apply<'_>) {
    let uptime = cx.state.uptime;
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.expiry.looked = Some(uptime);
    let command = open.expiry.expiring_command(&open.namespace.collection);
    let db = open.namespace.db.clone();
    cx.ask(Soonest(tab), &db, command);
}

/// Queries the documents of the chosen range, or the soonest ones again, and how many they are.
fn ask_range(tab: TabId, cx: &mut Apply<'_>) {
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

/// Shows documents as if a TTL index did not exist, or with it again.
fn hide_index(tab: TabId, name: &str, hidden: bool, cx: &mut Apply<'_>) {
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

/// Queries the reasons where counting them costs little.
fn ask_reasons_of_few(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let counted = open.expiry.totals.as_ref().map(|totals| totals.documents().likely());
    let documents = cx.state.tree.documents_of(&open.namespace).or(counted);
    if documents.is_some_and(|count| count <= REASONS_DOCUMENTS_MAX) {
        ask_reasons(tab, cx);
    }
}

fn ask_density(tab: TabId, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.expiry.ask_density(now_ms);
    let command = open.expiry.forecast_command(&open.namespace.collection, now_ms);
    let db = open.namespace.db.clone();
    cx.ask(Density(tab), &db, command);
}

/// Queries why documents never expire, with the seconds that the index has now.
fn ask_reasons(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let Some(index) = index_of_reasons(open) else { return };
    let index = doc! { "name": &index.name, "expireAfterSeconds": index.secs };
    let command = commands::expiry::what_if(&open.namespace.collection, index);
    let db = open.namespace.db.clone();
    with(cx.state, tab, |view| view.reasons_refused = None);
    cx.ask(Reasons(tab), &db, command);
}

fn select(tab: TabId, id: Option<Bson>, removed_ms: Option<i64>, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    open.expiry.selected = id;
    open.expiry.selected_removed_ms = removed_ms;
    (open.expiry.document, open.expiry.verdict) = (None, None);
    ask_document(tab, cx);
}

/// Queries the selected document, unless it is a tombstone: the stored one is another document.
fn ask_document(tab: TabId, cx: &mut Apply<'_>) {
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
fn ask_verdict(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let view = &open.expiry;
    let id = view.selected.clone().filter(|_| view.selected_removed_ms.is_none());
    let Some(id) = id.filter(|_| open.indexes.ttl().len() > 1) else { return };
    let command = commands::expiry::verdict(&open.namespace.collection, id);
    let db = open.namespace.db.clone();
    cx.ask(ChosenVerdict(tab), &db, command);
}

fn what_if(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let ttl = open.indexes.ttl();
    let chosen = open.expiry.index.clone().or_else(|| ttl.first().map(|index| index.name.clone()));
    match chosen {
        Some(name) => indexes::open_change_ttl(tab, &name, cx),
        None => indexes::open_create(tab, true, String::new(), cx),
    }
}

/// Sets the date that the index reads to now, as a heartbeat does. Several dates are not replaced
/// by the one of now.
fn refresh_date(tab: TabId, id: Bson, cx: &mut Apply<'_>) {
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

/// Shows documents in the Documents view, or says why no filter can match them.
fn show_filter(
    tab: TabId,
    filter: impl FnOnce(&Tab) -> Result<String, &'static str>,
    cx: &mut Apply<'_>,
) {
    match cx.state.tabs.get(tab).map(filter) {
        Some(Ok(filter)) => documents::show_filter(tab, filter, cx),
        Some(Err(why)) => cx.toast(Kind::Info, why),
        None => {}
    }
}

fn shell_filter(filter: &Document) -> String {
    shell::write_value(&Bson::Document(filter.clone()), Layout::OneLine)
}

/// A pass removed documents: every open view of their collections shows it.
pub fn removed(documents: &[RemovedDocument], more: u64, state: &mut State) {
    let only = documents.first().map(|document| document.namespace.clone());
    let (uptime, now_ms, clock) = (state.uptime, state.now_ms(), state.clock.clone());
    for tab in state.tabs.open_mut() {
        let here: Vec<&RemovedDocument> =
            documents.iter().filter(|document| document.namespace == tab.namespace).collect();
        let Some(first) = here.first() else { continue };
        // Documents that are not listed belong to the collection of those that are.
        let unlisted = if only.as_ref() == Some(&tab.namespace) { more } else { 0 };
        let view = &mut tab.expiry;
        view.take_removed(here.iter().map(|document| Lane::from(*document)), unlisted);
        // An event is of one index.
        if view.shows(&first.index) {
            // On a fast clock rows must not wait until they have left the axis.
            let eighth = clock.real_time_until(now_ms.saturating_add(view.axis.span_ms() / 8));
            let rest = eighth.unwrap_or(REMOVED_ROWS_REST).min(REMOVED_ROWS_REST);
            let count = (here.len() as u64).saturating_add(unlisted);
            let since_ms = here.iter().map(|document| document.threshold_ms).min();
            view.note_pass(ShownPass {
                number: first.pass,
                removed: count,
                at_ms: first.removed_ms,
                since_ms: since_ms.unwrap_or(first.threshold_ms),
                seen: uptime,
                rests_until: uptime.saturating_add(rest),
            });
        }
    }
}

/// Documents were restored: every ledger of their collections says so.
pub fn restored(documents: &[RestoredDocument], state: &mut State) {
    for tab in state.tabs.open_mut() {
        let here = documents.iter().filter(|document| document.namespace == tab.namespace);
        let removals = here.map(|document| (document.id.clone(), document.removed_ms));
        tab.expiry.note_restored(removals);
    }
}

/// Queries whether many documents of one slice share a minute.
fn ask_cliff(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let Some(command) = open.expiry.cliff_command(&open.namespace.collection) else { return };
    let db = open.namespace.db.clone();
    cx.ask(Cliff(tab), &db, command);
}

/// Reports a rejected change, and one that came too late.
fn date_refreshed(reply: &Document, cx: &mut Apply<'_>) {
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

/// The result of a question, unless it was refused.
fn found<'r>(tab: TabId, reply: &'r Reply, cx: &mut Apply<'_>) -> Option<&'r Document> {
    refusal(tab, reply, cx);
    reply.ok()
}

/// Why a question was refused, unless the view asks it again by itself.
fn refusal<'r>(tab: TabId, reply: &'r Reply, cx: &mut Apply<'_>) -> Option<&'r str> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::Effects;
    use crate::apply::question::Question;
    use crate::state::Namespace;

    fn open() -> (State, TabId) {
        let mut state = State::default();
        let tab = state.tabs.show(&Namespace::new("d", "c")).expect("a tab");
        (state, tab)
    }

    fn answered<Q: Question<Answer = Reply>>(
        question: &Q,
        command: Document,
        found: Document,
        state: &mut State,
    ) {
        let reply = Reply { db: "d".to_owned(), command, result: Ok(found), code: None, micros: 1 };
        question.answered(0, reply, &mut Apply::new(state, &mut Effects::default()));
    }

    #[test]
    fn an_answer_about_another_index_is_not_shown() {
        let (mut state, tab) = open();
        with(&mut state, tab, |view| view.index = Some("b_1".to_owned()));
        let date = bson::DateTime::from_millis(9);
        let row = doc! { "_id": 1, "index": "a_1", "field": "a", "base": date, "threshold": date };
        let found = doc! { "batch": [row] };
        let loaded = |state: &State| state.tabs.open()[0].expiry.loaded;
        for other in [doc! { "index": "a_1" }, doc! {}] {
            answered(&Soonest(tab), other, found.clone(), &mut state);
            assert!(!loaded(&state));
        }
        answered(&Soonest(tab), doc! { "index": "b_1" }, found, &mut state);
        assert!(loaded(&state));
    }

    #[test]
    fn another_document_is_not_shown_beside_the_chosen_one() {
        let (mut state, tab) = open();
        let mut effects = Effects::default();
        select(tab, Some(Bson::Int32(2)), None, &mut Apply::new(&mut state, &mut effects));
        let shown = |state: &State| state.tabs.open()[0].expiry.document.clone();
        for (id, expected) in [(1, None), (2, Some(doc! { "_id": 2 }))] {
            let found = doc! { "cursor": { "firstBatch": [{ "_id": id }] } };
            let command = change::read("c", &[Bson::Int32(id)]);
            answered(&ChosenDocument(tab), command, found, &mut state);
            assert_eq!(shown(&state), expected, "{id}");
        }
    }

    #[test]
    fn a_date_that_was_not_refreshed_is_told() {
        let check = |found: Document, expected: Option<Kind>| {
            let (mut state, tab) = open();
            answered(&RefreshDate(tab), doc! {}, found.clone(), &mut state);
            let told = state.toasts.list().first().map(|toast| toast.kind);
            assert_eq!(told, expected, "{found}");
        };
        check(doc! { "n": 1 }, None);
        check(doc! { "n": 0 }, Some(Kind::Warning));
        check(doc! { "n": 0, "writeErrors": [{ "errmsg": "no" }] }, Some(Kind::Error));
    }
}
