//! Every shortcut.

use egui::{Align, Context, Layout};

use super::frame::DialogFrame;
use crate::action::{Actions, entries};
use crate::theme::{colors, sizes, text};

/// Draws the list.
pub fn ui(context: &Context, actions: &mut Actions) {
    let frame = DialogFrame::<()>::new("Keyboard shortcuts")
        .subtitle("Press Ctrl+P to search all commands")
        .width(sizes::DIALOG_NARROW)
        .done("Done");
    let outcome = frame.ui(context, |ui| {
        ui.spacing_mut().item_spacing.y = 2.0;
        let mut group = None;
        for entry in entries().filter(|entry| entry.keys.is_some()) {
            if group != Some(entry.group) {
                ui.add_space(sizes::GAP_SMALL);
                ui.label(text::rich(entry.group.label(), text::title()));
                group = Some(entry.group);
            }
            ui.horizontal(|ui| {
                ui.set_min_height(24.0);
                ui.label(text::rich(entry.label, text::body()));
                ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                    ui.add_space(sizes::GAP);
                    let ink = colors(ui).dim;
                    ui.label(text::rich(entry.keys_text(), text::mono()).color(ink));
                });
            });
        }
    });
    _ = outcome.end(actions);
}
