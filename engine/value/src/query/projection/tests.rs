//! Projections, by tables.

use bson::raw::{RawBsonRef, RawDocumentBuf};

use super::*;
use crate::{
    interrupt::{StopReason, ended_at_once},
    query::{Code, Reshape, testing::raw},
};

fn check(projection: &str, document: &str, expected: &str) {
    let parsed = Projection::parse(&raw(projection)).expect(projection).expect("not empty");
    let found: RawDocumentBuf = parsed.apply(&raw(document), &Context::at(0)).expect(projection);
    assert_eq!(found, raw(expected), "{projection} of {document}");
}

fn refused(projection: &str, code: impl Into<Code>) {
    let error = Projection::parse(&raw(projection)).expect_err(projection);
    assert_eq!(error.code, code.into(), "{projection}: {error}");
}

#[test]
fn kept_and_left_out() {
    let document = "{_id: 1, a: 2, b: {c: 3, d: 4}, e: [{c: 5, d: 6}, 7, [{c: 8}]]}";
    check("{a: 1}", document, "{_id: 1, a: 2}");
    check("{a: true, _id: 0}", document, "{a: 2}");
    check("{_id: 1}", document, "{_id: 1}");
    check("{_id: 0, b: 0, e: 0}", document, "{a: 2}");
    check("{_id: 0}", "{_id: 1, a: 2}", "{a: 2}");
    check("{'b.c': 1}", document, "{_id: 1, b: {c: 3}}");
    check("{b: {c: 1}}", document, "{_id: 1, b: {c: 3}}");
    check("{'e.c': 1}", document, "{_id: 1, e: [{c: 5}, [{c: 8}]]}");
    check("{a: 0, b: 0, 'e.c': 0}", document, "{_id: 1, e: [{d: 6}, 7, [{}]]}");
    check("{'a.x': 1}", document, "{_id: 1}");
    check("{'a.x': 0}", "{_id: 1, a: 2}", "{_id: 1, a: 2}");
    check("{zz: 1}", document, "{_id: 1}");
    check("{b: 1, a: 1}", "{_id: 1, a: 2, b: 3}", "{_id: 1, a: 2, b: 3}");
    assert!(Projection::parse(&raw("{}")).expect("valid").is_none());
}

#[test]
fn a_field_computed_within_an_array_is_in_each_element() {
    let document = "{_id: 1, a: [1, {}, {c: 2}, [], [3, {c: 4}]], d: 5}";
    check("{'a.b': '$d', _id: 0}", document, "{a: [{b: 5}, {b: 5}, {b: 5}, [], [{b: 5}, {b: 5}]]}");
    check(
        "{'a.b': '$d', 'a.c': 1, _id: 0}",
        "{a: [1, {c: 2, e: 3}], d: 5}",
        "{a: [{b: 5}, {c: 2, b: 5}]}",
    );
    check("{'a.b': '$d', d: 1, _id: 0}", "{a: 1, d: 5}", "{a: {b: 5}, d: 5}");
    check("{'a.b.c': '$d', 'a.x.y': 1, _id: 0}", "{a: {b: 1, x: 2}, d: 5}", "{a: {b: {c: 5}}}");
}

#[test]
fn a_dbref_has_fields() {
    let document = "{_id: 1, l: {$ref: 'c', $id: 2, $db: 'd'}}";
    check("{'l.$id': 1}", document, "{_id: 1, l: {$id: 2}}");
    check("{'l.$id': 0, 'l.$db': 0}", document, "{_id: 1, l: {$ref: 'c'}}");
    check("{x: '$l.$id', _id: 0}", document, "{x: 2}");
    check("{'x.$id': '$l.$id', _id: 0}", document, "{x: {$id: 2}}");
    check("{x: '$l.$id', _id: 0}", "{l: [{$ref: 'c', $id: 3}, 4]}", "{x: [3]}");
    refused("{'l.$ids': 1}", 16410);
    refused("{l: {$id: 1}}", 31325);
}

#[test]
fn parts_of_arrays() {
    let document = "{_id: 1, a: [1, 2, 3, 4], b: 5}";
    check("{a: {$slice: 2}}", document, "{_id: 1, a: [1, 2], b: 5}");
    check("{a: {$slice: -1}}", document, "{_id: 1, a: [4], b: 5}");
    check("{a: {$slice: [1, 2]}}", document, "{_id: 1, a: [2, 3], b: 5}");
    check("{a: {$slice: [-3, 1]}}", document, "{_id: 1, a: [2], b: 5}");
    check(
        "{a: {$slice: {$numberDouble: 'Infinity'}}}",
        document,
        "{_id: 1, a: [1, 2, 3, 4], b: 5}",
    );
    check("{a: {$slice: 99}, b: 0}", document, "{_id: 1, a: [1, 2, 3, 4]}");
    check("{a: {$slice: 1}, b: 1}", document, "{_id: 1, a: [1], b: 5}");
    check("{a: {$elemMatch: {$gt: 2}}}", document, "{_id: 1, a: [3]}");
    check("{a: {$elemMatch: {$gt: 9}}}", document, "{_id: 1}");
    check(
        "{a: {$elemMatch: {x: 2}}, b: 1}",
        "{_id: 1, a: [{x: 1}, {x: 2}], b: 5}",
        "{_id: 1, b: 5, a: [{x: 2}]}",
    );
    let document = "{_id: 1, a: [{x: 1}, {x: 2, y: 3}], b: 5, c: 6}";
    check("{a: {$elemMatch: {x: 2}}, b: 0}", document, "{_id: 1, a: [{x: 2, y: 3}], c: 6}");
    check("{b: 0, a: {$elemMatch: {x: 2}}}", document, "{_id: 1, a: [{x: 2, y: 3}], c: 6}");
    check("{b: 0, a: {$elemMatch: {x: 9}}}", document, "{_id: 1, c: 6}");
    check("{b: {$elemMatch: {x: 1}}, c: 0}", "{_id: 1, b: 5, c: 6}", "{_id: 1}");
    check("{_id: 0, a: {$elemMatch: {x: 1}}}", document, "{a: [{x: 1}]}");
    check("{_id: 1, a: {$elemMatch: {x: 1}}}", document, "{_id: 1, a: [{x: 1}]}");
    check("{_id: 0, c: 0, a: {$elemMatch: {x: 1}}}", document, "{a: [{x: 1}], b: 5}");
}

#[test]
fn refusals() {
    refused("{a: 1, b: 0}", 31254);
    refused("{a: 0, b: 1}", 31253);
    refused("{a: 1, 'a.b': 1}", 31249);
    refused("{'a.b': 1, a: 1}", 31250);
    refused("{a: {$meta: 'x'}}", Code::NOT_SUPPORTED);
    refused("{'a.b': {$elemMatch: {c: 1}}}", 31275);
    refused("{a: {$slice: [1, 0]}}", 28724);
    refused("{a: {$slice: 'x'}}", 28667);
    refused("{a: {$slice: [1]}}", 28667);
    refused("{a: {$elemMatch: 1}}", 31274);
    refused("{a: {$elemMatch: {b: {$near: [0, 0]}}}}", 5626500);
    refused("{a: {$elemMatch: {$text: {$search: 'x'}}}}", Code::BAD_VALUE);
    refused("{a: {$elemMatch: {b: 1}, $slice: 1}}", 16410);
    refused("{a: {$foo: 1}}", 31325);
    refused("{a: {}}", 51270);
}

#[test]
fn the_element_that_matched() {
    let check = |filter: &str, projection: &str, document: &str, expected: &str| {
        let filter = Filter::parse(&raw(filter)).expect(filter);
        let parsed = Projection::parse(&raw(projection)).expect(projection).expect("not empty");
        let found = parsed.with_query(&filter).apply(&raw(document), &Context::at(0));
        assert_eq!(found.expect(projection), raw(expected), "{projection} of {document}");
    };
    let document = "{_id: 1, a: [1, 2, 3], b: [{c: 1, d: 2}, {c: 3, d: 4}], x: {y: [5, 6]}}";
    check("{a: {$gt: 1}}", "{'a.$': 1}", document, "{_id: 1, a: [2]}");
    check("{a: 3}", "{_id: 0, 'a.$': true, x: 1}", document, "{a: [3], x: {y: [5, 6]}}");
    check("{'b.c': 3}", "{_id: 0, 'b.$': 1}", document, "{b: [{c: 3, d: 4}]}");
    check("{'b.c': 3}", "{_id: 0, 'b.d.$': 1}", document, "{b: [{d: 4}]}");
    check("{b: {$elemMatch: {d: 4}}}", "{_id: 0, 'b.$': 1}", document, "{b: [{c: 3, d: 4}]}");
    check("{'x.y': 6}", "{_id: 0, 'x.y.$': 1}", document, "{x: {y: [6]}}");
    check("{_id: 1}", "{_id: 0, 'zz.$': 1}", document, "{}");
    check("{_id: 1}", "{'_id.$': 1}", document, "{_id: 1}");

    let fails = |filter: &str, document: &str, code: i32| {
        let filter = Filter::parse(&raw(filter)).expect(filter);
        let parsed = Projection::parse(&raw("{'a.$': 1}")).expect("valid").expect("not empty");
        let failure = parsed.with_query(&filter).apply(&raw(document), &Context::at(0));
        assert_eq!(failure.expect_err(document).code, Code(code), "{filter:?} of {document}");
    };
    fails("{b: 1}", "{a: [1], b: 1}", 51246);
    fails("{b: 2}", "{a: [1], b: [1, 2]}", 51247);

    refused("{'a.$.b': 1}", 31394);
    refused("{'a.$': 1, 'b.$': 1}", 31276);
    refused("{b: {$elemMatch: {c: 1}}, 'a.$': 1}", 31256);
    refused("{'a.$': 1, b: {$elemMatch: {c: 1}}}", 31255);
    refused("{'a.$': 0}", 31395);
    refused("{'a.$': 'x'}", 31308);
    refused("{'a.$': {$add: [1]}}", 31271);
}

#[test]
fn computed() {
    let document = "{_id: 1, a: 2, b: {c: 3, d: 4}, e: [{c: 5}, 7]}";
    check("{x: '$b.c', a: 1}", document, "{_id: 1, a: 2, x: 3}");
    check("{x: '$b.c', _id: 0}", document, "{x: 3}");
    check("{a: '$b.d', _id: 0}", document, "{a: 4}");
    check("{x: '$zz', a: 1}", document, "{_id: 1, a: 2}");
    check("{x: ['$a', 'y'], _id: 0}", document, "{x: [2, 'y']}");
    check("{x: {y: '$a'}, _id: 0}", document, "{x: {y: 2}}");
    check("{'b.c': 1, 'b.x': '$a', _id: 0}", document, "{b: {c: 3, x: 2}}");
    check("{b: {x: '$a'}, _id: 0}", document, "{b: {x: 2}}");
    check("{'e.x': '$a', _id: 0}", document, "{e: [{x: 2}, {x: 2}]}");
    check("{x: {$literal: 1}, _id: 0}", document, "{x: 1}");
    refused("{a: 0, x: '$b'}", 31310);
    refused("{a: 0, x: {$add: [1, 2]}}", 31252);
    refused("{_id: {$add: [1, 2]}, a: 0}", 31254);
    refused("{a: 1, 'a.b': '$b'}", 31249);
    refused("{'a.b': '$b', a: 1}", 31250);
}

#[test]
fn many_fields_end_with_their_limit() {
    let many = |value: u8| {
        let fields: Vec<_> = (0..100).map(|n| format!("f{n}: {value}")).collect();
        raw(&format!("{{{}}}", fields.join(", ")))
    };
    let (document, context) = (many(1), Context::at(0));
    let is_ended = |error: QueryError| error.ended == Some(StopReason::Interrupted);
    for (stage, spec) in [("$project", many(1)), ("$project", many(0)), ("$addFields", many(2))] {
        let names = VariableNames::default();
        let parse = || Reshape::parse(stage, RawBsonRef::Document(&spec), &names);
        assert!(is_ended(ended_at_once(parse).expect_err(stage)), "{spec:?}");
        let parsed = parse().expect(stage).expect(stage);
        let applied = ended_at_once(|| parsed.apply(&document, &context));
        assert!(is_ended(applied.expect_err(stage)), "{spec:?}");
    }
}
