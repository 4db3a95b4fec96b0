//! The store's time, known in each frame without asking.
//!
//! An ordinary store runs on the time of this machine. A simulated clock is known from its last
//! answer: an instant, a rate, and whether it is paused.

use std::time::Duration;

use bson::Document;
use mayfly_engine::clock::{ClockMode, ClockStatus};
use mayfly_engine::reply;

use super::Zone;

/// The rates that are offered for a simulated clock: store seconds for each real second.
pub const RATES: [f64; 5] = [1.0, 10.0, 60.0, 600.0, 3_600.0];

/// How the store's clock runs.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum Mode {
    #[default]
    Real,
    /// A simulated clock that the user sets.
    Simulated {
        /// Store seconds for each real second.
        rate: f64,
        paused: bool,
    },
}

impl Mode {
    /// How a store's clock runs.
    pub fn of(status: &ClockStatus) -> Self {
        match status.mode {
            ClockMode::System => Self::Real,
            ClockMode::Simulated => Self::Simulated { rate: status.rate, paused: status.paused },
        }
    }

    /// Reads the reply to `mayflyClock`, with the store's time in milliseconds since 1970.
    pub fn read(found: &Document) -> Option<(Self, i64)> {
        let reply::Clock { now_ms, mode, rate, is_paused: paused } =
            reply::Clock::from_document(found)?;
        let mode = match mode.as_str() {
            "simulated" => Self::Simulated { rate, paused },
            _ => Self::Real,
        };
        Some((mode, now_ms))
    }
}

/// The store's time.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Clock {
    mode: Mode,
    now_ms: i64,
    /// A simulated instant and the window's uptime at which it was true.
    anchor: (i64, Duration),
    /// A running simulated clock stops here until the store says more.
    until_ms: Option<i64>,
    /// Whether digits may step slowly.
    calm: bool,
    /// The zone that instants are shown in.
    zone: Zone,
}

/// Digits step with each full second of the store's time.
const STEP_MS: i64 = 1_000;

/// In a window without focus, while nothing is due soon, digits step every five seconds to save
/// frames.
const CALM_STEP_MS: i64 = 5_000;

impl Clock {
    /// Sets the time of this frame.
    pub fn tick(&mut self, wall_ms: i64, uptime: Duration) {
        self.now_ms = match self.mode {
            Mode::Real => wall_ms,
            Mode::Simulated { paused: true, .. } => self.anchor.0,
            Mode::Simulated { rate, paused: false } => {
                let passed = uptime.saturating_sub(self.anchor.1).as_secs_f64() * 1_000.0 * rate;
                #[expect(clippy::cast_possible_truncation, reason = "saturates, which is wanted")]
                let passed = passed as i64;
                let now_ms = self.anchor.0.saturating_add(passed);
                self.until_ms.map_or(now_ms, |until_ms| now_ms.min(until_ms.max(self.anchor.0)))
            }
        };
    }

    /// Stores what the store replied about its clock.
    pub fn learn(&mut self, mode: Mode, now_ms: i64, uptime: Duration) {
        self.mode = mode;
        self.anchor = (now_ms, uptime);
        self.now_ms = now_ms;
        self.until_ms = None;
    }

    /// Stops at this instant until the store says more: a lesson waits there for what happens.
    pub fn stop_at(&mut self, until_ms: Option<i64>) {
        self.until_ms = until_ms;
    }

    /// A pass ended at this instant, so a simulated clock shows at least that.
    pub fn not_before(&mut self, at_ms: i64, uptime: Duration) {
        // The last answer came a little late, which at ×3600 is a minute.
        if self.is_simulated() && self.now_ms < at_ms {
            self.learn(self.mode, at_ms, uptime);
        }
    }

    /// The store's time in this frame, in milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        self.now_ms
    }

    /// Sets the zone that instants are shown in.
    pub fn set_zone(&mut self, zone: Zone) {
        self.zone = zone;
    }

    /// The zone that instants are shown in.
    pub fn zone(&self) -> Zone {
        self.zone
    }

    /// Sets whether digits may step slowly: nothing is due soon and the window has no focus.
    pub fn set_calm(&mut self, calm: bool) {
        self.calm = calm && self.mode == Mode::Real;
    }

    /// How far apart two looks of the digits are, in milliseconds of the store's time.
    pub fn step_ms(&self) -> i64 {
        if self.calm { CALM_STEP_MS } else { STEP_MS }
    }

    /// The time that digits show: the last full step, in milliseconds since 1970.
    pub fn shown_ms(&self) -> i64 {
        self.now_ms - self.now_ms.rem_euclid(self.step_ms())
    }

    /// When digits change next, in milliseconds since 1970.
    pub fn next_step_ms(&self) -> i64 {
        self.shown_ms().saturating_add(self.step_ms())
    }

    /// How the clock runs.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Whether time is not real.
    pub fn is_simulated(&self) -> bool {
        matches!(self.mode, Mode::Simulated { .. })
    }

    /// Store milliseconds for each real one: 0 while the clock is paused.
    pub fn rate(&self) -> f64 {
        match self.mode {
            Mode::Real => 1.0,
            Mode::Simulated { paused: true, .. } => 0.0,
            Mode::Simulated { rate, .. } => rate,
        }
    }

    /// The real time until the store's clock shows `at_ms`; `None` while it is paused.
    pub fn real_time_until(&self, at_ms: i64) -> Option<Duration> {
        let rate = self.rate();
        if rate <= 0.0 {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "a wait of 2^53 ms needs no precision")]
        let wait = at_ms.saturating_sub(self.now_ms).max(0) as f64 / 1_000.0 / rate;
        Some(Duration::try_from_secs_f64(wait).unwrap_or(Duration::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(mode: Mode, seconds_later: u64, expected_ms: i64) {
        let mut clock = Clock::default();
        clock.learn(mode, 1_000, Duration::from_secs(10));
        clock.tick(77_000, Duration::from_secs(10 + seconds_later));
        assert_eq!(clock.now_ms(), expected_ms, "{mode:?} after {seconds_later} s");
    }

    #[test]
    fn time_runs_as_the_store_said() {
        check(Mode::Real, 5, 77_000);
        check(Mode::Simulated { rate: 1.0, paused: false }, 5, 6_000);
        check(Mode::Simulated { rate: 60.0, paused: false }, 5, 301_000);
        check(Mode::Simulated { rate: 60.0, paused: true }, 5, 1_000);
        check(Mode::Simulated { rate: f64::MAX, paused: false }, 5, i64::MAX);
    }

    #[test]
    fn a_simulated_clock_is_not_behind_a_pass() {
        let mut clock = Clock::default();
        clock.not_before(5_000, Duration::ZERO);
        assert_eq!(clock.now_ms(), 0, "a real clock knows better");
        clock.learn(Mode::Simulated { rate: 60.0, paused: false }, 1_000, Duration::ZERO);
        clock.not_before(5_000, Duration::ZERO);
        clock.not_before(2_000, Duration::ZERO);
        clock.tick(0, Duration::from_secs(1));
        assert_eq!(clock.now_ms(), 65_000);
    }

    #[test]
    fn waiting_counts_in_real_time() {
        let mut clock = Clock::default();
        let mut learn = |paused| {
            clock.learn(Mode::Simulated { rate: 60.0, paused }, 0, Duration::ZERO);
            clock.real_time_until(120_000)
        };
        assert_eq!(learn(false), Some(Duration::from_secs(2)));
        assert_eq!(learn(true), None);
    }
}
