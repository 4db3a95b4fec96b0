//! Pipelines through the command, by tables.

mod bounds;
mod graph;
mod out;
mod windows;

use crate::command::testing::Lab;

const SALES: &str = "{insert: 'c', documents: [\
    {_id: 1, item: 'a', price: 10, n: 2, tags: ['x', 'y']},\
    {_id: 2, item: 'b', price: 20, n: 1, tags: []},\
    {_id: 3, item: 'a', price: 5, n: 10, tags: null},\
    {_id: 4, item: 'c', price: 7.5, n: 1},\
    {_id: 5, item: 'b', price: 1, n: Long('3'), tags: 'z', in: {k: 1}}]}";

fn lab() -> Lab {
    let lab = Lab::new();
    lab.ok(SALES);
    lab.ok("{insert: 'items', documents: [{_id: 'a', name: 'Apple'}, {_id: 'b', name: 'Bread'}]}");
    lab
}

fn check(lab: &Lab, pipeline: &str, expected: &str) {
    lab.check(
        &format!("{{aggregate: 'c', pipeline: {pipeline}, cursor: {{}}}}"),
        &format!("{{'cursor.firstBatch': {expected}}}"),
    );
}

fn refused(pipeline: &str, code: i32) {
    Lab::new().check(
        &format!("{{aggregate: 'c', pipeline: {pipeline}, cursor: {{}}}}"),
        &format!("{{ok: 0, code: {code}}}"),
    );
}

#[test]
fn reshaping() {
    let lab = lab();
    let one = "{$match: {_id: 1}}";
    check(
        &lab,
        &format!("[{one}, {{$project: {{item: 1, t: '$price'}}}}]"),
        "[{_id: 1, item: 'a', t: 10}]",
    );
    check(
        &lab,
        &format!("[{one}, {{$project: {{tags: 0, n: 0}}}}]"),
        "[{_id: 1, item: 'a', price: 10}]",
    );
    check(&lab, &format!("[{one}, {{$unset: ['tags', 'n', 'item']}}]"), "[{_id: 1, price: 10}]");
    check(
        &lab,
        &format!("[{one}, {{$set: {{price: '$n', 'a.b': 1}}}}, {{$unset: 'tags'}}]"),
        "[{_id: 1, item: 'a', price: 2, n: 2, a: {b: 1}}]",
    );
    check(&lab, "[{$match: {_id: 5}}, {$replaceRoot: {newRoot: '$in'}}]", "[{k: 1}]");
    check(&lab, "[{$match: {_id: 5}}, {$replaceWith: {v: '$in.k'}}]", "[{v: 1}]");
    check(
        &lab,
        "[{$match: {_id: 5}}, {$redact: {$cond: [{$eq: ['$k', 1]}, '$$PRUNE', '$$DESCEND']}}]",
        "[{_id: 5, item: 'b', price: 1, n: 3, tags: 'z'}]",
    );
    check(
        &lab,
        "[{$match: {_id: 5}}, {$project: {in: 1}}, \
         {$redact: {$cond: [{$eq: ['$$ROOT._id', 5]}, '$$DESCEND', '$$PRUNE']}}]",
        "[{_id: 5, in: {k: 1}}]",
    );
}

#[test]
fn an_empty_document_is_a_value() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, a: {b: 2}, l: [1, {x: 2}]}]}");
    check(&lab, "[{$set: {a: {}}}]", "[{_id: 1, a: {}, l: [1, {x: 2}]}]");
    check(&lab, "[{$addFields: {'a.c': {}}}]", "[{_id: 1, a: {b: 2, c: {}}, l: [1, {x: 2}]}]");
    check(&lab, "[{$set: {a: {b: {}}}}, {$unset: 'l'}]", "[{_id: 1, a: {b: {}}}]");
    lab.ok("{update: 'c', updates: [{q: {}, u: [{$set: {a: {}, n: {}}}]}]}");
    lab.check("{find: 'c'}", "{'cursor.firstBatch': [{_id: 1, a: {}, l: [1, {x: 2}], n: {}}]}");
    refused("[{$addFields: {}}]", 40177);
    refused("[{$project: {a: {}}}]", 51270);
    refused("[{$set: {a: {}, 'a.b': 1}}]", 40176);
}

#[test]
fn a_pipeline_reads_the_fields_of_a_dbref() {
    let lab = lab();
    lab.ok("{insert: 'refs', documents: [{_id: 1, l: {$ref: 'items', $id: 'a', $db: 'test'}}, \
         {_id: 2, l: [{$ref: 'items', $id: 'a'}, {$ref: 'items', $id: 'b'}]}, {_id: 3}]}");
    let of = |pipeline: &str, expected: &str| {
        lab.check(
            &format!("{{aggregate: 'refs', pipeline: {pipeline}, cursor: {{}}}}"),
            &format!("{{'cursor.firstBatch': {expected}}}"),
        );
    };
    of(
        "[{$lookup: {from: 'items', localField: 'l.$id', foreignField: '_id', as: 'l'}}, \
          {$match: {_id: {$lt: 3}}}]",
        "[{_id: 1, l: [{_id: 'a', name: 'Apple'}]}, \
          {_id: 2, l: [{_id: 'a', name: 'Apple'}, {_id: 'b', name: 'Bread'}]}]",
    );
    of(
        "[{$lookup: {from: 'items', let: {id: '$l.$id'}, as: 'l', \
           pipeline: [{$match: {$expr: {$eq: ['$_id', '$$id']}}}]}}, {$match: {_id: 1}}]",
        "[{_id: 1, l: [{_id: 'a', name: 'Apple'}]}]",
    );
    of(
        "[{$unwind: '$l'}, {$group: {_id: '$l.$id', n: {$sum: 1}}}, {$sort: {_id: 1}}]",
        "[{_id: 'a', n: 2}, {_id: 'b', n: 1}]",
    );
    of(
        "[{$match: {_id: 1}}, {$project: {db: '$l.$db', 'l.$ref': 1}}]",
        "[{_id: 1, l: {$ref: 'items'}, db: 'test'}]",
    );
    of(
        "[{$match: {_id: 1}}, {$set: {'l.$id': 'b'}}, {$project: {l: 1, _id: 0}}]",
        "[{l: {$ref: 'items', $id: 'b', $db: 'test'}}]",
    );
    refused("[{$project: {x: '$l.$other'}}]", 16410);
    refused("[{$set: {l: {$id: 1}}}]", 168);
}

#[test]
fn unwinding() {
    let lab = lab();
    let ids = "{$project: {_id: 1, tags: 1}}";
    check(
        &lab,
        &format!("[{ids}, {{$unwind: '$tags'}}]"),
        "[{_id: 1, tags: 'x'}, {_id: 1, tags: 'y'}, {_id: 5, tags: 'z'}]",
    );
    check(
        &lab,
        &format!(
            "[{ids}, {{$unwind: {{path: '$tags', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i'}}}}]"
        ),
        "[{_id: 1, tags: 'x', i: 0}, {_id: 1, tags: 'y', i: 1}, {_id: 2, i: null}, \
         {_id: 3, tags: null, i: null}, {_id: 4, i: null}, {_id: 5, tags: 'z', i: null}]",
    );
}

#[test]
fn grouping() {
    let lab = lab();
    check(
        &lab,
        "[{$group: {_id: '$item', s: {$sum: '$price'}, a: {$avg: '$n'}, lo: {$min: '$price'}, \
          hi: {$max: '$price'}, f: {$first: '$_id'}, l: {$last: '$_id'}, c: {$count: {}}}}, \
         {$sort: {_id: 1}}]",
        "[{_id: 'a', s: 15, a: 6.0, lo: 5, hi: 10, f: 1, l: 3, c: 2}, \
          {_id: 'b', s: 21, a: 2.0, lo: 1, hi: 20, f: 2, l: 5, c: 2}, \
          {_id: 'c', s: 7.5, a: 1.0, lo: 7.5, hi: 7.5, f: 4, l: 4, c: 1}]",
    );
    check(
        &lab,
        "[{$group: {_id: null, p: {$push: '$_id'}, s: {$addToSet: '$item'}, \
          t: {$topN: {n: 2, sortBy: {price: -1}, output: '$_id'}}, \
          b: {$bottom: {sortBy: {price: -1}, output: '$_id'}}, \
          m: {$maxN: {n: 2, input: '$price'}}, f: {$firstN: {n: 2, input: '$_id'}}, \
          md: {$median: {input: '$price', method: 'approximate'}}}}]",
        "[{_id: null, p: [1, 2, 3, 4, 5], s: ['a', 'b', 'c'], t: [2, 1], b: 5, m: [20, 10], \
           f: [1, 2], md: 7.5}]",
    );
    check(&lab, "[{$group: {_id: 1, n: {$sum: 1}}}]", "[{_id: 1, n: 5}]");
    check(&lab, "[{$match: {_id: 99}}, {$group: {_id: 1, n: {$sum: 1}}}]", "[]");
    check(&lab, "[{$sortByCount: '$item'}, {$limit: 1}]", "[{_id: 'a', count: 2}]");
    check(&lab, "[{$match: {n: 1}}, {$count: 'c'}]", "[{c: 2}]");
    check(
        &lab,
        "[{$bucket: {groupBy: '$price', boundaries: [0, 10, 20], default: 'more'}}]",
        "[{_id: 0, count: 3}, {_id: 10, count: 1}, {_id: 'more', count: 1}]",
    );
    check(
        &lab,
        "[{$bucketAuto: {groupBy: '$_id', buckets: 2}}]",
        "[{_id: {min: 1, max: 4}, count: 3}, {_id: {min: 4, max: 5}, count: 2}]",
    );
    check(
        &lab,
        "[{$bucketAuto: {groupBy: '$_id', buckets: 2, granularity: 'POWERSOF2'}}]",
        "[{_id: {min: 0.5, max: 4}, count: 3}, {_id: {min: 4, max: 8}, count: 2}]",
    );
    for (series, (least, most)) in [
        ("R40", ("4.75", "5.3")),
        ("R80", ("4.87", "5.15")),
        ("E48", ("4.87", "5.11")),
        ("E96", ("4.99", "5.11")),
        ("E192", ("4.99", "5.05")),
    ] {
        check(
            &lab,
            &format!(
                "[{{$match: {{_id: 5}}}}, \
                 {{$bucketAuto: {{groupBy: '$_id', buckets: 1, granularity: '{series}'}}}}]"
            ),
            &format!("[{{_id: {{min: {least}, max: {most}}}, count: 1}}]"),
        );
    }
}

#[test]
fn joining() {
    let lab = lab();
    check(
        &lab,
        "[{$match: {_id: {$lt: 3}}}, {$lookup: {from: 'items', localField: 'item', \
          foreignField: '_id', as: 'i'}}, {$project: {i: 1}}]",
        "[{_id: 1, i: [{_id: 'a', name: 'Apple'}]}, {_id: 2, i: [{_id: 'b', name: 'Bread'}]}]",
    );
    check(
        &lab,
        "[{$match: {_id: 4}}, {$lookup: {from: 'items', let: {x: '$n'}, pipeline: \
          [{$match: {_id: 'a'}}, {$project: {x: '$$x', _id: 0}}], as: 'i'}}, {$project: {i: 1}}]",
        "[{_id: 4, i: [{x: 1}]}]",
    );
    check(
        &lab,
        "[{$match: {_id: 1}}, {$project: {_id: 1}}, {$unionWith: {coll: 'items', pipeline: \
          [{$project: {_id: 1}}]}}]",
        "[{_id: 1}, {_id: 'a'}, {_id: 'b'}]",
    );
    check(
        &lab,
        "[{$facet: {n: [{$count: 'n'}], first: [{$limit: 1}, {$project: {_id: 1}}]}}]",
        "[{n: [{n: 5}], first: [{_id: 1}]}]",
    );
    lab.check(
        "{aggregate: 1, pipeline: [{$documents: [{a: 1}, {a: 2}]}, {$match: {a: 2}}], cursor: {}}",
        "{'cursor.firstBatch': [{a: 2}], 'cursor.ns': 'test.$cmd.aggregate'}",
    );
}

#[test]
fn writing() {
    let lab = lab();
    check(&lab, "[{$match: {item: 'a'}}, {$project: {price: 1}}, {$out: 'o'}]", "[]");
    lab.check(
        "{find: 'o', filter: {}}",
        "{'cursor.firstBatch': [{_id: 1, price: 10}, {_id: 3, price: 5}]}",
    );
    lab.ok("{createIndexes: 'o', indexes: [{key: {price: 1}, name: 'p'}]}");
    check(&lab, "[{$match: {_id: 2}}, {$project: {price: 1}}, {$out: 'o'}]", "[]");
    lab.check("{find: 'o'}", "{'cursor.firstBatch': [{_id: 2, price: 20}]}");
    lab.check("{listIndexes: 'o'}", "{'cursor.firstBatch.1.name': 'p'}");
    lab.check("{listCollections: 1, filter: {name: /tmp/}}", "{'cursor.firstBatch': []}");
}

#[test]
fn merging() {
    let lab = lab();
    let merge = |merge: &str| {
        format!(
            "[{{$match: {{_id: {{$lt: 3}}}}}}, {{$project: {{price: 1}}}}, {{$merge: {merge}}}]"
        )
    };
    let all = |lab: &Lab, expected: &str| {
        lab.check("{find: 'm', sort: {_id: 1}}", &format!("{{'cursor.firstBatch': {expected}}}"));
    };
    lab.ok("{insert: 'm', documents: [{_id: 1, old: 1}]}");
    check(&lab, &merge("{into: 'm', whenMatched: 'keepExisting'}"), "[]");
    all(&lab, "[{_id: 1, old: 1}, {_id: 2, price: 20}]");
    check(&lab, &merge("'m'"), "[]");
    all(&lab, "[{_id: 1, old: 1, price: 10}, {_id: 2, price: 20}]");
    check(&lab, &merge("{into: 'm', whenMatched: [{$set: {p: '$$new.price'}}]}"), "[]");
    all(&lab, "[{_id: 1, old: 1, price: 10, p: 10}, {_id: 2, price: 20, p: 20}]");
    check(&lab, &merge("{into: 'm', whenMatched: 'replace'}"), "[]");
    all(&lab, "[{_id: 1, price: 10}, {_id: 2, price: 20}]");
    let fails = |pipeline: &str, code: i32| {
        lab.check(
            &format!("{{aggregate: 'c', pipeline: {pipeline}, cursor: {{}}}}"),
            &format!("{{code: {code}}}"),
        );
    };
    fails(&merge("{into: 'm', whenMatched: 'fail'}"), 11000);
    fails(&merge("{into: 'm', on: 'price'}"), 51183);
    fails(&merge("{into: 'empty', whenNotMatched: 'fail'}"), 13113);
    lab.ok("{createIndexes: 'm', indexes: [{key: {price: 1}, name: 'p', unique: true}]}");
    check(&lab, &merge("{into: 'm', on: 'price', whenNotMatched: 'discard'}"), "[]");
}

#[test]
fn disk_use_is_allowed_by_a_bool_alone() {
    let lab = Lab::new();
    let aggregate = |allowed: &str| {
        format!("{{aggregate: 'c', pipeline: [], cursor: {{}}, allowDiskUse: {allowed}}}")
    };
    lab.check(&aggregate("true"), "{ok: 1}");
    lab.check(&aggregate("1"), "{code: 14}");
    lab.check("{find: 'c', term: 'x'}", "{code: 14}");
}

#[test]
fn a_merge_continues_after_a_document_that_is_refused() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}, {_id: 4}]}");
    lab.ok("{insert: 'm', documents: [{_id: 2, old: true}, {_id: 3, old: true}]}");
    let merge = |how: &str| {
        format!("{{aggregate: 'c', pipeline: [{{$merge: {{into: {how}}}}}], cursor: {{}}}}")
    };
    lab.check(&merge("'m', whenMatched: 'fail'"), "{code: 11000, 'keyValue': {_id: 2}}");
    let all = "[{_id: 2, old: true}, {_id: 3, old: true}, {_id: 1}, {_id: 4}]";
    lab.check("{find: 'm'}", &format!("{{'cursor.firstBatch': {all}}}"));
    lab.ok("{delete: 'm', deletes: [{q: {_id: {$in: [1, 4]}}, limit: 0}]}");
    lab.check(
        &merge("'m', whenMatched: [{$set: {new: true}}], whenNotMatched: 'fail'"),
        "{code: 13113}",
    );
    lab.check("{count: 'm', query: {new: true}}", "{n: 2}");

    for into in ["{db: '', coll: 'n'}", "{db: null, coll: 'n'}"] {
        lab.ok(&merge(&format!(
            "{into}, on: null, let: null, whenMatched: null, whenNotMatched: null"
        )));
        lab.check("{count: 'n'}", "{n: 4}");
        lab.ok("{drop: 'n'}");
    }
    for into in ["{coll: ''}", "{coll: null}", "{db: 'test'}"] {
        lab.check(&merge(into), "{code: 5786801}");
    }
}

#[test]
fn a_result_without_an_id_is_merged_into_the_document_with_its_other_fields() {
    let lab = lab();
    lab.ok("{createIndexes: 'm', indexes: [{key: {item: 1}, name: 'i', unique: true}]}");
    lab.ok("{insert: 'm', documents: [{_id: 1, item: 'a', old: 1}]}");
    let merge = |how: &str| {
        format!(
            "[{{$match: {{_id: {{$in: [3, 4]}}}}}}, {{$project: {{_id: 0, item: 1, price: 1}}}}, \
             {{$merge: {{into: 'm', on: 'item'{how}}}}}]"
        )
    };
    let check_a = |how: &str, expected: &str| {
        check(&lab, &merge(how), "[]");
        let expected = format!("{{'cursor.firstBatch': [{expected}]}}");
        lab.check("{find: 'm', filter: {item: 'a'}}", &expected);
    };
    check_a("", "{_id: 1, item: 'a', old: 1, price: 5}");
    let has_id = "{find: 'm', filter: {item: 'c', _id: {$type: 'objectId'}}, projection: {_id: 0}}";
    lab.check(has_id, "{'cursor.firstBatch': [{item: 'c', price: 7.5}]}");
    let set = ", whenMatched: [{$set: {n: '$$new'}}]";
    check_a(set, "{_id: 1, item: 'a', old: 1, price: 5, n: {item: 'a', price: 5}}");
    check_a(", whenMatched: 'replace'", "{_id: 1, item: 'a', price: 5}");
    check_a(", whenMatched: 'keepExisting'", "{_id: 1, item: 'a', price: 5}");
    lab.ok("{delete: 'm', deletes: [{q: {item: 'c'}, limit: 0}]}");
    lab.check(
        &format!("{{aggregate: 'c', pipeline: {}, cursor: {{}}}}", merge(", whenMatched: 'fail'")),
        "{code: 11000}",
    );
}

#[test]
fn updates_by_pipelines() {
    let lab = lab();
    lab.check(
        "{update: 'c', updates: [{q: {_id: 1}, u: [{$set: {t: '$price', v: '$$k'}}, {$unset: 'tags'}], c: {k: 7}}]}",
        "{n: 1, nModified: 1}",
    );
    lab.check(
        "{find: 'c', filter: {_id: 1}}",
        "{'cursor.firstBatch': [{_id: 1, item: 'a', price: 10, n: 2, t: 10, v: 7}]}",
    );
    lab.check(
        "{findAndModify: 'c', query: {_id: 1}, update: [{$replaceWith: {a: 1}}], new: true}",
        "{value: {_id: 1, a: 1}}",
    );
    lab.check(
        "{update: 'c', updates: [{q: {_id: 1}, u: [{$group: {_id: 1}}]}]}",
        "{'writeErrors.0.code': 72}",
    );
    lab.check(
        "{update: 'c', updates: [{q: {}, u: {$set: {a: 1}}, c: {k: 1}}]}",
        "{'writeErrors.0.code': 51198}",
    );
}

#[test]
fn views() {
    let lab = lab();
    lab.ok("{create: 'v', viewOn: 'c', pipeline: [{$match: {item: 'a'}}, {$project: {price: 1}}]}");
    lab.ok("{create: 'w', viewOn: 'v', pipeline: [{$addFields: {w: 1}}]}");
    lab.check("{find: 'v'}", "{'cursor.firstBatch': [{_id: 1, price: 10}, {_id: 3, price: 5}]}");
    lab.check(
        "{find: 'w', filter: {price: 5}, projection: {w: 1}}",
        "{'cursor.firstBatch': [{_id: 3, w: 1}], 'cursor.ns': 'test.w'}",
    );
    lab.check("{count: 'v'}", "{n: 2}");
    lab.check("{distinct: 'v', key: 'price'}", "{values: [5, 10]}");
    lab.check(
        "{aggregate: 'w', pipeline: [{$group: {_id: null, n: {$sum: '$price'}}}], cursor: {}}",
        "{'cursor.firstBatch': [{_id: null, n: 15}]}",
    );
    lab.check("{insert: 'v', documents: [{a: 1}]}", "{code: 166}");
    lab.ok("{create: 'self', viewOn: 'c', pipeline: [{$lookup: {from: 'self', pipeline: [], as: 'x'}}]}");
    lab.check("{find: 'self'}", "{code: 232}");
}

#[test]
fn explaining() {
    let lab = lab();
    lab.check(
        "{aggregate: 'c', pipeline: [{$match: {_id: 1}}, {$group: {_id: '$a'}}], explain: true}",
        "{'stages.0.$cursor.queryPlanner.winningPlan.stage': 'EXPRESS_IXSCAN', \
          'stages.1.$group._id': '$a'}",
    );
    lab.check(
        "{explain: {aggregate: 'c', pipeline: [{$match: {n: 1}}], cursor: {}}}",
        "{'queryPlanner.winningPlan.stage': 'COLLSCAN', 'executionStats.nReturned': 2}",
    );
}

#[test]
fn cursors_hold_what_is_left() {
    let lab = lab();
    let first =
        lab.ok("{aggregate: 'c', pipeline: [{$project: {_id: 1}}], cursor: {batchSize: 2}}");
    let id = crate::command::testing::at(&first, "cursor.id").expect("an id");
    let next = lab.run_document(&bson::doc! { "getMore": id, "collection": "c" });
    let batch = crate::command::testing::at(&next, "cursor.nextBatch").expect("a batch");
    assert_eq!(batch.as_array().map(Vec::len), Some(3), "{next}");
    assert_eq!(crate::command::testing::at(&next, "cursor.id"), Some(bson::Bson::Int64(0)));
}

#[test]
fn groups_fail_with_numbers_of_their_own() {
    let lab = lab();
    let check = |stage: &str, code: i32| {
        lab.check(
            &format!("{{aggregate: 'c', pipeline: [{stage}], cursor: {{}}}}"),
            &format!("{{ok: 0, code: {code}}}"),
        );
    };
    check("{$group: {_id: null, a: {$sum: {$divide: ['$n', 0]}}}}", 4_848_401);
    check("{$group: {_id: {$mod: ['$n', 0]}}}", 4_848_403);
    check("{$group: {_id: null, a: {$mergeObjects: '$n'}}}", 5_911_200);
    check("{$group: {_id: null, a: {$firstN: {n: 0, input: '$n'}}}}", 7_548_606);
    check("{$group: {_id: null, a: {$setUnion: '$n'}}}", 14);
    check("{$project: {a: {$divide: ['$n', 0]}}}", 2);
    check("{$project: {a: {$mod: ['$n', 0]}}}", 16610);
}

#[test]
fn refusals() {
    refused("[{}]", 40323);
    refused("[{$foo: 1}]", 40324);
    refused("[{$limit: 0}]", 15958);
    refused("[{$limit: -1}]", 5_107_201);
    refused("[{$skip: -1}]", 5_107_200);
    refused("[{$match: 1}]", 15959);
    refused("[{$sort: 1}]", 15973);
    refused("[{$sort: {}}]", 15976);
    refused("[{$sort: {a: 'x'}}]", 15974);
    refused("[{$sort: {a: 2}}]", 15975);
    refused("[{$count: '_id'}]", 9_039_800);
    refused("[{$count: '.$\u{0}'}]", 40159);
    refused("[{$project: {a: '$$'}}]", 9);
    refused("[{$project: {a: {$let: {vars: {A: 1}, in: 1}}}}]", 9);
    refused("[{$project: {a: {$setEquals: [[1]]}}}]", 17045);
    refused("[{$project: {a: {$switch: {branches: [{case: false, then: 1}]}}}}]", 40069);
    refused("[{$project: {a: {$setField: {field: 'x'}}}}]", 4_161_103);
    refused("[{$project: {a: {$unsetField: {field: 'x'}}}}]", 4_161_109);
    refused("[{$group: {_id: null, a: {$add: [1, 2]}}}]", 40237);
    refused("[{$group: {_id: null, a: {$count: []}}}]", 40237);
    refused("[{$group: {_id: null, a: {$count: 'x'}}}]", 14);
    refused("[{$project: {a: 1, 'a.b': 1}}]", 31249);
    refused("[{$project: {a: 0, b: '$a'}}]", 31310);
    refused("[{$count: 1}]", 40156);
    refused("[{$count: ''}]", 40157);
    refused("[{$count: '$a'}]", 40158);
    refused("[{$count: 'a.b'}]", 40160);
    refused("[{$unwind: 1}]", 15981);
    refused("[{$unwind: {path: 1}}]", 28808);
    refused("[{$unwind: {}}]", 28812);
    refused("[{$unwind: 'a'}]", 28818);
    refused("[{$unwind: {path: '$a', includeArrayIndex: '$b'}}]", 28822);
    refused("[{$sample: 1}]", 28745);
    refused("[{$sample: {size: 'x'}}]", 28746);
    refused("[{$sample: {size: -1}}]", 28747);
    refused("[{$sample: {}}]", 28749);
    refused("[{$group: 1}]", 15947);
    refused("[{$group: {}}]", 15955);
    refused("[{$group: {_id: 1, a: 1}}]", 40234);
    refused("[{$group: {_id: 1, 'a.b': {$sum: 1}}}]", 40235);
    refused("[{$group: {_id: 1, a: {$nope: 1}}}]", 15952);
    refused("[{$group: {_id: 1, a: {$sum: [1, 2]}}}]", 40237);
    refused("[{$group: {_id: 1, a: {$sum: [1]}}}]", 40237);
    refused("[{$group: {_id: 1, a: {$sum: 1, $avg: 1}}}]", 40238);
    refused("[{$project: 1}]", 15969);
    refused("[{$project: {}}]", 51272);
    refused("[{$project: {a: 1, b: 0}}]", 31254);
    refused("[{$addFields: 1}]", 40272);
    refused("[{$unset: 1}]", 31002);
    refused("[{$unset: []}]", 31119);
    refused("[{$unset: [1]}]", 31120);
    refused("[{$replaceRoot: 1}]", 40229);
    refused("[{$bucket: 1}]", 40201);
    refused("[{$bucket: {}}]", 40198);
    refused("[{$bucket: {groupBy: '$a', boundaries: [1]}}]", 40192);
    refused("[{$bucket: {groupBy: '$a', boundaries: [2, 1]}}]", 40194);
    refused("[{$bucketAuto: {}}]", 40246);
    refused("[{$facet: {}}]", 40169);
    refused("[{$facet: {a: 1}}]", 40170);
    refused("[{$facet: {a: [{$out: 'x'}]}}]", 40600);
    refused("[{$facet: {a: [{$planCacheStats: {}}]}}]", 40600);
    refused("[{$facet: {a: [{$geoNear: {}}]}}]", 40600);
    refused("[{$lookup: {from: 'x', as: 'y', pipeline: [{$out: 'z'}]}}]", 51047);
    refused("[{$lookup: {from: 'x'}}]", 9);
    refused("[{$match: {}}, {$collStats: {}}]", 40602);
    refused("[{$out: 'x'}, {$match: {}}]", 40601);
    refused("[{$out: 1}]", 16990);
    refused("[{$changeStream: {}}]", 40573);
    refused("[{$merge: {into: 'x', whenMatched: 'fail', whenNotMatched: 'discard'}}]", 51181);
    refused("[{$densify: {}}]", 238);
    let lab = Lab::new();
    lab.check("{aggregate: 'c', pipeline: []}", "{code: 9}");
    lab.check("{aggregate: 1, pipeline: [{$match: {}}], cursor: {}}", "{code: 73}");
    lab.check("{aggregate: 'c', pipeline: 1, cursor: {}}", "{code: 14}");
}

/// `{a: {a: … }}` around an expression.
fn nested(levels: usize, inner: &str) -> String {
    format!("{}{inner}{}", "{a: ".repeat(levels), "}".repeat(levels))
}

fn fails(lab: &Lab, pipeline: &str, code: i32) {
    lab.check(
        &format!("{{aggregate: 'c', pipeline: {pipeline}, cursor: {{}}}}"),
        &format!("{{ok: 0, code: {code}}}"),
    );
}

#[test]
fn what_stages_nest_in_one_another_is_refused_before_it_is_too_deep_to_read() {
    let lab = lab();
    let around = |path: &str| nested(50, &format!("'{path}'"));
    for stage in [
        format!("{{$replaceWith: {}}}", around("$$ROOT")),
        format!("{{$project: {{a: {}}}}}", around("$$ROOT")),
        format!("{{$set: {{a: {}}}}}", around("$$ROOT")),
        format!("{{$group: {{_id: {}}}}}", around("$$ROOT")),
        format!("{{$group: {{_id: 1, a: {{$push: {}}}}}}}", around("$$ROOT")),
        "{$facet: {a: [{$match: {}}]}}".to_owned(),
    ] {
        let stages = vec![stage; 400].join(", ");
        fails(&lab, &format!("[{{$limit: 1}}, {stages}]"), 15);
    }
    let deep = "{$reduce: {input: {$range: [0, 50000]}, initialValue: [], in: ['$$value']}}";
    fails(&lab, &format!("[{{$set: {{a: {deep}}}}}]"), 15);
    lab.check(
        &format!("{{update: 'c', updates: [{{q: {{_id: 1}}, u: [{{$set: {{a: {deep}}}}}]}}]}}"),
        "{'writeErrors.0.code': 15}",
    );
    let sets = vec![format!("{{$set: {{a: {}}}}}", around("$$ROOT")); 400].join(", ");
    lab.check(
        &format!("{{update: 'c', updates: [{{q: {{_id: 1}}, u: [{sets}]}}]}}"),
        "{'writeErrors.0.code': 15}",
    );
    let variables: Vec<String> =
        (1..400).map(|n| format!("v{n}: {}", around(&format!("$$v{}", n - 1)))).collect();
    lab.check(
        &format!(
            "{{aggregate: 'c', pipeline: [], cursor: {{}}, let: {{v0: 1, {}}}}}",
            variables.join(", ")
        ),
        "{ok: 0, code: 15}",
    );
    check(
        &lab,
        &format!("[{{$match: {{_id: 1}}}}, {{$project: {{_id: 0, a: {}}}}}]", nested(50, "'$n'")),
        &format!("[{{a: {}}}]", nested(50, "2")),
    );
}

#[test]
fn a_group_holds_what_it_keeps_and_not_what_it_has_let_go() {
    let lab = lab();
    // As many values of 1,000 bytes as would be too much together.
    let long = "x".repeat(1_000);
    let numbers = "{$documents: [{n: {$range: [0, 120000]}}]}, {$unwind: '$n'}";
    let value = format!("{{n: '$n', t: '{long}'}}");
    let given = |operator: &str| format!("{{{operator}: {value}}}");
    let n_of = |operator: &str| format!("{{{operator}: {{n: 1, input: {value}}}}}");
    let by =
        |operator: &str| format!("{{{operator}: {{n: 1, sortBy: {{n: 1}}, output: {value}}}}}");
    let one_by = |operator: &str| format!("{{{operator}: {{sortBy: {{n: 1}}, output: {value}}}}}");
    for (accumulator, path, expected) in [
        (given("$last"), "r.n", 119_999),
        (given("$max"), "r.n", 119_999),
        (given("$min"), "r.n", 0),
        (given("$first"), "r.n", 0),
        (given("$mergeObjects"), "r.n", 119_999),
        (n_of("$lastN"), "r.0.n", 119_999),
        (n_of("$firstN"), "r.0.n", 0),
        (n_of("$maxN"), "r.0.n", 119_999),
        (n_of("$minN"), "r.0.n", 0),
        (by("$topN"), "r.0.n", 0),
        (by("$bottomN"), "r.0.n", 119_999),
        (one_by("$bottom"), "r.n", 119_999),
    ] {
        lab.check(
            &format!(
                "{{aggregate: 1, cursor: {{}}, pipeline: [{numbers}, {{$group: {{_id: null, r: \
                 {accumulator}}}}}]}}"
            ),
            &format!("{{'cursor.firstBatch.0.{path}': {expected}}}"),
        );
    }
    let too_much = |stage: &str| {
        lab.check(
            &format!("{{aggregate: 1, cursor: {{}}, pipeline: [{numbers}, {stage}]}}"),
            "{ok: 0, code: 292}",
        );
    };
    too_much(&format!("{{$group: {{_id: null, r: {}}}}}", given("$push")));
    // The key is short, but its documents are not.
    let ids =
        format!("{{$limit: 10000}}, {{$group: {{_id: {{n: '$n', t: '{}'}}}}}}", long.repeat(20));
    too_much(&ids);
    too_much(&format!(
        "{{$bucketAuto: {{groupBy: '$n', buckets: 1, output: {{r: {}}}}}}}",
        given("$push")
    ));
    // As many small groups as a stage had room for when it counted neither ids nor states.
    lab.check(
        "{aggregate: 1, cursor: {}, pipeline: [{$documents: [{n: {$range: [0, 400000]}}]}, \
         {$unwind: '$n'}, {$group: {_id: '$n', c: {$sum: 1}, m: {$max: '$n'}}}, {$count: 'k'}]}",
        "{'cursor.firstBatch.0.k': 400000}",
    );
    let bottom = "{$group: {_id: null, r: {$bottomN: {n: 3, sortBy: {k: 1}, output: '$n'}}}}";
    lab.check(
        &format!("{{aggregate: 1, cursor: {{}}, pipeline: [{numbers}, {bottom}]}}"),
        "{'cursor.firstBatch.0.r': [119997, 119998, 119999]}",
    );
}

#[test]
fn any_number_of_matches_may_follow_one_another() {
    let lab = lab();
    let matches = vec!["{$match: {n: {$gt: 1}}}"; 300].join(", ");
    check(
        &lab,
        &format!("[{matches}, {{$match: {{_id: 1}}}}, {{$project: {{n: 1}}}}]"),
        "[{_id: 1, n: 2}]",
    );
}

#[test]
fn a_lookup_that_draws_lots_draws_for_each_document() {
    let lab = lab();
    lab.ok("{insert: 'many', documents: [{_id: 0}]}");
    let lots = |from: &str, stage: &str| {
        format!(
            "{{$documents: [{{n: {{$range: [0, 100]}}}}]}}, {{$unwind: '$n'}}, \
             {{$lookup: {{from: '{from}', pipeline: [{stage}], as: 'r'}}}}, \
             {{$group: {{_id: '$r'}}}}, {{$count: 'k'}}"
        )
    };
    let different = |from: &str, stage: &str| {
        let text = format!("{{aggregate: 1, cursor: {{}}, pipeline: [{}]}}", lots(from, stage));
        let reply = lab.ok(&text);
        reply.get_document("cursor").unwrap().get_array("firstBatch").unwrap()[0]
            .as_document()
            .unwrap()
            .get_i32("k")
            .unwrap()
    };
    assert_eq!(different("many", "{$project: {x: 1}}"), 1);
    assert!(different("many", "{$project: {x: {$rand: {}}}}") > 90);
    lab.ok("{create: 'same', viewOn: 'many', pipeline: [{$project: {x: 1}}]}");
    lab.ok("{create: 'drawn', viewOn: 'many', pipeline: [{$project: {x: {$rand: {}}}}]}");
    lab.ok("{create: 'above', viewOn: 'drawn', pipeline: []}");
    assert_eq!(different("same", ""), 1);
    assert!(different("drawn", "") > 90);
    assert!(different("above", "") > 90);
    assert!(different("many", "{$unionWith: 'above'}") > 90);
    assert!(different("many", "{$unionWith: {coll: 'drawn', pipeline: []}}") > 90);
}

#[test]
fn a_lookup_takes_the_values_that_are_there_and_null_where_there_are_none() {
    let check = |local: &str, field: &str, foreign: &str, expected: &str| {
        let lab = Lab::new();
        lab.ok(&format!("{{insert: 'here', documents: {local}}}"));
        lab.ok(&format!("{{insert: 'there', documents: [{foreign}]}}"));
        let lookup = format!(
            "{{$lookup: {{from: 'there', localField: '{field}', foreignField: 'b', as: 'm'}}}}"
        );
        lab.check(
            &format!(
                "{{aggregate: 'here', cursor: {{}}, pipeline: [{lookup}, {{$match: {{m: {{$ne: []}}}}}}, \
                 {{$group: {{_id: null, ids: {{$push: '$_id'}}}}}}]}}"
            ),
            &format!("{{'cursor.firstBatch.0.ids': {expected}}}"),
        );
    };
    let fields = "[{_id: 0}, {_id: 1, a: null}, {_id: 2, a: [null, 1]}, {_id: 10, a: []}, \
                  {_id: 20, a: 1}, {_id: 21, a: {x: null}}, {_id: 22, a: [[null, 1], 2]}, \
                  {_id: 23, a: false}, {_id: 25, a: {}}]";
    let paths = "[{_id: 0, a: {y: 1}}, {_id: 2, a: [{y: 1}, {y: 2}]}, {_id: 3, a: [{y: 2}, {x: 1}]}, \
                 {_id: 4, a: [{y: [1, 2]}, {x: 1}]}, {_id: 5, a: {x: null}}, \
                 {_id: 6, a: [{x: null}, {x: 1}]}, {_id: 8}, {_id: 9, a: [1]}, {_id: 10, a: []}, \
                 {_id: 11, a: [[1]]}, {_id: 12, a: [[]]}, {_id: 13, a: [{x: []}, {x: 1}]}, \
                 {_id: 20, a: {x: 2}}]";
    for foreign in ["{b: null}", "{c: 1}"] {
        check(fields, "a", foreign, "[0, 1, 2, 10]");
        check(paths, "a.x", foreign, "[0, 2, 5, 6, 8, 9, 10, 11, 12]");
    }
    check(fields, "a", "{b: 1}", "[2, 20]");
    check(paths, "a.x", "{b: 1}", "[3, 4, 6, 13]");
    check(fields, "a", "{b: [[null, 1]]}", "[22]");
}

#[test]
fn an_error_does_not_quote_a_large_value_whole() {
    let lab = lab();
    lab.ok(&format!(
        "{{update: 'c', updates: [{{q: {{_id: 1}}, u: {{$set: {{t: '{}'}}}}}}]}}",
        "é".repeat(500_000)
    ));
    for stage in ["{$project: {x: {$toInt: '$t'}}}", "{$replaceRoot: {newRoot: '$t'}}"] {
        let reply = lab.run(&format!("{{aggregate: 'c', pipeline: [{stage}], cursor: {{}}}}"));
        let message = reply.get_str("errmsg").unwrap();
        assert!((10_000..20_000).contains(&message.len()), "{}", message.len());
        assert!(message.ends_with("bytes in all)"), "{message}");
    }
    let update = "{update: 'c', updates: [{q: {_id: 1}, u: [{$set: {x: {$toInt: '$t'}}}]}]}";
    let message = lab.run(update).get_array("writeErrors").unwrap()[0].to_string();
    assert!(message.len() < 20_000, "{}", message.len());
}

/// As those that are inserted.
#[test]
fn what_is_written_has_no_id_that_looks_like_an_operator() {
    let lab = lab();
    for stage in ["{$out: 'o'}", "{$merge: 'o'}"] {
        let set = |id: &str| {
            let name = "{$getField: {field: {$literal: 'x'}, input: {x: 'a'}}}";
            let id = format!(
                "{{$setField: {{field: {{$literal: '{id}'}}, input: {{}}, value: {name}}}}}"
            );
            format!(
                "{{aggregate: 'c', pipeline: [{{$limit: 1}}, {{$project: {{_id: {id}}}}}, {stage}], \
                  cursor: {{}}}}"
            )
        };
        lab.check(&set("$gt"), "{ok: 0, code: 52}");
        lab.ok(&set("gt"));
    }
    lab.ok("{insert: 'o', documents: [{_id: {$ref: 'c', $id: 1}}]}");
    lab.check("{insert: 'o', documents: [{_id: {$gt: 1}}]}", "{'writeErrors.0.code': 52}");
}

/// As in MongoDB, where the stage's update is given the command's variables too.
#[test]
fn a_merge_sees_the_variables_of_the_command() {
    let lab = lab();
    let merge = |rest: &str| {
        format!(
            "{{aggregate: 'c', pipeline: [{{$match: {{_id: 1}}}}, {{$merge: {{into: 'o', {rest}}}}}], \
              let: {{outer: 5}}, cursor: {{}}}}"
        )
    };
    lab.ok("{insert: 'o', documents: [{_id: 1}]}");
    lab.ok(&merge(
        "let: {mine: {$add: ['$$outer', '$price']}}, \
         whenMatched: [{$set: {a: '$$mine', b: '$$outer', c: '$$new.item'}}]",
    ));
    lab.check("{find: 'o'}", "{'cursor.firstBatch': [{_id: 1, a: 15, b: 5, c: 'a'}]}");
    // Also where nothing is merged.
    lab.check(
        "{aggregate: 'none', pipeline: [{$merge: {into: 'o', let: {a: '$$no'}, whenMatched: []}}], \
          cursor: {}}",
        "{ok: 0, code: 17276}",
    );
    lab.check(
        "{aggregate: 'none', pipeline: [{$merge: {into: {coll: 'o', x: 1}}}], cursor: {}}",
        "{ok: 0, code: 40415}",
    );
}

#[test]
fn the_variables_of_a_command_may_be_its_time() {
    let lab = lab();
    for command in [
        "aggregate: 'c', pipeline: [{$match: {$expr: {$eq: ['$$n', '$$NOW']}}}, {$limit: 1}, \
         {$project: {_id: 1}}], cursor: {}",
        "find: 'c', filter: {$expr: {$eq: ['$$n', '$$NOW']}}, limit: 1, projection: {_id: 1}",
    ] {
        let command = format!("{{{command}, let: {{n: '$$NOW'}}}}");
        lab.check(&command, "{'cursor.firstBatch': [{_id: 1}]}");
    }
}

#[test]
fn the_variables_of_a_command_know_no_document() {
    let lab = lab();
    let variable = |value: &str| {
        format!("{{find: 'c', filter: {{_id: 1}}, projection: {{v: '$$x'}}, let: {{x: {value}}}}}")
    };
    for value in ["'$price'", "'$$ROOT'", "'$$CURRENT.n'", "{a: [{$add: [1, '$n']}]}"] {
        lab.check(&variable(value), "{ok: 0, code: 4890500}");
    }
    for (value, expected) in [
        ("{$literal: '$price'}", "'$price'"),
        ("{$map: {input: [{n: 2}], in: '$$this.n'}}", "[2]"),
        ("{$getField: {field: 'n', input: {n: 3}}}", "3"),
        ("'a$b'", "'a$b'"),
    ] {
        lab.check(
            &variable(value),
            &format!("{{'cursor.firstBatch': [{{_id: 1, v: {expected}}}]}}"),
        );
    }
}

/// Numbers that are drawn for a document are others for the next one, and in the next command.
#[test]
fn what_is_drawn_is_drawn_for_each_document() {
    let lab = lab();
    lab.ok("{create: 'view', viewOn: 'c', pipeline: [{$project: {r: {$rand: {}}}}]}");
    let drawn = |update: &str, find: &str| -> Vec<f64> {
        (0..2)
            .flat_map(|_| {
                lab.ok(update);
                let reply = lab.ok(find);
                let found = reply.get_document("cursor").unwrap().get_array("firstBatch").unwrap();
                let numbers =
                    found.iter().map(|it| it.as_document().unwrap().get_f64("r").unwrap());
                numbers.collect::<Vec<_>>()
            })
            .collect()
    };
    let all_differ = |mut numbers: Vec<f64>| {
        assert_eq!(numbers.len(), 10);
        numbers.sort_by(f64::total_cmp);
        numbers.dedup();
        numbers.len() == 10
    };
    assert!(all_differ(drawn("{ping: 1}", "{find: 'view'}")), "a view");
    let projected = "{find: 'c', projection: {r: {$rand: {}}}}";
    assert!(all_differ(drawn("{ping: 1}", projected)), "a projection");
    let update = "{update: 'c', updates: [{q: {}, u: [{$set: {r: {$rand: {}}}}], multi: true}]}";
    assert!(all_differ(drawn(update, "{find: 'c'}")), "an update");
    let merge = "{aggregate: 'c', pipeline: [{$project: {_id: 1}}, {$merge: {into: 'c', \
                  let: {x: {$rand: {}}}, whenMatched: [{$set: {r: '$$x'}}]}}], cursor: {}}";
    assert!(all_differ(drawn(merge, "{find: 'c'}")), "a merge");
}

/// Stages that the search absorbed are not shown as stages again. All others are.
#[test]
fn the_plan_of_a_view_shows_its_stages_and_those_behind_them() {
    let lab = lab();
    lab.ok("{create: 'v', viewOn: 'c', pipeline: [{$match: {n: 1}}, {$set: {x: 1}}]}");
    let stages = |command: &str| {
        let reply = lab.ok(&format!("{{explain: {{{command}}}, verbosity: 'queryPlanner'}}"));
        let shown = reply.get_array("stages").expect("stages").iter();
        let names = shown.map(|stage| stage.as_document().unwrap().keys().next().unwrap().clone());
        names.collect::<Vec<_>>().join(" ")
    };
    let group = "aggregate: 'v', pipeline: [{$group: {_id: '$n'}}], cursor: {}";
    assert_eq!(stages(group), "$cursor $set $group");
    assert_eq!(
        stages("find: 'v', filter: {x: 1}, sort: {x: 1}, limit: 3"),
        "$cursor $set $match $sort $limit"
    );
    let plain = "aggregate: 'c', pipeline: [{$match: {n: 1}}, {$group: {_id: '$n'}}], cursor: {}";
    assert_eq!(stages(plain), "$cursor $group");
}

#[test]
fn index_stats_count_the_operations_that_used_an_index() {
    let lab = lab();
    let create = "{createIndexes: 'c', indexes: [{key: {item: 1}, name: 'item'}]}";
    lab.ok(create);
    let uses = |name: &str, expected: u32| {
        check(
            &lab,
            &format!(
                "[{{$indexStats: {{}}}}, {{$match: {{name: '{name}'}}}}, \
                 {{$project: {{_id: 0, n: {{$toInt: '$accesses.ops'}}}}}}]"
            ),
            &format!("[{{n: {expected}}}]"),
        );
    };
    uses("item", 0);
    lab.ok("{find: 'c', filter: {item: 'a'}}");
    lab.ok("{count: 'c', query: {item: 'a'}}");
    lab.ok("{update: 'c', updates: [{q: {item: 'a'}, u: {$set: {n: 3}}, multi: true}]}");
    lab.ok("{aggregate: 'c', pipeline: [{$match: {item: 'b'}}], cursor: {}}");
    uses("item", 4);
    lab.ok("{explain: {find: 'c', filter: {item: 'a'}}}");
    lab.ok("{find: 'c', filter: {price: 10}}");
    uses("item", 4);
    uses("_id_", 0);
    lab.ok("{find: 'c', filter: {_id: 1}}");
    uses("_id_", 1);
    lab.ok("{collMod: 'c', index: {name: 'item', hidden: true}}");
    uses("item", 0);
    lab.ok("{collMod: 'c', index: {name: 'item', hidden: false}}");
    lab.ok("{find: 'c', filter: {item: 'a'}}");
    uses("item", 1);
    uses("_id_", 1);
    lab.ok("{dropIndexes: 'c', index: 'item'}");
    lab.ok(create);
    uses("item", 0);
}
