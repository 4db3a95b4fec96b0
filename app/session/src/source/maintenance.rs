//! Care for a whole store: backups while it is in use, and the work for which it must be closed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mayfly_engine::clock::Clock;
use mayfly_engine::engine::maintenance::{self, CheckReport, CompactReport, RestoreReport};
use mayfly_engine::store::{StoreError, WalkProgram, Watch};

use crate::job::{Backup, OpenError};

/// A maintenance job on a closed data folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfflineWork {
    /// Replaces the store with a backup. The store is kept next to it.
    Restore {
        /// The file.
        backup: PathBuf,
    },
    /// Rewrites the data file without its free pages.
    Compact,
    /// Reads everything and reports damage.
    Verify,
}

/// The result of such work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum OfflineDone {
    /// A backup is in place.
    Restored(RestoreReport),
    /// The data file was rewritten.
    Compacted(CompactReport),
    /// Everything was read.
    Verified(CheckReport),
}

/// Why nothing was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MaintenanceError {
    /// The user canceled it.
    Stopped,
    /// One sentence.
    Failed(String),
}

impl From<String> for MaintenanceError {
    fn from(sentence: String) -> Self {
        Self::Failed(sentence)
    }
}

impl From<OpenError> for MaintenanceError {
    fn from(error: OpenError) -> Self {
        if error.is_stopped { Self::Stopped } else { Self::Failed(error.message) }
    }
}

impl From<StoreError> for MaintenanceError {
    fn from(error: StoreError) -> Self {
        OpenError::from(error).into()
    }
}

/// How work on a closed store ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offline {
    /// The result. After an error everything is as it was before.
    pub done: Result<OfflineDone, MaintenanceError>,
    /// Whether the store is open again, with warnings for the user. `None` if it was not open
    /// before and is not now.
    pub reopened: Option<Result<Vec<String>, OpenError>>,
}

/// A store that can be cared for as a whole. Each call takes as long as the store is large; the
/// watcher gets the progress and can cancel.
pub trait Maintenance: Send + Sync {
    /// Writes a backup while the store is in use.
    ///
    /// # Errors
    /// The backups before it are then as they were.
    fn backup(&self, file: &Path, watch: &mut Watch<'_>) -> Result<Backup, MaintenanceError>;

    /// Closes the store, does the work, and reopens the store, also when the work failed. Requests
    /// wait until it is open again.
    fn offline(&self, work: &OfflineWork, watch: &mut Watch<'_>) -> Offline;
}

/// Does the work on a closed data folder; `walker` walks files that the user picked.
///
/// # Errors
/// Everything is then as it was before.
pub fn perform(
    work: &OfflineWork,
    folder: &Path,
    clock: &Arc<dyn Clock>,
    walker: Option<&WalkProgram>,
    watch: &mut Watch<'_>,
) -> Result<OfflineDone, MaintenanceError> {
    Ok(match work {
        OfflineWork::Restore { backup } => {
            OfflineDone::Restored(maintenance::restore(backup, folder, true, clock, walker, watch)?)
        }
        OfflineWork::Compact => {
            OfflineDone::Compacted(maintenance::compact(folder, clock, walker, watch)?)
        }
        OfflineWork::Verify => {
            OfflineDone::Verified(maintenance::check(folder, clock, walker, watch)?)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stop_is_told_from_a_failure() {
        assert_eq!(MaintenanceError::from(StoreError::Stopped), MaintenanceError::Stopped);
        let stopped = OpenError::from(StoreError::Stopped);
        assert_eq!(MaintenanceError::from(stopped), MaintenanceError::Stopped);
        let same_words = OpenError::new(StoreError::Stopped.to_string());
        assert!(matches!(MaintenanceError::from(same_words), MaintenanceError::Failed(_)));
        let failed = OpenError::new("It broke.".to_owned());
        assert_eq!(
            MaintenanceError::from(failed),
            MaintenanceError::Failed("It broke.".to_owned())
        );
    }
}
