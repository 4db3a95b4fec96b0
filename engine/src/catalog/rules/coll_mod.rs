//! `collMod`.

use bson::Bson;

use crate::catalog::Namespace;

/// What `collMod` is asked to do. Fields that Mayfly does not have are refused by the command.
#[derive(Debug, Clone, PartialEq)]
pub struct CollModRequest {
    /// The collection.
    pub namespace: Namespace,
    /// `index`, as it was given; `None` when absent.
    pub index: Option<Bson>,
    /// Top-level `expireAfterSeconds`, as it was given; `None` when absent.
    pub expire_after_seconds: Option<Bson>,
    /// Check, but change nothing.
    pub dry_run: bool,
}

/// What `collMod` has changed, for its reply; `None` where nothing is to be said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CollModOutcome {
    /// `expireAfterSeconds_old`
    pub expire_after_secs_old: Option<i64>,
    /// `expireAfterSeconds_new`
    pub expire_after_secs_new: Option<i64>,
    /// `hidden_old`
    pub hidden_old: Option<bool>,
    /// `hidden_new`
    pub hidden_new: Option<bool>,
    /// `prepareUnique_old`
    pub prepare_unique_old: Option<bool>,
    /// `prepareUnique_new`
    pub prepare_unique_new: Option<bool>,
    /// `unique_new`
    pub unique_new: Option<bool>,
    /// `forceNonUnique_new`
    pub force_non_unique_new: Option<bool>,
}
