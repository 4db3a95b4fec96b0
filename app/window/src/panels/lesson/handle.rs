//! The handle: seconds that are dragged, bound to a TTL index.

use egui::{Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::actions::LessonActions;
use crate::action::LessonAction;
use crate::job::lesson::Handle;
use crate::state::indexes::ttl_words;
use crate::state::{State, lesson};
use crate::theme::{colors, sizes, text};
use crate::widgets::paint;

/// Draws it. The index is changed when it is let go.
pub(super) fn ui(ui: &mut Ui, state: &State, handle: &Handle, actions: &mut LessonActions<'_>) {
    let namespace = lesson::namespace(&handle.collection);
    let tab = state.tabs.open().iter().find(|tab| tab.namespace == namespace);
    let known = tab.and_then(|tab| tab.indexes.ttl().first().map(|index| index.secs));
    let id = ui.scope_id().with(("handle", handle.collection.as_str()));
    let dragged = ui.data(|data| data.get_temp::<i64>(id));
    let secs = dragged.or(known).unwrap_or(handle.min_secs);
    let size = vec2(ui.available_width(), sizes::ROW);
    let (rect, response) = ui.allocate_exact_size(size, Sense::click_and_drag());
    let track = rect.shrink2(vec2(sizes::SLIDER_KNOB, 0.0));
    let (low, high) = (logarithm(handle.min_secs), logarithm(handle.max_secs));
    let fraction = ((logarithm(secs) - low) / (high - low).max(f64::EPSILON)).clamp(0.0, 1.0);
    let spoken = format!("TTL of {}", handle.collection);
    #[expect(clippy::cast_precision_loss, reason = "seconds of a slider")]
    let value = secs as f64;
    response.widget_info(|| WidgetInfo::slider(known.is_some(), value, &spoken));
    let ink = colors(ui);
    #[expect(clippy::cast_possible_truncation, reason = "a place on screen")]
    let x = track.left() + fraction as f32 * track.width();
    let y = track.center().y;
    let line = track.with_min_y(y - 3.0).with_max_y(y + 3.0);
    ui.painter().rect_filled(line, 3.0, ink.well);
    ui.painter().rect_filled(line.with_max_x(x), 3.0, ink.accent);
    let stroke = Stroke::new(2.5, ink.accent);
    ui.painter().circle(pos2(x, y), sizes::SLIDER_KNOB, ink.panel, stroke);
    if response.has_focus() {
        paint::focus_ring(ui, rect, sizes::RADIUS_BUTTON);
    }
    ui.label(text::rich(ttl_words(secs), text::body()).color(ink.text));
    let mut moved = None;
    if let Some(pointer) = response.interact_pointer_pos() {
        let fraction = f64::from((pointer.x - track.left()) / track.width()).clamp(0.0, 1.0);
        moved = Some((low + fraction * (high - low)).exp());
    }
    let step = keyboard_steps(ui, &response);
    if step != 0 {
        moved = Some(value * if step > 0 { 1.1 } else { 1.0 / 1.1 } + f64::from(step));
    }
    if let Some(moved) = moved {
        #[expect(clippy::cast_possible_truncation, reason = "within the bounds")]
        let secs = (moved.round() as i64).clamp(handle.min_secs, handle.max_secs);
        ui.data_mut(|data| data.insert_temp(id, secs));
        if step != 0 {
            actions.push(LessonAction::SetTtl(namespace.clone(), secs));
        }
    }
    if (response.drag_stopped() || response.clicked()) && dragged != known {
        let secs = ui.data(|data| data.get_temp::<i64>(id)).unwrap_or(secs);
        actions.push(LessonAction::SetTtl(namespace, secs));
    }
    if !response.dragged() && dragged.is_some() && dragged == known {
        ui.data_mut(|data| data.remove::<i64>(id));
    }
}

/// Arrows of the keyboard: to the right is more.
fn keyboard_steps(ui: &Ui, response: &egui::Response) -> i32 {
    if !response.has_focus() {
        return 0;
    }
    let filter = egui::EventFilter { horizontal_arrows: true, ..egui::EventFilter::default() };
    ui.memory_mut(|memory| memory.set_focus_lock_filter(response.id, filter));
    ui.input(|input| {
        let pressed = |key| i32::from(input.key_pressed(key));
        pressed(egui::Key::ArrowRight) - pressed(egui::Key::ArrowLeft)
    })
}

fn logarithm(secs: i64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "seconds of a slider")]
    let secs = secs.max(1) as f64;
    secs.ln()
}
