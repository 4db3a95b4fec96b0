//! MongoDB's error numbers and their names.

use std::borrow::Cow;

use crate::interrupt::StopReason;

/// MongoDB's number of an error: `code` in replies.
///
/// A number without a constant is written where the refusal is raised, as in MongoDB's source.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Code(pub i32);

impl From<i32> for Code {
    fn from(number: i32) -> Self {
        Self(number)
    }
}

impl From<StopReason> for Code {
    fn from(ended: StopReason) -> Self {
        match ended {
            StopReason::Interrupted => Self::INTERRUPTED,
            StopReason::ClientGone => Self::CLIENT_DISCONNECT,
            StopReason::TimeLimit => Self::MAX_TIME_MS_EXPIRED,
        }
    }
}

macro_rules! codes {
    ($($constant:ident = $number:literal $($name:literal)?;)*) => {
        #[expect(missing_docs, reason = "each constant says MongoDB's name of the number")]
        impl Code {
            $(pub const $constant: Self = Self($number);)*

            /// `codeName` in replies. A number without a name is named by its digits.
            #[must_use]
            pub fn name(self) -> Cow<'static, str> {
                match self.0 {
                    $($($number => Cow::Borrowed($name),)?)*
                    number => Cow::Owned(format!("Location{number}")),
                }
            }
        }
    };
}

codes! {
    INTERNAL_ERROR = 1 "InternalError";
    BAD_VALUE = 2 "BadValue";
    NO_SUCH_KEY = 4 "NoSuchKey";
    GRAPH_CONTAINS_CYCLE = 5 "GraphContainsCycle";
    UNKNOWN_ERROR = 8 "UnknownError";
    FAILED_TO_PARSE = 9 "FailedToParse";
    UNAUTHORIZED = 13 "Unauthorized";
    TYPE_MISMATCH = 14 "TypeMismatch";
    OVERFLOW = 15 "Overflow";
    INVALID_LENGTH = 16 "InvalidLength";
    PROTOCOL_ERROR = 17 "ProtocolError";
    AUTHENTICATION_FAILED = 18 "AuthenticationFailed";
    ILLEGAL_OPERATION = 20 "IllegalOperation";
    INVALID_BSON = 22 "InvalidBSON";
    NAMESPACE_NOT_FOUND = 26 "NamespaceNotFound";
    INDEX_NOT_FOUND = 27 "IndexNotFound";
    PATH_NOT_VIABLE = 28 "PathNotViable";
    CONFLICTING_UPDATE_OPERATORS = 40 "ConflictingUpdateOperators";
    CURSOR_NOT_FOUND = 43 "CursorNotFound";
    NO_MATCHING_DOCUMENT = 47 "NoMatchingDocument";
    NAMESPACE_EXISTS = 48 "NamespaceExists";
    MAX_TIME_MS_EXPIRED = 50 "MaxTimeMSExpired";
    DOLLAR_PREFIXED_FIELD_NAME = 52 "DollarPrefixedFieldName";
    INVALID_ID_FIELD = 53 "InvalidIdField";
    NOT_SINGLE_VALUE_FIELD = 54 "NotSingleValueField";
    INVALID_DB_REF = 55 "InvalidDBRef";
    EMPTY_FIELD_NAME = 56 "EmptyFieldName";
    COMMAND_NOT_FOUND = 59 "CommandNotFound";
    IMMUTABLE_FIELD = 66 "ImmutableField";
    CANNOT_CREATE_INDEX = 67 "CannotCreateIndex";
    INVALID_OPTIONS = 72 "InvalidOptions";
    INVALID_NAMESPACE = 73 "InvalidNamespace";
    NO_REPLICATION_ENABLED = 76 "NoReplicationEnabled";
    INDEX_OPTIONS_CONFLICT = 85 "IndexOptionsConflict";
    INDEX_KEY_SPECS_CONFLICT = 86 "IndexKeySpecsConflict";
    NOT_YET_INITIALIZED = 94 "NotYetInitialized";
    OPERATION_FAILED = 96 "OperationFailed";
    NOT_EXACT_VALUE_FIELD = 111 "NotExactValueField";
    COMMAND_NOT_SUPPORTED = 115 "CommandNotSupported";
    DOCUMENT_VALIDATION_FAILURE = 121 "DocumentValidationFailure";
    NOT_A_REPLICA_SET = 123 "NotAReplicaSet";
    COMMAND_FAILED = 125 "CommandFailed";
    CANNOT_BACKFILL_ARRAY = 128 "CannotBackfillArray";
    CAPPED_POSITION_LOST = 136 "CappedPositionLost";
    EXCEEDED_MEMORY_LIMIT = 146 "ExceededMemoryLimit";
    DURATION_OVERFLOW = 159 "DurationOverflow";
    VIEW_DEPTH_LIMIT_EXCEEDED = 165 "ViewDepthLimitExceeded";
    COMMAND_NOT_SUPPORTED_ON_VIEW = 166 "CommandNotSupportedOnView";
    INCOMPATIBLE_COLLATION_VERSION = 161 "IncompatibleCollationVersion";
    OPTION_NOT_SUPPORTED_ON_VIEW = 167 "OptionNotSupportedOnView";
    INVALID_PIPELINE_OPERATOR = 168 "InvalidPipelineOperator";
    CANNOT_INDEX_PARALLEL_ARRAYS = 171 "CannotIndexParallelArrays";
    QUERY_PLAN_KILLED = 175 "QueryPlanKilled";
    AMBIGUOUS_INDEX_KEY_PATTERN = 181 "AmbiguousIndexKeyPattern";
    CLIENT_METADATA_APP_NAME_TOO_LARGE = 184 "ClientMetadataAppNameTooLarge";
    CLIENT_METADATA_DOCUMENT_TOO_LARGE = 185 "ClientMetadataDocumentTooLarge";
    INVALID_INDEX_SPECIFICATION_OPTION = 197 "InvalidIndexSpecificationOption";
    QUERY_FEATURE_NOT_ALLOWED = 224 "QueryFeatureNotAllowed";
    MAX_SUB_PIPELINE_DEPTH_EXCEEDED = 232 "MaxSubPipelineDepthExceeded";
    CURSOR_KILLED = 237 "CursorKilled";
    NOT_SUPPORTED = 238 "NotImplemented";
    CONVERSION_FAILURE = 241 "ConversionFailure";
    INDEX_BUILD_ABORTED = 276 "IndexBuildAborted";
    CLIENT_DISCONNECT = 279 "ClientDisconnect";
    NO_QUERY_EXECUTION_PLANS = 291 "NoQueryExecutionPlans";
    QUERY_EXCEEDED_MEMORY_LIMIT = 292 "QueryExceededMemoryLimitNoDiskUseAllowed";
    DATA_CORRUPTION_DETECTED = 301 "DataCorruptionDetected";
    API_VERSION_ERROR = 322 "APIVersionError";
    API_STRICT_ERROR = 323 "APIStrictError";
    MECHANISM_UNAVAILABLE = 334 "MechanismUnavailable";
    UNSUPPORTED_OP_QUERY_COMMAND = 352 "UnsupportedOpQueryCommand";
    CANNOT_CONVERT_INDEX_TO_UNIQUE = 359 "CannotConvertIndexToUnique";
    TEMPORARILY_UNAVAILABLE = 365 "TemporarilyUnavailable";
    NOT_WRITABLE_PRIMARY = 10107 "NotWritablePrimary";
    BSON_OBJECT_TOO_LARGE = 10334 "BSONObjectTooLarge";
    DUPLICATE_KEY = 11000 "DuplicateKey";
    INTERRUPTED = 11601 "Interrupted";
    SORT_FIELDS = 13103;
    MERGE_STAGE_NO_MATCHING_DOCUMENT = 13113 "MergeStageNoMatchingDocument";
    DATABASE_DIFFER_CASE = 13297 "DatabaseDifferCase";
    OUT_OF_DISK_SPACE = 14031 "OutOfDiskSpace";
    HASHED_UNIQUE = 16764;
    DISTINCT_TOO_BIG = 17217;
    OPID_TOO_LARGE = 26823;
    KEY_WITH_NUL = 31032;
    SEARCH_NOT_ENABLED = 31082 "SearchNotEnabled";
    PROJECTION_INCLUSION_IN_EXCLUSION = 31253;
    PROJECTION_EXCLUSION_IN_INCLUSION = 31254;
    HASHED_TWICE = 31303;
    IDL_DUPLICATE_FIELD = 40413;
    IDL_FAILED_TO_PARSE = 40414 "IDLFailedToParse";
    IDL_UNKNOWN_FIELD = 40415 "IDLUnknownField";
    MESSAGE_BODIES = 40430;
    MESSAGE_SEQUENCE_TWICE = 40431;
    MESSAGE_SECTION_KIND = 40432;
    MESSAGE_FIELD_TWICE = 40433;
    MESSAGE_WITHOUT_DB = 40571;
    MESSAGE_WITHOUT_BODY = 40587;
    BOUNDS_WITHOUT_HINT = 51173;
    BOUNDS_OF_OTHER_INDEX = 51174;
    BOUNDS_OUT_OF_ORDER = 51175;
    BOUNDS_OF_DIFFERENT_FIELDS = 51176;
    CONSTANTS_WITHOUT_PIPELINE = 51198;
    PROJECTION_COMPUTED = 51271;
    STANDALONE = 51300;
    LET_READS_FIELD = 4890500;
    DROP_DATABASE_NOT_1 = 5255100;
    NEAR_NOT_ALLOWED = 5626500;
    CLUSTERED_NOT_UNIQUE = 5979700;
    CLUSTERED_LEGACY = 5979703;
    CLUSTERED_VERSION = 5979704;
    CLUSTERED_INDEX_DROP = 5979800;
    CLUSTERED_INDEX_HIDE = 6011800;
    CLUSTERED_VIEW = 6026500;
    CLUSTERED_SIZE = 6049200;
    CAPPED_CLUSTERED_WITHOUT_TTL = 6049201;
    CAPPED_CLUSTERED_SECONDARY_TTL = 6049202;
    CLUSTERED_MAX = 6049204;
    WILDCARD_TWICE = 7246201;
    WILDCARD_WORD = 7246202;
    WILDCARD_OVERLAP = 7246209;
}

#[cfg(test)]
mod tests {
    use super::Code;

    #[test]
    fn a_number_without_a_name_is_named_by_its_digits() {
        assert_eq!(Code(9711600).name(), "Location9711600");
        assert_eq!(Code(16702).name(), "Location16702");
        assert_eq!(Code::CONVERSION_FAILURE.name(), "ConversionFailure");
    }
}
