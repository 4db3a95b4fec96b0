//! The dialogs of the view of the same name.

use egui::Context;

use crate::action::Actions;
use crate::state::indexes::Dialog;
use crate::state::{State, TabId};

/// Draws the dialog.
pub fn ui(
    _context: &Context,
    _tab: TabId,
    dialog: &mut Dialog,
    _state: &State,
    _actions: &mut Actions,
) {
    match *dialog {}
}
