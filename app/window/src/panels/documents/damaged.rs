//! The line above a list that lacks damaged documents.

use egui::{Align, Frame, Label, Layout, Margin, Ui, vec2};

use crate::action::{Action, Actions, DocumentsAction};
use crate::state::Tab;
use crate::theme::{colors, sizes, text};
use crate::widgets::Button;

/// Draws it, if there is reason to.
pub fn ui(ui: &mut Ui, tab: &Tab, actions: &mut Actions) {
    if !tab.documents.partial {
        // The widgets below keep their ids, or a press on one would be lost when the line appears.
        ui.skip_ahead_auto_ids(1);
        return;
    }
    let ink = colors(ui);
    let margin = Margin::symmetric(10, 6);
    let frame = Frame::new().fill(ink.error_background).corner_radius(7).inner_margin(margin);
    frame.show(ui, |ui| {
        let size = vec2(ui.available_width(), sizes::CONTROL_SMALL);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            let button = Button::plain("Show…").name("Show damaged documents");
            if ui.add(button).clicked() {
                actions.push(Action::Documents(tab.id, DocumentsAction::ShowDamaged));
            }
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                let words = "Some documents are damaged and not listed";
                ui.add(Label::new(text::rich(words, text::body()).color(ink.error)).truncate());
            });
        });
    });
}
