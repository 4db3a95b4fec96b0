//! Rows with a name at the left and a value at the right.

use egui::{Align2, Color32, Response, Role, Sense, Ui, Vec2, WidgetInfo};

use super::paint;
use crate::theme::{colors, sizes, text};

/// The part of the width that a value may take from a long name.
const VALUE_SHARE: f32 = 0.62;

/// A row: the name dim, the value in the monospaced face.
pub fn ui(ui: &mut Ui, key: &str, value: &str) -> Response {
    row(ui, key, value, colors(ui).text, false)
}

/// A row whose value has a color.
pub fn colored(ui: &mut Ui, key: &str, value: &str, ink: Color32) -> Response {
    row(ui, key, value, ink, false)
}

/// A row that can be pressed and whose value has a color.
pub fn pressable_colored(ui: &mut Ui, key: &str, value: &str, ink: Color32) -> Response {
    row(ui, key, value, ink, true)
}

/// A row that can be pressed.
pub fn pressable(ui: &mut Ui, key: &str, value: &str) -> Response {
    row(ui, key, value, colors(ui).text, true)
}

fn row(ui: &mut Ui, key: &str, value: &str, ink: Color32, pressable: bool) -> Response {
    let colors = colors(ui);
    let sense = if pressable { Sense::click() } else { Sense::hover() };
    let size = Vec2::new(ui.available_width(), 20.0);
    let (rect, response) = ui.allocate_exact_size(size, sense);
    let kind = if pressable { Role::Button } else { Role::Label };
    let name = format!("{key}: {value}");
    response.widget_info(|| WidgetInfo::labeled(kind, ui.is_enabled(), &name));
    if pressable && response.hovered() {
        let around = rect.expand2(Vec2::new(sizes::GAP_TINY, 0.0));
        ui.painter().rect_filled(around, 4.0, colors.raised_hover);
    }
    if response.has_focus() {
        paint::focus_ring(ui, rect.expand2(Vec2::new(2.0, 0.0)), 4.0);
    }
    // A short name leaves the value more than its share.
    let name_width = paint::measured(ui, key, text::body()).x + sizes::GAP_SMALL;
    let most = (rect.width() - name_width).max(rect.width() * VALUE_SHARE);
    let right = rect.right_center();
    let place = paint::text_at(ui, right, Align2::RIGHT_CENTER, value, text::mono(), ink, most);
    let room = place.left() - rect.left() - sizes::GAP_SMALL;
    let left = rect.left_center();
    paint::text_at(ui, left, Align2::LEFT_CENTER, key, text::body(), colors.dim, room);
    response
}
