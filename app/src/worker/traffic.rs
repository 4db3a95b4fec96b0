//! The traffic of the demo store.
//!
//! Its commands run in the write lane, in turn with what the user asks for, so that nothing is
//! inserted between the drop of a collection and the look whether it is still there.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bson::{Document, doc};
use mayfly_engine::clock::{Clock, SystemClock};

use super::job::Reply;
use crate::demo::{SampleData, Traffic};
use crate::limits::TRAFFIC_PERIOD;
use crate::source::Source;

/// The name of the thread that waits for the next step.
pub(super) const THREAD: &str = "mayfly-traffic";

/// The traffic of the open store, and its switch.
#[derive(Default)]
pub(super) struct TrafficSwitch {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Default)]
struct Inner {
    /// `None`: it is no demo store, or a step runs.
    traffic: Option<Traffic>,
    on: bool,
    /// A step was asked for and has not begun.
    waits: bool,
    closed: bool,
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
        let period = self.changed.wait_timeout_while(inner, TRAFFIC_PERIOD, |inner| !inner.closed);
        let (mut inner, _) = period.unwrap_or_else(PoisonError::into_inner);
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
        let replies = send(&mut traffic, source);
        self.lock().traffic.get_or_insert(traffic);
        replies
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn send(traffic: &mut Traffic, source: &dyn Source) -> Vec<Reply> {
    let clock = source.run("admin", &doc! {"mayflyClock": 1});
    let Ok(now) = clock.get_datetime("now") else { return Vec::new() };
    let mut took = Duration::ZERO;
    let sent = traffic.tick(now.timestamp_millis(), &mut |db: &str, command: &Document| {
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
