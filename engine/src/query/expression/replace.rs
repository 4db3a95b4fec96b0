//! `$replaceOne` and `$replaceAll`.

use bson::{RawBson, RawBsonRef};

use super::{
    family::{
        FamilyErrorKind as Kind, NamedKinds, is_nullish, named_refusal, null, refused, shown,
    },
    operator::{Arguments, Given, NamedMistake, Operator, Outcome},
};
use crate::{limits::EXPRESSION_TEXT_BYTES_MAX, query::QueryError};

pub(super) static OPERATORS: &[Operator] = &[
    Operator { name: "$replaceOne", arguments: ARGUMENTS, run: replace_one },
    Operator { name: "$replaceAll", arguments: ARGUMENTS, run: replace_all },
];

const ARGUMENTS: Arguments =
    Arguments::Named { fields: &[("input", true), ("find", true), ("replacement", true)], refuse };

fn texts<'v>(given: &'v Given<'_>, name: &str) -> Result<Option<[&'v str; 3]>, QueryError> {
    const WANTED: [(&str, Kind); 3] = [
        ("input", Kind::ReplaceInputType),
        ("find", Kind::ReplaceFindType),
        ("replacement", Kind::ReplaceReplacementType),
    ];
    let mut texts = [None; 3];
    for (slot, (field, kind)) in texts.iter_mut().zip(WANTED) {
        match given.named(field) {
            Some(RawBsonRef::String(text)) => *slot = Some(text),
            value if is_nullish(value) => {}
            value => {
                return Err(refused(
                    kind,
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

fn replace_one(given: &Given<'_>) -> Outcome {
    let Some([input, find, replacement]) = texts(given, "$replaceOne")? else { return null() };
    Ok(Some(RawBson::String(input.replacen(find, replacement, 1))))
}

fn replace_all(given: &Given<'_>) -> Outcome {
    let Some([input, find, replacement]) = texts(given, "$replaceAll")? else { return null() };
    let matches = input.matches(find).count();
    let grown = matches.saturating_mul(replacement.len().saturating_sub(find.len()));
    if input.len().saturating_add(grown) > EXPRESSION_TEXT_BYTES_MAX {
        return Err(QueryError::new(
            crate::query::QueryErrorKind::BsonObjectTooLarge,
            "$replaceAll would make a string larger than a document may be",
        ));
    }
    Ok(Some(RawBson::String(input.replace(find, replacement))))
}

fn refuse(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const KINDS: NamedKinds = NamedKinds {
        not_document: Kind::ReplaceNotObject,
        unknown: Kind::ReplaceUnknown,
        missing: &[
            ("input", Kind::ReplaceInputMissing),
            ("find", Kind::ReplaceFindMissing),
            ("replacement", Kind::ReplaceReplacementMissing),
        ],
    };
    named_refusal(operator, mistake, &KINDS)
}

#[cfg(test)]
mod tests {
    use super::Kind;
    use crate::query::expression::testing::{check, check_kind};

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
        let refused = |expression: &str, kind| check_kind(expression, "{}", kind);
        refused("{$replaceOne: 'a'}", Kind::ReplaceNotObject);
        refused("{$replaceOne: {input: 1, find: 'a', replacement: 'a'}}", Kind::ReplaceInputType);
        refused("{$replaceOne: {input: null, find: 1, replacement: 'a'}}", Kind::ReplaceFindType);
        refused(
            "{$replaceAll: {input: 'a', find: 'a', replacement: 1}}",
            Kind::ReplaceReplacementType,
        );
        refused("{$replaceAll: {find: 'a', replacement: 'a'}}", Kind::ReplaceInputMissing);
        refused(
            "{$replaceAll: {input: 'a', find: 'a', replacement: 'a', x: 1}}",
            Kind::ReplaceUnknown,
        );
    }
}
