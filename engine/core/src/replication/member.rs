//! One engine as a member of a set: its role, its changes, and applying another member's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::status::SetStatus;
use crate::collection::{Collections, OplogEntry, Role, WriteError};

/// An engine's part in a replica set. It exists in an engine opened with a role.
pub struct Member {
    collections: Arc<Collections>,
    set: Mutex<Option<SetStatus>>,
}

impl Member {
    /// The member that these collections are; `None` without a role.
    pub fn of(collections: &Arc<Collections>) -> Option<Self> {
        collections.role()?;
        Some(Self { collections: Arc::clone(collections), set: Mutex::new(None) })
    }

    /// Its role.
    pub fn role(&self) -> Role {
        if self.collections.is_secondary() { Role::Secondary } else { Role::Primary }
    }

    /// Changes the role between two transactions. A new primary must have applied all entries.
    ///
    /// # Errors
    /// When the store fails.
    pub fn set_role(&self, role: Role) -> Result<(), WriteError> {
        self.collections.set_role(role)
    }

    /// Tells it about its set.
    pub fn set_status(&self, set: SetStatus) {
        *self.lock() = Some(set);
    }

    /// The last status that it got; `None` before the first one.
    pub fn status(&self) -> Option<SetStatus> {
        self.lock().clone()
    }

    /// Takes the entries of the changes that clients and passes made here since the last call, in
    /// order of the commits. They are only in memory, so take them before the engine is closed.
    pub fn take_entries(&self) -> Vec<OplogEntry> {
        self.collections.take_oplog()
    }

    /// Applies the first of the primary's entries that it lacks, in one bounded transaction. Returns
    /// how many, at least one.
    ///
    /// # Errors
    /// `NotApplied` on a primary, and when an entry does not fit the documents here; when the store
    /// fails.
    pub fn apply(&self, entries: &[OplogEntry]) -> Result<usize, WriteError> {
        if self.role() == Role::Primary {
            let what = "a primary applies no entries".to_owned();
            return Err(WriteError::NotApplied { what });
        }
        self.collections.apply_oplog(entries)
    }

    fn lock(&self) -> MutexGuard<'_, Option<SetStatus>> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
