//! What can go wrong in the store: a kind, and a sentence for a person.

use thiserror::Error;

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
    #[error("The disk is full, so this change was not written. Free some room and try again.")]
    DiskFull,
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
