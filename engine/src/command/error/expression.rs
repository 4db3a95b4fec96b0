//! MongoDB's numbers for what goes wrong in aggregation expressions.

use super::Code;
use crate::query::ExpressionErrorKind as Kind;

macro_rules! codes {
    ($($kind:ident = $number:literal;)*) => {
        /// The number and name of an expression's error.
        #[expect(clippy::unreadable_literal, reason = "as MongoDB's users search for them")]
        pub(super) fn code(kind: Kind) -> Code {
            match kind {
                Kind::Unknown => Code { number: 168, name: "InvalidPipelineOperator" },
                $(Kind::$kind => Code { number: $number, name: concat!("Location", $number) },)*
            }
        }
    };
}

codes! {
    SeveralOperators = 15983;
    ArgumentCount = 16020;
    ArgumentRange = 28667;
    PathWithoutName = 16872;
    PathEmpty = 40352;
    PathEndsWithDot = 40353;
    FieldNameEmpty = 15998;
    FieldNameDollar = 16410;
    FieldNameNul = 16411;
    FieldNameDot = 16412;
    FieldTwice = 16406;
    VariableEmpty = 16866;
    VariableStart = 16867;
    VariableCharacter = 16868;
    VariableUseEmpty = 16869;
    VariableUseStart = 16870;
    VariableUseCharacter = 16871;
    VariableUndefined = 17276;
    VariableUnavailable = 51144;
    IfNullCount = 1257300;
    CondWithoutIf = 17080;
    CondWithoutThen = 17081;
    CondWithoutElse = 17082;
    CondUnknown = 17083;
    SwitchNotObject = 40060;
    SwitchBranchesNotArray = 40061;
    SwitchBranchNotObject = 40062;
    SwitchBranchUnknown = 40063;
    SwitchWithoutCase = 40064;
    SwitchWithoutThen = 40065;
    SwitchNoBranch = 40066;
    SwitchUnknown = 40067;
    SwitchEmpty = 40068;
    NotNumeric = 28765;
    AddTwoDates = 16612;
    ModNotNumeric = 16611;
    ModByZero = 16610;
    AbsLongMin = 28680;
    RoundNotNumeric = 51081;
    RoundPlaceWhole = 51082;
    RoundPlaceRange = 51083;
    RoundOverflow = 51080;
    SqrtNegative = 28714;
    LnPositive = 28766;
    Log10Positive = 28761;
    LogNotNumeric = 28756;
    LogBaseNotNumeric = 28757;
    LogPositive = 28758;
    LogBase = 28759;
    PowBaseNotNumeric = 28762;
    PowExponentNotNumeric = 28763;
    PowZero = 28764;
    TrigonometryRange = 50989;
    Atan2First = 51044;
    Atan2Second = 51045;
    GetFieldUnknown = 3041701;
    GetFieldWithoutField = 3041702;
    GetFieldMissing = 3041703;
    GetFieldName = 3041704;
    SetFieldNotObject = 4161100;
    SetFieldUnknown = 4161101;
    SetFieldMissing = 4161102;
    SetFieldInput = 4161105;
    SetFieldName = 4161107;
    MergeObjects = 40400;
    RandArgument = 3040501;
    LetNotObject = 16874;
    LetUnknown = 16875;
    LetWithoutVars = 16876;
    LetWithoutIn = 16877;
    LetVarsNotObject = 10065;
    MapNotObject = 16878;
    MapUnknown = 16879;
    MapWithoutInput = 16880;
    MapWithoutIn = 16882;
    MapInput = 16883;
    FilterNotObject = 28646;
    FilterUnknown = 28647;
    FilterWithoutInput = 28648;
    FilterWithoutCond = 28650;
    FilterInput = 28651;
    FilterLimitNumber = 327391;
    FilterLimitPositive = 327392;
    ReduceNotObject = 40075;
    ReduceUnknown = 40076;
    ReduceWithoutInput = 40077;
    ReduceWithoutInitial = 40078;
    ReduceWithoutIn = 40079;
    ReduceInput = 40080;
}
