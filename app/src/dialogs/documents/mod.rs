//! The dialogs of the Documents view.

mod damaged;
mod delete;
mod editor;

use egui::Context;

use crate::action::Actions;
use crate::state::documents::Dialog;
use crate::state::{State, TabId};

/// Draws the dialog.
pub fn ui(
    context: &Context,
    tab: TabId,
    dialog: &mut Dialog,
    state: &State,
    actions: &mut Actions,
) {
    match dialog {
        Dialog::Editor(draft) => editor::ui(context, tab, draft, state, actions),
        Dialog::Damaged(draft) => damaged::ui(context, tab, draft, state, actions),
        Dialog::Delete(draft) => delete::ui(context, tab, draft, state, actions),
    }
}
