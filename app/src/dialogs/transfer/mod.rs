//! The dialogs for files.

mod choose_path;
mod export;
mod import;
mod imported;
mod preview;
mod rehearsal;
mod running;
mod target;

use egui::Context;

use crate::action::{Action, Actions, TransferAction};
use crate::state::State;
use crate::state::transfer::Dialog;

/// Draws the dialog.
pub fn ui(context: &Context, dialog: &mut Dialog, state: &State, actions: &mut Actions) {
    match dialog {
        Dialog::Import(draft) => import::ui(context, draft, state, actions),
        Dialog::Export(draft) => export::ui(context, draft, state, actions),
        Dialog::Running(operation) => running::ui(context, *operation, state, actions),
        Dialog::Imported(result) => imported::ui(context, result, state, actions),
    }
}

fn ask(actions: &mut Actions, action: TransferAction) {
    actions.push(Action::Transfer(action));
}
