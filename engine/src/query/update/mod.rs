//! Updates: from one document to the next.

use bson::{
    Document,
    raw::{RawBsonRef, RawDocument},
};

use super::{Filter, QueryError};

/// A parsed update: operators or a replacement.
#[derive(Debug, Clone)]
pub struct Update {}

/// What an update may depend on beside the document.
#[derive(Debug, Clone, Copy)]
pub struct UpdateContext<'c> {
    /// Milliseconds since 1970, for `$currentDate`.
    pub now_ms: i64,
    /// The filter that found the document, for the positional `$`.
    pub filter: Option<&'c Filter>,
    /// Whether the document is being inserted by an upsert, for `$setOnInsert`.
    pub inserting: bool,
}

impl Update {
    /// Parses an update. `array_filters` name the `$[identifier]`s in its paths.
    ///
    /// # Errors
    /// What is wrong with it. A pipeline (an array) is `Unsupported`.
    pub fn parse(
        update: RawBsonRef<'_>,
        array_filters: &[&RawDocument],
    ) -> Result<Self, QueryError> {
        todo!("{update:?} {array_filters:?}")
    }

    /// Whether the update replaces the whole document.
    pub fn is_replacement(&self) -> bool {
        todo!()
    }

    /// The document after the update; `None` if nothing changes. `_id`, if there is one, is the
    /// first field of the result. The document is given to the update without one only on an
    /// upsert; the caller then adds one if it is still missing.
    ///
    /// # Errors
    /// `ImmutableField`, `PathNotViable`, `TypeMismatch` and others, when the document and the
    /// update do not fit.
    pub fn apply(
        &self,
        document: &Document,
        context: &UpdateContext<'_>,
    ) -> Result<Option<Document>, QueryError> {
        todo!("{document:?} {context:?}")
    }

    /// The document that an upsert starts from: the filter's equalities.
    ///
    /// # Errors
    /// `NotSingleValueField` when equalities contradict each other.
    pub fn upsert_seed(filter: &Filter) -> Result<Document, QueryError> {
        todo!("{filter:?}")
    }
}
