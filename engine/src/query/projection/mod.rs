//! Projections: which fields of a document to return.

use bson::raw::{RawDocument, RawDocumentBuf};

use super::QueryError;

/// A parsed projection.
#[derive(Debug, Clone)]
pub struct Projection {}

impl Projection {
    /// Parses a projection; `None` if it is empty, which returns whole documents.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(projection: &RawDocument) -> Result<Option<Self>, QueryError> {
        todo!("{projection:?}")
    }

    /// The part of the document that the projection keeps.
    pub fn apply(&self, document: &RawDocument) -> RawDocumentBuf {
        todo!("{document:?}")
    }
}
