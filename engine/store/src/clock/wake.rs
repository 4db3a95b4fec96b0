//! A flag that ends a wait on a clock.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

/// Longest single wait in real time. A condition variable's timeout ignores machine sleep and clock
/// changes, so longer waits are split into slices that read the clock in between.
const WAIT_SLICE: Duration = Duration::from_secs(15);

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitEnd {
    /// The deadline was reached.
    Deadline,
    /// [`WakeUp::notify`] was called.
    Woken,
}

/// A flag that wakes a waiting thread at once. Clones share the flag.
#[derive(Debug, Clone, Default)]
pub struct WakeUp {
    shared: Arc<Shared>,
}

/// The flag and its condition variable, shared by all clones.
#[derive(Debug, Default)]
pub(super) struct Shared {
    notified: Mutex<bool>,
    changed: Condvar,
}

/// How much longer a waiter must wait, in real time.
pub(super) enum Remaining {
    Nothing,
    Real(Duration),
    Unknown,
}

impl WakeUp {
    /// An unset flag.
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the current wait, or the next one if no thread is waiting.
    pub fn notify(&self) {
        *self.shared.lock() = true;
        self.shared.changed.notify_all();
    }

    /// Consumes a pending notification; returns whether there was one.
    pub fn take(&self) -> bool {
        std::mem::take(&mut *self.shared.lock())
    }

    /// Waits until notified or until `remaining` returns `Nothing`. A [`Shared::nudge`] makes it ask
    /// `remaining` again.
    pub(super) fn wait(&self, remaining: impl Fn() -> Remaining) -> WaitEnd {
        let mut notified = self.shared.lock();
        loop {
            if std::mem::take(&mut *notified) {
                return WaitEnd::Woken;
            }
            let slice = match remaining() {
                Remaining::Nothing => return WaitEnd::Deadline,
                Remaining::Real(real) => real.min(WAIT_SLICE),
                Remaining::Unknown => WAIT_SLICE,
            };
            let waited = self.shared.changed.wait_timeout(notified, slice);
            notified = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// A weak handle for a clock that nudges its waiters.
    pub(super) fn downgrade(&self) -> Weak<Shared> {
        Arc::downgrade(&self.shared)
    }
}

impl Shared {
    /// Makes a waiter read its clock again.
    pub(super) fn nudge(&self) {
        // Under the lock, so that a waiter between its reading and its wait does not miss the
        // nudge.
        let _notified = self.lock();
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.notified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
