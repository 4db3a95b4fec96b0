//! Events of a source.

use bson::Bson;

use super::Namespace;

/// A stream of events.
pub trait Events: Send + 'static {
    /// Waits for the next event. `None`: the source is gone.
    fn next(&mut self) -> Option<SourceEvent>;
}

/// One thing that happened in the store.
#[derive(Debug, Clone, PartialEq)]
pub enum SourceEvent {
    /// A pass of the reaper began.
    PassStarted {
        /// The number of the pass.
        number: u64,
        /// When, in milliseconds since 1970 by the store's clock.
        at_ms: i64,
    },
    /// A pass of the reaper ended.
    PassFinished(PassSummary),
    /// Documents were removed because their threshold had passed.
    Removed {
        /// The ones that are listed.
        documents: Vec<RemovedDocument>,
        /// How many more are not listed.
        more: u64,
    },
    /// Databases, collections or indexes changed.
    CatalogChanged,
    /// Documents of one collection changed.
    DataChanged(Namespace),
    /// An index is being built, or its build ended.
    IndexBuild {
        /// The collection.
        namespace: Namespace,
        /// The index.
        index: String,
        /// Documents seen.
        done: u64,
        /// Documents in all.
        total: u64,
        /// Whether the build ended.
        finished: bool,
        /// Why it failed.
        error: Option<String>,
    },
    /// The store's clock was set, stopped, started or jumped.
    ClockChanged,
    /// The reaper planned its next pass.
    ReaperScheduled {
        /// When, in milliseconds since 1970; `None`: no pass is planned.
        next_pass_ms: Option<i64>,
        /// Whether the reaper is on.
        enabled: bool,
    },
    /// A thread of the store failed on one step and continues with the next.
    ThreadFailed {
        /// The name of the thread.
        thread: String,
        /// One sentence.
        message: String,
    },
    /// A thread died. What it did is no longer done.
    ThreadDied {
        /// The name of the thread.
        thread: String,
        /// One sentence.
        message: String,
    },
    /// Something stored was found damaged.
    DamageFound {
        /// The collection and what is wrong with it.
        message: String,
    },
    /// The guard holds documents back, or no longer does.
    Held {
        /// Why, in one sentence; `None`: nothing is held any more.
        reason: Option<String>,
    },
    /// Events were dropped because too many happened at once: read everything again.
    Missed(u64),
}

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
