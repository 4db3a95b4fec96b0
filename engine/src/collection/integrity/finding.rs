//! What verify, the scrub and the trash report as wrong.

use crate::{catalog::Namespace, store::RecordNumber};

/// One thing that is wrong in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The collection.
    pub namespace: Namespace,
    /// The index, if it is about one.
    pub index: Option<String>,
    /// The record number, if it is about one document.
    pub record: Option<RecordNumber>,
    /// What is wrong, as one sentence.
    pub sentence: String,
}

/// A namespace for what belongs to no collection.
pub(in crate::collection) fn own(name: &str) -> Namespace {
    Namespace { db: "admin".to_owned(), collection: name.to_owned() }
}
