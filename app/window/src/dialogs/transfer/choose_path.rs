//! A path: typed, or chosen in the system's dialog.

use egui::{Align, Id, Layout, Ui};

use super::parts::ask;
use crate::action::{Actions, TransferAction};
use crate::state::State;
use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::Button;
use crate::widgets::field::Field;

/// The words of a path field.
pub struct ChoosePath<'a> {
    pub name: &'a str,
    /// The hint while it is empty.
    pub hint: &'a str,
    /// The words on the button that opens the system's dialog.
    pub choose: &'a str,
    /// The words on the button that takes the typed path, if there is one.
    pub take: Option<&'a str>,
    /// Whether something is wrong with it.
    pub invalid: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathChange {
    pub changed: bool,
    /// Enter was pressed, or the button that takes the path.
    pub taken: bool,
}

impl ChoosePath<'_> {
    /// Draws the field with its buttons.
    pub fn ui(
        &self,
        ui: &mut Ui,
        path: &mut String,
        state: &State,
        actions: &mut Actions,
    ) -> PathChange {
        let mut change = PathChange::default();
        let size = egui::vec2(ui.available_width(), sizes::CONTROL);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            let waits = state.transfer.chooser.is_some();
            let button = Button::plain(self.choose).icon(Icon::Open).enabled(!waits);
            if ui.add(button.tooltip("Browse")).clicked() {
                ask(actions, TransferAction::Choose);
            }
            if let Some(take) = self.take {
                let ready = !path.trim().is_empty();
                change.taken = ui.add(Button::plain(take).enabled(ready)).clicked();
            }
            let field = Field {
                name: self.name,
                hint: self.hint,
                mono: true,
                invalid: self.invalid,
                id: Some(Id::unique(("path", self.name))),
                ..Field::default()
            };
            let response = field.ui(ui, path);
            let enter = ui.input(|input| input.key_pressed(egui::Key::Enter));
            let is_entered = response.lost_focus() && enter;
            change.changed = response.changed();
            change.taken |= is_entered;
            // The next path is typed after the one that was taken.
            if is_entered && self.take.is_some() && !path.trim().is_empty() {
                response.request_focus();
            }
        });
        let said = match (&state.transfer.chooser, state.transfer.chooser_note) {
            (Some(_), _) => Some("Waiting for the system file dialog; you can also enter a path"),
            (None, note) => note,
        };
        if let Some(said) = said {
            let ink = colors(ui).dim;
            ui.label(text::rich(said, text::small()).color(ink));
        }
        change
    }
}
