//! Operators on strings: joining, case, length, trimming, splitting.

use bson::{RawArrayBuf, RawBson, RawBsonRef};

use super::{
    arguments::{NamedCodes, coerced_text, count, is_nullish, name_of, named_refusal, null, shown},
    budget::Budget,
    operator::{Arguments, CallArgs, NamedMistake, Operator, Outcome},
};
use crate::query::{QueryError, error::refused};

pub(super) static OPERATORS: &[Operator] = &[
    Operator { name: "$concat", arguments: Arguments::AtLeast(0), run: concat },
    Operator { name: "$toLower", arguments: Arguments::Exactly(1), run: to_lower },
    Operator { name: "$toUpper", arguments: Arguments::Exactly(1), run: to_upper },
    Operator { name: "$strcasecmp", arguments: Arguments::Exactly(2), run: strcasecmp },
    Operator { name: "$strLenBytes", arguments: Arguments::Exactly(1), run: str_len_bytes },
    Operator { name: "$strLenCP", arguments: Arguments::Exactly(1), run: str_len_cp },
    Operator { name: "$split", arguments: Arguments::Exactly(2), run: split },
    Operator { name: "$trim", arguments: TRIM_ARGUMENTS, run: trim },
    Operator { name: "$ltrim", arguments: TRIM_ARGUMENTS, run: ltrim },
    Operator { name: "$rtrim", arguments: TRIM_ARGUMENTS, run: rtrim },
    Operator { name: "$binarySize", arguments: Arguments::Exactly(1), run: binary_size },
];

/// Characters that `$trim` removes by default: NUL, white space, and the spaces of other scripts.
const WHITE_SPACE: [char; 19] = [
    '\0', ' ', '\t', '\n', '\u{b}', '\u{c}', '\r', '\u{a0}', '\u{1680}', '\u{2000}', '\u{2001}',
    '\u{2002}', '\u{2003}', '\u{2004}', '\u{2005}', '\u{2006}', '\u{2007}', '\u{2008}', '\u{2009}',
];

fn concat(given: &CallArgs<'_>) -> Outcome {
    let (mut joined, mut budget) = (String::new(), Budget::default());
    for at in 0..given.count() {
        match given.at(at) {
            value if is_nullish(value) => return null(),
            Some(RawBsonRef::String(text)) => {
                budget.take_bytes(text.len())?;
                joined.push_str(text);
            }
            other => {
                let found = name_of(other);
                return Err(refused(16702, format!("$concat only supports strings, not {found}")));
            }
        }
    }
    Ok(Some(RawBson::String(joined)))
}

fn to_lower(given: &CallArgs<'_>) -> Outcome {
    // ASCII letters only, as in MongoDB.
    Ok(Some(RawBson::String(coerced_text(given.at(0))?.to_ascii_lowercase())))
}

fn to_upper(given: &CallArgs<'_>) -> Outcome {
    Ok(Some(RawBson::String(coerced_text(given.at(0))?.to_ascii_uppercase())))
}

fn strcasecmp(given: &CallArgs<'_>) -> Outcome {
    let a = coerced_text(given.at(0))?.to_ascii_uppercase();
    let b = coerced_text(given.at(1))?.to_ascii_uppercase();
    Ok(Some(RawBson::Int32(a.cmp(&b) as i32)))
}

fn str_len_bytes(given: &CallArgs<'_>) -> Outcome {
    match given.at(0) {
        Some(RawBsonRef::String(text)) => count(text.len()),
        other => Err(refused(
            34473,
            format!("$strLenBytes requires a string argument, found: {}", name_of(other)),
        )),
    }
}

fn str_len_cp(given: &CallArgs<'_>) -> Outcome {
    match given.at(0) {
        Some(RawBsonRef::String(text)) => count(text.chars().count()),
        other => Err(refused(
            34471,
            format!("$strLenCP requires a string argument, found: {}", name_of(other)),
        )),
    }
}

fn binary_size(given: &CallArgs<'_>) -> Outcome {
    match given.at(0) {
        value if is_nullish(value) => null(),
        Some(RawBsonRef::String(text)) => count(text.len()),
        Some(RawBsonRef::Binary(binary)) => count(binary.bytes.len()),
        other => Err(refused(
            51276,
            format!("$binarySize requires a string or BinData argument, found: {}", name_of(other)),
        )),
    }
}

fn split(given: &CallArgs<'_>) -> Outcome {
    let (text, separator) = (given.at(0), given.at(1));
    if is_nullish(text) || is_nullish(separator) {
        return null();
    }
    let Some(RawBsonRef::String(text)) = text else {
        return Err(refused!(
            40085,
            "$split requires an expression that evaluates to a string as a first argument, \
                 found: {}",
            name_of(text)
        ));
    };
    let Some(RawBsonRef::String(separator)) = separator else {
        return Err(refused!(
            10503900,
            "$split requires an expression that evaluates to a string as a second argument, \
                 found: {}",
            name_of(separator)
        ));
    };
    if separator.is_empty() {
        return Err(refused(40087, "$split requires a non-empty separator"));
    }
    Ok(Some(RawBson::Array(text.split(separator).collect::<RawArrayBuf>())))
}

const TRIM_ARGUMENTS: Arguments =
    Arguments::Named { fields: &[("input", true), ("chars", false)], refuse };

fn trim(given: &CallArgs<'_>) -> Outcome {
    trim_ends(given, "$trim", true, true)
}

fn ltrim(given: &CallArgs<'_>) -> Outcome {
    trim_ends(given, "$ltrim", true, false)
}

fn rtrim(given: &CallArgs<'_>) -> Outcome {
    trim_ends(given, "$rtrim", false, true)
}

fn trim_ends(given: &CallArgs<'_>, name: &str, start: bool, end: bool) -> Outcome {
    let input = given.named("input");
    if is_nullish(input) {
        return null();
    }
    let Some(RawBsonRef::String(text)) = input else {
        return Err(refused!(
            50699,
            "{name} requires its input to be a string, got {} (of type {}) instead.",
            shown(input),
            name_of(input)
        ));
    };
    let mut chars: Vec<char> = if given.has("chars") {
        match given.named("chars") {
            Some(RawBsonRef::String(chars)) => chars.chars().collect(),
            chars if is_nullish(chars) => return null(),
            chars => {
                return Err(refused!(
                    50700,
                    "{name} requires 'chars' to be a string, got {} (of type {}) instead.",
                    shown(chars),
                    name_of(chars)
                ));
            }
        }
    } else {
        WHITE_SPACE.into_iter().chain(['\u{200a}']).collect()
    };
    // In order, because text and characters may both be as long as a document.
    chars.sort_unstable();
    chars.dedup();
    let is_taken = |c: char| chars.binary_search(&c).is_ok();
    let mut text = text;
    if start {
        text = text.trim_start_matches(is_taken);
    }
    if end {
        text = text.trim_end_matches(is_taken);
    }
    Ok(Some(RawBson::String(text.to_owned())))
}

fn refuse(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes =
        NamedCodes { not_document: 50696, unknown: 50694, missing: &[("input", 50695)] };
    named_refusal(operator, mistake, &CODES)
}

#[cfg(test)]
mod tests {
    use crate::query::expression::testing::{check, evaluate, refused};

    #[test]
    fn many_characters_are_trimmed_from_a_long_text() {
        // Looked for one by one this would be 10^10 comparisons.
        let many: String = ('\u{4e00}'..'\u{9fa5}').collect();
        let (many, text) = (many.repeat(10), "a".repeat(1_000_000));
        let found = evaluate(
            "{$trim: {input: '$text', chars: {$concat: ['$many', 'a']}}}",
            &format!("{{text: '{text}', many: '{many}'}}"),
        );
        assert_eq!(found, Ok(Some(bson::Bson::String(String::new()))));
    }

    #[test]
    fn strings_are_joined_cased_measured_and_split() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is("{$concat: ['a', '-', 'b']}", "'a-b'");
        is("{$concat: []}", "''");
        is("{$concat: ['a', null]}", "null");
        is("{$concat: ['a', '$missing']}", "null");
        is("{$toLower: 'PRODUCT 1'}", "'product 1'");
        is("{$toUpper: 'é1a'}", "'é1A'");
        is("{$toLower: null}", "''");
        is("{$toUpper: 12}", "'12'");
        is("{$toUpper: {$date: '2017-01-02T03:04:05Z'}}", "'2017-01-02T03:04:05.000Z'");
        is("{$strcasecmp: ['Abc', 'aBC']}", "0");
        is("{$strcasecmp: ['b', 'A']}", "1");
        is("{$strcasecmp: [null, 'A']}", "-1");
        is("{$strLenBytes: 'cafétéria'}", "11");
        is("{$strLenCP: 'cafétéria'}", "9");
        is("{$strLenCP: ''}", "0");
        is("{$split: ['June-15-2013', '-']}", "['June', '15', '2013']");
        is("{$split: ['banana split', 'a']}", "['b', 'n', 'n', ' split']");
        is("{$split: ['a', 'b']}", "['a']");
        is("{$split: ['ab', 'b']}", "['a', '']");
        is("{$split: [null, 'a']}", "null");
        is("{$trim: {input: '  ggggoodbyeeeee'}}", "'ggggoodbyeeeee'");
        is("{$trim: {input: ' ggggoodbyeeeee', chars: ' ge'}}", "'oodby'");
        is("{$ltrim: {input: ' a '}}", "'a '");
        is("{$rtrim: {input: ' a\u{a0}'}}", "' a'");
        is("{$trim: {input: null}}", "null");
        is("{$trim: {input: 'a', chars: null}}", "null");
        is("{$binarySize: 'é'}", "2");
        is("{$binarySize: {$binary: {base64: 'AAEC', subType: '00'}}}", "3");
        is("{$binarySize: null}", "null");
        refused("{$concat: ['a', 1]}", 16702);
        refused("{$toLower: [[1]]}", 16007);
        refused("{$strLenBytes: null}", 34473);
        refused("{$strLenCP: 1}", 34471);
        refused("{$split: [1, 'a']}", 40085);
        refused("{$split: ['a', 1]}", 10503900);
        refused("{$split: ['a', '']}", 40087);
        refused("{$trim: 'a'}", 50696);
        refused("{$trim: {input: 1}}", 50699);
        refused("{$trim: {chars: 'a'}}", 50695);
        refused("{$trim: {input: 'a', char: 'a'}}", 50694);
        refused("{$ltrim: {input: 'a', chars: 1}}", 50700);
        refused("{$binarySize: 1}", 51276);
    }
}
