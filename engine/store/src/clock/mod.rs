//! Time, passed in: the system's clock, a simulated one, and a fake system clock.
//!
//! Code that needs the time takes a [`Clock`]. It has two readings. The wall clock can be set by the user
//! or a time server, so it may jump in either direction. The monotonic clock never goes back, and it
//! counts the time the machine was asleep. TTL rules compare documents with the wall clock; waits use
//! the monotonic clock.

mod fake_system;
mod simulated;
mod system;
mod wake;

use std::time::Duration;

pub use fake_system::FakeSystemClock;
pub use simulated::{RATE_MAX, RATE_MIN, SimulatedClock};
pub use system::{SystemClock, work_time};
pub use wake::{WaitEnd, WakeUp};

/// A source of time, and the only way to wait.
pub trait Clock: Send + Sync + 'static {
    /// Wall time in milliseconds since 1970 (UTC). May step in either direction.
    fn now_ms(&self) -> i64;

    /// Time since an arbitrary start. Never goes back and counts the time the machine was asleep.
    fn monotonic(&self) -> Duration;

    /// Blocks until [`Clock::monotonic`] reaches `deadline` or `wake` is notified, whichever comes
    /// first. Without a deadline it blocks until notified. A notification sent before the call ends the
    /// wait at once; the call consumes it.
    fn wait_until(&self, deadline: Option<Duration>, wake: &WakeUp) -> WaitEnd;

    /// Wall time, mode, rate and whether the clock is paused.
    fn status(&self) -> ClockStatus;

    /// Identifies the boot within which [`Clock::monotonic`] readings can be compared, also between
    /// processes; `None` if the system has no such id.
    fn boot_id(&self) -> Option<String>;

    /// Whether the wall clock should move only as time passes. `false` for a simulated clock, where each
    /// jump is a command.
    fn is_real(&self) -> bool {
        self.status().mode == ClockMode::System
    }
}

/// Where the time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockMode {
    /// The system clock.
    System,
    /// A clock that the user sets, steps, slows and speeds up.
    Simulated,
}

impl ClockMode {
    /// The name in replies: `system` or `simulated`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Simulated => "simulated",
        }
    }
}

/// A clock's readings at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockStatus {
    /// Wall time in milliseconds since 1970.
    pub now_ms: i64,
    /// Where the time comes from.
    pub mode: ClockMode,
    /// Seconds of this clock per real second; 1.0 for the system clock.
    pub rate: f64,
    /// Whether the clock is paused.
    pub paused: bool,
}
