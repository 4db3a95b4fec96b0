//! A file that reserves disk space for deletions on a full disk.
//!
//! LMDB never changes a page in place, so even a deletion needs new pages first. When the disk is full,
//! removing this file makes space for them.

use std::fs;
use std::io;
use std::path::{Path as FsPath, PathBuf};

use super::folder::{allocate, free_bytes, private_file, sync_folder};
use crate::limits::{BALLAST_BYTES_MIN, BALLAST_PART};

pub(super) const BALLAST_FILE: &str = "ballast";

pub(in crate::store) struct Ballast {
    folder: PathBuf,
    bytes_max: u64,
}

impl Ballast {
    pub(in crate::store) fn new(folder: &FsPath, bytes_max: u64) -> Self {
        Self { folder: folder.to_owned(), bytes_max }
    }

    /// Bytes that it reserves; 0 when it does not exist.
    pub(in crate::store) fn bytes(&self) -> u64 {
        fs::symlink_metadata(self.path()).map_or(0, |found| found.len())
    }

    /// Writes it if it is missing and the disk has enough free space. A store without ballast works too.
    pub(in crate::store) fn keep(&self) {
        let free = free_bytes(&self.folder).unwrap_or(0);
        let wanted = wanted_bytes(free, self.bytes_max);
        // A partial file would look like a ballast to the next call, and free less than deletions
        // need.
        if self.bytes() == 0 && wanted > 0 && self.write(wanted).is_err() {
            self.release();
        }
    }

    fn write(&self, bytes: u64) -> io::Result<()> {
        let file = private_file().open(self.path())?;
        allocate(&file, bytes)
    }

    /// Frees its space. False when there was none.
    pub(in crate::store) fn release(&self) -> bool {
        let is_removed = fs::remove_file(self.path()).is_ok();
        // Some file systems free the space only once the removal itself is on disk.
        is_removed && sync_folder(&self.folder).is_ok()
    }

    fn path(&self) -> PathBuf {
        self.folder.join(BALLAST_FILE)
    }
}

/// The bytes to reserve of this much free space; 0 when it is too little.
fn wanted_bytes(free: u64, bytes_max: u64) -> u64 {
    let bytes = bytes_max.min(free / BALLAST_PART);
    if bytes < BALLAST_BYTES_MIN { 0 } else { bytes }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::BALLAST_BYTES;

    #[test]
    fn reserves_a_small_part_of_the_free_space() {
        let wanted = |free| wanted_bytes(free, BALLAST_BYTES);
        assert_eq!(wanted(0), 0);
        assert_eq!(wanted((4 << 20) - 64), 0);
        assert_eq!(wanted(64 << 20), 1 << 20);
        assert_eq!(wanted(1 << 30), 16 << 20);
        assert_eq!(wanted(1 << 40), 16 << 20);
        assert_eq!(wanted_bytes(1 << 40, 1 << 20), 1 << 20);
    }

    #[test]
    fn reserves_space_and_frees_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let ballast = Ballast::new(folder.path(), BALLAST_BYTES);
        assert!(!ballast.release());
        ballast.keep();
        assert_eq!(
            ballast.bytes(),
            wanted_bytes(free_bytes(folder.path()).expect("known"), BALLAST_BYTES)
        );
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
