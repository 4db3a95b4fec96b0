//! How many documents reach their threshold when: bars over the whole axis.

use egui::{CursorIcon, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::scale::Scale;
use super::sweep::Sweep;
use crate::action::ExpiryAction;
use crate::panels::tab_actions::ExpiryActions;
use crate::state::expiry::{Brush, ExpiryView, Lane};
use crate::state::{Zone, number};
use crate::theme::colors::faded;
use crate::theme::{colors, sizes};
use crate::widgets::hint::Hint as _;

/// Draws the bars. Drag chooses a range; the wheel zooms around the pointer.
pub(super) fn ui(
    ui: &mut Ui,
    view: &ExpiryView,
    scale: Scale,
    sweep: Option<Sweep>,
    zone: Zone,
    actions: &mut ExpiryActions<'_>,
) {
    let size = vec2(ui.available_width(), sizes::DENSITY_STRIP);
    // Buttons and entries of the palette do the same by keys. The id must not depend on the widgets
    // before it: the line about the range, which appears above with the first move, must not end
    // the drag.
    let (_, rect) = ui.allocate_space(size);
    let id = ui.scope_id().with("density");
    let response = ui.interact(rect, id, Sense::CLICK | Sense::DRAG);
    let total: u64 = view.density.counts.iter().sum();
    response.widget_info(|| {
        let name = format!("Density: {} expirations on screen", number::count(total));
        let range = if view.brush.is_some() { ", a range is chosen" } else { "" };
        WidgetInfo::labeled(Role::Image, true, format!("{name}{range}"))
    });
    paint_bars(ui, view, scale, sweep, rect);
    mark_range(ui, view, scale, rect);
    zoom(ui, &response, scale, actions);
    if response.drag_stopped() {
        actions.push(ExpiryAction::ListRange);
    }
    if let Some(from) =
        ui.input(|input| input.pointer.press_origin()).filter(|_| response.dragged())
        && let Some(to) = response.interact_pointer_pos()
    {
        let [from, to] = [from.x, to.x].map(|x| scale.instant(x));
        actions
            .push(ExpiryAction::Brush(Some(Brush { from_ms: from.min(to), to_ms: from.max(to) })));
        return;
    }
    let Some(pointer) = response.hover_pos() else { return };
    if response.clicked() {
        actions.push(ExpiryAction::Pan(scale.fraction(pointer.x) - 0.5));
    }
    let words = slice_words(view, scale, pointer.x, zone);
    let is_over = |bar: &Bar| {
        bar.count > 0 && (scale.x(bar.from_ms)..scale.x(bar.to_ms)).contains(&pointer.x)
    };
    let is_over_bar = bars(view).any(|bar| is_over(&bar));
    let cursor = if is_over_bar { CursorIcon::PointingHand } else { CursorIcon::Crosshair };
    response.on_hover_cursor(cursor).hint_at_pointer(words);
}

fn paint_bars(ui: &Ui, view: &ExpiryView, scale: Scale, sweep: Option<Sweep>, rect: Rect) {
    let most = bars(view).map(|bar| bar.count).max().unwrap_or(0);
    let painter = ui.painter();
    let ink = colors(ui);
    painter.hline(rect.x_range(), rect.bottom(), (sizes::LINE, ink.hairline));
    // Where documents would be due under the TTL that is tried.
    let due_ms = view.trial().map_or(scale.now_ms, |trial| trial.due_up_to_ms(scale.now_ms));
    let due = scale.x(due_ms);
    for bar in bars(view).filter(|bar| bar.count > 0) {
        let (left, right) = (scale.x(bar.from_ms), scale.x(bar.to_ms));
        if right <= scale.left || left >= scale.right() {
            continue;
        }
        let (left, right) = (left.max(scale.left), right.min(scale.right()));
        let height = rect.height() * bar_height(bar.count, most);
        let top = pos2(left, rect.bottom() - height);
        let end = pos2((right - sizes::STRIP_GAP).max(left + 1.0), rect.bottom());
        let color = match bar.kind {
            Kind::Removed
                if sweep.is_some_and(|sweep| sweep.is_ahead_of_slice(bar.to_ms, right)) =>
            {
                ink.overdue
            }
            Kind::Removed => faded(ink.removed, 0.5),
            Kind::Threshold if bar.to_ms <= due_ms => ink.overdue,
            Kind::Threshold => faded(ink.accent, 0.85),
        };
        let rect = Rect::from_min_max(top, end);
        painter.rect_filled(rect, 2.0, color);
        // Without one, *now* is between two slices.
        let is_cut = due_ms != scale.now_ms && due_ms < bar.to_ms && due > left;
        if bar.kind == Kind::Threshold && is_cut {
            painter.rect_filled(rect.with_max_x(due.min(rect.right())), 2.0, ink.overdue);
        }
    }
}

/// Marks the chosen range.
fn mark_range(ui: &Ui, view: &ExpiryView, scale: Scale, rect: Rect) {
    let Some(brush) = view.brush else { return };
    let (painter, ink) = (ui.painter(), colors(ui));
    let place =
        Rect::from_x_y_ranges(scale.x(brush.from_ms)..=scale.x(brush.to_ms), rect.y_range());
    let place = place.intersect(rect.with_min_x(scale.left).with_max_x(scale.right()));
    if place.is_positive() {
        painter.rect_filled(place, 2.0, faded(ink.text, 0.12));
        let stroke = Stroke::new(sizes::LINE, ink.text);
        painter.rect_stroke(place, 2.0, stroke, egui::StrokeKind::Inside);
    }
}

/// The slice at a position in words, and what the pointer can do.
fn slice_words(view: &ExpiryView, scale: Scale, x: f32, zone: Zone) -> String {
    let (mut range, mut waiting, mut removed) = (None, 0, 0);
    for bar in bars(view).filter(|bar| scale.x(bar.from_ms) <= x && x < scale.x(bar.to_ms)) {
        range = Some((bar.from_ms, bar.to_ms));
        match bar.kind {
            Kind::Threshold => waiting += bar.count,
            Kind::Removed => removed += bar.count,
        }
    }
    let (from, to) = range.unwrap_or_default();
    let [from, to] = [from, to].map(|at| zone.when(at, scale.now_ms));
    let verb = if scale.x(scale.now_ms) > x { "expired" } else { "expire" };
    let mut lines = Vec::new();
    if waiting > 0 {
        let documents = number::counted(waiting, "document", "documents");
        lines.push(format!("{documents} {verb} between {from} and {to}"));
    }
    if removed > 0 {
        let documents = number::counted(removed, "document", "documents");
        lines.push(format!("{documents} removed that expired between {from} and {to}"));
    }
    lines.push("Drag to choose a range; click to scroll there".to_owned());
    lines.join("\n")
}

pub(super) fn interact(
    ui: &Ui,
    response: &egui::Response,
    scale: Scale,
    actions: &mut ExpiryActions<'_>,
) {
    if response.dragged() && response.drag_delta().x != 0.0 {
        actions.push(ExpiryAction::Pan(f64::from(-response.drag_delta().x / scale.width)));
    }
    zoom(ui, response, scale, actions);
}

/// The wheel zooms around the pointer.
fn zoom(ui: &Ui, response: &egui::Response, scale: Scale, actions: &mut ExpiryActions<'_>) {
    if let Some(pointer) = response.hover_pos() {
        let (wheel, pinch) = ui.input(|input| (input.smooth_scroll_delta().y, input.zoom_delta()));
        let factor = f64::from((-wheel / sizes::WHEEL_ZOOM).exp() / pinch);
        if (factor - 1.0).abs() > 1e-3 {
            actions.push(ExpiryAction::Zoom { factor, anchor: scale.fraction(pointer.x) });
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// Documents whose threshold is in the slice.
    Threshold,
    /// Documents that were removed, by their threshold.
    Removed,
}

struct Bar {
    from_ms: i64,
    to_ms: i64,
    count: u64,
    kind: Kind,
}

/// The slices of the forecast, then the documents removed while the view was open.
fn bars(view: &ExpiryView) -> impl Iterator<Item = Bar> + '_ {
    let density = &view.density;
    let slices = i64::try_from(density.counts.len()).unwrap_or(i64::MAX).max(1);
    let width = (density.to_ms.saturating_sub(density.from_ms) / slices).max(1);
    let at = move |slice: usize| {
        let slice = i64::try_from(slice).unwrap_or(0);
        let from_ms = density.from_ms.saturating_add(slice.saturating_mul(width));
        (from_ms, from_ms.saturating_add(width))
    };
    let waiting = density.counts.iter().enumerate().map(move |(slice, count)| {
        let (from_ms, to_ms) = at(slice);
        Bar { from_ms, to_ms, count: *count, kind: Kind::Threshold }
    });
    let mut removed = vec![0_u64; density.counts.len()];
    let is_shown = |lane: &&Lane| view.shows(&lane.index);
    for lane in view.ledger.iter().filter(is_shown) {
        let slice = lane.threshold_ms.saturating_sub(density.from_ms).div_euclid(width);
        let slice = usize::try_from(slice).ok();
        if let Some(count) = slice.and_then(|slice| removed.get_mut(slice)) {
            *count += 1;
        }
    }
    let removed = removed.into_iter().enumerate().map(move |(slice, count)| {
        let (from_ms, to_ms) = at(slice);
        Bar { from_ms, to_ms, count, kind: Kind::Removed }
    });
    removed.chain(waiting)
}

/// The height of a bar as a fraction.
fn bar_height(count: u64, most: u64) -> f32 {
    #[expect(clippy::cast_precision_loss, reason = "a height on screen")]
    let share = count as f32 / most.max(1) as f32;
    // The square root, so that one document next to a thousand can still be seen.
    share.sqrt().clamp(0.06, 1.0)
}
