//! A clock that reports itself as the system's, to try out what a wrong system clock does.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{
    Clock, ClockMode, ClockStatus,
    simulated::SimulatedClock,
    wake::{WaitEnd, WakeUp},
};

/// A fake pair of system clocks. Setting the wall clock does not move the time since boot, as on a real
/// machine. Time passes only through [`FakeSystemClock::pass`].
#[derive(Debug)]
pub struct FakeSystemClock {
    /// The true time, which no caller sees, and the elapsed time.
    time: SimulatedClock,
    machine: Mutex<Machine>,
}

#[derive(Debug, Clone, Copy)]
struct Machine {
    /// Wall time less true time, in milliseconds.
    offset_ms: i64,
    /// The elapsed time at the last boot.
    booted: Duration,
    boot: u64,
}

impl FakeSystemClock {
    /// A machine booted at `start_ms` (milliseconds since 1970), with a correct wall clock.
    pub fn new(start_ms: i64) -> Self {
        let machine = Machine { offset_ms: 0, booted: Duration::ZERO, boot: 1 };
        Self { time: SimulatedClock::new(start_ms), machine: Mutex::new(machine) }
    }

    /// Lets time pass on both clocks.
    pub fn pass(&self, time: Duration) {
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

    /// Corrects the wall clock.
    pub fn correct(&self) {
        self.machine().offset_ms = 0;
    }

    /// Reboots the machine; the wall clock keeps running.
    pub fn restart(&self) {
        let mut machine = self.machine();
        machine.booted = self.time.monotonic();
        machine.boot += 1;
    }

    fn machine(&self) -> MutexGuard<'_, Machine> {
        self.machine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Clock for FakeSystemClock {
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
    fn only_passing_time_moves_both_clocks() {
        let clock = FakeSystemClock::new(1_000);
        clock.pass(Duration::from_secs(2));
        clock.step_ms(500);
        assert_eq!((clock.now_ms(), clock.monotonic()), (3_500, Duration::from_secs(2)));
        clock.set(-7);
        assert_eq!((clock.now_ms(), clock.monotonic()), (-7, Duration::from_secs(2)));
        clock.correct();
        let boot = clock.boot_id();
        clock.restart();
        assert_eq!((clock.now_ms(), clock.monotonic()), (3_000, Duration::ZERO));
        assert!(clock.is_real() && clock.boot_id() != boot);
    }
}
