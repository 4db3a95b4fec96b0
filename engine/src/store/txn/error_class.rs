//! What a failure of LMDB calls for. One function decides it for every error.

use std::io::{self, ErrorKind};

use heed::MdbError;

use crate::limits::DISK_FREE_BYTES_LOW;
use crate::store::StoreError;

/// The system's number for an input/output error. LMDB answers it for a short write too.
const INPUT_OUTPUT_ERROR: i32 = 5;

/// What has to be done about an error of LMDB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Fault {
    /// Nothing is wrong with the file: help as this says, and run the whole transaction again.
    Retry(Remedy),
    /// Something is used up for the moment; the caller may try again later.
    Busy,
    /// No room: deletions go on, everything else waits for room.
    DiskFull,
    /// The system forbids writing.
    ReadOnly,
    /// The system may have dropped pages that LMDB believes written, so nothing that was written last
    /// can be believed, nor anything written from here on: stop, and look at the file.
    Suspect,
    /// The file is not what was written, or not a store at all.
    Damaged,
    /// A mistake of the program; the transaction is lost and the store is fine.
    Bug,
}

/// What makes a transaction succeed when it is run again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::store) enum Remedy {
    /// A larger map.
    Grow,
    /// The map size that another process has set.
    Adopt,
}

impl Fault {
    /// The one place where LMDB's errors get their meaning. `free_bytes` is what the disk still
    /// takes, where the system tells.
    pub(in crate::store) fn of(error: &heed::Error, free_bytes: Option<u64>) -> Self {
        match error {
            heed::Error::Io(error) => of_io(error, free_bytes),
            heed::Error::Mdb(error) => of_lmdb(*error),
            heed::Error::EnvAlreadyOpened => Self::Busy,
            heed::Error::Encoding(_) | heed::Error::Decoding(_) => Self::Bug,
        }
    }
}

fn of_io(error: &io::Error, free_bytes: Option<u64>) -> Fault {
    let is_nearly_full = free_bytes.is_some_and(|bytes| bytes < DISK_FREE_BYTES_LOW);
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => {
            Fault::DiskFull
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Fault::ReadOnly,
        ErrorKind::OutOfMemory | ErrorKind::WouldBlock | ErrorKind::Interrupted => Fault::Busy,
        // What LMDB answers to a wrong argument, before it has touched the file.
        ErrorKind::InvalidInput => Fault::Bug,
        _ if error.raw_os_error() == Some(INPUT_OUTPUT_ERROR) && is_nearly_full => Fault::DiskFull,
        _ => Fault::Suspect,
    }
}

fn of_lmdb(error: MdbError) -> Fault {
    match error {
        MdbError::MapFull => Fault::Retry(Remedy::Grow),
        MdbError::MapResized => Fault::Retry(Remedy::Adopt),
        MdbError::ReadersFull | MdbError::TlsFull => Fault::Busy,
        MdbError::Panic => Fault::Suspect,
        MdbError::PageNotFound
        | MdbError::Corrupted
        | MdbError::CursorFull
        | MdbError::PageFull
        | MdbError::Problem
        | MdbError::Incompatible
        | MdbError::NotFound
        | MdbError::Invalid
        | MdbError::VersionMismatch => Fault::Damaged,
        // LMDB writes changed pages out before there are too many, so that no number of rows leads to it.
        MdbError::TxnFull
        | MdbError::KeyExist
        | MdbError::DbsFull
        | MdbError::BadRslot
        | MdbError::BadTxn
        | MdbError::BadValSize
        | MdbError::BadDbi
        | MdbError::Other(_) => Fault::Bug,
    }
}

/// The sentence for an error of LMDB.
impl From<&heed::Error> for StoreError {
    fn from(error: &heed::Error) -> Self {
        match error {
            heed::Error::Io(error) => Self::io("The store's file could not be used", error),
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
        MdbError::MapResized => busy("another program made its file larger"),
        MdbError::TxnFull => StoreError::TooLarge,
        MdbError::Invalid => {
            StoreError::NotADatabase { what: "its header is not that of an LMDB file".to_owned() }
        }
        MdbError::VersionMismatch => {
            StoreError::VersionMismatch { found: 0, expected: crate::store::walk::DATA_VERSION }
        }
        MdbError::Incompatible | MdbError::NotFound => {
            StoreError::damaged(format!("a table is missing or of another kind ({error})"))
        }
        _ => match of_lmdb(error) {
            Fault::Busy | Fault::Retry(_) => busy("too many reads are running"),
            Fault::Damaged => {
                StoreError::damaged(format!("LMDB met a page that can't be right ({error})"))
            }
            Fault::Suspect => {
                StoreError::OutcomeUnknown { what: "a write failed at its last step".to_owned() }
            }
            Fault::DiskFull | Fault::ReadOnly | Fault::Bug => {
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
    fn check(error: impl Into<heed::Error>, fault: Fault, words: &str) {
        let error = error.into();
        assert_eq!(Fault::of(&error, ROOM), fault);
        let sentence = StoreError::from(error).to_string();
        assert!(sentence.contains(words), "{sentence}");
        assert!(sentence.ends_with('.') && !sentence.contains('{'), "{sentence}");
    }

    fn system(number: i32) -> io::Error {
        io::Error::from_raw_os_error(number)
    }

    #[test]
    fn every_failure_of_lmdb_has_a_fault_and_a_sentence() {
        check(MdbError::MapFull, Fault::Retry(Remedy::Grow), "busy");
        check(MdbError::MapResized, Fault::Retry(Remedy::Adopt), "busy");
        check(MdbError::ReadersFull, Fault::Busy, "too many reads");
        check(MdbError::TlsFull, Fault::Busy, "too many reads");
        check(
            MdbError::TxnFull,
            Fault::Bug,
            "nothing of it was written. Make it in smaller parts.",
        );
        check(MdbError::Panic, Fault::Suspect, "not known");
        check(MdbError::Corrupted, Fault::Damaged, "damaged");
        check(MdbError::PageNotFound, Fault::Damaged, "damaged");
        check(MdbError::CursorFull, Fault::Damaged, "damaged");
        check(MdbError::PageFull, Fault::Damaged, "damaged");
        check(MdbError::Problem, Fault::Damaged, "damaged");
        check(MdbError::Incompatible, Fault::Damaged, "table");
        check(MdbError::NotFound, Fault::Damaged, "table");
        check(MdbError::Invalid, Fault::Damaged, "not a Mayfly store");
        check(MdbError::VersionMismatch, Fault::Damaged, "format version");
        check(MdbError::BadTxn, Fault::Bug, "made a mistake");
        check(MdbError::BadValSize, Fault::Bug, "made a mistake");
        check(MdbError::DbsFull, Fault::Bug, "made a mistake");
        check(MdbError::BadDbi, Fault::Bug, "made a mistake");
        check(MdbError::BadRslot, Fault::Bug, "made a mistake");
        check(MdbError::KeyExist, Fault::Bug, "made a mistake");
        check(heed::Error::EnvAlreadyOpened, Fault::Busy, "open in another program");
    }

    #[cfg(unix)]
    #[test]
    fn every_failure_of_the_system_has_a_fault_and_a_sentence() {
        check(system(28), Fault::DiskFull, "disk is full");
        check(system(27), Fault::DiskFull, "disk is full");
        check(system(122), Fault::DiskFull, "disk is full");
        check(system(13), Fault::ReadOnly, "can only be read");
        check(system(30), Fault::ReadOnly, "can only be read");
        check(system(12), Fault::Busy, "could not be used");
        check(system(22), Fault::Bug, "could not be used");
        check(system(5), Fault::Suspect, "could not be used");
        check(system(6), Fault::Suspect, "could not be used");
    }

    #[test]
    fn an_input_output_error_on_a_disk_without_room_is_a_full_disk() {
        let error = heed::Error::Io(system(5));
        assert_eq!(Fault::of(&error, NO_ROOM), Fault::DiskFull);
        assert_eq!(Fault::of(&error, None), Fault::Suspect);
        assert_eq!(Fault::of(&heed::Error::Io(system(6)), NO_ROOM), Fault::Suspect);
        assert_eq!(Fault::of(&MdbError::Panic.into(), NO_ROOM), Fault::Suspect);
    }
}
