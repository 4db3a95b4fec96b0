//! `$regexMatch`, `$regexFind` and `$regexFindAll`.

use std::sync::Arc;

use bson::{RawArrayBuf, RawBson, RawBsonRef, RawDocumentBuf, raw::cstr};

use super::{
    arguments::{NamedCodes, is_nullish, named_refusal, null},
    operator::{Arguments, CallArgs, NamedMistake, Operator, Outcome},
};
use crate::limits::EXPRESSION_BYTES_MAX;
use crate::query::QueryError;
use crate::query::error::refused;
use crate::query::filter::{Groups, Pattern};

pub(super) static OPERATORS: &[Operator] = &[
    Operator { name: "$regexMatch", arguments: ARGUMENTS, run: regex_match },
    Operator { name: "$regexFind", arguments: ARGUMENTS, run: regex_find },
    Operator { name: "$regexFindAll", arguments: ARGUMENTS, run: regex_find_all },
];

const ARGUMENTS: Arguments =
    Arguments::Named { fields: &[("input", true), ("regex", true), ("options", false)], refuse };

/// The text and the compiled pattern; `None` if either is null.
fn read<'v>(
    given: &'v CallArgs<'_>,
    name: &str,
) -> Result<Option<(&'v str, Arc<Pattern>)>, QueryError> {
    let pattern = pattern(given, name)?;
    match given.named("input") {
        Some(RawBsonRef::String(text)) => Ok(pattern.map(|pattern| (text, pattern))),
        value if is_nullish(value) => Ok(None),
        _ => Err(refused(51104, format!("{name} needs 'input' to be of type string"))),
    }
}

fn pattern(given: &CallArgs<'_>, name: &str) -> Result<Option<Arc<Pattern>>, QueryError> {
    let (source, flags) = match given.named("regex") {
        Some(RawBsonRef::RegularExpression(regex)) => {
            (Some(regex.pattern.as_str()), regex.options.as_str())
        }
        Some(RawBsonRef::String(source)) => (Some(source), ""),
        value if is_nullish(value) => (None, ""),
        _ => {
            return Err(refused!(51105, "{name} needs 'regex' to be of type string or regex"));
        }
    };
    let options = match given.named("options") {
        Some(RawBsonRef::String(options)) => {
            if !flags.is_empty() {
                return Err(refused!(
                    51107,
                    "{name}: found regex option(s) specified in both 'regex' and 'option' \
                         fields"
                ));
            }
            options
        }
        value if is_nullish(value) => flags,
        _ => {
            return Err(refused(51106, format!("{name} needs 'options' to be of type string")));
        }
    };
    if source.is_some_and(|source| source.contains('\0')) {
        return Err(refused!(
            51109,
            "{name}: regular expression cannot contain an embedded null byte"
        ));
    }
    if options.contains('\0') {
        return Err(refused!(
            51110,
            "{name}: regular expression options cannot contain an embedded null byte"
        ));
    }
    if let Some(option) = options.chars().find(|option| !"imsxu".contains(*option)) {
        return Err(refused(51108, format!("{name} invalid flag in regex options: {option}")));
    }
    let Some(source) = source else { return Ok(None) };
    given
        .context
        .patterns
        .get(source, options)
        .map(Some)
        .map_err(|error| refused(51111, format!("Invalid Regex in {name}: {}", error.message)))
}

fn regex_match(given: &CallArgs<'_>) -> Outcome {
    let found = match read(given, "$regexMatch")? {
        Some((text, pattern)) => pattern.is_match(text)?,
        None => false,
    };
    Ok(Some(RawBson::Boolean(found)))
}

fn regex_find(given: &CallArgs<'_>) -> Outcome {
    let Some((text, pattern)) = read(given, "$regexFind")? else { return null() };
    match pattern.captures_at(text, 0)? {
        None => null(),
        Some(captures) => {
            let start = captures.first().copied().flatten().map_or(0, |(start, _)| start);
            let at = text.get(..start).unwrap_or_default().chars().count();
            Ok(Some(RawBson::Document(found(&captures, at))))
        }
    }
}

fn regex_find_all(given: &CallArgs<'_>) -> Outcome {
    let mut all = RawArrayBuf::new();
    let Some((text, pattern)) = read(given, "$regexFindAll")? else {
        return Ok(Some(RawBson::Array(all)));
    };
    let mut total = 0;
    let (mut from, mut counted, mut chars) = (0, 0, 0);
    while let Some(captures) = pattern.captures_at(text, from)? {
        let Some(Some((start, whole))) = captures.first().copied() else { break };
        let end = start + whole.len();
        chars += text.get(counted..start).unwrap_or_default().chars().count();
        counted = start;
        let document = found(&captures, chars);
        total += document.as_bytes().len();
        if total > EXPRESSION_BYTES_MAX {
            return Err(refused(
                51151,
                "$regexFindAll: the size of buffer to store output exceeded the 64MB limit",
            ));
        }
        all.push(document);
        // An empty match is reported once: the search continues after the next character.
        from = if whole.is_empty() {
            let next = text.get(end..).and_then(|rest| rest.chars().next());
            end + next.map_or(1, char::len_utf8)
        } else {
            end
        };
        if from >= text.len() {
            break;
        }
    }
    Ok(Some(RawBson::Array(all)))
}

/// One match: its text, where it begins in code points, and its groups.
fn found(captures: &Groups<'_>, at: usize) -> RawDocumentBuf {
    let mut groups = RawArrayBuf::new();
    for group in captures.iter().skip(1) {
        match group {
            Some((_, group)) => groups.push(*group),
            None => groups.push(RawBsonRef::Null),
        }
    }
    let mut document = RawDocumentBuf::new();
    document
        .append(cstr!("match"), captures.first().copied().flatten().map_or("", |(_, whole)| whole));
    document.append(cstr!("idx"), i32::try_from(at).unwrap_or(i32::MAX));
    document.append(cstr!("captures"), groups);
    document
}

fn refuse(operator: &'static str, mistake: NamedMistake<'_>) -> QueryError {
    const CODES: NamedCodes = NamedCodes {
        not_document: 51103,
        unknown: 31024,
        missing: &[("input", 31022), ("regex", 31023)],
    };
    named_refusal(operator, mistake, &CODES)
}

#[cfg(test)]
mod tests {
    use crate::query::{
        Code,
        expression::testing::{check, evaluate, refused},
    };

    #[test]
    fn patterns_are_matched_and_found() {
        let is = |expression: &str, expected: &str| check(expression, "{}", expected);
        is("{$regexMatch: {input: 'Simple Value', regex: 'VALUE', options: 'i'}}", "true");
        is("{$regexMatch: {input: null, regex: 'a'}}", "false");
        is("{$regexMatch: {input: 'a', regex: null}}", "false");
        is(
            "{$regexMatch: {input: 'a', regex: {$regularExpression: {pattern: 'A', options: 'i'}}}}",
            "true",
        );
        is("{$regexFind: {input: 'hello Café', regex: 'é'}}", "{match: 'é', idx: 9, captures: []}");
        is(
            "{$regexFind: {input: 'Carol', regex: '(C(ar)?)(x)?ol'}}",
            "{match: 'Carol', idx: 0, captures: ['Car', 'ar', null]}",
        );
        is("{$regexFind: {input: 'a', regex: 'b'}}", "null");
        is("{$regexFind: {input: 'ax\\n', regex: 'x$'}}", "{match: 'x', idx: 1, captures: []}");
        is(
            "{$regexFind: {input: 'ax\\n', regex: '(.)\\\\s$'}}",
            "{match: 'x\\n', idx: 1, captures: ['x']}",
        );
        is("{$regexMatch: {input: 'ax\\ny', regex: 'x$'}}", "false");
        let many = "a".repeat(60);
        is(
            &format!("{{$regexFind: {{input: '{many}', regex: '^(a+)+$'}}}}"),
            &format!("{{match: '{many}', idx: 0, captures: ['{many}']}}"),
        );
        is("{$regexFind: {input: '$missing', regex: 'b'}}", "null");
        is(
            "{$regexFindAll: {input: 'caféaé', regex: 'é'}}",
            "[{match: 'é', idx: 3, captures: []}, {match: 'é', idx: 5, captures: []}]",
        );
        is(
            "{$regexFindAll: {input: 'ab', regex: ''}}",
            "[{match: '', idx: 0, captures: []}, {match: '', idx: 1, captures: []}]",
        );
        is(
            "{$regexFindAll: {input: 'baac', regex: 'a*'}}",
            "[{match: '', idx: 0, captures: []}, {match: 'aa', idx: 1, captures: []}, {match: '', idx: 3, captures: []}]",
        );
        is("{$regexFindAll: {input: '', regex: ''}}", "[{match: '', idx: 0, captures: []}]");
        is("{$regexFindAll: {input: null, regex: 'a'}}", "[]");
        refused("{$regexMatch: 'a'}", 51103);
        refused("{$regexMatch: {regex: 'a'}}", 31022);
        refused("{$regexMatch: {input: 'a'}}", 31023);
        refused("{$regexMatch: {input: 'a', regex: 'a', x: 1}}", 31024);
        refused("{$regexFind: {input: 1, regex: 'a'}}", 51104);
        refused("{$regexFind: {input: 'a', regex: 1}}", 51105);
        refused("{$regexFind: {input: 'a', regex: 'a', options: 1}}", 51106);
        refused(
            "{$regexFind: {input: 'a', regex: {$regularExpression: {pattern: 'A', options: 'i'}}, options: 'i'}}",
            51107,
        );
        refused("{$regexFind: {input: 'a', regex: 'a', options: 'z'}}", 51108);
        refused("{$regexFindAll: {input: 'a', regex: '('}}", 51111);
    }

    #[test]
    fn a_search_that_takes_too_many_steps_is_an_error() {
        let text = format!("{}c", "a".repeat(40));
        for operator in ["$regexMatch", "$regexFind", "$regexFindAll"] {
            let expression =
                format!("{{{operator}: {{input: '{text}', regex: '^(?:(?=a)a|a)+$'}}}}");
            let found = evaluate(&expression, "{}").expect_err(operator);
            assert_eq!(found.code, Code(51156), "{operator}");
        }
    }
}
