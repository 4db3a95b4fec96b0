//! Marks a store that was restored from a backup, or whose data file was replaced by hand. Documents that
//! expired since the backup must not be removed before the user has agreed.

use std::sync::PoisonError;

use crate::store::{Store, StoreError, Writer};

/// The row of the table `meta` with the time of the restore.
pub const RESTORED_META_NAME: &str = "restoredAtMs";

impl Store {
    /// Records that the store was restored from a backup. The reaper then holds all removals until they are
    /// released.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn mark_restored(&self, now_ms: i64) -> Result<(), StoreError> {
        self.write(|writer| writer.mark_restored(now_ms))?;
        self.clear_unwritten_mark();
        Ok(())
    }

    /// Forgets a mark that could not be written, once the store holds it or removals were released.
    pub fn clear_unwritten_mark(&self) {
        *self.unwritten_restore_ms.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(in crate::store) fn unwritten_restore_ms(&self) -> Option<i64> {
        *self.unwritten_restore_ms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the store was restored, in milliseconds since 1970; `None` once removals were released.
    ///
    /// # Errors
    /// When the value can't be read.
    pub fn restored_ms(&self) -> Result<Option<i64>, StoreError> {
        self.read(|reader| {
            let Some(bytes) = reader.meta(RESTORED_META_NAME)? else {
                return Ok(self.unwritten_restore_ms());
            };
            let bytes = bytes
                .try_into()
                .map_err(|_| StoreError::damaged("the time of the restore has a wrong length"))?;
            Ok(Some(i64::from_be_bytes(bytes)))
        })
    }
}

impl Writer<'_> {
    pub(in crate::store) fn mark_restored(&mut self, now_ms: i64) -> Result<(), StoreError> {
        self.put_meta(RESTORED_META_NAME, &now_ms.to_be_bytes())
    }
}
