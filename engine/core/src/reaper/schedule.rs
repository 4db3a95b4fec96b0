//! When the monitor wakes next.

use std::time::Duration;

/// The inputs of the plan. Instants are readings of the monotonic clock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Plan {
    pub sleep_began: Duration,
    /// `ttlMonitorSleepSecs`.
    pub sleep: Duration,
    pub now: Duration,
    /// Time from now to the next threshold, if the monitor wakes for thresholds.
    pub next_threshold: Option<Duration>,
}

impl Plan {
    /// The instant at which the next pass is due. It is counted from the beginning of the sleep, so
    /// that a shorter sleep takes effect at once and a longer one from where it began.
    pub fn deadline(&self) -> Duration {
        let regular = self.sleep_began.saturating_add(self.sleep);
        match self.next_threshold {
            Some(wait) => regular.min(self.now.saturating_add(wait)),
            None => regular,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(began: u64, sleep: u64, now: u64, threshold: Option<u64>, expected: u64) {
        let secs = Duration::from_secs;
        let plan = Plan {
            sleep_began: secs(began),
            sleep: secs(sleep),
            now: secs(now),
            next_threshold: threshold.map(secs),
        };
        assert_eq!(plan.deadline(), secs(expected));
    }

    #[test]
    fn deadlines() {
        check(100, 60, 100, None, 160);
        check(100, 60, 130, None, 160);
        check(100, 10, 130, None, 110); // shortened: already due
        check(100, 600, 130, None, 700); // lengthened: from the original start
        check(100, 60, 130, Some(5), 135);
        check(100, 60, 130, Some(0), 130);
        check(100, 60, 130, Some(500), 160);
    }
}
