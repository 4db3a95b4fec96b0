//! A whole number with a unit of time.

use egui::{Response, Ui};

use super::Button;
use super::field::Field;
use super::menu;
use crate::job::number_draft::{NumberDraft, Unit};
use crate::theme::sizes;

/// Draws the number and its unit. Returns whether either changed.
pub fn ui(ui: &mut Ui, name: &str, draft: &mut NumberDraft, invalid: bool) -> bool {
    let before = draft.clone();
    typing_ui(ui, name, draft, invalid);
    *draft != before
}

/// The same. Returns whether the keyboard is in the number.
pub fn typing_ui(ui: &mut Ui, name: &str, draft: &mut NumberDraft, invalid: bool) -> bool {
    let mut is_typing = false;
    ui.horizontal(|ui| {
        let field = Field { name, mono: true, invalid, width: Some(110.0), ..Field::default() };
        is_typing = field.ui(ui, &mut draft.text).has_focus();
        ui.add_space(sizes::GAP_SMALL);
        let spoken = format!("{name}: unit");
        let button: Response =
            ui.add(Button::plain(draft.unit.label()).menu().name(&spoken).width_min(104.0));
        menu::below(&button, |ui| {
            for unit in Unit::ALL {
                if menu::choice(ui, unit.label(), unit == draft.unit).clicked() {
                    draft.unit = unit;
                }
            }
        });
    });
    is_typing
}
