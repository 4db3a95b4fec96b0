//! The dialogs of the Documents view.

mod compare;
mod copy;
mod damaged;
mod delete;
mod editor;
mod scope;
mod update;
mod value_pane;

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
        Dialog::Compare(draft) => compare::ui(context, draft, actions),
        Dialog::Value(draft) => value_pane::ui(context, draft, actions),
        Dialog::Delete(draft) => delete::ui(context, tab, draft, state, actions),
        Dialog::Update(draft) => update::ui(context, tab, draft, state, actions),
        Dialog::Copy(draft) => copy::ui(context, tab, draft, state, actions),
    }
}
