//! Ends somebody's waiting on a clock.

use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

/// Longest single wait in real time. The system's wait does not count sleep of the machine and does
/// not see a changed clock, so a longer wait is cut into pieces and the clock is read in between.
const WAIT_SLICE: Duration = Duration::from_secs(15);

/// Why a wait ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WaitEnd {
    /// The deadline was reached.
    Deadline,
    /// [`WakeUp::notify`] was called.
    Woken,
}

/// A flag that a waiting thread sees at once. Clones are the same flag.
#[derive(Debug, Clone, Default)]
pub struct WakeUp {
    shared: Arc<Shared>,
}

/// What the clones share.
#[derive(Debug, Default)]
pub(super) struct Shared {
    notified: Mutex<bool>,
    changed: Condvar,
}

/// How long a waiter has to wait still, in real time.
pub(super) enum Remaining {
    /// The deadline was reached.
    Nothing,
    /// At most this long.
    Real(Duration),
    /// Until something changes.
    Unknown,
}

impl WakeUp {
    /// A flag that is not set.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Ends the present wait, or the next one if nobody waits now.
    pub fn notify(&self) {
        *self.shared.lock() = true;
        self.shared.changed.notify_all();
    }

    /// Takes back a notification that nobody has used yet; whether there was one.
    #[must_use]
    pub fn take(&self) -> bool {
        std::mem::take(&mut *self.shared.lock())
    }

    /// Waits until notified or until `remaining` says that nothing remains. `remaining` is asked
    /// again after each [`Shared::nudge`].
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

    /// For a clock that wants to nudge its waiters.
    pub(super) fn downgrade(&self) -> Weak<Shared> {
        Arc::downgrade(&self.shared)
    }
}

impl Shared {
    /// Makes a waiter look at its clock again.
    pub(super) fn nudge(&self) {
        let _notified = self.lock();
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.notified.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
