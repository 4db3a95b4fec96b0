//! Index builds, step by step.

use crate::{
    catalog::Namespace,
    store::{CollectionId, IndexId},
};

/// Where an index build stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BuildProgress {
    /// The collection.
    pub namespace: Namespace,
    /// The index.
    pub index: String,
    /// Documents looked at so far; an estimate.
    pub done: u64,
    /// Documents to look at; an estimate.
    pub total: u64,
    /// Whether the build has ended, well or badly.
    pub finished: bool,
    /// Why it failed; the index is gone again.
    pub error: Option<String>,
}

/// An index whose build has not ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PendingBuild {
    /// The collection.
    pub collection: CollectionId,
    /// Its name.
    pub namespace: Namespace,
    /// The index.
    pub index: IndexId,
    /// Its name.
    pub name: String,
}
