//! How late removals were: one sentence, and on request figures and a chart over the last passes.

use egui::{Align2, Rect, Role, Sense, Stroke, Ui, WidgetInfo, pos2, vec2};

use super::pass_times::PassTimes;
use crate::state::expiry::{ExpiryView, PassLag, Promise};
use crate::state::{State, duration, number};
use crate::theme::colors::faded;
use crate::theme::{colors, sizes, text};
use crate::widgets::hint::Hint as _;
use crate::widgets::paint;

/// The height of the chart.
const CHART: f32 = 84.0;

/// The room left of the bars, for the figures of the axis.
const FIGURES: f32 = 64.0;

/// The widest step from one pass to the next.
const STEP_MAX: f32 = 28.0;

/// Draws the figures and the chart.
pub(super) fn ui(ui: &mut Ui, state: &State, view: &ExpiryView, times: &PassTimes) {
    if let Some((median, most, max)) = view.lag_ms() {
        let figure = |name: &str, ms| format!("{name} {}", duration::span(ms));
        let lag = [figure("p50", median), figure("p99", most), figure("max", max)].join("   ");
        ui.horizontal(|ui| {
            ui.label(text::rich("Removal lag", text::body()).color(colors(ui).dim));
            ui.label(text::rich(lag, text::mono()));
        });
    }
    let passes = view.lag_of_passes(state.reaper.passes());
    if !passes.is_empty() {
        chart_ui(ui, &passes, times);
    }
}

/// Whether removals came in time.
pub(super) fn sentence(promise: &Promise, allowed_ms: i64) -> String {
    let allowed = duration::span(allowed_ms);
    if promise.late == 0 {
        let latest = duration::span(promise.max_ms);
        return format!(
            "On time: all removals within {allowed} of expiring, the latest after {latest}"
        );
    }
    format!(
        "Late: {} of {} came later than {allowed} after expiring, the latest after {}",
        number::count(promise.late),
        number::counted(promise.removed, "removal", "removals"),
        duration::span(promise.max_ms),
    )
}

fn chart_ui(ui: &mut Ui, passes: &[PassLag], times: &PassTimes) {
    let (rect, response) =
        ui.allocate_exact_size(vec2(ui.available_width(), CHART), Sense::hover());
    let count = passes.len() as u64;
    response.widget_info(|| {
        let passes = number::counted(count, "pass", "passes");
        WidgetInfo::labeled(Role::Image, true, format!("Removal lag of the last {passes}"))
    });
    let ink = colors(ui);
    let area = rect.with_min_x(rect.left() + FIGURES).shrink2(vec2(0.0, 8.0));
    let longest = passes.iter().map(|pass| pass.max_ms).max().unwrap_or(0).max(times.sleep_ms);
    let y = |ms: i64| {
        #[expect(clippy::cast_precision_loss, reason = "a height on screen")]
        let share = ms as f32 / longest.max(1) as f32;
        area.bottom() - share * area.height()
    };
    let figure = |ui: &Ui, ms: i64, color| {
        let at = pos2(area.left() - sizes::GAP_SMALL, y(ms));
        let words = duration::span(ms);
        paint::text_at(ui, at, Align2::RIGHT_CENTER, &words, text::mono_small(), color, FIGURES);
    };
    ui.painter().hline(area.x_range(), area.bottom(), Stroke::new(sizes::LINE, ink.hairline));
    let ends = [pos2(area.left(), y(times.sleep_ms)), pos2(area.right(), y(times.sleep_ms))];
    let dashes = Stroke::new(sizes::LINE, ink.dim);
    ui.painter().extend(egui::Shape::dashed_line(&ends, dashes, sizes::DASH, sizes::DASH));
    figure(ui, times.sleep_ms, ink.dim);
    if longest > times.sleep_ms.saturating_mul(5) / 4 {
        figure(ui, longest, ink.dim);
    }
    #[expect(clippy::cast_precision_loss, reason = "a few dozen passes")]
    let step = (area.width() / passes.len() as f32).min(STEP_MAX);
    for (at, pass) in passes.iter().enumerate() {
        #[expect(clippy::cast_precision_loss, reason = "a few dozen passes")]
        let x = area.left() + (at as f32 + 0.5) * step;
        let color = if times.is_late(pass.max_ms) { ink.overdue } else { ink.accent };
        let bar = Rect::from_x_y_ranges(x - 2.0..=x + 2.0, y(pass.max_ms)..=y(pass.median_ms));
        ui.painter().rect_filled(bar, 2.0, faded(color, 0.45));
        ui.painter().circle_filled(pos2(x, y(pass.median_ms)), 3.5, color);
        let most = Stroke::new(sizes::LINE_STRONG, color);
        ui.painter().hline(x - 4.0..=x + 4.0, y(pass.most_ms), most);
        let place = Rect::from_x_y_ranges(x - step / 2.0..=x + step / 2.0, rect.y_range());
        let response = ui.interact(place, ui.scope_id().with(("lag", pass.at_ms)), Sense::hover());
        response.hint(words(pass, times));
    }
}

fn words(pass: &PassLag, times: &PassTimes) -> String {
    let [p50, p99, max] = [pass.median_ms, pass.most_ms, pass.max_ms].map(duration::span);
    let removed = number::counted(pass.removed, "document", "documents");
    let at = times.zone.date_time(pass.at_ms);
    format!("Pass at {at}: {removed} removed\np50 {p50}, p99 {p99}, max {max} after expiring")
}
