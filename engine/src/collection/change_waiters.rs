//! Who waits for the next committed change.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::clock::WakeUp;

/// Threads that wait for a change.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    opened: u64,
    open: Vec<(u64, WakeUp)>,
}

/// One thread's place among those that wait; dropping it gives it up.
#[derive(Debug)]
pub struct ChangeWaiter<'w> {
    waiting: &'w Waiting,
    id: u64,
    wake: WakeUp,
}

impl Waiting {
    pub(super) fn enter(&self) -> ChangeWaiter<'_> {
        let wake = WakeUp::new();
        let mut table = self.lock();
        table.opened += 1;
        let id = table.opened;
        table.open.push((id, wake.clone()));
        ChangeWaiter { waiting: self, id, wake }
    }

    pub(super) fn wake(&self) {
        for (_, wake) in &self.lock().open {
            wake.notify();
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ChangeWaiter<'_> {
    /// Notified by every change that is committed while the waiter exists.
    #[must_use]
    pub fn wake(&self) -> &WakeUp {
        &self.wake
    }
}

impl Drop for ChangeWaiter<'_> {
    fn drop(&mut self) {
        self.waiting.lock().open.retain(|(id, _)| *id != self.id);
    }
}
