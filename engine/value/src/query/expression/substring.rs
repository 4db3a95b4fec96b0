//! Operators on parts of strings, by bytes and by code points.

use bson::{RawBson, RawBsonRef};

use super::{
    arguments::{
        as_long, coerced_text, count, integral32, is_nullish, is_number, name_of, null, shown,
    },
    operator::{Arguments, CallArgs, Operator, Outcome},
};
use crate::query::{QueryError, error::refused};

pub(super) static OPERATORS: &[Operator] = &[
    Operator { name: "$substr", arguments: Arguments::Exactly(3), run: substr_bytes },
    Operator { name: "$substrBytes", arguments: Arguments::Exactly(3), run: substr_bytes },
    Operator { name: "$substrCP", arguments: Arguments::Exactly(3), run: substr_cp },
    Operator { name: "$indexOfBytes", arguments: Arguments::Between(2, 4), run: index_of_bytes },
    Operator { name: "$indexOfCP", arguments: Arguments::Between(2, 4), run: index_of_cp },
];

fn substr_bytes(given: &CallArgs<'_>) -> Outcome {
    const NAME: &str = "$substrBytes";
    let text = coerced_text(given.at(0))?;
    let number = |at, code, what: &str| {
        let value = given.at(at);
        value.filter(|value| is_number(*value)).and_then(as_long).ok_or_else(|| {
            let found = name_of(value);
            refused(code, format!("{NAME}:  {what} must be a numeric type (is BSON type {found})"))
        })
    };
    let start = number(1, 16034, "starting index")?;
    let length = number(2, 16035, "length")?;
    let Ok(from) = usize::try_from(start) else {
        return Err(refused!(50752, "{NAME}:  starting index must be non-negative (got: {start})"));
    };
    let to = usize::try_from(length).map_or(text.len(), |length| from.saturating_add(length));
    let inside = |at: usize| at < text.len() && !text.is_char_boundary(at);
    if inside(from) {
        return Err(refused!(
            28656,
            "{NAME}:  Invalid range, starting index is a UTF-8 continuation byte."
        ));
    }
    if inside(to) {
        return Err(refused!(
            28657,
            "{NAME}:  Invalid range, ending index is in the middle of a UTF-8 character."
        ));
    }
    let part = text.get(from.min(text.len())..to.min(text.len())).unwrap_or_default();
    Ok(Some(RawBson::String(part.to_owned())))
}

fn substr_cp(given: &CallArgs<'_>) -> Outcome {
    let text = coerced_text(given.at(0))?;
    let number = |at, type_code, whole_code, what: &str| {
        let value = given.at(at);
        let Some(found) = value.filter(|value| is_number(*value)) else {
            let found = name_of(value);
            return Err(refused!(
                type_code,
                "$substrCP: {what} must be a numeric type (is BSON type {found})"
            ));
        };
        integral32(found).ok_or_else(|| {
            refused!(
                whole_code,
                "$substrCP: {what} cannot be represented as a 32-bit integral value: {}",
                shown(value)
            )
        })
    };
    let start = number(1, 34450, 34451, "starting index")?;
    let length = number(2, 34452, 34453, "length")?;
    let Ok(length) = usize::try_from(length) else {
        return Err(refused(34454, "$substrCP: length must be a nonnegative integer."));
    };
    let Ok(start) = usize::try_from(start) else {
        return Err(refused(34455, "$substrCP: the starting index must be nonnegative integer."));
    };
    Ok(Some(RawBson::String(text.chars().skip(start).take(length).collect())))
}

/// The string, what is looked for, and the range; `None` if the string is null.
struct Search<'v> {
    text: &'v str,
    token: &'v str,
    start: usize,
    end: Option<usize>,
}

impl<'v> Search<'v> {
    fn read(
        given: &'v CallArgs<'_>,
        name: &str,
        codes: [i32; 2],
    ) -> Result<Option<Self>, QueryError> {
        if is_nullish(given.at(0)) {
            return Ok(None);
        }
        let text = |at, code, what: &str| match given.at(at) {
            Some(RawBsonRef::String(text)) => Ok(text),
            other => Err(refused!(
                code,
                "{name} requires a string as the {what} argument, found: {}",
                name_of(other)
            )),
        };
        let [first, second] = codes;
        Ok(Some(Self {
            text: text(0, first, "first")?,
            token: text(1, second, "second")?,
            start: border(given, 2, name, "starting index")?.unwrap_or(0),
            end: border(given, 3, name, "ending index")?,
        }))
    }
}

fn border(
    given: &CallArgs<'_>,
    at: usize,
    name: &str,
    what: &str,
) -> Result<Option<usize>, QueryError> {
    if at >= given.count() {
        return Ok(None);
    }
    let value = given.at(at);
    let Some(number) = value.and_then(integral32) else {
        return Err(refused!(
            40096,
            "{name} requires an integral {what}, found a value of type: {}, with value: {}",
            name_of(value),
            shown(value)
        ));
    };
    usize::try_from(number).map(Some).map_err(|_| {
        refused(40097, format!("{name} requires a nonnegative {what}, found: {}", shown(value)))
    })
}

fn index_of_bytes(given: &CallArgs<'_>) -> Outcome {
    let codes = [40091, 40092];
    let Some(search) = Search::read(given, "$indexOfBytes", codes)? else { return null() };
    let text = search.text.as_bytes();
    let end = search.end.unwrap_or(text.len()).min(text.len());
    let token = search.token.as_bytes();
    let found = text.get(search.start..end).and_then(|part| memchr::memmem::find(part, token));
    found.map_or(Ok(Some(RawBson::Int32(-1))), |at| count(search.start + at))
}

fn index_of_cp(given: &CallArgs<'_>) -> Outcome {
    let codes = [40093, 40094];
    let Some(search) = Search::read(given, "$indexOfCP", codes)? else { return null() };
    if search.text.is_empty() && search.token.is_empty() && search.start == 0 {
        return Ok(Some(RawBson::Int32(0)));
    }
    let found = search.text.char_indices().nth(search.start).and_then(|(start, _)| {
        let rest = search.text.get(start..)?;
        let bytes = memchr::memmem::find(rest.as_bytes(), search.token.as_bytes())?;
        Some(search.start + rest.get(..bytes)?.chars().count())
    });
    let found = found.filter(|at| search.end.is_none_or(|end| *at < end));
    found.map_or(Ok(Some(RawBson::Int32(-1))), count)
}

#[cfg(test)]
mod tests {
    use crate::query::expression::testing::{check, refused};

    #[test]
    fn parts_of_strings_are_cut_and_found() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is("{$substr: ['abcde', 1, 2]}", "'bc'");
        is("{$substrBytes: ['abcde', 1, -1]}", "'bcde'");
        is("{$substrBytes: ['abc', 5, 1]}", "''");
        is("{$substrBytes: [null, 0, 1]}", "''");
        is("{$substrBytes: [12345, 1, 2]}", "'23'");
        is("{$substrBytes: ['寿司sushi', 0, 3]}", "'寿'");
        is("{$substrCP: ['cafétéria', 3, 3]}", "'été'");
        is("{$substrCP: ['ab', 9, 1]}", "''");
        is("{$indexOfBytes: ['cafeteria', 'e']}", "3");
        is("{$indexOfBytes: ['cafétéria', 'é']}", "3");
        is("{$indexOfBytes: ['cafétéria', 't']}", "5");
        is("{$indexOfBytes: ['foo.bar.fi', '.', 5]}", "7");
        is("{$indexOfBytes: ['vanilla', 'll', 0, 2]}", "-1");
        is("{$indexOfBytes: ['vanilla', 'll', 12]}", "-1");
        is("{$indexOfBytes: ['vanilla', 'll', 5, 2]}", "-1");
        is("{$indexOfBytes: ['abc', '', 3]}", "3");
        is("{$indexOfBytes: [null, 'a']}", "null");
        is("{$indexOfCP: ['cafétéria', 't']}", "4");
        is("{$indexOfCP: ['foo.bar.fi', '.', 5]}", "7");
        is("{$indexOfCP: ['', '']}", "0");
        is("{$indexOfCP: ['abc', '', 3]}", "-1");
        is("{$indexOfCP: ['vanilla', 'nilla', 3]}", "-1");
        is("{$indexOfCP: ['éaéa', 'a', 2, 3]}", "-1");
        is("{$indexOfCP: ['éaéa', 'a', 2, 4]}", "3");
        is("{$indexOfCP: ['éaéa', '', 2, 3]}", "2");
        is("{$indexOfCP: ['éaéa', '', 2, 2]}", "-1");
        refused("{$substrBytes: ['a', 'a', 1]}", 16034);
        refused("{$substrBytes: ['a', 1, 'a']}", 16035);
        refused("{$substrBytes: ['a', -1, 1]}", 50752);
        refused("{$substrBytes: ['é', 1, 1]}", 28656);
        refused("{$substrBytes: ['é', 0, 1]}", 28657);
        refused("{$substrCP: ['a', 'a', 1]}", 34450);
        refused("{$substrCP: ['a', 1.5, 1]}", 34451);
        refused("{$substrCP: ['a', 1, null]}", 34452);
        refused("{$substrCP: ['a', 1, 1.5]}", 34453);
        refused("{$substrCP: ['a', 1, -1]}", 34454);
        refused("{$substrCP: ['a', -1, 1]}", 34455);
        refused("{$indexOfBytes: [1, 'a']}", 40091);
        refused("{$indexOfBytes: ['a', 1]}", 40092);
        refused("{$indexOfCP: [1, 'a']}", 40093);
        refused("{$indexOfCP: ['a', null]}", 40094);
        refused("{$indexOfCP: ['a', 'a', 'a']}", 40096);
        refused("{$indexOfBytes: ['a', 'a', -1]}", 40097);
    }
}
