//! Another name for a collection.

use egui::{Context, Id};
use mayfly_engine::value::shell::write_command;

use super::close;
use crate::action::{Action, Actions, DialogAction, StoreAction, ViewAction};
use crate::apply::store::rename_command;
use crate::state::dialogs::RenameCollection;
use crate::state::{Namespace, State};
use crate::theme::sizes;
use crate::widgets::field::{Field, labelled};
use crate::widgets::{Button, code_box, modal};

/// Draws the dialog.
pub fn ui(context: &Context, draft: &mut RenameCollection, state: &State, actions: &mut Actions) {
    let command = write_command("admin", &rename_command(&draft.from, &draft.name));
    let title = format!("Rename {}", draft.from);
    let (mut copy, mut rename) = (false, false);
    let to = Namespace::new(&draft.from.db, draft.name.trim());
    let error = match () {
        () if draft.name.trim().is_empty() => Some("Type a name"),
        () if to == draft.from => Some("This is its present name"),
        () if state.tree.collection(&to).is_some() => Some("A collection of this name exists"),
        () => None,
    };
    let closing = modal::ui(
        context,
        &title,
        "Documents and indexes stay as they are",
        sizes::DIALOG_NARROW,
        &mut draft.name,
        |ui, name| {
            let shown = error.filter(|_| to != draft.from);
            labelled(ui, "New name", shown, |ui| {
                let field = Field {
                    name: "New name",
                    mono: true,
                    invalid: shown.is_some(),
                    id: Some(Id::unique("new name")),
                    ..Field::default()
                };
                field.ui(ui, name);
            });
            copy = code_box::ui(ui, "The command that will be sent", &command);
        },
        |ui, _| {
            rename = ui.add(Button::primary("Rename").enabled(error.is_none())).clicked();
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if copy {
        actions.push(Action::View(ViewAction::Copy(command)));
    }
    if rename {
        let action = Action::Store(StoreAction::Rename(draft.clone()));
        actions.push(Action::Dialog(DialogAction::Confirm(Box::new(action))));
    } else if closing.closes() {
        close(actions);
    }
}
