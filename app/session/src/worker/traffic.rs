//! The traffic of the demo store.
//!
//! Its commands run in the write lane, in turn with what the user asks for, so that nothing is
//! inserted between the drop of a collection and the look whether it is still there.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bson::{Document, doc};
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::reply::Clock;

use super::reply::Reply;
use crate::demo::{SampleData, Traffic};
use crate::limits::{TRAFFIC_PERIOD, TRAFFIC_PERIOD_MIN, TRAFFIC_RATE_CALM};
use crate::source::Source;

/// The name of the thread that waits for the next step.
pub(super) const THREAD: &str = "mayfly-traffic";

/// The traffic of the open store, and its switch.
#[derive(Default)]
pub(super) struct TrafficSwitch {
    inner: Mutex<Inner>,
    changed: Condvar,
}

struct Inner {
    /// `None` if it isn't a demo store, or while a step runs.
    traffic: Option<Traffic>,
    on: bool,
    /// A step was asked for and has not begun.
    waits: bool,
    closed: bool,
    /// The time until the next step.
    period: Duration,
}

impl Default for Inner {
    fn default() -> Self {
        Self { traffic: None, on: false, waits: false, closed: false, period: TRAFFIC_PERIOD }
    }
}

impl TrafficSwitch {
    /// Another store was opened. Nothing is written before the switch is turned on.
    pub(super) fn opened(&self, made: Option<SampleData>) {
        let mut inner = self.lock();
        (inner.traffic, inner.on) = (made.map(Traffic::new), false);
    }

    /// Turns it on or off.
    pub(super) fn set(&self, on: bool) {
        self.lock().on = on;
        self.changed.notify_all();
    }

    /// Lets the thread that waits go.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Waits until the next step is due. `false`: it is closed.
    pub(super) fn wait(&self) -> bool {
        let rests = |inner: &mut Inner| !inner.closed && (!inner.on || inner.waits);
        let inner = self.changed.wait_while(self.lock(), rests);
        let inner = inner.unwrap_or_else(PoisonError::into_inner);
        let period = inner.period;
        let waited = self.changed.wait_timeout_while(inner, period, |inner| !inner.closed);
        let (mut inner, _) = waited.unwrap_or_else(PoisonError::into_inner);
        inner.waits = true;
        !inner.closed
    }

    /// A step that was asked for will not run.
    pub(super) fn dropped(&self) {
        self.lock().waits = false;
    }

    /// Sends what is due. Returns what was sent, with the replies.
    pub(super) fn step(&self, source: &dyn Source) -> Vec<Reply> {
        let mut inner = self.lock();
        inner.waits = false;
        let traffic = if inner.on { inner.traffic.take() } else { None };
        drop(inner);
        self.changed.notify_all();
        let Some(mut traffic) = traffic else { return Vec::new() };
        let clock = Clock::from_document(&source.run("admin", &doc! {"mayflyClock": 1}));
        let replies =
            clock.as_ref().map_or_else(Vec::new, |clock| send(&mut traffic, clock.now_ms, source));
        let mut inner = self.lock();
        inner.traffic.get_or_insert(traffic);
        let runs = clock.filter(|clock| !clock.is_paused);
        inner.period = period(runs.map_or(1.0, |clock| clock.rate));
        drop(inner);
        replies
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The time between two steps while the store's clock runs at `rate`. On a fast clock documents come
/// and expire within a second.
fn period(rate: f64) -> Duration {
    let faster = rate.max(1.0) / TRAFFIC_RATE_CALM;
    TRAFFIC_PERIOD.div_f64(faster.max(1.0)).max(TRAFFIC_PERIOD_MIN)
}

fn send(traffic: &mut Traffic, now_ms: i64, source: &dyn Source) -> Vec<Reply> {
    let mut took = Duration::ZERO;
    let sent = traffic.tick(now_ms, &mut |db: &str, command: &Document| {
        let started = SystemClock.monotonic();
        let reply = source.run(db, command);
        took = SystemClock.monotonic().saturating_sub(started);
        reply
    });
    let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
    let reply = |sent: crate::demo::Sent| {
        Reply::new(sent.db.to_owned(), sent.command, Ok(sent.reply), micros)
    };
    sent.into_iter().map(reply).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fast_clock_gets_steps_more_often() {
        assert_eq!(period(0.001), TRAFFIC_PERIOD);
        assert_eq!(period(60.0), TRAFFIC_PERIOD);
        assert_eq!(period(600.0), TRAFFIC_PERIOD / 10);
        assert_eq!(period(3_600.0), TRAFFIC_PERIOD_MIN);
    }
}
