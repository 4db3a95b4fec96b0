//! Why a query can't be planned or run.

use crate::{
    interrupt::StopReason,
    query::{Code, QueryError},
    store::StoreError,
};

/// An error kind and a sentence for users.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct PlanError {
    /// Decides the error code of a command.
    pub kind: PlanErrorKind,
    /// States the problem, then what to do.
    pub message: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanErrorKind {
    /// The hint names no usable index.
    BadHint,
    /// The hint is neither a string nor a document.
    HintType,
    /// `min` or `max` without a hint (MongoDB: 51173).
    BoundsWithoutHint,
    /// `min` or `max` names other fields than the index (MongoDB: 51174).
    BoundsOfOtherIndex,
    /// `min` does not come before `max` (MongoDB: 51175).
    BoundsOutOfOrder,
    /// No plan can do what was requested.
    NoPlans,
    PositionLost,
    /// The sort exceeds `SORT_BYTES_MAX`.
    SortTooLarge,
    /// A multikey scan returned more than `SEEN_RECORDS_MAX` documents.
    TooManyRecords,
    /// The collection or the index was dropped under a cursor.
    PlanKilled,
    Ended(StopReason),
    /// An expression of the filter failed on a document.
    Query(Code),
    /// A document or an index entry is damaged.
    Damaged,
    Store,
}

impl PlanError {
    pub fn new(kind: PlanErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl From<StopReason> for PlanError {
    fn from(ended: StopReason) -> Self {
        Self::new(PlanErrorKind::Ended(ended), ended.to_string())
    }
}

impl From<StoreError> for PlanError {
    fn from(error: StoreError) -> Self {
        let kind = match error {
            StoreError::Damaged { .. } => PlanErrorKind::Damaged,
            _ => PlanErrorKind::Store,
        };
        Self::new(kind, error.to_string())
    }
}

impl From<QueryError> for PlanError {
    fn from(error: QueryError) -> Self {
        let kind = match error.ended {
            Some(ended) => PlanErrorKind::Ended(ended),
            None => PlanErrorKind::Query(error.code),
        };
        Self::new(kind, error.message)
    }
}
