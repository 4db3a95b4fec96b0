//! A schema as a list of rules.

use bson::raw::{RawBson, RawBsonRef, RawDocument};

use super::parse;
use crate::query::{
    QueryError,
    filter::{Pattern, TypeSet},
};

/// A parsed schema: a value must keep every rule.
#[derive(Debug, Clone, Default)]
pub struct Schema {
    pub(super) rules: Vec<Rule>,
}

/// One keyword, or keywords that are read together. Apart from `type`, `enum` and the combinations
/// a rule says nothing about values of a type that it is not made for.
#[derive(Debug, Clone)]
pub(super) enum Rule {
    Type(TypeSet),
    /// In MongoDB's order.
    Enum(Vec<RawBson>),
    Minimum {
        value: RawBson,
        exclusive: bool,
    },
    Maximum {
        value: RawBson,
        exclusive: bool,
    },
    MultipleOf(RawBson),
    MinLength(usize),
    MaxLength(usize),
    Pattern(Pattern),
    Properties(Properties),
    Required(Vec<String>),
    MinProperties(usize),
    MaxProperties(usize),
    Dependencies(Vec<(String, Dependency)>),
    Items {
        items: Items,
        others: Others,
    },
    MinItems(usize),
    MaxItems(usize),
    UniqueItems,
    AllOf(Vec<Schema>),
    AnyOf(Vec<Schema>),
    OneOf(Vec<Schema>),
    Not(Schema),
}

/// Schemas of fields by name, by pattern, and of all others.
#[derive(Debug, Clone, Default)]
pub(super) struct Properties {
    pub named: Vec<(String, Schema)>,
    pub patterns: Vec<(Pattern, Schema)>,
    pub others: Others,
}

/// The rule for fields or elements that no other keyword covers.
#[derive(Debug, Clone, Default)]
pub(super) enum Others {
    #[default]
    Allowed,
    Forbidden,
    Keep(Box<Schema>),
}

/// The requirement that the presence of a field brings.
#[derive(Debug, Clone)]
pub(super) enum Dependency {
    Fields(Vec<String>),
    Keep(Schema),
}

/// Schemas of elements: one for all, or one for each place.
#[derive(Debug, Clone)]
pub(super) enum Items {
    All(Box<Schema>),
    Each(Vec<Schema>),
}

impl Schema {
    /// Parses the argument of `$jsonSchema`.
    ///
    /// # Errors
    /// A keyword that is unknown or not supported, or a value that it can't have.
    pub fn parse(schema: RawBsonRef<'_>) -> Result<Self, QueryError> {
        match schema {
            RawBsonRef::Document(schema) => parse::schema(schema, 0),
            _ => Err(QueryError::type_mismatch("$jsonSchema must be an object")),
        }
    }

    /// Whether a document keeps the schema.
    ///
    /// # Errors
    /// A pattern took too many steps, or the operation had to end.
    pub fn matches(&self, document: &RawDocument) -> Result<bool, QueryError> {
        self.holds(RawBsonRef::Document(document))
    }
}
