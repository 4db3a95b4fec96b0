//! A pass of the reaper and the documents that it removed.

use bson::Bson;

use super::Namespace;

/// A finished pass of the reaper.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PassSummary {
    /// The number of the pass.
    pub number: u64,
    /// Its start, in milliseconds since 1970.
    pub started_ms: i64,
    /// Its end, in milliseconds since 1970.
    pub finished_ms: i64,
    /// Documents removed.
    pub deleted: u64,
    /// How long it took, in microseconds.
    pub duration_micros: u64,
    /// What it did by index; only indexes that removed something or failed.
    pub indexes: Vec<PassIndex>,
}

/// What a pass did by one index.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PassIndex {
    /// The collection.
    pub namespace: Option<Namespace>,
    /// The name of the index.
    pub index: String,
    /// Documents removed.
    pub deleted: u64,
    /// Why it failed.
    pub error: Option<String>,
    /// The middle of the distances from threshold to removal, in milliseconds.
    pub lag_p50_ms: i64,
    /// The longest distance from threshold to removal, in milliseconds.
    pub lag_max_ms: i64,
}

/// A document that the reaper removed.
#[derive(Debug, Clone, PartialEq)]
pub struct RemovedDocument {
    /// The collection.
    pub namespace: Namespace,
    /// The index that made it expire.
    pub index: String,
    /// Its `_id`.
    pub id: Bson,
    /// The date that the index read, in milliseconds since 1970.
    pub base_ms: i64,
    /// When it was due, in milliseconds since 1970.
    pub threshold_ms: i64,
    /// When it went, in milliseconds since 1970.
    pub removed_ms: i64,
    /// Its size in bytes.
    pub bytes: u32,
    /// The number of the pass.
    pub pass: u64,
}
