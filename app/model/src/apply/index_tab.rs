//! The Indexes view of a tab, and its open dialog.

use super::Apply;
use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::indexes::{Dialog, IndexesView};
use crate::state::toasts::Kind;
use crate::state::{State, TabId};

pub(super) fn with(state: &mut State, tab: TabId, change: impl FnOnce(&mut IndexesView)) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        change(&mut tab.indexes);
    }
}

/// Database and collection of a tab.
pub(super) fn names(tab: TabId, state: &State) -> Option<(String, String)> {
    let namespace = &state.tabs.get(tab)?.namespace;
    Some((namespace.db.clone(), namespace.collection.clone()))
}

/// The open dialog of this tab.
pub(super) fn dialog(tab: TabId, state: &mut State) -> Option<&mut Dialog> {
    match state.dialogs.open_mut() {
        Some(AnyDialog::Indexes(of, dialog)) if *of == tab => Some(dialog),
        _ => None,
    }
}

/// The dialog that sent this and waits for the answer.
pub(super) fn asker(tab: TabId, generation: u64, state: &mut State) -> Option<&mut Dialog> {
    dialog(tab, state).filter(|dialog| dialog.sent() == Some(generation))
}

/// Closes the dialog that waits for a change, and says that it was made.
pub(super) fn changed(tab: TabId, generation: u64, done: &str, cx: &mut Apply<'_>) {
    if asker(tab, generation, cx.state).is_some() {
        cx.state.dialogs.close();
    }
    cx.toast(Kind::Done, done);
    // The store's own event notes the same: both are followed by one refresh.
    let namespace = cx.state.tabs.get(tab).map(|open| open.namespace.clone());
    if let Some(namespace) = namespace {
        cx.state.changes.note_around(Some(&namespace));
    }
}
