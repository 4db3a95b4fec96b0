//! Only one thread at a time works on an unfinished import.

use std::sync::{Mutex, PoisonError};

use bson::oid::ObjectId;

use crate::transfer::TransferError;

/// The imports in use by threads of this process. Ids are unique across stores.
static LOCKED: Mutex<Vec<ObjectId>> = Mutex::new(Vec::new());

/// Exclusive access to an import, until dropped.
pub(in crate::transfer) struct ImportLock(ObjectId);

impl ImportLock {
    /// Takes the lock.
    ///
    /// # Errors
    /// When another thread has it.
    pub(in crate::transfer) fn new(id: ObjectId) -> Result<Self, TransferError> {
        let mut locked = LOCKED.lock().unwrap_or_else(PoisonError::into_inner);
        if locked.contains(&id) {
            let what = "This import is in progress; wait for it to finish.".to_owned();
            return Err(TransferError::Unfinished { what });
        }
        locked.push(id);
        Ok(Self(id))
    }

    pub(in crate::transfer) fn is_held(id: ObjectId) -> bool {
        LOCKED.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }
}

impl Drop for ImportLock {
    fn drop(&mut self) {
        LOCKED.lock().unwrap_or_else(PoisonError::into_inner).retain(|id| *id != self.0);
    }
}
