//! Threads that wait for the next committed change.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::clock::WakeUp;

#[derive(Debug, Default)]
pub(super) struct ChangeWaiters {
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    opened: u64,
    open: Vec<(u64, WakeUp)>,
}

/// One waiting thread; dropping it ends the wait.
#[derive(Debug)]
pub struct ChangeWaiter<'w> {
    waiters: &'w ChangeWaiters,
    id: u64,
    wake: WakeUp,
}

impl ChangeWaiters {
    pub(super) fn enter(&self) -> ChangeWaiter<'_> {
        let wake = WakeUp::new();
        let mut table = self.lock();
        table.opened += 1;
        let id = table.opened;
        table.open.push((id, wake.clone()));
        ChangeWaiter { waiters: self, id, wake }
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
    /// Notified by every change that commits while the waiter exists.
    pub fn wake(&self) -> &WakeUp {
        &self.wake
    }
}

impl Drop for ChangeWaiter<'_> {
    fn drop(&mut self) {
        self.waiters.lock().open.retain(|(id, _)| *id != self.id);
    }
}
