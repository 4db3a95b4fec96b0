//! Opens another data folder by its path.

use std::path::PathBuf;

use egui::{Context, Id, Key};

use super::close;
use crate::action::{Action, Actions, DialogAction, StoreAction};
use crate::theme::sizes;
use crate::widgets::field::{Field, labelled};
use crate::widgets::{Button, modal};

/// Draws the dialog.
pub fn ui(context: &Context, path: &mut String, actions: &mut Actions) {
    let (mut open, mut entered) = (false, false);
    let closing = modal::ui(
        context,
        "Open data folder",
        "A folder without a store gets a new one",
        sizes::DIALOG,
        path,
        |ui, path| {
            labelled(ui, "Path of the folder", None, |ui| {
                let id = Id::unique("folder path");
                let field = Field {
                    name: "Path of the folder",
                    hint: "/home/you/data",
                    mono: true,
                    id: Some(id),
                    ..Field::default()
                };
                let response = field.ui(ui, path);
                entered = response.lost_focus() && ui.input(|input| input.key_pressed(Key::Enter));
            });
        },
        |ui, path| {
            let ready = !path.trim().is_empty();
            open = ui.add(Button::primary("Open").enabled(ready)).clicked();
            if ui.add(Button::plain("Cancel")).clicked() {
                close(actions);
            }
        },
    );
    if (open || entered) && !path.trim().is_empty() {
        let action = Action::Store(StoreAction::OpenFolder(PathBuf::from(path.trim())));
        actions.push(Action::Dialog(DialogAction::Confirm(Box::new(action))));
    } else if closing.closes() {
        close(actions);
    }
}
