//! Cards: a raised background with a hairline around it.

use egui::{
    Align2, CornerRadius, Frame, InnerResponse, Margin, Rect, Response, Role, Sense, Shape, Stroke,
    StrokeKind, Ui, Vec2, WidgetInfo, vec2,
};

use super::paint;
use crate::theme::{Icon, colors, sizes, text};

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

/// Draws the border of a place to drop files on.
pub fn dashed(ui: &Ui, rect: Rect) {
    let stroke = Stroke::new(1.5, colors(ui).accent);
    let at = rect.shrink(1.0);
    let corners =
        [at.left_top(), at.right_top(), at.right_bottom(), at.left_bottom(), at.left_top()];
    ui.painter().extend(Shape::dashed_line(&corners, stroke, 6.0, sizes::DASH));
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

/// A card that is a button as a whole.
pub struct Offer<'a> {
    pub icon: Icon,
    pub title: &'a str,
    pub words: &'a str,
    /// The word at its foot that says what a press does.
    pub button: &'a str,
    /// The border of a place to drop files on.
    pub is_dashed: bool,
}

impl Offer<'_> {
    pub fn ui(&self, ui: &mut Ui, size: Vec2) -> Response {
        let (rect, response) = ui.allocate_exact_size(size, Sense::click());
        let spoken = format!("{}: {}", self.title, self.button);
        response.widget_info(|| WidgetInfo::labeled(Role::Button, ui.is_enabled(), &spoken));
        let colors = colors(ui);
        let fill = if response.hovered() { colors.raised_hover } else { colors.raised };
        ui.painter().rect_filled(rect, sizes::RADIUS_CARD, fill);
        if self.is_dashed {
            dashed(ui, rect);
        } else {
            let stroke = Stroke::new(sizes::LINE, colors.hairline);
            ui.painter().rect_stroke(rect, sizes::RADIUS_CARD, stroke, StrokeKind::Inside);
        }
        if response.has_focus() {
            paint::focus_ring(ui, rect, sizes::RADIUS_CARD);
        }
        let inner = rect.shrink(sizes::GAP_LARGE);
        paint::icon_at(
            ui.painter(),
            inner.left_top() + vec2(10.0, 10.0),
            self.icon,
            20.0,
            colors.accent,
        );
        // A low card has the title next to the icon.
        let is_low = size.y < sizes::START_CARD;
        let title = if is_low { vec2(30.0, 0.0) } else { vec2(0.0, 32.0) };
        let (at, room) = (inner.left_top() + title, inner.width() - title.x);
        let placed =
            paint::text_at(ui, at, Align2::LEFT_TOP, self.title, text::strong(), colors.text, room);
        let words = ui.painter().layout(self.words.to_owned(), text::small(), colors.dim, room);
        ui.painter().galley(placed.left_bottom() + vec2(0.0, sizes::GAP_TINY), words, colors.dim);
        if !is_low {
            let foot = inner.left_bottom();
            let (font, ink) = (text::medium(), colors.accent);
            paint::text_at(ui, foot, Align2::LEFT_BOTTOM, self.button, font, ink, inner.width());
        }
        response.on_hover_cursor(egui::CursorIcon::PointingHand)
    }
}
