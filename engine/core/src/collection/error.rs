//! Why a write or a change of definitions failed.

use bson::{Bson, Document};
use thiserror::Error;

use crate::{
    catalog::{CatalogError, Namespace},
    interrupt::StopReason,
    query::QueryError,
    store::{RecordNumber, StoreError},
    value::Collation,
};

/// Why a write or a change of definitions failed. Every kind except [`WriteError::Store`] leaves
/// the transaction usable: nothing of the refused document was written.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum WriteError {
    /// A unique index already holds the key.
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
    /// The validator could not be evaluated on the document.
    #[error("the collection's validator could not be evaluated on the document: {0}")]
    Undecided(QueryError),
    /// An index holds duplicate values, so it can't become unique (MongoDB: 359,
    /// `CannotConvertIndexToUnique`).
    #[error(
        "Cannot convert the index to unique. Please resolve conflicting documents before running \
         collMod again."
    )]
    NotUnique {
        /// The `_id`s of documents that share a value, grouped by value; at most `VIOLATIONS_MAX`.
        violations: Vec<Vec<Bson>>,
    },
    /// The document can't be stored as it is (MongoDB: 2, `BadValue`).
    #[error("{message}")]
    BadDocument {
        /// Names the damage and its place.
        message: String,
    },
    /// The catalog's rules forbid it.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// The store is a secondary, which only applies the primary's oplog (MongoDB: 10107, `NotWritablePrimary`).
    #[error("not primary")]
    NotPrimary,
    /// An entry of another store's oplog can't be applied; nothing of it was.
    #[error("the oplog can't be applied: {what}")]
    NotApplied {
        /// Why.
        what: String,
    },
    /// The operation was ended before the validator was evaluated.
    #[error(transparent)]
    Ended(#[from] StopReason),
    /// The store failed; the transaction must be aborted.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl WriteError {
    pub(in crate::collection) fn not_applied(what: String) -> Self {
        Self::NotApplied { what }
    }

    /// The error of an entry that changes a document which is not here, or adds one that is.
    pub(in crate::collection) fn diverged(name: &Namespace, record: RecordNumber) -> Self {
        Self::NotApplied { what: format!("{name} differs at record {record}") }
    }
}

/// Errors that a validator raised.
impl From<QueryError> for WriteError {
    fn from(error: QueryError) -> Self {
        match error.ended {
            Some(ended) => Self::Ended(ended),
            None => Self::Undecided(error),
        }
    }
}

/// The key that a unique index already holds (MongoDB: 11000).
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
    /// The fields of the pattern with the colliding values.
    pub key_value: Document,
    /// How text compares in the index.
    pub collation: Option<Collation>,
    /// The other document is damaged, so no read returns it.
    pub is_damaged: bool,
}

impl DuplicateKey {
    /// The end of the error sentence: how to remove the other document if reads can't show it.
    pub fn way_out(&self) -> &'static str {
        if self.is_damaged {
            "; that document is damaged; remove it with mayflyDamaged"
        } else {
            ""
        }
    }
}
