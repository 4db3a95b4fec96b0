//! A row of a list in the drawer: a mark, when it was, what it was, and buttons at its end.

use egui::{Align, Color32, Layout, Ui, vec2};

use crate::theme::{Icon, colors, sizes, text};

pub struct LogRow<'a> {
    pub icon: Icon,
    pub ink: Color32,
    /// The name of the mark that is read aloud.
    pub spoken: &'a str,
    pub time: &'a str,
}

impl LogRow<'_> {
    /// Draws it. `end` draws from right to left.
    pub fn ui(&self, ui: &mut Ui, end: impl FnOnce(&mut Ui), words: impl FnOnce(&mut Ui)) {
        let size = vec2(ui.available_width(), sizes::CONTROL_SMALL);
        ui.allocate_ui_with_layout(size, Layout::right_to_left(Align::Center), |ui| {
            // The scroll bar covers the end of the row.
            ui.add_space(sizes::GAP);
            end(ui);
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                ui.label(self.icon.text().color(self.ink)).accessible_name(self.spoken);
                if !self.time.is_empty() {
                    ui.label(text::rich(self.time, text::mono()).color(colors(ui).dim));
                }
                words(ui);
            });
        });
    }
}
