//! The tree of an expression and its evaluation.

use bson::raw::{RawArrayBuf, RawBson, RawBsonRef, RawDocumentBuf};

use super::{
    binding::Binding,
    budget::Budget,
    conditional::Branch,
    operator::{CallArgs, Operator},
    path::FieldPath,
    scope::Scope,
    value::Value,
};
use crate::query::{QueryError, document::append};

/// A node of the tree.
#[derive(Debug, Clone)]
pub(super) enum Node {
    /// A value; `None` is missing.
    Constant(Option<RawBson>),
    Path(FieldPath),
    Object(Vec<(String, Node)>),
    Array(Vec<Node>),
    /// A plain operator. `None` is a named argument that is not given.
    Call {
        operator: &'static Operator,
        arguments: Vec<Option<Node>>,
    },
    And(Vec<Node>),
    Or(Vec<Node>),
    /// The first that is not nullish, or the last.
    IfNull(Vec<Node>),
    /// `$cond` and `$switch`: the first branch whose condition holds. Without `otherwise`, an error
    /// if none does.
    Branches {
        branches: Vec<Branch>,
        otherwise: Option<Box<Node>>,
    },
    /// `$let`, `$map`, `$filter`, `$reduce`.
    Binding(Box<Binding>),
}

impl Node {
    #[expect(clippy::option_option, reason = "no constant, and a constant that is missing")]
    pub(super) fn constant(&self) -> Option<Option<RawBsonRef<'_>>> {
        match self {
            Self::Constant(value) => Some(value.as_ref().map(RawBson::as_raw_bson_ref)),
            _ => None,
        }
    }

    /// Recursion is bounded by the depth of the tree, which the parser bounds.
    pub(super) fn evaluate<'v>(&'v self, scope: &Scope<'v>) -> Result<Value<'v>, QueryError> {
        match self {
            Self::Constant(value) => Ok(value.as_ref().map(RawBson::as_raw_bson_ref).into()),
            Self::Path(path) => path.evaluate(scope),
            Self::Object(fields) => object(fields, scope),
            Self::Array(items) => array(items, scope),
            Self::Call { operator, arguments } => call(operator, arguments, scope),
            Self::And(parts) => all(parts, scope, true),
            Self::Or(parts) => all(parts, scope, false),
            Self::IfNull(parts) => super::conditional::if_null(parts, scope),
            Self::Branches { branches, otherwise } => {
                super::conditional::first(branches, otherwise.as_deref(), scope)
            }
            Self::Binding(binding) => binding.evaluate(scope).map(Value::from),
        }
    }

    pub(super) fn each_path<'n>(&'n self, visit: &mut dyn FnMut(&'n FieldPath)) {
        match self {
            Self::Constant(_) => {}
            Self::Path(path) => visit(path),
            Self::Object(fields) => fields.iter().for_each(|(_, node)| node.each_path(visit)),
            Self::Call { arguments, .. } => {
                arguments.iter().flatten().for_each(|node| node.each_path(visit));
            }
            Self::Array(nodes) | Self::And(nodes) | Self::Or(nodes) | Self::IfNull(nodes) => {
                for node in nodes {
                    node.each_path(visit);
                }
            }
            Self::Branches { branches, otherwise } => {
                for branch in branches {
                    branch.when.each_path(visit);
                    branch.then.each_path(visit);
                }
                if let Some(otherwise) = otherwise {
                    otherwise.each_path(visit);
                }
            }
            Self::Binding(binding) => binding.nodes().for_each(|node| node.each_path(visit)),
        }
    }
}

fn object<'v>(fields: &'v [(String, Node)], scope: &Scope<'v>) -> Result<Value<'v>, QueryError> {
    let (mut document, mut budget) = (RawDocumentBuf::new(), Budget::default());
    for (name, node) in fields {
        if let Some(value) = node.evaluate(scope)?.as_ref() {
            budget.take(value)?;
            append(&mut document, name, value)?;
        }
    }
    Ok(Value::Owned(RawBson::Document(document)))
}

fn array<'v>(items: &'v [Node], scope: &Scope<'v>) -> Result<Value<'v>, QueryError> {
    let (mut array, mut budget) = (RawArrayBuf::new(), Budget::default());
    for item in items {
        let value = item.evaluate(scope)?;
        let value = value.as_ref().unwrap_or(RawBsonRef::Null);
        budget.take(value)?;
        array.push(value);
    }
    Ok(Value::Owned(RawBson::Array(array)))
}

fn all<'v>(parts: &'v [Node], scope: &Scope<'v>, wanted: bool) -> Result<Value<'v>, QueryError> {
    for part in parts {
        if part.evaluate(scope)?.is_true() != wanted {
            return Ok(Value::Owned(RawBson::Boolean(!wanted)));
        }
    }
    Ok(Value::Owned(RawBson::Boolean(wanted)))
}

fn call<'v>(
    operator: &'static Operator,
    arguments: &'v [Option<Node>],
    scope: &Scope<'v>,
) -> Result<Value<'v>, QueryError> {
    let mut values = Vec::with_capacity(arguments.len());
    let (mut failed, mut budget) = (Vec::new(), Budget::default());
    for (at, argument) in arguments.iter().enumerate() {
        let value = argument.as_ref().map(|node| node.evaluate(scope)).transpose();
        values.push(match (value, operator.fallback(at)) {
            (Err(error), Some(name)) => {
                failed.push((name, error));
                Some(Value::Missing)
            }
            (value, _) => {
                let value = value?;
                value.iter().try_for_each(|value| budget.take_owned(value))?;
                value
            }
        });
    }
    let given = CallArgs { operator, values: &values, context: scope.context(), failed: &failed };
    (operator.run)(&given).map(Value::from)
}
