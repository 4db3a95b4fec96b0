//! One thing at a time is done with an import.

use std::sync::{Mutex, PoisonError};

use bson::oid::ObjectId;

use super::TransferError;

/// The imports that some thread of this process works on. Ids differ between stores too.
static CLAIMED: Mutex<Vec<ObjectId>> = Mutex::new(Vec::new());

/// The right to work on an import, until it is dropped.
pub(super) struct Claim(ObjectId);

impl Claim {
    /// Takes the right.
    ///
    /// # Errors
    /// When another thread has it.
    pub(super) fn new(id: ObjectId) -> Result<Self, TransferError> {
        let mut claimed = CLAIMED.lock().unwrap_or_else(PoisonError::into_inner);
        if claimed.contains(&id) {
            let what = "This import is in progress; wait for it to finish.".to_owned();
            return Err(TransferError::Unfinished { what });
        }
        claimed.push(id);
        Ok(Self(id))
    }

    /// Whether some thread has the right.
    pub(super) fn is_taken(id: ObjectId) -> bool {
        CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).contains(&id)
    }
}

impl Drop for Claim {
    fn drop(&mut self) {
        CLAIMED.lock().unwrap_or_else(PoisonError::into_inner).retain(|id| *id != self.0);
    }
}
