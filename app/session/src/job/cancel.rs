//! Cancellation of a job.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::transfer::Progress;

/// A flag that stops a piece of work, and the latest time at which it stops by itself.
#[derive(Debug, Clone, Default)]
pub struct Cancel {
    flag: Arc<AtomicBool>,
    /// By the system's monotonic clock.
    deadline: Option<Duration>,
}

impl Cancel {
    /// Stops when files in or out of a store are canceled.
    pub fn of(progress: &Progress) -> Self {
        Self { flag: progress.cancel_flag(), deadline: None }
    }

    /// The same flag, for work that may take this long from now.
    #[must_use]
    pub fn within(&self, time: Duration) -> Self {
        let deadline = SystemClock.monotonic().checked_add(time);
        Self { flag: Arc::clone(&self.flag), deadline }
    }

    /// The same flag, for work that may take this much longer.
    #[must_use]
    pub fn later_by(&self, time: Duration) -> Self {
        let deadline = self.deadline.map(|deadline| deadline.saturating_add(time));
        Self { flag: Arc::clone(&self.flag), deadline }
    }

    /// Stops the work at its next step.
    pub fn cancel(&self) {
        self.flag.store(true, Ordering::Relaxed);
    }

    /// Whether the job was canceled or is late.
    pub fn is_cancelled(&self) -> bool {
        self.flag.load(Ordering::Relaxed) || self.is_late()
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
