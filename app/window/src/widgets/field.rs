//! Fields for one line of text.

use egui::{
    Align2, CornerRadius, Frame, Id, Margin, Response, Stroke, StrokeKind, TextEdit, Ui, Vec2,
};

use super::{Button, first_focus, paint};
use crate::theme::{Icon, colors, sizes, text};

/// How a field looks and what it says.
#[expect(clippy::struct_excessive_bools, reason = "each says one thing about the text")]
#[derive(Debug, Clone, Copy, Default)]
pub struct Field<'a> {
    pub name: &'a str,
    /// The hint while it is empty.
    pub hint: &'a str,
    /// Whether its text is in the monospaced face.
    pub mono: bool,
    /// Whether dots are shown in place of its text.
    pub secret: bool,
    /// Whether something is wrong with what is in it.
    pub invalid: bool,
    /// An icon before the text.
    pub icon: Option<Icon>,
    pub clearable: bool,
    /// How wide it is; as wide as there is room when `None`.
    pub width: Option<f32>,
    /// Its own id, so that the keyboard can be sent to it.
    pub id: Option<Id>,
}

impl Field<'_> {
    /// Draws the field. The response is that of the text.
    pub fn ui(&self, ui: &mut Ui, draft: &mut String) -> Response {
        let colors = colors(ui);
        let width = self.width.unwrap_or(ui.available_width());
        let (outer, _) =
            ui.allocate_exact_size(Vec2::new(width, sizes::CONTROL), egui::Sense::hover());
        let left = if self.icon.is_some() { 30.0 } else { 10.0 };
        let clear = self.clearable && !draft.is_empty();
        let right = if clear { 28.0 } else { 8.0 };
        let mut inner = outer;
        inner.min.x += left;
        inner.max.x -= right;
        let background = ui.painter().add(egui::Shape::Noop);
        let font = if self.mono { text::mono() } else { text::body() };
        let mut edit = TextEdit::singleline(draft)
            .font(font)
            .password(self.secret)
            .hint_text(egui::RichText::new(self.hint).color(colors.dim))
            .frame(Frame::new())
            .margin(Margin::ZERO)
            .desired_width(inner.width())
            .align(Align2::LEFT_CENTER)
            .min_size(inner.size());
        if let Some(id) = self.id {
            edit = edit.id(id);
        }
        let response = ui.put(inner, edit).accessible_name(self.name);
        first_focus::take_and_select(ui, &response, draft);
        let border = match (self.invalid, response.has_focus()) {
            (true, _) => colors.error,
            (_, true) => colors.accent,
            _ => colors.hairline,
        };
        let stroke = Stroke::new(sizes::LINE, border);
        let rect = egui::epaint::RectShape::new(
            outer,
            CornerRadius::same(7),
            colors.field,
            stroke,
            StrokeKind::Inside,
        );
        ui.painter().set(background, rect);
        paint::field_shadow(ui, outer);
        if let Some(icon) = self.icon {
            let center = outer.left_center() + Vec2::new(16.0, 0.0);
            paint::icon_at(ui.painter(), center, icon, text::ICON, colors.dim);
        }
        if clear {
            let rect = Align2::RIGHT_CENTER
                .anchor_size(outer.right_center() - Vec2::new(3.0, 0.0), Vec2::splat(24.0));
            let name = format!("Clear {}", self.name);
            if ui.put(rect, Button::icon_only(Icon::Close, &name).small()).clicked() {
                draft.clear();
                response.request_focus();
            }
        }
        response
    }
}

pub fn search(ui: &mut Ui, name: &str, hint: &str, draft: &mut String, id: Id) -> Response {
    let field = Field {
        name,
        hint,
        icon: Some(Icon::Search),
        clearable: true,
        id: Some(id),
        ..Field::default()
    };
    field.ui(ui, draft)
}

/// A label above a field, and below it what is wrong.
pub fn labelled(ui: &mut Ui, label: &str, error: Option<&str>, add: impl FnOnce(&mut Ui)) {
    let colors = colors(ui);
    ui.scope(|ui| {
        ui.spacing_mut().item_spacing.y = sizes::GAP_TINY;
        ui.label(text::rich(label, text::small()).color(colors.dim));
        add(ui);
        if let Some(error) = error {
            ui.label(text::rich(error, text::small()).color(colors.error));
        }
    });
}
