//! The system clock. The only file that reads the time.

use std::time::Duration;

use super::{
    Clock, ClockMode, ClockStatus,
    wake::{Remaining, WaitEnd, WakeUp},
};

/// The system's wall clock and time since boot.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ms(&self) -> i64 {
        wall_ms()
    }

    fn monotonic(&self) -> Duration {
        since_boot()
    }

    fn wait_until(&self, deadline: Option<Duration>, wake: &WakeUp) -> WaitEnd {
        wake.wait(|| match deadline {
            None => Remaining::Unknown,
            Some(deadline) => match deadline.checked_sub(since_boot()) {
                None | Some(Duration::ZERO) => Remaining::Nothing,
                Some(real) => Remaining::Real(real),
            },
        })
    }

    fn status(&self) -> ClockStatus {
        ClockStatus { now_ms: wall_ms(), mode: ClockMode::System, rate: 1.0, paused: false }
    }

    fn boot_id(&self) -> Option<String> {
        let id = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").ok()?;
        Some(id.trim().to_owned())
    }
}

/// A monotonic reading for bounding work (the milliseconds of a transaction or scan). Always real time,
/// even with a simulated clock, because the user waits in real time.
pub fn work_time() -> Duration {
    since_boot()
}

/// Milliseconds since 1970, negative before.
#[expect(clippy::disallowed_methods, reason = "this file is where the time comes from")]
fn wall_ms() -> i64 {
    let millis = |duration: Duration| i64::try_from(duration.as_millis()).unwrap_or(i64::MAX);
    match std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => millis(after),
        Err(before) => -millis(before.duration()),
    }
}

/// Time since boot, sleep included.
#[cfg(target_os = "linux")]
pub(super) fn since_boot() -> Duration {
    // `Instant` stops during sleep on Linux, so this reads the kernel's boot-time clock.
    let time = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    let secs = u64::try_from(time.tv_sec).unwrap_or(0);
    let nanos = u32::try_from(time.tv_nsec).unwrap_or(0);
    Duration::new(secs, nanos)
}

/// Time since the first call. `Instant` counts sleep on Windows; on macOS it may not.
#[cfg(not(target_os = "linux"))]
#[expect(clippy::disallowed_methods, reason = "this file is where the time comes from")]
pub(super) fn since_boot() -> Duration {
    static START: std::sync::OnceLock<std::time::Instant> = std::sync::OnceLock::new();
    START.get_or_init(std::time::Instant::now).elapsed()
}
