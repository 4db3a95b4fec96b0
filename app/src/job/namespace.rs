//! A database and a collection in it.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The full name of a collection.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Namespace {
    /// The database.
    pub db: String,
    /// The collection; it may hold dots.
    pub collection: String,
}

impl Namespace {
    /// `db.collection`.
    pub fn new(db: impl Into<String>, collection: impl Into<String>) -> Self {
        Self { db: db.into(), collection: collection.into() }
    }
}

impl fmt::Display for Namespace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.db, self.collection)
    }
}
