//! The timeline, from top to bottom: density, lanes, the axis line and the legend.

use egui::{Rect, Ui, pos2};

use super::axis::{self, Backdrop, Marks};
use super::lanes::{self, Lanes};
use super::pass_times::PassTimes;
use super::scale::Scale;
use super::sweep::{Sweep, is_still};
use super::words;
use super::{density, legend, lesson, what_if};
use crate::job::PassReport;
use crate::panels::expiry::pass_times::Removals;
use crate::panels::tab_actions::ExpiryActions;
use crate::state::expiry::{ExpiryView, Lane, Phase};
use crate::state::indexes::TtlIndex;
use crate::state::{State, Tab};
use crate::theme::{durations, sizes};

/// Draws the timeline. Returns whether the pointer is over its rows.
pub(super) fn ui(
    ui: &mut Ui,
    state: &State,
    tab: &Tab,
    times: &PassTimes,
    actions: &mut ExpiryActions<'_>,
) -> bool {
    let (view, now_ms) = (&tab.expiry, state.now_ms());
    let whole = ui.available_rect_before_wrap();
    let scale = Scale::new(view.axis, &state.clock, lane_area(whole, state.view.is_presented()));
    let indexes = tab.indexes.ttl();
    let bottom = whole.bottom() - sizes::AXIS - sizes::LEGEND;
    let rows = view.rows(now_ms);
    let room = (bottom - whole.top()) / lanes::height(state.view.is_presented());
    let sweep = Sweep::of(state, view, scale);
    let removed_here = |pass: &PassReport| {
        let removed = removed_here(pass, tab);
        sweep.map_or(removed, |sweep| sweep.counted(pass, removed))
    };
    let marks = Marks {
        passes: state.reaper.passes(),
        next_pass_ms: times.next_pass_ms.filter(|_| times.removals != Removals::Off),
        removed_here: &removed_here,
    };
    let since_ms = [overdue_since(view, now_ms), sweep.map(|sweep| sweep.since_ms)];
    let overdue_since_ms = since_ms.into_iter().flatten().min();
    Backdrop { scale, area: whole.with_max_y(bottom), marks, overdue_since_ms }.paint(ui);
    ui.spacing_mut().item_spacing.y = 0.0;
    if has_strip(view, rows.len(), room) {
        density::ui(ui, view, scale, sweep, times.zone, actions);
    }
    let above = ui.cursor().top();
    if state.tabs_together().is_empty() {
        what_if::ui(ui, state, tab, actions);
    }
    let top = ui.cursor().top();
    if top > bottom {
        // The open strip has all the room of a low window.
        return false;
    }
    let area = Rect::from_min_max(pos2(whole.left(), top), pos2(whole.right(), bottom));
    let mut child = ui.new_child(egui::UiBuilder::new().max_rect(area));
    child.set_clip_rect(area.intersect(ui.clip_rect()));
    let lanes = Lanes {
        rows: &rows,
        is_presented: state.view.is_presented(),
        scale,
        bracket: &|lane| tooltip(lane, &indexes, now_ms, times),
        indexes: &indexes,
        is_range: view.first_of_range().is_some(),
        times,
        chosen: view.selected_lane().map(|lane| (&lane.id, lane.removed_ms)),
        sweep,
        trial: view.trial(),
        picked: lesson::chosen(state, tab),
        uptime: state.uptime,
        is_still: is_still(state),
    };
    let shown = lanes.ui(&mut child, actions);
    lines(ui, view, scale, sweep, [whole.with_max_y(above), area]);
    lesson::pin_ui(ui, state, scale, area.with_min_y(whole.top()), actions);
    if shown.moves || sweep.is_some() {
        actions.queue.redraw_after(durations::FRAME);
    }
    ui.advance_cursor_after_rect(area);
    let next_words = |next_ms| words::next_pass(view, next_ms, now_ms, times);
    axis::line_ui(ui, scale, marks, &next_words, actions);
    legend::ui(ui, state, tab, scale.left, actions);
    shown.is_hovered
}

/// The earliest threshold of a listed document that is overdue, in milliseconds since 1970.
fn overdue_since(view: &ExpiryView, now_ms: i64) -> Option<i64> {
    let overdue = view.lanes.iter().filter(|lane| lane.phase(now_ms) == Phase::Overdue);
    overdue.map(|lane| lane.threshold_ms).min()
}

/// The least room for the density while another TTL is tried, in lanes: the strip, and some lanes below it.
const TRIAL_LANES: f32 = 8.0;

/// Whether the density is shown: where not every row is, and while a range is marked on it. A low window
/// has no room for it next to the open strip.
fn has_strip(view: &ExpiryView, rows: usize, room: f32) -> bool {
    if view.what_if.is_some() {
        return room >= TRIAL_LANES;
    }
    #[expect(clippy::cast_precision_loss, reason = "a few hundred rows")]
    let rows = rows as f32;
    rows > room || view.brush.is_some()
}

/// Draws the lines that run over the lanes: *now*, the TTL that is tried, and a pass. None of the first
/// two runs over the open strip, which is between the areas.
fn lines(ui: &Ui, view: &ExpiryView, scale: Scale, sweep: Option<Sweep>, areas: [Rect; 2]) {
    for area in areas {
        axis::paint_now(ui, scale, area);
        if let Some(trial) = view.trial() {
            axis::paint_trial(ui, scale, area, trial.due_up_to_ms(scale.now_ms));
        }
    }
    if let Some(sweep) = sweep {
        sweep.paint(ui, areas[0].union(areas[1]));
    }
}

fn tooltip(lane: &Lane, indexes: &[TtlIndex], now_ms: i64, times: &PassTimes) -> String {
    let bracket = words::bracket(lane, now_ms, times);
    let verdict = words::verdict(lane, now_ms, times);
    let winner = words::winner(lane, indexes);
    let winner = winner.map_or_else(String::new, |winner| format!("\n{winner}"));
    format!("{}\n{bracket}\n{verdict}{winner}", words::full_label(lane))
}

/// Where bars are drawn: between the column of names and the room for the digits of the last knob.
fn lane_area(whole: Rect, is_presented: bool) -> Rect {
    let share = if is_presented { 0.3 } else { 0.25 };
    let names = sizes::LANE_NAME.min(whole.width() * share);
    let digits = sizes::LANE_DIGITS.min(whole.width() / 6.0);
    whole.with_min_x(whole.left() + names).with_max_x(whole.right() - digits)
}

/// Documents of this tab's collection that a pass removed.
fn removed_here(pass: &PassReport, tab: &Tab) -> u64 {
    pass.indexes
        .iter()
        .filter(|index| index.namespace == tab.namespace)
        .map(|index| index.deleted)
        .sum()
}
