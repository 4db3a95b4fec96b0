//! `$cond`, `$ifNull`, `$switch`: only the branch that is taken is evaluated.

use bson::raw::{RawBsonRef, RawDocument};

use super::{
    node::Node,
    parse::Parser,
    scope::Scope,
    value::{Value, type_name},
};
use crate::query::{QueryError, error::refused};

/// A condition and what it leads to.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    pub when: Node,
    pub then: Node,
}

/// The value of the first branch whose condition holds.
pub(super) fn first<'v>(
    branches: &'v [Branch],
    otherwise: Option<&'v Node>,
    scope: &Scope<'v>,
) -> Result<Value<'v>, QueryError> {
    for branch in branches {
        if branch.when.evaluate(scope)?.is_true() {
            return branch.then.evaluate(scope);
        }
    }
    let Some(otherwise) = otherwise else {
        return Err(refused(
            40066,
            "$switch could not find a matching branch for an input, and no default was specified.",
        ));
    };
    otherwise.evaluate(scope)
}

/// The first value that is not nullish, or the last.
pub(super) fn if_null<'v>(parts: &'v [Node], scope: &Scope<'v>) -> Result<Value<'v>, QueryError> {
    let mut last = Value::Missing;
    for part in parts {
        last = part.evaluate(scope)?;
        if !last.is_nullish() {
            break;
        }
    }
    Ok(last)
}

pub(super) fn parse_if_null(
    parser: &mut Parser,
    value: RawBsonRef<'_>,
) -> Result<Node, QueryError> {
    let parts = parser.arguments(value)?;
    if parts.len() < 2 {
        return Err(refused!(
            1257300,
            "$ifNull needs at least two arguments, had: {}",
            parts.len()
        ));
    }
    Ok(Node::IfNull(parts))
}

pub(super) fn cond(parser: &mut Parser, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
    let (when, then, otherwise) = match value {
        RawBsonRef::Document(document) => cond_fields(parser, document)?,
        value => {
            let parts = parser.arguments(value)?;
            let count = parts.len();
            let [when, then, otherwise] = <[Node; 3]>::try_from(parts).map_err(|_| {
                refused!(
                    16020,
                    "Expression $cond takes exactly 3 arguments. {count} were passed in."
                )
            })?;
            (when, then, otherwise)
        }
    };
    let otherwise = Some(Box::new(otherwise));
    Ok(Node::Branches { branches: vec![Branch { when, then }], otherwise })
}

fn cond_fields(
    parser: &mut Parser,
    document: &RawDocument,
) -> Result<(Node, Node, Node), QueryError> {
    let (mut when, mut then, mut otherwise) = (None, None, None);
    for element in document {
        let (name, value) = element?;
        let slot = match name.as_str() {
            "if" => &mut when,
            "then" => &mut then,
            "else" => &mut otherwise,
            name => {
                return Err(refused(17083, format!("Unrecognized parameter to $cond: {name}")));
            }
        };
        *slot = Some(parser.operand(value)?);
    }
    let missing = |code, name: &str| refused(code, format!("Missing '{name}' parameter to $cond"));
    Ok((
        when.ok_or_else(|| missing(17080, "if"))?,
        then.ok_or_else(|| missing(17081, "then"))?,
        otherwise.ok_or_else(|| missing(17082, "else"))?,
    ))
}

pub(super) fn switch(parser: &mut Parser, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
    let RawBsonRef::Document(document) = value else {
        return Err(refused(
            40060,
            format!("$switch requires an object as an argument, found: {}", type_name(Some(value))),
        ));
    };
    let (mut branches, mut otherwise) = (Vec::new(), None);
    for element in document {
        let (name, value) = element?;
        match (name.as_str(), value) {
            ("branches", RawBsonRef::Array(list)) => {
                for item in list {
                    branches.push(switch_branch(parser, item?)?);
                }
            }
            ("branches", value) => {
                return Err(refused!(
                    40061,
                    "$switch expected an array for 'branches', found: {}",
                    type_name(Some(value))
                ));
            }
            ("default", value) => otherwise = Some(Box::new(parser.operand(value)?)),
            (name, _) => {
                return Err(refused(40067, format!("$switch found an unknown argument: {name}")));
            }
        }
    }
    if branches.is_empty() {
        return Err(refused(40068, "$switch requires at least one branch."));
    }
    let none_can_hold = branches.iter().all(|branch| match branch.when.constant() {
        Some(value) => !Value::from(value).is_true(),
        None => false,
    });
    if none_can_hold && otherwise.is_none() {
        return Err(refused(
            40069,
            "One cannot execute a switch statement where all the cases evaluate to false without \
             a default.",
        ));
    }
    Ok(Node::Branches { branches, otherwise })
}

fn switch_branch(parser: &mut Parser, item: RawBsonRef<'_>) -> Result<Branch, QueryError> {
    let RawBsonRef::Document(document) = item else {
        return Err(refused!(
            40062,
            "$switch expected each branch to be an object, found: {}",
            type_name(Some(item))
        ));
    };
    let (mut when, mut then) = (None, None);
    for element in document {
        let (name, value) = element?;
        match name.as_str() {
            "case" => when = Some(parser.operand(value)?),
            "then" => then = Some(parser.operand(value)?),
            name => {
                return Err(refused!(
                    40063,
                    "$switch found an unknown argument to a branch: {name}"
                ));
            }
        }
    }
    let missing = |code, name: &str| {
        refused(code, format!("$switch requires each branch have a '{name}' expression"))
    };
    Ok(Branch {
        when: when.ok_or_else(|| missing(40064, "case"))?,
        then: then.ok_or_else(|| missing(40065, "then"))?,
    })
}
