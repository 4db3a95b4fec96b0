//! Why a pipeline is refused or fails.

use crate::{
    catalog::CatalogError, collection::WriteError, plan::PlanError, query::QueryError,
    store::StoreError,
};

/// Why a pipeline is refused or fails.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// A stage is wrong, or met what it can't take.
    #[error("{message}")]
    Stage {
        /// What kind of mistake it is; `command` maps it to MongoDB's number.
        kind: StageErrorKind,
        /// What is wrong and what to do.
        message: String,
    },
    /// A filter, projection, expression or sort.
    #[error(transparent)]
    Query(#[from] QueryError),
    /// A search.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// A definition.
    #[error(transparent)]
    Catalog(#[from] CatalogError),
    /// A write.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Kinds of mistakes in a stage, named by meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum StageErrorKind {
    /// A stage is not a document with one field.
    StageFields,
    /// No stage has this name.
    StageUnknown,
    /// The stage must be the first one.
    OnlyFirst,
    /// The stage must be the last one.
    OnlyLast,
    /// The stage can't stand in `$facet`.
    NotInFacet,
    /// The stage can't stand in the pipeline of `$lookup`.
    NotInLookup,
    /// The stage can't stand in the pipeline of `$unionWith`.
    NotInUnionWith,
    /// The stage can't stand in a view.
    NotInView,
    /// Too many stages.
    PipelineTooLong,
    /// Too many pipelines within each other.
    PipelineTooDeep,
    /// Too many views on views.
    ViewTooDeep,
    /// A view that reads itself.
    ViewCycle,
    /// MongoDB can do it, Mayfly can't.
    Unsupported,
    /// The stage's document has the wrong form.
    FailedToParse,
    /// A value of the wrong type.
    TypeMismatch,
    /// A value that can't be used.
    BadValue,
    /// The stage can't run on this collection or database.
    InvalidNamespace,
    /// The collection does not exist.
    NamespaceNotFound,
    /// A field of the stage is missing.
    MissingField,
    /// A field that the stage does not have.
    UnknownField,
    /// The stage would hold too much.
    MemoryLimit,
    /// Change streams need a replica set.
    OnlyReplicaSet,
    /// Search needs a search server.
    OnlyAtlas,
    /// No geospatial index exists.
    NoGeoIndex,
    /// `$match` is no document.
    MatchNotObject,
    /// `$sort` is no document.
    SortNotObject,
    /// `$sort` names no field.
    SortEmpty,
    /// `$limit` is no whole number.
    LimitArgument,
    /// `$limit` is 0.
    LimitNotPositive,
    /// `$skip` is no whole number, or negative.
    SkipArgument,
    /// `$count` is no text.
    CountNotString,
    /// `$count` is the empty text.
    CountEmpty,
    /// `$count` names a field with `$`.
    CountDollar,
    /// `$count` names a field with NUL.
    CountNul,
    /// `$count` names a field with a dot.
    CountDot,
    /// `$count` into `_id`.
    CountId,
    /// A pushed-down `$group` divided by zero.
    GroupDivideByZero,
    /// A pushed-down `$group` took a remainder of a division by zero.
    GroupModByZero,
    /// `$mergeObjects` in `$group` met what is no document.
    GroupMergeNotObject,
    /// `n` of an accumulator in `$group` is no positive whole number.
    GroupN,
    /// What `$setUnion` and `$concatArrays` collect is no array.
    AccumulatorNotArray,
    /// `$unwind` is neither text nor document.
    UnwindNotObject,
    /// The path of `$unwind` is no text.
    UnwindPathNotString,
    /// `preserveNullAndEmptyArrays` is no bool.
    UnwindPreserveNotBool,
    /// `includeArrayIndex` is no text.
    UnwindIndexNotString,
    /// `$unwind` has no such option.
    UnwindOption,
    /// `$unwind` has no path.
    UnwindNoPath,
    /// The path of `$unwind` does not start with `$`.
    UnwindNoDollar,
    /// `includeArrayIndex` starts with `$`.
    UnwindIndexDollar,
    /// `$sample` is no document.
    SampleNotObject,
    /// The size of `$sample` is no number.
    SampleSizeNotNumber,
    /// The size of `$sample` is negative.
    SampleSizeNegative,
    /// `$sample` has no such option.
    SampleOption,
    /// `$sample` has no size.
    SampleNoSize,
    /// `$group` is no document.
    GroupNotObject,
    /// `$group` has two `_id`s.
    GroupIdTwice,
    /// `$group` has no `_id`.
    GroupNoId,
    /// A field of `$group` is no accumulator.
    GroupFieldNotObject,
    /// A field name of `$group` has a dot.
    GroupFieldDot,
    /// A field name of `$group` starts with `$`.
    GroupFieldDollar,
    /// A field of `$group` has several accumulators.
    GroupFieldMany,
    /// The accumulator takes one argument.
    AccumulatorUnary,
    /// No accumulator has this name.
    AccumulatorUnknown,
    /// `$count` takes an empty document.
    AccumulatorCountArgument,
    /// `$mergeObjects` met something that is no document.
    AccumulatorMergeNotObject,
    /// The accumulator takes a document.
    AccumulatorNArgument,
    /// The accumulator has no such field.
    AccumulatorNUnknownField,
    /// `n` is no whole number.
    AccumulatorNNotInteger,
    /// `n` has a fraction.
    AccumulatorNNotIntegral,
    /// `n` is not positive.
    AccumulatorNNotPositive,
    /// `n` is missing.
    AccumulatorNNoN,
    /// `input` is missing.
    AccumulatorNNoInput,
    /// The accumulator takes a document.
    AccumulatorTopArgument,
    /// The accumulator has no such field.
    AccumulatorTopUnknownField,
    /// `n` is missing.
    AccumulatorTopNoN,
    /// `output` is missing.
    AccumulatorTopNoOutput,
    /// `sortBy` is missing.
    AccumulatorTopNoSort,
    /// `sortBy` is no document.
    AccumulatorTopSortNotObject,
    /// A percentile is not between 0 and 1.
    AccumulatorPercentileRange,
    /// `p` is no array of numbers.
    AccumulatorPercentileList,
    /// The accumulator takes a document.
    AccumulatorPercentileArgument,
    /// The accumulator takes a document.
    AccumulatorPercentileMedian,
    /// Only the method `approximate` exists.
    AccumulatorPercentileMethod,
    /// `$sortByCount` is an object that is no expression.
    SortByCountObject,
    /// `$sortByCount` is a text without `$`.
    SortByCountPath,
    /// `$sortByCount` is neither text nor object.
    SortByCountType,
    /// `$bucket` is no document.
    BucketNotObject,
    /// `groupBy` of `$bucket` is no expression.
    BucketGroupBy,
    /// `boundaries` is no array.
    BucketBoundariesType,
    /// A boundary is no constant.
    BucketBoundariesConstant,
    /// Fewer than two boundaries.
    BucketBoundariesFew,
    /// Boundaries of different types.
    BucketBoundariesTypes,
    /// Boundaries are not ascending.
    BucketBoundariesOrder,
    /// `default` is no constant.
    BucketDefaultConstant,
    /// `output` is no document.
    BucketOutput,
    /// `$bucket` has no such option.
    BucketOption,
    /// `groupBy` or `boundaries` is missing.
    BucketRequired,
    /// `default` lies between the boundaries.
    BucketDefaultRange,
    /// `$bucketAuto` is no document.
    AutoNotObject,
    /// `groupBy` of `$bucketAuto` is no expression.
    AutoGroupBy,
    /// `buckets` is no number.
    AutoBucketsNumber,
    /// `buckets` is no int.
    AutoBucketsInteger,
    /// `buckets` is not positive.
    AutoBucketsPositive,
    /// `output` is no document.
    AutoOutput,
    /// `$bucketAuto` has no such option.
    AutoOption,
    /// `groupBy` or `buckets` is missing.
    AutoRequired,
    /// `granularity` is no text.
    AutoGranularityType,
    /// No granularity has this name.
    AutoGranularity,
    /// A granularity needs numbers.
    AutoValueType,
    /// A granularity met NaN.
    AutoValueNan,
    /// A granularity met a negative number.
    AutoValueNegative,
    /// `$facet` is no document, or an empty one.
    FacetEmpty,
    /// A facet is no array.
    FacetNotArray,
    /// A stage of a facet is no document.
    FacetElement,
    /// A field name is empty.
    FieldNameEmpty,
    /// A field name starts with `$`.
    FieldNameDollar,
    /// A field name holds NUL.
    FieldNameNul,
    /// A field name holds a dot.
    FieldNameDot,
    /// A path is empty.
    PathEmpty,
    /// A path ends with a dot.
    PathTrailingDot,
    /// `$redact` gave something else than its three answers.
    RedactResult,
    /// `$documents` gave no array.
    DocumentsValue,
    /// An element of `$documents` is no document.
    DocumentsElement,
    /// `$indexStats` takes an empty document.
    IndexStatsArgument,
    /// `$collStats` is no document.
    CollStatsArgument,
    /// `$out` is neither text nor document.
    OutArgument,
    /// `$out` to a collection that is reserved.
    OutSpecial,
    /// `$out` to a capped collection.
    OutCapped,
    /// `$out` to an internal database.
    OutInternal,
    /// `$merge` to a collection that is reserved.
    MergeSpecial,
    /// `$merge` to an internal database.
    MergeInternal,
    /// `into` has the wrong type.
    MergeInto,
    /// The modes of `$merge` do not go together.
    MergeModes,
    /// `whenMatched` has the wrong type.
    MergeWhenMatched,
    /// `on` is neither text nor array.
    MergeOnType,
    /// An element of `on` is no text.
    MergeOnElement,
    /// `on` is empty.
    MergeOnEmpty,
    /// `on` names a field twice.
    MergeOnTwice,
    /// No unique index has the fields of `on`.
    MergeNotUnique,
    /// `let` of `$merge` redefines `new`.
    MergeLetNew,
    /// `let` of `$merge` needs a pipeline.
    MergeLetMode,
    /// A document lacks a field of `on`.
    MergeOnMissing,
    /// A field of `on` is an array.
    MergeOnArray,
    /// A document has no match.
    MergeNoMatch,
}

impl PipelineError {
    /// An error of a stage.
    pub fn stage(kind: StageErrorKind, message: impl Into<String>) -> Self {
        Self::Stage { kind, message: message.into() }
    }
}

/// Bytes that are not BSON reach here only if a caller skipped the scan.
impl From<bson::error::Error> for PipelineError {
    fn from(error: bson::error::Error) -> Self {
        Self::Query(error.into())
    }
}
