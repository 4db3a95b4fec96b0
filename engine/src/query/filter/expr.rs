//! A filter as a tree of tests.

use std::sync::Arc;

use bson::raw::{RawBson, RawDocument, RawDocumentBuf};

use super::{
    bits::BitTest,
    parse::{self, FilterContext},
    pattern::Pattern,
    schema::Schema,
    types::TypeSet,
};
use crate::{
    interrupt::run_within,
    query::{Context, Expression, QueryError, VariableNames},
    value::Path,
};

/// A parsed filter and the document it came from. A clone is the same filter.
#[derive(Debug, Clone)]
pub struct Filter(Arc<FilterTree>);

#[derive(Debug)]
struct FilterTree {
    source: RawDocumentBuf,
    root: Expr,
}

/// A node of a filter. `plan` reads the tree to find bounds; `$ne`, `$nin` and `$exists: false` are
/// [`Expr::Not`] around their opposite, and `$all` is an [`Expr::And`].
#[derive(Debug, Clone)]
pub enum Expr {
    /// Every document matches.
    True,
    /// No document matches.
    False,
    /// All must hold. Never empty.
    And(Vec<Expr>),
    /// One must hold. Never empty.
    Or(Vec<Expr>),
    /// None may hold. Never empty.
    Nor(Vec<Expr>),
    /// Must not hold.
    Not(Box<Expr>),
    /// The document must keep a `$jsonSchema`.
    Schema(Arc<Schema>),
    /// `$expr`: the expression's value must be true. Only in filters of queries.
    Expression(Arc<Expression>),
    /// A test on a path. It holds when one of the path's candidates passes.
    Field {
        /// Where to look.
        path: Path,
        /// What a candidate must pass.
        test: Test,
    },
}

/// What one value must pass.
#[derive(Debug, Clone)]
pub enum Test {
    /// `$eq`, `$gt`, `$gte`, `$lt`, `$lte`, with MongoDB's type bracketing.
    Compare {
        /// Which comparison.
        op: CompareOp,
        /// What to compare with.
        value: RawBson,
    },
    /// `$in`: equal to one of the values or matched by one of the patterns.
    In {
        /// Values, in MongoDB's order (`Test::among` brings them into it).
        values: Vec<RawBson>,
        /// Regular expressions that stood in the list.
        patterns: Vec<Pattern>,
    },
    /// `$exists: true`.
    Exists,
    /// `$type`.
    Type(TypeSet),
    /// `$regex` or a regular expression in the place of a value.
    Regex(Pattern),
    /// `$elemMatch` with a filter for documents.
    ElemMatchDocument(Box<Expr>),
    /// `$elemMatch` with operators for plain values: one element must pass all.
    ElemMatchValue(Vec<Test>),
    /// `$size`.
    Size(i64),
    /// `$mod`.
    Mod {
        /// Not 0.
        divisor: i64,
        /// What must be left.
        remainder: i64,
    },
    /// `$bitsAllSet` and its family.
    Bits(BitTest),
    /// A negated list of tests; only inside [`Test::ElemMatchValue`].
    NotAll(Vec<Test>),
}

/// The five comparisons.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompareOp {
    /// `$eq`
    Eq,
    /// `$gt`
    Gt,
    /// `$gte`
    Gte,
    /// `$lt`
    Lt,
    /// `$lte`
    Lte,
}

impl Filter {
    /// Parses a filter without `$expr`: it depends on nothing but the document.
    ///
    /// # Errors
    /// `BadValue`, `FailedToParse`, `InvalidRegex`, `Unsupported` with what is wrong.
    pub fn parse(filter: &RawDocument) -> Result<Self, QueryError> {
        Ok(Self::of(filter.to_owned(), parse::filter(filter, FilterContext::Plain)?))
    }

    /// Parses the filter of a query, which may have `$expr` at its top and in `$and`, `$or` and
    /// `$nor`. The expressions may name these variables.
    ///
    /// # Errors
    /// As [`Filter::parse`], and what is wrong with an expression.
    pub fn parse_query(filter: &RawDocument, names: &VariableNames) -> Result<Self, QueryError> {
        Ok(Self::of(filter.to_owned(), parse::filter(filter, FilterContext::Query(names))?))
    }

    /// The filter `{}`.
    #[must_use]
    pub fn matches_all() -> Self {
        Self::of(RawDocumentBuf::new(), Expr::True)
    }

    fn of(source: RawDocumentBuf, root: Expr) -> Self {
        Self(Arc::new(FilterTree { source, root }))
    }

    /// Whether the document matches a filter from [`Filter::parse`]; for a filter with `$expr` ask
    /// [`Filter::matches_in`].
    ///
    /// # Errors
    /// As [`Filter::matches_in`].
    pub fn matches(&self, document: &RawDocument) -> Result<bool, QueryError> {
        self.0.root.matches(document)
    }

    /// Whether a partial index with this filter holds the document. Nothing that may stand in such
    /// a filter can fail, and no limit ends it, because the index would lack the document.
    #[must_use]
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

    /// Whether an `$expr` stands in it.
    #[must_use]
    pub fn has_expression(&self) -> bool {
        self.0.root.has_expression()
    }

    /// The tree.
    #[must_use]
    pub fn root(&self) -> &Expr {
        &self.0.root
    }

    /// The filter as it was given.
    #[must_use]
    pub fn source(&self) -> &RawDocument {
        &self.0.source
    }
}

impl Default for Filter {
    fn default() -> Self {
        Self::matches_all()
    }
}

/// Filters are equal when they were written alike, byte for byte.
impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        self.0.source.as_bytes() == other.0.source.as_bytes()
    }
}

impl Eq for Filter {}
