//! The Documents view of a tab.

use super::Effects;
use crate::action::DocumentsAction;
use crate::state::documents::Purpose;
use crate::state::{State, TabId};
use crate::worker::Reply;

/// Carries out one action.
pub fn apply(tab: TabId, action: DocumentsAction, state: &mut State, effects: &mut Effects) {
    match action {
        DocumentsAction::Refresh => refresh(tab, state, effects),
    }
}

/// Asks for everything the view shows. Called when the view is first shown, when a person asks, and
/// when the data changed while the view is shown.
pub fn refresh(tab: TabId, state: &mut State, _effects: &mut Effects) {
    if let Some(tab) = state.tabs.get_mut(tab) {
        tab.documents.asked = true;
    }
}

/// Shows the documents that match a filter, given as it would be typed.
pub fn show_filter(tab: TabId, filter: String, state: &mut State, effects: &mut Effects) {
    state.drafts.tab(tab).documents.filter = filter;
    if let Some(open) = state.tabs.get_mut(tab) {
        open.view = crate::state::tabs::ViewKind::Documents;
    }
    refresh(tab, state, effects);
}

/// Takes over an answer.
pub fn answer(
    _tab: TabId,
    purpose: &Purpose,
    _generation: u64,
    _reply: &Reply,
    _state: &mut State,
    _effects: &mut Effects,
) {
    match purpose {
        _ => {}
    }
}

/// Whether the window asks this by itself, to keep what it shows fresh.
pub fn is_background(_purpose: &Purpose) -> bool {
    true
}
