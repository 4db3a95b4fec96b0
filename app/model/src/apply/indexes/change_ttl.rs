//! The dialog that changes the TTL of an index.

use super::reads::{DocumentAges, TtlWhatIf};
use crate::apply::Apply;
use crate::apply::index_tab::{names, with};
use crate::commands::expiry;
use crate::job::slow_read::SlowRead;
use crate::state::TabId;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::indexes::{AgeCounts, ChangeTtl, CreateIndex, Dialog};

/// Opens the dialog that changes the TTL of an index, or gives it one.
pub fn open_change_ttl(tab: TabId, name: &str, cx: &mut Apply<'_>) {
    let Some(index) = cx.state.tabs.get(tab).and_then(|open| open.indexes.row(name)).cloned()
    else {
        return;
    };
    show_change_ttl(tab, ChangeTtl::new(index), cx);
}

/// Opens that dialog with a change that was tried before. What is known of it is not asked again.
pub(in crate::apply) fn show_change_ttl(tab: TabId, change: ChangeTtl, cx: &mut Apply<'_>) {
    let (is_known, name) = (change.known().is_some(), change.index.name.clone());
    let lacks_ages = change.ages.is_none() && !change.is_on_modification();
    let dialog = Dialog::ChangeTtl(Box::new(change));
    cx.state.dialogs.show(AnyDialog::Indexes(tab, dialog));
    if !is_known {
        ask_what_if(tab, cx);
    }
    if lacks_ages {
        ask_ages(tab, &name, cx);
    }
}

/// Counts the documents by their age, once for all TTLs.
pub(in crate::apply) fn ask_ages(tab: TabId, index: &str, cx: &mut Apply<'_>) {
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let command = AgeCounts::command(&collection, index, cx.state.now_ms());
    cx.ask(DocumentAges(tab), &db, command);
}

/// Opens a dialog again after the lesson that it gave way to. What its TTL removes is counted again:
/// documents may have changed.
pub(in crate::apply) fn show_again(tab: TabId, dialog: Dialog, cx: &mut Apply<'_>) {
    match dialog {
        Dialog::ChangeTtl(change) => {
            show_change_ttl(tab, ChangeTtl { what_if: None, ages: None, ..*change }, cx);
        }
        Dialog::Create(create) => {
            let create = Dialog::Create(CreateIndex { what_if: None, ..create });
            cx.state.dialogs.show(AnyDialog::Indexes(tab, create));
            ask_what_if(tab, cx);
        }
        Dialog::Drop(_) | Dialog::Rollout(_) => {}
    }
}

/// Opens that dialog now, or as soon as the indexes of the tab are known.
pub fn open_change_ttl_when_known(tab: TabId, name: &str, cx: &mut Apply<'_>) {
    with(cx.state, tab, |view| view.ttl_wanted = Some(name.to_owned()));
    if cx.state.tabs.get(tab).is_some_and(|open| open.indexes.rows.is_some()) {
        open_wanted(tab, cx);
    }
}

/// A clustered collection and a time series have a rule without an index.
pub(super) fn open_wanted(tab: TabId, cx: &mut Apply<'_>) {
    let Some(open) = cx.state.tabs.get_mut(tab) else { return };
    let Some(name) = open.indexes.ttl_wanted.take() else { return };
    if open.indexes.row(&name).is_some() {
        return open_change_ttl(tab, &name, cx);
    }
    let words = format!("{name} isn't an index; change the TTL of its collection with collMod");
    cx.warn(words);
}

/// Queries what the TTL in the open dialog would remove, if it is valid.
pub(super) fn ask_what_if(tab: TabId, cx: &mut Apply<'_>) {
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let Some(AnyDialog::Indexes(_, dialog)) = cx.state.dialogs.open() else { return };
    let index = dialog.asked();
    // The answer about what was typed before is of no use.
    cx.abandon(tab, &[SlowRead::WhatIf]);
    if let Some(index) = index {
        cx.ask(TtlWhatIf(tab), &db, expiry::what_if(&collection, index));
    }
}
