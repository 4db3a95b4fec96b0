//! Removes unfinished files and folders. Their writer holds a lock on them, so an unlocked one was left by a
//! process that was killed.

use std::fs;
use std::path::Path as FsPath;

use super::app_lock::open_chosen;

/// The file in an unfinished folder that its writer locks.
pub(in crate::store) const WORKING_FILE: &str = "unfinished";

/// Removes unlocked unfinished files and folders in `parent` whose names begin with `prefix`. What can't be
/// removed is left.
pub(in crate::store) fn remove_stale(parent: &FsPath, prefix: &str) {
    let Ok(found) = fs::read_dir(parent) else { return };
    for entry in found.flatten() {
        if !entry.file_name().to_string_lossy().starts_with(prefix) {
            continue;
        }
        let path = entry.path();
        // The type of an entry doesn't follow symbolic links, so nothing outside the folder is
        // removed.
        match entry.file_type() {
            Ok(kind) if kind.is_file() && is_stale(&path) => drop(fs::remove_file(&path)),
            Ok(kind) if kind.is_dir() && is_stale(&path.join(WORKING_FILE)) => {
                drop(fs::remove_dir_all(&path));
            }
            _ => {}
        }
    }
}

fn is_stale(locked: &FsPath) -> bool {
    open_chosen(locked).is_ok_and(|file| file.try_lock().is_ok())
}
