//! One thing at a time is done with an import.

use std::sync::{Mutex, PoisonError};

use bson::oid::ObjectId;

use super::TransferError;

/// The imports that some thread of this process works on. Ids differ between stores too.
static LOCKED: Mutex<Vec<ObjectId>> = Mutex::new(Vec::new());

/// The right to work on an import, until it is dropped.
pub(super) struct ImportLock(ObjectId);

impl ImportLock {
    /// Takes the right.
    ///
    /// # Errors
    /// When another thread has it.
    pub(super) fn new(id: ObjectId) -> Result<Self, TransferError> {
        let mut locked = LOCKED.lock().unwrap_or_else(PoisonError::into_inner);
        if locked.contains(&id) {
            let what = "This import is in progress; wait for it to finish.".to_owned();
            return Err(TransferError::Unfinished { what });
        }
        locked.push(id);
        Ok(Self(id))
    }

    /// Whether some thread has the right.
    pub(super) fn is_held(id: ObjectId) -> bool {
        LOCKED.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }
}

impl Drop for ImportLock {
    fn drop(&mut self) {
        LOCKED.lock().unwrap_or_else(PoisonError::into_inner).retain(|id| *id != self.0);
    }
}
