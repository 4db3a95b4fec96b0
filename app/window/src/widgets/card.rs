//! Cards: a raised background with a hairline around it.

use egui::{CornerRadius, Frame, InnerResponse, Margin, Stroke, Ui};

use crate::theme::{colors, sizes, text};

/// A card with `content` on it, as wide as there is room.
pub fn ui<R>(ui: &mut Ui, content: impl FnOnce(&mut Ui) -> R) -> InnerResponse<R> {
    bordered(ui, colors(ui).hairline, content)
}

pub fn bordered<R>(
    ui: &mut Ui,
    border: egui::Color32,
    content: impl FnOnce(&mut Ui) -> R,
) -> InnerResponse<R> {
    Frame::new()
        .fill(colors(ui).raised)
        .stroke(Stroke::new(sizes::LINE, border))
        .corner_radius(CornerRadius::same(9))
        .inner_margin(Margin::same(13))
        .show(ui, |ui| {
            ui.set_min_width(ui.available_width());
            content(ui)
        })
}

/// A large figure with words below it.
pub fn figure(ui: &mut Ui, figure: &str, words: &str, ink: Option<egui::Color32>) {
    let colors = colors(ui);
    let border = ink.unwrap_or(colors.hairline);
    bordered(ui, border, |ui| {
        // A column of several would stretch words that don't fit on one line.
        ui.vertical(|ui| {
            ui.spacing_mut().item_spacing.y = 2.0;
            let ink = ink.unwrap_or(colors.text);
            ui.label(text::rich(figure, text::figure()).color(ink));
            ui.label(text::rich(words, text::body()).color(colors.dim));
        });
    });
}
