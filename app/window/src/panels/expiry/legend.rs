//! The legend: one line that names what the timeline draws.

use egui::{Rect, Role, Sense, Stroke, Ui, Vec2, WidgetInfo, pos2, vec2};

use super::lane_painter::{cross, hatch};
use super::marks;
use crate::panels::tab_actions::ExpiryActions;
use crate::state::monitor::NextPass;
use crate::state::{State, Tab};
use crate::theme::{colors, sizes, text};

/// The width of a sample.
const SAMPLE: f32 = 16.0;

/// Draws the line; its first sample is at `left`, and the marks of several TTL indexes are at the
/// right. A presentation has no room for both.
pub(super) fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    left: f32,
    actions: &mut ExpiryActions<'_>,
) {
    let is_presented = state.view.is_presented();
    let next = super::next_pass(state);
    let is_known = |next| matches!(next, NextPass::Known { .. } | NextPass::Minutely { .. });
    let knows_pass = next.is_none_or(is_known);
    let size = vec2(ui.available_width(), sizes::LEGEND);
    let (rect, response) = ui.allocate_exact_size(size, Sense::hover());
    response.widget_info(|| {
        let name = "Legend: waiting, overdue, removed, next pass";
        WidgetInfo::labeled(Role::Image, true, name)
    });
    let marks_left = if is_presented { rect.right() } else { marks_ui(ui, tab, rect, actions) };
    let (painter, ink) = (ui.painter(), colors(ui));
    let middle = rect.center().y;
    let mut x = left;
    let words = ["waiting", "overdue", "removed", "next pass"];
    // Few servers say when their next pass is.
    let known = words.into_iter().take(if knows_pass { 4 } else { 3 });
    for (at, word) in known.enumerate() {
        let galley = painter.layout_no_wrap(word.to_owned(), text::small(), ink.dim);
        if x + SAMPLE + sizes::GAP_TINY + galley.size().x > marks_left {
            break;
        }
        let sample = Rect::from_center_size(pos2(x + SAMPLE / 2.0, middle), Vec2::new(SAMPLE, 8.0));
        match at {
            0 => {
                painter.rect_filled(sample, 4.0, ink.accent);
            }
            1 => hatch(painter, ink, sample),
            2 => cross(painter, sample.center(), ink.removed),
            _ => {
                let ends =
                    [pos2(sample.center().x, middle - 7.0), pos2(sample.center().x, middle + 7.0)];
                let stroke = Stroke::new(sizes::LINE_STRONG, ink.accent);
                painter.extend(egui::Shape::dashed_line(&ends, stroke, sizes::DASH, sizes::DASH));
            }
        }
        let at = pos2(x + SAMPLE + sizes::GAP_TINY + 2.0, middle - galley.size().y / 2.0);
        x = at.x + galley.size().x + sizes::GAP_LARGE;
        painter.galley(at, galley, ink.dim);
    }
}

/// Draws the marks from the right. Returns where they begin.
fn marks_ui(ui: &mut Ui, tab: &Tab, line: Rect, actions: &mut ExpiryActions<'_>) -> f32 {
    // Controls are higher than the line; the axis above it has room for that at its lower edge.
    let line = line.with_min_y(line.bottom() - sizes::CONTROL_SMALL);
    let layout = egui::Layout::right_to_left(egui::Align::Center);
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(line).layout(layout));
    child.spacing_mut().item_spacing.x = 0.0;
    marks::toggles_ui(&mut child, tab, actions);
    let marks = child.min_rect();
    if marks.width() > 1.0 { marks.left() - sizes::GAP } else { line.right() }
}
