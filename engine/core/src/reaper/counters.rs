//! Counters of the TTL monitor since the engine was opened (`serverStatus.metrics.ttl`).

use std::sync::atomic::{AtomicU64, Ordering};

/// A number that only grows.
#[derive(Debug, Default)]
pub struct Counter(AtomicU64);

impl Counter {
    /// Adds to it.
    pub fn add(&self, amount: u64) {
        self.0.fetch_add(amount, Ordering::Relaxed);
    }

    /// Its value.
    pub fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// The counters of the TTL monitor, named as MongoDB names them.
#[derive(Debug, Default)]
pub struct TtlCounters {
    /// Passes that ended.
    pub passes: Counter,
    /// Sub-passes that ended.
    pub sub_passes: Counter,
    /// Documents removed.
    pub deleted_documents: Counter,
    /// Index entries removed together with them.
    pub deleted_keys: Counter,
    /// Documents fetched to be checked.
    pub examined_documents: Counter,
    /// Index entries looked at.
    pub examined_keys: Counter,
    /// Visits that were skipped because the index can't expire anything.
    pub invalid_index_skips: Counter,
    /// Microseconds of all passes together.
    pub duration_micros: Counter,
    /// Documents removed in batches (`serverStatus.batchedDeletes`).
    pub batched_docs: Counter,
    /// Write transactions that removed something in batches.
    pub batches: Counter,
    /// Passes that the guard put on hold.
    pub held_passes: Counter,
    /// Pauses between transactions because a copy of the store was being written.
    pub copy_pauses: Counter,
    /// Removed documents moved to the trash.
    pub trashed: Counter,
    /// Documents removed without the trash, for lack of space.
    pub not_trashed: Counter,
    /// Documents restored from the trash.
    pub restored: Counter,
}
