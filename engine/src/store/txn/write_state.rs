//! Whether the store takes changes, and why not.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::limits::{
    BATCH_DOCS_MAX, DISK_ROOM_BYTES_MIN, DISK_ROOM_BYTES_WANTED, DISK_ROOM_PART,
    FULL_DISK_BATCH_DOCS, REOPENINGS_MAX,
};
use crate::store::StoreError;

/// What the store takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreState {
    /// Everything.
    Ok,
    /// Reads, deletions and drops: the disk is full. Ends by itself once there is room.
    DiskFull,
    /// Reads: the folder or the disk can't be written.
    ReadOnly,
    /// Reads: a write failed in a way after which the file may not be what the store believes.
    Suspect,
}

/// How the store is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreStatus {
    /// What it takes.
    pub state: StoreState,
    /// Why it does not take everything: a sentence.
    pub reason: Option<String>,
    /// Bytes that may still be written to the disk, where the system tells.
    pub free_bytes: Option<u64>,
    /// Bytes of `data.mdb`.
    pub file_bytes: u64,
    /// Bytes of the pages that hold something.
    pub live_bytes: u64,
    /// Bytes kept for deletions on a full disk; 0 when there is no ballast.
    pub ballast_bytes: u64,
    /// Bytes of address space.
    pub map_bytes: u64,
    /// Read transactions alive.
    pub readers: usize,
    /// Milliseconds that the oldest of them has been alive.
    pub oldest_read_ms: Option<u64>,
    /// When the whole file was last walked, in milliseconds since 1970.
    pub last_walk_ms: Option<i64>,
    /// How often the store has re-opened itself after a failed write.
    pub reopenings: u32,
}

/// What a write may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) enum Permit {
    Everything,
    /// Nothing that adds: everything else answers with this error.
    Deletions(StoreError),
}

pub(in crate::store) struct WriteState {
    inner: Mutex<Inner>,
}

struct Inner {
    state: StoreState,
    reason: Option<String>,
    reopenings: u32,
    wanted_bytes: u64,
    batch_docs: usize,
    /// The disk was full when the store became suspect.
    was_full: bool,
}

impl WriteState {
    pub(in crate::store) fn new(read_only: Option<String>) -> Self {
        let state = if read_only.is_some() { StoreState::ReadOnly } else { StoreState::Ok };
        let inner = Inner {
            state,
            reason: read_only,
            reopenings: 0,
            wanted_bytes: DISK_ROOM_BYTES_WANTED,
            batch_docs: BATCH_DOCS_MAX,
            was_full: false,
        };
        Self { inner: Mutex::new(inner) }
    }

    pub(in crate::store) fn state(&self) -> StoreState {
        self.lock().state
    }

    pub(super) fn reason(&self) -> Option<String> {
        self.lock().reason.clone()
    }

    pub(super) fn reopenings(&self) -> u32 {
        self.lock().reopenings
    }

    /// What the next write may do, or why there can be none.
    pub(in crate::store) fn permit(&self) -> Result<Permit, StoreError> {
        let inner = self.lock();
        let what = || inner.reason.clone().unwrap_or_default();
        match inner.state {
            StoreState::Ok => Ok(Permit::Everything),
            StoreState::DiskFull => Ok(Permit::Deletions(inner.disk_full_error())),
            StoreState::ReadOnly => Err(StoreError::ReadOnly { what: what() }),
            StoreState::Suspect => Err(StoreError::Suspect { what: what() }),
        }
    }

    /// The disk is full, of a disk of so many bytes. True if that is news.
    pub(in crate::store) fn turn_disk_full(&self, disk_bytes: Option<u64>) -> bool {
        let mut inner = self.lock();
        if inner.state != StoreState::Ok {
            return false;
        }
        inner.state = StoreState::DiskFull;
        inner.wanted_bytes = wanted_bytes(disk_bytes);
        inner.batch_docs = FULL_DISK_BATCH_DOCS;
        inner.reason = Some(inner.disk_full_error().to_string());
        true
    }

    /// There is so much room, on the disk or within the file. True if a full disk is over with that.
    pub(super) fn room_found(&self, bytes: u64) -> bool {
        let mut inner = self.lock();
        if inner.state != StoreState::DiskFull || bytes < inner.wanted_bytes {
            return false;
        }
        (inner.state, inner.reason) = (StoreState::Ok, None);
        inner.batch_docs = BATCH_DOCS_MAX;
        true
    }

    pub(super) fn disk_full_error(&self) -> StoreError {
        self.lock().disk_full_error()
    }

    /// The disk can't be written any more.
    pub(super) fn turn_read_only(&self, why: &str) {
        let mut inner = self.lock();
        (inner.state, inner.reason) = (StoreState::ReadOnly, Some(why.to_owned()));
    }

    /// Nothing more is written until the file has been looked at. False where nothing is written
    /// anyway: then nothing is looked at either, and what can be read still is.
    pub(super) fn turn_suspect(&self, why: String) -> bool {
        let mut inner = self.lock();
        if inner.state == StoreState::ReadOnly {
            return false;
        }
        inner.was_full |= inner.state == StoreState::DiskFull;
        (inner.state, inner.reason) = (StoreState::Suspect, Some(why));
        true
    }

    /// Whether the store may now re-open itself; counts as done.
    pub(super) fn start_reopening(&self) -> bool {
        let mut inner = self.lock();
        let may = inner.state == StoreState::Suspect && inner.reopenings < REOPENINGS_MAX;
        inner.reopenings += u32::from(may);
        may
    }

    /// The file is sound. Whether the disk has room by now is another question.
    pub(super) fn recovered(&self) {
        let mut inner = self.lock();
        (inner.state, inner.reason) = if std::mem::take(&mut inner.was_full) {
            (StoreState::DiskFull, Some(inner.disk_full_error().to_string()))
        } else {
            (StoreState::Ok, None)
        };
    }

    /// Documents that one transaction should delete at most.
    pub(super) fn batch_docs(&self) -> usize {
        self.lock().batch_docs
    }

    /// A deletion on a full disk has gone well, or not.
    pub(super) fn deletion_ended(&self, is_ok: bool) {
        let mut inner = self.lock();
        if inner.state == StoreState::DiskFull {
            let docs = if is_ok { inner.batch_docs * 2 } else { inner.batch_docs / 2 };
            inner.batch_docs = docs.clamp(1, BATCH_DOCS_MAX);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Inner {
    fn disk_full_error(&self) -> StoreError {
        StoreError::DiskFull { wanted_bytes: self.wanted_bytes }
    }
}

/// The room that ends a full disk: less on a small one.
fn wanted_bytes(disk_bytes: Option<u64>) -> u64 {
    disk_bytes.map_or(DISK_ROOM_BYTES_WANTED, |bytes| {
        (bytes / DISK_ROOM_PART).clamp(DISK_ROOM_BYTES_MIN, DISK_ROOM_BYTES_WANTED)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_lets_deletions_through_until_there_is_room() {
        let state = WriteState::new(None);
        assert_eq!(state.permit(), Ok(Permit::Everything));
        assert!(!state.room_found(u64::MAX), "nothing was full");
        assert!(state.turn_disk_full(Some(8 << 20)));
        assert!(!state.turn_disk_full(Some(8 << 20)), "no news");
        let refusal = StoreError::DiskFull { wanted_bytes: 512 << 10 };
        assert_eq!(state.permit(), Ok(Permit::Deletions(refusal.clone())));
        assert!(refusal.to_string().contains("512 KiB"), "{refusal}");
        assert!(!state.room_found(1000));
        assert!(state.room_found(512 << 10));
        assert_eq!(state.permit(), Ok(Permit::Everything));
    }

    #[test]
    fn deletions_on_a_full_disk_begin_small() {
        let state = WriteState::new(None);
        state.deletion_ended(false);
        assert_eq!(state.batch_docs(), BATCH_DOCS_MAX);
        state.turn_disk_full(None);
        assert_eq!(state.batch_docs(), FULL_DISK_BATCH_DOCS);
        for _ in 0..10 {
            state.deletion_ended(false);
        }
        assert_eq!(state.batch_docs(), 1);
        state.deletion_ended(true);
        assert_eq!(state.batch_docs(), 2);
        for _ in 0..20 {
            state.deletion_ended(true);
        }
        assert_eq!(state.batch_docs(), BATCH_DOCS_MAX);
    }

    #[test]
    fn a_disk_that_was_full_before_a_failed_write_is_full_after_it() {
        let state = WriteState::new(None);
        state.turn_disk_full(Some(8 << 20));
        state.turn_suspect("a write failed".to_owned());
        state.recovered();
        assert_eq!(state.state(), StoreState::DiskFull);
        assert!(state.room_found(512 << 10));
        assert_eq!(state.batch_docs(), BATCH_DOCS_MAX);
        state.turn_suspect("a write failed".to_owned());
        state.recovered();
        assert_eq!(state.permit(), Ok(Permit::Everything));
    }

    #[test]
    fn a_suspect_store_re_opens_once() {
        let state = WriteState::new(None);
        assert!(!state.start_reopening());
        state.turn_suspect("a write failed".to_owned());
        assert!(matches!(state.permit(), Err(StoreError::Suspect { .. })));
        assert!(state.start_reopening());
        state.recovered();
        assert_eq!(state.permit(), Ok(Permit::Everything));
        state.turn_suspect("a write failed".to_owned());
        assert!(!state.start_reopening());
        assert!(!state.turn_disk_full(None), "the worse state stays");
    }
}
