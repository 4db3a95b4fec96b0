//! Errors of the store: a kind, and a sentence for the user.

use std::io::{self, ErrorKind};

use thiserror::Error;

use crate::limits::DISK_ROOM_BYTES_WANTED;

/// Why the store could not do what was requested. The text of each kind is a sentence for the user.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    /// A resource is in use; the same call may succeed a moment later.
    #[error("The store is busy: {what}. Try again in a moment.")]
    Busy {
        /// The reason, as a clause.
        what: String,
    },
    /// The disk is full. Nothing of the transaction was written.
    #[error(
        "The disk is full, so this change was not written. Free at least {} on the data folder's disk, \
         or delete documents or collections (deletes still work).",
        in_units(*.wanted_bytes)
    )]
    DiskFull {
        /// Bytes that must be free before anything is inserted or updated.
        wanted_bytes: u64,
    },
    /// One change is too large for one transaction, even after the map has grown `MAP_GROWTHS_MAX` times.
    #[error(
        "The change is too large for one transaction and was not written. Split it into smaller parts."
    )]
    TooLarge,
    /// A write failed at a point after which the state on disk is unknown.
    #[error("The change may not have been written: {what}. Check the data before you retry.")]
    OutcomeUnknown {
        /// The failure.
        what: String,
    },
    /// After such a failure: writes are disabled until the file is known to be sound.
    #[error("Writes are disabled: {what}.")]
    Suspect {
        /// The failure, then what to do.
        what: String,
    },
    /// The folder, the file or the disk can't be written.
    #[error("The store is read-only: {what}.")]
    ReadOnly {
        /// The folder, file or disk, and the reason.
        what: String,
    },
    /// The folder is on a file system on which LMDB's locks and memory map are unreliable.
    #[error(
        "The folder is on a network or FUSE drive ({drive}), which can damage a store. Move it to a \
         local disk."
    )]
    NetworkDrive {
        /// The name of the file system.
        drive: String,
    },
    /// The bytes on disk differ from what was written.
    #[error("The store is damaged: {what}.")]
    Damaged {
        /// The damage and its place.
        what: String,
    },
    /// A read found a corrupt page, and LMDB refuses all further reads of the same transaction. Not `Damaged`,
    /// after which a scan skips one row and continues: it would never end.
    #[error(
        "The store is damaged: {what}. Some data can't be read. Restore a backup, or export the rest."
    )]
    ReadAborted {
        /// The damage to the page.
        what: String,
    },
    /// Another process, or another part of this one, has the store open.
    #[error("{}", in_use(*.pid))]
    InUse {
        /// The id of that process, if known.
        pid: Option<u32>,
    },
    /// The data file is a symbolic link to one that another process, or another part of this one, has open.
    #[error(
        "data.mdb in this folder is a link to {target}, which {} has open. Close that program first, or \
         put a copy of the file in the place of the link.",
        holder(*.pid)
    )]
    LinkInUse {
        /// Where the link leads.
        target: String,
        /// The id of that process, if known.
        pid: Option<u32>,
    },
    /// The data file has a second name, by which another program could open it next to our lock.
    #[error(
        "data.mdb has {names} names (hard links), so another program could write to it at the same time. \
         Give this folder its own copy: copy data.mdb to a new file, then rename that over data.mdb."
    )]
    SharedFile {
        /// How many.
        names: u64,
    },
    /// The file is not a store.
    #[error("This is not a Mayfly store: {what}.")]
    NotADatabase {
        /// The contents of the file.
        what: String,
    },
    /// The check of an untrusted file ended without a result, so the file was not opened.
    #[error(
        "The file wasn't opened because its check {what}. It may be damaged or malicious; use a backup \
         or another copy."
    )]
    Unchecked {
        /// How the check ended, as the end of a sentence.
        what: String,
    },
    /// The file has another format version.
    #[error(
        "Unsupported store format {found}; this version of Mayfly reads format {expected}. Use the \
         version that created it."
    )]
    VersionMismatch {
        /// The version in the file.
        found: u32,
        /// The version that this program reads and writes.
        expected: u32,
    },
    /// The operating system refused or failed.
    #[error("{what}.")]
    Io {
        /// The operation, and the system's reason.
        what: String,
    },
    /// The work was canceled. Nothing was changed.
    #[error("Stopped. Nothing was changed.")]
    Stopped,
    /// A bug of this program.
    #[error("Internal error in the store: {what}. Please report this.")]
    Bug {
        /// The broken invariant.
        what: String,
    },
}

fn in_use(pid: Option<u32>) -> String {
    format!("The store is in use by {}. Close that program first.", holder(pid))
}

fn holder(pid: Option<u32>) -> String {
    let number = pid.map(|pid| format!(" (process {pid})"));
    format!("another program{}", number.unwrap_or_default())
}

/// "16 MiB", or KiB for less than one.
fn in_units(bytes: u64) -> String {
    if bytes < 1 << 20 {
        format!("{} KiB", bytes.div_ceil(1 << 10))
    } else {
        format!("{} MiB", bytes.div_ceil(1 << 20))
    }
}

impl StoreError {
    /// `Damaged`, with what is wrong.
    pub fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged { what: what.into() }
    }

    /// `None` for a damaged value, for callers that can do without it.
    ///
    /// # Errors
    /// Every other failure.
    pub fn unless_damaged<T>(found: Result<T, Self>) -> Result<Option<T>, Self> {
        match found {
            Err(Self::Damaged { .. }) => Ok(None),
            found => found.map(Some),
        }
    }

    /// The error of a failed system call; `tried` starts the sentence, as in "Can't read data.mdb".
    pub(super) fn io(tried: &str, error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
                Self::DiskFull { wanted_bytes: DISK_ROOM_BYTES_WANTED }
            }
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { what: format!("{} ({error})", lower_first(tried)) }
            }
            _ => Self::Io { what: format!("{tried}: {error}") },
        }
    }
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}
