//! A file that takes room while there is some, and gives it back when there is none.
//!
//! LMDB never changes a page in place, so on a full disk even a deletion needs new pages first. This
//! file keeps some for it.

use std::fs;
use std::io;
use std::path::{Path as FsPath, PathBuf};

use super::folder::{free_bytes, private_file, sync_folder, take_room};
use crate::limits::{BALLAST_BYTES, BALLAST_BYTES_MIN, BALLAST_PART};

pub(super) const BALLAST_FILE: &str = "ballast";

pub(in crate::store) struct Ballast {
    folder: PathBuf,
}

impl Ballast {
    pub(in crate::store) fn new(folder: &FsPath) -> Self {
        Self { folder: folder.to_owned() }
    }

    /// Bytes that it keeps; 0 when there is none.
    pub(in crate::store) fn bytes(&self) -> u64 {
        fs::symlink_metadata(self.path()).map_or(0, |found| found.len())
    }

    /// Writes it if it is missing and there is room to spare. Not to have one is no error.
    pub(in crate::store) fn keep(&self) {
        let free = free_bytes(&self.folder).unwrap_or(0);
        let wanted = wanted_bytes(free);
        if self.bytes() == 0 && wanted > 0 && self.write(wanted).is_err() {
            self.release();
        }
    }

    fn write(&self, bytes: u64) -> io::Result<()> {
        let file = private_file().open(self.path())?;
        take_room(&file, bytes)
    }

    /// Gives its room back. False when there was none.
    pub(in crate::store) fn release(&self) -> bool {
        let is_removed = fs::remove_file(self.path()).is_ok();
        // Some file systems give the room only once the removal itself is on disk.
        is_removed && sync_folder(&self.folder).is_ok()
    }

    fn path(&self) -> PathBuf {
        self.folder.join(BALLAST_FILE)
    }
}

/// What to keep of so many free bytes.
fn wanted_bytes(free: u64) -> u64 {
    let bytes = BALLAST_BYTES.min(free / BALLAST_PART);
    if bytes < BALLAST_BYTES_MIN { 0 } else { bytes }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_a_small_part_of_what_is_free() {
        assert_eq!(wanted_bytes(0), 0);
        assert_eq!(wanted_bytes((4 << 20) - 64), 0);
        assert_eq!(wanted_bytes(64 << 20), 1 << 20);
        assert_eq!(wanted_bytes(1 << 30), 16 << 20);
        assert_eq!(wanted_bytes(1 << 40), 16 << 20);
    }

    #[test]
    fn takes_room_and_gives_it_back() {
        let folder = tempfile::tempdir().expect("a folder");
        let ballast = Ballast::new(folder.path());
        assert!(!ballast.release());
        ballast.keep();
        assert_eq!(ballast.bytes(), wanted_bytes(free_bytes(folder.path()).expect("known")));
        #[cfg(unix)]
        {
            use std::os::unix::fs::{MetadataExt, PermissionsExt};
            let found = fs::metadata(ballast.path()).expect("a file");
            assert!(found.blocks() * 512 >= ballast.bytes(), "it really takes room");
            assert_eq!(found.permissions().mode() & 0o777, 0o600);
        }
        assert!(ballast.release());
        assert_eq!(ballast.bytes(), 0);
    }
}
