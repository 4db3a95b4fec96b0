//! The slider of a TTL, from a second to a year.

use egui::{EventFilter, Key, Rect, Response, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use crate::state::indexes::{slider_fraction, slider_next, slider_secs};
use crate::theme::{colors, sizes, text};
use crate::widgets::paint;

const MARKS: [(&str, i64); 6] = [
    ("1 s", 1),
    ("1 min", 60),
    ("1 h", 3_600),
    ("1 day", 86_400),
    ("1 month", 30 * 86_400),
    ("1 year", 365 * 86_400),
];

/// How the slider was used in this frame.
pub struct Slid {
    /// The seconds that it was moved to.
    pub secs: Option<i64>,
    /// Whether the pointer holds it.
    pub is_held: bool,
}

/// Draws the slider over the available width; logarithmic. `before` is marked on it.
pub fn ui(ui: &mut Ui, secs: Option<i64>, before: Option<i64>) -> Slid {
    let size = vec2(ui.available_width(), sizes::SLIDER);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let response = response.on_hover_cursor(egui::CursorIcon::ResizeHorizontal);
    let track = Rect::from_min_max(
        pos2(rect.left() + sizes::GAP_SMALL, rect.top() + sizes::GAP_TINY),
        pos2(rect.right() - sizes::GAP_SMALL, rect.top() + sizes::GAP_TINY + sizes::SLIDER_TRACK),
    );
    let fraction = slider_fraction(secs.unwrap_or(1));
    response.widget_info(|| WidgetInfo::slider(true, fraction, "TTL from a second to a year"));
    let ink = colors(ui);
    let painter = ui.painter();
    let radius = track.height() / 2.0;
    painter.rect_filled(track, radius, ink.well);
    let place = |secs: i64| track.left() + as_f32(slider_fraction(secs)) * track.width();
    let x = track.left() + as_f32(fraction) * track.width();
    painter.rect_filled(track.with_max_x(x), radius, ink.accent);
    if let Some(before) = before.filter(|before| *before >= 0) {
        let y = track.y_range().expand(sizes::GAP_TINY);
        painter.vline(place(before), y, Stroke::new(sizes::LINE_STRONG, ink.dim));
    }
    let knob = pos2(x, track.center().y);
    painter.circle(knob, sizes::SLIDER_KNOB, ink.panel, Stroke::new(2.5, ink.accent));
    let mut free_from = f32::NEG_INFINITY;
    for (label, secs) in MARKS {
        let galley = painter.layout_no_wrap(label.to_owned(), text::small(), ink.dim);
        let left = place(secs) - galley.size().x / 2.0;
        let left = left.clamp(rect.left(), (rect.right() - galley.size().x).max(rect.left()));
        if left >= free_from {
            free_from = left + galley.size().x + sizes::GAP_TINY;
            painter.galley(pos2(left, track.bottom() + sizes::GAP_SMALL), galley, ink.dim);
        }
    }
    let pointer = response.interact_pointer_pos();
    let moved = pointer.map(|at| slider_secs(f64::from((at.x - track.left()) / track.width())));
    let moved = moved.or_else(|| key_ui(ui, &response, secs.unwrap_or(1)));
    Slid { secs: moved.filter(|moved| Some(*moved) != secs), is_held: pointer.is_some() }
}

/// The seconds to which an arrow key moves it, if it has the keyboard.
fn key_ui(ui: &Ui, response: &Response, secs: i64) -> Option<i64> {
    if !response.has_focus() {
        return None;
    }
    paint::focus_ring(ui, response.rect, sizes::RADIUS_BUTTON);
    // Otherwise the arrows would move to the next control.
    let filter = EventFilter { horizontal_arrows: true, ..EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    let pressed = |key| ui.input(|input| input.num_presses(key));
    let moved = |secs, is_older, times| (0..times).fold(secs, |at, _| slider_next(at, is_older));
    let older = moved(secs, true, pressed(Key::ArrowRight));
    let moved = moved(older, false, pressed(Key::ArrowLeft));
    (moved != secs).then_some(moved)
}

#[expect(clippy::cast_possible_truncation, reason = "a place on screen")]
fn as_f32(number: f64) -> f32 {
    number as f32
}
