//! The writes that the store accepts: all, deletions only, or none, and why.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::limits::{
    BATCH_DOCS_MAX, DISK_ROOM_BYTES_MIN, DISK_ROOM_BYTES_WANTED, DISK_ROOM_PART,
    FULL_DISK_BATCH_DOCS, REOPENINGS_MAX,
};
use crate::store::StoreError;

/// The operations that the store accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreState {
    /// Reads and writes.
    Ok,
    /// Reads, deletions and drops: the disk is full. Ends by itself once there is space.
    DiskFull,
    /// Only reads: the folder or the disk can't be written.
    ReadOnly,
    /// Only reads: after a failed write or a damaged page, the file may differ from what LMDB believes.
    Suspect,
    /// Only reads: `data.mdb` was removed, replaced, or got a second name while the store was open. Ends by
    /// itself once the name leads to the open file again. Not even reads if the file was cut, until the store is
    /// opened again.
    Detached,
}

/// State and sizes of an open store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreStatus {
    /// The operations that it accepts.
    pub state: StoreState,
    /// Why it does not accept everything: a sentence or a clause of one.
    pub reason: Option<String>,
    /// Free bytes on the disk, where the system reports them.
    pub free_bytes: Option<u64>,
    /// Bytes of `data.mdb`.
    pub file_bytes: u64,
    /// Bytes of the pages in use, without the list of free pages.
    pub live_bytes: u64,
    /// Bytes reserved for deletions on a full disk; 0 without a ballast file.
    pub ballast_bytes: u64,
    /// Bytes of address space that LMDB has reserved.
    pub map_bytes: u64,
    /// Active read transactions.
    pub readers: usize,
    /// Age of the oldest of them in milliseconds.
    pub oldest_read_ms: Option<u64>,
    /// When the whole file was last walked, in milliseconds since 1970.
    pub last_walk_ms: Option<i64>,
    /// How often the store has reopened its file to recover.
    pub reopenings: u32,
}

/// The writes that a transaction may make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::store) enum Permit {
    Everything,
    /// Only deletions and replacements by smaller documents; anything else fails with this error.
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
    /// The disk was full when the store became `Suspect`.
    was_full: bool,
    /// Reopening the file can't help.
    is_final: bool,
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
            is_final: false,
        };
        Self { inner: Mutex::new(inner) }
    }

    pub(in crate::store) fn state(&self) -> StoreState {
        self.lock().state
    }

    pub(in crate::store) fn reason(&self) -> Option<String> {
        self.lock().reason.clone()
    }

    pub(super) fn reopenings(&self) -> u32 {
        self.lock().reopenings
    }

    /// The permit of the next write, or why writing is refused.
    pub(in crate::store) fn permit(&self) -> Result<Permit, StoreError> {
        let inner = self.lock();
        let what = || inner.reason.clone().unwrap_or_default();
        match inner.state {
            StoreState::Ok => Ok(Permit::Everything),
            StoreState::DiskFull => Ok(Permit::Deletions(inner.disk_full_error())),
            StoreState::ReadOnly => Err(StoreError::ReadOnly { what: what() }),
            // A detached file refuses with the error of a suspect one: for the caller both mean
            // that a write may be lost.
            StoreState::Suspect | StoreState::Detached => Err(StoreError::Suspect { what: what() }),
        }
    }

    /// Enters `DiskFull` from `Ok` only: worse states stay. True if the state changed. `disk_bytes` is the
    /// size of the whole disk.
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

    /// Leaves `DiskFull` if this many bytes are free, on the disk or within the file. True if the state
    /// changed.
    pub(super) fn leave_disk_full(&self, bytes: u64) -> bool {
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

    pub(super) fn turn_read_only(&self, why: &str) {
        let mut inner = self.lock();
        (inner.state, inner.reason) = (StoreState::ReadOnly, Some(why.to_owned()));
    }

    /// Blocks writes until the file has been checked. False for a read-only store.
    pub(in crate::store) fn turn_suspect(&self, why: String) -> bool {
        let mut inner = self.lock();
        if inner.state == StoreState::ReadOnly {
            // Nothing is written to a read-only store, so it needs no check and stays readable.
            return false;
        }
        // The flag keeps an earlier `true`: a store may become suspect more than once before it
        // recovers.
        inner.was_full |= inner.state == StoreState::DiskFull;
        (inner.state, inner.reason) = (StoreState::Suspect, Some(why));
        true
    }

    /// Blocks writes because they would be lost. True if the state or the reason changed. Worse states stay.
    pub(super) fn turn_detached(&self, why: &str) -> bool {
        let mut inner = self.lock();
        if matches!(inner.state, StoreState::ReadOnly | StoreState::Suspect) {
            return false;
        }
        // A repeated status must not send the same notice again, but another reason is news.
        let is_news = inner.state != StoreState::Detached || inner.reason.as_deref() != Some(why);
        inner.was_full |= inner.state == StoreState::DiskFull;
        (inner.state, inner.reason) = (StoreState::Detached, Some(why.to_owned()));
        is_news
    }

    /// The file itself is damaged, so that reopening it can't help.
    pub(in crate::store) fn give_up_reopening(&self) {
        self.lock().is_final = true;
    }

    /// Whether the store may reopen its file now. If so, this counts as one of `REOPENINGS_MAX`.
    pub(super) fn start_reopening(&self) -> bool {
        let mut inner = self.lock();
        let may = inner.state == StoreState::Suspect
            && !inner.is_final
            && inner.reopenings < REOPENINGS_MAX;
        // Counted before the attempt, so that one that panics is not repeated forever.
        inner.reopenings += u32::from(may);
        may
    }

    /// The file is sound. A disk that was full still counts as full, until `leave_disk_full` sees space.
    pub(super) fn recovered(&self) {
        let mut inner = self.lock();
        (inner.state, inner.reason) = if std::mem::take(&mut inner.was_full) {
            (StoreState::DiskFull, Some(inner.disk_full_error().to_string()))
        } else {
            (StoreState::Ok, None)
        };
    }

    /// The most documents that one transaction should delete.
    pub(super) fn batch_docs(&self) -> usize {
        self.lock().batch_docs
    }

    /// Adapts the batch size to whether a deletion on a full disk could commit.
    pub(super) fn deletion_ended(&self, is_ok: bool) {
        let mut inner = self.lock();
        if inner.state == StoreState::DiskFull {
            let docs = if is_ok { inner.batch_docs * 2 } else { inner.batch_docs / 2 };
            // At least one document, or deletions could never start again.
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

/// The free bytes that end `DiskFull`: fewer on a small disk.
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
        assert!(!state.leave_disk_full(u64::MAX), "nothing was full");
        assert!(state.turn_disk_full(Some(8 << 20)));
        assert!(!state.turn_disk_full(Some(8 << 20)), "no news");
        let refusal = StoreError::DiskFull { wanted_bytes: 512 << 10 };
        assert_eq!(state.permit(), Ok(Permit::Deletions(refusal.clone())));
        assert!(refusal.to_string().contains("512 KiB"), "{refusal}");
        assert!(!state.leave_disk_full(1000));
        assert!(state.leave_disk_full(512 << 10));
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
        assert!(state.leave_disk_full(512 << 10));
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
