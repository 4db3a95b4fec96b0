//! Another name for a collection.

use egui::Context;
use mayfly_engine::value::shell::write_command;

use super::frame::DialogFrame;
use crate::action::{Action, Actions, StoreAction};
use crate::commands::store;
use crate::state::dialogs::RenameCollection;
use crate::state::names::collection_problem;
use crate::state::{Namespace, State};
use crate::theme::sizes;
use crate::widgets::Button;
use crate::widgets::field::{Field, labelled};
use crate::widgets::value_text::with_marks;

pub fn ui(context: &Context, draft: &mut RenameCollection, state: &State, actions: &mut Actions) {
    let to = Namespace::new(&draft.from.db, draft.name.trim());
    let is_same = to == draft.from;
    let error = match () {
        () if is_same => Some("This is the current name"),
        () if state.tree.collection(&to).is_some() => {
            Some("A collection with this name already exists")
        }
        () => collection_problem(&to.db, &to.collection),
    };
    let frame = DialogFrame::new(format!("Rename {}", with_marks(&draft.from.to_string())))
        .subtitle("Documents and indexes are unchanged")
        .width(sizes::DIALOG_NARROW)
        .command(Some(write_command("admin", &store::rename(&draft.from, &to))))
        .sent(&draft.sent)
        .button(Button::primary("Rename").enabled(error.is_none()), ());
    let pressed = frame.ui(context, |ui| {
        let shown = error.filter(|_| !is_same);
        labelled(ui, "New name", shown, |ui| {
            let invalid = shown.is_some();
            let field = Field { name: "New name", mono: true, invalid, ..Field::default() };
            field.ui(ui, &mut draft.name);
        });
    });
    if pressed.end(actions).is_some() {
        actions.push(Action::Store(StoreAction::Rename(draft.clone())));
    }
}
