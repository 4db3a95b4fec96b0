//! `createIndexes`.

use bson::Document;

use crate::catalog::Namespace;

/// Indexes to create.
#[derive(Debug, Clone, PartialEq)]
pub struct CreateIndexesRequest {
    /// The collection; created if it does not exist.
    pub namespace: Namespace,
    /// The specifications as they were given.
    pub indexes: Vec<Document>,
    /// Unknown options of a specification are left out instead of refused.
    pub ignore_unknown_options: bool,
}

/// What `createIndexes` did, for its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CreateIndexesOutcome {
    /// Indexes before, `_id_` counted.
    pub indexes_before: i32,
    /// Indexes after, `_id_` counted.
    pub indexes_after: i32,
    /// Whether the collection was created; `None` when every index existed already.
    pub created_collection: Option<bool>,
    /// MongoDB's note when some or all indexes existed already.
    pub note: Option<&'static str>,
}
