//! The background thread: waits for the end of each sleep of the [`Monitor`].

use std::{
    io,
    sync::{Arc, atomic::Ordering},
    thread::{Builder, JoinHandle},
};

use super::{
    handle::{Reaper, THREAD_NAME},
    monitor::Monitor,
};
use crate::{clock::WaitEnd, limits::THREAD_RETRY, supervised::supervised};

/// Starts the thread. [`Reaper::stop`] ends it.
///
/// # Errors
/// When the system gives no thread.
pub fn start(reaper: Arc<Reaper>) -> io::Result<JoinHandle<()>> {
    // Made here, so that the delay until the thread runs counts toward its first sleep.
    let monitor = Monitor::new(Arc::clone(&reaper));
    Builder::new().name(THREAD_NAME.to_owned()).spawn(move || work(&reaper, monitor))
}

fn work(reaper: &Reaper, mut monitor: Monitor) {
    while !reaper.stop.load(Ordering::Relaxed) {
        let tell = |message| reaper.hub().thread_failed(THREAD_NAME, message);
        if supervised(tell, || turn(reaper, &mut monitor)).is_none() {
            rest(reaper);
        }
    }
}

/// One sleep, and what comes after it.
fn turn(reaper: &Reaper, monitor: &mut Monitor) {
    let deadline = monitor.plan();
    // A wake-up only means that something about the plan changed.
    if reaper.clock().wait_until(Some(deadline), &reaper.wake) == WaitEnd::Deadline {
        monitor.end_sleep();
    }
}

/// Waits after a failure.
fn rest(reaper: &Reaper) {
    let until = reaper.clock().monotonic().saturating_add(THREAD_RETRY);
    let continues = || !reaper.stop.load(Ordering::Relaxed);
    // Without a pause, repeated failures would use a whole core.
    while continues() && reaper.clock().wait_until(Some(until), &reaper.wake) == WaitEnd::Woken {}
}
