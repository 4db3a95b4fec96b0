//! A filter as other folders see it: parsed once, then asked about each document.

use std::sync::Arc;

use bson::raw::{RawDocument, RawDocumentBuf};

use super::{
    expr::Expr,
    parse::{self, FilterContext},
};
use crate::{
    interrupt::run_within,
    query::{Context, QueryError, VariableNames},
    value::Collation,
};

/// A parsed filter and the document it came from. A clone is the same filter.
#[derive(Debug, Clone)]
pub struct Filter(Arc<FilterTree>);

#[derive(Debug)]
struct FilterTree {
    source: RawDocumentBuf,
    root: Expr,
    collation: Option<Collation>,
}

impl Filter {
    /// Parses a filter without `$expr`: it depends on nothing but the document.
    ///
    /// # Errors
    /// `BadValue`, `FailedToParse`, `InvalidRegex`, `Unsupported` with what is wrong.
    pub fn parse(filter: &RawDocument) -> Result<Self, QueryError> {
        Self::parse_in(filter, None)
    }

    /// As [`Filter::parse`], with text compared by a collation.
    ///
    /// # Errors
    /// As [`Filter::parse`].
    pub fn parse_in(
        filter: &RawDocument,
        collation: Option<&Collation>,
    ) -> Result<Self, QueryError> {
        let root = parse::filter(filter, FilterContext::Plain)?;
        Ok(Self::of(filter.to_owned(), root, collation))
    }

    /// Parses the filter of a query, which may have `$expr` at its top and in `$and`, `$or` and
    /// `$nor`. The expressions may name these variables, and text compares by their collation.
    ///
    /// # Errors
    /// As [`Filter::parse`], and what is wrong with an expression.
    pub fn parse_query(filter: &RawDocument, names: &VariableNames) -> Result<Self, QueryError> {
        let root = parse::filter(filter, FilterContext::Query(names))?;
        Ok(Self::of(filter.to_owned(), root, names.collation()))
    }

    /// The filter `{}`.
    pub fn matches_all() -> Self {
        Self::of(RawDocumentBuf::new(), Expr::True, None)
    }

    fn of(source: RawDocumentBuf, mut root: Expr, collation: Option<&Collation>) -> Self {
        if let Some(collation) = collation {
            root.collate(collation);
        }
        Self(Arc::new(FilterTree { source, root, collation: collation.cloned() }))
    }

    /// Whether the document matches a filter from [`Filter::parse`]; for a filter with `$expr` ask
    /// [`Filter::matches_in`].
    ///
    /// # Errors
    /// As [`Filter::matches_in`].
    pub fn matches(&self, document: &RawDocument) -> Result<bool, QueryError> {
        self.0.root.matches(document)
    }

    /// Whether a partial index with this filter holds the document. Nothing in such a
    /// filter can fail, and no limit ends it, because the index would then lack the document.
    pub fn covers(&self, document: &RawDocument) -> bool {
        run_within(None, || self.matches(document)).unwrap_or(false)
    }

    /// Whether the document matches; expressions see this context.
    ///
    /// # Errors
    /// An expression failed on this document, a regular expression took too many steps on it, or
    /// the operation had to end.
    pub fn matches_in(
        &self,
        document: &RawDocument,
        context: &Context,
    ) -> Result<bool, QueryError> {
        self.0.root.passes(document, Some(context))
    }

    /// Whether it contains an `$expr`.
    pub fn has_expression(&self) -> bool {
        self.0.root.has_expression()
    }

    /// The tree.
    pub fn root(&self) -> &Expr {
        &self.0.root
    }

    /// How its text compares.
    pub fn collation(&self) -> Option<&Collation> {
        self.0.collation.as_ref()
    }

    /// The filter as it was given.
    pub fn source(&self) -> &RawDocument {
        &self.0.source
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::matches_all()
    }
}

/// Filters are equal when they were written alike, byte for byte, with one collation.
impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.0.source.as_bytes() == other.0.source.as_bytes()
            && self.0.collation == other.0.collation
    }
}

impl Eq for Filter {}
