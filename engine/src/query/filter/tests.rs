//! Filters, by tables.

use bson::raw::RawDocumentBuf;

use super::*;
use crate::query::testing::{doc, raw};

fn check(filter: &str, yes: &[&str], no: &[&str]) {
    let parsed = Filter::parse(&raw(filter)).unwrap_or_else(|e| panic!("{filter}: {e}"));
    for text in yes {
        assert!(parsed.matches(&raw(text)), "{filter} must match {text}");
    }
    for text in no {
        assert!(!parsed.matches(&raw(text)), "{filter} must not match {text}");
    }
}

fn refused(filter: &str, kind: crate::query::QueryErrorKind, words: &str) {
    let error = Filter::parse(&raw(filter)).expect_err(filter);
    assert_eq!(error.kind, kind, "{filter}: {error}");
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
    use crate::query::QueryErrorKind::{BadValue, FailedToParse, InvalidRegex, Unsupported};
    refused("{a: {$foo: 1}}", BadValue, "unknown operator: $foo");
    refused("{a: {$gt: 1, b: 1}}", BadValue, "unknown operator: b");
    refused("{$foo: 1}", BadValue, "unknown top level operator: $foo");
    refused("{$and: []}", BadValue, "nonempty array");
    refused("{$or: 1}", BadValue, "nonempty array");
    refused("{$or: [1]}", BadValue, "full objects");
    refused("{a: {$in: 1}}", BadValue, "$in needs an array");
    refused("{a: {$in: [{$gt: 1}]}}", BadValue, "cannot nest $");
    refused("{a: {$all: 1}}", BadValue, "$all needs an array");
    refused("{a: {$all: [1, {$elemMatch: {}}]}}", BadValue, "consistent");
    refused("{a: {$size: 'x'}}", BadValue, "number");
    refused("{a: {$size: -1}}", BadValue, "non-negative");
    refused("{a: {$size: 1.5}}", BadValue, "integer");
    refused("{a: {$mod: [1]}}", BadValue, "not enough elements");
    refused("{a: {$mod: [0, 1]}}", BadValue, "divisor cannot be 0");
    refused("{a: {$mod: [1, 2, 3]}}", BadValue, "too many elements");
    refused("{a: {$not: 1}}", BadValue, "regex or a document");
    refused("{a: {$not: {}}}", BadValue, "empty");
    refused("{a: {$type: 'foo'}}", BadValue, "foo");
    refused("{a: {$type: 99}}", BadValue, "type code");
    refused("{a: {$type: []}}", FailedToParse, "at least one");
    refused("{a: {$options: 'i'}}", BadValue, "needs a $regex");
    refused("{a: {$regex: 1}}", BadValue, "string");
    refused("{a: {$regex: '(?=x)'}}", InvalidRegex, "look-ahead");
    refused("{a: {$regex: '('}}", InvalidRegex, "unclosed");
    refused("{a: {$regex: 'a', $options: 'q'}}", InvalidRegex, "invalid flag");
    refused("{a: {$regex: '((a{99}){99}){99}'}}", InvalidRegex, "too large");
    refused("{a: {$elemMatch: 1}}", BadValue, "needs an Object");
    refused("{$where: '1'}", Unsupported, "$where");
    refused("{$expr: {}}", BadValue, "$expr");
    refused("{a: {$ne: {$regularExpression: {pattern: 'b', options: ''}}}}", BadValue, "$ne");
    refused("{a: {$gt: {$regularExpression: {pattern: 'b', options: ''}}}}", BadValue, "RegEx");
    refused("{a: {$bitsAllSet: -1}}", BadValue, "at least 0");
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
