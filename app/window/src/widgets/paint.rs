//! Small pieces of painting that several widgets share.

use std::sync::Arc;

use egui::style::Selection;
use egui::{
    Align2, AsIdSalt, Color32, FontId, Galley, Id, IdSalt, Painter, Pos2, Rect, Role, Stroke, Ui,
    Vec2, WidgetInfo,
};

use crate::theme::{Icon, colors, sizes, text};

/// Lays one line of text out, cut with `…` at `width`.
pub fn line(ui: &Ui, content: &str, font: FontId, color: Color32, width: f32) -> Arc<Galley> {
    let mut job =
        egui::text::LayoutJob::simple_singleline(one_line(content).into_owned(), font, color);
    job.wrap = egui::text::TextWrapping::truncate_at_width(width.max(1.0));
    ui.fonts_mut(|fonts| fonts.layout_job(job))
}

/// Paints one line of text, cut with `…` at `width`. Returns the place it took.
#[expect(clippy::must_use_candidate, reason = "painting is the point, the place is extra")]
pub fn text_at(
    ui: &Ui,
    anchor: Pos2,
    align: Align2,
    content: &str,
    font: FontId,
    color: Color32,
    width: f32,
) -> Rect {
    let galley = line(ui, content, font, color, width);
    let rect = align.anchor_size(anchor, galley.size());
    ui.painter().galley(rect.min, galley, color);
    rect
}

/// The shadow inside of a field, below its upper border.
pub fn field_shadow(ui: &Ui, field: Rect) {
    let x = field.x_range().shrink(sizes::RADIUS_BUTTON);
    let line = Stroke::new(sizes::LINE, colors(ui).field_shadow);
    ui.painter().hline(x, field.top() + 1.5 * sizes::LINE, line);
}

/// Fades what is in `area` at its left and its right, where there is more.
pub fn fade(ui: &Ui, area: Rect, [left, right]: [bool; 2]) {
    let (ground, width) = (colors(ui).panel, sizes::FADE.min(area.width() / 2.0));
    let paint = |from: f32, to: f32| {
        let mut mesh = egui::Mesh::default();
        for y in [area.top(), area.bottom()] {
            mesh.colored_vertex(egui::pos2(from, y), ground);
            mesh.colored_vertex(egui::pos2(to, y), Color32::TRANSPARENT);
        }
        mesh.add_triangle(0, 1, 2);
        mesh.add_triangle(1, 2, 3);
        ui.painter().add(mesh);
    };
    if left {
        paint(area.left(), area.left() + width);
    }
    if right {
        paint(area.right(), area.right() - width);
    }
}

/// Paints an icon around `center`.
pub fn icon_at(painter: &Painter, center: Pos2, icon: Icon, size: f32, color: Color32) {
    painter.text(center, Align2::CENTER_CENTER, icon.glyph(), icon.font(size), color);
}

/// The background of a selected row: raised, with a bar at the left.
pub fn selection(ui: &Ui, rect: Rect, radius: f32) {
    ui.painter().rect_filled(rect, radius, colors(ui).raised_hover);
    selection_bar(ui, rect, if radius > 0.0 { 4.0 } else { 0.0 });
}

/// The bar of a selected row, `inset` points short of its top and bottom.
pub fn selection_bar(ui: &Ui, rect: Rect, inset: f32) {
    let bar = rect.with_max_x(rect.left() + sizes::LINE_SELECTED).shrink2(Vec2::new(0.0, inset));
    let radius = if inset > 0.0 { sizes::LINE_SELECTED / 2.0 } else { 0.0 };
    ui.painter().rect_filled(bar, radius, colors(ui).text);
}

/// Gives the rows that a table builder selects the same background.
pub fn neutral_rows(ui: &mut Ui) {
    let (fill, ink) = (colors(ui).raised_hover, colors(ui).text);
    ui.visuals_mut().selection = Selection { bg_fill: fill, stroke: Stroke::new(sizes::LINE, ink) };
}

/// The bar of a selected row, drawn from its first cell, which ends half a gap short of the row.
pub fn cell_selection_bar(ui: &Ui) {
    let around = ui.spacing().item_spacing * 0.5;
    let row = ui.max_rect().expand2(around);
    let bar = row.with_max_x(row.left() + sizes::LINE_SELECTED);
    let clip = ui.clip_rect().expand2(Vec2::new(around.x, 0.0));
    ui.painter().with_clip_rect(clip).rect_filled(bar, 0.0, colors(ui).text);
}

/// The line around what the keyboard is on.
pub fn focus_ring(ui: &Ui, rect: Rect, radius: f32) {
    let stroke = Stroke::new(sizes::LINE_STRONG, colors(ui).accent);
    ui.painter().rect_stroke(rect.expand(1.0), radius + 1.0, stroke, egui::StrokeKind::Outside);
}

/// The same around the cell of a table that `ui` draws, and the name by which it is read aloud.
pub fn cell_focus_ring(ui: &Ui, name: &str) {
    ui.response().widget_info(|| WidgetInfo::labeled(Role::Cell, true, name));
    if ui.response().has_focus() {
        focus_ring(ui, ui.max_rect().shrink(2.0), 4.0);
    }
}

/// The name of the cell of a table's header that `ui` draws.
pub fn name_header(ui: &Ui, title: &str) {
    ui.response().widget_info(|| WidgetInfo::labeled(Role::ColumnHeader, true, title));
}

/// Names the line at which the panel of this name, which was drawn last, is made wider: egui calls all of
/// them by one name.
pub fn name_splitter(ui: &Ui, panel: impl AsIdSalt, name: &str) {
    let id = ui.scope_id().with_salt(IdSalt::new(panel)).with("__resize");
    ui.ctx().accesskit_node_builder(id, |node| node.set_label(name));
}

/// Names the line at which a column of a table, which was drawn last, is made wider.
pub fn name_column_edge(ui: &Ui, table: Id, column: Id, title: &str) {
    let name = format!("Resize column {title}");
    ui.ctx().accesskit_node_builder(table.with(column).with("resize"), |node| {
        node.set_role(Role::Splitter);
        node.set_label(name);
    });
}

/// The size of one line of text.
pub fn measured(ui: &Ui, content: &str, font: FontId) -> Vec2 {
    line(ui, content, font, colors(ui).text, f32::INFINITY).size()
}

/// Whether one line of text is not cut at `width`.
pub fn fits(ui: &Ui, content: &str, font: FontId, width: f32) -> bool {
    measured(ui, content, font).x <= width
}

/// How wide a digit of the monospaced font is.
pub fn digit_width(ui: &Ui) -> f32 {
    ui.fonts_mut(|fonts| fonts.glyph_width(&text::mono(), '0'))
}

fn one_line(content: &str) -> std::borrow::Cow<'_, str> {
    if content.contains(['\n', '\r']) {
        content.replace(['\n', '\r'], " ").into()
    } else {
        content.into()
    }
}
