//! Shutdown on SIGINT, SIGTERM or SIGHUP.
//!
//! The first signal closes the window or stops the command, so that the store is closed. A later
//! one ends the process at once.

use std::{
    process,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering::Relaxed},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, bounded};
use mayfly_engine::clock::{Clock as _, SystemClock};

use crate::limits::SAME_SIGNAL_MAX;

/// The exit code that shells report after Ctrl+C.
const ENDED_BY_SIGNAL: i32 = 130;

/// One for the process, because a signal is sent to the process.
static SIGNAL: Mutex<Option<ShutdownSignal>> = Mutex::new(None);

/// The process's shutdown request. A clone is the same request.
#[derive(Clone)]
pub struct ShutdownSignal {
    shared: Arc<Shared>,
    requests: Receiver<()>,
}

#[derive(Default)]
struct Shared {
    is_requested: AtomicBool,
    /// When the first signal arrived, by the system's monotonic clock.
    first: Mutex<Option<Duration>>,
    wake: Mutex<Option<Box<dyn Fn() + Send>>>,
    before_exit: Mutex<Option<Box<dyn Fn() + Send>>>,
}

/// The signal handler can't be installed.
#[derive(Debug, thiserror::Error)]
#[error("Can't handle signals: {0}.")]
pub struct SignalHandlerError(#[from] ctrlc::Error);

impl ShutdownSignal {
    /// One that no signal sets, for tests.
    pub fn unrequested() -> Self {
        Self { shared: Arc::default(), requests: crossbeam_channel::never() }
    }

    /// Listens for the signals from now on. Make the first call before other threads start: they
    /// inherit its signal mask.
    ///
    /// # Errors
    /// When the system refuses the handler.
    pub fn listen() -> Result<Self, SignalHandlerError> {
        // Held until the handler is installed: a process can install only one.
        let mut listening = SIGNAL.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(signal) = &*listening {
            return Ok(signal.clone());
        }
        keep_hangup_ignored();
        let (sender, requests) = bounded(1);
        let signal = Self { shared: Arc::default(), requests };
        let shared = Arc::clone(&signal.shared);
        ctrlc::set_handler(move || {
            let mut first = shared.first.lock().unwrap_or_else(PoisonError::into_inner);
            if is_repeated(&mut first, SystemClock.monotonic()) {
                let last = shared.before_exit.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(last) = &*last {
                    last();
                }
                exit_now();
            }
            drop(first);
            shared.is_requested.store(true, Relaxed);
            // A full channel already holds a request.
            let _ = sender.try_send(());
            let wake = shared.wake.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(wake) = &*wake {
                wake();
            }
        })?;
        *listening = Some(signal.clone());
        Ok(signal)
    }

    /// Whether a signal has arrived.
    pub fn is_requested(&self) -> bool {
        self.shared.is_requested.load(Relaxed)
    }

    /// Forgets a signal that stopped only a part of the work. The next one is a first request again.
    pub fn forget(&self) {
        *self.shared.first.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.shared.is_requested.store(false, Relaxed);
        while self.requests.try_recv().is_ok() {}
    }

    /// Waits at most this long for a signal; whether one has arrived.
    pub fn wait_for(&self, timeout: Duration) -> bool {
        self.is_requested() || self.requests.recv_timeout(timeout).is_ok() || self.is_requested()
    }

    /// Calls `wake` on the handler's thread at each later signal. Call [`Self::is_requested`]
    /// afterwards: a signal may have arrived before.
    pub fn wake_with(&self, wake: impl Fn() + Send + 'static) {
        let mut slot = self.shared.wake.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(Box::new(wake));
    }

    /// Calls `last` on the handler's thread before a second signal ends the process. It must not
    /// wait for long.
    pub fn before_exit(&self, last: impl Fn() + Send + 'static) {
        let mut slot = self.shared.before_exit.lock().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(Box::new(last));
    }
}

/// Whether this signal is a second request. Signals within [`SAME_SIGNAL_MAX`] are one.
fn is_repeated(first: &mut Option<Duration>, now: Duration) -> bool {
    now.saturating_sub(*first.get_or_insert(now)) > SAME_SIGNAL_MAX
}

#[expect(clippy::disallowed_methods, reason = "a second signal must not wait for a clean close")]
fn exit_now() {
    process::exit(ENDED_BY_SIGNAL);
}

/// Blocks SIGHUP if `nohup` ignores it: the handler would receive it anyway.
#[cfg(target_os = "linux")]
fn keep_hangup_ignored() {
    use nix::sys::signal::{SigSet, Signal};

    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let ignored = ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    let hangup = 1 << (Signal::SIGHUP as u64 - 1);
    if ignored.is_some_and(|mask| mask & hangup != 0) {
        // Can't fail: the signal exists.
        let _ = SigSet::from(Signal::SIGHUP).thread_block();
    }
}

#[cfg(not(target_os = "linux"))]
fn keep_hangup_ignored() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_later_signal_is_a_second_request() {
        let mut first = None;
        for (at_ms, expected) in [(70_000, false), (70_000, false), (71_000, false), (71_001, true)]
        {
            let at = Duration::from_millis(at_ms);
            assert_eq!(is_repeated(&mut first, at), expected, "{at:?}");
        }
    }

    #[test]
    fn threads_that_listen_at_the_same_time_get_one_signal() {
        let barrier = std::sync::Barrier::new(16);
        let listen = || {
            barrier.wait();
            ShutdownSignal::listen()
        };
        let signals: Vec<_> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(listen)).collect();
            threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
        });
        for signal in signals {
            let signal = signal.expect("a handler");
            let first = ShutdownSignal::listen().expect("the same");
            assert!(Arc::ptr_eq(&signal.shared, &first.shared));
        }
    }
}
