//! The Indexes view of a tab, and its open dialog.

use crate::state::dialogs::Dialog as AnyDialog;
use crate::state::indexes::{Dialog, IndexesView};
use crate::state::{State, TabId};

/// Changes the Indexes view of a tab.
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
