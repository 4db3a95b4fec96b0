//! Work with files and on the store as a whole, which a window that closes stops.

use std::sync::{Arc, MutexGuard, PoisonError};

use mayfly_engine::transfer::Progress;

use super::Shared;
use crate::job::Cancel;
use crate::worker::guarded::guarded;
use crate::worker::maintenance::{MaintenanceDone, MaintenanceWork};
use crate::worker::sandbox::{SandboxDone, SandboxWork};
use crate::worker::transfer::{TransferDone, TransferWork};

impl Shared {
    /// Cares for the store; a window that closes stops it.
    pub(super) fn maintenance(
        self: &Arc<Self>,
        store: u32,
        work: &MaintenanceWork,
    ) -> MaintenanceDone {
        let cancel = work.gauge().map(|gauge| gauge.cancel.clone());
        self.caring().extend(cancel.clone());
        let source = self.sources.of(store);
        let done = guarded(|| work.run(source.as_deref()));
        self.caring().retain(|other| Some(other) != cancel.as_ref());
        let done = done.unwrap_or_else(|message| work.failed(message));
        if let (MaintenanceDone::Offline(ended), Some(source)) = (&done, source)
            && matches!(ended.reopened, Some(Ok(_)))
        {
            // The event subscription ended with the closed store.
            self.follow(source.as_ref(), store);
        }
        done
    }

    /// Works on a sandbox. One that could not be moved is open again.
    pub(super) fn sandbox(self: &Arc<Self>, store: u32, work: &SandboxWork) -> SandboxDone {
        let source = self.sources.of(store);
        let done = guarded(|| work.run(source.as_deref()));
        let done = done.unwrap_or_else(|message| work.failed(message));
        if let (SandboxDone::Kept { result: Err(_), .. }, Some(source)) = (&done, source) {
            self.follow(source.as_ref(), store);
        }
        done
    }

    pub(super) fn caring(&self) -> MutexGuard<'_, Vec<Cancel>> {
        self.caring.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does work with files; a window that closes stops it.
    pub(super) fn transfer(&self, store: u32, work: &TransferWork) -> TransferDone {
        let running = work.progress();
        if let Some(running) = running {
            self.running().push(Arc::clone(running));
        }
        let source = self.sources.of(store);
        let done = guarded(|| work.run(source.as_deref()));
        if let Some(running) = running {
            self.running().retain(|other| !Arc::ptr_eq(other, running));
        }
        done.unwrap_or_else(|message| work.failed(message))
    }

    pub(super) fn running(&self) -> MutexGuard<'_, Vec<Arc<Progress>>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
