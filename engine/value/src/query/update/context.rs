//! The inputs of an update other than the document.

use bson::raw::RawBson;

use crate::query::Filter;
use crate::value::Collation;

/// The inputs of an update other than the document.
#[derive(Debug, Clone, Copy, Default)]
pub struct UpdateContext<'c> {
    /// Milliseconds since 1970, for `$currentDate`.
    pub now_ms: i64,
    /// The filter that found the document, for the positional `$`.
    pub filter: Option<&'c Filter>,
    /// Variables that the filter may name.
    pub variables: &'c [(String, Option<RawBson>)],
    /// Whether the document is being inserted by an upsert, for `$setOnInsert`.
    pub inserting: bool,
    /// How text compares.
    pub collation: Option<&'c Collation>,
}
