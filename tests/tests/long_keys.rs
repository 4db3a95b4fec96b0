//! Text longer than LMDB's keys is sorted, found and kept unique like short text.
//!
//! `MAYFLY_TEST_COUNT` sets the number of texts, `MAYFLY_TEST_SEED` which they are.

use std::collections::BTreeSet;

use bson::{Document, doc};
use mayfly_engine::engine::Engine;
use mayfly_tests::random::{self, Random};
use mayfly_tests::store::{find_all, open_paused, run};

const DB: &str = "d";

/// Bytes of the longest text, and the longest prefix that it shares with others.
const LONGEST: usize = 5_000;
const SHARED: usize = 600;

/// Ranges that are asked for.
const RANGES: usize = 100;

/// A text with a common prefix. More of them are near the length of a key.
fn text(random: &mut Random) -> String {
    let shared = [random.below(SHARED), 420 + random.below(40), SHARED][random.below(3)];
    let len =
        [random.below(LONGEST), shared, shared + random.below(3)][random.below(3)].max(shared);
    let mut text = "x".repeat(shared);
    while text.len() < len {
        text.push(*random.pick(&['a', 'b', 'x', 'y', '\u{1}', '~']));
    }
    text
}

/// The texts that a query returns, in its order.
fn found(engine: &Engine, collection: &str, filter: Document, order: i32) -> Vec<String> {
    let pipeline = vec![doc! { "$match": filter }, doc! { "$sort": { "a": order } }];
    let command =
        doc! { "aggregate": collection, "pipeline": pipeline, "hint": "a_1", "cursor": {} };
    let mut reply = run(engine, DB, &command);
    let mut texts = Vec::new();
    loop {
        let cursor = reply.get_document("cursor").expect("a cursor").clone();
        let batch = cursor.get_array("firstBatch").or_else(|_| cursor.get_array("nextBatch"));
        let rows = batch.expect("a batch").iter().filter_map(|row| row.as_document());
        texts.extend(rows.map(|row| row.get_str("a").expect("a text").to_owned()));
        match cursor.get_i64("id").expect("an id") {
            0 => return texts,
            id => reply = run(engine, DB, &doc! { "getMore": id, "collection": collection }),
        }
    }
}

#[test]
fn long_texts_are_as_good_as_short_ones() {
    let seed = random::seed(20_261_124);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let engine = open_paused(&folder.path().join("store"), 0);
    for (collection, unique) in [("any", false), ("unique", true)] {
        let index = doc! { "key": { "a": 1 }, "name": "a_1", "unique": unique };
        run(&engine, DB, &doc! { "createIndexes": collection, "indexes": [index] });
    }
    let mut all: Vec<String> = (0..random::count(600)).map(|_| text(&mut random)).collect();
    // Some of them twice.
    all.extend(all.iter().step_by(5).cloned().collect::<Vec<_>>());
    let documents: Vec<Document> = all.iter().map(|text| doc! { "a": text }).collect();
    run(&engine, DB, &doc! { "insert": "any", "documents": &documents });
    let command = doc! { "insert": "unique", "documents": documents, "ordered": false };
    let reply = engine.run(DB, &command);
    let different: BTreeSet<String> = all.iter().cloned().collect();
    let refused = reply.get_array("writeErrors").map_or(0, Vec::len);
    assert_eq!(refused, all.len() - different.len());
    assert!(reply.to_string().contains("11000"), "a text that stands twice is a duplicate");

    let different: Vec<String> = different.into_iter().collect();
    all.sort_unstable();
    for (collection, expected) in [("any", &all), ("unique", &different)] {
        assert!(&found(&engine, collection, doc! {}, 1) == expected, "{collection}: the order");
        let backward: Vec<String> = expected.iter().rev().cloned().collect();
        assert!(found(&engine, collection, doc! {}, -1) == backward, "{collection}: backward");
        for range in 0..RANGES {
            let (low, high) = (random.pick(&all).clone(), text(&mut random));
            let within = |text: &&String| **text > low && **text <= high;
            let expected: Vec<String> = expected.iter().filter(within).cloned().collect();
            let filter = doc! { "a": { "$gt": &low, "$lte": &high } };
            assert!(found(&engine, collection, filter, 1) == expected, "{collection}: {range}");
            let equal = find_all(&engine, DB, collection, doc! { "a": &low }).len();
            let expected =
                if collection == "any" { all.iter().filter(|a| **a == low).count() } else { 1 };
            assert_eq!(equal, expected, "{collection}: {range}");
        }
        let checked = run(&engine, DB, &doc! { "validate": collection, "full": true });
        assert!(checked.get_bool("valid").unwrap_or(false), "{checked}");
    }
    engine.close().expect("the store closes");
}
