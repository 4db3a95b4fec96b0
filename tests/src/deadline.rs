//! Real time, for tests that watch a real process. Everything else moves a simulated clock.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// A span of real time that began when this value was made.
#[derive(Debug, Clone, Copy)]
pub struct Deadline {
    began: Instant,
    limit: Duration,
}

impl Deadline {
    /// A span that ends `limit` from now.
    #[expect(clippy::disallowed_methods, reason = "a real process runs in real time")]
    pub fn after(limit: Duration) -> Self {
        Self { began: Instant::now(), limit }
    }

    /// The time left, or `None` once it is over.
    pub fn left(&self) -> Option<Duration> {
        self.limit.checked_sub(self.began.elapsed())
    }

    /// Whether it is over.
    pub fn is_over(&self) -> bool {
        self.left().is_none()
    }
}

/// Milliseconds since 1970 by the machine's clock, which the program under test reads too.
#[expect(clippy::disallowed_methods, reason = "a real process runs in real time")]
pub fn wall_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
