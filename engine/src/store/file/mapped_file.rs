//! Whether `data.mdb` still names the file that LMDB has mapped.
//!
//! LMDB writes through an open descriptor. If the name was removed or leads to another file, commits
//! succeed, and no later opening finds them. A second name lets another program open the same file without
//! our lock.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::Path as FsPath;

use super::app_lock::file_identity;
use super::folder::DATA_FILE;

/// The file that an environment has mapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) struct MappedFile {
    identity: (u64, u64),
    /// At the opening. A compaction that was interrupted leaves a second name until then.
    links: u64,
}

impl MappedFile {
    /// The data file of this folder. `None` where the system has no file numbers, or doesn't tell them now.
    pub(in crate::store) fn in_folder(folder: &FsPath) -> Option<Self> {
        let found = fs::metadata(folder.join(DATA_FILE)).ok()?;
        Some(Self { identity: file_identity(&found), links: links(&found)? })
    }

    /// Why writes to the file would be lost, as a clause. A failing look at the folder proves nothing.
    pub(in crate::store) fn detached(&self, folder: &FsPath) -> Option<&'static str> {
        match fs::metadata(folder.join(DATA_FILE)) {
            Ok(found) if file_identity(&found) != self.identity => Some(
                "data.mdb was replaced by another file while the store was open; save a copy of the \
                 store before you close it",
            ),
            Ok(found) if links(&found)? > self.links => Some(
                "data.mdb got a second name (a hard link), by which another program could write to it; \
                 remove that name",
            ),
            Err(error) if error.kind() == ErrorKind::NotFound => Some(
                "data.mdb was removed or moved while the store was open; save a copy of the store \
                 before you close it",
            ),
            Ok(_) | Err(_) => None,
        }
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
