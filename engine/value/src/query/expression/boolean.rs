//! `$and`, `$or`, `$not`.

use bson::raw::{RawBson, RawBsonRef};

use super::{
    node::Node,
    operator::{Arguments, CallArgs, Operator, Outcome},
    parse::Parser,
    value::is_true,
};
use crate::query::QueryError;

pub(super) static OPERATORS: &[Operator] =
    &[Operator { name: "$not", arguments: Arguments::Exactly(1), run: not }];

pub(super) fn and(parser: &mut Parser, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
    parser.arguments(value).map(Node::And)
}

pub(super) fn or(parser: &mut Parser, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
    parser.arguments(value).map(Node::Or)
}

#[expect(clippy::unnecessary_wraps, reason = "what operators give")]
fn not(given: &CallArgs<'_>) -> Outcome {
    Ok(Some(RawBson::Boolean(!is_true(given.at(0)))))
}
