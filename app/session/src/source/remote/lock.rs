//! The lock of a connection. A connection is locked until the user unlocks it, and again once no
//! change was sent for [`IDLE`].

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};

use crate::limits::UNLOCKED_IDLE as IDLE;

/// Whether changes may be sent.
#[derive(Default)]
pub(super) struct Lock(Mutex<Option<Duration>>);

impl Lock {
    /// Locks it, or unlocks it.
    pub fn set(&self, is_locked: bool) {
        *self.lock() = (!is_locked).then(|| SystemClock.monotonic());
    }

    /// Whether no change may be sent now.
    pub fn is_locked(&self) -> bool {
        let mut used = self.lock();
        let now = SystemClock.monotonic();
        // The first look after the time locks it, so no timer is needed.
        *used = used.filter(|used| now.saturating_sub(*used) < IDLE);
        used.is_none()
    }

    /// A change is sent: the time until it locks itself begins again.
    pub fn use_now(&self) {
        // A change that was sent while it locked itself must not unlock it again.
        if let Some(used) = &mut *self.lock() {
            *used = SystemClock.monotonic();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<Duration>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
