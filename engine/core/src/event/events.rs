//! Events of the engine.

use super::{PassReport, RemovedDocument, RestoredDocument};
use crate::{catalog::Namespace, clock::ClockStatus, store::RecordNumber};

/// Something happened in the engine.
#[derive(Debug, Clone, PartialEq)]
pub enum Event {
    /// A pass of the TTL monitor began.
    PassStarted {
        /// Its number, counted from 1 since the engine was opened.
        number: u64,
        /// When, in milliseconds since 1970.
        at_ms: i64,
    },
    /// A pass ended.
    PassFinished(PassReport),
    /// Expired documents were removed, in one transaction that is already durable.
    Removed {
        /// At most [`crate::limits::REMOVED_EVENT_DOCS_MAX`] of them.
        documents: Vec<RemovedDocument>,
        /// Further documents removed in the same transaction.
        more: u64,
    },
    /// Removed documents were restored from the trash or an archive, in one transaction that is
    /// already durable.
    Restored(Vec<RestoredDocument>),
    /// Removed documents were moved from the trash to an archive, durably.
    Archived {
        /// The collection of the archive.
        namespace: Namespace,
        /// How many.
        documents: u64,
    },
    /// Databases, collections or indexes changed.
    CatalogChanged,
    /// Documents of a collection changed by a command.
    DataChanged(Namespace),
    /// An index build advanced or ended.
    IndexBuild(BuildProgress),
    /// A command set, stepped, paused or sped up the clock.
    ClockChanged(ClockStatus),
    /// When the next pass is due.
    ReaperScheduled {
        /// Milliseconds since 1970; `None` while nothing is planned.
        next_pass_ms: Option<i64>,
        /// The parameter `ttlMonitorEnabled`.
        enabled: bool,
    },
    /// The system clock was set, by too little for a hold.
    ClockStepped {
        /// Wall time in milliseconds since 1970.
        wall_ms: i64,
        /// Expected wall time by time since boot.
        expected_ms: i64,
    },
    /// Removals were put on hold, or released.
    HeldChanged {
        /// The reason as a sentence; `None` if nothing is on hold any more.
        reason: Option<String>,
    },
    /// Something stored is damaged: the scrub found it, or it was in the trash.
    DamageFound(Finding),
    /// A scrub was requested.
    ScrubStarted,
    /// A background thread failed on a piece of work. It continues with the next one.
    ThreadFailed {
        /// The thread's name.
        thread: String,
        /// The panic message, in one line.
        message: String,
    },
    /// A thread ended, and with it its work.
    ThreadDied {
        /// The thread's name.
        thread: String,
        /// Why, and what to do about it.
        message: String,
    },
    /// A subscriber was too slow, and this many events were dropped. It must read everything again.
    Missed(u64),
}

/// How far an index build is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildProgress {
    /// The collection.
    pub namespace: Namespace,
    /// The index.
    pub index: String,
    /// Record numbers processed, scaled to documents.
    pub done: u64,
    /// Documents in the collection.
    pub total: u64,
    /// Whether the build has ended, successfully or not.
    pub finished: bool,
    /// Why it failed; the index was dropped.
    pub error: Option<String>,
}

/// One thing that is wrong in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The collection.
    pub namespace: Namespace,
    /// The index, if it is about one.
    pub index: Option<String>,
    /// The record number, if it is about one document.
    pub record: Option<RecordNumber>,
    /// The damage, as one sentence.
    pub sentence: String,
}
