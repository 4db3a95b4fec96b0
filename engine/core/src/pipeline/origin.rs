//! Where a pipeline begins.

use super::PipelineError;
use crate::catalog::Namespace;

/// The input of a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    Collection(Namespace),
    /// No collection: `{aggregate: 1}`. The namespace has the name `$cmd.aggregate`.
    Database(Namespace),
}

impl Origin {
    /// A collection by name.
    ///
    /// # Errors
    /// `InvalidNamespace`.
    pub fn collection(db: &str, name: &str) -> Result<Self, PipelineError> {
        Ok(Self::Collection(Namespace::checked(db, name)?))
    }

    /// No collection of this database.
    pub fn database(db: &str) -> Self {
        Self::Database(Namespace { db: db.to_owned(), collection: "$cmd.aggregate".to_owned() })
    }

    /// The name that cursors show.
    pub fn namespace(&self) -> &Namespace {
        match self {
            Self::Collection(namespace) | Self::Database(namespace) => namespace,
        }
    }
}
