//! Progress and cancellation of an import or export.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    },
    time::Duration,
};

use super::read::stream::OpenContainer;
use crate::{
    interrupt::{Limit, StopReason, run_within},
    plan::Operation,
};

/// Progress, shared between the working thread and its observers.
#[derive(Debug)]
pub struct Progress {
    bytes: Arc<AtomicU64>,
    bytes_total: AtomicU64,
    documents: AtomicU64,
    skipped: AtomicU64,
    rejected: AtomicU64,
    cancelled: Arc<AtomicBool>,
    container: OpenContainer,
    /// Documents at which it is canceled; 0: never.
    #[cfg(test)]
    cancelled_at: AtomicU64,
}

/// The flag of a user who cancels.
struct EndsOn(Arc<AtomicBool>);

impl Limit for EndsOn {
    fn tick(&self) -> Result<(), StopReason> {
        if self.0.load(Relaxed) { Err(StopReason::Interrupted) } else { Ok(()) }
    }
}

/// A snapshot of [`Progress`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ProgressNow {
    /// Bytes read from the files (compressed bytes of a gzip file), or written.
    pub bytes: u64,
    /// Bytes to read; 0: unknown.
    pub bytes_total: u64,
    /// Documents stored or written.
    pub documents: u64,
    /// Documents skipped.
    pub skipped: u64,
    /// Documents rejected.
    pub rejected: u64,
}

impl ProgressNow {
    /// Documents per second since the start.
    pub fn rate(&self, since_start: Duration) -> f64 {
        let secs = since_start.as_secs_f64();
        let documents = u32::try_from(self.documents).unwrap_or(u32::MAX);
        if secs > 0.0 { f64::from(documents) / secs } else { 0.0 }
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::new()
    }
}

impl Progress {
    /// Progress at the start.
    pub fn new() -> Self {
        let (cancelled, bytes) = (Arc::default(), Arc::default());
        let container = OpenContainer::new(Arc::clone(&cancelled), Arc::clone(&bytes));
        Self {
            bytes,
            bytes_total: AtomicU64::default(),
            documents: AtomicU64::default(),
            skipped: AtomicU64::default(),
            rejected: AtomicU64::default(),
            cancelled,
            container,
            #[cfg(test)]
            cancelled_at: AtomicU64::default(),
        }
    }

    /// Takes a snapshot.
    pub fn now(&self) -> ProgressNow {
        ProgressNow {
            bytes: self.bytes.load(Relaxed),
            bytes_total: self.bytes_total.load(Relaxed),
            documents: self.documents.load(Relaxed),
            skipped: self.skipped.load(Relaxed),
            rejected: self.rejected.load(Relaxed),
        }
    }

    /// Asks the work to stop after its current transaction.
    pub fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Whether the user canceled.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Relaxed)
    }

    /// The flag that [`Self::cancel`] sets, for work that waits on something else.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancelled)
    }

    /// The count of bytes, for a reader that outlives a file.
    pub(super) fn counter(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.bytes)
    }

    /// The container whose files the work reads.
    pub(super) fn container(&self) -> &OpenContainer {
        &self.container
    }

    /// An operation that ends when the user cancels.
    pub(super) fn operation(&self) -> Arc<Operation> {
        let limit: Arc<dyn Limit> = Arc::new(EndsOn(Arc::clone(&self.cancelled)));
        Arc::new(run_within(Some(limit), || Operation::within_current(None)))
    }

    pub(super) fn set_bytes_total(&self, bytes: u64) {
        self.bytes_total.fetch_max(bytes, Relaxed);
    }

    /// Adds bytes to read, of a file that is read twice.
    pub(super) fn add_bytes_total(&self, bytes: u64) {
        self.bytes_total.fetch_add(bytes, Relaxed);
    }

    /// Counts bytes that were read or written.
    pub fn add_bytes(&self, bytes: u64) {
        self.bytes.fetch_add(bytes, Relaxed);
    }

    /// Counts documents that were stored or written.
    pub fn add_documents(&self, count: u64) {
        self.documents.fetch_add(count, Relaxed);
        #[cfg(test)]
        if (1..=self.now().documents).contains(&self.cancelled_at.load(Relaxed)) {
            self.cancel();
        }
    }

    /// Cancels once this many documents are stored.
    #[cfg(test)]
    pub(super) fn cancel_at(&self, documents: u64) {
        self.cancelled_at.store(documents, Relaxed);
    }

    /// Counts documents that were skipped.
    pub fn add_skipped(&self, count: u64) {
        self.skipped.fetch_add(count, Relaxed);
    }

    /// Counts documents that were rejected.
    pub fn add_rejected(&self, count: u64) {
        self.rejected.fetch_add(count, Relaxed);
    }
}
