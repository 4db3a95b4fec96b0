//! An index can never change an answer.

use bson::{Bson, Document, doc};
use proptest::prelude::*;

use crate::command::testing::{Lab, at};

/// Values that interact: numbers of all types, missing values, strings, dates, arrays, documents.
fn value() -> impl Strategy<Value = Bson> {
    let scalar = prop_oneof![
        (-2..4_i32).prop_map(Bson::Int32),
        (-2..4_i64).prop_map(Bson::Int64),
        prop_oneof![Just(f64::NAN), Just(f64::NEG_INFINITY), Just(1.0), Just(1.5), Just(-0.0)]
            .prop_map(Bson::Double),
        prop_oneof![Just("1"), Just("1.50"), Just("NaN"), Just("-Infinity"), Just("1E-6000")]
            .prop_map(|text| Bson::Decimal128(text.parse().expect("a decimal"))),
        prop_oneof![Just(""), Just("a"), Just("ab"), Just("b\0c")].prop_map(Bson::from),
        (0..2_usize).prop_map(|tail| Bson::from(format!("{}{tail}", "x".repeat(500)))),
        (-2..3_i64).prop_map(|ms| Bson::DateTime(bson::DateTime::from_millis(ms))),
        any::<bool>().prop_map(Bson::Boolean),
        Just(Bson::Null),
        Just(Bson::MinKey),
        Just(Bson::MaxKey),
    ];
    scalar.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Bson::Array),
            ("[xy]", inner).prop_map(|(name, value)| Bson::Document(doc! { name: value })),
        ]
    })
}

fn document() -> impl Strategy<Value = Document> {
    let field = || proptest::option::weighted(0.8, value());
    (field(), field()).prop_map(|(a, b)| {
        let mut document = Document::new();
        document.extend(a.map(|value| ("a".to_owned(), value)));
        document.extend(b.map(|value| ("b".to_owned(), value)));
        document
    })
}

fn test() -> impl Strategy<Value = Bson> {
    let one = |name: &'static str| value().prop_map(move |value| doc! { name: value }.into());
    prop_oneof![
        2 => one("$eq"),
        1 => one("$gt"),
        1 => one("$gte"),
        1 => one("$lt"),
        1 => one("$lte"),
        1 => one("$ne"),
        1 => (value(), value()).prop_map(|(a, b)| doc! { "$gte": a, "$lt": b }.into()),
        2 => proptest::collection::vec(value(), 0..4)
            .prop_map(|values| doc! { "$in": values }.into()),
        1 => any::<bool>().prop_map(|exists| doc! { "$exists": exists }.into()),
        1 => Just(doc! { "$regex": "^a" }.into()),
        1 => one("$all").prop_map(|all: Bson| match all {
            Bson::Document(all) => doc! { "$all": [all.get("$all").cloned().unwrap_or(Bson::Null)] }.into(),
            other => other,
        }),
        1 => (value(), value())
            .prop_map(|(a, b)| doc! { "$elemMatch": { "$gte": a, "$lte": b } }.into()),
    ]
}

fn filter() -> impl Strategy<Value = Document> {
    let path = || prop_oneof![3 => Just("a"), 3 => Just("b"), 1 => Just("a.x"), 1 => Just("a.y")];
    proptest::collection::vec((path(), test()), 0..3).prop_map(|tests| {
        let parts: Vec<Document> =
            tests.into_iter().map(|(path, test)| doc! { path: test }).collect();
        if parts.is_empty() {
            doc! {}
        } else {
            doc! { "$and": parts }
        }
    })
}

const SORTS: &[&str] =
    &["{}", "{a: 1}", "{a: -1}", "{a: 1, b: 1}", "{b: 1, a: -1}", "{a: -1, b: 1}"];

const INDEXES: &str = "{createIndexes: 'c', indexes: [
    {key: {a: 1}, name: 'a_1'}, {key: {a: -1}, name: 'a_-1'},
    {key: {a: 1, b: 1}, name: 'ab'}, {key: {b: 1, a: -1}, name: 'ba'},
    {key: {'a.x': 1, 'a.y': -1}, name: 'axy'},
    {key: {b: 1}, name: 'sparse', sparse: true},
    {key: {b: -1}, name: 'partial', partialFilterExpression: {a: {$gt: 0}}}]}";

/// Compares sort keys, not `_id`s: equal keys may come in any order.
fn found(
    lab: &Lab,
    filter: &Document,
    sort: &Document,
    hint: Option<Bson>,
) -> (Vec<String>, Vec<String>) {
    let mut command =
        doc! { "find": "c", "filter": filter.clone(), "sort": sort.clone(), "batchSize": 1000 };
    command.extend(hint.map(|hint| ("hint".to_owned(), hint)));
    let reply = lab.run_document(&command);
    let Some(Bson::Array(batch)) = at(&reply, "cursor.firstBatch") else {
        panic!("{command}: {reply}")
    };
    let documents: Vec<&Document> = batch.iter().filter_map(Bson::as_document).collect();
    let parsed = crate::query::Sort::parse(&bson::RawDocumentBuf::try_from(sort).expect("a sort"));
    let keys = parsed.expect("a sort").map_or(Vec::new(), |sort| {
        let key = |document: &&Document| {
            format!("{:?}", sort.key(&bson::RawDocumentBuf::try_from(*document).expect("raw")))
        };
        documents.iter().map(key).collect()
    });
    let mut ids: Vec<String> = documents
        .iter()
        .map(|document| document.get("_id").map_or_else(String::new, Bson::to_string))
        .collect();
    ids.sort();
    (ids, keys)
}

/// The result of `count` and `$count`, which must be equal.
fn counted(lab: &Lab, filter: &Document, hint: Option<&str>) -> usize {
    let mut count = doc! { "count": "c", "query": filter.clone() };
    let pipeline = vec![doc! { "$match": filter.clone() }, doc! { "$count": "n" }];
    let mut aggregate = doc! { "aggregate": "c", "pipeline": pipeline, "cursor": {} };
    for command in [&mut count, &mut aggregate] {
        command.extend(hint.map(|hint| ("hint".to_owned(), Bson::from(hint))));
    }
    let n = |reply: &Document, path: &str| match at(reply, path) {
        Some(Bson::Int32(n)) => usize::try_from(n).expect("no negative count"),
        _ => 0,
    };
    let (reply, found) = (lab.run_document(&count), lab.run_document(&aggregate));
    let total = n(&reply, "n");
    assert_eq!(total, n(&found, "cursor.firstBatch.0.n"), "{count}: {reply} {found}");
    total
}

/// The stages of a count, and its result.
#[track_caller]
fn check_count(lab: &Lab, query: &str, stages: &str, n: i32) {
    let reply =
        lab.ok(&format!("{{explain: {{count: 'c', {query}}}, verbosity: 'executionStats'}}"));
    let mut names = Vec::new();
    let mut path = "queryPlanner.winningPlan".to_owned();
    while let Some(Bson::String(name)) = at(&reply, &format!("{path}.stage")) {
        names.push(name);
        path.push_str(".inputStage");
    }
    assert_eq!(names.join(" "), stages, "{query}");
    let examined = at(&reply, "executionStats.totalDocsExamined");
    let is_read = stages.contains("FETCH") || stages.contains("COLLSCAN");
    assert!(is_read || examined == Some(Bson::Int32(0)), "{query}: {examined:?}");
    lab.check(&format!("{{count: 'c', {query}}}"), &format!("{{n: {n}}}"));
}

#[test]
fn counts_look_at_entries_alone_where_bounds_say_all() {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}, \
            {key: {b: 1, a: -1}, name: 'ba'}, {key: {d: 1}, name: 'd', sparse: true}, \
            {key: {e: 1}, name: 'e', partialFilterExpression: {a: {$gt: 2}}}]}");
    lab.ok("{insert: 'c', documents: [{a: 1, b: 1, d: 1, e: 1}, {a: 2.0, b: 1}, \
            {a: NumberLong(3), b: 'x', e: 1}, {a: NumberDecimal('4'), e: 2}, {a: NaN}, {a: 'x'}, \
            {a: null}, {}]}");
    let check = |query, stages, n| check_count(&lab, query, stages, n);
    check("query: {a: {$gt: 1}}", "COUNT COUNT_SCAN", 3);
    check("query: {a: {$lt: 3}}", "COUNT COUNT_SCAN", 2);
    check("query: {a: {$gte: 2, $lt: 4}}", "COUNT COUNT_SCAN", 2);
    check("query: {a: {$gt: 4, $lt: 2}}", "COUNT COUNT_SCAN", 0);
    check("query: {a: {$gt: 0}}, skip: 1, limit: 2", "COUNT COUNT_SCAN", 2);
    check("query: {a: {$gt: 0}}, skip: 9", "COUNT COUNT_SCAN", 0);
    check("query: {a: {$in: [1, 1.0, 'x', 9]}}", "COUNT IXSCAN", 2);
    check("query: {b: 1, a: {$lt: 2}}", "COUNT COUNT_SCAN", 1);
    check("query: {b: 1}", "COUNT COUNT_SCAN", 2);
    check("query: {d: {$gt: 0}}", "COUNT COUNT_SCAN", 1);
    check("query: {}, hint: 'd'", "COUNT COUNT_SCAN", 1);
    check("query: {a: {$gt: 2}, e: 1}, hint: 'e'", "COUNT FETCH IXSCAN", 1);
    check("query: {}, hint: 'e'", "COUNT COUNT_SCAN", 2);
    // The filter says more than the bounds.
    check("query: {a: {$gt: 1, $ne: 2}}", "COUNT FETCH IXSCAN", 2);
    check("query: {a: {$gt: 1, $gte: 3}}", "COUNT FETCH IXSCAN", 2);
    check("query: {a: null}", "COUNT FETCH IXSCAN", 2);
    check("query: {a: NaN}", "COUNT FETCH IXSCAN", 1);
    check("query: {a: {$gt: 1}, c: null}", "COUNT FETCH IXSCAN", 3);
    check("query: {a: {$regex: '^x'}}", "COUNT FETCH IXSCAN", 1);
    // The first array gives a document several entries.
    lab.ok("{insert: 'c', documents: [{a: [1, 2, 3]}]}");
    check("query: {a: {$gt: 1}}", "COUNT FETCH IXSCAN", 4);
}

#[test]
fn counts_do_not_see_what_is_hidden() {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}, \
            {key: {_ts: 1}, name: 'ts', expireAfterSeconds: 10}]}");
    lab.ok("{insert: 'c', documents: [{a: 1}, {a: 2, ttl: 1000}]}");
    lab.check("{count: 'c', query: {a: {$gt: 0}}}", "{n: 2}");
    lab.engine.simulated_clock().expect("a clock").advance_ms(20_000);
    lab.check("{count: 'c', query: {a: {$gt: 0}}}", "{n: 1}");
}

/// Strings of one length that differ after the bytes an index keeps, read three at a time.
#[test]
fn long_texts_come_in_order_over_several_batches() {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}");
    let documents: Vec<Document> = (0..20_i32)
        .map(|id| doc! { "_id": id, "a": format!("{}{:02}", "x".repeat(600), id * 7 % 20) })
        .chain([doc! { "_id": 20, "a": "a" }, doc! { "_id": 21, "a": "z" }])
        .collect();
    lab.run_document(&doc! { "insert": "c", "documents": documents });
    for (direction, first) in [(1, "a"), (-1, "z")] {
        let command = doc! {
            "find": "c", "sort": { "a": direction }, "hint": "a_1", "batchSize": 3,
        };
        let mut reply = lab.run_document(&command);
        let mut texts = Vec::new();
        let mut batch = "cursor.firstBatch";
        loop {
            let Some(Bson::Array(documents)) = at(&reply, batch) else { panic!("{reply}") };
            let text =
                |document: &Bson| document.as_document()?.get_str("a").ok().map(str::to_owned);
            texts.extend(documents.iter().filter_map(text));
            let Some(Bson::Int64(cursor)) = at(&reply, "cursor.id") else { panic!("{reply}") };
            if cursor == 0 {
                break;
            }
            reply = lab.run_document(&doc! {
                "getMore": cursor, "collection": "c", "batchSize": 3,
            });
            batch = "cursor.nextBatch";
        }
        assert_eq!(texts.len(), 22);
        assert_eq!(texts.first().map(String::as_str), Some(first));
        let mut sorted = texts.clone();
        sorted.sort();
        if direction < 0 {
            sorted.reverse();
        }
        assert_eq!(texts, sorted);
    }
}

#[test]
fn the_first_array_under_a_cursor_is_given_once() {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}]}");
    lab.ok("{insert: 'c', documents: [{_id: 1, a: 1}, {_id: 2, a: 2}]}");
    let reply = lab.ok("{find: 'c', filter: {a: {$gt: 0}}, batchSize: 1}");
    let Some(Bson::Int64(cursor)) = at(&reply, "cursor.id") else { panic!("{reply}") };
    lab.ok("{insert: 'c', documents: [{_id: 3, a: [5, 6, 7]}]}");
    let reply = lab.run_document(&doc! { "getMore": cursor, "collection": "c" });
    let Some(Bson::Array(batch)) = at(&reply, "cursor.nextBatch") else { panic!("{reply}") };
    let ids: Vec<_> = batch.iter().filter_map(|one| at(one.as_document()?, "_id")).collect();
    assert_eq!(ids, [Bson::Int32(2), Bson::Int32(3)]);
}

/// The chosen index and the named ones find the same documents as no index.
#[track_caller]
fn check_same(lab: &Lab, filter: &Document, hints: &[&str]) {
    let whole = found(lab, filter, &doc! {}, Some(doc! { "$natural": 1 }.into()));
    for hint in std::iter::once(None).chain(hints.iter().map(|hint| Some(Bson::from(*hint)))) {
        let by_index = found(lab, filter, &doc! {}, hint.clone());
        assert_eq!(by_index, whole, "{hint:?}: {filter}");
    }
}

#[test]
fn what_is_missing_at_a_position_is_found() {
    let check = |options: &str, hints: &[&str]| {
        for (path, more) in [("a.0.b", ""), ("a.0", ""), ("a.0.b", ", c: 1"), ("a.0.b.0", "")] {
            let lab = Lab::new();
            lab.ok(&format!(
                "{{createIndexes: 'c', indexes: \
                 [{{key: {{'{path}': 1{more}}}, name: 'i'{}}}]}}",
                options.replace("PATH", path)
            ));
            lab.ok(
                "{insert: 'c', documents: [{}, {a: null}, {a: 1}, {a: []}, {a: [1]}, {a: [null]}, \
                    {a: [{}]}, {a: [{b: 1}]}, {a: [{b: null}]}, {a: [{b: []}]}, {a: [{b: [1]}]}, \
                    {a: [{b: 2}, {}]}, {a: [{b: 1}, {'0': {b: 1}}]}, {a: [{'0': {b: 1}}]}, \
                    {a: [[{b: 1}]]}, {a: {'0': {b: 1}}}, {a: {'0': 5}}, {a: [{b: [{}, 1]}]}]}",
            );
            for test in [
                "null",
                "{$in: [null]}",
                "{$in: [1, null]}",
                "{$in: [1, 2]}",
                "{$exists: false}",
                "{$exists: true}",
                "{$ne: 1}",
                "{$ne: null}",
                "{$nin: [1]}",
                "{$nin: [null]}",
                "{$not: {$gt: 1}}",
                "{$gte: null}",
                "{$lte: null}",
                "{$gt: {$minKey: 1}}",
                "1",
                "{$gte: 1, $lt: 3}",
            ] {
                let filter = crate::value::shell::read_document(&format!("{{'{path}': {test}}}"));
                check_same(&lab, &filter.expect(test), hints);
            }
        }
    };
    check("", &["i"]);
    check(", sparse: true", &[]);
    check(", partialFilterExpression: {'PATH': {$exists: true}}", &[]);
}

/// The terminator of a string is at the last byte that a key keeps, and around it.
#[test]
fn a_prefix_as_long_as_a_key_finds_longer_texts() {
    let lab = Lab::new();
    lab.ok(
        "{createIndexes: 'c', indexes: [{key: {a: 1}, name: 'a_1'}, {key: {a: -1}, name: 'a_-1'}, \
            {key: {b: 1, a: 1}, name: 'ba'}, {key: {b: -1, a: -1}, name: 'ba_-1'}]}",
    );
    let lengths = 425..=446;
    let starts = |length: usize| ["x".repeat(length), format!("{}\u{1}", "x".repeat(length - 1))];
    let mut id = 0;
    for length in lengths.clone() {
        let texts = starts(length).into_iter().flat_map(|start| {
            ["", "\0", "\u{1}", "y", "yyyyyyyyyyyyyyyyyyyyyyyy"]
                .map(|tail| format!("{start}{tail}"))
        });
        let documents: Vec<Document> = texts
            .map(|text| {
                id += 1;
                doc! { "_id": id, "b": 1, "a": text }
            })
            .collect();
        lab.run_document(&doc! { "insert": "c", "documents": documents });
    }
    for start in lengths.flat_map(starts) {
        let filter = doc! { "a": { "$regex": format!("^{start}") } };
        check_same(&lab, &filter, &["a_1", "a_-1"]);
        let filter = doc! { "b": 1, "a": { "$regex": format!("^{start}") } };
        check_same(&lab, &filter, &["ba", "ba_-1"]);
    }
}

#[test]
fn long_lists_of_values_are_looked_up() {
    let lab = Lab::new();
    lab.ok("{createIndexes: 'c', indexes: [{key: {a: 1, b: 1}, name: 'ab'}]}");
    let documents: Vec<Document> =
        (0..300).map(|id| doc! { "_id": id, "a": f64::from(id * 7), "b": id % 2 }).collect();
    lab.run_document(&doc! { "insert": "c", "documents": documents });
    let list = |count: i32| doc! { "$in": (0..count).rev().collect::<Vec<_>>() };
    let check = |filter: Document, stage: &str, bounds_of_b: &str, examined: i32| {
        check_same(&lab, &filter, &[]);
        let reply = lab.run_document(&doc! {
            "explain": { "find": "c", "filter": filter }, "verbosity": "executionStats",
        });
        let value =
            |path: &str| at(&reply, path).map_or_else(String::new, |value| value.to_string());
        let plan = "queryPlanner.winningPlan";
        let found = [
            value(&format!("{plan}.inputStage.stage")),
            value(&format!("{plan}.inputStage.indexBounds.b.0")),
            value("executionStats.totalDocsExamined"),
        ];
        let text = |text: &str| {
            if text.is_empty() { String::new() } else { Bson::from(text).to_string() }
        };
        assert_eq!(found, [text(stage), text(bounds_of_b), examined.to_string()]);
    };
    let everything = "[MinKey, MaxKey]";
    check(doc! { "a": list(1_400) }, "IXSCAN", everything, 200);
    check(doc! { "a": list(1_400), "b": 1 }, "IXSCAN", "[1, 1]", 100);
    check(doc! { "a": list(1_400), "b": list(2) }, "IXSCAN", everything, 200);
    check(doc! { "a": 7, "b": list(1_400) }, "IXSCAN", "[0, 0]", 1);
    check(doc! { "_id": list(5_000) }, "IXSCAN", "", 300);
    check(doc! { "a": list(100_001) }, "", "", 300);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn every_way_gives_the_answer_of_the_whole_scan(
        documents in proptest::collection::vec(document(), 1..24),
        queries in proptest::collection::vec((filter(), 0..SORTS.len()), 24),
    ) {
        let lab = Lab::new();
        lab.ok(INDEXES);
        for (id, document) in documents.iter().enumerate() {
            let mut with_id = doc! { "_id": i32::try_from(id).expect("small") };
            with_id.extend(document.clone());
            // Compound indexes refuse arrays in both fields, which does not matter here.
            lab.run_document(&doc! { "insert": "c", "documents": [with_id] });
        }
        for (filter, sort) in &queries {
            let sort = crate::value::shell::read_document(SORTS[*sort]).expect("a sort");
            let whole = found(&lab, filter, &sort, Some(doc! { "$natural": 1 }.into()));
            prop_assert_eq!(&found(&lab, filter, &sort, None), &whole, "chosen: {} {}", filter, sort);
            for name in ["a_1", "a_-1", "ab", "ba", "axy", "_id_"] {
                let hinted = found(&lab, filter, &sort, Some(name.into()));
                prop_assert_eq!(&hinted, &whole, "{}: {} {}", name, filter, sort);
            }
            let total = whole.0.len();
            for hint in [None, Some("a_1"), Some("a_-1"), Some("ab"), Some("ba"), Some("axy")] {
                prop_assert_eq!(counted(&lab, filter, hint), total, "{:?}: {}", hint, filter);
            }
        }
    }
}

#[test]
fn a_clustered_collection_is_read_in_the_order_of_its_key() {
    let lab = Lab::new();
    lab.ok("{create: 'k', clusteredIndex: {key: {_id: 1}, unique: true}}");
    lab.ok("{insert: 'k', documents: [{_id: 3}, {_id: 'b'}, {_id: 1}, {_id: 'a'}, {_id: 2}]}");
    let ordered = |command: &str, expected: &str| {
        let batch = if expected.is_empty() { "[]" } else { expected };
        lab.check(command, &format!("{{'cursor.firstBatch': {batch}}}"));
    };
    let up = "[{_id: 1}, {_id: 2}, {_id: 3}, {_id: 'a'}, {_id: 'b'}]";
    let down = "[{_id: 'b'}, {_id: 'a'}, {_id: 3}, {_id: 2}, {_id: 1}]";
    ordered("{find: 'k'}", up);
    ordered("{find: 'k', sort: {$natural: 1}}", up);
    ordered("{find: 'k', hint: {$natural: -1}}", down);
    ordered("{aggregate: 'k', pipeline: [], cursor: {}}", up);
    ordered("{find: 'k', filter: {none: null}, limit: 2}", "[{_id: 1}, {_id: 2}]");
    let first = lab.ok("{find: 'k', batchSize: 2}");
    let id = first.get_document("cursor").and_then(|cursor| cursor.get_i64("id")).expect("open");
    let rest = lab.run_document(&bson::doc! { "getMore": id, "collection": "k" });
    let rest = rest.get_document("cursor").and_then(|cursor| cursor.get_array("nextBatch"));
    assert_eq!(rest.expect("a batch").len(), 3);
    lab.check("{count: 'k'}", "{n: 5}");
    lab.check(
        "{createIndexes: 'k', indexes: [{key: {a: 1}, name: 'a'}]}",
        "{numIndexesBefore: 0, numIndexesAfter: 1}",
    );
    lab.check("{dropIndexes: 'k', index: 'a'}", "{nIndexesWas: 1}");
}
