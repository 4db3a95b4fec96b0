//! LMDB's errors by what they call for, and the sentence for each.

use std::io::{self, ErrorKind};

use heed::MdbError;

use crate::limits::DISK_FREE_BYTES_LOW;
use crate::store::StoreError;

/// `EIO`. LMDB returns it for a short write too.
const INPUT_OUTPUT_ERROR: i32 = 5;

/// The reaction that an LMDB error needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum ErrorClass {
    /// The file is sound: change the map, then run the whole transaction again.
    Retry(Remedy),
    /// A resource is exhausted for the moment; the caller may try again later.
    Busy,
    /// No space on the disk: deletions stay possible, everything else waits for space.
    DiskFull,
    ReadOnly,
    /// The system may have dropped pages that LMDB believes written. Neither the last commit nor a later
    /// one can be trusted: stop writing and check the file.
    Suspect,
    /// The file differs from what was written, or is not a store at all.
    Damaged,
    /// A bug of this program; the transaction is lost and the file is sound.
    Bug,
}

/// The change of the map that lets a retried transaction succeed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Remedy {
    Grow,
    /// Take over the size that another process has set.
    Adopt,
}

impl ErrorClass {
    /// `free_bytes` is the free space on the disk, where the system reports it: LMDB reports a short write
    /// on a full disk as an input/output error.
    pub(in crate::store) fn of(error: &heed::Error, free_bytes: Option<u64>) -> Self {
        match error {
            heed::Error::Io(error) => of_io(error, free_bytes),
            heed::Error::Mdb(error) => of_lmdb(*error),
            heed::Error::EnvAlreadyOpened => Self::Busy,
            heed::Error::Encoding(_) | heed::Error::Decoding(_) => Self::Bug,
        }
    }
}

fn of_io(error: &io::Error, free_bytes: Option<u64>) -> ErrorClass {
    let is_nearly_full = free_bytes.is_some_and(|bytes| bytes < DISK_FREE_BYTES_LOW);
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            ErrorClass::DiskFull
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => ErrorClass::ReadOnly,
        ErrorKind::OutOfMemory | ErrorKind::WouldBlock | ErrorKind::Interrupted => ErrorClass::Busy,
        // LMDB's answer to a wrong argument, before it has touched the file.
        ErrorKind::InvalidInput => ErrorClass::Bug,
        _ if error.raw_os_error() == Some(INPUT_OUTPUT_ERROR) && is_nearly_full => {
            ErrorClass::DiskFull
        }
        // An unknown error may have come after LMDB wrote a page, so it counts as the worst case.
        _ => ErrorClass::Suspect,
    }
}

fn of_lmdb(error: MdbError) -> ErrorClass {
    match error {
        MdbError::MapFull => ErrorClass::Retry(Remedy::Grow),
        MdbError::MapResized => ErrorClass::Retry(Remedy::Adopt),
        MdbError::ReadersFull | MdbError::TlsFull => ErrorClass::Busy,
        // LMDB sets this flag after a failed write of a header, and then refuses everything until
        // it is opened again.
        MdbError::Panic => ErrorClass::Suspect,
        MdbError::PageNotFound
        | MdbError::Corrupted
        | MdbError::CursorFull
        | MdbError::PageFull
        | MdbError::Problem
        | MdbError::Incompatible
        | MdbError::NotFound
        | MdbError::Invalid
        | MdbError::VersionMismatch => ErrorClass::Damaged,
        // LMDB spills dirty pages before there are too many, so no number of rows leads to `TxnFull`.
        MdbError::TxnFull
        | MdbError::KeyExist
        | MdbError::DbsFull
        | MdbError::BadRslot
        | MdbError::BadTxn
        | MdbError::BadValSize
        | MdbError::BadDbi
        | MdbError::Other(_) => ErrorClass::Bug,
    }
}

/// The sentence for an LMDB error.
impl From<&heed::Error> for StoreError {
    fn from(error: &heed::Error) -> Self {
        match error {
            heed::Error::Io(error) => Self::io("Can't access the store's file", error),
            heed::Error::Mdb(error) => sentence(*error),
            heed::Error::EnvAlreadyOpened => Self::InUse { pid: Some(std::process::id()) },
            heed::Error::Encoding(error) | heed::Error::Decoding(error) => {
                Self::Bug { what: format!("a key or value could not be converted: {error}") }
            }
        }
    }
}

impl From<heed::Error> for StoreError {
    fn from(error: heed::Error) -> Self {
        Self::from(&error)
    }
}

fn sentence(error: MdbError) -> StoreError {
    let busy = |what: &str| StoreError::Busy { what: what.to_owned() };
    match error {
        MdbError::MapFull => busy("its memory map has to grow"),
        MdbError::MapResized => busy("another program enlarged its file"),
        MdbError::TxnFull => StoreError::TooLarge,
        MdbError::Invalid => {
            StoreError::NotADatabase { what: "its header is not that of an LMDB file".to_owned() }
        }
        MdbError::VersionMismatch => {
            // LMDB does not report the version that it found.
            StoreError::VersionMismatch { found: 0, expected: crate::store::walk::DATA_VERSION }
        }
        MdbError::Incompatible | MdbError::NotFound => {
            StoreError::damaged(format!("a table is missing or has the wrong type ({error})"))
        }
        _ => match of_lmdb(error) {
            ErrorClass::Busy | ErrorClass::Retry(_) => busy("too many reads are running"),
            ErrorClass::Damaged => {
                StoreError::damaged(format!("LMDB found a corrupt page ({error})"))
            }
            ErrorClass::Suspect => {
                StoreError::OutcomeUnknown { what: "the last step of the write failed".to_owned() }
            }
            ErrorClass::DiskFull | ErrorClass::ReadOnly | ErrorClass::Bug => {
                StoreError::Bug { what: error.to_string() }
            }
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ROOM: Option<u64> = Some(DISK_FREE_BYTES_LOW);
    const NO_ROOM: Option<u64> = Some(DISK_FREE_BYTES_LOW - 1);

    #[track_caller]
    fn check(error: impl Into<heed::Error>, class: ErrorClass, words: &str) {
        let error = error.into();
        assert_eq!(ErrorClass::of(&error, ROOM), class);
        let sentence = StoreError::from(error).to_string();
        assert!(sentence.contains(words), "{sentence}");
        assert!(sentence.ends_with('.') && !sentence.contains('{'), "{sentence}");
    }

    fn system(number: i32) -> io::Error {
        io::Error::from_raw_os_error(number)
    }

    #[test]
    fn every_lmdb_error_has_a_class_and_a_sentence() {
        check(MdbError::MapFull, ErrorClass::Retry(Remedy::Grow), "busy");
        check(MdbError::MapResized, ErrorClass::Retry(Remedy::Adopt), "busy");
        check(MdbError::ReadersFull, ErrorClass::Busy, "too many reads");
        check(MdbError::TlsFull, ErrorClass::Busy, "too many reads");
        check(MdbError::TxnFull, ErrorClass::Bug, "was not written. Split it into smaller parts.");
        check(MdbError::Panic, ErrorClass::Suspect, "may not have been written");
        check(MdbError::Corrupted, ErrorClass::Damaged, "damaged");
        check(MdbError::PageNotFound, ErrorClass::Damaged, "damaged");
        check(MdbError::CursorFull, ErrorClass::Damaged, "damaged");
        check(MdbError::PageFull, ErrorClass::Damaged, "damaged");
        check(MdbError::Problem, ErrorClass::Damaged, "damaged");
        check(MdbError::Incompatible, ErrorClass::Damaged, "table");
        check(MdbError::NotFound, ErrorClass::Damaged, "table");
        check(MdbError::Invalid, ErrorClass::Damaged, "not a Mayfly store");
        check(MdbError::VersionMismatch, ErrorClass::Damaged, "format");
        check(MdbError::BadTxn, ErrorClass::Bug, "Internal error");
        check(MdbError::BadValSize, ErrorClass::Bug, "Internal error");
        check(MdbError::DbsFull, ErrorClass::Bug, "Internal error");
        check(MdbError::BadDbi, ErrorClass::Bug, "Internal error");
        check(MdbError::BadRslot, ErrorClass::Bug, "Internal error");
        check(MdbError::KeyExist, ErrorClass::Bug, "Internal error");
        check(heed::Error::EnvAlreadyOpened, ErrorClass::Busy, "in use by another program");
    }

    #[cfg(unix)]
    #[test]
    fn every_system_error_has_a_class_and_a_sentence() {
        check(system(28), ErrorClass::DiskFull, "disk is full");
        check(system(27), ErrorClass::DiskFull, "disk is full");
        check(system(122), ErrorClass::DiskFull, "disk is full");
        check(system(13), ErrorClass::ReadOnly, "is read-only");
        check(system(30), ErrorClass::ReadOnly, "is read-only");
        check(system(12), ErrorClass::Busy, "Can't access");
        check(system(22), ErrorClass::Bug, "Can't access");
        check(system(5), ErrorClass::Suspect, "Can't access");
        check(system(6), ErrorClass::Suspect, "Can't access");
    }

    #[test]
    fn an_input_output_error_on_a_disk_without_room_is_a_full_disk() {
        let error = heed::Error::Io(system(5));
        assert_eq!(ErrorClass::of(&error, NO_ROOM), ErrorClass::DiskFull);
        assert_eq!(ErrorClass::of(&error, None), ErrorClass::Suspect);
        assert_eq!(ErrorClass::of(&heed::Error::Io(system(6)), NO_ROOM), ErrorClass::Suspect);
        assert_eq!(ErrorClass::of(&MdbError::Panic.into(), NO_ROOM), ErrorClass::Suspect);
    }
}
