//! The alarm for a monitor that finishes no pass: it hangs, or fails again and again.

use std::time::Duration;

use super::{
    guard::{duration_text, millis},
    handle::{Reaper, lock},
};
use crate::limits::{WATCHDOG_GRACE, WATCHDOG_MIN, WATCHDOG_SLEEPS};

/// What is known of the thread; instants are readings of the monotonic clock.
#[derive(Debug, Default)]
pub(super) struct Heartbeat {
    /// When it did last what it had to; a pass that ended is noted elsewhere. `None` without a thread.
    last: Option<Duration>,
    /// When a pass was first found to be late, and what it was counted from.
    noticed: Option<(Duration, Duration)>,
}

/// The monitor has not finished a pass for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// Since it last did what it had to.
    pub since: Duration,
    /// From one pass to the next, as it should be.
    pub sleep: Duration,
    /// A pass is under way.
    pub is_working: bool,
}

impl Stall {
    /// What happened and what to do.
    #[must_use]
    pub fn sentence(&self) -> String {
        let since = duration_text(millis(self.since));
        if self.is_working {
            return format!(
                "The current pass has been running for {since}. Other overdue documents wait for it."
            );
        }
        format!(
            "No pass has finished for {since}; one should run every {}. Overdue documents \
 aren't being removed. Check the log, then reopen the store.",
            duration_text(millis(self.sleep))
        )
    }
}

impl Reaper {
    /// Whether the monitor finishes no passes any more: none for five minutes, or for five of its sleeps
    /// if that is longer. That is asked twice, a minute apart, before it counts: after the machine was
    /// asleep the thread needs a moment. A monitor that is off, held by the guard or on a simulated clock
    /// is never late.
    pub fn stall(&self) -> Option<Stall> {
        let is_watched =
            self.clock().is_real() && self.parameters().enabled() && self.held().is_none();
        let (now, sleep) = (self.clock().monotonic(), self.parameters().sleep());
        let mut heartbeat = lock(&self.heartbeat);
        let last = heartbeat.last.filter(|_| is_watched)?.max(self.pass_ended());
        let since = now.saturating_sub(last);
        if since <= sleep.saturating_mul(WATCHDOG_SLEEPS).max(WATCHDOG_MIN) {
            return None;
        }
        let noticed = heartbeat.noticed.filter(|(_, of)| *of == last);
        let (noticed, _) = *heartbeat.noticed.insert(noticed.unwrap_or((now, last)));
        let lasts = now.saturating_sub(noticed) >= WATCHDOG_GRACE;
        lasts.then(|| Stall { since, sleep, is_working: self.is_working() })
    }

    /// The thread did what it had to, without a pass.
    pub(super) fn note_heartbeat(&self) {
        lock(&self.heartbeat).last = Some(self.clock().monotonic());
    }
}
