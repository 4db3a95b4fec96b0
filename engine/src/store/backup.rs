//! A backup that appears whole or not at all.
//!
//! LMDB's own copy to a path empties the target first, deletes it on an error and never flushes; so the
//! copy goes to a private temporary file beside the target, is flushed and walked, and then renamed.

use std::fs::{self, File};
use std::path::Path as FsPath;

use super::app_lock::file_identity;
use super::folder::{DATA_FILE, sync_folder};
use super::{StoreError, walk};

/// Where a backup stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackupStage {
    /// Copying; about this many bytes will be written.
    Copying {
        /// Bytes in use in the store.
        bytes: u64,
    },
    /// The copy is on disk and its structure is being checked.
    Checking {
        /// Bytes of the copy.
        bytes: u64,
    },
    /// The copy stands under its name.
    Done {
        /// Bytes of the copy.
        bytes: u64,
    },
}

/// Writes the backup; `copy` fills the file it is given.
pub(super) fn write(
    data_folder: &FsPath,
    target: &FsPath,
    used_bytes: u64,
    copy: impl FnOnce(&mut File) -> Result<(), StoreError>,
    progress: &mut dyn FnMut(BackupStage),
) -> Result<(), StoreError> {
    let parent = target.parent().filter(|parent| !parent.as_os_str().is_empty());
    let parent = parent.unwrap_or(FsPath::new("."));
    check_target(data_folder, parent, target)?;
    progress(BackupStage::Copying { bytes: used_bytes });
    let mut file = tempfile::Builder::new()
        .prefix(".mayfly-backup-")
        .tempfile_in(parent)
        .map_err(|error| failed(&error))?;
    copy(file.as_file_mut())?;
    file.as_file().sync_all().map_err(|error| failed(&error))?;
    let bytes = file.as_file().metadata().map_err(|error| failed(&error))?.len();
    progress(BackupStage::Checking { bytes });
    if let Some(finding) = walk::walk(file.as_file())?.findings.first() {
        return Err(StoreError::damaged(format!("the backup was not kept, because {finding}")));
    }
    file.persist(target).map_err(|error| failed(&error.error))?;
    sync_folder(parent)?;
    progress(BackupStage::Done { bytes });
    Ok(())
}

/// The meaning of a failed copy: an input/output error there says nothing about the store itself.
pub(super) fn copy_failed(error: StoreError) -> StoreError {
    match error {
        StoreError::Io { what } => {
            StoreError::Io { what: format!("Can't write the backup: {what}") }
        }
        other => other,
    }
}

fn check_target(data_folder: &FsPath, parent: &FsPath, target: &FsPath) -> Result<(), StoreError> {
    let refused = |why: &str| StoreError::Io { what: format!("Can't write the backup: {why}") };
    let parent = fs::canonicalize(parent).map_err(|error| failed(&error))?;
    if parent.starts_with(data_folder) {
        return Err(refused("the target lies in the data folder; choose another folder"));
    }
    match fs::symlink_metadata(target) {
        Ok(found) if !found.is_file() => {
            return Err(refused("the target exists and is not a regular file"));
        }
        Ok(found) => {
            let data_file = fs::metadata(data_folder.join(DATA_FILE));
            if data_file.is_ok_and(|data| file_identity(&data) == file_identity(&found)) {
                return Err(refused("the target is the store's own file"));
            }
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(&error)),
    }
    Ok(())
}

fn failed(error: &std::io::Error) -> StoreError {
    StoreError::io("Can't write the backup", error)
}
