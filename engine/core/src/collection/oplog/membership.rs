//! A store's membership in a set: whether it accepts changes by clients, and its entries that
//! were not taken yet.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use super::entry::OplogEntry;
use crate::collection::{Collections, WriteError};

/// The role of a member, which decides the writes that it accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Accepts changes by clients, each with an entry in the oplog.
    Primary,
    /// Only the entries of the primary.
    Secondary,
}

/// The state of a member.
#[derive(Default)]
pub(in crate::collection) struct Membership {
    is_secondary: AtomicBool,
    committed: Mutex<Vec<OplogEntry>>,
}

impl Membership {
    /// The entries that were not taken yet. A transaction holds them until it has added its own, or
    /// another one that commits later could add its entries first.
    pub(in crate::collection) fn committed(&self) -> MutexGuard<'_, Vec<OplogEntry>> {
        self.committed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Collections {
    /// Whether changes are refused because the store only applies another one's oplog.
    pub fn is_secondary(&self) -> bool {
        self.role() == Some(Role::Secondary)
    }

    /// The role; `None` for a standalone store.
    pub fn role(&self) -> Option<Role> {
        let is_secondary = self.membership.get()?.is_secondary.load(Ordering::SeqCst);
        Some(if is_secondary { Role::Secondary } else { Role::Primary })
    }

    /// Changes the role between two transactions. The first call makes the store a member. A new
    /// secondary drops unfinished index builds: they are in no entry, so no other store has them.
    ///
    /// # Errors
    /// When the store fails.
    pub fn set_role(&self, role: Role) -> Result<(), WriteError> {
        let membership = self.membership.get_or_init(Membership::default);
        let is_secondary = role == Role::Secondary;
        let transactions = membership.committed();
        let was_secondary = membership.is_secondary.swap(is_secondary, Ordering::SeqCst);
        drop(transactions);
        if is_secondary && !was_secondary {
            let builds = self.pending_builds();
            if !builds.is_empty() {
                self.give_up(&builds, &WriteError::NotPrimary)?;
            }
        }
        Ok(())
    }

    /// Takes the entries of this store's own changes since the last call, in order of the commits.
    pub fn take_oplog(&self) -> Vec<OplogEntry> {
        let membership = self.membership.get();
        membership.map(|it| std::mem::take(&mut *it.committed())).unwrap_or_default()
    }
}
