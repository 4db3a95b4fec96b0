//! Updates, by tables.

use bson::raw::RawBsonRef;

use super::*;
use crate::query::{
    Code,
    testing::{doc, raw},
};

fn run(
    update: &str,
    filters: &[&str],
    document: &str,
    context: &UpdateContext<'_>,
) -> Result<Option<Document>, QueryError> {
    let filters: Vec<_> = filters.iter().map(|text| raw(text)).collect();
    let filters: Vec<&RawDocument> = filters.iter().map(|filter| &**filter).collect();
    Update::parse(RawBsonRef::Document(&raw(update)), &filters)?.apply(&doc(document), context)
}

fn parsed(update: &str) -> Update {
    Update::parse(RawBsonRef::Document(&raw(update)), &[]).expect(update)
}

fn same(found: &Document, expected: &str, what: &str) {
    let bytes = |document: &Document| document.to_vec().expect("plain document");
    assert_eq!(bytes(found), bytes(&doc(expected)), "{what}: {found}");
}

fn check(update: &str, document: &str, expected: &str) {
    let found = run(update, &[], document, &UpdateContext::default());
    let found = found.unwrap_or_else(|error| panic!("{update} on {document}: {error}"));
    let found = found.unwrap_or_else(|| panic!("{update} on {document} changed nothing"));
    same(&found, expected, &format!("{update} on {document}"));
}

fn unchanged(update: &str, document: &str) {
    let found = run(update, &[], document, &UpdateContext::default());
    assert_eq!(found, Ok(None), "{update} on {document}");
}

#[test]
fn an_update_that_would_lose_a_field_is_refused() {
    let refused = |update: &RawDocument| {
        let error = Update::parse(RawBsonRef::Document(update), &[]).expect_err("two of one name");
        assert!(error.to_string().contains("duplicate field \"x\""), "{error}");
    };
    let mut twice = raw("{x: 1}");
    twice.append(bson::raw::cstr!("x"), 2);
    refused(&twice);
    let mut list = bson::RawArrayBuf::new();
    list.push(twice.clone());
    refused(&bson::rawdoc! { "_id": 1, "a": list.clone() });
    refused(&bson::rawdoc! { "$set": { "a": twice.clone() } });
    refused(&bson::rawdoc! { "$push": { "a": { "$each": list } } });
    let pull = bson::rawdoc! { "$pull": { "a": twice } };
    assert!(Update::parse(RawBsonRef::Document(&pull), &[]).is_ok(), "a condition");
}

fn refused(update: &str, document: &str, code: impl Into<Code>) {
    let found = run(update, &[], document, &UpdateContext::default());
    let error = found.expect_err(&format!("{update} on {document}"));
    assert_eq!(error.code, code.into(), "{update} on {document}: {error}");
}

#[test]
fn set_and_unset() {
    check("{$set: {a: 1}}", "{_id: 1}", "{_id: 1, a: 1}");
    check("{$set: {'a.b': 1}}", "{}", "{a: {b: 1}}");
    check("{$set: {'a.1': 9}}", "{a: [1, 2]}", "{a: [1, 9]}");
    check("{$set: {'a.3': 9}}", "{a: [1]}", "{a: [1, null, null, 9]}");
    check("{$set: {'a.1.b': 9}}", "{a: [1]}", "{a: [1, {b: 9}]}");
    check("{$set: {'a.0': 9}}", "{}", "{a: {'0': 9}}");
    check("{$set: {b: 1, a: 2}}", "{}", "{a: 2, b: 1}");
    check("{$set: {'10': 1, '9': 2}}", "{}", "{'9': 2, '10': 1}");
    check("{$set: {a: 1.0}}", "{a: 1}", "{a: 1.0}");
    unchanged("{$set: {a: 1}}", "{a: 1}");
    unchanged("{$set: {}}", "{a: 1}");
    check("{$unset: {a: ''}}", "{a: 1, b: 2}", "{b: 2}");
    check("{$unset: {'a.0': 1}}", "{a: [1, 2]}", "{a: [null, 2]}");
    check("{$unset: {'a.b': 1}}", "{a: {b: 1}}", "{a: {}}");
    unchanged("{$unset: {'x.y': 1}}", "{a: 1}");
    unchanged("{$setOnInsert: {b: 1}}", "{a: 1}");
    refused("{$set: {'a.b': 1}}", "{a: 1}", Code::PATH_NOT_VIABLE);
    refused("{$set: {'a.b': 1}}", "{a: null}", Code::PATH_NOT_VIABLE);
    refused("{$set: {'a.b': 1}}", "{a: [1]}", Code::PATH_NOT_VIABLE);
    refused("{$set: {'a.9999999': 1}}", "{a: [1]}", Code::CANNOT_BACKFILL_ARRAY);
    let inserting = UpdateContext { inserting: true, ..UpdateContext::default() };
    let found = run("{$setOnInsert: {b: 1}}", &[], "{a: 1}", &inserting);
    same(&found.expect("valid").expect("changed"), "{a: 1, b: 1}", "$setOnInsert");
}

#[test]
fn sums() {
    check("{$inc: {a: 2}}", "{a: 1}", "{a: 3}");
    check("{$inc: {a: 2}}", "{}", "{a: 2}");
    check("{$inc: {a: 1}}", "{a: 2147483647}", "{a: {$numberLong: '2147483648'}}");
    check("{$inc: {a: {$numberLong: '1'}}}", "{a: 1}", "{a: {$numberLong: '2'}}");
    check("{$inc: {a: 0.5}}", "{a: 1}", "{a: 1.5}");
    check("{$inc: {'a.b': -1}}", "{a: {b: 1}}", "{a: {b: 0}}");
    unchanged("{$inc: {a: 0}}", "{a: 1}");
    unchanged("{$inc: {a: {$numberDecimal: '0'}}}", "{a: {$numberDecimal: '1.5'}}");
    unchanged("{$inc: {a: {$numberDecimal: '0'}}}", "{a: {$numberDecimal: 'Infinity'}}");
    check("{$mul: {a: 3}}", "{a: 2}", "{a: 6}");
    check("{$mul: {a: 3}}", "{}", "{a: 0}");
    check("{$mul: {a: 1.5}}", "{}", "{a: 0.0}");
    check("{$mul: {a: -2.0}}", "{}", "{a: -0.0}");
    check("{$mul: {a: {$numberLong: '4'}}}", "{}", "{a: {$numberLong: '0'}}");
    check("{$mul: {a: 65536}}", "{a: 65536}", "{a: {$numberLong: '4294967296'}}");
    let decimal = |text: &str| format!("{{a: {{$numberDecimal: '{text}'}}}}");
    check(&format!("{{$inc: {}}}", decimal("0.2")), &decimal("0.1"), &decimal("0.3"));
    check(&format!("{{$inc: {}}}", decimal("0.5")), "{a: 2}", &decimal("2.5"));
    check(&format!("{{$inc: {}}}", decimal("1")), "{a: 0.1}", &decimal("1.100000000000000"));
    check("{$inc: {a: 1}}", &decimal("9.50"), &decimal("10.50"));
    check(&format!("{{$mul: {}}}", decimal("1.5")), "{a: 4}", &decimal("6.0"));
    check(&format!("{{$mul: {}}}", decimal("1.5")), "{}", &decimal("0.0"));
    check(&format!("{{$inc: {}}}", decimal("1.5")), "{}", &decimal("1.5"));
    refused(&format!("{{$inc: {}}}", decimal("1")), "{a: 'x'}", Code::TYPE_MISMATCH);
    check("{$bit: {a: {and: 6, or: 1}}}", "{a: 12}", "{a: 5}");
    check("{$bit: {a: {xor: 5}}}", "{}", "{a: 5}");
    refused("{$inc: {a: 'x'}}", "{}", Code::TYPE_MISMATCH);
    refused("{$inc: {a: 1}}", "{a: 'x'}", Code::TYPE_MISMATCH);
    refused("{$inc: {a: 1}}", "{a: null}", Code::TYPE_MISMATCH);
    refused("{$inc: {a: 1}}", "{a: {$numberLong: '9223372036854775807'}}", Code::BAD_VALUE);
    refused("{$bit: {a: {nor: 1}}}", "{}", Code::FAILED_TO_PARSE);
    refused("{$bit: {a: {}}}", "{}", Code::FAILED_TO_PARSE);
    refused("{$bit: {a: {and: 1}}}", "{a: 1.5}", Code::BAD_VALUE);
}

#[test]
fn extremes_names_and_dates() {
    check("{$min: {a: 1}}", "{a: 2}", "{a: 1}");
    unchanged("{$min: {a: 3}}", "{a: 2}");
    check("{$max: {a: 'x'}}", "{a: 2}", "{a: 'x'}");
    unchanged("{$max: {a: 2.0}}", "{a: 2}");
    check("{$max: {a: 2}}", "{}", "{a: 2}");
    check("{$rename: {a: 'b'}}", "{a: 1, c: 2}", "{c: 2, b: 1}");
    check("{$rename: {a: 'x.y'}}", "{a: 1}", "{x: {y: 1}}");
    check("{$rename: {a: 'b'}}", "{a: 1, b: 2}", "{b: 1}");
    unchanged("{$rename: {z: 'b'}}", "{a: 1, b: 3}");
    refused("{$rename: {a: 'a'}}", "{a: 1}", Code::BAD_VALUE);
    refused("{$rename: {a: 1}}", "{a: 1}", Code::BAD_VALUE);
    refused("{$rename: {'a.0': 'b'}}", "{a: [1]}", Code::BAD_VALUE);
    let context = UpdateContext { now_ms: 5_000, ..UpdateContext::default() };
    let found = run("{$currentDate: {a: true, b: {$type: 'timestamp'}}}", &[], "{}", &context);
    let expected = "{a: {$date: {$numberLong: '5000'}}, b: {$timestamp: {t: 5, i: 1}}}";
    same(&found.expect("valid").expect("changed"), expected, "$currentDate");
    refused("{$currentDate: {a: 1}}", "{}", Code::BAD_VALUE);
}

#[test]
fn arrays() {
    check("{$push: {a: 1}}", "{}", "{a: [1]}");
    check("{$push: {a: [1]}}", "{a: [0]}", "{a: [0, [1]]}");
    check("{$push: {a: {$each: [3, 4]}}}", "{a: [1]}", "{a: [1, 3, 4]}");
    check("{$push: {a: {$each: [3], $position: 0}}}", "{a: [1]}", "{a: [3, 1]}");
    check("{$push: {a: {$each: [3], $position: -1}}}", "{a: [1, 2]}", "{a: [1, 3, 2]}");
    check("{$push: {a: {$each: [3], $slice: -2}}}", "{a: [1, 2]}", "{a: [2, 3]}");
    check("{$push: {a: {$each: [], $slice: 1}}}", "{a: [1, 2]}", "{a: [1]}");
    check("{$push: {a: {$each: [2], $sort: -1}}}", "{a: [1, 3]}", "{a: [3, 2, 1]}");
    check(
        "{$push: {a: {$each: [{x: 1}], $sort: {x: 1}}}}",
        "{a: [{x: 2}]}",
        "{a: [{x: 1}, {x: 2}]}",
    );
    check("{$addToSet: {a: 2}}", "{a: [1]}", "{a: [1, 2]}");
    unchanged("{$addToSet: {a: 1.0}}", "{a: [1]}");
    check("{$addToSet: {a: {$each: [1, 2, 2]}}}", "{a: [1]}", "{a: [1, 2]}");
    check("{$pull: {a: 1}}", "{a: [1, 2, 1.0]}", "{a: [2]}");
    check("{$pull: {a: {$gt: 1, $lt: 4}}}", "{a: [1, 2, 5]}", "{a: [1, 5]}");
    check("{$pull: {a: {$in: [1, 2]}}}", "{a: [1, 3]}", "{a: [3]}");
    check("{$pull: {a: {b: 1}}}", "{a: [{b: 1, c: 2}, {b: 2}, 1]}", "{a: [{b: 2}, 1]}");
    check("{$pull: {a: {b: {$gt: 1}}}}", "{a: [{b: 1}, {b: 2}]}", "{a: [{b: 1}]}");
    check(
        "{$pull: {a: {$regularExpression: {pattern: '^x', options: ''}}}}",
        "{a: ['xy', 'y']}",
        "{a: ['y']}",
    );
    check("{$pull: {a: {$gte: 5}}}", "{a: [[1, 9], [4], [[9]], 9]}", "{a: [[4], [[9]]]}");
    check("{$pull: {a: {$ne: 1}}}", "{a: [[1, 2], [2], 1, 2]}", "{a: [[1, 2], 1]}");
    check("{$pull: {a: {$nin: [1, [3]]}}}", "{a: [[1], [2], [3], 1]}", "{a: [[1], [3], 1]}");
    check("{$pull: {a: {$size: 2}}}", "{a: [[1, 2], [3], [[4, 5]]]}", "{a: [[3], [[4, 5]]]}");
    check("{$pull: {a: {$or: [{b: 1}, {b: 2}]}}}", "{a: [{b: 1}, {b: 3}, 1]}", "{a: [{b: 3}, 1]}");
    unchanged("{$pull: {z: 1}}", "{a: [1]}");
    check("{$pullAll: {a: [1, 2]}}", "{a: [1, 2, 3]}", "{a: [3]}");
    check("{$pop: {a: 1}}", "{a: [1, 2]}", "{a: [1]}");
    check("{$pop: {a: -1}}", "{a: [1, 2]}", "{a: [2]}");
    unchanged("{$pop: {a: 1}}", "{a: []}");
    refused("{$push: {a: 1}}", "{a: 1}", Code::BAD_VALUE);
    refused("{$push: {a: {$each: 1}}}", "{}", Code::BAD_VALUE);
    refused("{$addToSet: {a: 1}}", "{a: 1}", Code::BAD_VALUE);
    refused("{$pull: {a: 1}}", "{a: 1}", Code::BAD_VALUE);
    refused("{$pop: {a: 2}}", "{}", Code::FAILED_TO_PARSE);
    refused("{$pop: {a: 1}}", "{a: 1}", Code::TYPE_MISMATCH);
    refused("{$pullAll: {a: 1}}", "{}", Code::BAD_VALUE);
    for operator in ["$pop: {'a.x': 1}", "$pull: {'a.x': 1}", "$pullAll: {'a.x': [1]}"] {
        let update = format!("{{{operator}}}");
        refused(&update, "{a: 1}", Code::PATH_NOT_VIABLE);
        refused(&update, "{a: [{x: [1]}]}", Code::PATH_NOT_VIABLE);
        unchanged(&update, "{a: {}}");
        unchanged(&update, "{b: 1}");
    }
    unchanged("{$pop: {'a.3': 1}}", "{a: [[1]]}");
    refused("{$rename: {'a.x': 'b'}}", "{a: 1}", Code::PATH_NOT_VIABLE);
    refused("{$rename: {'a.x': 'b'}}", "{a: [{x: 1}]}", Code::PATH_NOT_VIABLE);
    unchanged("{$rename: {'a.x': 'b'}}", "{a: {y: 1}}");
    unchanged("{$unset: {'a.x': 1}}", "{a: 1}");
}

#[test]
fn positions() {
    let check = |update: &str, filters: &[&str], filter: &str, document: &str, expected: &str| {
        let filter = Filter::parse(&raw(filter)).expect(filter);
        let context = UpdateContext { filter: Some(&filter), ..UpdateContext::default() };
        let found = run(update, filters, document, &context).expect(update).expect("changed");
        same(&found, expected, update);
    };
    check("{$set: {'a.$': 9}}", &[], "{a: 2}", "{a: [1, 2, 2]}", "{a: [1, 9, 2]}");
    check(
        "{$set: {'a.$.c': 9}}",
        &[],
        "{'a.b': 2}",
        "{a: [{b: 1}, {b: 2}]}",
        "{a: [{b: 1}, {b: 2, c: 9}]}",
    );
    check(
        "{$inc: {'a.$.b': 1}}",
        &[],
        "{a: {$elemMatch: {b: {$gt: 1}}}}",
        "{a: [{b: 1}, {b: 2}]}",
        "{a: [{b: 1}, {b: 3}]}",
    );
    check("{$inc: {'a.$[]': 1}}", &[], "{}", "{a: [1, 2]}", "{a: [2, 3]}");
    check("{$set: {'a.$[x]': 0}}", &["{x: {$gte: 2}}"], "{}", "{a: [1, 2, 3]}", "{a: [1, 0, 0]}");
    check(
        "{$set: {'a.$[x].q': 0}}",
        &["{'x.b': 2}"],
        "{}",
        "{a: [{b: 1}, {b: 2}]}",
        "{a: [{b: 1}, {b: 2, q: 0}]}",
    );
    check(
        "{$inc: {'a.$[].b.$[]': 1}}",
        &[],
        "{}",
        "{a: [{b: [1]}, {b: [2]}]}",
        "{a: [{b: [2]}, {b: [3]}]}",
    );
    // Several fields of the same element, of which one is what it was found by.
    check(
        "{$set: {'a.$.s': 'done', 'a.$.when': 5}}",
        &[],
        "{'a.s': 'open'}",
        "{a: [{s: 'open'}, {s: 'open'}]}",
        "{a: [{s: 'done', when: 5}, {s: 'open'}]}",
    );
    check(
        "{$set: {'a.$[x].s': 'done', 'a.$[x].when': 5}, $inc: {'a.$[x].n': 1}}",
        &["{'x.s': 'open'}"],
        "{}",
        "{a: [{s: 'open'}, {s: 'shut'}, {s: 'open', n: 1}]}",
        "{a: [{s: 'done', n: 1, when: 5}, {s: 'shut'}, {s: 'done', n: 2, when: 5}]}",
    );
    refused("{$set: {'a.$': 1}}", "{a: [1]}", Code::BAD_VALUE);
    refused("{$set: {'a.$[]': 1}}", "{a: 1}", Code::BAD_VALUE);
    refused("{$set: {'a.$[x]': 1}}", "{a: [1]}", Code::BAD_VALUE);
    let unused = run("{$set: {a: 1}}", &["{x: 1}"], "{}", &UpdateContext::default());
    assert_eq!(unused.expect_err("unused filter").code, Code::FAILED_TO_PARSE);
}

#[test]
fn no_element_is_changed_twice() {
    let check = |update: &str, filters: &[&str], document: &str, expected: Result<&str, &str>| {
        let filter = Filter::parse(&raw("{a: {$elemMatch: {k: 1}}}")).expect("a filter");
        let context = UpdateContext { filter: Some(&filter), ..UpdateContext::default() };
        match (run(update, filters, document, &context), expected) {
            (Ok(Some(found)), Ok(expected)) => same(&found, expected, update),
            (Err(error), Err(expected)) => {
                assert_eq!(error.code, Code::CONFLICTING_UPDATE_OPERATORS, "{error}");
                assert_eq!(error.message, expected, "{update}");
            }
            (found, _) => panic!("{update} on {document}: {found:?}"),
        }
    };
    let two = &["{x: {k: 1}}", "{y: {k: 2}}"][..];
    let overlapping = &["{'x.k': {$gte: 1}}", "{'y.k': {$gte: 2}}"][..];
    let both = "{$set: {'a.$[x]': 8, 'a.$[y]': 9}}";
    check(both, two, "{a: [{k: 1}, {k: 2}, {}]}", Ok("{a: [8, 9, {}]}"));
    check(both, overlapping, "{a: [{k: 1}]}", Ok("{a: [8]}"));
    let met = Err("Update created a conflict at 'a.1'");
    check(both, overlapping, "{a: [{k: 1}, {k: 2}]}", met);
    check("{$set: {'a.$[x]': 8}, $inc: {'a.$[y].n': 1}}", overlapping, "{a: [{}, {k: 2}]}", met);
    check("{$set: {'a.$': 8, 'a.1': 9}}", &[], "{a: [{k: 1}, 2]}", Ok("{a: [8, 9]}"));
    check("{$set: {'a.$': 8, 'a.1': 9}}", &[], "{a: [{}, {k: 1}]}", met);
    check(
        "{$set: {'a.$[].n': 8}, $inc: {'a.$[x].m': 1}}",
        &["{'x.k': 1}"],
        "{a: [{k: 1}, {}]}",
        Ok("{a: [{k: 1, n: 8, m: 1}, {n: 8}]}"),
    );
}

#[test]
fn replacements_and_id() {
    check("{a: 1}", "{_id: 7, b: 2}", "{_id: 7, a: 1}");
    check("{a: 1, _id: 7}", "{_id: 7, b: 2}", "{_id: 7, a: 1}");
    check("{}", "{_id: 7, b: 2}", "{_id: 7}");
    unchanged("{_id: 7, a: 1}", "{_id: 7, a: 1}");
    unchanged("{$set: {_id: 7}}", "{_id: 7}");
    refused("{_id: 8}", "{_id: 7}", Code::IMMUTABLE_FIELD);
    refused("{$set: {_id: 8}}", "{_id: 7}", Code::IMMUTABLE_FIELD);
    refused("{$unset: {_id: 1}}", "{_id: 7}", Code::IMMUTABLE_FIELD);
    refused("{$set: {'_id.a': 8}}", "{_id: {a: 7}}", Code::IMMUTABLE_FIELD);
    refused("{$set: {_id: [1]}}", "{}", Code::INVALID_ID_FIELD);
    check("{$set: {a: 1, _id: 3}}", "{}", "{_id: 3, a: 1}");
    refused("{a: 1, $set: {b: 1}}", "{}", Code::DOLLAR_PREFIXED_FIELD_NAME);
    refused("{$set: {b: 1}, a: 1}", "{}", Code::FAILED_TO_PARSE);
}

#[test]
fn names_with_dollars_below_the_top_are_free() {
    check("{$set: {'a.$b': 1}}", "{}", "{a: {$b: 1}}");
    check("{$set: {'a.$b': 1, 'a.$b2.c': 2}}", "{a: {$b: 0}}", "{a: {$b: 1, $b2: {c: 2}}}");
    check("{$set: {a: {$ref: 1, $inc: {$x: 1}}}}", "{a: 1}", "{a: {$ref: 1, $inc: {$x: 1}}}");
    check("{$push: {a: {$b: 1}}}", "{a: []}", "{a: [{$b: 1}]}");
    check("{$unset: {'a.$b': 1}}", "{a: {$b: 1, c: 2}}", "{a: {c: 2}}");
    check("{$rename: {'a.$b': 'a.$c'}}", "{a: {$b: 1}}", "{a: {$c: 1}}");
    check("{a: {$b: 1}, 'x.y': 2}", "{a: 1}", "{a: {$b: 1}, 'x.y': 2}");
    // Like MongoDB, only what is made or changed is looked at.
    check("{$set: {'$a.b': 1}}", "{$a: {b: 0}}", "{$a: {b: 1}}");
    check("{$set: {'$a.c': 1}}", "{$a: {b: 0}}", "{$a: {b: 0, c: 1}}");
    check("{$unset: {$a: 1}}", "{$a: 1, b: 1}", "{b: 1}");
    check("{$rename: {$a: 'a'}}", "{$a: 1}", "{a: 1}");
    check("{$set: {b: 2}}", "{$a: 1, b: 1}", "{$a: 1, b: 2}");
    unchanged("{$set: {$a: 1}}", "{$a: 1}");
    unchanged("{a: 1, $b: 2}", "{a: 1, $b: 2}");
}

#[test]
fn names_with_dollars_at_the_top_are_refused_unless_inserted() {
    for update in [
        "{$set: {$a: 1}}",
        "{$set: {'$a.b': 1}}",
        "{$set: {c: 1, $hotel: 320.1}}",
        "{$inc: {$a: 1}}",
        "{$push: {$a: 1}}",
        "{$min: {$a: 1}}",
        "{$currentDate: {$a: true}}",
        "{$rename: {x: '$a'}}",
        "{a: 1, $b: 2}",
        "{a: 1, $set: {b: 1}}",
    ] {
        refused(update, "{x: 1}", Code::DOLLAR_PREFIXED_FIELD_NAME);
    }
    refused("{a: 1, $b: 2}", "{$b: 1}", Code::DOLLAR_PREFIXED_FIELD_NAME);
    refused("{$set: {$a: 2}}", "{$a: 1}", Code::DOLLAR_PREFIXED_FIELD_NAME);
    let inserting = UpdateContext { inserting: true, ..UpdateContext::default() };
    for (update, expected) in [
        ("{$set: {phone: 25.17, $hotel: 320.1}}", "{$hotel: 320.1, phone: 25.17}"),
        ("{$setOnInsert: {'$a.b': 1}}", "{$a: {b: 1}}"),
        ("{a: 1, $b: 2}", "{a: 1, $b: 2}"),
    ] {
        let found = run(update, &[], "{}", &inserting).expect(update).expect(update);
        same(&found, expected, update);
    }
}

#[test]
fn references_keep_their_names() {
    let reference = "{a: 1, $ref: 'c', $id: 1}";
    check(reference, "{}", reference);
    check(
        "{a: 1, $ref: 'c', $id: 1, $db: 'd', b: 2}",
        "{}",
        "{a: 1, $ref: 'c', $id: 1, $db: 'd', b: 2}",
    );
    check("{$set: {$id: 2}}", "{$ref: 'c', $id: 1}", "{$ref: 'c', $id: 2}");
    for update in [
        "{a: 1, $ref: 'c'}",
        "{a: 1, $ref: 2, $id: 1}",
        "{a: 1, $id: 1}",
        "{a: 1, $id: 1, $ref: 'c'}",
        "{a: 1, $ref: 'c', $id: 1, $db: 2}",
        "{a: 1, $ref: 'c', $db: 'd'}",
        "{a: 1, $db: 'd'}",
        "{$set: {$id: 1}}",
        "{$set: {$ref: 'c'}}",
    ] {
        refused(update, "{x: 1}", Code::INVALID_DB_REF);
    }
    refused("{a: 1, $ref: 'c', $id: 1, $x: 1}", "{}", Code::DOLLAR_PREFIXED_FIELD_NAME);
}

#[test]
fn an_id_has_no_names_with_dollars() {
    for (update, code) in [
        ("{_id: {a: {$b: 1}}}", Code::DOLLAR_PREFIXED_FIELD_NAME),
        ("{_id: {$b: 1}}", Code::DOLLAR_PREFIXED_FIELD_NAME),
        ("{_id: {a: [{$b: 1}]}}", Code::DOLLAR_PREFIXED_FIELD_NAME),
        ("{_id: {$id: 1}}", Code::INVALID_DB_REF),
        ("{_id: [1]}", Code::INVALID_ID_FIELD),
        ("{_id: {$ref: 'c', $id: 1}}", Code::IMMUTABLE_FIELD),
        ("{$set: {_id: {a: {$b: 1}}}}", Code::IMMUTABLE_FIELD),
    ] {
        refused(update, "{_id: 0, a: 1}", code);
    }
    let inserting = UpdateContext { inserting: true, ..UpdateContext::default() };
    for update in ["{$set: {_id: {a: {$b: 1}}}}", "{$set: {'_id.$b': 1}}", "{_id: {$b: 1}}"] {
        let error = run(update, &[], "{}", &inserting).expect_err(update);
        assert_eq!(error.code, Code::DOLLAR_PREFIXED_FIELD_NAME, "{update}: {error}");
    }
}

#[test]
fn refusals() {
    refused("{$foo: {a: 1}}", "{}", Code::FAILED_TO_PARSE);
    refused("{$set: 5}", "{}", Code::FAILED_TO_PARSE);
    refused("{$set: {a: 1}, $inc: {a: 1}}", "{}", Code::CONFLICTING_UPDATE_OPERATORS);
    refused("{$set: {a: 1, 'a.b': 1}}", "{}", Code::CONFLICTING_UPDATE_OPERATORS);
    refused("{$set: {b: 1}, $rename: {a: 'b'}}", "{}", Code::CONFLICTING_UPDATE_OPERATORS);
    refused("{$set: {'': 1}}", "{}", Code::EMPTY_FIELD_NAME);
    refused("{$set: {'a..b': 1}}", "{}", Code::EMPTY_FIELD_NAME);
    refused("{$set: {'$a': 1}}", "{}", Code::DOLLAR_PREFIXED_FIELD_NAME);
    refused("{$set: {'$': 1}}", "{}", Code::BAD_VALUE);
    let array = bson::rawdoc! { "u": [{ "$group": { "_id": 1 } }] };
    let pipeline = array.get("u").expect("valid").expect("there");
    let error = Update::parse(pipeline, &[]).expect_err("a stage that updates do not have");
    assert_eq!(error.code, Code::INVALID_OPTIONS);
}

#[test]
fn size_and_depth_are_bounded() {
    let deep = format!("{{$set: {{'{}x': {{y: 1}}}}}}", "a.".repeat(99));
    refused(&deep, "{}", Code::OVERFLOW);
    let update = bson::rawdoc! { "$set": { "a": "x".repeat(16 << 20) } };
    let update = Update::parse(RawBsonRef::Document(&update), &[]).expect("valid");
    let error = update.apply(&doc("{}"), &UpdateContext::default()).expect_err("too large");
    assert_eq!(error.code, Code::BSON_OBJECT_TOO_LARGE);
}

#[test]
fn seeds_of_upserts() {
    let check = |filter: &str, expected: &str| {
        let filter = Filter::parse(&raw(filter)).expect(filter);
        same(&parsed("{$set: {}}").upsert_seed(&filter).expect(expected), expected, expected);
    };
    check("{}", "{}");
    check("{_id: 5, a: 1}", "{_id: 5, a: 1}");
    check("{'a.b': 1, 'a.c': 2}", "{a: {b: 1, c: 2}}");
    check("{a: {$eq: 1}, b: {$gt: 2}}", "{a: 1}");
    check("{$and: [{a: 1}, {b: 2}], c: {$in: [3]}}", "{a: 1, b: 2, c: 3}");
    check("{$or: [{a: 1}]}", "{a: 1}");
    check("{$or: [{a: 1}, {b: 1}]}", "{}");
    check("{a: {$ne: 1}}", "{}");
    let clash = Filter::parse(&raw("{$and: [{a: 1}, {a: 2}]}")).expect("valid");
    let error = parsed("{$set: {}}").upsert_seed(&clash).expect_err("two values");
    assert_eq!(error.code, Code::NOT_SINGLE_VALUE_FIELD);
    let replacement = parsed("{b: 1}");
    same(&replacement.upsert_seed(&clash).expect("only _id counts"), "{}", "");
    let seed = |filter: &str| replacement.upsert_seed(&Filter::parse(&raw(filter)).expect(filter));
    same(&seed("{_id: {x: 1}, a: 1}").expect("a seed"), "{_id: {x: 1}}", "");
    let error = seed("{'_id.x': 1}").expect_err("a part of an _id");
    assert_eq!(error.code, Code::NOT_EXACT_VALUE_FIELD);
}

#[test]
fn refusals_say_what_mongodb_says() {
    let check = |update: &str, words: &str| {
        let update = raw(update);
        let error = Update::parse(RawBsonRef::Document(&update), &[]).expect_err(words);
        assert!(error.message.contains(words), "{error}");
    };
    check("{$set: 'x'}", "Modifiers operate on fields but we found type string instead.");
    check("{$inc: {n: 'x'}}", "Cannot increment with non-numeric argument: {n: \"x\"}");
    check("{$pop: {a: true}}", "Expected a number in: a: true");
    check("{$pop: {a: 1.5}}", "Expected an integer: a: 1.5");
    check("{$pop: {a: 5}}", "$pop expects 1 or -1, found: 5");
    check("{$bit: {a: 5}}", "The $bit modifier is not compatible with a int. You must pass in");
    check("{$bit: {a: {}}}", "You must pass in at least one bitwise operation.");
    check("{$bit: {a: {nor: 1}}}", "only supports 'and', 'or', and 'xor', not 'nor'");
    check("{$bit: {a: {and: true}}}", "a 'bool' is not supported here: {and: true}");
    check("{$currentDate: {a: 1}}", "int is not valid type for $currentDate.");
    check("{$currentDate: {a: {b: 1}}}", "Unrecognized $currentDate option: b");
    check("{$currentDate: {a: {$type: 'x'}}}", "The '$type' string field is required to be");
    check("{$push: {a: {$each: 1}}}", "$each in $push must be an array but it was of type: int");
    check("{$push: {a: {$each: [], $slice: true}}}", "an integer value but was given type: bool");
    check("{$push: {a: {$each: [], $position: true}}}", "an integer value, not of type: bool");
    check("{$push: {a: {$each: [], $sort: 2}}}", "The $sort element value must be either 1 or -1");
    check("{$push: {a: {$each: [], $sort: {}}}}", "The $sort pattern is empty");
    check("{$push: {a: {$each: [], $sort: {'': 1}}}}", "The $sort field cannot be empty");
    check("{$push: {a: {$each: [], $sort: {'a.': 1}}}}", "has an empty part: a.");
    check("{$push: {a: {$each: [], $sort: 'x'}}}", "The $sort is invalid: use 1/-1");
    check("{$push: {a: {$each: [], x: 1}}}", "Unrecognized clause in $push: x");
    check("{$addToSet: {a: {$each: {}}}}", "must be an array but it was of type object");
    check("{$addToSet: {a: {$each: [], b: 1}}}", "Found unexpected fields after $each");
    check("{$rename: {a: 1}}", "The 'to' field for $rename must be a string: a: 1");
    check("{$rename: {a: 'a'}}", "The source and target field for $rename must differ: a: \"a\"");
    check("{$rename: {a: 'a.b'}}", "must not be on the same path: a: \"a.b\"");
    check("{$rename: {'a.$': 'b'}}", "The source field for $rename may not be dynamic: a.$");
    check("{$set: {'a.$.b.$': 1}}", "Too many positional (i.e. '$') elements found in path");
    check("{$set: {'a.b': 1, a: 1}}", "Updating the path 'a' would create a conflict at 'a'");
    check("{$set: {a: 1, 'a.b': 1}}", "Updating the path 'a.b' would create a conflict at 'a'");
    for (path, other) in [("a.$[]", "a.1"), ("a.$[].b", "a.b"), ("a.$[]", "a.$")] {
        check(
            &format!("{{$set: {{'{path}': 1, '{other}': 1}}}}"),
            &format!("Updating the path '{other}' would create a conflict at 'a'"),
        );
    }
}

#[test]
fn many_names_of_any_kind_stand_in_one_order() {
    let names: Vec<String> =
        (0..60).flat_map(|n| [format!("'{n}': 1"), format!("'{n}a': 1")]).collect();
    let update = raw(&format!("{{$set: {{{}}}}}", names.join(", ")));
    let update = Update::parse(RawBsonRef::Document(&update), &[]).expect("no conflict");
    let after = update.apply(&Document::new(), &UpdateContext::default()).expect("applies");
    assert_eq!(after.expect("changed").len(), 120);
}

#[test]
fn what_grows_too_far_is_refused_before_it_takes_memory() {
    let arrays = vec!["[]"; 1_000].join(", ");
    let document = format!("{{a: [{arrays}]}}");
    refused("{$set: {'a.$[].1400000': 1}}", &document, Code::CANNOT_BACKFILL_ARRAY);
    let numbers = vec!["1"; 1_000].join(", ");
    let text = "x".repeat(1 << 20);
    refused(
        &format!("{{$set: {{'a.$[]': '{text}'}}}}"),
        &format!("{{a: [{numbers}]}}"),
        Code::BSON_OBJECT_TOO_LARGE,
    );
}

#[test]
fn sets_keep_the_first_of_equal_values() {
    check("{$addToSet: {a: {$each: [3, 1.0, 2, 3, 'x', 2.0]}}}", "{a: [1]}", "{a: [1, 3, 2, 'x']}");
    check("{$pullAll: {a: [2, 'x', 9]}}", "{a: [1, 2.0, 'x', 2, 3]}", "{a: [1, 3]}");
}

/// A decoded document has of two fields with one name only the last.
#[test]
fn an_operator_that_stands_there_twice_counts_twice() {
    let set = |field: &str, value: i32| {
        let mut fields = bson::RawDocumentBuf::new();
        fields.append(<&bson::raw::CStr>::try_from(field).expect("a name"), value);
        fields
    };
    let apply = |second: &str| {
        let mut update = bson::RawDocumentBuf::new();
        update.append(bson::raw::cstr!("$set"), set("a", 1));
        update.append(bson::raw::cstr!("$set"), set(second, 2));
        let update = Update::parse(RawBsonRef::Document(&update), &[])?;
        update.apply(&doc("{}"), &UpdateContext::default())
    };
    same(&apply("b").expect("applies").expect("changes"), "{a: 1, b: 2}", "two of them");
    let refused = apply("a").expect_err("a conflict");
    assert_eq!(refused.code, Code::CONFLICTING_UPDATE_OPERATORS, "{refused}");
}

#[test]
fn an_upsert_begins_with_paths_that_do_not_meet() {
    let update = parsed("{$set: {}}");
    let seed = |filter: &str| update.upsert_seed(&Filter::parse(&raw(filter)).expect(filter));
    same(&seed("{'a.c': 1, 'a.b': 2, ab: 3}").expect("a seed"), "{a: {c: 1, b: 2}, ab: 3}", "");
    for filter in ["{a: {x: 1}, 'a.b': 1}", "{'a.b': 1, a: {x: 1}}", "{'a.b.c': 1, 'a.b': 1}"] {
        let error = seed(filter).expect_err(filter);
        assert_eq!(error.code, Code::NOT_SINGLE_VALUE_FIELD, "{filter}: {error}");
    }
}

#[test]
fn fields_that_are_removed_together_leave_the_others_in_order() {
    check("{$unset: {a: 1, c: 1}}", "{a: 1, b: 2, c: 3, d: 4}", "{b: 2, d: 4}");
    check("{$unset: {'x.a': 1, 'x.c': 1, y: 1}}", "{x: {a: 1, b: 2, c: 3}, y: 1}", "{x: {b: 2}}");
    check("{$unset: {'a.0': 1, 'a.2': 1, 'a.9': 1}}", "{a: [1, 2, 3]}", "{a: [null, 2, null]}");
    check("{$unset: {'a.$[].b': 1}}", "{a: [{b: 1, c: 1}, {b: 2}]}", "{a: [{c: 1}, {}]}");
    check(
        "{$unset: {a: 1}, $rename: {b: 'c'}, $set: {d: 9}}",
        "{a: 1, b: 2, d: 4}",
        "{d: 9, c: 2}",
    );
    check("{$rename: {a: 'c', b: 'd'}}", "{a: 1, b: 2, c: 3}", "{c: 1, d: 2}");
    check("{$rename: {'x.a': 'x.c'}}", "{x: {a: 1, b: 2}}", "{x: {b: 2, c: 1}}");
    unchanged("{$rename: {a: 'c'}}", "{b: 2}");
}

#[test]
fn an_update_of_many_fields_ends_with_its_limit() {
    let unset = || run("{$unset: {a: 1, b: 1}}", &[], "{a: 1, b: 2}", &UpdateContext::default());
    let ended = crate::interrupt::ended_at_once(unset).expect_err("ended").ended;
    assert_eq!(ended, Some(crate::interrupt::StopReason::Interrupted));
    assert!(unset().is_ok());
}
