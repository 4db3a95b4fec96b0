//! The background threads: one waits for the end of each sleep of the [`Monitor`], one drains the trash.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
    thread::{Builder, JoinHandle},
    time::Duration,
};

use super::{
    handle::{Reaper, THREAD_NAME},
    monitor::Monitor,
};
use crate::{
    clock::WaitEnd,
    limits::{ARCHIVE_POLL_MS, THREAD_RETRY},
    supervised::supervised,
};

/// The name of the drain's thread.
pub(super) const DRAIN_NAME: &str = "ArchiveDrain";

/// Starts the threads. [`Reaper::stop`] ends them.
///
/// # Errors
/// When the system gives no thread.
pub fn start(reaper: &Arc<Reaper>) -> io::Result<Vec<JoinHandle<()>>> {
    // Made here, so that the delay until the thread runs counts toward its first sleep.
    let monitor = Monitor::new(Arc::clone(reaper));
    // A client may ask when the first pass comes as soon as the store is open.
    monitor.plan();
    let (passes, moves) = (Arc::clone(reaper), Arc::clone(reaper));
    let monitor =
        Builder::new().name(THREAD_NAME.to_owned()).spawn(move || work(&passes, monitor))?;
    let drain = Builder::new().name(DRAIN_NAME.to_owned()).spawn(move || drain(&moves));
    // The first one must not outlive a failure.
    let drain = drain.inspect_err(|_| reaper.stop())?;
    Ok(vec![monitor, drain])
}

/// Moves rows of the trash to archives, so that no removal waits for a disk or a network.
fn drain(reaper: &Reaper) {
    while !reaper.stop.load(Ordering::Relaxed) {
        let tell = |message| reaper.hub().thread_failed(DRAIN_NAME, message);
        let wait = supervised(tell, || reaper.drain_due()).unwrap_or(Some(THREAD_RETRY));
        // A write that evicts what is hidden wakes no thread.
        let is_any_on = || reaper.archives().all().iter().any(|archive| archive.is_on());
        let wait = wait.or_else(|| is_any_on().then_some(Duration::from_millis(ARCHIVE_POLL_MS)));
        let deadline = wait.map(|wait| reaper.clock().monotonic().saturating_add(wait));
        reaper.clock().wait_until(deadline, &reaper.drain_wake);
    }
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
