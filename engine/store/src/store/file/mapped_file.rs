//! Whether `data.mdb` still names the file that LMDB has mapped.
//!
//! LMDB writes through an open descriptor. If the name was removed or leads to another file,
//! commits succeed, and no later opening finds them. A program that opens the file by a second name
//! makes another `app.lock`. If the file was cut, the next access to a page past its end kills the
//! process (`SIGBUS`).

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path as FsPath;
use std::sync::atomic::{AtomicU64, Ordering};

use super::app_lock::file_identity;
use super::folder::DATA_FILE;

/// A file that was cut and is long again has zeros in the place of pages.
const CUT: u64 = u64::MAX;

/// The file that an environment has mapped.
#[derive(Debug)]
pub(in crate::store) struct MappedFile {
    identity: (u64, u64),
    /// At the opening. A compaction that was interrupted leaves a second name until then.
    links: u64,
    /// The length after the last commit, and [`CUT`] forever once the file was shorter. LMDB never shortens it,
    /// and does not write every page up to its last page number.
    bytes: AtomicU64,
}

/// Why writes to the file are refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct Detachment {
    pub(in crate::store) why: &'static str,
    /// Pages are missing, so reads end too.
    pub(in crate::store) is_cut: bool,
}

impl MappedFile {
    /// The data file of this folder. `None` where the system has no file numbers, or doesn't tell them now.
    pub(in crate::store) fn in_folder(folder: &FsPath) -> Option<Self> {
        let found = fs::metadata(folder.join(DATA_FILE)).ok()?;
        let bytes = AtomicU64::new(found.len());
        Some(Self { identity: file_identity(&found), links: links(&found)?, bytes })
    }

    /// Takes the length after a commit.
    pub(in crate::store) fn committed(&self, bytes: u64) {
        // A maximum, so that no commit takes `CUT` away again.
        self.bytes.fetch_max(bytes, Ordering::Relaxed);
    }

    /// Why writes to the file would be lost.
    pub(in crate::store) fn detached(&self, folder: &FsPath) -> Option<Detachment> {
        let why = match fs::metadata(folder.join(DATA_FILE)) {
            // The identity is compared first: the length of another file says nothing about the
            // mapped one.
            Ok(found) if file_identity(&found) != self.identity => {
                "data.mdb was replaced by another file while the store was open; save a copy of the \
                 store before you close it"
            }
            Ok(found) if found.len() < self.bytes.load(Ordering::Relaxed) => {
                self.bytes.store(CUT, Ordering::Relaxed);
                let why = "data.mdb was cut to a shorter length while the store was open; close the store \
                           and restore a backup";
                return Some(Detachment { why, is_cut: true });
            }
            Ok(found) if links(&found)? > self.links => {
                "data.mdb got a second name (a hard link), by which another program could write to it; \
                 remove that name"
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                "data.mdb was removed or moved while the store was open; save a copy of the store \
                 before you close it"
            }
            // A failing look at the folder proves nothing.
            Ok(_) | Err(_) => return None,
        };
        Some(Detachment { why, is_cut: false })
    }
}

/// The number of names of a file, where the system counts them.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "other systems don't count them")]
pub(in crate::store) fn links(found: &Metadata) -> Option<u64> {
    Some(std::os::unix::fs::MetadataExt::nlink(found))
}

#[cfg(not(unix))]
pub(in crate::store) fn links(_: &Metadata) -> Option<u64> {
    None
}
