//! The documents of a tab.

use crate::state::documents::DocumentsView;
use crate::state::{State, TabId};

pub(super) fn with(state: &mut State, tab: TabId, change: impl FnOnce(&mut DocumentsView)) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        change(&mut tab.documents);
    }
}
