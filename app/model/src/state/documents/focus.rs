//! The document in the inspector, whole, with what the TTL indexes say about it.

use bson::{Bson, Document};
use mayfly_engine::reply::Verdict;

/// The document in the inspector.
#[derive(Debug, Clone, PartialEq)]
pub struct Focused {
    /// Its `_id`.
    pub id: Bson,
    /// All of it; `None` until it was read.
    pub document: Option<Document>,
    /// It was removed; its last known contents are shown.
    pub gone: bool,
    /// When it expires, and why.
    pub verdict: Option<Verdict>,
}

impl Focused {
    /// A document that is still to be read.
    pub fn new(id: Bson) -> Self {
        Self { id, document: None, gone: false, verdict: None }
    }
}
