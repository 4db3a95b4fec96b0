//! Projections: which fields of a document to return.

mod apply;
mod parse;

#[cfg(test)]
mod tests;

use bson::raw::{RawDocument, RawDocumentBuf};

use super::{QueryError, Test};

/// A parsed projection.
#[derive(Debug, Clone)]
pub struct Projection {
    mode: Mode,
    root: Node,
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
    children: Vec<(String, Child)>,
}

#[derive(Debug, Clone)]
enum Child {
    /// Keep, or leave out, as the mode says.
    Leaf,
    /// Look inside.
    Tree(Node),
    /// Keep a part of the array.
    Slice(Slice),
    /// Keep the first matching element; the field comes last.
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
    /// What is wrong with it.
    pub fn parse(projection: &RawDocument) -> Result<Option<Self>, QueryError> {
        parse::projection(projection)
    }

    /// The part of the document that the projection keeps.
    #[must_use]
    pub fn apply(&self, document: &RawDocument) -> RawDocumentBuf {
        apply::document(self.mode, &self.root, document)
    }
}

impl Node {
    fn child(&self, name: &str) -> Option<&Child> {
        self.children.iter().find(|(other, _)| other == name).map(|(_, child)| child)
    }
}
