//! The Expiry view of a tab.

use crate::state::expiry::{ExpiryView, SavedExpiry};
use crate::state::{State, TabId};

pub(super) fn with(state: &mut State, tab: TabId, change: impl FnOnce(&mut ExpiryView)) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        change(&mut tab.expiry);
    }
}

/// Keeps the choices for the next start.
pub(super) fn save(tab: TabId, state: &mut State) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        tab.saved_expiry = SavedExpiry { index: tab.expiry.index.clone(), mode: tab.expiry.mode };
    }
}
