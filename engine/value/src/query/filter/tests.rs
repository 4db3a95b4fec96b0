//! Filters, by tables.

use bson::raw::RawDocumentBuf;

use super::*;
use crate::{
    interrupt::{StopReason, ended_at_once},
    query::{
        Code,
        testing::{doc, raw},
    },
};

fn check(filter: &str, yes: &[&str], no: &[&str]) {
    let parsed = Filter::parse(&raw(filter)).unwrap_or_else(|e| panic!("{filter}: {e}"));
    for text in yes {
        assert_eq!(parsed.matches(&raw(text)), Ok(true), "{filter} must match {text}");
    }
    for text in no {
        assert_eq!(parsed.matches(&raw(text)), Ok(false), "{filter} must not match {text}");
    }
}

fn refused(filter: &str, code: impl Into<Code>, words: &str) {
    let error = Filter::parse(&raw(filter)).expect_err(filter);
    assert_eq!(error.code, code.into(), "{filter}: {error}");
    assert!(error.message.contains(words), "{filter}: {error}");
}

#[test]
fn equality() {
    check("{}", &["{}", "{a: 1}"], &[]);
    check(
        "{a: 1}",
        &["{a: 1}", "{a: 1.0}", "{a: [3, 1]}"],
        &["{}", "{a: '1'}", "{a: [[1]]}", "{a: true}"],
    );
    check("{a: null}", &["{}", "{a: null}", "{a: [1, null]}"], &["{a: 0}", "{a: []}", "{a: [1]}"]);
    check(
        "{a: {b: 1}}",
        &["{a: {b: 1}}", "{a: [{b: 1.0}]}"],
        &["{a: {b: 1, c: 2}}", "{a: {b: [1]}}", "{}"],
    );
    check("{a: {b: 1, c: 2}}", &["{a: {b: 1, c: 2}}"], &["{a: {c: 2, b: 1}}"]);
    check("{a: {}}", &["{a: {}}"], &["{}", "{a: {b: 1}}"]);
    check(
        "{a: [1, 2]}",
        &["{a: [1, 2]}", "{a: [[1, 2]]}"],
        &["{a: [2, 1]}", "{a: [1, 2, 3]}", "{a: 1}"],
    );
    check("{a: []}", &["{a: []}", "{a: [[]]}"], &["{}", "{a: [1]}"]);
    check("{a: {$eq: 1}}", &["{a: 1}", "{a: [1]}"], &["{a: 2}"]);
    check("{a: {$ne: 1}}", &["{a: 2}", "{}", "{a: [2]}"], &["{a: 1}", "{a: [2, 1]}"]);
    check("{a: {$ne: null}}", &["{a: 1}"], &["{}", "{a: null}"]);
    check("{a: true}", &["{a: true}"], &["{a: 1}", "{a: false}"]);
    check("{a: {$ref: 'c', $id: 1}}", &["{a: {$ref: 'c', $id: 1}}"], &["{a: 1}"]);
    check("{a: 1, b: 2}", &["{a: 1, b: 2}"], &["{a: 1}", "{b: 2}"]);
    check("{'': 1}", &["{'': 1}"], &["{}"]);
}

#[test]
fn order_stays_in_its_class() {
    check(
        "{a: {$gt: 5}}",
        &["{a: 6}", "{a: 5.5}", "{a: [1, 9]}"],
        &["{a: 5}", "{a: 'z'}", "{a: null}", "{}", "{a: [[9]]}"],
    );
    check("{a: {$gte: 5}}", &["{a: 5}", "{a: 6}"], &["{a: 4}"]);
    check(
        "{a: {$lt: 5}}",
        &["{a: 4}"],
        &["{a: 5}", "{}", "{a: null}", "{a: {$numberDouble: 'NaN'}}"],
    );
    check("{a: {$lte: 5}}", &["{a: 5}", "{a: 4}"], &["{a: 6}"]);
    check("{a: {$gt: 1, $lt: 3}}", &["{a: 2}", "{a: [0, 5]}"], &["{a: 3}"]);
    check("{a: {$lt: 'b'}}", &["{a: 'a'}", "{a: ''}"], &["{a: 1}", "{a: 'c'}"]);
    check("{a: {$gte: null}}", &["{a: null}", "{}"], &["{a: 1}"]);
    check("{a: {$gt: {$minKey: 1}}}", &["{a: 1}", "{}", "{a: 'x'}"], &["{a: {$minKey: 1}}"]);
    check("{a: {$lt: {$maxKey: 1}}}", &["{a: 1}"], &["{a: {$maxKey: 1}}"]);
    check("{a: {$gt: [1, 2]}}", &["{a: [1, 3]}", "{a: [2]}"], &["{a: [1, 2]}", "{a: 9}"]);
    check("{a: {$gt: {b: 1}}}", &["{a: {b: 2}}"], &["{a: {b: 1}}", "{a: 2}"]);
    check(
        "{a: {$lt: {$date: '2024-01-02T00:00:00Z'}}}",
        &["{a: {$date: '2024-01-01T00:00:00Z'}}"],
        &["{a: {$timestamp: {t: 1, i: 1}}}", "{a: 1}"],
    );
    check("{a: {$lte: {$numberDouble: 'NaN'}}}", &["{a: {$numberDouble: 'NaN'}}"], &["{a: 1}"]);
    check("{a: {$numberDouble: 'NaN'}}", &["{a: {$numberDouble: 'NaN'}}"], &["{a: 1}", "{}"]);
}

#[test]
fn membership() {
    check("{a: {$in: [1, 'x']}}", &["{a: 1}", "{a: 'x'}", "{a: [5, 1]}"], &["{a: 2}", "{}"]);
    check("{a: {$in: [null]}}", &["{}", "{a: null}"], &["{a: 1}"]);
    check("{a: {$in: []}}", &[], &["{}", "{a: 1}"]);
    check(
        "{a: {$in: [{$regularExpression: {pattern: '^b', options: 'i'}}]}}",
        &["{a: 'Bx'}"],
        &["{a: 'ab'}"],
    );
    check("{a: {$in: [[1]]}}", &["{a: [1]}", "{a: [[1]]}"], &["{a: 1}"]);
    check("{a: {$nin: [1, 2]}}", &["{a: 3}", "{}"], &["{a: 1}", "{a: [3, 2]}"]);
    check("{a: {$nin: [null]}}", &["{a: 1}"], &["{}"]);
}

#[test]
fn paths() {
    check(
        "{'a.b': 1}",
        &["{a: {b: 1}}", "{a: [{b: 1}]}", "{a: [{b: [1]}]}", "{a: [5, {b: 1}]}"],
        &["{a: 1}", "{'a.b': 1}", "{a: [[{b: 1}]]}"],
    );
    check(
        "{'a.0': 1}",
        &["{a: [1, 2]}", "{a: {'0': 1}}", "{a: [{'0': 1}]}"],
        &["{a: [2, 1]}", "{a: 1}"],
    );
    check("{'a.1.b': 1}", &["{a: [0, {b: 1}]}"], &["{a: [{b: 1}, 0]}"]);
    check(
        "{'a.b': null}",
        &["{}", "{a: 5}", "{a: {c: 1}}", "{a: [{b: 1}, {}]}"],
        &["{a: {b: 1}}", "{a: []}", "{a: [1]}"],
    );
    check(
        "{'a.b': {$exists: false}}",
        &["{}", "{a: []}", "{a: [{c: 1}]}"],
        &["{a: [{c: 1}, {b: 1}]}"],
    );
    check("{'a.b': {$gt: 3}}", &["{a: [{b: 1}, {b: 4}]}"], &["{a: [{b: 1}]}"]);
}

#[test]
fn existence_and_type() {
    check("{a: {$exists: true}}", &["{a: null}", "{a: []}", "{a: 1}"], &["{}"]);
    check("{a: {$exists: 0}}", &["{}"], &["{a: null}"]);
    check("{a: {$type: 'string'}}", &["{a: 'x'}", "{a: [1, 'x']}"], &["{a: 1}", "{}"]);
    check("{a: {$type: 2}}", &["{a: 'x'}"], &["{a: 1}"]);
    check(
        "{a: {$type: 'number'}}",
        &["{a: 1}", "{a: 1.5}", "{a: {$numberLong: '5'}}"],
        &["{a: 'x'}"],
    );
    check(
        "{a: {$type: ['date', 10]}}",
        &["{a: {$date: '2024-01-01T00:00:00Z'}}", "{a: null}"],
        &["{a: 1}", "{}"],
    );
    check("{a: {$type: 'array'}}", &["{a: []}", "{a: [[1]]}"], &["{a: 1}"]);
    check("{a: {$type: -1}}", &["{a: {$minKey: 1}}"], &["{a: {$maxKey: 1}}"]);
}

#[test]
fn regular_expressions() {
    check("{a: {$regex: '^x'}}", &["{a: 'xy'}", "{a: ['a', 'x']}"], &["{a: 'ax'}", "{a: 1}", "{}"]);
    check("{a: {$regex: 'X', $options: 'i'}}", &["{a: 'ax'}"], &["{a: 'b'}"]);
    check(
        "{a: {$regex: '^x$'}}",
        &["{a: 'x'}", "{a: 'x\\n'}"],
        &["{a: 'x\\n\\n'}", "{a: 'x\\ny'}", "{a: 'x '}"],
    );
    check("{a: {$regex: '(?<=a)x$'}}", &["{a: 'ax\\n'}"], &["{a: 'ax\\ny'}", "{a: 'x'}"]);
    check("{a: {$regex: '^x$', $options: 'm'}}", &["{a: 'x\\ny'}", "{a: 'y\\nx'}"], &["{a: 'xy'}"]);
    check("{a: {$regex: '(?m)^x$'}}", &["{a: 'x\\ny'}"], &["{a: 'xy'}"]);
    check("{a: {$options: 'i', $regex: 'X'}}", &["{a: 'ax'}"], &["{a: 'b'}"]);
    check(
        "{a: {$regularExpression: {pattern: 'b.c', options: 's'}}}",
        &["{a: 'b\\nc'}"],
        &["{a: 'bc'}"],
    );
    check(
        "{a: {$not: {$regularExpression: {pattern: 'b', options: ''}}}}",
        &["{a: 'a'}", "{}"],
        &["{a: 'b'}"],
    );
    check("{a: {$regex: 'b'}}", &["{a: {$regularExpression: {pattern: 'b', options: ''}}}"], &[]);
    check(
        "{a: {$eq: {$regularExpression: {pattern: 'b', options: ''}}}}",
        &["{a: {$regularExpression: {pattern: 'b', options: ''}}}"],
        &["{a: 'b'}"],
    );
}

#[test]
fn arrays() {
    check(
        "{a: {$elemMatch: {b: 1, c: 2}}}",
        &["{a: [{b: 1, c: 2}]}"],
        &["{a: [{b: 1}, {c: 2}]}", "{a: {b: 1, c: 2}}"],
    );
    check("{a: {$elemMatch: {$gt: 1, $lt: 3}}}", &["{a: [5, 2]}"], &["{a: [0, 5]}", "{a: 2}"]);
    check("{a: {$elemMatch: {$not: {$gt: 1}}}}", &["{a: [5, 1]}"], &["{a: [5]}"]);
    check("{a: {$elemMatch: {$ne: 1}}}", &["{a: [1, 2]}"], &["{a: [1]}"]);
    check("{a: {$elemMatch: {$or: [{b: 1}, {b: 2}]}}}", &["{a: [{b: 2}]}"], &["{a: [{b: 3}]}"]);
    check("{a: {$elemMatch: {$elemMatch: {$gt: 1}}}}", &["{a: [[0, 2]]}"], &["{a: [2]}"]);
    check("{a: {$elemMatch: {}}}", &["{a: [{}]}"], &["{a: [1]}", "{a: []}"]);
    check("{'a.b': {$elemMatch: {c: 1}}}", &["{a: [{b: [{c: 1}]}]}"], &["{a: {b: {c: 1}}}"]);
    check("{a: {$size: 2}}", &["{a: [1, 2]}"], &["{a: [1]}", "{a: 2}", "{a: [[1, 2]]}"]);
    check("{a: {$size: 0}}", &["{a: []}"], &["{}"]);
    check("{a: {$all: [1, 2]}}", &["{a: [2, 1, 3]}"], &["{a: [1]}", "{a: 1}"]);
    check("{a: {$all: [1]}}", &["{a: 1}", "{a: [1]}"], &["{}"]);
    check("{a: {$all: []}}", &[], &["{}", "{a: []}"]);
    check("{a: {$all: [[1, 2]]}}", &["{a: [1, 2]}", "{a: [[1, 2]]}"], &["{a: [1]}"]);
    check(
        "{a: {$all: [{$elemMatch: {b: 1}}, {$elemMatch: {b: 2}}]}}",
        &["{a: [{b: 1}, {b: 2}]}"],
        &["{a: [{b: 1}]}"],
    );
}

#[test]
fn logic() {
    check("{$and: [{a: 1}, {b: 1}]}", &["{a: 1, b: 1}"], &["{a: 1}"]);
    check("{$or: [{a: 1}, {b: 1}]}", &["{a: 1}", "{b: 1}"], &["{}"]);
    check("{$nor: [{a: 1}, {b: 1}]}", &["{}"], &["{a: 1}", "{b: 1}"]);
    check("{a: {$not: {$gt: 1}}}", &["{a: 1}", "{}", "{a: 'x'}"], &["{a: 2}", "{a: [0, 2]}"]);
    check("{a: {$not: {$gt: 1, $lt: 5}}}", &["{a: 5}", "{}"], &["{a: 3}"]);
    check("{$comment: 'why', a: 1}", &["{a: 1}"], &["{}"]);
    check("{$alwaysFalse: 1}", &[], &["{}"]);
}

#[test]
fn arithmetic() {
    check(
        "{a: {$mod: [4, 1]}}",
        &["{a: 5}", "{a: 5.9}", "{a: [2, 9]}"],
        &["{a: 4}", "{a: 'x'}", "{a: -5}", "{}"],
    );
    check("{a: {$mod: [-1, 0]}}", &["{a: {$numberLong: '-9223372036854775808'}}"], &["{a: 'x'}"]);
    check("{a: {$mod: [4, -1]}}", &["{a: -5}"], &["{a: 5}"]);
    check(
        "{a: {$bitsAllSet: 6}}",
        &["{a: 7}", "{a: 6.0}", "{a: -1}"],
        &["{a: 4}", "{a: 6.5}", "{a: 'x'}"],
    );
    check("{a: {$bitsAnySet: [1, 70]}}", &["{a: 2}", "{a: -1}"], &["{a: 1}"]);
    check("{a: {$bitsAllClear: [0]}}", &["{a: 2}"], &["{a: 1}"]);
    check("{a: {$bitsAnyClear: 3}}", &["{a: 1}"], &["{a: 3}"]);
}

#[test]
fn refusals() {
    let bad = |filter: &str, words: &str| refused(filter, Code::BAD_VALUE, words);
    bad("{a: {$foo: 1}}", "unknown operator: $foo");
    bad("{a: {$gt: 1, b: 1}}", "unknown operator: b");
    bad(
        "{$foo: 1}",
        "unknown top level operator: $foo. If you have a field name that starts with a '$' \
         symbol, consider using $getField or $setField.",
    );
    bad("{$not: {a: 1}}", "unknown top level operator: $not. If you are trying to negate");
    bad("{$and: []}", "$and/$or/$nor must be a nonempty array");
    bad("{$or: 1}", "$or must be an array");
    bad("{$or: [1]}", "$or/$and/$nor entries need to be full objects");
    bad("{a: {$in: 1}}", "$in needs an array");
    bad("{a: {$nin: 1}}", "$nin needs an array");
    bad("{a: {$in: [{$gt: 1}]}}", "cannot nest $ under $in");
    bad("{a: {$nin: [{$gt: 1}]}}", "cannot nest $ under $in");
    bad("{a: {$all: 1}}", "$all needs an array");
    bad("{a: {$all: [{$gt: 1}]}}", "no $ expressions in $all");
    bad("{a: {$all: [1, {$elemMatch: {}}]}}", "$all/$elemMatch has to be consistent");
    bad("{a: {$size: 'x'}}", "Failed to parse $size. Expected a number in: $size: \"x\"");
    bad("{a: {$size: -1}}", "Failed to parse $size. Expected a non-negative number in: $size: -1");
    bad("{a: {$size: 1.5}}", "Failed to parse $size. Expected an integer: $size: 1.5");
    bad("{a: {$size: {$numberDouble: 'NaN'}}}", "Expected an integer, but found NaN in: $size");
    bad("{a: {$size: 1e300}}", "Cannot represent as a 64-bit integer: $size");
    bad("{a: {$mod: 1}}", "malformed mod, needs to be an array");
    bad("{a: {$mod: []}}", "malformed mod, not enough elements");
    bad("{a: {$mod: [1]}}", "malformed mod, not enough elements");
    bad("{a: {$mod: ['x']}}", "malformed mod, divisor not a number");
    bad("{a: {$mod: [1, 'x']}}", "malformed mod, remainder not a number");
    bad("{a: {$mod: [0, 1]}}", "divisor cannot be 0");
    bad("{a: {$mod: [0.5, 1]}}", "divisor cannot be 0");
    bad("{a: {$mod: [1, 2, 3]}}", "malformed mod, too many elements");
    bad(
        "{a: {$mod: [{$numberDouble: 'NaN'}, 1]}}",
        "malformed mod, divisor value is invalid :: caused by :: Unable to coerce NaN/Inf",
    );
    bad(
        "{a: {$mod: [1, 1e300]}}",
        "malformed mod, remainder value is invalid :: caused by :: Out of bounds coercing",
    );
    bad("{a: {$not: 1}}", "$not needs a regex or a document");
    bad("{a: {$not: {}}}", "$not cannot be empty");
    bad("{a: {$type: 'foo'}}", "Unknown type name alias: foo");
    bad("{a: {$type: 99}}", "Invalid numerical type code: 99");
    bad("{a: {$type: 0}}", "Invalid numerical type code: 0. Instead use {$exists:false}.");
    bad("{a: {$type: 2.5}}", "Invalid numerical type code: 2.5");
    refused(
        "{a: {$type: true}}",
        Code::TYPE_MISMATCH,
        "type must be represented as a number or a string",
    );
    refused("{a: {$type: []}}", Code::FAILED_TO_PARSE, "a must match at least one type");
    bad("{a: {$elemMatch: 1}}", "$elemMatch needs an Object");
    bad("{a: {$elemMatch: {$expr: true}}}", "$expr can only be applied to the top-level document");
    bad("{a: {$elemMatch: {$where: '1'}}}", "$where can only be applied to the top-level document");
    refused("{$where: '1'}", Code::NOT_SUPPORTED, "$where");
    refused("{$text: {$search: 'x'}}", Code::NOT_SUPPORTED, "$text");
    refused("{a: {$near: [1, 2]}}", Code::NOT_SUPPORTED, "$near");
    refused("{a: {$geoNear: [1, 2]}}", Code::NOT_SUPPORTED, "$geoNear");
    refused("{a: {$geoWithin: {}}}", Code::NOT_SUPPORTED, "$geoWithin");
    let long = |bytes| format!("{{a: {{$regex: '{}'}}}}", "a".repeat(bytes));
    refused(&long(16_385), 51091, "too long");
    refused("{$alwaysTrue: 2}", Code::FAILED_TO_PARSE, "$alwaysTrue must be an integer value of 1");
    refused(
        "{$alwaysFalse: 'x'}",
        Code::FAILED_TO_PARSE,
        "Expected a number in: $alwaysFalse: \"x\"",
    );
    bad("{$sampleRate: 'x'}", "argument to $sampleRate must be a numeric type");
    bad("{$sampleRate: 1.5}", "numeric argument to $sampleRate must be in [0, 1]");
    bad("{a: {$ne: {$regularExpression: {pattern: 'b', options: ''}}}}", "regex as arg to $ne");
    bad("{a: {$gt: {$regularExpression: {pattern: 'b', options: ''}}}}", "RegEx");
    bad("{a: {$gt: {$undefined: true}}}", "cannot compare to undefined");
    bad("{a: {$in: [{$undefined: true}]}}", "cannot compare to undefined");
    let negative = "Expected a non-negative number in: $bitsAllSet: -1";
    refused("{a: {$bitsAllSet: -1}}", Code::FAILED_TO_PARSE, negative);
    refused(
        "{a: {$bitsAllSet: 1.5}}",
        Code::FAILED_TO_PARSE,
        "Expected an integer: $bitsAllSet: 1.5",
    );
    bad("{a: {$bitsAllSet: 'x'}}", "a takes an Array, a number, or a BinData but received");
    bad("{a: {$bitsAllSet: [0, -1]}}", "Failed to parse bit position. Expected a non-negative");
    bad(
        "{a: {$bitsAllSet: ['x']}}",
        "Failed to parse bit position. Expected a number in: 0: \"x\"",
    );
}

#[test]
fn refusals_of_regular_expressions() {
    refused("{a: {$options: 'i'}}", Code::BAD_VALUE, "$options needs a $regex");
    refused("{a: {$regex: 1}}", Code::BAD_VALUE, "$regex has to be a string");
    refused("{a: {$regex: 'a', $options: 1}}", Code::BAD_VALUE, "$options has to be a string");
    refused("{a: {$regex: 'a\\u0000b'}}", Code::BAD_VALUE, "embedded null byte");
    refused("{a: {$regex: '('}}", 51091, "Regular expression is invalid: unclosed");
    refused("{a: {$regex: '(?=x'}}", 51091, "Regular expression is invalid");
    refused("{a: {$regex: '((a{99}){99}){99}'}}", 51091, "too large");
    refused("{a: {$regex: 'a', $options: 'q'}}", 51108, "invalid flag in regex options: q");
    let twice = "options set in both $regex and $options";
    let with_options = "$regex: {$regularExpression: {pattern: 'a', options: 'i'}}";
    refused(&format!("{{a: {{{with_options}, $options: 'i'}}}}"), 51075, twice);
    refused(&format!("{{a: {{$options: 'i', {with_options}}}}}"), 51074, twice);
}

#[test]
fn regular_expressions_as_pcre_reads_them() {
    check("{a: {$regex: '^(?!x).*b'}}", &["{a: 'ab'}"], &["{a: 'xb'}"]);
    check("{a: {$regex: '(?<=a)b'}}", &["{a: 'ab'}"], &["{a: 'cb'}"]);
    check("{a: {$regex: '(.)\\\\1'}}", &["{a: 'xaay'}"], &["{a: 'xay'}"]);
    check("{a: {$regex: '^\\\\w+$'}}", &["{a: 'ab1'}"], &["{a: 'é'}"]);
    check("{a: {$regex: '^\\\\d$'}}", &["{a: '5'}"], &["{a: '٥'}"]);
    check("{a: {$regex: '^[[]a{$'}}", &["{a: '[a{'}"], &["{a: 'a'}"]);
    check("{a: {$regex: 'É', $options: 'iu'}}", &["{a: 'é'}"], &["{a: 'e'}"]);
    check("{a: {$regex: '^a b', $options: 'xm'}}", &["{a: 'z\\nab'}"], &["{a: 'a b'}"]);
}

/// Exponential in an engine without a bound. An undecided search is neither a match nor a mismatch.
#[test]
fn a_search_that_takes_too_many_steps_is_an_error() {
    let text = format!("'{}c'", "a".repeat(40));
    let regex = "{$regex: '^(?:(?=a)a|a)+$'}";
    let undecided = |filter: &str, value: &str| {
        let parsed = Filter::parse(&raw(filter)).expect(filter);
        let error = parsed.matches(&raw(&format!("{{a: {value}}}"))).expect_err(filter);
        assert_eq!(error.code, Code(51156), "{filter}: {error}");
    };
    undecided(&format!("{{a: {regex}}}"), &text);
    undecided(&format!("{{a: {{$not: {regex}}}}}"), &text);
    undecided(&format!("{{$nor: [{{b: 1}}, {{a: {regex}}}]}}"), &text);
    undecided(&format!("{{$or: [{{b: 1}}, {{a: {regex}}}]}}"), &text);
    undecided(&format!("{{a: {{$elemMatch: {regex}}}}}"), &format!("[{text}]"));
    undecided(&format!("{{a: {{$elemMatch: {{b: {regex}}}}}}}"), &format!("[{{b: {text}}}]"));
    let in_list = "{$regularExpression: {pattern: '^(?:(?=a)a|a)+$', options: ''}}";
    undecided(&format!("{{a: {{$nin: [1, {in_list}]}}}}"), &text);
    let schema = |rules: &str| format!("{{$jsonSchema: {{properties: {{a: {rules}}}}}}}");
    undecided(&schema("{pattern: '^(?:(?=a)a|a)+$'}"), &text);
    undecided(&schema("{not: {pattern: '^(?:(?=a)a|a)+$'}}"), &text);
    // The undecided part doesn't matter where another one decides.
    check(&format!("{{b: 1, a: {regex}}}"), &[], &[&format!("{{a: {text}}}")]);
    check(&format!("{{$or: [{{b: 1}}, {{a: {regex}}}]}}"), &[&format!("{{b: 1, a: {text}}}")], &[]);
}

#[test]
fn null_is_not_undefined_and_dbrefs_are_values() {
    check("{a: null}", &["{a: null}", "{}"], &["{a: {$undefined: true}}"]);
    check("{a: {$ne: null}}", &["{a: {$undefined: true}}", "{a: 1}"], &["{}", "{a: null}"]);
    check("{a: {$elemMatch: {$id: 1}}}", &["{a: [{$ref: 'c', $id: 1}]}"], &["{a: [{$id: 2}]}"]);
    check("{a: {$in: [{$ref: 'c', $id: 1}]}}", &["{a: {$ref: 'c', $id: 1}}"], &["{a: 1}"]);
    check("{a: {$comment: 'x', $gt: 1}}", &["{a: 2}"], &["{a: 1}"]);
    check("{a: {$elemMatch: {$comment: 'x', b: 1}}}", &["{a: [{b: 1}]}"], &["{a: [{b: 2}]}"]);
    check("{$alwaysTrue: 1.0}", &["{}"], &[]);
    check("{$sampleRate: 0}", &[], &["{}"]);
    check("{$sampleRate: 1}", &["{}"], &[]);
    check("{a: {$not: {$regex: '^x'}}}", &["{a: 'y'}", "{}"], &["{a: 'x'}"]);
    check("{a: {$not: {$elemMatch: {b: 1}}}}", &["{a: []}"], &["{a: [{b: 1}]}"]);
    check("{a: {$type: [16, 'string']}}", &["{a: 1}", "{a: 'x'}"], &["{a: 1.5}"]);
    check("{a: [[]]}", &["{a: [[]]}", "{a: [[[]]]}"], &["{a: []}"]);
}

#[test]
fn depth_is_bounded() {
    let mut filter = doc("{a: 1}");
    for _ in 0..150 {
        filter = bson::doc! { "$and": [filter] };
    }
    let raw = RawDocumentBuf::try_from(&filter).expect("plain document");
    assert!(Filter::parse(&raw).is_err());
}

#[test]
fn prefixes_of_patterns() {
    let check = |source: &str, options: &str, expected: Option<&str>| {
        let pattern = Pattern::new(source, options).expect(source);
        assert_eq!(pattern.literal_prefix(), expected, "{source}");
    };
    check("^abc", "", Some("abc"));
    check("^abc?", "", Some("ab"));
    check("^abc+", "", Some("abc"));
    check("^a.c", "", Some("a"));
    check("^abc", "i", None);
    check("^a|b", "", None);
    check("abc", "", None);
    check("^a*", "", None);
}

#[test]
fn expressions_stand_in_filters_of_queries() {
    use crate::query::{Context, Filter, VariableNames, testing::raw};
    let matches = |filter: &str, document: &str| {
        let filter = Filter::parse_query(&raw(filter), &VariableNames::default())?;
        filter.matches_in(&raw(document), &Context::at(0))
    };
    let over = "{a: 1, $expr: {$gt: ['$spent', '$budget']}}";
    assert_eq!(matches(over, "{a: 1, spent: 5, budget: 3}"), Ok(true));
    assert_eq!(matches(over, "{a: 1, spent: 2, budget: 3}"), Ok(false));
    assert_eq!(matches("{$or: [{a: 1}, {$expr: '$b'}]}", "{b: 1}"), Ok(true));
    let failed = matches("{$expr: {$divide: ['$a', 0]}}", "{a: 1}").expect_err("no quotient");
    assert_eq!(failed.message, "can't $divide by zero");
    assert!(matches("{a: {$elemMatch: {$expr: true}}}", "{}").is_err());
    assert!(Filter::parse(&raw("{$expr: true}")).is_err(), "not where nothing may fail");
}

/// A list is searched, not walked; what it holds is the same.
#[test]
fn a_list_accepts_what_is_equal_to_one_of_its_values() {
    let values = [
        "null",
        "1",
        "1.0",
        "{$numberLong: '2'}",
        "{$numberDecimal: '2.0'}",
        "{$numberDouble: 'NaN'}",
        "{$numberDecimal: 'NaN'}",
        "{$numberDouble: '-0.0'}",
        "0",
        "{$numberDouble: 'Infinity'}",
        "'1'",
        "''",
        "'ba'",
        "true",
        "false",
        "[]",
        "[1]",
        "[null]",
        "[[1]]",
        "{}",
        "{x: 1}",
        "{x: 1.0}",
        "{x: null}",
        "{y: 1}",
        "{$minKey: 1}",
        "{$maxKey: 1}",
        "{$date: {$numberLong: '5'}}",
        "{$timestamp: {t: 0, i: 5}}",
        "{$oid: '000000000000000000000001'}",
        "{$symbol: 'ba'}",
        "{$undefined: true}",
        "{$binary: {base64: 'AQ==', subType: '00'}}",
        "{$regularExpression: {pattern: '^b', options: ''}}",
    ];
    let documents: Vec<_> = values
        .iter()
        .map(|value| raw(&format!("{{a: {value}}}")))
        .chain(values.iter().map(|value| raw(&format!("{{a: [7, {value}]}}"))))
        .chain([raw("{}")])
        .collect();
    let listed: Vec<_> = values.iter().filter(|value| **value != "{$undefined: true}").collect();
    let filter = |test: &str| {
        Filter::parse(&raw(&format!("{{a: {test}}}"))).unwrap_or_else(|e| panic!("{test}: {e}"))
    };
    // Lists of every third value and so on, in both orders.
    for (step, skip) in [(1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, 2), (7, 3), (30, 0), (30, 5)] {
        let mut of_list: Vec<&str> =
            listed.iter().skip(skip).step_by(step).map(|value| **value).collect();
        for _ in 0..2 {
            of_list.reverse();
            let list = filter(&format!("{{$in: [{}]}}", of_list.join(", ")));
            let alone: Vec<_> = of_list.iter().map(|value| filter(value)).collect();
            for document in &documents {
                let wanted = alone.iter().any(|one| one.matches(document) == Ok(true));
                assert_eq!(list.matches(document), Ok(wanted), "{of_list:?} {document:?}");
            }
        }
    }
}

#[test]
#[expect(clippy::disallowed_methods, reason = "the work is measured, not a time of the data")]
fn a_long_list_costs_little_for_each_document() {
    let list: Vec<i32> = (0..200_000).map(|n| n * 2).collect();
    let filter = bson::doc! { "a": { "$in": list } };
    let filter = RawDocumentBuf::try_from(&filter).expect("a filter");
    let filter = Filter::parse(&filter).expect("a filter");
    let start = std::time::Instant::now();
    let matching = (0..50_000_i32)
        .filter(|n| filter.covers(&bson::rawdoc! { "a": n * 2 + i32::from(n % 4 == 0) }))
        .count();
    assert_eq!(matching, 37_500);
    // One by one, it would be ten thousand million comparisons.
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn a_filter_of_many_parts_ends_with_its_limit_but_that_of_a_partial_index_does_not() {
    let ends = |filter: &str, document: &str| {
        let (filter, document) = (Filter::parse(&raw(filter)).expect("a filter"), raw(document));
        let (ended, is_covered) =
            ended_at_once(|| (filter.matches(&document), filter.covers(&document)));
        let ended = ended.expect_err("ended").ended;
        assert_eq!(ended, Some(StopReason::Interrupted), "{filter:?}");
        assert!(is_covered, "{filter:?}");
    };
    let list = |part: &str, last: &str| format!("[{}{last}]", part.repeat(20));
    ends(&format!("{{a: {{$all: {}}}}}", list("1, ", "1")), "{a: [1]}");
    ends(&format!("{{$and: {}}}", list("{a: 1}, ", "{a: 1}")), "{a: 1}");
    ends(&format!("{{$or: {}}}", list("{a: 2}, ", "{a: 1}")), "{a: 1}");
    ends(&format!("{{$nor: {}}}", list("{a: 2}, ", "{a: 2}")), "{a: 1}");
}
