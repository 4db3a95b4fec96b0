//! What a search looks for.

use bson::raw::RawBson;

use crate::query::{Filter, Sort};

/// What a search looks for.
#[derive(Debug, Clone)]
pub struct Target {
    /// What documents must match.
    pub filter: Filter,
    /// In which order.
    pub sort: Option<Sort>,
    /// Documents left out at the start.
    pub skip: u64,
    /// Most documents; none: all.
    pub limit: Option<u64>,
    /// Whether a damaged document is left out and counted. Else it ends the search.
    pub leaves_out_damaged: bool,
    /// Variables that expressions of the filter may name; `None` is missing.
    pub variables: Vec<(String, Option<RawBson>)>,
}

impl Target {
    /// Everything that matches a filter.
    #[must_use]
    pub fn matching(filter: Filter) -> Self {
        Self {
            filter,
            sort: None,
            skip: 0,
            limit: None,
            leaves_out_damaged: false,
            variables: Vec::new(),
        }
    }
}
