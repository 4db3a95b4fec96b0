//! A clock that claims to be the computer's, for whoever tries what a wrong one does.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{
    contract::{Clock, ClockMode, ClockStatus},
    simulated::SimulatedClock,
    wake::{WaitEnd, WakeUp},
};

/// A pair of clocks that claims to be the computer's: the wall clock can be set, which time since boot
/// does not notice. Time goes by only when it is told to.
#[derive(Debug)]
pub struct PretendedClock {
    /// The true time, which no clock shows, and the time that went by.
    time: SimulatedClock,
    machine: Mutex<Machine>,
}

#[derive(Debug, Clone, Copy)]
struct Machine {
    /// Wall time less true time, in milliseconds.
    offset_ms: i64,
    /// When the machine was started, by the time that went by.
    booted: Duration,
    boot: u64,
}

impl PretendedClock {
    /// A machine that is started at `start_ms` (milliseconds since 1970), with a wall clock that is right.
    #[must_use]
    pub fn new(start_ms: i64) -> Self {
        let machine = Machine { offset_ms: 0, booted: Duration::ZERO, boot: 1 };
        Self { time: SimulatedClock::new(start_ms), machine: Mutex::new(machine) }
    }

    /// Time goes by, which both clocks show.
    pub fn pass_by(&self, time: Duration) {
        self.time.advance_ms(i64::try_from(time.as_millis()).unwrap_or(i64::MAX));
    }

    /// Sets the wall clock, and nothing else.
    pub fn set(&self, wall_ms: i64) {
        self.machine().offset_ms = wall_ms.saturating_sub(self.time.now_ms());
    }

    /// Moves the wall clock by this many milliseconds, and nothing else.
    pub fn step_ms(&self, by_ms: i64) {
        let mut machine = self.machine();
        machine.offset_ms = machine.offset_ms.saturating_add(by_ms);
    }

    /// Sets the wall clock right.
    pub fn set_right(&self) {
        self.machine().offset_ms = 0;
    }

    /// Starts the machine anew; the wall clock goes on.
    pub fn restart(&self) {
        let mut machine = self.machine();
        machine.booted = self.time.monotonic();
        machine.boot += 1;
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for PretendedClock {
    fn now_ms(&self) -> i64 {
        self.time.now_ms().saturating_add(self.machine().offset_ms)
    }

    fn monotonic(&self) -> Duration {
        self.time.monotonic().saturating_sub(self.machine().booted)
    }

    fn wait_until(&self, deadline: Option<Duration>, wake: &WakeUp) -> WaitEnd {
        let booted = self.machine().booted;
        self.time.wait_until(deadline.map(|deadline| deadline.saturating_add(booted)), wake)
    }

    fn status(&self) -> ClockStatus {
        let mode = ClockMode::System;
        ClockStatus { now_ms: self.now_ms(), mode, rate: 1.0, paused: false }
    }

    fn boot_id(&self) -> Option<String> {
        Some(format!("boot {}", self.machine().boot))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_time_that_goes_by_is_seen_by_both() {
        let clock = PretendedClock::new(1_000);
        clock.pass_by(Duration::from_secs(2));
        clock.step_ms(500);
        assert_eq!((clock.now_ms(), clock.monotonic()), (3_500, Duration::from_secs(2)));
        clock.set(-7);
        assert_eq!((clock.now_ms(), clock.monotonic()), (-7, Duration::from_secs(2)));
        clock.set_right();
        let boot = clock.boot_id();
        clock.restart();
        assert_eq!((clock.now_ms(), clock.monotonic()), (3_000, Duration::ZERO));
        assert!(clock.is_real() && clock.boot_id() != boot);
    }
}
