//! MongoDB's error numbers and names. Nothing outside this file knows them.

use bson::{Document, RawDocumentBuf, doc};

use crate::{
    catalog::{CatalogError, CatalogErrorKind},
    collection::WriteError,
    plan::{PlanError, PlanErrorKind},
    query::{QueryError, QueryErrorKind},
    store::StoreError,
    value::ScanError,
};

/// A number and its name, as drivers see them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// `code`
    pub number: i32,
    /// `codeName`
    pub name: &'static str,
}

/// Why a command failed: what stands in the reply.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{message}")]
pub struct CommandError {
    /// Number and name.
    pub code: Code,
    /// One sentence: what is wrong and what to do.
    pub message: String,
    /// More fields of the reply, e.g. `keyPattern` and `keyValue`; empty as a rule.
    pub details: Box<Document>,
}

/// What every command handler gives back: the reply's fields without `ok`.
pub type Answer = Result<RawDocumentBuf, CommandError>;

macro_rules! codes {
    ($($constant:ident = $number:literal $name:literal;)*) => {
        #[expect(missing_docs, reason = "each constant says MongoDB's name of the number")]
        impl Code {
            $(pub const $constant: Self = Self { number: $number, name: $name };)*
        }
    };
}

codes! {
    INTERNAL_ERROR = 1 "InternalError";
    BAD_VALUE = 2 "BadValue";
    UNKNOWN_ERROR = 8 "UnknownError";
    FAILED_TO_PARSE = 9 "FailedToParse";
    UNAUTHORIZED = 13 "Unauthorized";
    TYPE_MISMATCH = 14 "TypeMismatch";
    OVERFLOW = 15 "Overflow";
    INVALID_LENGTH = 16 "InvalidLength";
    ILLEGAL_OPERATION = 20 "IllegalOperation";
    INVALID_BSON = 22 "InvalidBSON";
    NAMESPACE_NOT_FOUND = 26 "NamespaceNotFound";
    INDEX_NOT_FOUND = 27 "IndexNotFound";
    PATH_NOT_VIABLE = 28 "PathNotViable";
    CONFLICTING_UPDATE_OPERATORS = 40 "ConflictingUpdateOperators";
    CURSOR_NOT_FOUND = 43 "CursorNotFound";
    NO_MATCHING_DOCUMENT = 47 "NoMatchingDocument";
    NAMESPACE_EXISTS = 48 "NamespaceExists";
    DOLLAR_PREFIXED_FIELD_NAME = 52 "DollarPrefixedFieldName";
    INVALID_ID_FIELD = 53 "InvalidIdField";
    NOT_SINGLE_VALUE_FIELD = 54 "NotSingleValueField";
    EMPTY_FIELD_NAME = 56 "EmptyFieldName";
    COMMAND_NOT_FOUND = 59 "CommandNotFound";
    IMMUTABLE_FIELD = 66 "ImmutableField";
    CANNOT_CREATE_INDEX = 67 "CannotCreateIndex";
    INVALID_OPTIONS = 72 "InvalidOptions";
    INVALID_NAMESPACE = 73 "InvalidNamespace";
    INDEX_OPTIONS_CONFLICT = 85 "IndexOptionsConflict";
    INDEX_KEY_SPECS_CONFLICT = 86 "IndexKeySpecsConflict";
    COMMAND_NOT_SUPPORTED = 115 "CommandNotSupported";
    COMMAND_NOT_SUPPORTED_ON_VIEW = 166 "CommandNotSupportedOnView";
    CANNOT_INDEX_PARALLEL_ARRAYS = 171 "CannotIndexParallelArrays";
    QUERY_PLAN_KILLED = 175 "QueryPlanKilled";
    AMBIGUOUS_INDEX_KEY_PATTERN = 181 "AmbiguousIndexKeyPattern";
    INVALID_INDEX_SPECIFICATION_OPTION = 197 "InvalidIndexSpecificationOption";
    INDEX_BUILD_ABORTED = 276 "IndexBuildAborted";
    QUERY_EXCEEDED_MEMORY_LIMIT = 292 "QueryExceededMemoryLimitNoDiskUseAllowed";
    CANNOT_CONVERT_INDEX_TO_UNIQUE = 359 "CannotConvertIndexToUnique";
    DUPLICATE_KEY = 11000 "DuplicateKey";
    BSON_OBJECT_TOO_LARGE = 10334 "BSONObjectTooLarge";
    DATABASE_DIFFER_CASE = 13297 "DatabaseDifferCase";
    OUT_OF_DISK_SPACE = 14031 "OutOfDiskSpace";
    SORT_VALUE = 15974 "Location15974";
    SORT_DIRECTION = 15975 "Location15975";
    INCOMPATIBLE_SORT = 16755 "Location16755";
    EMPTY_PIPELINE_STAGE = 40323 "Location40323";
    UNRECOGNIZED_PIPELINE_STAGE = 40324 "Location40324";
    IDL_FAILED_TO_PARSE = 40414 "IDLFailedToParse";
    IDL_UNKNOWN_FIELD = 40415 "IDLUnknownField";
    PROJECTION_PATH_COLLISION = 31250 "Location31250";
    PROJECTION_EXPRESSION_IN_EXCLUSION = 31252 "Location31252";
    PROJECTION_INCLUSION_IN_EXCLUSION = 31253 "Location31253";
    PROJECTION_EXCLUSION_IN_INCLUSION = 31254 "Location31254";
    PROJECTION_NESTED_ELEM_MATCH = 31275 "Location31275";
    REGEX_OPTIONS_TWICE = 51075 "Location51075";
    INVALID_REGEX = 51091 "Location51091";
    NEGATIVE_VALUE = 51024 "Location51024";
    CLUSTERED_INDEX_DROP = 5_979_800 "Location5979800";
    CLUSTERED_INDEX_HIDE = 6_011_800 "Location6011800";
    CAPPED_CLUSTERED_WITHOUT_TTL = 6_049_201 "Location6049201";
    CAPPED_CLUSTERED_SECONDARY_TTL = 6_049_202 "Location6049202";
    NOT_SUPPORTED = 238 "NotImplemented";
}

impl CommandError {
    /// An error with this number.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), details: Box::default() }
    }

    /// The error reply, without `$clusterTime` and the like.
    #[must_use]
    pub fn to_document(&self) -> Document {
        let mut reply = doc! {
            "ok": 0.0,
            "errmsg": &self.message,
            "code": self.code.number,
            "codeName": self.code.name,
        };
        reply.extend(self.details.as_ref().clone());
        reply
    }

    /// The entry of `writeErrors` for the statement at this place of the batch.
    #[must_use]
    pub fn to_write_error(&self, index: usize) -> Document {
        let mut entry = doc! { "index": int(index), "code": self.code.number };
        entry.extend(self.details.as_ref().clone());
        entry.insert("errmsg", &self.message);
        entry
    }
}

fn int(number: usize) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

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
            Kind::CommandNotSupportedOnView => Code::COMMAND_NOT_SUPPORTED_ON_VIEW,
            Kind::AmbiguousIndexKeyPattern => Code::AMBIGUOUS_INDEX_KEY_PATTERN,
            Kind::InvalidIndexSpecificationOption => Code::INVALID_INDEX_SPECIFICATION_OPTION,
            Kind::IndexBuildAborted => Code::INDEX_BUILD_ABORTED,
            Kind::CannotConvertIndexToUnique => Code::CANNOT_CONVERT_INDEX_TO_UNIQUE,
            Kind::DatabaseDifferCase => Code::DATABASE_DIFFER_CASE,
            Kind::MissingField => Code::IDL_FAILED_TO_PARSE,
            Kind::UnknownField => Code::IDL_UNKNOWN_FIELD,
            Kind::ClusteredIndexDrop => Code::CLUSTERED_INDEX_DROP,
            Kind::ClusteredIndexHide => Code::CLUSTERED_INDEX_HIDE,
            Kind::CappedClusteredWithoutTtl => Code::CAPPED_CLUSTERED_WITHOUT_TTL,
            Kind::CappedClusteredSecondaryTtl => Code::CAPPED_CLUSTERED_SECONDARY_TTL,
        };
        Self::new(code, error.message)
    }
}

impl From<QueryError> for CommandError {
    fn from(error: QueryError) -> Self {
        use QueryErrorKind as Kind;
        let code = match error.kind {
            Kind::BadValue => Code::BAD_VALUE,
            Kind::FailedToParse => Code::FAILED_TO_PARSE,
            Kind::TypeMismatch => Code::TYPE_MISMATCH,
            Kind::ConflictingUpdateOperators => Code::CONFLICTING_UPDATE_OPERATORS,
            Kind::ImmutableField => Code::IMMUTABLE_FIELD,
            Kind::InvalidIdField => Code::INVALID_ID_FIELD,
            Kind::PathNotViable => Code::PATH_NOT_VIABLE,
            Kind::DollarPrefixedFieldName => Code::DOLLAR_PREFIXED_FIELD_NAME,
            Kind::EmptyFieldName => Code::EMPTY_FIELD_NAME,
            Kind::NotSingleValueField => Code::NOT_SINGLE_VALUE_FIELD,
            Kind::BsonObjectTooLarge => Code::BSON_OBJECT_TOO_LARGE,
            Kind::Overflow => Code::OVERFLOW,
            Kind::InvalidRegex => Code::INVALID_REGEX,
            Kind::RegexOptionsTwice => Code::REGEX_OPTIONS_TWICE,
            Kind::SortDirection => Code::SORT_DIRECTION,
            Kind::SortValue => Code::SORT_VALUE,
            Kind::ExclusionInInclusion => Code::PROJECTION_EXCLUSION_IN_INCLUSION,
            Kind::InclusionInExclusion => Code::PROJECTION_INCLUSION_IN_EXCLUSION,
            Kind::ExpressionInExclusion => Code::PROJECTION_EXPRESSION_IN_EXCLUSION,
            Kind::PathCollision => Code::PROJECTION_PATH_COLLISION,
            Kind::NestedElemMatch => Code::PROJECTION_NESTED_ELEM_MATCH,
            Kind::Unsupported => Code::NOT_SUPPORTED,
        };
        Self::new(code, error.message)
    }
}

impl From<WriteError> for CommandError {
    fn from(error: WriteError) -> Self {
        let sentence = error.to_string();
        match error {
            WriteError::DuplicateKey(duplicate) => {
                // Drivers and people know this text by heart.
                let message = format!(
                    "E11000 duplicate key error collection: {} index: {} dup key: {}",
                    duplicate.namespace,
                    duplicate.index,
                    shell_text(&duplicate.key_value),
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
            WriteError::BadDocument { message } => Self::new(Code::BAD_VALUE, message),
            WriteError::Catalog(error) => error.into(),
            WriteError::Store(error) => error.into(),
        }
    }
}

fn shell_text(document: &Document) -> String {
    use crate::value::{Layout, shell};
    shell::write_value(&bson::Bson::Document(document.clone()), Layout::OneLine)
}

impl From<StoreError> for CommandError {
    fn from(error: StoreError) -> Self {
        let code = match error {
            StoreError::DiskFull => Code::OUT_OF_DISK_SPACE,
            StoreError::ReadOnly { .. } => Code::ILLEGAL_OPERATION,
            _ => Code::INTERNAL_ERROR,
        };
        Self::new(code, error.to_string())
    }
}

impl From<PlanError> for CommandError {
    fn from(error: PlanError) -> Self {
        let code = match error.kind {
            PlanErrorKind::BadHint => Code::BAD_VALUE,
            PlanErrorKind::SortTooLarge | PlanErrorKind::TooManyRecords => {
                Code::QUERY_EXCEEDED_MEMORY_LIMIT
            }
            PlanErrorKind::PlanKilled => Code::QUERY_PLAN_KILLED,
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
        Self::new(
            Code::INVALID_BSON,
            "the command holds bytes that are not valid BSON; write it anew",
        )
    }
}
