//! The strip of the timeline that tries another TTL.

use super::tab::{save, with};
use crate::apply::{Apply, indexes};
use crate::commands::expiry;
use crate::job::number_draft::NumberDraft;
use crate::job::slow_read::SlowRead;
use crate::state::expiry::{Mode, WhatIfStrip};
use crate::state::{State, TabId};

/// Opens the strip for the chosen index, or for the first one, whose documents are then shown alone:
/// the picture is about one rule. Without a rule, opens the dialog that creates one.
pub(super) fn open(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get(tab) else { return };
    let ttl = open.indexes.ttl();
    let chosen = open.expiry.index.clone().or_else(|| ttl.first().map(|index| index.name.clone()));
    let Some(name) = chosen else {
        return indexes::open_create(tab, true, String::new(), cx);
    };
    if ttl.len() > 1 && open.expiry.index.is_none() {
        with(cx.state, tab, |view| view.choose_index(Some(name.clone())));
        save(tab, cx.state);
        super::refresh(tab, cx);
    }
    with(cx.state, tab, |view| view.mode = Mode::Timeline);
    save(tab, cx.state);
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    if open.expiry.what_if.is_some() {
        return;
    }
    // The rule of a clustered collection has no index.
    let Some(row) = open.indexes.row(&name).cloned() else { return };
    open.expiry.what_if = Some(Box::new(WhatIfStrip::new(row)));
    ask_again(tab, cx);
}

pub(super) fn set_ttl(tab: TabId, ttl: NumberDraft, state: &mut State) {
    with(state, tab, |view| {
        if let Some(strip) = &mut view.what_if {
            strip.set_ttl(ttl);
        }
    });
}

/// Counts what the TTL in the strip would remove.
pub(super) fn ask(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let Some(strip) = open.expiry.what_if.as_mut().filter(|strip| strip.why_not().is_none()) else {
        return;
    };
    let Some(index) = strip.change.asked() else { return };
    let is_other = strip.asked.as_ref() != Some(&index);
    strip.asked = Some(index.clone());
    let namespace = open.namespace.clone();
    if is_other {
        // The answer about the last TTL is of no use.
        cx.abandon(tab, &[SlowRead::WhatIf]);
    }
    let command = expiry::what_if(&namespace.collection, index);
    cx.ask(indexes::TtlWhatIf(tab), &namespace.db, command);
}

/// Counts again what was counted: time alone makes documents overdue. Not while the slider moves.
pub(super) fn count_again(tab: TabId, cx: &mut Apply<'_>) {
    let strip = cx.state.tabs.get(tab).and_then(|open| open.expiry.what_if.as_ref());
    if strip.is_some_and(|strip| strip.asked.is_some() && !strip.lacks_counts()) {
        ask(tab, cx);
    }
}

/// Counts again what the strip shows, by age and for its TTL: it was opened, or the documents changed.
pub(super) fn ask_again(tab: TabId, cx: &mut Apply<'_>) {
    let strip = cx.state.tabs.get(tab).and_then(|open| open.expiry.what_if.as_ref());
    let Some(strip) = strip.filter(|strip| strip.why_not().is_none()) else { return };
    let name = strip.change.index.name.clone();
    indexes::ask_ages(tab, &name, cx);
    ask(tab, cx);
}

/// The dialog that changes the TTL, with the one that was tried.
pub(super) fn open_dialog(tab: TabId, cx: &mut Apply<'_>) {
    let strip = cx.state.tabs.get(tab).and_then(|open| open.expiry.what_if.as_ref());
    let Some(change) = strip.map(|strip| strip.change.clone()) else { return };
    indexes::show_change_ttl(tab, change, cx);
}
