//! `dropIndexes`.

use bson::Document;

/// Which indexes to drop.
#[derive(Debug, Clone, PartialEq)]
pub enum IndexSelector {
    /// `"*"`: all but `_id_`.
    All,
    /// By name; all or none.
    Names(Vec<String>),
    /// By key pattern.
    Key(Document),
}

/// What `dropIndexes` did, for its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DropIndexesOutcome {
    /// Indexes before, `_id_` counted.
    pub indexes_before: i32,
}
