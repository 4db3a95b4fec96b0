//! What lies over the window while a file is held above it.

use egui::{Align2, Context, Id, LayerId, Order, Stroke, StrokeKind};

use crate::state::State;
use crate::theme::{Colors, Icon, sizes, text};

/// Draws the overlay.
pub fn ui(context: &Context, state: &State) {
    let files = context.input(|input| input.raw.hovered_files.len());
    if files == 0 {
        return;
    }
    let look = Colors::of(context.theme() == egui::Theme::Dark);
    let rect = context.content_rect();
    let painter = context.layer_painter(LayerId::new(Order::Tooltip, Id::unique("file overlay")));
    painter.rect_filled(rect, 0.0, look.backdrop);
    let inner = rect.shrink(sizes::GAP_HUGE);
    let stroke = Stroke::new(sizes::LINE_STRONG, look.accent);
    painter.rect(inner, sizes::RADIUS_DIALOG, look.accent_ground, stroke, StrokeKind::Inside);
    let what = if files == 1 { "the file".to_owned() } else { format!("{files} files") };
    let into = state.tabs.active().map(|tab| format!(" into {}", tab.namespace));
    let words = format!("Drop to import {what}{}", into.unwrap_or_default());
    let center = inner.center();
    let above = center - egui::vec2(0.0, 28.0);
    let icon = Icon::Import;
    painter.text(above, Align2::CENTER_CENTER, icon.glyph(), icon.font(36.0), look.accent);
    let below = center + egui::vec2(0.0, 16.0);
    painter.text(below, Align2::CENTER_CENTER, words, text::heading(), look.text);
}
