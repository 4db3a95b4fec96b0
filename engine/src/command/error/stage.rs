//! The numbers of pipeline stages.

use super::{Code, CommandError};
use crate::{
    pipeline::{PipelineError, StageErrorKind as Kind},
    query::{PositionalErrorKind, ReshapeErrorKind},
};

impl From<PipelineError> for CommandError {
    fn from(error: PipelineError) -> Self {
        match error {
            PipelineError::Stage { kind, message } => Self::new(code(kind), message),
            PipelineError::Query(error) => error.into(),
            PipelineError::Plan(error) => error.into(),
            PipelineError::Catalog(error) => error.into(),
            PipelineError::Write(error) => error.into(),
            PipelineError::Store(error) => error.into(),
        }
    }
}

numbers! {
    /// The number of what is wrong with a stage.
    code(Kind):
        StageFields = 40323;
        StageUnknown = 40324;
        OnlyFirst = 40602;
        OnlyLast = 40601;
        NotInFacet = 40600;
        NotInLookup = 51047;
        NotInUnionWith = 31441;
        NotInView = 167 "OptionNotSupportedOnView";
        PipelineTooLong = 7749501;
        PipelineTooDeep = 232 "MaxSubPipelineDepthExceeded";
        ViewTooDeep = 165 "ViewDepthLimitExceeded";
        ViewCycle = 5 "GraphContainsCycle";
        Unsupported = 238 "NotImplemented";
        FailedToParse = 9 "FailedToParse";
        TypeMismatch = 14 "TypeMismatch";
        BadValue = 2 "BadValue";
        InvalidNamespace = 73 "InvalidNamespace";
        NamespaceNotFound = 26 "NamespaceNotFound";
        MissingField = 40414 "IDLFailedToParse";
        UnknownField = 40415 "IDLUnknownField";
        MemoryLimit = 292 "QueryExceededMemoryLimitNoDiskUseAllowed";
        OnlyReplicaSet = 40573;
        OnlyAtlas = 31082 "SearchNotEnabled";
        NoGeoIndex = 27 "IndexNotFound";
        MatchNotObject = 15959;
        SortNotObject = 15973;
        SortEmpty = 15976;
        LimitArgument = 5107201;
        LimitNotPositive = 15958;
        SkipArgument = 5107200;
        CountNotString = 40156;
        CountEmpty = 40157;
        CountDollar = 40158;
        CountNul = 40159;
        CountDot = 40160;
        CountId = 9039800;
        GroupDivideByZero = 4848401;
        GroupModByZero = 4848403;
        GroupMergeNotObject = 5911200;
        GroupN = 7548606;
        AccumulatorNotArray = 14 "TypeMismatch";
        UnwindNotObject = 15981;
        UnwindPathNotString = 28808;
        UnwindPreserveNotBool = 28809;
        UnwindIndexNotString = 28810;
        UnwindOption = 28811;
        UnwindNoPath = 28812;
        UnwindNoDollar = 28818;
        UnwindIndexDollar = 28822;
        SampleNotObject = 28745;
        SampleSizeNotNumber = 28746;
        SampleSizeNegative = 28747;
        SampleOption = 28748;
        SampleNoSize = 28749;
        GroupNotObject = 15947;
        GroupIdTwice = 15948;
        GroupNoId = 15955;
        GroupFieldNotObject = 40234;
        GroupFieldDot = 40235;
        GroupFieldDollar = 40236;
        GroupFieldMany = 40238;
        AccumulatorUnary = 40237;
        AccumulatorUnknown = 15952;
        AccumulatorCountArgument = 14 "TypeMismatch";
        AccumulatorMergeNotObject = 40400;
        AccumulatorNArgument = 5787900;
        AccumulatorNUnknownField = 5787901;
        AccumulatorNNotInteger = 5787902;
        AccumulatorNNotIntegral = 5787903;
        AccumulatorNNotPositive = 5787908;
        AccumulatorNNoN = 5787906;
        AccumulatorNNoInput = 5787907;
        AccumulatorTopArgument = 5788001;
        AccumulatorTopUnknownField = 5788002;
        AccumulatorTopNoN = 5788003;
        AccumulatorTopNoOutput = 5788004;
        AccumulatorTopNoSort = 5788005;
        AccumulatorTopSortNotObject = 5788604;
        AccumulatorPercentileRange = 7750303;
        AccumulatorPercentileList = 7750301;
        AccumulatorPercentileArgument = 7429703;
        AccumulatorPercentileMedian = 7436100;
        AccumulatorPercentileMethod = 2 "BadValue";
        SortByCountObject = 40147;
        SortByCountPath = 40148;
        SortByCountType = 40149;
        BucketNotObject = 40201;
        BucketGroupBy = 40202;
        BucketBoundariesType = 40200;
        BucketBoundariesConstant = 40191;
        BucketBoundariesFew = 40192;
        BucketBoundariesTypes = 40193;
        BucketBoundariesOrder = 40194;
        BucketDefaultConstant = 40195;
        BucketOutput = 40196;
        BucketOption = 40197;
        BucketRequired = 40198;
        BucketDefaultRange = 40199;
        AutoNotObject = 40240;
        AutoGroupBy = 40239;
        AutoBucketsNumber = 40241;
        AutoBucketsInteger = 40242;
        AutoBucketsPositive = 40243;
        AutoOutput = 40244;
        AutoOption = 40245;
        AutoRequired = 40246;
        AutoGranularityType = 40261;
        AutoGranularity = 40257;
        AutoValueType = 40258;
        AutoValueNan = 40259;
        AutoValueNegative = 40260;
        FacetEmpty = 40169;
        FacetNotArray = 40170;
        FacetElement = 40171;
        FieldNameEmpty = 15998;
        FieldNameDollar = 16410;
        FieldNameNul = 16411;
        FieldNameDot = 16412;
        PathEmpty = 40352;
        PathTrailingDot = 40353;
        RedactResult = 17053;
        DocumentsValue = 5858203;
        DocumentsElement = 40228;
        IndexStatsArgument = 28803;
        CollStatsArgument = 5447000;
        OutArgument = 16990;
        OutSpecial = 17385;
        OutCapped = 17152;
        OutInternal = 31321;
        MergeSpecial = 31319;
        MergeInternal = 31320;
        MergeInto = 51178;
        MergeModes = 51181;
        MergeWhenMatched = 51191;
        MergeOnType = 51186;
        MergeOnElement = 51134;
        MergeOnEmpty = 51187;
        MergeOnTwice = 31465;
        MergeNotUnique = 51183;
        MergeLetNew = 51273;
        MergeLetMode = 51199;
        MergeOnMissing = 51132;
        MergeOnArray = 51185;
        MergeNoMatch = 13113 "MergeStageNoMatchingDocument";
}

numbers! {
    /// The number of a stage that makes one document of another.
    reshape_code(ReshapeErrorKind):
        ProjectNotObject = 15969;
        ProjectEmpty = 51272;
        EmptySubProjection = 51270;
        AddFieldsNotObject = 40272;
        AddFieldsEmpty = 40177;
        AddFieldsCollision = 40176;
        AddFieldsEmptyObject = 40180;
        AddFieldsSeveral = 40181;
        UnsetType = 31002;
        UnsetEmpty = 31119;
        UnsetNotStrings = 31120;
        ReplaceRootNotObject = 40229;
        ReplaceRootOption = 40230;
        ReplaceRootMissing = 40231;
        ReplaceRootResult = 40228;
}

numbers! {
    /// Of the positional operator in a projection.
    positional_code(PositionalErrorKind):
    InMiddle = 31394;
    Twice = 31276;
    BesideElemMatch = 31256;
    ElemMatchBeside = 31255;
    Exclusion = 31395;
    Constant = 31308;
    Expression = 31271;
    NotFound = 51246;
    Mismatch = 51247;
}
