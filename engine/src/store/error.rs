//! What can go wrong in the store: a kind, and a sentence for a person.

use std::io::{self, ErrorKind};

use heed::MdbError;
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

impl StoreError {
    /// `Damaged`, with what is wrong.
    pub(super) fn damaged(what: impl Into<String>) -> Self {
        Self::Damaged { what: what.into() }
    }

    /// The kind of a failed call of the operating system; `tried` says what was tried, as a sentence's
    /// beginning ("Can't read data.mdb").
    pub(super) fn io(tried: &str, error: &io::Error) -> Self {
        match error.kind() {
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded => Self::DiskFull,
            ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
                Self::ReadOnly { what: format!("{} ({error})", lower_first(tried)) }
            }
            _ => Self::Io { what: format!("{tried}: {error}") },
        }
    }
}

/// The one place where LMDB's errors get their meaning.
impl From<heed::Error> for StoreError {
    fn from(error: heed::Error) -> Self {
        match error {
            heed::Error::Io(error) => Self::io("The store's file could not be used", &error),
            heed::Error::Mdb(error) => from_lmdb(error),
            heed::Error::EnvAlreadyOpened => Self::InUse { pid: Some(std::process::id()) },
            heed::Error::Encoding(error) | heed::Error::Decoding(error) => {
                Self::Bug { what: format!("a key or value could not be converted: {error}") }
            }
        }
    }
}

fn from_lmdb(error: MdbError) -> StoreError {
    match error {
        MdbError::MapFull => StoreError::Busy { what: "its memory map has to grow".to_owned() },
        MdbError::ReadersFull | MdbError::TlsFull => {
            StoreError::Busy { what: "too many reads are running".to_owned() }
        }
        MdbError::MapResized => {
            StoreError::Busy { what: "another program made its file larger".to_owned() }
        }
        MdbError::TxnFull => StoreError::Busy { what: "one change is too large".to_owned() },
        MdbError::PageNotFound
        | MdbError::Corrupted
        | MdbError::CursorFull
        | MdbError::PageFull
        | MdbError::Problem => {
            StoreError::damaged(format!("LMDB met a page that can't be right ({error})"))
        }
        MdbError::Incompatible | MdbError::NotFound => {
            StoreError::damaged(format!("a table is missing or of another kind ({error})"))
        }
        MdbError::Panic => StoreError::Io {
            what:
                "A write failed at its last step, so the store has stopped; close and open it again"
                    .to_owned(),
        },
        MdbError::Invalid => {
            StoreError::NotADatabase { what: "its header is not that of an LMDB file".to_owned() }
        }
        MdbError::VersionMismatch => {
            StoreError::VersionMismatch { found: 0, expected: super::walk::DATA_VERSION }
        }
        MdbError::KeyExist
        | MdbError::DbsFull
        | MdbError::BadRslot
        | MdbError::BadTxn
        | MdbError::BadValSize
        | MdbError::BadDbi
        | MdbError::Other(_) => StoreError::Bug { what: error.to_string() },
    }
}

fn lower_first(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(error: impl Into<heed::Error>, expected: &str) {
        let sentence = StoreError::from(error.into()).to_string();
        assert!(sentence.contains(expected), "{sentence}");
        assert!(sentence.ends_with('.') && !sentence.contains('{'), "{sentence}");
    }

    #[test]
    fn every_failure_of_lmdb_has_a_kind_and_a_sentence() {
        check(MdbError::MapFull, "busy");
        check(MdbError::ReadersFull, "busy");
        check(MdbError::MapResized, "busy");
        check(MdbError::Corrupted, "damaged");
        check(MdbError::PageNotFound, "damaged");
        check(MdbError::Panic, "close and open it again");
        check(MdbError::Invalid, "not a Mayfly store");
        check(MdbError::VersionMismatch, "format version");
        check(MdbError::BadTxn, "made a mistake");
        check(io::Error::from(ErrorKind::StorageFull), "disk is full");
        check(io::Error::from(ErrorKind::PermissionDenied), "can only be read");
        check(io::Error::from_raw_os_error(5), "could not be used");
        check(heed::Error::EnvAlreadyOpened, "open in another program");
    }
}
