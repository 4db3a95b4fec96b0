//! What can go wrong in the store: a kind, and a sentence for a person.

use std::io::{self, ErrorKind};

use thiserror::Error;

use crate::limits::DISK_ROOM_BYTES_WANTED;

/// Why the store could not do what was asked. Each kind's text is a sentence fit for a person.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StoreError {
    /// Something else holds what is needed; the same call may succeed a moment later.
    #[error("The store is busy: {what}. Try again in a moment.")]
    Busy {
        /// What is held.
        what: String,
    },
    /// No room on the disk. Nothing of the transaction was written.
    #[error(
        "The disk is full, so this change was not written. Make at least {} free on the disk of the \
         data folder: remove other files there, or delete documents or collections, which still \
         works.",
        in_units(*.wanted_bytes)
    )]
    DiskFull {
        /// Bytes that must be free before anything is inserted or updated.
        wanted_bytes: u64,
    },
    /// One change needs more room than a transaction can have, however often it is tried.
    #[error(
        "This change is too large for one transaction, so nothing of it was written. Make it in \
         smaller parts."
    )]
    TooLarge,
    /// A write failed at a point from which nobody can tell what is on disk.
    #[error(
        "Whether this change was written is not known: {what}. Look whether it is there before you \
         repeat it."
    )]
    OutcomeUnknown {
        /// What failed.
        what: String,
    },
    /// After such a failure: nothing is written until the file is known to be sound.
    #[error("The store takes no changes: {what}.")]
    Suspect {
        /// What failed, and what helps.
        what: String,
    },
    /// The folder, the file or the disk can't be written.
    #[error("The store can only be read: {what}.")]
    ReadOnly {
        /// What can't be written.
        what: String,
    },
    /// The folder is on a file system on which LMDB's locks and memory map do not work.
    #[error(
        "The folder is on a network or user-space drive ({drive}), where a store can be damaged. \
         Move it to a local disk."
    )]
    NetworkDrive {
        /// The name of the file system.
        drive: String,
    },
    /// The bytes on disk are not what was written.
    #[error("The store is damaged: {what}.")]
    Damaged {
        /// What is wrong, and where.
        what: String,
    },
    /// A read met a page that can't be right, and LMDB gives nothing more to the same transaction. Not
    /// `Damaged`, which is about one thing, and whoever reads on behind that would never come to an end.
    #[error(
        "The store is damaged: {what}. What lies behind it can't be read; restore a backup, or export \
         what is left."
    )]
    ReadAborted {
        /// What is wrong with the page.
        what: String,
    },
    /// Another process, or another part of this one, has the store open.
    #[error("{}", in_use(*.pid))]
    InUse {
        /// The process that has it open, if it said so.
        pid: Option<u32>,
    },
    /// The file is something else.
    #[error("This is not a Mayfly store: {what}.")]
    NotADatabase {
        /// What the file looks like.
        what: String,
    },
    /// The check of a file that a person picked had no result, so nothing of it was opened.
    #[error(
        "The check of this file {what}, so the file is not opened. It may be damaged, or made to do \
         harm: use a backup, or another copy of it."
    )]
    Unchecked {
        /// How the check ended: the rest of a sentence.
        what: String,
    },
    /// The file was written by a program with another file format.
    #[error(
        "The store has format version {found}, and this program reads version {expected}. \
         Open it with the program version that wrote it."
    )]
    VersionMismatch {
        /// The version in the file.
        found: u32,
        /// The version this program reads and writes.
        expected: u32,
    },
    /// The operating system refused or failed.
    #[error("{what}.")]
    Io {
        /// What was tried, and the system's reason.
        what: String,
    },
    /// Somebody stopped the work. Everything is as it was before.
    #[error("Stopped. Nothing was changed.")]
    Stopped,
    /// The program asked for something that the store does not do: our mistake.
    #[error("The program made a mistake in its store: {what}. Please report this.")]
    Bug {
        /// What was asked.
        what: String,
    },
}

fn in_use(pid: Option<u32>) -> String {
    match pid {
        Some(pid) => {
            format!("The store is open in another program (process {pid}). Close it first.")
        }
        None => "The store is open in another program. Close it first.".to_owned(),
    }
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
    pub(crate) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged { what: what.into() }
    }

    /// `None` for what is damaged, where the caller knows what to do without it.
    ///
    /// # Errors
    /// Every other failure.
    pub(crate) fn unless_damaged<T>(found: Result<T, Self>) -> Result<Option<T>, Self> {
        match found {
            Err(Self::Damaged { .. }) => Ok(None),
            found => found.map(Some),
        }
    }

    /// The kind of a failed call of the operating system; `tried` says what was tried, as a sentence's
    /// beginning ("Can't read data.mdb").
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
