//! Chips: rounded pieces of status.

use egui::{Align2, Color32, Response, Role, Sense, Stroke, StrokeKind, Ui, Vec2, WidgetInfo};

use super::{paint, term};
use crate::theme::{Icon, colors, sizes, text};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    Plain,
    /// The same with dim words: it counts nothing.
    Dim,
    /// Filled amber: something is not as usual.
    Amber,
    /// Filled with the error color: something is broken.
    Error,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    Nothing,
    Acts,
    /// A mark says so.
    OpensMenu,
}

pub struct Chip<'a> {
    /// Digits before the words.
    pub lead: &'a str,
    pub label: &'a str,
    /// Text that reserves the width of the label, so that the neighbors do not move while it
    /// changes.
    pub label_room: &'a str,
    /// Digits after the words, in the monospaced face.
    pub digits: &'a str,
    /// The digits as wide as this text, so that the chip keeps its width while they run.
    pub digits_room: &'a str,
    /// A dot before the words.
    pub dot: Option<Color32>,
    pub look: Look,
    /// Whether the digits have the accent color.
    pub bright_digits: bool,
    /// Whether the words are explained on hover: they are underlined with dots.
    pub explained: bool,
    pub press: Press,
    /// The name that is read aloud. It holds no running digits.
    pub name: &'a str,
}

impl Default for Chip<'_> {
    fn default() -> Self {
        Self {
            lead: "",
            label: "",
            label_room: "",
            digits: "",
            digits_room: "",
            dot: None,
            look: Look::Plain,
            bright_digits: false,
            explained: false,
            press: Press::Nothing,
            name: "",
        }
    }
}

impl Chip<'_> {
    fn is_clickable(&self) -> bool {
        self.press != Press::Nothing
    }

    pub fn ui(&self, ui: &mut Ui) -> Response {
        let colors = colors(ui);
        let (fill, border, ink) = match self.look {
            Look::Dim => (colors.raised, colors.hairline, colors.dim),
            Look::Plain => (colors.raised, colors.hairline, colors.text),
            Look::Amber => (colors.overdue, colors.overdue, colors.on_overdue),
            Look::Error => (colors.error, colors.error, colors.on_error),
        };
        let lead = paint::line(ui, self.lead, text::mono(), ink, f32::INFINITY);
        let lead_width = if self.lead.is_empty() { 0.0 } else { lead.size().x + sizes::GAP_SMALL };
        let label = paint::line(ui, self.label, text::body(), ink, f32::INFINITY);
        let label_width = paint::measured(ui, self.label_room, text::body()).x.max(label.size().x);
        let digit_ink = match (self.look, self.bright_digits) {
            (Look::Plain, true) => colors.accent,
            _ => ink,
        };
        let digits = paint::line(ui, self.digits, text::mono(), digit_ink, f32::INFINITY);
        let room = paint::measured(ui, self.digits_room, text::mono()).x.max(digits.size().x);
        let dot = if self.dot.is_some() { 16.0 } else { 0.0 };
        let gap = if self.digits.is_empty() { 0.0 } else { sizes::GAP_SMALL };
        let padding = sizes::GAP + 2.0;
        let mark = if self.press == Press::OpensMenu { sizes::GAP_LARGE } else { 0.0 };
        let width = 2.0 * padding + dot + lead_width + label_width + gap + room + mark;
        let sense = if self.is_clickable() { Sense::click() } else { Sense::hover() };
        let (rect, response) = ui.allocate_exact_size(Vec2::new(width, sizes::CONTROL), sense);
        let kind = if self.is_clickable() { Role::Button } else { Role::Label };
        response.widget_info(|| WidgetInfo::labeled(kind, ui.is_enabled(), self.name));
        let response = if self.is_clickable() {
            response.on_hover_cursor(egui::CursorIcon::PointingHand)
        } else {
            response
        };
        let fill = if self.is_clickable()
            && response.hovered()
            && matches!(self.look, Look::Plain | Look::Dim)
        {
            colors.raised_hover
        } else {
            fill
        };
        let radius = rect.height() / 2.0;
        let stroke = Stroke::new(sizes::LINE, border);
        ui.painter().rect(rect, radius, fill, stroke, StrokeKind::Inside);
        if response.has_focus() {
            paint::focus_ring(ui, rect, radius);
        }
        let mut at = rect.left_center() + Vec2::new(padding, 0.0);
        if let Some(dot) = self.dot {
            ui.painter().circle_filled(at + Vec2::new(4.0, 0.0), 4.0, dot);
            at.x += 16.0;
        }
        let place = Align2::LEFT_CENTER.anchor_size(at, lead.size());
        ui.painter().galley(place.min, lead, ink);
        at.x += lead_width;
        let place = Align2::LEFT_CENTER.anchor_size(at, label.size());
        if self.explained {
            term::underline(ui, place.left_bottom(), place.width(), ink);
        }
        at.x += label_width + gap;
        ui.painter().galley(place.min, label, ink);
        let place = Align2::LEFT_CENTER.anchor_size(at, digits.size());
        ui.painter().galley(place.min, digits, digit_ink);
        if self.press == Press::OpensMenu {
            let at = rect.right_center() - Vec2::new(padding + 3.0, 0.0);
            paint::icon_at(ui.painter(), at, Icon::Unfolded, 16.0, ink);
        }
        response
    }
}

/// A small word on a background, such as `TTL` or `unique`.
pub fn tag(ui: &mut Ui, word: &str, ink: Color32, background: Color32) -> Response {
    let galley = paint::line(ui, word, text::small(), ink, f32::INFINITY);
    let size = galley.size() + Vec2::new(2.0 * 7.0, 4.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| WidgetInfo::labeled(Role::Label, true, word));
    ui.painter().rect_filled(rect, rect.height() / 2.0, background);
    let place = Align2::CENTER_CENTER.anchor_size(rect.center(), galley.size());
    ui.painter().galley(place.min, galley, ink);
    response
}
