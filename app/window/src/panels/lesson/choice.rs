//! A choice of a question: a radio button with words of any length.

use egui::{Align2, Response, Role, Sense, Stroke, StrokeKind, Ui, WidgetInfo, vec2};

use crate::theme::{Icon, colors, sizes, text};
use crate::widgets::{markdown, paint, steady};

/// The radius of the circle before the words, with the number of the choice in it.
const RADIO: f32 = 10.0;

/// The radius of the box before a document.
const BOX: f32 = 7.0;

#[expect(clippy::struct_excessive_bools, reason = "each is a different look")]
#[derive(Clone, Copy)]
pub(super) struct Choice<'a> {
    /// Its number, from 1.
    pub number: usize,
    pub words: &'a str,
    pub is_chosen: bool,
    /// Whether it is the true one, once known.
    pub is_true: bool,
    /// Whether it can be chosen.
    pub is_open: bool,
    /// Words on its border, such as `your guess`.
    pub tag: &'a str,
    /// A square instead of a circle: several can be chosen.
    pub is_box: bool,
}

impl Choice<'_> {
    pub(super) fn ui(&self, ui: &mut Ui) -> Response {
        let ink = colors(ui);
        let left = 2.0 * self.radius() + 2.0 * sizes::GAP;
        let room = ui.available_width() - left - sizes::GAP;
        let tint = if self.is_open || self.is_chosen || self.is_true { ink.text } else { ink.dim };
        let job = markdown::line_job(ui, self.words, tint, room);
        let galley = ui.fonts_mut(|fonts| fonts.layout_job(job));
        let height = (galley.size().y + 2.0 * sizes::GAP_SMALL).max(sizes::ROW);
        let (_, rect) = ui.allocate_space(vec2(ui.available_width(), height));
        let sense = if self.is_open { Sense::click() } else { Sense::hover() };
        let spoken = self.spoken();
        let id = steady::id(ui, &format!("choice {}", self.number));
        let response = ui.interact(rect, id, sense);
        let (is_open, is_chosen) = (self.is_open, self.is_chosen);
        let role = if self.is_box { Role::CheckBox } else { Role::RadioButton };
        response.widget_info(|| WidgetInfo::selected(role, is_open, is_chosen, &spoken));
        let fill = match () {
            () if self.is_true || self.is_chosen && self.is_open => ink.accent_background,
            () if self.is_open && response.hovered() => ink.raised_hover,
            () => ink.raised,
        };
        let border = match () {
            () if self.is_true || self.is_chosen && self.is_open => ink.accent,
            () if self.is_chosen => ink.dim,
            () => ink.hairline,
        };
        let stroke = Stroke::new(sizes::LINE, border);
        ui.painter().rect(rect, sizes::RADIUS_BUTTON, fill, stroke, StrokeKind::Inside);
        self.mark_ui(ui, rect);
        let words = rect.left_top() + vec2(left, (height - galley.size().y) / 2.0);
        ui.painter().galley(words, galley, tint);
        self.tag_ui(ui, rect);
        if response.has_focus() {
            paint::focus_ring(ui, rect, sizes::RADIUS_BUTTON);
        }
        if self.is_open {
            response.on_hover_cursor(egui::CursorIcon::PointingHand)
        } else {
            response
        }
    }

    /// Draws the tag on the border, so that the words stay where they are when the choice is made.
    fn tag_ui(&self, ui: &Ui, rect: egui::Rect) {
        if self.tag.is_empty() {
            return;
        }
        let ink = colors(ui);
        let tag = paint::line(ui, self.tag, text::small(), ink.dim, rect.width());
        let corner = rect.right_top() - vec2(sizes::GAP + sizes::GAP_TINY, 0.0);
        let place = Align2::RIGHT_CENTER.anchor_size(corner, tag.size());
        let around = place.expand2(vec2(sizes::GAP_TINY, 0.0));
        ui.painter().rect_filled(around, sizes::RADIUS_BUTTON, ink.panel);
        ui.painter().galley(place.min, tag, ink.dim);
    }

    fn radius(&self) -> f32 {
        if self.is_box { BOX } else { RADIO }
    }

    /// The true answer is filled, with a check. A guess that is locked is gray.
    fn mark_ui(&self, ui: &Ui, rect: egui::Rect) {
        let ink = colors(ui);
        let radius = self.radius();
        let center = rect.left_center() + vec2(sizes::GAP + radius, 0.0);
        let tint = if self.is_chosen && self.is_open { ink.accent } else { ink.dim };
        let square = egui::Rect::from_center_size(center, egui::Vec2::splat(2.0 * radius));
        let check = |size, ink| paint::icon_at(ui.painter(), center, Icon::Check, size, ink);
        if self.is_true {
            let corner = if self.is_box { 3.0 } else { radius };
            ui.painter().rect_filled(square, corner, ink.accent);
            check(2.0 * BOX, ink.on_accent);
        } else if self.is_box {
            let fill = if self.is_chosen { tint } else { ink.panel };
            ui.painter().rect(square, 3.0, fill, Stroke::new(1.5, tint), StrokeKind::Inside);
            if self.is_chosen {
                check(2.0 * BOX, if self.is_open { ink.on_accent } else { ink.panel });
            }
        } else {
            let is_marked = self.is_chosen && self.is_open;
            let width = if self.is_chosen && !self.is_open { 2.5 } else { 1.5 };
            let fill = if is_marked { ink.accent } else { ink.panel };
            ui.painter().circle(center, RADIO, fill, Stroke::new(width, tint));
            let number = if is_marked { ink.on_accent } else { ink.text };
            let (words, align) = (self.number.to_string(), Align2::CENTER_CENTER);
            ui.painter().text(center, align, words, text::small(), number);
        }
    }

    fn spoken(&self) -> String {
        let words = markdown::plain(self.words);
        let mut spoken = if self.is_box { words } else { format!("{}. {words}", self.number) };
        if !self.tag.is_empty() {
            spoken = format!("{spoken}, {}", self.tag);
        }
        if self.is_true {
            spoken.push_str(", true");
        }
        spoken
    }
}
