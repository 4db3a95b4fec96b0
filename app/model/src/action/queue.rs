//! The actions of one frame.

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
    frame_every: Duration,
    rest: Duration,
}

impl Actions {
    pub fn push(&mut self, action: Action) {
        if self.list.len() < ACTIONS_PER_FRAME_MAX {
            self.list.push(action);
        }
    }

    /// Says that something visible changes after this time. The soonest of a frame counts, and the
    /// window is drawn again then; nothing else makes it draw.
    pub fn redraw_after(&mut self, wait: Duration) {
        self.redraw_in(wait.max(self.rest));
    }

    fn redraw_in(&mut self, wait: Duration) {
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
            self.redraw_in(wait.max(self.step_every(clock)));
        }
    }

    /// Says that something moves all the time, by a visible distance every `every_ms` of the
    /// store's clock. Its frames divide the time until the clock's next full step.
    pub fn redraw_moving(&mut self, clock: &Clock, every_ms: i64) {
        let until_step = clock.real_time_until(clock.next_step_ms());
        let every = clock.real_time_until(clock.now_ms().saturating_add(every_ms));
        if let (Some(until_step), Some(every)) = (until_step, every) {
            let wait = divided(until_step, every.max(self.frame_every));
            self.redraw_in(wait.max(self.step_every(clock)));
        }
    }

    /// The shortest time between two frames in which the steps of this clock are seen: of a faster
    /// clock they are too short for a frame each.
    fn step_every(&self, clock: &Clock) -> Duration {
        if clock.rate() > 1.0 { self.frame_every } else { Duration::ZERO }
    }

    /// Sets the shortest time between two frames of what moves all the time, and between two frames
    /// of anything but the steps of the clock.
    pub fn set_frame_every(&mut self, frame_every: Duration, rest: Duration) {
        (self.frame_every, self.rest) = (frame_every, rest);
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

/// `whole` in as many equal parts as fit that are not shorter than `least`; at least one.
fn divided(whole: Duration, least: Duration) -> Duration {
    let parts = whole.as_millis() / least.as_millis().max(1);
    whole / u32::try_from(parts).unwrap_or(u32::MAX).max(1)
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

    /// The real milliseconds until the next frame of lanes that move every 100 ms.
    fn moving(rate: f64, now_ms: i64, frame_every_ms: u64) -> Option<u128> {
        let mut clock = Clock::default();
        clock.learn(Mode::Simulated { rate, paused: rate == 0.0 }, now_ms, Duration::ZERO);
        let mut actions = Actions::default();
        actions.set_frame_every(Duration::from_millis(frame_every_ms), Duration::ZERO);
        actions.redraw_moving(&clock, 100);
        actions.take_next_change().map(|wait| wait.as_millis())
    }

    #[test]
    fn lanes_move_as_often_as_drawing_allows_and_land_on_full_steps() {
        assert_eq!(moving(1.0, 10_000, 0), Some(100));
        assert_eq!(moving(1.0, 10_000, 270), Some(333));
        assert_eq!(moving(1.0, 10_333, 270), Some(333));
        assert_eq!(moving(1.0, 10_700, 270), Some(300), "the step itself comes next");
        assert_eq!(moving(1.0, 10_000, 5_000), Some(1_000), "digits change every second");
        assert_eq!(moving(0.0, 10_000, 0), None);
    }

    #[test]
    fn a_fast_clock_draws_no_more_often_than_drawing_allows() {
        let mut clock = Clock::default();
        clock.learn(Mode::Simulated { rate: 60.0, paused: false }, 10_000, Duration::ZERO);
        let mut actions = Actions::default();
        actions.set_frame_every(Duration::from_millis(200), Duration::ZERO);
        actions.count_down(&clock, 90_000);
        assert_eq!(actions.take_next_change(), Some(Duration::from_millis(200)));
        assert_eq!(moving(60.0, 10_000, 200), Some(200));
    }

    #[test]
    fn only_the_clock_steps_while_drawing_rests() {
        let ms = Duration::from_millis;
        let mut clock = Clock::default();
        clock.learn(Mode::Simulated { rate: 1.0, paused: false }, 10_900, Duration::ZERO);
        let mut actions = Actions::default();
        actions.set_frame_every(ms(240), ms(240));
        actions.redraw_after(ms(33));
        assert_eq!(actions.take_next_change(), Some(ms(240)));
        actions.redraw_at(&clock, clock.next_step_ms());
        assert_eq!(actions.take_next_change(), Some(ms(100)));
    }
}
