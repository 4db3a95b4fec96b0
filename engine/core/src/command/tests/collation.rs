//! Collations of commands, collections and indexes.

use bson::Bson;

use crate::command::testing::Lab;

/// `{locale: 'en', strength: 2}` as `listIndexes` and `listCollections` show it.
const FULL: &str = "{locale: 'en', caseLevel: false, caseFirst: 'off', strength: 2, \
                    numericOrdering: false, alternate: 'non-ignorable', maxVariable: 'punct', \
                    normalization: false, backwards: false, version: '57.1'}";
const CI: &str = "collation: {locale: 'en', strength: 2}";

fn with_words() -> Lab {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, s: 'foo', n: 1}, {_id: 2, s: 'FOO', n: 2}, \
         {_id: 3, s: 'bar', n: 3}, {_id: 4, s: ['x', 'Foo'], n: 4}, {_id: 5, n: 5}]}");
    lab
}

fn ids(lab: &Lab, command: &str) -> Vec<i32> {
    let one = |id: &Bson| id.as_i32().unwrap_or(-1);
    lab.ids(command).iter().map(one).collect()
}

/// The stage that reads the documents.
fn stage(lab: &Lab, command: &str) -> String {
    lab.ok(&format!("{{explain: {command}, verbosity: 'queryPlanner'}}")).to_string()
}

#[test]
fn reads_compare_by_it() {
    let lab = with_words();
    let find = |filter: &str, rest: &str| {
        ids(&lab, &format!("{{find: 'c', filter: {filter}, sort: {{_id: 1}}, {rest}}}"))
    };
    assert_eq!(find("{s: 'foo'}", "limit: 0"), [1]);
    for (filter, expected) in [
        ("{s: 'foo'}", &[1, 2, 4] as &[i32]),
        ("{s: {$ne: 'foo'}}", &[3, 5]),
        ("{s: {$in: ['BAR', 'X']}}", &[3, 4]),
        ("{s: {$nin: ['BAR', null]}}", &[1, 2, 4]),
        ("{s: {$gt: 'BAR'}}", &[1, 2, 4]),
        ("{s: {$gte: 'BAR', $lt: 'c'}}", &[3]),
        ("{s: {$all: ['foo', 'X']}}", &[4]),
        ("{s: {$elemMatch: {$eq: 'X'}}}", &[4]),
        ("{s: {$not: {$eq: 'foo'}}}", &[3, 5]),
        ("{$or: [{s: 'BAR'}, {n: 5}]}", &[3, 5]),
        ("{$nor: [{s: 'foo'}]}", &[3, 5]),
        ("{s: ['X', 'foo']}", &[4]),
        // Patterns and schemas have no collation.
        ("{s: /^foo/}", &[1]),
        ("{$jsonSchema: {properties: {s: {enum: ['foo']}}, required: ['s']}}", &[1]),
        ("{$expr: {$eq: ['$s', 'foo']}}", &[1, 2]),
        ("{$expr: {$and: [{$eq: ['a', 'A']}, {$in: ['$s', ['BAR']]}]}}", &[3]),
    ] {
        assert_eq!(find(filter, CI), expected, "{filter}");
    }
    lab.check(&format!("{{count: 'c', query: {{s: 'foo'}}, {CI}}}"), "{n: 3}");
    lab.check(&format!("{{distinct: 'c', key: 's', {CI}}}"), "{values: ['bar', 'foo', 'x']}");
    lab.check("{distinct: 'c', key: 's'}", "{values: ['FOO', 'Foo', 'bar', 'foo', 'x']}");
    let simple = "collation: {locale: 'simple'}";
    assert_eq!(find("{s: 'foo'}", simple), [1]);
    assert_eq!(find("{s: 'foo'}", "collation: {}"), [1]);
}

#[test]
fn a_sort_is_in_its_order() {
    let lab = Lab::new();
    lab.ok("{insert: 'c', documents: [{_id: 1, s: 'b'}, {_id: 2, s: 'A'}, {_id: 3, s: 'ä'}, \
         {_id: 4, s: 'a'}, {_id: 5, s: 'z'}, {_id: 6, s: '10'}, {_id: 7, s: '9'}]}");
    let find = |collation: &str| {
        ids(&lab, &format!("{{find: 'c', sort: {{s: 1}}, collation: {collation}}}"))
    };
    assert_eq!(find("{locale: 'simple'}"), [6, 7, 2, 4, 1, 5, 3]);
    assert_eq!(find("{locale: 'de'}"), [6, 7, 4, 2, 3, 1, 5]);
    assert_eq!(find("{locale: 'de', caseFirst: 'upper'}"), [6, 7, 2, 4, 3, 1, 5]);
    assert_eq!(find("{locale: 'sv', numericOrdering: true}"), [7, 6, 4, 2, 1, 5, 3]);
    // Long text is cut in keys, and still in order.
    let long = "y".repeat(600);
    lab.ok(&format!(
        "{{insert: 'l', documents: [{{_id: 1, s: '{long}C'}}, {{_id: 2, s: '{long}b'}}, \
         {{_id: 3, s: '{long}a'}}]}}"
    ));
    let sorted = "{find: 'l', sort: {s: 1}, collation: {locale: 'en'}}";
    assert_eq!(ids(&lab, sorted), [3, 2, 1]);
    lab.ok("{createIndexes: 'l', indexes: [{key: {s: 1}, name: 's', collation: {locale: 'en'}}]}");
    assert!(stage(&lab, sorted).contains("IXSCAN"));
    assert_eq!(ids(&lab, sorted), [3, 2, 1]);
}

#[test]
fn stages_compare_by_it() {
    let lab = with_words();
    lab.ok("{insert: 'd', documents: [{_id: 1, k: 'Foo'}, {_id: 2, k: 'baz'}]}");
    let check = |stages: &str, expected: &str| {
        let command = format!("{{aggregate: 'c', pipeline: [{stages}], cursor: {{}}, {CI}}}");
        lab.check(&command, &format!("{{'cursor.firstBatch': {expected}}}"));
    };
    let some = "{$match: {n: {$lt: 4}}}";
    check("{$match: {s: 'FOO'}}, {$count: 'n'}", "[{n: 3}]");
    check(
        &format!("{some}, {{$group: {{_id: '$s', n: {{$sum: 1}}}}}}, {{$sort: {{_id: 1}}}}"),
        "[{_id: 'bar', n: 1}, {_id: 'foo', n: 2}]",
    );
    check(
        &format!("{some}, {{$group: {{_id: null, s: {{$addToSet: '$s'}}, m: {{$max: '$s'}}}}}}"),
        "[{_id: null, s: ['bar', 'foo'], m: 'foo'}]",
    );
    check(
        &format!("{some}, {{$sort: {{s: 1, n: -1}}}}, {{$project: {{s: 1}}}}"),
        "[{_id: 3, s: 'bar'}, {_id: 2, s: 'FOO'}, {_id: 1, s: 'foo'}]",
    );
    check(
        &format!("{some}, {{$sortByCount: '$s'}}"),
        "[{_id: 'foo', count: 2}, {_id: 'bar', count: 1}]",
    );
    check(
        &format!(
            "{some}, {{$lookup: {{from: 'd', localField: 's', foreignField: 'k', as: 'd'}}}}, \
             {{$project: {{n: {{$size: '$d'}}}}}}"
        ),
        "[{_id: 1, n: 1}, {_id: 2, n: 1}, {_id: 3, n: 0}]",
    );
    check(
        "{$match: {n: 1}}, {$lookup: {from: 'd', let: {s: '$s'}, as: 'd', pipeline: \
             [{$match: {$expr: {$eq: ['$k', '$$s']}}}]}}, {$project: {d: 1}}",
        "[{_id: 1, d: [{_id: 1, k: 'Foo'}]}]",
    );
    check(
        "{$match: {n: 1}}, {$project: {e: {$eq: ['$s', 'FOO']}, c: {$cmp: ['$s', 'FOO']}, \
         u: {$setUnion: [['a'], ['A', 'b']]}, i: {$indexOfArray: [['x', 'FOO'], '$s']}, \
         m: {$max: ['a', 'B']}, o: {$sortArray: {input: ['b', 'A'], sortBy: 1}}}}",
        "[{_id: 1, e: true, c: 0, u: ['a', 'b'], i: 1, m: 'B', o: ['A', 'b']}]",
    );
    check(
        "{$match: {n: {$lt: 4}}}, {$bucket: {groupBy: '$s', boundaries: ['A', 'C', 'G']}}",
        "[{_id: 'A', count: 1}, {_id: 'C', count: 2}]",
    );
    check(
        "{$limit: 1}, {$unionWith: {coll: 'c', pipeline: [{$match: {s: 'BAR'}}]}}, {$project: {n: 1}}",
        "[{_id: 1, n: 1}, {_id: 3, n: 3}]",
    );
}

#[test]
fn writes_compare_by_it() {
    let lab = with_words();
    let update = |change: &str| {
        format!("{{update: 'c', updates: [{{q: {{s: 'foo'}}, u: {change}, multi: true, {CI}}}]}}")
    };
    lab.check(&update("{$set: {m: 1}}"), "{n: 3, nModified: 3}");
    lab.check(
        &format!(
            "{{findAndModify: 'c', query: {{s: 'BAR'}}, update: {{$set: {{m: 2}}}}, new: true, {CI}}}"
        ),
        "{'value._id': 3, 'value.m': 2}",
    );
    let change = |change: &str, expected: &str| {
        lab.ok("{update: 'c', updates: [{q: {_id: 5}, u: {t: ['a', 'B'], k: 'b'}}]}");
        lab.ok(&format!("{{update: 'c', updates: [{{q: {{_id: 5}}, u: {change}, {CI}}}]}}"));
        lab.check(
            "{find: 'c', filter: {_id: 5}}",
            &format!("{{'cursor.firstBatch.0': {expected}}}"),
        );
    };
    change("{$addToSet: {t: 'A'}}", "{_id: 5, t: ['a', 'B'], k: 'b'}");
    change("{$pull: {t: 'A'}}", "{_id: 5, t: ['B'], k: 'b'}");
    change("{$pull: {t: {$in: ['A', 'b']}}}", "{_id: 5, t: [], k: 'b'}");
    change("{$pullAll: {t: ['A']}}", "{_id: 5, t: ['B'], k: 'b'}");
    change("{$push: {t: {$each: ['A'], $sort: -1}}}", "{_id: 5, t: ['B', 'a', 'A'], k: 'b'}");
    change("{$min: {k: 'A'}}", "{_id: 5, t: ['a', 'B'], k: 'A'}");
    change("{$max: {k: 'C'}}", "{_id: 5, t: ['a', 'B'], k: 'C'}");
    change("[{$set: {k: {$eq: ['$k', 'B']}}}]", "{_id: 5, t: ['a', 'B'], k: true}");
    lab.ok("{update: 'c', updates: [{q: {_id: 5}, u: {t: ['a', 'B']}}]}");
    for change in
        ["u: {$set: {'t.$': 'x'}}", "u: {$set: {'t.$[b]': 'y'}}, arrayFilters: [{b: 'b'}]"]
    {
        let q = if change.contains('b') { "{_id: 5}" } else { "{t: 'A'}" };
        lab.ok(&format!("{{update: 'c', updates: [{{q: {q}, {change}, {CI}}}]}}"));
    }
    lab.check("{find: 'c', filter: {_id: 5}}", "{'cursor.firstBatch.0.t': ['x', 'y']}");
    let delete = format!("{{delete: 'c', deletes: [{{q: {{s: 'FOO'}}, limit: 0, {CI}}}]}}");
    lab.check(&delete, "{n: 3}");
    lab.check(
        &format!(
            "{{bulkWrite: 1, nsInfo: [{{ns: 'test.c'}}], ops: [{{update: 0, filter: {{s: 'BAR'}}, \
             updateMods: {{$set: {{z: 1}}}}, {CI}}}, {{delete: 0, filter: {{s: 'BAR'}}, {CI}}}, \
             {{delete: 0, filter: {{t: 'X'}}}}]}}"
        ),
        "{nModified: 1, nDeleted: 1, nErrors: 0}",
    );
    lab.check(
        "{update: 'c', updates: [{q: {}, u: {$set: {a: 1}}, collation: {locale: 'xx'}}]}",
        "{n: 0, 'writeErrors.0.code': 2}",
    );
}

#[test]
fn a_collection_has_a_default() {
    let lab = Lab::new();
    lab.ok(&format!("{{create: 'c', {CI}, validator: {{s: {{$ne: 'BAD'}}}}}}"));
    lab.check(
        "{listCollections: 1}",
        &format!("{{'cursor.firstBatch.0.options.collation': {FULL}}}"),
    );
    lab.ok("{createIndexes: 'c', indexes: [{key: {s: 1}, name: 's'}, \
            {key: {t: 1}, name: 't', collation: {locale: 'simple'}}, {key: {u: 1}, name: 'u', v: 1}]}");
    let lab = lab.reopened();
    lab.check(
        "{listIndexes: 'c'}",
        &format!(
            "{{'cursor.firstBatch.0.collation': {FULL}, 'cursor.firstBatch.1.collation': {FULL}, \
             '-cursor.firstBatch.2.collation': 0, '-cursor.firstBatch.3.collation': 0}}"
        ),
    );
    lab.ok(
        "{insert: 'c', documents: [{_id: 'x', s: 'foo'}, {_id: 1, s: 'FOO'}, {_id: 2, s: 'bar'}]}",
    );
    lab.check("{insert: 'c', documents: [{_id: 'X'}]}", "{'writeErrors.0.code': 11000}");
    lab.check("{insert: 'c', documents: [{_id: 9, s: 'bad'}]}", "{'writeErrors.0.code': 121}");
    lab.check("{count: 'c', query: {s: 'Foo'}}", "{n: 2}");
    lab.check("{count: 'c', query: {s: 'Foo'}, collation: {locale: 'simple'}}", "{n: 0}");
    lab.check("{find: 'c', filter: {_id: 'X'}}", "{'cursor.firstBatch.0.s': 'foo'}");
    lab.check("{distinct: 'c', key: 's'}", "{values: ['bar', 'foo']}");
    lab.check("{update: 'c', updates: [{q: {s: 'BAR'}, u: {$set: {n: 1}}}]}", "{nModified: 1}");
    lab.check(
        "{aggregate: 'c', pipeline: [{$match: {s: 'Foo'}}, {$count: 'n'}], cursor: {}}",
        "{'cursor.firstBatch': [{n: 2}]}",
    );
    lab.check(
        "{bulkWrite: 1, nsInfo: [{ns: 'test.c'}], ops: [{delete: 0, filter: {_id: 'X'}}]}",
        "{nDeleted: 1}",
    );
    lab.check("{validate: 'c'}", "{valid: true}");
    lab.ok(&format!("{{create: 'c', {CI}, validator: {{s: {{$ne: 'BAD'}}}}}}"));
    lab.check("{create: 'c', collation: {locale: 'de'}}", "{code: 48}");
    lab.check("{create: 'd', collation: {}}", "{code: 40414}");
    lab.check("{create: 'd', collation: {locale: 'en', version: '1'}}", "{code: 161}");
    lab.check(
        "{createIndexes: 'c', indexes: [{key: {_id: 1}, name: '_id_', collation: {locale: 'de'}}]}",
        "{code: 2}",
    );
}

#[test]
fn a_view_has_its_own() {
    let lab = with_words();
    lab.ok(&format!("{{create: 'v', viewOn: 'c', pipeline: [{{$match: {{s: 'foo'}}}}], {CI}}}"));
    assert_eq!(ids(&lab, "{find: 'v', sort: {_id: 1}}"), [1, 2, 4]);
    lab.check("{count: 'v', query: {s: 'X'}}", "{n: 1}");
    lab.check(&format!("{{count: 'v', {CI}}}"), "{n: 3}");
    lab.check("{find: 'v', collation: {locale: 'simple'}}", "{code: 167}");
    lab.ok("{create: 'w', viewOn: 'c', pipeline: [{$match: {s: 'foo'}}]}");
    assert_eq!(ids(&lab, "{find: 'w'}"), [1]);
    lab.check(&format!("{{find: 'w', {CI}}}"), "{code: 167}");
}

#[test]
fn an_index_answers_text_only_in_its_collation() {
    let lab = with_words();
    lab.ok(&format!("{{createIndexes: 'c', indexes: [{{key: {{s: 1}}, name: 'ci', {CI}}}]}}"));
    let reads = |rest: &str| stage(&lab, &format!("{{find: 'c', {rest}}}"));
    let uses = |rest: &str, expected: bool| {
        let shown = reads(rest);
        assert_eq!(shown.contains("IXSCAN"), expected, "{rest}: {shown}");
    };
    uses(&format!("filter: {{s: 'foo'}}, {CI}"), true);
    uses("filter: {s: 'foo'}", false);
    uses("filter: {s: 'foo'}, collation: {locale: 'en'}", false);
    uses("filter: {s: /^foo/}", false);
    uses(&format!("filter: {{s: /^foo/}}, {CI}"), false);
    uses("filter: {s: {a: 'x'}}", false);
    uses("filter: {s: {$in: [1, 'x']}}", false);
    uses("filter: {s: 5}", true);
    uses("filter: {s: {a: 5}}", true);
    uses("filter: {s: {$gt: 5}}, collation: {locale: 'de'}", true);
    lab.ok(&format!("{{createIndexes: 'one', indexes: [{{key: {{s: 1}}, name: 'ci', {CI}}}]}}"));
    let sorts = |rest: &str, expected: bool| {
        let shown = stage(&lab, &format!("{{find: 'one', sort: {{s: 1}}, {rest}}}"));
        assert_eq!(!shown.contains("SORT"), expected, "{rest}: {shown}");
    };
    sorts(CI, true);
    sorts("hint: 'ci'", false);
    let shown = reads(&format!("filter: {{s: 'foo'}}, {CI}"));
    assert!(shown.contains("CollationKey(0x"), "{shown}");
    assert!(shown.contains("\"version\": \"57.1\""), "{shown}");
    for query in ["{s: 'foo'}", "{s: {$gte: 'BAR', $lt: 'FOOL'}}", "{s: {$in: ['X', 'BAR']}}"] {
        let scan = format!("{{find: 'c', filter: {query}, hint: {{$natural: 1}}, {CI}}}");
        let index = format!("{{find: 'c', filter: {query}, hint: 'ci', sort: {{_id: 1}}, {CI}}}");
        assert_eq!(ids(&lab, &scan), ids(&lab, &index), "{query}");
    }
    // An index of another collation is read whole.
    assert_eq!(ids(&lab, "{find: 'c', filter: {s: 'foo'}, hint: 'ci'}"), [1]);
}

#[test]
fn indexes_of_one_key_differ_by_collation() {
    let lab = with_words();
    let create = |name: &str, rest: &str| {
        format!("{{createIndexes: 'c', indexes: [{{key: {{s: 1}}, name: '{name}', {rest}}}]}}")
    };
    lab.ok(&create("ci", CI));
    lab.ok(&create("de", "collation: {locale: 'de'}"));
    lab.check(&create("plain", "sparse: false"), "{numIndexesAfter: 4}");
    lab.check(&create("ci", CI), "{note: 'all indexes already exist'}");
    lab.check(
        &create("ci", "collation: {locale: 'en', strength: 2, caseLevel: false}"),
        "{numIndexesAfter: 4}",
    );
    lab.check(&create("ci", "collation: {locale: 'fr'}"), "{code: 86}");
    lab.check(&create("other", CI), "{code: 85}");
    lab.check("{dropIndexes: 'c', index: {s: 1}}", "{code: 181}");
    lab.check("{collMod: 'c', index: {keyPattern: {s: 1}, hidden: true}}", "{code: 181}");
    // A hint by key means the one of the query's collation.
    let shown = stage(&lab, &format!("{{find: 'c', filter: {{s: 'x'}}, hint: {{s: 1}}, {CI}}}"));
    assert!(shown.contains("\"indexName\": \"ci\""), "{shown}");
    lab.ok("{dropIndexes: 'c', index: 'ci'}");
}

#[test]
fn a_unique_index_takes_equal_text_for_duplicates() {
    let lab = Lab::new();
    lab.ok(&format!(
        "{{createIndexes: 'c', indexes: [{{key: {{name: 1, n: 1}}, name: 'u', unique: true, {CI}}}]}}"
    ));
    lab.ok("{insert: 'c', documents: [{_id: 1, name: 'a', n: 1}, {_id: 2, name: 'á', n: 1}]}");
    let reply = lab.run("{insert: 'c', documents: [{_id: 3, name: 'A', n: 1}]}").to_string();
    let expected = "E11000 duplicate key error collection: test.c index: u collation: { locale: \"en\", \
                    caseLevel: false, caseFirst: \"off\", strength: 2, numericOrdering: false, \
                    alternate: \"non-ignorable\", maxVariable: \"punct\", normalization: false, \
                    backwards: false, version: \"57.1\" } dup key: { name: \"CollationKey(0x";
    assert!(reply.contains(expected), "{reply}");
    lab.check(
        "{update: 'c', updates: [{q: {_id: 2}, u: {$set: {name: 'A'}}}]}",
        "{'writeErrors.0.code': 11000}",
    );
    // Also where keys are cut.
    let long = "y".repeat(600);
    lab.ok(&format!("{{insert: 'c', documents: [{{_id: 5, name: '{long}z'}}]}}"));
    lab.ok(&format!("{{insert: 'c', documents: [{{_id: 6, name: '{long}x'}}]}}"));
    lab.check(
        &format!("{{insert: 'c', documents: [{{_id: 7, name: '{long}Z'}}]}}"),
        "{'writeErrors.0.code': 11000}",
    );
    lab.check("{validate: 'c', full: true}", "{valid: true}");
    lab.ok("{insert: 'd', documents: [{_id: 1, s: 'a'}, {_id: 2, s: 'A'}]}");
    lab.check(
        &format!(
            "{{createIndexes: 'd', indexes: [{{key: {{s: 1}}, name: 'u', unique: true, {CI}}}]}}"
        ),
        "{code: 11000}",
    );
}

#[test]
fn a_partial_index_has_the_collation_in_its_filter() {
    let lab = with_words();
    lab.ok(&format!(
        "{{createIndexes: 'c', indexes: [{{key: {{s: 1}}, name: 'p', \
         partialFilterExpression: {{s: {{$gte: 'FOO'}}}}, {CI}}}]}}"
    ));
    lab.check("{validate: 'c'}", "{'keysPerIndex.p': 4}");
    let uses = |rest: &str| stage(&lab, &format!("{{find: 'c', {rest}}}")).contains("IXSCAN");
    assert!(uses(&format!("filter: {{s: 'foo'}}, {CI}")));
    assert!(!uses(&format!("filter: {{s: 'bar'}}, {CI}")));
    assert!(!uses("filter: {s: 'foo'}"));
    lab.check(&format!("{{count: 'c', query: {{s: 'foo'}}, {CI}}}"), "{n: 3}");
}

#[test]
fn a_ttl_index_works_the_same() {
    let lab = Lab::new();
    lab.ok(&format!(
        "{{createIndexes: 'c', indexes: [{{key: {{at: 1}}, name: 'a', expireAfterSeconds: 60, {CI}, \
         partialFilterExpression: {{s: 'GONE'}}}}, {{key: {{at: 1}}, name: 'b', \
         expireAfterSeconds: 3600}}]}}"
    ));
    lab.ok("{insert: 'c', documents: [{_id: 1, at: ISODate('2023-12-31T23:58:00Z'), s: 'gone'}, \
            {_id: 2, at: ISODate('2023-12-31T23:58:00Z'), s: 'x'}, \
            {_id: 3, at: ISODate('2023-12-31T22:58:00Z')}]}");
    lab.ok("{mayflyReap: 1}");
    assert_eq!(ids(&lab, "{find: 'c'}"), [2]);
    lab.check(
        "{collMod: 'c', index: {name: 'a', expireAfterSeconds: 30}}",
        "{expireAfterSeconds_new: 30}",
    );
    lab.check("{listIndexes: 'c'}", &format!("{{'cursor.firstBatch.1.collation': {FULL}}}"));
}

#[test]
fn merge_wants_an_index_of_the_same_collation() {
    let lab = with_words();
    lab.ok("{createIndexes: 'd', indexes: [{key: {s: 1}, name: 's', unique: true}]}");
    let merge = |rest: &str| {
        format!(
            "{{aggregate: 'c', pipeline: [{{$match: {{n: 1}}}}, {{$merge: {{into: 'd', on: 's'}}}}], \
             cursor: {{}}, {rest}}}"
        )
    };
    lab.check(&merge(CI), "{code: 51183}");
    lab.ok(&merge("allowDiskUse: true"));
}

#[test]
fn refusals_have_mongodbs_numbers() {
    let lab = with_words();
    for (collation, code) in [
        ("1", 14),
        ("{strength: 1}", 40414),
        ("{locale: 1}", 14),
        ("{locale: ''}", 2),
        ("{locale: 'xx'}", 2),
        ("{locale: 'en', x: 1}", 40415),
        ("{locale: 'en', version: '60'}", 161),
        ("{locale: 'se'}", 238),
    ] {
        for command in [
            "find: 'c'",
            "count: 'c'",
            "distinct: 'c', key: 's'",
            "aggregate: 'c', pipeline: [], cursor: {}",
            "findAndModify: 'c', remove: true",
        ] {
            let command = format!("{{{command}, collation: {collation}}}");
            lab.check(&command, &format!("{{code: {code}}}"));
        }
    }
}
