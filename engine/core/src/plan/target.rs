//! The documents that a search returns, and their order.

use bson::raw::RawBson;

use crate::{
    query::{Filter, Sort},
    value::Collation,
};

/// The documents that a search returns, and their order.
#[derive(Debug, Clone)]
pub struct Target {
    pub filter: Filter,
    pub sort: Option<Sort>,
    pub skip: u64,
    /// `None` returns all.
    pub limit: Option<u64>,
    /// Whether damaged documents are skipped and counted; otherwise one ends the search.
    pub leaves_out_damaged: bool,
    /// Variables that expressions of the filter may use; a value of `None` is missing.
    pub variables: Vec<(String, Option<RawBson>)>,
    /// How text compares in expressions, and in the changes of an update.
    pub collation: Option<Collation>,
}

impl Target {
    /// Everything that matches a filter, in any order.
    pub fn matching(filter: Filter) -> Self {
        Self {
            collation: filter.collation().cloned(),
            filter,
            sort: None,
            skip: 0,
            limit: None,
            leaves_out_damaged: false,
            variables: Vec::new(),
        }
    }
}
