//! The watchdog for a monitor that finishes no pass because it hangs or keeps failing.

use std::time::Duration;

use super::guard::millis;
use crate::limits::{WATCHDOG_GRACE, WATCHDOG_MIN, WATCHDOG_SLEEPS};
use crate::value::duration;

/// The thread's last signs of life; instants are monotonic readings.
#[derive(Debug, Default)]
pub(super) struct Heartbeat {
    /// When it last completed a turn without a pass; the end of a pass is noted elsewhere. `None`
    /// without a thread.
    last: Option<Duration>,
    /// When the stall was first noticed, and the instant it counts from.
    noticed: Option<(Duration, Duration)>,
}

/// The monitor has not finished a pass for too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stall {
    /// Time since the last completed turn.
    pub since: Duration,
    /// The configured time between passes.
    pub sleep: Duration,
    /// A pass is under way.
    pub is_working: bool,
}

impl Stall {
    /// States the problem, then what to do.
    pub fn sentence(&self) -> String {
        let since = duration(millis(self.since));
        if self.is_working {
            return format!(
                "The current pass has been running for {since}. Other overdue documents wait for it."
            );
        }
        format!(
            "No pass has finished for {since}; one should run every {}. Overdue documents \
 aren't being removed. Check the log, then reopen the store.",
            duration(millis(self.sleep))
        )
    }
}

impl Heartbeat {
    /// The thread completed a turn without a pass.
    pub(super) fn note(&mut self, now: Duration) {
        self.last = Some(now);
    }

    /// Time since the last completed turn, if that is a stall: longer than five minutes and than
    /// five sleeps.
    pub(super) fn stalled_for(
        &mut self,
        now: Duration,
        pass_ended: Duration,
        sleep: Duration,
    ) -> Option<Duration> {
        let last = self.last?.max(pass_ended);
        let since = now.saturating_sub(last);
        if since <= sleep.saturating_mul(WATCHDOG_SLEEPS).max(WATCHDOG_MIN) {
            return None;
        }
        // A stall that counts from another turn is a new one with its own grace.
        let noticed = self.noticed.filter(|(_, of)| *of == last);
        let (noticed, _) = *self.noticed.insert(noticed.unwrap_or((now, last)));
        // The thread needs a moment after machine sleep, so a stall counts once it has lasted a
        // further minute.
        (now.saturating_sub(noticed) >= WATCHDOG_GRACE).then_some(since)
    }
}
