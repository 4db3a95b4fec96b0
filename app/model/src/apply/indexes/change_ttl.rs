//! The dialog that changes the TTL of an index.

use super::reads::{DocumentAges, TtlWhatIf};
use crate::apply::Apply;
use crate::apply::index_tab::{names, with};
use crate::commands::expiry;
use crate::job::slow_read::SlowRead;
use crate::limits::AGES_DOCUMENTS_MAX;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::indexes::{ChangeTtl, Dialog, ages_command};
use crate::state::{Namespace, TabId};

/// Opens the dialog that changes the TTL of an index, or gives it one.
pub fn open_change_ttl(tab: TabId, name: &str, cx: &mut Apply<'_>) {
    let Some(index) = cx.state.tabs.get(tab).and_then(|open| open.indexes.row(name)).cloned()
    else {
        return;
    };
    let Some((db, collection)) = names(tab, cx.state) else { return };
    let field = index.field().unwrap_or_default().to_owned();
    let change = Dialog::ChangeTtl(Box::new(ChangeTtl::new(index)));
    cx.state.dialogs.show(AnyDialog::Indexes(tab, change));
    ask_what_if(tab, cx);
    let namespace = Namespace::new(&db, &collection);
    let documents = cx.state.tree.documents_of(&namespace);
    if field == "_ts" || documents.is_none_or(|count| count > AGES_DOCUMENTS_MAX) {
        return;
    }
    let command = ages_command(&collection, &field, cx.state.now_ms());
    cx.ask(DocumentAges(tab), &db, command);
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
