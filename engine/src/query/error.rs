//! Why a filter, projection, sort or update is refused.

use super::FamilyErrorKind;
use crate::interrupt::Ended;

/// A kind, and one sentence for a person.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct QueryError {
    /// What kind of mistake it is; `command` maps it to MongoDB's number.
    pub kind: QueryErrorKind,
    /// What is wrong and what to do.
    pub message: String,
}

/// Kinds, named as MongoDB's `codeName`s where it has a name and by meaning where it has only a
/// number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum QueryErrorKind {
    /// An operator has an argument it can't use.
    BadValue,
    /// The shape of the document is wrong.
    FailedToParse,
    /// A value has the wrong type.
    TypeMismatch,
    /// Two update operators touch the same path.
    ConflictingUpdateOperators,
    /// `_id` would change.
    ImmutableField,
    /// `_id` has a type that it must not have.
    InvalidIdField,
    /// A path leads through a value that has no fields.
    PathNotViable,
    /// An array would have to be filled up too far.
    CannotBackfillArray,
    /// A stored field name would start with `$`.
    DollarPrefixedFieldName,
    /// A part of a path is empty.
    EmptyFieldName,
    /// Two equalities of an upsert's filter contradict each other.
    NotSingleValueField,
    /// The document would be larger than 16 MiB.
    BsonObjectTooLarge,
    /// The document would have more levels than a document may have.
    Overflow,
    /// The regular expression can't be compiled (MongoDB: 51091).
    InvalidRegex,
    /// `$regex` and then `$options` both give options (MongoDB: 51075).
    RegexOptionsTwice,
    /// `$options` and then `$regex` both give options (MongoDB: 51074).
    RegexOptionsBefore,
    /// An option of a regular expression that does not exist (MongoDB: 51108).
    RegexFlag,
    /// Whether a text matches was not found within the steps that a search may take (MongoDB: 51156).
    RegexSteps,
    /// A path has more parts than a document may have levels (MongoDB: 5729100).
    PathTooLong,
    /// The operator may not stand in this place (MongoDB: `QueryFeatureNotAllowed`).
    FeatureNotAllowed,
    /// A sort direction is neither 1 nor -1 (MongoDB: 15975).
    SortDirection,
    /// A sort value is of the wrong type (MongoDB: 15974).
    SortValue,
    /// A sort value is a document, but not `$meta` (MongoDB: 17312).
    SortExpression,
    /// A sort names a field twice (MongoDB: 7472500).
    SortDuplicate,
    /// A sort has too many fields (MongoDB: 13103).
    SortFields,
    /// A sort's path is empty (MongoDB: 40352).
    SortPathEmpty,
    /// A sort's path ends with a dot (MongoDB: 40353).
    SortPathEnd,
    /// A part of a sort's path is empty (MongoDB: 15998).
    SortNameEmpty,
    /// A part of a sort's path starts with a dollar (MongoDB: 16410).
    SortNameDollar,
    /// A field is left out in a projection that lists what to keep (MongoDB: 31254).
    ExclusionInInclusion,
    /// A field is kept in a projection that lists what to leave out (MongoDB: 31253).
    InclusionInExclusion,
    /// A computed field stands in a projection that lists what to leave out (MongoDB: 31252).
    ExpressionInExclusion,
    /// Two fields of a projection name the same path (MongoDB: 31250).
    PathCollision,
    /// A projection that names a path after what is above it.
    PathBelowAnother,
    /// A projection that leaves fields out and has a value for another one.
    ValueInExclusion,
    /// An operator of a projection that does not exist (MongoDB: 31325).
    UnknownExpression,
    /// `$elemMatch` of a projection is no document (MongoDB: 31274).
    ElemMatchObject,
    /// `$near` and its like stand in `$elemMatch` of a projection (MongoDB: 5626500).
    NearNotAllowed,
    /// `$elemMatch` of a projection stands on a dotted path (MongoDB: 31275).
    NestedElemMatch,
    /// The positional operator of a projection is refused or finds nothing.
    Positional(super::PositionalErrorKind),
    /// An aggregation expression is refused or fails.
    Expression(super::ExpressionErrorKind),
    /// An operator on strings, dates, arrays, sets or types met an argument that it can't use.
    Family(FamilyErrorKind),
    /// A stage that makes one document of another is refused or fails.
    Reshape(super::ReshapeErrorKind),
    /// A stage of an update is not a document with one field (MongoDB: 40323).
    StageFields,
    /// The stage can't stand in an update.
    StageInUpdate,
    /// MongoDB can do it, Mayfly can't.
    Unsupported,
    /// `$where` and `$text`: MongoDB takes them in a query alone, Mayfly nowhere.
    QueryOnly,
    /// `$near` and its like: MongoDB takes them in a query alone, Mayfly nowhere.
    Near,
    /// The operation had to end before the expression was evaluated.
    Ended(Ended),
}

impl QueryError {
    /// An error of this kind.
    pub fn new(kind: QueryErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into() }
    }

    pub(crate) fn bad_value(message: impl Into<String>) -> Self {
        Self::new(QueryErrorKind::BadValue, message)
    }

    pub(crate) fn failed_to_parse(message: impl Into<String>) -> Self {
        Self::new(QueryErrorKind::FailedToParse, message)
    }

    pub(crate) fn type_mismatch(message: impl Into<String>) -> Self {
        Self::new(QueryErrorKind::TypeMismatch, message)
    }

    pub(crate) fn unsupported(message: impl Into<String>) -> Self {
        Self::new(QueryErrorKind::Unsupported, message)
    }
}

impl From<Ended> for QueryError {
    fn from(ended: Ended) -> Self {
        Self::new(QueryErrorKind::Ended(ended), ended.to_string())
    }
}

/// Bytes that are not BSON reach here only if a caller skipped the scan.
impl From<bson::error::Error> for QueryError {
    fn from(_: bson::error::Error) -> Self {
        Self::bad_value("the document holds bytes that are not valid BSON; write it anew")
    }
}
