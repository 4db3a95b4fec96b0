//! Events of a source.

use crate::job::{Namespace, PassSummary, RemovedDocument};

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
