//! One case of an operator's table.

use bson::{Bson, raw::RawBsonRef};

use super::{Context, Expression, Scope, VariableNames};
use crate::query::{
    Code, QueryError,
    testing::{doc, raw},
};

/// Evaluates the expression, the value of `e` in `{e: …}`, for the document.
pub(super) fn evaluate(expression: &str, document: &str) -> Result<Option<Bson>, QueryError> {
    let (source, document) = (raw(&format!("{{e: {expression}}}")), raw(document));
    let source = source.get("e").ok().flatten().unwrap_or(RawBsonRef::Null);
    let context = Context::at(1_700_000_000_000);
    let expression = Expression::parse(source, &VariableNames::default())?;
    let value = expression.evaluate(&Scope::new(&document, &context))?.into_owned();
    Ok(value.map(|value| Bson::try_from(value).expect("valid BSON")))
}

/// Checks value and type; `missing` means no value.
#[track_caller]
pub(super) fn check(expression: &str, document: &str, expected: &str) {
    let expected =
        if expected == "missing" { None } else { doc(&format!("{{e: {expected}}}")).remove("e") };
    let found = evaluate(expression, document).unwrap_or_else(|e| panic!("{expression}: {e}"));
    assert_eq!(found, expected, "{expression} of {document}");
}

/// Checks that the expression fails with these words.
#[track_caller]
pub(super) fn check_error(expression: &str, document: &str, words: &str) {
    match evaluate(expression, document) {
        Ok(value) => panic!("{expression} gives {value:?}"),
        Err(error) => assert!(error.message.contains(words), "{expression}: {error}"),
    }
}

/// Checks that the expression is refused with this number.
#[track_caller]
pub(super) fn check_code(expression: &str, document: &str, code: impl Into<Code>) {
    match evaluate(expression, document) {
        Ok(value) => panic!("{expression} gives {value:?}"),
        Err(error) => {
            assert_eq!(error.code, code.into(), "{expression}: {error}");
        }
    }
}

/// Checks that the expression is refused with this number, whatever the document.
#[track_caller]
pub(super) fn refused(expression: &str, code: impl Into<Code>) {
    check_code(expression, "{}", code);
}
