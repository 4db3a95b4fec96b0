//! Why an expression is refused or fails.

use crate::query::{QueryError, QueryErrorKind};

/// One kind for each number that MongoDB gives; `command/error` maps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the names say what the message says again")]
pub enum ExpressionErrorKind {
    // The language.
    Unknown,
    SeveralOperators,
    ArgumentCount,
    ArgumentRange,
    PathWithoutName,
    PathEmpty,
    PathEndsWithDot,
    FieldNameEmpty,
    FieldNameDollar,
    FieldNameNul,
    FieldNameDot,
    FieldTwice,
    VariableEmpty,
    VariableStart,
    VariableCharacter,
    VariableUseEmpty,
    VariableUseStart,
    VariableUseCharacter,
    VariableUndefined,
    VariableUnavailable,
    // Conditions.
    IfNullCount,
    CondWithoutIf,
    CondWithoutThen,
    CondWithoutElse,
    CondUnknown,
    SwitchNotObject,
    SwitchBranchesNotArray,
    SwitchBranchNotObject,
    SwitchBranchUnknown,
    SwitchWithoutCase,
    SwitchWithoutThen,
    SwitchNoBranch,
    SwitchUnknown,
    SwitchEmpty,
    // Arithmetic.
    NotNumeric,
    AddTwoDates,
    ModNotNumeric,
    ModByZero,
    AbsLongMin,
    RoundNotNumeric,
    RoundPlaceWhole,
    RoundPlaceRange,
    RoundOverflow,
    SqrtNegative,
    LnPositive,
    Log10Positive,
    LogNotNumeric,
    LogBaseNotNumeric,
    LogPositive,
    LogBase,
    PowBaseNotNumeric,
    PowExponentNotNumeric,
    PowZero,
    TrigonometryRange,
    Atan2First,
    Atan2Second,
    // Forms that bind variables.
    LetNotObject,
    LetUnknown,
    LetWithoutVars,
    LetWithoutIn,
    LetVarsNotObject,
    MapNotObject,
    MapUnknown,
    MapWithoutInput,
    MapWithoutIn,
    MapInput,
    FilterNotObject,
    FilterUnknown,
    FilterWithoutInput,
    FilterWithoutCond,
    FilterInput,
    FilterLimitNumber,
    FilterLimitPositive,
    ReduceNotObject,
    ReduceUnknown,
    ReduceWithoutInput,
    ReduceWithoutInitial,
    ReduceWithoutIn,
    ReduceInput,
}

/// An error of this kind.
pub(super) fn error(kind: ExpressionErrorKind, message: impl Into<String>) -> QueryError {
    QueryError::new(QueryErrorKind::Expression(kind), message)
}
