//! Bars side by side that can be pressed, and shares of a whole in one line.

use egui::{Color32, CursorIcon, Rect, Role, Sense, Ui, WidgetInfo, pos2, vec2};

use super::hint::Hint as _;
use super::{paint, steady};
use crate::theme::{colors, sizes};

/// One bar.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// The interval in words: shown on hover and read aloud.
    pub name: String,
    pub count: u64,
}

/// Draws the bars over the whole width. Returns the one that was pressed.
pub fn ui(
    ui: &mut Ui,
    height: f32,
    ink: Color32,
    can_press: bool,
    bars: &[Column],
) -> Option<usize> {
    let (rect, _) = ui.allocate_exact_size(vec2(ui.available_width(), height), Sense::hover());
    let colors = colors(ui);
    let most = bars.iter().map(|bar| bar.count).max().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "a few dozen bars")]
    let step = rect.width() / bars.len().max(1) as f32;
    let mut pressed = None;
    for (at, bar) in bars.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a few dozen bars")]
        let left = rect.left() + at as f32 * step;
        let place = Rect::from_x_y_ranges(left..=left + step, rect.y_range());
        let is_active = can_press && bar.count > 0;
        let sense = if is_active { Sense::click() } else { Sense::hover() };
        let response = ui.interact(place, steady::id(ui, &bar.name), sense);
        let role = if is_active { Role::Button } else { Role::Label };
        response.widget_info(|| WidgetInfo::labeled(role, ui.is_enabled(), &bar.name));
        if is_active && (response.hovered() || response.has_focus()) {
            ui.painter().rect_filled(place, 2.0, colors.raised_hover);
        }
        let tall = place.height() * share(bar.count, most);
        let gap = if step > 4.0 { sizes::STRIP_GAP } else { 0.0 };
        let filled = Rect::from_min_max(
            pos2(place.left(), place.bottom() - tall),
            pos2((place.right() - gap).max(place.left() + 1.0), place.bottom()),
        );
        if bar.count > 0 {
            ui.painter().rect_filled(filled, 1.0, ink);
        }
        if response.has_focus() {
            paint::focus_ring(ui, place, 2.0);
        }
        if response.clicked() {
            pressed = Some(at);
        }
        let response =
            if is_active { response.on_hover_cursor(CursorIcon::PointingHand) } else { response };
        response.hint_at_pointer(bar.name.as_str());
    }
    ui.painter().hline(rect.x_range(), rect.bottom(), (sizes::LINE, colors.hairline));
    pressed
}

/// Paints bars without names into `rect`.
pub fn paint(
    ui: &Ui,
    rect: Rect,
    ink: Color32,
    counts: impl ExactSizeIterator<Item = u64> + Clone,
) {
    let most = counts.clone().max().unwrap_or(0);
    #[expect(clippy::cast_precision_loss, reason = "a few dozen bars")]
    let step = rect.width() / counts.len().max(1) as f32;
    let gap = if step > 4.0 { 1.0 } else { 0.0 };
    for (at, count) in counts.enumerate().filter(|(_, count)| *count > 0) {
        #[expect(clippy::cast_precision_loss, reason = "a few dozen bars")]
        let left = rect.left() + at as f32 * step;
        let tall = rect.height() * share(count, most);
        let bar = Rect::from_min_max(
            pos2(left, rect.bottom() - tall),
            pos2((left + step - gap).max(left + 1.0), rect.bottom()),
        );
        ui.painter().rect_filled(bar, 0.0, ink);
    }
}

/// Paints parts of a whole into one line of `rect`.
pub fn paint_shares(ui: &Ui, rect: Rect, whole: u64, parts: &[(Color32, u64)]) {
    let radius = rect.height() / 2.0;
    ui.painter().rect_filled(rect, radius, colors(ui).well);
    let mut left = rect.left();
    for (ink, count) in parts {
        #[expect(clippy::cast_precision_loss, reason = "a share on screen")]
        let width = rect.width() * (*count as f32 / whole.max(1) as f32);
        let right = (left + width).min(rect.right());
        // The smallest part can still be seen.
        let place = Rect::from_x_y_ranges(left..=right.max(left + 2.0), rect.y_range());
        ui.painter().rect_filled(place.intersect(rect), radius.min(width / 2.0), *ink);
        left = right;
    }
}

/// The height of a bar.
fn share(count: u64, most: u64) -> f32 {
    if count == 0 {
        return 0.0;
    }
    #[expect(clippy::cast_precision_loss, reason = "a height on screen")]
    let share = count as f32 / most.max(1) as f32;
    // One document next to a million can still be seen.
    share.clamp(0.04, 1.0)
}
