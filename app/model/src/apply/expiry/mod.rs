//! The Expiry view of a tab.

mod chosen;
mod filters;
mod ledger;
mod refresh;
mod server;
mod tab;
mod timeline;
mod what_if;

use bson::{Bson, Document, doc};
use mayfly_engine::value::extjson::Layout;
use mayfly_engine::value::shell;

use self::chosen::select;
use self::refresh::{hide_index, refresh_date};
pub use self::refresh::{indexes_known, refresh};
pub(super) use self::server::deleted;
use self::tab::{save, with};
#[cfg(test)]
pub(super) use self::timeline::Soonest;
pub(super) use self::timeline::look_again;
use self::timeline::{ask_density, ask_range, ask_reasons};
use super::{Apply, calendar, documents, indexes};
use crate::action::ExpiryAction;
use crate::job::{RemovedDocument, RestoredDocument};
use crate::limits::REMOVED_ROWS_REST;
use crate::state::expiry::{ExpiryView, Kept, Lane, Mode, ShownPass};
use crate::state::toasts::Kind;
use crate::state::{Namespace, Tab, TabId};

/// Carries out one action.
pub fn apply(tab: TabId, action: ExpiryAction, cx: &mut Apply<'_>) {
    let now_ms = cx.state.now_ms();
    match action {
        ExpiryAction::Refresh => refresh(tab, cx),
        ExpiryAction::RefreshDensity => {
            ask_density(tab, cx);
            what_if::count_again(tab, cx);
        }
        ExpiryAction::CountReasons => ask_reasons(tab, cx),
        ExpiryAction::ChooseIndex(index) => {
            with(cx.state, tab, |view| view.choose_index(index));
            save(tab, cx.state);
            refresh(tab, cx);
        }
        ExpiryAction::Show(mode) => show(tab, mode, cx),
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
        ExpiryAction::WhatIf => what_if::open(tab, cx),
        ExpiryAction::TryTtl(ttl) => what_if::set_ttl(tab, ttl, cx.state),
        ExpiryAction::CountWhatIf => what_if::ask(tab, cx),
        ExpiryAction::ApplyWhatIf => what_if::open_dialog(tab, cx),
        ExpiryAction::CloseWhatIf => with(cx.state, tab, |view| view.what_if = None),
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

fn show(tab: TabId, mode: Mode, cx: &mut Apply<'_>) {
    with(cx.state, tab, |view| view.mode = mode);
    save(tab, cx.state);
    follow_restored(tab, cx);
    ledger::ask_kept(tab, cx);
    if mode == Mode::Calendar {
        calendar::show_in(tab, cx);
    }
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
pub fn removed(documents: &[RemovedDocument], more: u64, cx: &mut Apply<'_>) {
    let state = &mut *cx.state;
    let only = documents.first().map(|document| document.namespace.clone());
    let (uptime, now_ms, clock) = (state.uptime, state.now_ms(), state.clock.clone());
    let mut followed = Vec::new();
    for tab in state.tabs.open_mut() {
        let here: Vec<&RemovedDocument> =
            documents.iter().filter(|document| document.namespace == tab.namespace).collect();
        let Some(first) = here.first() else { continue };
        // Documents that are not listed belong to the collection of those that are.
        let unlisted = if only.as_ref() == Some(&tab.namespace) { more } else { 0 };
        let view = &mut tab.expiry;
        view.take_removed(here.iter().map(|document| Lane::from(*document)), unlisted);
        if view.follow_removal(here.iter().map(|document| (&document.id, document.removed_ms))) {
            followed.push(tab.id);
        }
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
    for tab in followed {
        ledger::ask_kept(tab, cx);
    }
}

/// Documents were restored: every ledger of their collections says so.
pub fn restored(documents: &[RestoredDocument], cx: &mut Apply<'_>) {
    let mut changed = Vec::new();
    for tab in cx.state.tabs.open_mut() {
        let here = documents.iter().filter(|document| document.namespace == tab.namespace);
        let removals = here.map(|document| (document.id.clone(), document.removed_ms));
        tab.expiry.note_restored(removals);
        changed.push(tab.id);
    }
    for tab in changed {
        follow_restored(tab, cx);
    }
}

/// The selected document was restored: outside of the ledger it is the stored one again.
fn follow_restored(tab: TabId, cx: &mut Apply<'_>) {
    let Some(view) = cx.state.tabs.get(tab).map(|open| &open.expiry) else { return };
    let is_tombstone = view.mode != Mode::Removed && view.selected_removed_ms.is_some();
    let lane = view.selected_lane().filter(|_| is_tombstone);
    if lane.is_some_and(|lane| view.kept(lane) == Kept::Restored) {
        let id = view.selected.clone();
        select(tab, id, None, cx);
    }
}

/// Removed documents of a collection were moved to its archive, so its ledger asks again where they
/// are kept.
pub fn archived(namespace: &Namespace, cx: &mut Apply<'_>) {
    let of = cx.state.tabs.open().iter().filter(|tab| tab.namespace == *namespace);
    let tabs: Vec<TabId> = of.map(|tab| tab.id).collect();
    for tab in tabs {
        ledger::ask_kept(tab, cx);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::Effects;
    use crate::apply::expiry::chosen::ChosenDocument;
    use crate::apply::expiry::refresh::RefreshDate;
    use crate::apply::question::Question;
    use crate::state::documents::change;
    use crate::state::{Namespace, State};
    use crate::worker::Reply;

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
