//! The Indexes view of a tab.

use egui::Ui;

use crate::action::Actions;
use crate::state::drafts::TabDraft;
use crate::state::{State, Tab};
use crate::widgets::empty_state;

/// Draws the view.
pub fn ui(ui: &mut Ui, _state: &State, tab: &Tab, _draft: &mut TabDraft, _actions: &mut Actions) {
    let text = format!("{} of {} will be listed here", "Indexes", tab.namespace);
    empty_state::ui(ui, empty_state::Picture::Documents, &text, None);
}

/// Draws what the inspector shows while this view is shown.
pub fn inspector_ui(ui: &mut Ui, _state: &State, _tab: &Tab, _actions: &mut Actions) {
    empty_state::hint(ui, "Select a document to see when it expires, and why");
}
