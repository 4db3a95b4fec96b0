//! The dialogs for files.

use egui::Context;

use crate::action::Actions;
use crate::state::State;
use crate::state::transfer::Dialog;

/// Draws the dialog.
pub fn ui(_context: &Context, dialog: &mut Dialog, _state: &State, _actions: &mut Actions) {
    match *dialog {}
}
