//! What the engine asks of a clock.

use std::time::Duration;

use super::wake::{WaitEnd, WakeUp};

/// A source of time and the only way to wait.
pub trait Clock: Send + Sync + 'static {
    /// Wall time in milliseconds since 1970 (UTC). May step in either direction.
    fn now_ms(&self) -> i64;

    /// Time since an arbitrary start. Never goes back and counts the time the machine was asleep.
    fn monotonic(&self) -> Duration;

    /// Blocks until [`Clock::monotonic`] reaches `deadline` or `wake` is notified, whichever comes
    /// first. Without a deadline it blocks until notified. A notification that came before the call
    /// ends it at once; the call uses the notification up.
    fn wait_until(&self, deadline: Option<Duration>, wake: &WakeUp) -> WaitEnd;

    /// Wall time, kind, rate and whether time stands still.
    fn status(&self) -> ClockStatus;

    /// Names the run of the machine within which [`Clock::monotonic`] readings can be compared, also
    /// between processes; `None` if the system does not tell.
    fn boot_id(&self) -> Option<String>;

    /// How far the wall clock can be trusted to move only as time passes: `false` for a simulated
    /// clock, on which every jump is somebody's command.
    fn is_real(&self) -> bool {
        self.status().mode == ClockMode::System
    }
}

/// Where the time comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClockMode {
    /// The computer's clock.
    System,
    /// A clock that a person sets, steps, slows and speeds up.
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

/// A clock at one moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockStatus {
    /// Wall time in milliseconds since 1970.
    pub now_ms: i64,
    /// Where the time comes from.
    pub mode: ClockMode,
    /// Seconds of this clock in one real second; 1.0 for the system's clock.
    pub rate: f64,
    /// Whether the clock stands still.
    pub paused: bool,
}
