//! `$replaceOne` and `$replaceAll`.

use bson::{RawBson, RawBsonRef};

use super::{
    arguments::{NamedCodes, is_nullish, named_refusal, null, shown},
    operator::{Arguments, CallArgs, NamedMistake, Operator, Outcome},
};
use crate::{
    limits::EXPRESSION_TEXT_BYTES_MAX,
    query::{QueryError, error::refused},
};

pub(super) static OPERATORS: &[Operator] = &[
    Operator { name: "$replaceOne", arguments: ARGUMENTS, run: replace_one },
    Operator { name: "$replaceAll", arguments: ARGUMENTS, run: replace_all },
];

const ARGUMENTS: Arguments =
    Arguments::Named { fields: &[("input", true), ("find", true), ("replacement", true)], refuse };

fn texts<'v>(given: &'v CallArgs<'_>, name: &str) -> Result<Option<[&'v str; 3]>, QueryError> {
    const WANTED: [(&str, i32); 3] =
        [("input", 10503904), ("find", 10503901), ("replacement", 10503902)];
    let mut texts = [None; 3];
    for (slot, (field, code)) in texts.iter_mut().zip(WANTED) {
        match given.named(field) {
            Some(RawBsonRef::String(text)) => *slot = Some(text),
            value if is_nullish(value) => {}
            value => {
                return Err(refused(
                    code,
                    format!("{name} requires that '{field}' be a string, found: {}", shown(value)),
                ));
            }
        }
    }
    Ok(match texts {
        [Some(input), Some(find), Some(replacement)] => Some([input, find, replacement]),
        _ => None,
    })
}

fn replace_one(given: &CallArgs<'_>) -> Outcome {
    let Some([input, find, replacement]) = texts(given, "$replaceOne")? else { return null() };
    Ok(Some(RawBson::String(input.replacen(find, replacement, 1))))
}

fn replace_all(given: &CallArgs<'_>) -> Outcome {
    let Some([input, find, replacement]) = texts(given, "$replaceAll")? else { return null() };
    let matches = input.matches(find).count();
    let grown = matches.saturating_mul(replacement.len().saturating_sub(find.len()));
    if input.len().saturating_add(grown) > EXPRESSION_TEXT_BYTES_MAX {
        return Err(QueryError::new(
            crate::query::Code::BSON_OBJECT_TOO_LARGE,
            "$replaceAll would make a string larger than a document may be",
        ));
    }
    Ok(Some(RawBson::String(input.replace(find, replacement))))
}

fn refuse(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes = NamedCodes {
        not_document: 51751,
        unknown: 51750,
        missing: &[("input", 51749), ("find", 51748), ("replacement", 51747)],
    };
    named_refusal(operator, mistake, &CODES)
}

#[cfg(test)]
mod tests {
    use crate::query::expression::testing::{check, refused};

    #[test]
    fn text_is_replaced_once_or_everywhere() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is(
            "{$replaceOne: {input: 'blue paint, blue', find: 'blue', replacement: 'red'}}",
            "'red paint, blue'",
        );
        is(
            "{$replaceAll: {input: 'blue paint, blue', find: 'blue', replacement: 'red'}}",
            "'red paint, red'",
        );
        is("{$replaceAll: {input: 'abc', find: '', replacement: 'x'}}", "'xaxbxcx'");
        is("{$replaceOne: {input: 'abc', find: '', replacement: 'x'}}", "'xabc'");
        is("{$replaceOne: {input: 'abc', find: 'z', replacement: 'x'}}", "'abc'");
        is("{$replaceOne: {input: null, find: 'z', replacement: 'x'}}", "null");
        refused("{$replaceOne: 'a'}", 51751);
        refused("{$replaceOne: {input: 1, find: 'a', replacement: 'a'}}", 10503904);
        refused("{$replaceOne: {input: null, find: 1, replacement: 'a'}}", 10503901);
        refused("{$replaceAll: {input: 'a', find: 'a', replacement: 1}}", 10503902);
        refused("{$replaceAll: {find: 'a', replacement: 'a'}}", 51749);
        refused("{$replaceAll: {input: 'a', find: 'a', replacement: 'a', x: 1}}", 51750);
    }
}
