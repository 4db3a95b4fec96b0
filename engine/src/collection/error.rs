//! Why a write or a change of definitions failed.

use bson::{Bson, Document};
use thiserror::Error;

use crate::{
    catalog::{CatalogError, Namespace},
    interrupt::Ended,
    query::{QueryError, QueryErrorKind},
    store::StoreError,
};

/// Why a write or a change of definitions failed. All kinds but [`WriteError::Store`] leave the
/// transaction good: nothing of the refused document was written.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WriteError {
    /// A unique index has the key already.
    #[error(transparent)]
    DuplicateKey(Box<DuplicateKey>),
    /// Two fields of a compound index hold different arrays (MongoDB: 171, `CannotIndexParallelArrays`).
    #[error(
        "the index {index} can't hold a document with an array in two of its fields; keep an array in only one of them"
    )]
    ParallelArrays {
        /// The index.
        index: String,
    },
    /// The collection's validator does not match the document (MongoDB: 121,
    /// `DocumentValidationFailure`).
    #[error("Document failed validation")]
    Invalid {
        /// The document's `_id`.
        id: Option<Bson>,
        /// Which parts of the validator do not match.
        details: Box<Document>,
    },
    /// Whether the collection's validator matches the document can't be found out.
    #[error("whether the document keeps the collection's validator is not known: {0}")]
    Undecided(QueryError),
    /// An index holds values twice, so it can't become unique (MongoDB: 359,
    /// `CannotConvertIndexToUnique`).
    #[error(
        "Cannot convert the index to unique. Please resolve conflicting documents before running \
         collMod again."
    )]
    NotUnique {
        /// The `_id`s of documents that have a value in common, group by group; not all of them if
        /// there are many.
        violations: Vec<Vec<Bson>>,
    },
    /// The document can't be stored as it is (MongoDB: 2, `BadValue`).
    #[error("{message}")]
    BadDocument {
        /// What is wrong.
        message: String,
    },
    /// The definitions do not allow it.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// An expired document would give way, and its archive can't take it.
    #[error("{reason}")]
    NotArchived {
        /// Why, as a sentence.
        reason: String,
    },
    /// The operation had to end before the validator was evaluated.
    #[error(transparent)]
    Ended(#[from] Ended),
    /// The store failed; the transaction must be given up.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What a validator met.
impl From<QueryError> for WriteError {
    fn from(error: QueryError) -> Self {
        match error.kind {
            QueryErrorKind::Ended(ended) => Self::Ended(ended),
            _ => Self::Undecided(error),
        }
    }
}

/// The key that a unique index has already (MongoDB: 11000).
#[derive(Debug, Clone, PartialEq, Error)]
#[error(
    "the unique index {index} of {namespace} has another document with the same key{}",
    self.way_out()
)]
pub struct DuplicateKey {
    /// The collection.
    pub namespace: Namespace,
    /// The name of the index.
    pub index: String,
    /// Its key pattern.
    pub key_pattern: Document,
    /// The fields of the pattern with the values that collide.
    pub key_value: Document,
    /// The other document is damaged: no read gives it.
    pub is_damaged: bool,
}

impl DuplicateKey {
    /// What a sentence about it ends with, so that somebody who can't find the other document is not left
    /// alone.
    #[must_use]
    pub fn way_out(&self) -> &'static str {
        if self.is_damaged {
            "; that document is damaged, and the command mayflyDamaged removes it"
        } else {
            ""
        }
    }
}
