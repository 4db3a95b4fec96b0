//! The dialogs for the store as a whole.

mod backup;
mod ended;
mod home;
mod offline;
mod parts;
mod restore;
mod running;

use egui::Context;

use crate::action::Actions;
use crate::state::State;
use crate::state::maintenance::Dialog;

pub fn ui(context: &Context, dialog: &mut Dialog, state: &State, actions: &mut Actions) {
    match dialog {
        Dialog::Home => home::ui(context, state, actions),
        Dialog::Backup(draft) => backup::ui(context, draft, state, actions),
        Dialog::Restore(draft) => restore::ui(context, draft, state, actions),
        Dialog::Compact { error } => {
            offline::compact_ui(context, error.as_deref(), state, actions);
        }
        Dialog::Verify { error } => offline::verify_ui(context, error.as_deref(), state, actions),
        Dialog::Running(operation) => running::ui(context, *operation, state, actions),
        Dialog::Ended(ended) => ended::ui(context, ended, actions),
    }
}
