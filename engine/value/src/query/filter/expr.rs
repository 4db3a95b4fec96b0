//! The tree of a filter: conditions on documents, and tests on values.

use std::sync::Arc;

use bson::raw::RawBson;

use super::{bits::BitTest, pattern::Pattern, schema::Schema, types::TypeSet};
use crate::{
    query::Expression,
    value::{Collation, Path},
};

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
        /// The test that a candidate must pass.
        test: Test,
    },
}

/// A test of one value.
#[derive(Debug, Clone)]
pub enum Test {
    /// `$eq`, `$gt`, `$gte`, `$lt`, `$lte`, with MongoDB's type bracketing.
    Compare {
        /// Which comparison.
        op: CompareOp,
        /// The operand.
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
        /// The expected remainder.
        remainder: i64,
    },
    /// `$bitsAllSet` and its family.
    Bits(BitTest),
    /// A comparison with text, or `$in` of some, under a collation.
    Collated(Box<CollatedTest>),
    /// A negated list of tests; only inside [`Test::ElemMatchValue`].
    NotAll(Vec<Test>),
}

/// A [`Test::Compare`] or [`Test::In`] whose text compares by a collation. Tests without text are
/// the same in all collations, and are not marked.
#[derive(Debug, Clone)]
pub struct CollatedTest {
    pub collation: Collation,
    /// The comparison. Values of an `$in` are in the order of the collation.
    pub test: Test,
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
