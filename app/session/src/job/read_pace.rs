//! How fast a piece of work may ask a server.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};

use crate::limits::AUDIT_LOOK;

/// Lets one command go at a time, each a while after the one before it.
#[derive(Debug)]
pub struct ReadPace {
    apart: Duration,
    time_ms: i32,
    /// When the next command may go, by the system's monotonic clock.
    next: Mutex<Duration>,
    sent: AtomicU64,
}

impl ReadPace {
    /// At most this many commands in a second, each of which may take this long on the server.
    pub fn new(a_second: u32, time_ms: i32) -> Self {
        let apart = Duration::from_secs(1) / a_second.max(1);
        Self { apart, time_ms, next: Mutex::default(), sent: AtomicU64::new(0) }
    }

    /// How long a command may take that says nothing itself, in milliseconds.
    pub fn time_ms(&self) -> i32 {
        self.time_ms
    }

    /// Commands that went so far.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Waits until the next command may go, or until the work has ended.
    pub fn wait(&self, is_ended: &dyn Fn() -> bool) {
        self.sent.fetch_add(1, Ordering::Relaxed);
        let at = self.turn(SystemClock.monotonic());
        while !is_ended() {
            let left = at.saturating_sub(SystemClock.monotonic());
            if left.is_zero() {
                return;
            }
            thread::sleep(left.min(AUDIT_LOOK));
        }
    }

    /// Takes the next turn.
    fn turn(&self, now: Duration) -> Duration {
        let mut next = self.next.lock().unwrap_or_else(PoisonError::into_inner);
        let at = now.max(*next);
        *next = at.saturating_add(self.apart);
        at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_go_in_a_second_than_may() {
        let pace = ReadPace::new(30, 2_000);
        let at = |ms| Duration::from_millis(ms);
        let turns: Vec<Duration> = (0..90).map(|_| pace.turn(at(10))).collect();
        let within = |from: Duration| {
            let to = from + at(999);
            turns.iter().filter(|turn| (from..to).contains(*turn)).count()
        };
        assert!(turns.iter().all(|from| within(*from) <= 30), "{turns:?}");
        assert_eq!(turns[0], at(10));
        // Time that nothing was asked in is not made up for.
        let later = pace.turn(at(60_000));
        assert_eq!((later, pace.turn(at(60_000))), (at(60_000), at(60_000) + pace.apart));
    }

    #[test]
    fn work_that_has_ended_waits_for_nothing() {
        let pace = ReadPace::new(1, 2_000);
        pace.wait(&|| true);
        pace.wait(&|| true);
        pace.wait(&|| true);
        assert_eq!(pace.sent(), 3);
    }
}
