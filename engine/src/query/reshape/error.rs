//! Why such a stage is refused.

use crate::query::{QueryError, QueryErrorKind};

/// One kind for each number that MongoDB gives; `command/error` maps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReshapeErrorKind {
    /// `$project` is no document.
    ProjectNotObject,
    /// `$project` names no field.
    ProjectEmpty,
    /// A field of a projection is `{}`.
    EmptySubProjection,
    /// `$addFields` is no document.
    AddFieldsNotObject,
    /// `$addFields` names no field.
    AddFieldsEmpty,
    /// `$addFields` names a path, or a part of it, twice.
    AddFieldsCollision,
    /// A field of `$addFields` is `{}`.
    AddFieldsEmptyObject,
    /// An operator stands beside other fields.
    AddFieldsSeveral,
    /// `$unset` is neither text nor array.
    UnsetType,
    /// `$unset` names no field.
    UnsetEmpty,
    /// `$unset` has something that is no text.
    UnsetNotStrings,
    /// `$replaceRoot` is no document.
    ReplaceRootNotObject,
    /// `$replaceRoot` has no such option.
    ReplaceRootOption,
    /// `newRoot` is missing.
    ReplaceRootMissing,
    /// The new root is no document.
    ReplaceRootResult,
}

/// An error of this kind.
pub(super) fn error(kind: ReshapeErrorKind, message: impl Into<String>) -> QueryError {
    QueryError::new(QueryErrorKind::Reshape(kind), message)
}
