//! The wish that the program ends: SIGINT, SIGTERM and SIGHUP.
//!
//! The first one closes the window or stops the command, so that the store is closed. Who sends another one
//! later does not want to wait for that.

use std::{
    process,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, bounded};
use mayfly_engine::clock::{Clock as _, SystemClock};

use crate::limits::ONE_WISH_MAX;

/// What shells report of a program that Ctrl+C ended.
const ENDED_BY_SIGNAL: i32 = 130;

/// Set by the first signal. One for the process, because a signal belongs to the process.
static STOP: OnceLock<Stop> = OnceLock::new();

/// Whether somebody wants the program to end.
#[derive(Clone)]
pub struct Stop {
    shared: Arc<Shared>,
    told: Receiver<()>,
}

#[derive(Default)]
struct Shared {
    is_wanted: AtomicBool,
    wake: Mutex<Option<Box<dyn Fn() + Send>>>,
}

/// The system refused.
#[derive(Debug, thiserror::Error)]
#[error("Can't handle signals: {0}.")]
pub struct NotCaught(#[from] ctrlc::Error);

impl Stop {
    /// Listens for the signals from now on. The first call comes before other threads are started.
    ///
    /// # Errors
    /// The system refused.
    pub fn listen() -> Result<Self, NotCaught> {
        if let Some(stop) = STOP.get() {
            return Ok(stop.clone());
        }
        keep_hangup_ignored();
        let (tell, told) = bounded(1);
        let stop = Self { shared: Arc::default(), told };
        let shared = Arc::clone(&stop.shared);
        let mut first = None;
        ctrlc::set_handler(move || {
            if is_impatient(&mut first, SystemClock.monotonic()) {
                end_at_once();
            }
            shared.is_wanted.store(true, Relaxed);
            // A second signal finds the first still waiting, which is as good.
            let _ = tell.try_send(());
            let wake = shared.wake.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(wake) = &*wake {
                wake();
            }
        })?;
        let _ = STOP.set(stop.clone());
        Ok(stop)
    }

    /// Whether a signal has come.
    #[must_use]
    pub fn is_wanted(&self) -> bool {
        self.shared.is_wanted.load(Relaxed)
    }

    /// Waits until a signal comes.
    pub fn wait(&self) {
        while !self.is_wanted() && self.told.recv().is_ok() {}
    }

    /// Calls `wake` at each signal from now on, on a thread of its own. Who sets it then looks whether a
    /// signal came before.
    pub fn wake_with(&self, wake: impl Fn() + Send + 'static) {
        let mut slot = self.shared.wake.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(Box::new(wake));
    }
}

/// Whether a signal is that of somebody who does not want to wait any longer.
fn is_impatient(first: &mut Option<Duration>, now: Duration) -> bool {
    now.saturating_sub(*first.get_or_insert(now)) > ONE_WISH_MAX
}

#[expect(clippy::disallowed_methods, reason = "whoever repeats a signal does not want to wait")]
fn end_at_once() {
    process::exit(ENDED_BY_SIGNAL);
}

/// Leaves SIGHUP ignored where `nohup` made it so: the handler of signals would take it all the same.
#[cfg(target_os = "linux")]
fn keep_hangup_ignored() {
    use nix::sys::signal::{SigSet, Signal};

    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let hangup = 1 << (Signal::SIGHUP as u64 - 1);
    if ignored.is_some_and(|mask| mask & hangup != 0) {
        // Whatever it is blocked for can't fail for a signal that exists.
        let _ = SigSet::from(Signal::SIGHUP).thread_block();
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_hangup_ignored() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_later_signal_is_impatient() {
        let mut first = None;
        for (at_ms, expected) in [(70_000, false), (70_000, false), (71_000, false), (71_001, true)]
        {
            let at = Duration::from_millis(at_ms);
            assert_eq!(is_impatient(&mut first, at), expected, "{at:?}");
        }
    }
}
