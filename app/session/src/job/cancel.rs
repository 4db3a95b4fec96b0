//! Cancellation of a job.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::transfer::Progress;

use super::ReadPace;
use crate::limits::AUDIT_LOOK;

/// A flag that stops a piece of work, the latest time at which it stops by itself, and how fast it may ask a
/// server.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    /// By the system's monotonic clock.
    deadline: Option<Duration>,
    pace: Option<Arc<ReadPace>>,
}

impl Cancel {
    /// Stops when files in or out of a store are canceled.
    pub fn of(progress: &Progress) -> Self {
        Self { flag: progress.cancel_flag(), deadline: None, pace: None }
    }

    /// The same flag, for work that may take this long from now.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        let deadline = SystemClock.monotonic().checked_add(time);
        Self { deadline, ..self.clone() }
    }

    /// The same flag, for work that may take this much longer.
    #[must_use]
    pub fn later_by(&self, time: Duration) -> Self {
        let deadline = self.deadline.map(|deadline| deadline.saturating_add(time));
        Self { deadline, ..self.clone() }
    }

    /// The same flag, for work that asks a server at this pace.
    #[must_use]
    pub fn at_pace(&self, pace: Arc<ReadPace>) -> Self {
        Self { pace: Some(pace), ..self.clone() }
    }

    pub fn pace(&self) -> Option<&ReadPace> {
        self.pace.as_deref()
    }

    /// Stops the work at its next step.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the job was canceled or is late.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.is_late()
    }

    /// How long the work may still take. `None` without a limit.
    pub fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_sub(SystemClock.monotonic()))
    }

    /// Waits this long, or until the work is stopped.
    pub fn wait(&self, time: Duration) {
        let until = SystemClock.monotonic().saturating_add(time);
        while !self.is_cancelled() {
            let left = until.saturating_sub(SystemClock.monotonic());
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(AUDIT_LOOK));
        }
    }

    /// Whether its time is over, and nothing canceled it before.
    pub fn is_late(&self) -> bool {
        let is_over = |deadline| SystemClock.monotonic() >= deadline;
        !self.flag.load(Ordering::Relaxed) && self.deadline.is_some_and(is_over)
    }
}

impl PartialEq for Cancel {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.flag, &other.flag)
    }
}
