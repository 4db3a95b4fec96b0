//! Opens another data folder by its path.

use egui::{Context, Id, Key};

use super::close;
use crate::action::{Action, Actions, DialogAction, StoreAction};
use crate::state::transfer::import::{WHOLE_PATH, whole_path};
use crate::theme::sizes;
use crate::widgets::field::{Field, labelled};
use crate::widgets::{Button, modal};

/// Draws the dialog.
pub fn ui(context: &Context, path: &mut String, actions: &mut Actions) {
    let (mut open, mut entered) = (false, false);
    let problem = (!path.trim().is_empty() && whole_path(path).is_none()).then_some(WHOLE_PATH);
    let closing = modal::ui(
        context,
        "Open data folder",
        "Creates a store if the folder has none",
        sizes::DIALOG,
        path,
        |ui, path| {
            labelled(ui, "Folder path", problem, |ui| {
                let id = Id::unique("folder path");
                let field = Field {
                    name: "Folder path",
                    hint: "/home/you/data",
                    mono: true,
                    invalid: problem.is_some(),
                    id: Some(id),
                    ..Field::default()
                };
                let response = field.ui(ui, path);
                entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            });
        },
        |ui, path| {
            let ready = whole_path(path).is_some();
            open = ui.add(Button::primary("Open").enabled(ready)).clicked();
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if let (true, Some(folder)) = (open || entered, whole_path(path)) {
        let action = Action::Store(StoreAction::OpenFolder(folder));
        actions.push(Action::Dialog(DialogAction::Confirm(Box::new(action))));
    } else if closing.closes() {
        close(actions);
    }
}
