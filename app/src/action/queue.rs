//! What one frame asked for.

use std::time::Duration;

use super::Action;
use crate::limits::ACTIONS_PER_FRAME_MAX;
use crate::limits::COUNTDOWN_STEP_MIN;
use crate::state::{Clock, duration};

/// The actions of one frame, and when something visible next changes.
#[derive(Debug, Default)]
pub struct Actions {
    list: Vec<Action>,
    next_change: Option<Duration>,
}

impl Actions {
    /// Queues an action.
    pub fn push(&mut self, action: Action) {
        if self.list.len() < ACTIONS_PER_FRAME_MAX {
            self.list.push(action);
        }
    }

    /// Says that something visible changes after this time. The soonest of a frame counts, and the
    /// window is drawn again then; nothing else makes it draw.
    pub fn redraw_after(&mut self, wait: Duration) {
        let wait = wait.max(COUNTDOWN_STEP_MIN);
        self.next_change = Some(self.next_change.map_or(wait, |soonest| soonest.min(wait)));
    }

    /// Says that a countdown to `at_ms` is on the screen. Returns its rest in milliseconds;
    /// a negative rest is overdue.
    ///
    /// Every countdown steps with the full steps of the store's clock: they change together, which
    /// is calm to look at and needs one frame a step, not one for each.
    pub fn count_down(&mut self, clock: &Clock, at_ms: i64) -> i64 {
        let now_ms = clock.now_ms();
        let (shown_ms, step_ms) = (clock.shown_ms(), clock.step_ms());
        let rest_ms = at_ms.saturating_sub(shown_ms);
        let wait_ms = duration::next_change_ms(rest_ms);
        // The first change of a rest within the same step is the next full step.
        let steps = wait_ms.saturating_add(step_ms - 1) / step_ms;
        self.redraw_at(clock, shown_ms.saturating_add(steps.saturating_mul(step_ms)));
        if at_ms <= now_ms { at_ms - now_ms } else { rest_ms }
    }

    /// Says that something visible changes when the store's clock shows `at_ms`.
    pub fn redraw_at(&mut self, clock: &Clock, at_ms: i64) {
        if let Some(wait) = clock.real_time_until(at_ms) {
            self.redraw_after(wait);
        }
    }

    /// Takes what was asked for.
    pub fn take(&mut self) -> Vec<Action> {
        std::mem::take(&mut self.list)
    }

    /// Takes the time until something visible changes.
    pub fn take_next_change(&mut self) -> Option<Duration> {
        self.next_change.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::clock::Mode;

    #[test]
    fn the_soonest_change_counts() {
        let mut clock = Clock::default();
        clock.learn(Mode::Simulated { rate: 1.0, paused: false }, 10_000, Duration::ZERO);
        let mut actions = Actions::default();
        assert_eq!(actions.count_down(&clock, 13_400), 3_400);
        assert_eq!(actions.count_down(&clock, 9_400), -600);
        actions.redraw_after(Duration::from_secs(5));
        assert_eq!(actions.take_next_change(), Some(Duration::from_secs(1)));
        assert_eq!(actions.take_next_change(), None);
    }

    #[test]
    fn a_clock_that_stands_still_changes_nothing() {
        let mut clock = Clock::default();
        clock.learn(Mode::Simulated { rate: 1.0, paused: true }, 0, Duration::ZERO);
        let mut actions = Actions::default();
        actions.count_down(&clock, 500);
        assert_eq!(actions.take_next_change(), None);
    }
}
