//! The temporary folder of a sandbox.
//!
//! It is locked for as long as its program runs, so that the next start can tell the folders that a
//! killed program left from those in use.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// How the names of these folders begin.
const PREFIX: &str = "mayfly-sandbox-";

/// The file that is locked.
const LOCK: &str = "lock";

/// A new folder with its lock. Dropping both, the lock first, removes the folder.
///
/// # Errors
/// When the system refuses either.
pub(super) fn create() -> io::Result<(File, TempDir)> {
    create_in(&std::env::temp_dir())
}

/// The same in memory where the system has a place for that, for a store that ends with its
/// program and never grows large.
///
/// # Errors
/// As `create`.
pub fn create_in_memory() -> io::Result<(File, TempDir)> {
    let in_memory = memory().and_then(|place| create_in(&place).ok());
    in_memory.map_or_else(create, Ok)
}

fn memory() -> Option<PathBuf> {
    let place = PathBuf::from("/dev/shm");
    (cfg!(target_os = "linux") && place.is_dir()).then_some(place)
}

fn create_in(place: &Path) -> io::Result<(File, TempDir)> {
    let folder = tempfile::Builder::new().prefix(PREFIX).tempdir_in(place)?;
    // Locked before it has its name: a folder without the file is left alone.
    let unnamed = folder.path().join("lock.new");
    let lock = File::create_new(&unnamed)?;
    lock.lock()?;
    fs::rename(&unnamed, folder.path().join(LOCK))?;
    Ok((lock, folder))
}

/// Removes the folders of programs that were killed.
pub fn remove_left() {
    remove_left_in(&std::env::temp_dir());
    if let Some(place) = memory() {
        remove_left_in(&place);
    }
}

fn remove_left_in(place: &Path) {
    let Ok(entries) = fs::read_dir(place) else { return };
    for entry in entries.flatten() {
        let is_named = entry.file_name().to_string_lossy().starts_with(PREFIX);
        // The type of the entry itself: a link is not followed.
        if is_named && entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_unless_locked(&entry.path());
        }
    }
}

fn remove_unless_locked(folder: &Path) {
    let path: PathBuf = folder.join(LOCK);
    if !fs::symlink_metadata(&path).is_ok_and(|found| found.is_file()) {
        return;
    }
    // Another user's can't be opened.
    let Ok(lock) = OpenOptions::new().read(true).write(true).open(&path) else { return };
    if lock.try_lock().is_ok() {
        // A folder that can't be removed now is removed at the next start.
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_that_no_program_holds_are_removed() {
        let place = tempfile::tempdir().expect("a folder");
        let (_held, used) = create_in(place.path()).expect("a sandbox");
        // A killed program leaves the folder and no lock on its file.
        let (lock, left) = create_in(place.path()).expect("a sandbox");
        let left = left.keep();
        fs::write(left.join("data"), "left").expect("a file");
        drop(lock);
        let strange = place.path().join("mayfly-sandbox-of-mine");
        fs::create_dir(&strange).expect("a folder without a lock");
        let other = place.path().join("other");
        fs::create_dir(&other).expect("a folder of another name");
        fs::write(other.join(LOCK), "").expect("a file");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&other, place.path().join("mayfly-sandbox-link"))
            .expect("a link");
        remove_left_in(place.path());
        assert!(!left.exists());
        assert!(used.path().exists() && strange.exists() && other.join(LOCK).exists());
    }
}
