//! A clock for lessons and tests: it can be paused, set, stepped, slowed and sped up.

use std::{
    sync::{Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use super::{
    Clock, ClockMode, ClockStatus,
    system::since_boot,
    wake::{Remaining, Shared, WaitEnd, WakeUp},
};

/// Slowest rate: one simulated second in a thousand real ones. To stop the clock, pause it.
pub const RATE_MIN: f64 = 0.001;

/// Fastest rate: an hour in a second.
pub const RATE_MAX: f64 = 3_600.0;

/// A clock that the user moves. It runs at [`SimulatedClock::set_rate`] relative to real time.
///
/// Its monotonic reading is elapsed simulated time: running, stepping and setting it forward add to it,
/// setting it back does not. So a step of a minute ends a wait of a simulated minute.
#[derive(Debug)]
pub struct SimulatedClock {
    state: Mutex<State>,
    /// Waiters to nudge when the clock changes.
    waiting: Mutex<Vec<Weak<Shared>>>,
}

/// Readings at the moment of the last change, from which all later ones follow.
#[derive(Debug, Clone, Copy)]
struct State {
    wall_ms: i64,
    elapsed: Duration,
    real: Duration,
    rate: f64,
    paused: bool,
}

impl State {
    /// Simulated time since the last change.
    fn since_change(&self, real: Duration) -> Duration {
        if self.paused {
            return Duration::ZERO;
        }
        real.saturating_sub(self.real).mul_f64(self.rate)
    }

    /// The same clock with its readings moved to the moment `real`.
    fn moved_to(mut self, real: Duration) -> Self {
        let passed = self.since_change(real);
        self.wall_ms = self.wall_ms.saturating_add(whole_ms(passed));
        self.elapsed = self.elapsed.saturating_add(passed);
        self.real = real;
        self
    }
}

impl SimulatedClock {
    /// A clock paused at `start_ms` (milliseconds since 1970) with rate 1.
    pub fn new(start_ms: i64) -> Self {
        let state = State {
            wall_ms: start_ms,
            elapsed: Duration::ZERO,
            real: since_boot(),
            rate: 1.0,
            paused: true,
        };
        Self { state: Mutex::new(state), waiting: Mutex::default() }
    }

    /// Sets the wall time. A step forward counts as elapsed time; a step back takes none away.
    pub fn set(&self, now_ms: i64) {
        self.change(|state| {
            let step = now_ms.saturating_sub(state.wall_ms);
            state.elapsed = state.elapsed.saturating_add(forward(step));
            state.wall_ms = now_ms;
        });
    }

    /// Moves the wall time by this many milliseconds; negative moves it back.
    pub fn advance_ms(&self, step_ms: i64) {
        self.change(|state| {
            state.elapsed = state.elapsed.saturating_add(forward(step_ms));
            state.wall_ms = state.wall_ms.saturating_add(step_ms);
        });
    }

    /// Simulated seconds per real second, clamped to [`RATE_MIN`]..=[`RATE_MAX`]. `NaN` is ignored.
    pub fn set_rate(&self, rate: f64) {
        if !rate.is_nan() {
            self.change(|state| state.rate = rate.clamp(RATE_MIN, RATE_MAX));
        }
    }

    /// Pauses or resumes the clock.
    pub fn set_paused(&self, paused: bool) {
        self.change(|state| state.paused = paused);
    }

    /// Changes the state as of now and makes all waiters look again.
    fn change(&self, change: impl FnOnce(&mut State)) {
        // In a block: a waiter holds its lock while it takes the state's, so the state's must be
        // free before a waiter's is taken.
        {
            let mut state = self.lock();
            let mut moved = state.moved_to(since_boot());
            change(&mut moved);
            *state = moved;
        }
        let waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for shared in waiting.iter().filter_map(Weak::upgrade) {
            shared.nudge();
        }
    }

    fn read(&self) -> State {
        self.lock().moved_to(since_boot())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Registers a waiter once, and drops the entries of waiters that no longer exist.
    fn remember(&self, wake: &WakeUp) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let new = wake.downgrade();
        waiting.retain(|known| known.strong_count() > 0);
        if !waiting.iter().any(|known| known.ptr_eq(&new)) {
            waiting.push(new);
        }
    }
}

impl Clock for SimulatedClock {
    fn now_ms(&self) -> i64 {
        self.read().wall_ms
    }

    fn monotonic(&self) -> Duration {
        self.read().elapsed
    }

    fn wait_until(&self, deadline: Option<Duration>, wake: &WakeUp) -> WaitEnd {
        self.remember(wake);
        wake.wait(|| {
            let Some(deadline) = deadline else { return Remaining::Unknown };
            let state = self.read();
            match deadline.checked_sub(state.elapsed) {
                None | Some(Duration::ZERO) => Remaining::Nothing,
                Some(_) if state.paused => Remaining::Unknown,
                Some(simulated) => {
                    let secs = simulated.as_secs_f64() / state.rate;
                    Duration::try_from_secs_f64(secs).map_or(Remaining::Unknown, Remaining::Real)
                }
            }
        })
    }

    fn status(&self) -> ClockStatus {
        let State { wall_ms, rate, paused, .. } = self.read();
        ClockStatus { now_ms: wall_ms, mode: ClockMode::Simulated, rate, paused }
    }

    fn boot_id(&self) -> Option<String> {
        None
    }
}

/// The elapsed time of a step; zero for a step back.
fn forward(step_ms: i64) -> Duration {
    Duration::from_millis(u64::try_from(step_ms).unwrap_or(0))
}

fn whole_ms(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, thread};

    use super::*;

    const HOUR_MS: i64 = 3_600_000;

    fn secs(secs: u64) -> Duration {
        Duration::from_secs(secs)
    }

    #[test]
    fn stands_still_until_moved() {
        let clock = SimulatedClock::new(1_000);
        assert_eq!((clock.now_ms(), clock.monotonic()), (1_000, Duration::ZERO));
        clock.advance_ms(500);
        assert_eq!((clock.now_ms(), clock.monotonic()), (1_500, Duration::from_millis(500)));
        clock.set(61_500);
        assert_eq!((clock.now_ms(), clock.monotonic()), (61_500, Duration::from_millis(60_500)));
    }

    #[test]
    fn setting_back_keeps_elapsed_time() {
        let clock = SimulatedClock::new(HOUR_MS);
        clock.advance_ms(1_000);
        clock.set(0);
        assert_eq!((clock.now_ms(), clock.monotonic()), (0, secs(1)));
        clock.advance_ms(-5);
        assert_eq!((clock.now_ms(), clock.monotonic()), (-5, secs(1)));
    }

    #[test]
    fn rate_has_bounds() {
        let clock = SimulatedClock::new(0);
        for (asked, expected) in
            [(2.5, 2.5), (1e9, RATE_MAX), (0.0, RATE_MIN), (-3.0, RATE_MIN), (f64::NAN, RATE_MIN)]
        {
            clock.set_rate(asked);
            assert!((clock.status().rate - expected).abs() < 1e-12, "asked {asked}");
        }
    }

    #[test]
    fn moved_to_multiplies_by_the_rate() {
        let state = State {
            wall_ms: 0,
            elapsed: Duration::ZERO,
            real: secs(100),
            rate: 3_600.0,
            paused: false,
        };
        assert_eq!(state.moved_to(secs(101)).wall_ms, HOUR_MS);
        assert_eq!(state.moved_to(secs(101)).elapsed, secs(3_600));
        assert_eq!(state.moved_to(secs(99)).wall_ms, 0);
        assert_eq!(State { paused: true, ..state }.moved_to(secs(900)).wall_ms, 0);
    }

    #[test]
    fn a_step_ends_a_wait_and_a_notification_too() {
        let clock = Arc::new(SimulatedClock::new(0));
        let wake = WakeUp::new();
        wake.notify();
        assert_eq!(clock.wait_until(Some(secs(60)), &wake), WaitEnd::Woken);
        assert_eq!(clock.wait_until(Some(Duration::ZERO), &wake), WaitEnd::Deadline);
        let (waiter_clock, waiter_wake) = (Arc::clone(&clock), wake.clone());
        let waiter = thread::Builder::new()
            .spawn(move || waiter_clock.wait_until(Some(secs(60)), &waiter_wake))
            .expect("a thread");
        clock.advance_ms(60_000);
        assert_eq!(waiter.join().expect("the waiter"), WaitEnd::Deadline);
    }
}
