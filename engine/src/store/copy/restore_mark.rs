//! Marks a store whose documents come from a backup, or whose data file was put in place by hand: what expired meanwhile must not vanish before
//! somebody has seen it.

use std::sync::PoisonError;

use crate::store::{Store, StoreError, Writer};

/// The value of the table `meta` that tells when the store was restored.
pub const RESTORED_META_NAME: &str = "restoredAtMs";

impl Store {
    /// Notes that the store was restored from a backup. The reaper then asks before it removes
    /// anything, until somebody lets it.
    ///
    /// # Errors
    /// When the store can't be written.
    pub fn mark_restored(&self, now_ms: i64) -> Result<(), StoreError> {
        self.write(|writer| writer.mark_restored(now_ms))?;
        self.clear_unwritten_mark();
        Ok(())
    }

    /// The store says now whether it was restored, or that somebody has let the reaper go on.
    pub fn clear_unwritten_mark(&self) {
        *self.unwritten_restore_ms.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(in crate::store) fn unwritten_restore_ms(&self) -> Option<i64> {
        *self.unwritten_restore_ms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// When the store was restored from a backup, in milliseconds since 1970, if nobody has let the
    /// reaper go on since.
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
