//! The background thread: sleeps first, then runs a pass, and so on. All decisions are made
//! elsewhere.

use std::{
    io,
    sync::{Arc, atomic::Ordering},
    thread::{Builder, JoinHandle},
    time::Duration,
};

use super::handle::{Reaper, THREAD_NAME};
use crate::{clock::WaitEnd, limits::THREAD_RETRY, supervised::supervised};

/// Starts the thread. [`Reaper::stop`] ends it.
///
/// # Errors
/// When the system gives no thread.
pub fn start(reaper: Arc<Reaper>) -> io::Result<JoinHandle<()>> {
    // Read here, so that the delay until the thread runs counts toward its first sleep.
    let began = reaper.clock().monotonic();
    reaper.note_heartbeat();
    reaper.look_ahead();
    Builder::new().name(THREAD_NAME.to_owned()).spawn(move || work(&reaper, began))
}

fn work(reaper: &Reaper, began: Duration) {
    let mut sleep_began = began;
    while !reaper.stop.load(Ordering::Relaxed) {
        let turn = || turn(reaper, &mut sleep_began);
        let tell = |message| reaper.hub().thread_failed(THREAD_NAME, message);
        if supervised(tell, turn).is_none() {
            rest(reaper);
        }
    }
}

/// One sleep, and what comes after it.
fn turn(reaper: &Reaper, sleep_began: &mut Duration) {
    let deadline = reaper.plan(*sleep_began);
    // A wake-up only means that something about the plan changed.
    if reaper.clock().wait_until(Some(deadline), &reaper.wake) == WaitEnd::Woken {
        return;
    }
    *sleep_began = reaper.clock().monotonic();
    if !reaper.parameters().enabled() {
        reaper.observe_clocks();
        reaper.note_heartbeat();
    } else if reaper.run_scheduled_pass().is_some() {
        // A pass that panicked has not ended.
        *sleep_began = reaper.pass_ended().max(*sleep_began);
    } else {
        reaper.note_heartbeat();
    }
}

/// A pause, so that repeated failures do not spin.
fn rest(reaper: &Reaper) {
    let until = reaper.clock().monotonic().saturating_add(THREAD_RETRY);
    let continues = || !reaper.stop.load(Ordering::Relaxed);
    while continues() && reaper.clock().wait_until(Some(until), &reaper.wake) == WaitEnd::Woken {}
}
