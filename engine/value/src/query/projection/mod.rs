//! Projections: which fields of a document to return.

mod apply;
mod parse;
mod positional;

#[cfg(test)]
mod tests;

use bson::raw::{RawDocument, RawDocumentBuf};
use positional::Positional;

use super::{
    Context, Filter, QueryError, Scope, Test, VariableNames,
    named_list::NamedList,
    reshape::{Fields, compute},
};

/// A parsed projection.
#[derive(Debug, Clone)]
pub struct Projection {
    mode: Mode,
    root: Node,
    /// Fields that are computed from the whole document and set in what is kept of it.
    computed: Fields,
    positional: Option<Box<Positional>>,
}

/// Whose projection it is: some operators belong to `find` alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Find,
    Stage,
}

/// Whether the fields listed are kept or left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Inclusion,
    Exclusion,
}

/// The listed fields of one document level.
#[derive(Debug, Clone, Default)]
struct Node {
    children: NamedList<Child>,
    /// Whether fields within are computed: another value is then kept, for a document of
    /// those fields to take its place.
    is_computed: bool,
}

#[derive(Debug, Clone)]
enum Child {
    /// Keep, or leave out, as the mode says.
    Leaf,
    Tree(Node),
    Slice(Slice),
    /// Keep the first matching element; in an inclusion the field comes last.
    ElemMatch(Test),
}

/// A part of an array: `skip` elements from the start, or from the end if negative, then `limit`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Slice {
    skip: i64,
    limit: i64,
}

impl Projection {
    /// Parses a projection; `None` if it is empty, which returns whole documents.
    ///
    /// # Errors
    /// The first invalid part.
    pub fn parse(projection: &RawDocument) -> Result<Option<Self>, QueryError> {
        Self::parse_with(projection, &VariableNames::default())
    }

    /// As [`Projection::parse`], with the variables of the command's `let`.
    ///
    /// # Errors
    /// The first invalid part.
    pub fn parse_with(
        projection: &RawDocument,
        names: &VariableNames,
    ) -> Result<Option<Self>, QueryError> {
        parse::projection(projection, Dialect::Find, names)
    }

    /// Parses the document of `$project`, which knows no `$slice` and `$elemMatch` of `find`.
    pub(super) fn parse_stage(
        projection: &RawDocument,
        names: &VariableNames,
    ) -> Result<Option<Self>, QueryError> {
        parse::projection(projection, Dialect::Stage, names)
    }

    /// With the query whose match `{"array.$": 1}` asks for.
    #[must_use]
    pub fn with_query(mut self, query: &Filter) -> Self {
        if let Some(positional) = &mut self.positional {
            positional.query = Some(query.clone());
        }
        self
    }

    /// Whether there are fields that are computed.
    pub fn computes(&self) -> bool {
        !self.computed.is_empty()
    }

    /// The part of the document that the projection keeps, and what it computes. Fields that are
    /// kept stay in their order; computed ones come last.
    ///
    /// # Errors
    /// Those of an expression; `Positional` when the query has met no element of the array.
    pub fn apply(
        &self,
        document: &RawDocument,
        context: &Context,
    ) -> Result<RawDocumentBuf, QueryError> {
        let mut kept = apply::document(self.mode, &self.root, document)?;
        if let Some(positional) = &self.positional {
            kept = positional.apply(document, &kept, context)?;
        }
        if self.computed.is_empty() {
            return Ok(kept);
        }
        compute(&self.computed, &kept, &Scope::new(document, context))
    }
}

impl Node {
    fn child(&self, name: &str) -> Option<&Child> {
        self.children.get(name)
    }
}
