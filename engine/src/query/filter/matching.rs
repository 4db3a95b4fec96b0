//! Whether a document passes a filter's tree.

use bson::raw::RawDocument;

use super::expr::Expr;

impl Expr {
    /// Whether the document passes.
    pub fn matches(&self, document: &RawDocument) -> bool {
        todo!("{document:?}")
    }
}
