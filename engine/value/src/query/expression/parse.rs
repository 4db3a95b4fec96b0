//! From BSON to the tree of an expression.

use bson::raw::{RawArray, RawBsonRef, RawDocument};

use super::{
    date::{refuse_count, refuse_dated},
    names::VariableNames,
    node::Node,
    operator::{Arguments, DATED, NamedMistake, Operator},
    path::{FieldPath, check_field_name},
    scope::{Context, Scope},
};
use crate::{
    query::{Code, QueryError},
    value::{Collation, Layout, shell},
};

/// Levels of one expression. Commands nest no deeper, so only callers that skip the scan meet it.
const DEPTH_MAX: usize = 200;

/// The argument that is not an expression: its names are dotted paths.
const LITERAL: (&str, &str) = ("$sortArray", "sortBy");

/// A parser at one place of an expression.
#[derive(Debug)]
pub(super) struct Parser {
    pub names: VariableNames,
    depth: usize,
    /// Passed in, because the table of operators names the forms, and their parsers call this one.
    find: fn(&str) -> Option<NameLookup>,
}

/// An operator that decides which arguments it evaluates, or that binds variables.
pub(super) struct Form {
    /// With `$`.
    pub name: &'static str,
    pub parse: fn(&mut Parser, RawBsonRef<'_>) -> Result<Node, QueryError>,
}

/// The operator of a name.
pub(super) enum NameLookup {
    Operator(&'static Operator),
    Form(&'static Form),
    /// Mayfly has no such operator; it would need this.
    Refused(&'static str),
}

impl Parser {
    pub(super) fn new(names: &VariableNames, find: fn(&str) -> Option<NameLookup>) -> Self {
        Self { names: names.clone(), depth: 0, find }
    }

    /// Parses an operand. Recursion is bounded by `DEPTH_MAX`.
    pub(super) fn operand(&mut self, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
        if self.depth >= DEPTH_MAX {
            return Err(QueryError::new(
                Code::OVERFLOW,
                format!(
                    "the expression is nested too deep; at most {DEPTH_MAX} levels are possible"
                ),
            ));
        }
        self.depth += 1;
        let node = match value {
            RawBsonRef::String(text) if text.starts_with('$') => {
                FieldPath::parse(text, &self.names).map(Node::Path)
            }
            RawBsonRef::Document(document) => self.document(document),
            RawBsonRef::Array(array) => self.list(array).map(Node::Array),
            value => Ok(Node::Constant(Some(value.into()))),
        };
        self.depth -= 1;
        node.map(|node| fold(node, self.names.collation()))
    }

    /// Parses a list of arguments; one argument may stand without an array.
    pub(super) fn arguments(&mut self, value: RawBsonRef<'_>) -> Result<Vec<Node>, QueryError> {
        match value {
            RawBsonRef::Array(array) => self.list(array),
            value => Ok(vec![self.operand(value)?]),
        }
    }

    /// Parses with one more variable in sight.
    pub(super) fn operand_with(
        &mut self,
        variables: &[&str],
        value: RawBsonRef<'_>,
    ) -> Result<Node, QueryError> {
        let outside = self.names.clone();
        for name in variables {
            self.names = std::mem::take(&mut self.names).with(name);
        }
        let node = self.operand(value);
        self.names = outside;
        node
    }

    fn list(&mut self, array: &RawArray) -> Result<Vec<Node>, QueryError> {
        array.into_iter().map(|item| self.operand(item?)).collect()
    }

    fn document(&mut self, document: &RawDocument) -> Result<Node, QueryError> {
        match document.into_iter().next().transpose()? {
            Some((name, value)) if name.as_str().starts_with('$') => {
                if document.into_iter().nth(1).is_some() {
                    return Err(refused!(
                        15983,
                        "an expression specification must contain exactly one field, the name \
                             of the expression. Found {} fields in {}, while parsing object",
                        document.into_iter().count(),
                        shell::write_document(document, Layout::OneLine)
                    ));
                }
                self.named(name.as_str(), value)
            }
            _ => self.object(document),
        }
    }

    fn object(&mut self, document: &RawDocument) -> Result<Node, QueryError> {
        let mut fields: Vec<(String, Node)> = Vec::new();
        for element in document {
            let (name, value) = element?;
            let name = name.as_str();
            check_field_name(name)?;
            if fields.iter().any(|(known, _)| known == name) {
                return Err(refused!(
                    16406,
                    "duplicate field name specified in object literal: {}",
                    shell::write_document(document, Layout::OneLine)
                ));
            }
            fields.push((name.to_owned(), self.operand(value)?));
        }
        Ok(Node::Object(fields))
    }

    fn named(&mut self, name: &str, value: RawBsonRef<'_>) -> Result<Node, QueryError> {
        match (self.find)(name) {
            Some(NameLookup::Operator(operator)) => self.call(operator, value),
            Some(NameLookup::Form(form)) => (form.parse)(self, value),
            Some(NameLookup::Refused(needs)) => Err(QueryError::unsupported(format!(
                "{name} is not supported: Mayfly has no {needs}"
            ))),
            None => {
                Err(refused!(Code::INVALID_PIPELINE_OPERATOR, "Unrecognized expression '{name}'"))
            }
        }
    }

    pub(super) fn call(
        &mut self,
        operator: &'static Operator,
        value: RawBsonRef<'_>,
    ) -> Result<Node, QueryError> {
        if let Arguments::Named { fields, refuse } = operator.arguments {
            let arguments = self.named_arguments(operator.name, fields, refuse, value)?;
            return Ok(Node::Call { operator, arguments });
        }
        if let Arguments::Dated = operator.arguments {
            let arguments = self.dated(operator.name, value)?;
            return Ok(Node::Call { operator, arguments });
        }
        let arguments = self.arguments(value)?;
        operator.check_count(arguments.len())?;
        if operator.name == "$setEquals" {
            super::set::check_constants(arguments.iter().map(Node::constant))?;
        }
        Ok(Node::Call { operator, arguments: arguments.into_iter().map(Some).collect() })
    }

    /// A date alone, alone in an array, or with a time zone. A document is an expression if its
    /// first field begins with `$`.
    fn dated(
        &mut self,
        operator: &'static str,
        value: RawBsonRef<'_>,
    ) -> Result<Vec<Option<Node>>, QueryError> {
        let date = match value {
            RawBsonRef::Document(document) => {
                let first = document.into_iter().next().transpose()?;
                if !first.is_some_and(|(name, _)| name.as_str().starts_with('$')) {
                    return self.named_arguments(operator, DATED, refuse_dated, value);
                }
                value
            }
            RawBsonRef::Array(array) => {
                let mut items = array.into_iter();
                match (items.next(), items.next()) {
                    (Some(date), None) => date?,
                    _ => return Err(refuse_count(operator, array.into_iter().count())),
                }
            }
            value => value,
        };
        Ok(vec![Some(self.operand(date)?), None])
    }

    fn named_arguments(
        &mut self,
        operator: &'static str,
        fields: &[(&'static str, bool)],
        refuse: fn(&'static str, NamedMistake<'_>) -> QueryError,
        value: RawBsonRef<'_>,
    ) -> Result<Vec<Option<Node>>, QueryError> {
        let RawBsonRef::Document(document) = value else {
            return Err(refuse(operator, NamedMistake::NotDocument(value)));
        };
        if matches!(operator, "$setField" | "$unsetField") {
            super::field::check_name(operator, document)?;
        }
        let mut arguments = vec![None; fields.len()];
        for element in document {
            let (name, value) = element?;
            let name = name.as_str();
            let slot = fields.iter().zip(&mut arguments).find(|((known, _), _)| *known == name);
            let Some((_, slot)) = slot else {
                return Err(refuse(operator, NamedMistake::Unknown(name)));
            };
            *slot = Some(if (operator, name) == LITERAL {
                Node::Constant(Some(value.into()))
            } else {
                self.operand(value)?
            });
        }
        for ((name, required), argument) in fields.iter().zip(&arguments) {
            if *required && argument.is_none() {
                return Err(refuse(operator, NamedMistake::Missing(name)));
            }
        }
        Ok(arguments)
    }
}

/// The value in place of a node that is the same for all documents.
fn fold(node: Node, collation: Option<&Collation>) -> Node {
    let is_constant = |node: &Node| matches!(node, Node::Constant(_));
    let foldable = match &node {
        Node::Object(fields) => fields.iter().all(|(_, node)| is_constant(node)),
        Node::Array(nodes) | Node::And(nodes) | Node::Or(nodes) | Node::IfNull(nodes) => {
            nodes.iter().all(is_constant)
        }
        Node::Call { operator, arguments } => {
            operator.name != "$rand" && arguments.iter().flatten().all(is_constant)
        }
        Node::Branches { branches, otherwise } => {
            branches.iter().all(|branch| is_constant(&branch.when) && is_constant(&branch.then))
                && otherwise.as_deref().is_none_or(is_constant)
        }
        Node::Constant(_) | Node::Path(_) | Node::Binding(_) => false,
    };
    if !foldable {
        return node;
    }
    let root = bson::RawDocumentBuf::new();
    let context = Context::default().with_collation(collation);
    match node.evaluate(&Scope::new(&root, &context)) {
        Ok(value) => Node::Constant(value.into_owned()),
        // A node that would fail stays, so that it fails only where it is evaluated.
        Err(_) => node,
    }
}
