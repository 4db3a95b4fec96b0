//! An expression as other folders see it: parsed once, then evaluated for each document.

use bson::raw::RawBsonRef;

use super::{names::VariableNames, node::Node, parse::Parser, scope::Scope, table, value::Value};
use crate::query::QueryError;

/// A parsed expression.
#[derive(Debug, Clone)]
pub struct Expression(Node);

impl Expression {
    /// Parses an expression: a constant, a path (`"$a.b"`), an object, an array or an operator.
    ///
    /// # Errors
    /// An unknown operator or variable, wrong arguments, a bad path.
    pub fn parse(value: RawBsonRef<'_>, names: &VariableNames) -> Result<Self, QueryError> {
        Parser::new(names, table::find).operand(value).map(Self)
    }

    /// The value for one document.
    ///
    /// # Errors
    /// An operator met a value that it can't use.
    pub fn evaluate<'v>(&'v self, scope: &Scope<'v>) -> Result<Value<'v>, QueryError> {
        self.0.evaluate(scope)
    }

    /// The value, if the expression is the same for all documents; the inner `None` is missing.
    pub fn constant(&self) -> Option<Option<RawBsonRef<'_>>> {
        self.0.constant()
    }

    /// Names of the document's top-level fields that the expression reads; `None` if it reads the
    /// whole document.
    pub fn dependencies(&self) -> Option<Vec<&str>> {
        let mut found = Some(Vec::new());
        self.0.each_path(&mut |path| {
            let from_document =
                path.variable.as_deref().is_none_or(|name| name == "ROOT" || name == "CURRENT");
            match (path.parts.first(), &mut found) {
                _ if !from_document => {}
                (Some(name), Some(names)) if !names.contains(&name.as_str()) => names.push(name),
                (Some(_), _) => {}
                (None, _) => found = None,
            }
        });
        found
    }
}
