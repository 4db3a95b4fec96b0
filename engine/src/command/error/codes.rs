//! The numbers and names themselves.

/// A number and its name, as drivers see them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Code {
    /// `code`
    pub number: i32,
    /// `codeName`
    pub name: &'static str,
}

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
    NO_SUCH_KEY = 4 "NoSuchKey";
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
    CURSOR_KILLED = 237 "CursorKilled";
    NO_MATCHING_DOCUMENT = 47 "NoMatchingDocument";
    NAMESPACE_EXISTS = 48 "NamespaceExists";
    DOLLAR_PREFIXED_FIELD_NAME = 52 "DollarPrefixedFieldName";
    INVALID_ID_FIELD = 53 "InvalidIdField";
    NOT_SINGLE_VALUE_FIELD = 54 "NotSingleValueField";
    EMPTY_FIELD_NAME = 56 "EmptyFieldName";
    COMMAND_NOT_FOUND = 59 "CommandNotFound";
    MAX_TIME_MS_EXPIRED = 50 "MaxTimeMSExpired";
    IMMUTABLE_FIELD = 66 "ImmutableField";
    CANNOT_CREATE_INDEX = 67 "CannotCreateIndex";
    INVALID_OPTIONS = 72 "InvalidOptions";
    INVALID_NAMESPACE = 73 "InvalidNamespace";
    NO_REPLICATION_ENABLED = 76 "NoReplicationEnabled";
    INDEX_OPTIONS_CONFLICT = 85 "IndexOptionsConflict";
    INDEX_KEY_SPECS_CONFLICT = 86 "IndexKeySpecsConflict";
    COMMAND_NOT_SUPPORTED = 115 "CommandNotSupported";
    DOCUMENT_VALIDATION_FAILURE = 121 "DocumentValidationFailure";
    NOT_A_REPLICA_SET = 123 "NotAReplicaSet";
    COMMAND_FAILED = 125 "CommandFailed";
    COMMAND_NOT_SUPPORTED_ON_VIEW = 166 "CommandNotSupportedOnView";
    CANNOT_INDEX_PARALLEL_ARRAYS = 171 "CannotIndexParallelArrays";
    QUERY_PLAN_KILLED = 175 "QueryPlanKilled";
    AMBIGUOUS_INDEX_KEY_PATTERN = 181 "AmbiguousIndexKeyPattern";
    CLIENT_METADATA_APP_NAME_TOO_LARGE = 184 "ClientMetadataAppNameTooLarge";
    CLIENT_METADATA_DOCUMENT_TOO_LARGE = 185 "ClientMetadataDocumentTooLarge";
    INVALID_INDEX_SPECIFICATION_OPTION = 197 "InvalidIndexSpecificationOption";
    INDEX_BUILD_ABORTED = 276 "IndexBuildAborted";
    QUERY_EXCEEDED_MEMORY_LIMIT = 292 "QueryExceededMemoryLimitNoDiskUseAllowed";
    MECHANISM_UNAVAILABLE = 334 "MechanismUnavailable";
    CANNOT_CONVERT_INDEX_TO_UNIQUE = 359 "CannotConvertIndexToUnique";
    OPERATION_FAILED = 96 "OperationFailed";
    API_VERSION_ERROR = 322 "APIVersionError";
    API_STRICT_ERROR = 323 "APIStrictError";
    TEMPORARILY_UNAVAILABLE = 365 "TemporarilyUnavailable";
    DUPLICATE_KEY = 11000 "DuplicateKey";
    BSON_OBJECT_TOO_LARGE = 10334 "BSONObjectTooLarge";
    INTERRUPTED = 11601 "Interrupted";
    DATABASE_DIFFER_CASE = 13297 "DatabaseDifferCase";
    OUT_OF_DISK_SPACE = 14031 "OutOfDiskSpace";
    SORT_VALUE = 15974 "Location15974";
    SORT_EXPRESSION = 17312 "Location17312";
    SORT_DUPLICATE = 7_472_500 "Location7472500";
    SORT_FIELDS = 13103 "Location13103";
    SORT_PATH_EMPTY = 40352 "Location40352";
    SORT_PATH_END = 40353 "Location40353";
    SORT_NAME_EMPTY = 15998 "Location15998";
    SORT_NAME_DOLLAR = 16410 "Location16410";
    LET_READS_FIELD = 4_890_500 "Location4890500";
    SORT_DIRECTION = 15975 "Location15975";
    INCOMPATIBLE_SORT = 16755 "Location16755";
    OPID_TOO_LARGE = 26823 "Location26823";
    EMPTY_PIPELINE_STAGE = 40323 "Location40323";
    UNRECOGNIZED_PIPELINE_STAGE = 40324 "Location40324";
    IDL_DUPLICATE_FIELD = 40413 "Location40413";
    IDL_FAILED_TO_PARSE = 40414 "IDLFailedToParse";
    IDL_UNKNOWN_FIELD = 40415 "IDLUnknownField";
    PROJECTION_PATH_BELOW_ANOTHER = 31249 "Location31249";
    PROJECTION_VALUE_IN_EXCLUSION = 31310 "Location31310";
    PROJECTION_PATH_COLLISION = 31250 "Location31250";
    PROJECTION_EXPRESSION_IN_EXCLUSION = 31252 "Location31252";
    PROJECTION_INCLUSION_IN_EXCLUSION = 31253 "Location31253";
    PROJECTION_EXCLUSION_IN_INCLUSION = 31254 "Location31254";
    PROJECTION_NESTED_ELEM_MATCH = 31275 "Location31275";
    CANNOT_BACKFILL_ARRAY = 128 "CannotBackfillArray";
    QUERY_FEATURE_NOT_ALLOWED = 224 "QueryFeatureNotAllowed";
    REGEX_OPTIONS_BEFORE = 51074 "Location51074";
    REGEX_FLAG = 51108 "Location51108";
    REGEX_STEPS = 51156 "Location51156";
    PATH_TOO_LONG = 5_729_100 "Location5729100";
    REGEX_OPTIONS_TWICE = 51075 "Location51075";
    CONSTANTS_WITHOUT_PIPELINE = 51198 "Location51198";
    INVALID_REGEX = 51091 "Location51091";
    STANDALONE = 51300 "Location51300";
    DISTINCT_TOO_BIG = 17217 "Location17217";
    KEY_WITH_NUL = 31032 "Location31032";
    BOUNDS_WITHOUT_HINT = 51173 "Location51173";
    BOUNDS_OF_OTHER_INDEX = 51174 "Location51174";
    BOUNDS_OUT_OF_ORDER = 51175 "Location51175";
    BOUNDS_OF_DIFFERENT_FIELDS = 51176 "Location51176";
    CAPPED_POSITION_LOST = 136 "CappedPositionLost";
    INVALID_PIPELINE_OPERATOR = 168 "InvalidPipelineOperator";
    NO_QUERY_EXECUTION_PLANS = 291 "NoQueryExecutionPlans";
    CLUSTERED_INDEX_DROP = 5_979_800 "Location5979800";
    CLUSTERED_INDEX_HIDE = 6_011_800 "Location6011800";
    DROP_DATABASE_NOT_1 = 5_255_100 "Location5255100";
    CLUSTERED_NOT_UNIQUE = 5_979_700 "Location5979700";
    CLUSTERED_LEGACY = 5_979_703 "Location5979703";
    CLUSTERED_VERSION = 5_979_704 "Location5979704";
    CLUSTERED_VIEW = 6_026_500 "Location6026500";
    CLUSTERED_SIZE = 6_049_200 "Location6049200";
    CLUSTERED_MAX = 6_049_204 "Location6049204";
    CAPPED_CLUSTERED_WITHOUT_TTL = 6_049_201 "Location6049201";
    CAPPED_CLUSTERED_SECONDARY_TTL = 6_049_202 "Location6049202";
    MESSAGE_BODIES = 40430 "Location40430";
    MESSAGE_SEQUENCE_TWICE = 40431 "Location40431";
    MESSAGE_SECTION_KIND = 40432 "Location40432";
    MESSAGE_FIELD_TWICE = 40433 "Location40433";
    MESSAGE_WITHOUT_DB = 40571 "Location40571";
    MESSAGE_WITHOUT_BODY = 40587 "Location40587";
    DATA_CORRUPTION_DETECTED = 301 "DataCorruptionDetected";
    UNSUPPORTED_OP_QUERY_COMMAND = 352 "UnsupportedOpQueryCommand";
    GRAPH_CONTAINS_CYCLE = 5 "GraphContainsCycle";
    OPTION_NOT_SUPPORTED_ON_VIEW = 167 "OptionNotSupportedOnView";
    PROJECTION_UNKNOWN_EXPRESSION = 31325 "Location31325";
    ELEM_MATCH_OBJECT = 31274 "Location31274";
    HASHED_UNIQUE = 16764 "Location16764";
    HASHED_TWICE = 31303 "Location31303";
    WILDCARD_TWICE = 7_246_201 "Location7246201";
    WILDCARD_WORD = 7_246_202 "Location7246202";
    WILDCARD_OVERLAP = 7_246_209 "Location7246209";
    PROJECTION_COMPUTED = 51271 "Location51271";
    NEAR_NOT_ALLOWED = 5_626_500 "Location5626500";
    NOT_SUPPORTED = 238 "NotImplemented";
}
