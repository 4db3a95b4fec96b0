//! A progress bar without words.

use egui::{Color32, Rect, Response, Role, Sense, Ui, Vec2, WidgetInfo};

use crate::theme::colors;

/// A bar filled by `share`, between 0 and 1. It fills the width.
pub fn ui(ui: &mut Ui, share: f32, ink: Color32, name: &str) -> Response {
    let size = Vec2::new(ui.available_width(), 6.0);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| {
        let mut info = WidgetInfo::labeled(Role::ProgressIndicator, true, name);
        info.value = Some(f64::from(share));
        info
    });
    paint(ui, rect, share, ink);
    response
}

pub fn paint(ui: &Ui, rect: Rect, share: f32, ink: Color32) {
    let radius = rect.height() / 2.0;
    ui.painter().rect_filled(rect, radius, colors(ui).well);
    let width = rect.width() * share.clamp(0.0, 1.0);
    if width > 0.5 {
        let filled =
            Rect::from_min_size(rect.min, Vec2::new(width.max(rect.height()), rect.height()));
        ui.painter().rect_filled(filled.intersect(rect), radius, ink);
    }
}
