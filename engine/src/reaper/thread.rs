//! The background thread: sleeps first, then runs a pass, and so on. All decisions are made
//! elsewhere.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
    thread::{Builder, JoinHandle},
    time::Duration,
};

use super::handle::{Reaper, THREAD_NAME};
use crate::clock::WaitEnd;

/// Starts the thread. [`Reaper::stop`] ends it.
///
/// # Errors
/// When the system gives no thread.
pub fn start(reaper: Arc<Reaper>) -> io::Result<JoinHandle<()>> {
    // Read here: time that goes by until the system runs the thread belongs to its first sleep.
    let began = reaper.clock().monotonic();
    reaper.look_ahead();
    Builder::new().name(THREAD_NAME.to_owned()).spawn(move || work(&reaper, began))
}

fn work(reaper: &Reaper, began: Duration) {
    let mut sleep_began = began;
    while !reaper.stop.load(Ordering::Relaxed) {
        let deadline = reaper.plan(sleep_began);
        // A wake-up only means that something about the plan changed.
        if reaper.clock().wait_until(Some(deadline), &reaper.wake) == WaitEnd::Deadline {
            sleep_began = reaper.clock().monotonic();
            if !reaper.parameters().enabled() {
                reaper.observe_clocks();
            } else if reaper.run_scheduled_pass().is_some() {
                sleep_began = reaper.pass_ended();
            }
        }
    }
}
