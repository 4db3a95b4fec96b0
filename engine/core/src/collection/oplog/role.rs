//! Whether a store with an oplog accepts changes by clients.

use crate::{
    collection::{Collections, WriteError},
    store::StoreError,
};
use std::sync::atomic::Ordering;

/// The role of a store with an oplog, which decides the writes that it accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Accepts changes by clients, each with an entry in its oplog.
    Primary,
    /// Only the entries of another store's oplog.
    Secondary,
}

impl Collections {
    /// Whether changes are refused because the store only applies another one's oplog.
    pub fn is_secondary(&self) -> bool {
        self.secondary.load(Ordering::SeqCst)
    }

    /// The role; `None` for a store without an oplog.
    pub fn role(&self) -> Option<Role> {
        let role = if self.is_secondary() { Role::Secondary } else { Role::Primary };
        self.store.has_oplog().then_some(role)
    }

    /// Changes the role between two transactions. A new secondary drops unfinished index builds:
    /// they are in no entry, so no other store has them.
    ///
    /// # Errors
    /// `Bug` without an oplog; when the store fails.
    pub fn set_role(&self, role: Role) -> Result<(), WriteError> {
        if !self.store.has_oplog() {
            let what = "only a store with an oplog has a role".to_owned();
            return Err(StoreError::Bug { what }.into());
        }
        let is_secondary = role == Role::Secondary;
        let was_secondary = self
            .store
            .write(|_| Ok::<_, StoreError>(self.secondary.swap(is_secondary, Ordering::SeqCst)))?;
        if is_secondary && !was_secondary {
            let builds = self.pending_builds();
            if !builds.is_empty() {
                self.give_up(&builds, &WriteError::NotPrimary)?;
            }
        }
        Ok(())
    }
}
