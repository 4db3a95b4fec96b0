//! A TTL that is put on a collection in steps, so that its documents don't all go at once.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bson::Document;

use super::{Cancel, Namespace};

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

/// How far a rollout is, shared with the window.
#[derive(Debug, Default)]
pub struct RolloutGauge {
    gone: AtomicU64,
    total: AtomicU64,
    changes: AtomicU64,
    paused: AtomicBool,
    leaves: AtomicBool,
    words: Mutex<String>,
    /// Stops it after its present step.
    pub cancel: Cancel,
}

impl RolloutGauge {
    /// Stops it because its store closes.
    pub fn leave(&self) {
        // The rollout is offered after the next start.
        self.leaves.store(true, Ordering::Relaxed);
        self.cancel.cancel();
    }

    /// Whether its store closes.
    pub fn is_left(&self) -> bool {
        self.leaves.load(Ordering::Relaxed)
    }

    /// Documents that are gone, and documents in all.
    pub fn now(&self) -> (u64, u64) {
        (self.gone.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    /// Notes how far it is, and that in words.
    pub fn set(&self, gone: u64, total: u64, words: String) {
        self.gone.store(gone, Ordering::Relaxed);
        self.total.store(total, Ordering::Relaxed);
        *self.words.lock().unwrap_or_else(PoisonError::into_inner) = words;
    }

    /// How often the index was changed.
    pub fn changes(&self) -> u64 {
        self.changes.load(Ordering::Relaxed)
    }

    /// Notes how often the index was changed.
    pub fn set_changes(&self, changes: u64) {
        self.changes.store(changes, Ordering::Relaxed);
    }

    /// The present step, in words.
    pub fn words(&self) -> String {
        self.words.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Pauses it before its next step, or lets it continue.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }
}

#[derive(Debug, Clone)]
pub struct RolloutWork {
    pub plan: RolloutPlan,
    /// The journal of the rollout that was cut short, and that this continues.
    pub journal: Option<PathBuf>,
    pub gauge: Arc<RolloutGauge>,
}

/// How a rollout ended, with one sentence that says how things are now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RolloutEnd {
    /// The index has its TTL, and what was overdue is gone.
    Complete(String),
    Stopped(String),
    Failed(String),
}
