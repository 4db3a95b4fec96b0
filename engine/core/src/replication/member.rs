//! One engine as a member of a set: its role, its oplog, and applying another member's.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::status::SetStatus;
use crate::{
    collection::{Collections, OplogEntry, Role, WriteError},
    store::StoreError,
};

/// An engine's part in a replica set. It exists in an engine opened with an oplog.
pub struct Member {
    collections: Arc<Collections>,
    set: Mutex<Option<SetStatus>>,
}

impl Member {
    /// The member that these collections are; `None` without an oplog.
    pub fn of(collections: &Arc<Collections>) -> Option<Self> {
        collections.role()?;
        Some(Self { collections: Arc::clone(collections), set: Mutex::new(None) })
    }

    /// Its role.
    pub fn role(&self) -> Role {
        if self.collections.is_secondary() { Role::Secondary } else { Role::Primary }
    }

    /// Changes the role between two transactions. A new primary continues the oplog after the last
    /// entry that it has applied.
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

    /// The position of the newest entry in its oplog, which is also the last applied one.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn position(&self) -> Result<u64, StoreError> {
        self.collections.oplog_position()
    }

    /// Entries after a position in order, at most `max` and at most `limits::OPLOG_READ_MAX`.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn entries_after(&self, position: u64, max: usize) -> Result<Vec<OplogEntry>, StoreError> {
        self.collections.oplog_after(position, max)
    }

    /// The newest entries, newest first; bounds as [`Member::entries_after`].
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn newest_entries(&self, max: usize) -> Result<Vec<OplogEntry>, StoreError> {
        self.collections.oplog_newest(max)
    }

    /// Applies entries of another member's oplog in order, in bounded transactions. Entries that are
    /// applied already are skipped.
    ///
    /// # Errors
    /// `NotApplied` on a primary, and when an entry does not follow the last one or does not fit the
    /// documents here; when the store fails. What was applied before stays.
    pub fn apply(&self, entries: &[OplogEntry]) -> Result<(), WriteError> {
        if self.role() == Role::Primary {
            return Err(not_applied("a primary applies no entries"));
        }
        let mut rest = entries;
        while !rest.is_empty() {
            let applied = self.collections.apply_oplog(rest)?;
            rest = rest.get(applied.max(1)..).unwrap_or_default();
        }
        Ok(())
    }

    /// Applies the next entries of another member, up to and including the position `until`. Returns
    /// how many there were, at most `limits::OPLOG_READ_MAX`.
    ///
    /// # Errors
    /// As [`Member::apply`]; `NotApplied` when the newest entry here differs from the other member's.
    pub fn apply_from(&self, source: &Self, until: u64) -> Result<usize, WriteError> {
        let position = self.position()?;
        let known = self.entries_after(position.saturating_sub(1), 1)?;
        if known != source.entries_after(position.saturating_sub(1), known.len())? {
            return Err(not_applied("the newest entry is not in the source's oplog"));
        }
        let max = usize::try_from(until.saturating_sub(position)).unwrap_or(usize::MAX);
        let entries = source.entries_after(position, max)?;
        self.apply(&entries)?;
        Ok(entries.len())
    }

    fn lock(&self) -> MutexGuard<'_, Option<SetStatus>> {
        self.set.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn not_applied(what: &str) -> WriteError {
    WriteError::NotApplied { what: what.to_owned() }
}
