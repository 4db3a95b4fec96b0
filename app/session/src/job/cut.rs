//! Operations that were cut short, by a crash or the end of the program, and what can be done with
//! each.

use std::path::PathBuf;

use super::Namespace;
use super::bulk::BulkChange;
use super::rollout::RolloutPlan;

/// An operation that was cut short.
#[derive(Debug, Clone, PartialEq)]
pub struct CutWork {
    pub file: PathBuf,
    pub what: CutKind,
    /// When it began, in milliseconds since 1970 by the store's clock.
    pub began_ms: i64,
    pub done: u64,
    /// Documents in all; 0 while they are not known.
    pub total: u64,
}

/// The kind of operation that was cut short.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "few are listed at a time")]
pub enum CutKind {
    Bulk {
        namespace: Namespace,
        forward: BulkChange,
        /// The work that undoes it, if everything that this needs was noted.
        back: Option<BulkChange>,
    },
    Rollout {
        /// The plan as it began.
        plan: Box<RolloutPlan>,
        index: RolledIndex,
    },
    /// Its journal is damaged: one sentence.
    Damaged(String),
}

/// The index of a rollout that was cut short, as the store has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RolledIndex {
    Missing,
    /// It has this TTL in seconds, or none.
    Has(Option<i64>),
    /// The store didn't say: one sentence.
    Unknown(String),
}

impl CutWork {
    /// The collection, if it is known.
    pub fn namespace(&self) -> Option<&Namespace> {
        match &self.what {
            CutKind::Bulk { namespace, .. } => Some(namespace),
            CutKind::Rollout { plan, .. } => Some(&plan.namespace),
            CutKind::Damaged(_) => None,
        }
    }
}
