//! From the errors of the layers below to MongoDB's numbers.

use bson::{
    Bson, Document, doc,
    raw::{RawBsonRef, RawDocumentBuf},
};

use super::{Code, CommandError};
use crate::{
    archive::ArchiveError,
    catalog::{CatalogError, CatalogErrorKind},
    collection::{DuplicateKey, WriteError},
    interrupt::StopReason,
    pipeline::PipelineError,
    plan::{PlanError, PlanErrorKind},
    query::QueryError,
    store::StoreError,
    value::{Collation, ScanError, collation::shown_key, error_text::value_text},
};

impl From<CatalogError> for CommandError {
    fn from(error: CatalogError) -> Self {
        use CatalogErrorKind as Kind;
        let code = match error.kind {
            Kind::BadValue => Code::BAD_VALUE,
            Kind::FailedToParse => Code::FAILED_TO_PARSE,
            Kind::TypeMismatch => Code::TYPE_MISMATCH,
            Kind::IllegalOperation => Code::ILLEGAL_OPERATION,
            Kind::NamespaceNotFound => Code::NAMESPACE_NOT_FOUND,
            Kind::IndexNotFound => Code::INDEX_NOT_FOUND,
            Kind::NamespaceExists => Code::NAMESPACE_EXISTS,
            Kind::CannotCreateIndex => Code::CANNOT_CREATE_INDEX,
            Kind::InvalidOptions => Code::INVALID_OPTIONS,
            Kind::InvalidNamespace => Code::INVALID_NAMESPACE,
            Kind::IndexOptionsConflict => Code::INDEX_OPTIONS_CONFLICT,
            Kind::IndexKeySpecsConflict => Code::INDEX_KEY_SPECS_CONFLICT,
            Kind::CommandNotSupported => Code::COMMAND_NOT_SUPPORTED,
            Kind::TargetChanged => Code::COMMAND_FAILED,
            Kind::CommandNotSupportedOnView => Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
            Kind::AmbiguousIndexKeyPattern => Code::AMBIGUOUS_INDEX_KEY_PATTERN,
            Kind::InvalidIndexSpecificationOption => Code::INVALID_INDEX_SPECIFICATION_OPTION,
            Kind::IndexBuildAborted => Code::INDEX_BUILD_ABORTED,
            Kind::DatabaseDifferCase => Code::DATABASE_DIFFER_CASE,
            Kind::Filter(code) => code,
            Kind::KeyFields => Code::SORT_FIELDS,
            Kind::HashedUnique => Code::HASHED_UNIQUE,
            Kind::HashedTwice => Code::HASHED_TWICE,
            Kind::WildcardTwice => Code::WILDCARD_TWICE,
            Kind::WildcardWord => Code::WILDCARD_WORD,
            Kind::WildcardOverlap => Code::WILDCARD_OVERLAP,
            Kind::ProjectionComputed => Code::PROJECTION_COMPUTED,
            Kind::ExclusionInInclusion => Code::PROJECTION_EXCLUSION_IN_INCLUSION,
            Kind::InclusionInExclusion => Code::PROJECTION_INCLUSION_IN_EXCLUSION,
            Kind::MissingField => Code::IDL_FAILED_TO_PARSE,
            Kind::UnknownField => Code::IDL_UNKNOWN_FIELD,
            Kind::ClusteredIndexDrop => Code::CLUSTERED_INDEX_DROP,
            Kind::ClusteredIndexHide => Code::CLUSTERED_INDEX_HIDE,
            Kind::ClusteredLegacy => Code::CLUSTERED_LEGACY,
            Kind::ClusteredNotUnique => Code::CLUSTERED_NOT_UNIQUE,
            Kind::ClusteredVersion => Code::CLUSTERED_VERSION,
            Kind::ClusteredView => Code::CLUSTERED_VIEW,
            Kind::ClusteredSize => Code::CLUSTERED_SIZE,
            Kind::ClusteredMax => Code::CLUSTERED_MAX,
            Kind::CappedClusteredWithoutTtl => Code::CAPPED_CLUSTERED_WITHOUT_TTL,
            Kind::CappedClusteredSecondaryTtl => Code::CAPPED_CLUSTERED_SECONDARY_TTL,
        };
        Self::new(code, error.message)
    }
}

impl From<StopReason> for CommandError {
    fn from(ended: StopReason) -> Self {
        Self::new(Code::from(ended), ended.to_string())
    }
}

impl From<PipelineError> for CommandError {
    fn from(error: PipelineError) -> Self {
        match error {
            PipelineError::Stage { code, message } => Self::new(code, message),
            PipelineError::Query(error) => error.into(),
            PipelineError::Plan(error) => error.into(),
            PipelineError::Catalog(error) => error.into(),
            PipelineError::Write(error) => error.into(),
            PipelineError::Store(error) => error.into(),
        }
    }
}

impl From<QueryError> for CommandError {
    fn from(error: QueryError) -> Self {
        Self::new(error.code, error.message)
    }
}

impl From<WriteError> for CommandError {
    fn from(error: WriteError) -> Self {
        let sentence = error.to_string();
        match error {
            WriteError::DuplicateKey(duplicate) => {
                // Drivers and people know this text by heart.
                let message = format!(
                    "E11000 duplicate key error collection: {} index: {}{} dup key: {}{}",
                    duplicate.namespace,
                    duplicate.index,
                    collation_text(duplicate.collation.as_ref()),
                    key_text(&duplicate),
                    duplicate.way_out(),
                );
                let details = doc! {
                    "keyPattern": duplicate.key_pattern.clone(),
                    "keyValue": duplicate.key_value.clone(),
                };
                Self { code: Code::DUPLICATE_KEY, message, details: Box::new(details) }
            }
            WriteError::ParallelArrays { .. } => {
                Self::new(Code::CANNOT_INDEX_PARALLEL_ARRAYS, sentence)
            }
            WriteError::Invalid { id, details } => {
                let mut info = doc! { "failingDocumentId": id.unwrap_or(Bson::Null) };
                info.insert("details", *details);
                Self {
                    code: Code::DOCUMENT_VALIDATION_FAILURE,
                    message: sentence,
                    details: Box::new(doc! { "errInfo": info }),
                }
            }
            WriteError::Undecided(error) => Self { message: sentence, ..Self::from(error) },
            WriteError::Ended(ended) => ended.into(),
            WriteError::NotApplied { .. } => Self::new(Code::OPERATION_FAILED, sentence),
            WriteError::NotPrimary => Self::new(Code::NOT_WRITABLE_PRIMARY, sentence),
            WriteError::NotUnique { violations } => {
                let groups = violations.into_iter().map(|ids| doc! { "ids": ids });
                let details = doc! { "violations": groups.collect::<Vec<_>>() };
                Self {
                    code: Code::CANNOT_CONVERT_INDEX_TO_UNIQUE,
                    message: sentence,
                    details: Box::new(details),
                }
            }
            WriteError::BadDocument { message } => Self::new(Code::BAD_VALUE, message),
            WriteError::Catalog(error) => error.into(),
            WriteError::Store(error) => error.into(),
        }
    }
}

/// The key as MongoDB prints it: text that a collation compares is shown by its sort key.
fn key_text(duplicate: &DuplicateKey) -> String {
    let shown = |value: &Bson| match (value, &duplicate.collation) {
        (Bson::String(text), Some(collation)) => Bson::String(shown_key(&collation.sort_key(text))),
        _ => value.clone(),
    };
    let fields = duplicate.key_value.iter();
    let key: Document = fields.map(|(name, value)| (name.clone(), shown(value))).collect();
    let key = RawDocumentBuf::try_from(&key).unwrap_or_default();
    value_text(RawBsonRef::Document(&key))
}

/// The collation of an index in the same text; empty for the simple one.
fn collation_text(collation: Option<&Collation>) -> String {
    let Some(collation) = collation else { return String::new() };
    let spec = RawDocumentBuf::try_from(collation.spec()).unwrap_or_default();
    format!(" collation: {}", value_text(RawBsonRef::Document(&spec)))
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::DiskFull { .. } => Code::OUT_OF_DISK_SPACE,
            StoreError::OutcomeUnknown { .. } => Code::UNKNOWN_ERROR,
            // Drivers retry this code, which suits a store that is busy for a moment.
            StoreError::Busy { .. } => Code::TEMPORARILY_UNAVAILABLE,
            // A code that is not retried: such a store refuses the write again.
            StoreError::ReadOnly { .. } | StoreError::Suspect { .. } => Code::ILLEGAL_OPERATION,
            StoreError::Stopped => Code::INTERRUPTED,
            StoreError::Damaged { .. } => Code::DATA_CORRUPTION_DETECTED,
            _ => Code::INTERNAL_ERROR,
        };
        Self::new(code, error.to_string())
    }
}

impl From<ArchiveError> for CommandError {
    fn from(error: ArchiveError) -> Self {
        let code = match error {
            ArchiveError::Store(error) => return error.into(),
            ArchiveError::Write(error) => return error.into(),
            ArchiveError::Catalog(error) => return error.into(),
            ArchiveError::BadSetting { .. } => Code::BAD_VALUE,
            ArchiveError::NotSupported { .. } => Code::NOT_SUPPORTED,
            ArchiveError::NoArchive { .. } | ArchiveError::NoCollection { .. } => {
                Code::NAMESPACE_NOT_FOUND
            }
            ArchiveError::Backend { .. }
            | ArchiveError::Waiting { .. }
            | ArchiveError::Damaged { .. } => Code::OPERATION_FAILED,
        };
        Self::new(code, error.to_string())
    }
}

impl From<PlanError> for CommandError {
    fn from(error: PlanError) -> Self {
        let code = match error.kind {
            PlanErrorKind::BadHint => Code::BAD_VALUE,
            PlanErrorKind::HintType => Code::FAILED_TO_PARSE,
            PlanErrorKind::BoundsWithoutHint => Code::BOUNDS_WITHOUT_HINT,
            PlanErrorKind::BoundsOfOtherIndex => Code::BOUNDS_OF_OTHER_INDEX,
            PlanErrorKind::BoundsOutOfOrder => Code::BOUNDS_OUT_OF_ORDER,
            PlanErrorKind::NoPlans => Code::NO_QUERY_EXECUTION_PLANS,
            PlanErrorKind::PositionLost => Code::CAPPED_POSITION_LOST,
            PlanErrorKind::SortTooLarge | PlanErrorKind::TooManyRecords => {
                Code::QUERY_EXCEEDED_MEMORY_LIMIT
            }
            PlanErrorKind::PlanKilled => Code::QUERY_PLAN_KILLED,
            PlanErrorKind::Ended(ended) => return ended.into(),
            PlanErrorKind::Query(code) => code,
            PlanErrorKind::Damaged => Code::DATA_CORRUPTION_DETECTED,
            PlanErrorKind::Store => Code::INTERNAL_ERROR,
        };
        Self::new(code, error.message)
    }
}

impl From<ScanError> for CommandError {
    fn from(error: ScanError) -> Self {
        use crate::value::scan::ScanErrorKind as Kind;
        let code = match error.kind {
            Kind::TooLarge { .. } => Code::BSON_OBJECT_TOO_LARGE,
            Kind::TooDeep { .. } => Code::OVERFLOW,
            _ => Code::INVALID_BSON,
        };
        Self::new(code, error.to_string())
    }
}

impl From<bson::error::Error> for CommandError {
    fn from(_: bson::error::Error) -> Self {
        Self::new(Code::INVALID_BSON, "the command is not valid BSON")
    }
}
