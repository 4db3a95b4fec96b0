//! The picture of a pass: a light line runs from *now* over what it removed.

use egui::{Rect, Stroke, Ui, pos2};

use super::scale::Scale;
use crate::job::PassReport;
use crate::state::State;
use crate::state::expiry::{ExpiryView, Lane};
use crate::theme::colors::faded;
use crate::theme::{colors, durations, sizes};

/// Store seconds for a real one up to which rows slide.
pub(super) const MOTION_RATE_MAX: f64 = 120.0;

/// Where the line is in this frame.
#[derive(Debug, Clone, Copy)]
pub(super) struct Sweep {
    /// The earliest threshold of what the pass removed, in milliseconds.
    pub since_ms: i64,
    x: f32,
    pass: u64,
    at_ms: i64,
    /// How much of the way is done, in thousandths.
    permille: u64,
}

impl Sweep {
    /// The line of the latest pass; `None` when none runs.
    pub(super) fn of(state: &State, view: &ExpiryView, scale: Scale) -> Option<Self> {
        let pass = view.pass.filter(|_| !is_still(state))?;
        let whole = durations::SWEEP;
        let passed = state.uptime.saturating_sub(pass.seen);
        // On a fast clock there is no time for it.
        let has_time = pass.rests_until.saturating_sub(pass.seen) > whole;
        if passed >= whole || !has_time {
            return None;
        }
        let (from, to) = (scale.now_x().min(scale.right()), scale.x(pass.since_ms));
        let to = to.max(scale.left) - sizes::LANE_KNOB;
        let permille = passed.as_millis() * 1_000 / whole.as_millis().max(1);
        let share = passed.as_secs_f32() / whole.as_secs_f32();
        (to < from).then(|| Self {
            since_ms: pass.since_ms,
            x: from + (to - from) * share,
            pass: pass.number,
            at_ms: pass.at_ms,
            permille: u64::try_from(permille).unwrap_or(1_000),
        })
    }

    /// Whether a removed document still looks overdue: the line has not reached it.
    pub(super) fn is_ahead_of(&self, lane: &Lane, scale: Scale) -> bool {
        lane.removed_ms.is_some_and(|at| at >= self.at_ms)
            && scale.x(lane.threshold_ms).max(scale.left) < self.x
    }

    /// Whether a slice of the density that ends there still looks overdue.
    pub(super) fn is_ahead_of_slice(&self, to_ms: i64, right: f32) -> bool {
        to_ms > self.since_ms && right < self.x
    }

    /// The documents of a pass that the line has reached, of all that it removed.
    pub(super) fn counted(&self, pass: &PassReport, removed: u64) -> u64 {
        if pass.number == self.pass { removed * self.permille / 1_000 } else { removed }
    }

    /// Draws the line with its light over `area`.
    pub(super) fn paint(&self, ui: &Ui, area: Rect) {
        let painter = ui.painter().with_clip_rect(area);
        let ink = colors(ui).now;
        for (width, strength) in [(24.0, 0.06), (12.0, 0.1), (5.0, 0.16)] {
            let light =
                Rect::from_min_max(pos2(self.x, area.top()), pos2(self.x + width, area.bottom()));
            painter.rect_filled(light, 0.0, faded(ink, strength));
        }
        painter.vline(self.x, area.y_range(), Stroke::new(sizes::LINE_STRONG, ink));
    }
}

/// Whether no row slides: nothing does, or time is so fast that rows would never rest.
pub(super) fn is_still(state: &State) -> bool {
    state.is_still() || state.clock.rate() > MOTION_RATE_MAX
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bson::Bson;
    use egui::vec2;

    use super::*;
    use crate::state::expiry::ShownPass;

    /// The line at this time after a pass, and the scale it runs on.
    fn line(passed_ms: u64, change: fn(&mut State, &mut ShownPass)) -> (Option<Sweep>, Scale) {
        let mut state = State::default();
        state.clock.tick(600_000, Duration::ZERO);
        state.uptime = Duration::from_millis(5_000 + passed_ms);
        let seen = Duration::from_secs(5);
        let mut pass = ShownPass {
            number: 1,
            removed: 56,
            at_ms: 600_000,
            since_ms: 540_000,
            seen,
            rests_until: seen + Duration::from_millis(2_400),
        };
        change(&mut state, &mut pass);
        let mut view = ExpiryView::default();
        view.pass = Some(pass);
        let area = Rect::from_min_size(pos2(100.0, 0.0), vec2(720.0, 400.0));
        let scale = Scale::new(view.axis, &state.clock, area);
        (Sweep::of(&state, &view, scale), scale)
    }

    fn lane(threshold_ms: i64) -> Lane {
        Lane {
            id: Bson::Int32(1),
            index: "at_1".into(),
            field: "at".into(),
            base_ms: 0,
            threshold_ms,
            own_ttl: false,
            dates_ms: Vec::new(),
            removed_ms: Some(600_000),
            removable_ms: None,
            seen_ms: None,
        }
    }

    #[test]
    fn the_line_reaches_the_latest_threshold_first() {
        let ahead = |passed_ms, threshold_ms| {
            let (sweep, scale) = line(passed_ms, |_, _| {});
            sweep.is_some_and(|sweep| sweep.is_ahead_of(&lane(threshold_ms), scale))
        };
        assert!(ahead(0, 599_000) && ahead(0, 540_000));
        assert!(!ahead(200, 599_000) && ahead(200, 540_000));
        assert!(!ahead(400, 540_000), "it has ended");
    }

    #[test]
    fn the_count_goes_up_with_the_line() {
        let counted = |passed_ms| {
            let (sweep, _) = line(passed_ms, |_, _| {});
            let pass = PassReport { number: 1, ..PassReport::default() };
            sweep.map_or(56, |sweep| sweep.counted(&pass, 56))
        };
        assert_eq!([counted(0), counted(200), counted(400)], [0, 28, 56]);
    }

    #[test]
    fn no_line_runs_when_nothing_may_move_or_time_is_fast() {
        assert!(line(100, |_, _| {}).0.is_some());
        assert!(line(100, |state, _| state.settings.reduce_motion = true).0.is_none());
        let fast = |_: &mut State, pass: &mut ShownPass| {
            pass.rests_until = pass.seen + Duration::from_millis(50);
        };
        assert!(line(10, fast).0.is_none());
    }
}
