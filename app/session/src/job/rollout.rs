//! A TTL that is put on a collection in steps, so that its documents don't all go at once.

use std::path::PathBuf;
use std::sync::Arc;

use bson::Document;

use super::{End, Gauge, Namespace};

/// Seconds of a step. A monitor passes once a minute unless it was set otherwise.
pub const STEP_SECS: u64 = 60;

/// The largest number of seconds that an index takes: with it nothing of this century is overdue.
pub const SECS_MAX: i64 = 2_147_483_647;

/// A rollout of a TTL.
#[derive(Debug, Clone, PartialEq)]
pub struct RolloutPlan {
    pub namespace: Namespace,
    /// The index as `createIndexes` takes it, to make it first. `None` if it exists.
    pub create: Option<Document>,
    pub name: String,
    pub key: Document,
    pub partial: Option<Document>,
    /// Queries may not use the index, and a hint on it is refused.
    pub is_hidden: bool,
    pub from_secs: Option<i64>,
    /// The seconds that it gets in the end.
    pub to_secs: i64,
    /// Documents a second that may go.
    pub per_second: u64,
    /// Documents that a pass removes at most, where that is known.
    pub pass_max: Option<u64>,
    /// Drop the index before it is made: the server adds no TTL to an index in place.
    pub replaces: bool,
    /// Replication lag of the slowest secondary, in seconds, above which no step is made. Without one, it
    /// isn't read.
    pub lag_max_secs: Option<u64>,
}

impl RolloutPlan {
    /// The field whose date counts.
    pub fn field(&self) -> &str {
        self.key.keys().next().map_or("", String::as_str)
    }

    /// Documents that one step lets expire: not more than a pass removes.
    pub fn per_step(&self) -> u64 {
        let wanted = self.per_second.saturating_mul(STEP_SECS).max(1);
        self.pass_max.map_or(wanted, |most| wanted.min(most.max(1)))
    }

    /// How long it takes until this number of documents is removed, in seconds.
    pub fn secs_for(&self, documents: u64) -> u64 {
        documents.div_ceil(self.per_step()).saturating_mul(STEP_SECS)
    }
}

/// The present step of a rollout.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct RolloutStep {
    pub words: String,
    /// How often the index was changed.
    pub changes: u64,
}

#[derive(Debug, Clone)]
pub struct RolloutWork {
    pub plan: RolloutPlan,
    /// The journal of the rollout that was cut short, and that this continues.
    pub journal: Option<PathBuf>,
    pub gauge: Arc<Gauge<RolloutStep>>,
}

/// The end of a rollout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolloutEnded {
    pub end: End,
    /// How things are now, in one sentence.
    pub words: String,
}

impl RolloutEnded {
    pub fn failed(words: String) -> Self {
        Self { end: End::Failed(words.clone()), words }
    }
}
