//! The report of a pass of the TTL monitor.

use bson::Bson;

use crate::{catalog::Namespace, ttl::InertReason};

/// The report of one pass.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PassReport {
    /// Counted from 1 since the engine was opened.
    pub number: u64,
    /// The one "now" of the pass, in milliseconds since 1970.
    pub started_ms: i64,
    /// When it ended, in milliseconds since 1970.
    pub finished_ms: i64,
    /// Documents removed.
    pub deleted: u64,
    /// Sub-passes it took.
    pub sub_passes: u64,
    /// One for each rule that was visited.
    pub indexes: Vec<IndexReport>,
    /// How long it took, in microseconds of the engine's clock.
    pub duration_micros: u64,
    /// Median lag of its removals in milliseconds, see [`RemovedDocument::lag_ms`].
    pub lag_p50_ms: i64,
    /// The lag in milliseconds that 99 of 100 removed documents did not exceed.
    pub lag_p99_ms: i64,
    /// Why nothing was removed although something was due, as a sentence.
    pub held: Option<String>,
}

/// The part of a pass report about one TTL rule.
#[derive(Debug, Clone, PartialEq)]
pub struct IndexReport {
    /// The collection.
    pub namespace: Namespace,
    /// The index's name; a clustered or time-series collection's own rule has the name of its key.
    pub index: String,
    /// Documents removed.
    pub deleted: u64,
    /// Index entries looked at.
    pub examined: u64,
    /// Why it was skipped or stopped, as a sentence.
    pub error: Option<String>,
    /// Why the rule never removes anything, if that is why it was skipped.
    pub inert: Option<InertReason>,
    /// How long its visits took, in microseconds of real time.
    pub duration_micros: u64,
    /// Median lag in milliseconds, see [`RemovedDocument::lag_ms`].
    pub lag_p50_ms: i64,
    /// Longest lag in milliseconds.
    pub lag_max_ms: i64,
}

/// One document that the reaper removed.
#[derive(Debug, Clone, PartialEq)]
pub struct RemovedDocument {
    /// The collection it was in.
    pub namespace: Namespace,
    /// The rule that removed it.
    pub index: String,
    /// Its `_id`.
    pub id: Bson,
    /// When it expired, in milliseconds since 1970.
    pub threshold_ms: i64,
    /// When a pass could remove it first, in milliseconds since 1970: the threshold, or the creation
    /// of the index or the shortening of its TTL that made the document overdue, if that was later.
    pub removable_ms: i64,
    /// The date or last modification that its threshold is based on.
    pub base_ms: i64,
    /// When it was removed.
    pub removed_ms: i64,
    /// Its size in bytes of BSON.
    pub bytes: u32,
    /// The number of the pass.
    pub pass: u64,
}

impl RemovedDocument {
    /// Milliseconds from [`Self::removable_ms`] to the removal.
    pub fn lag_ms(&self) -> i64 {
        self.removed_ms.saturating_sub(self.removable_ms).max(0)
    }
}

/// One document that was restored from the trash or an archive.
#[derive(Debug, Clone, PartialEq)]
pub struct RestoredDocument {
    /// The collection it is in again.
    pub namespace: Namespace,
    /// Its `_id`.
    pub id: Bson,
    /// When the restored version was removed, in milliseconds since 1970.
    pub removed_ms: i64,
}
