//! Why the catalog refuses a request.

use thiserror::Error;

use crate::query::{Code, QueryError};

/// An error kind and a sentence for users.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct CatalogError {
    /// `command` maps it to MongoDB's number.
    pub kind: CatalogErrorKind,
    /// States the problem, then what to do.
    pub message: String,
}

/// Kinds, named as MongoDB's `codeName`s where it has a name and by meaning where it has only a
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CatalogErrorKind {
    /// A value can't be used (MongoDB: 2).
    BadValue,
    /// The request has the wrong shape (9).
    FailedToParse,
    /// A value has the wrong type (14).
    TypeMismatch,
    /// The operation is not allowed here (20).
    IllegalOperation,
    /// The collection does not exist (26).
    NamespaceNotFound,
    /// The index does not exist (27).
    IndexNotFound,
    /// The name exists already (48).
    NamespaceExists,
    /// The index can't be created (67).
    CannotCreateIndex,
    /// Options that can't be combined (72).
    InvalidOptions,
    /// A name breaks the rules (73).
    InvalidNamespace,
    /// The same index with other options exists (85).
    IndexOptionsConflict,
    /// Another index has this name (86).
    IndexKeySpecsConflict,
    /// MongoDB supports it, but Mayfly or the dialect does not (115).
    CommandNotSupported,
    /// The collection to replace was changed (125).
    TargetChanged,
    /// Views have no indexes (166).
    CommandNotSupportedOnView,
    /// Several indexes have this key (181).
    AmbiguousIndexKeyPattern,
    /// The option is unknown or not valid for this index (197).
    InvalidIndexSpecificationOption,
    /// The index was dropped while it was being built (276).
    IndexBuildAborted,
    /// The name differs from an existing database's in upper and lower case only (13297).
    DatabaseDifferCase,
    /// A filter or a pipeline is invalid.
    Filter(Code),
    /// A key pattern has too many fields (13103).
    KeyFields,
    /// A hashed index can't be unique (16764).
    HashedUnique,
    /// Two fields of a key pattern are hashed (31303).
    HashedTwice,
    /// Two fields of a key pattern are wildcards (7246201).
    WildcardTwice,
    /// A key pattern contains the word `wildcard` (7246202).
    WildcardWord,
    /// A compound wildcard index has a field twice (7246209).
    WildcardOverlap,
    /// A `wildcardProjection` computes a field (51271).
    ProjectionComputed,
    /// A `wildcardProjection` excludes a field after including others (31254).
    ExclusionInInclusion,
    /// A `wildcardProjection` includes a field after excluding others (31253).
    InclusionInExclusion,
    /// A required field is missing (40414).
    MissingField,
    /// A field is unknown (40415).
    UnknownField,
    /// The clustered index can't be dropped (5979800).
    ClusteredIndexDrop,
    /// The clustered index can't be hidden (6011800).
    ClusteredIndexHide,
    /// `clusteredIndex` is true (5979703).
    ClusteredLegacy,
    /// The clustered index is not unique (5979700).
    ClusteredNotUnique,
    /// The clustered index has an unknown version (5979704).
    ClusteredVersion,
    /// A view can't be clustered (6026500).
    ClusteredView,
    /// A clustered collection has no `size` (6049200).
    ClusteredSize,
    /// A clustered collection has no `max` (6049204).
    ClusteredMax,
    /// A capped clustered collection needs `expireAfterSeconds` (6049201).
    CappedClusteredWithoutTtl,
    /// A capped clustered collection has no TTL indexes (6049202).
    CappedClusteredSecondaryTtl,
}

impl CatalogError {
    /// An error of this kind.
    pub fn new(kind: CatalogErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl From<QueryError> for CatalogError {
    /// A rule of a collection or an index isn't a query, so some refusals have another number
    /// there.
    fn from(error: QueryError) -> Self {
        let error = error.elsewhere();
        Self::new(CatalogErrorKind::Filter(error.code), error.message)
    }
}
