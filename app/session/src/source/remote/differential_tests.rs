//! Compares the engine's own answers with those to the same questions through the driver, over
//! random collections and rules. The store's clock is paused, and the driver's side reads it by
//! `hello`, so thresholds are seconds apart from the instant that is compared with now.

use std::sync::{Arc, LazyLock};

use bson::{Bson, DateTime, Document, doc};
use proptest::prelude::*;

use super::Remote;
use crate::job::server::SENT;
use crate::job::{Cancel, ConnectionString, OpenRequest, Sandbox};
use crate::source::{Source, embedded};

/// The store's time, in milliseconds since 1970.
const NOW_MS: i64 = 1_780_315_200_000;

const MINUTE_MS: i64 = 60_000;

struct Pair {
    engine: Arc<dyn Source>,
    remote: Remote,
}

/// One store for all cases. Each has another collection.
static PAIR: LazyLock<Pair> = LazyLock::new(|| {
    let request = OpenRequest {
        sandbox: Some(Sandbox::Empty),
        simulated_start_ms: Some(NOW_MS),
        ..OpenRequest::default()
    };
    let opened = embedded::opener()(&request).map_err(|error| error.message);
    let engine = opened.expect("a sandbox").source;
    let status = engine.run("admin", &doc! { "mayflyListen": 1, "on": true, "port": 0_i64 });
    let string = ConnectionString::read(status.get_str("uri").expect("an address"));
    let string = string.expect("a string");
    let remote = Remote::connect(&string, &Cancel::default(), &|_| ());
    Pair { engine, remote: remote.map_err(|failure| failure.sentence).expect("attached") }
});

/// A date at half a minute, so that a few seconds more or less change nothing.
fn date() -> impl Strategy<Value = Bson> {
    let near = (-3_000..3_000_i64).prop_map(|minutes| NOW_MS + minutes * MINUTE_MS + 30_000);
    let far = prop_oneof![Just(0), Just(-62_135_596_800_000), Just(253_402_300_799_999_i64)];
    prop_oneof![9 => near, 1 => far].prop_map(|ms| Bson::DateTime(DateTime::from_millis(ms)))
}

fn value() -> impl Strategy<Value = Option<Bson>> {
    prop_oneof![
        8 => date().prop_map(Some),
        2 => prop::collection::vec(date(), 0..4).prop_map(|dates| Some(Bson::Array(dates))),
        // A server sorts these by the number, and not by the date that counts.
        1 => (date(), date()).prop_map(|(one, other)| {
            Some(Bson::Array(vec![Bson::Int32(5), one, "x".into(), other, Bson::MaxKey]))
        }),
        1 => Just(None),
        1 => prop_oneof![
            Just(Bson::Null),
            Just(Bson::Int32(5)),
            Just(Bson::from("2026-01-01")),
            Just(Bson::Boolean(true)),
            Just(Bson::Array(vec![Bson::Int32(1)])),
            Just(Bson::Array(vec![Bson::Array(vec![DateTime::from_millis(NOW_MS).into()])])),
            Just(Bson::from(doc! { "in": DateTime::from_millis(NOW_MS) })),
        ]
        .prop_map(Some),
    ]
}

fn document() -> impl Strategy<Value = Document> {
    (value(), value(), value(), 0..2_i32).prop_map(|(a, b, c, p)| {
        let mut document = doc! { "p": p };
        document.extend(a.map(|a| ("a".to_owned(), a)));
        let inside = |b| match b {
            Bson::Array(all) if p > 0 => {
                let each = all.into_iter().map(|b| Bson::from(doc! { "b": b }));
                Bson::Array(each.chain([Bson::from(doc! { "other": 1 })]).collect())
            }
            b => doc! { "b": b }.into(),
        };
        document.extend(b.map(|b| ("n".to_owned(), inside(b))));
        document.extend(c.map(|c| ("c".to_owned(), c)));
        document
    })
}

/// A TTL index on this field.
fn index(field: &'static str) -> impl Strategy<Value = Document> {
    (prop_oneof![Just(1), Just(-1)], 0..500_i64, any::<bool>(), any::<bool>()).prop_map(
        move |(direction, minutes, is_partial, is_hidden)| {
            let mut index = doc! {
                "name": field.replace('.', "_"), "key": { field: direction },
                "expireAfterSeconds": minutes * 60,
            };
            if is_partial {
                index.insert("partialFilterExpression", doc! { "p": { "$gt": 0 } });
            }
            if is_hidden {
                index.insert("hidden", true);
            }
            index
        },
    )
}

fn indexes() -> impl Strategy<Value = Vec<Document>> {
    (prop::option::of(index("a")), prop::option::of(index("n.b")))
        .prop_map(|(a, b)| a.into_iter().chain(b).collect())
}

fn answer(source: &dyn Source, command: &Document) -> Document {
    let reply = source.run("test", command);
    assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{command}: {reply}");
    reply
}

/// All pages: threshold, index and `_id` of each row, with the pages' order checked.
fn rows(source: &dyn Source, mut command: Document) -> Vec<(i64, String, String)> {
    let mut rows = Vec::new();
    for _ in 0..1_000 {
        let reply = answer(source, &command);
        for row in reply.get_array("batch").expect("a batch").iter().filter_map(Bson::as_document) {
            let threshold = row.get_datetime("threshold").expect("a date").timestamp_millis();
            let index = row.get_str("index").expect("an index").to_owned();
            rows.push((threshold, index, row.get("_id").expect("an _id").to_string()));
        }
        let Ok(next) = reply.get_document("next") else {
            assert!(rows.is_sorted_by_key(|row| row.0), "{rows:?}");
            rows.sort();
            return rows;
        };
        command.insert("after", next.clone());
    }
    panic!("the pages never end");
}

/// A reply without what only one side tells.
fn told(mut reply: Document) -> Document {
    for field in ["ok", "exact", "totals", SENT, "latest", "operationTime", "$clusterTime"] {
        reply.remove(field);
    }
    reply
}

fn check(pair: &Pair, command: &Document) -> Result<(), TestCaseError> {
    let engine = told(answer(pair.engine.as_ref(), command));
    prop_assert_eq!(engine, told(answer(&pair.remote, command)), "{}", command);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn a_server_tells_what_the_engine_tells(
        documents in prop::collection::vec(document(), 1..40),
        indexes in indexes(),
        limit in 1..12_i64,
        span in (-3_000..3_000_i64, 1..3_000_i64),
        secs in 0..100_000_i64,
    ) {
        let pair = &*PAIR;
        // The driver's side is later by the time that the last case took.
        pair.remote.run("admin", &doc! { "hello": 1 });
        let name = bson::oid::ObjectId::new().to_hex();
        let numbered = documents.iter().zip(0_i32..).map(|(document, id)| {
            let mut numbered = doc! { "_id": id };
            numbered.extend(document.clone());
            numbered
        });
        let insert = doc! { "insert": &name, "documents": numbered.collect::<Vec<_>>() };
        answer(pair.engine.as_ref(), &insert);
        if !indexes.is_empty() {
            answer(pair.engine.as_ref(), &doc! { "createIndexes": &name, "indexes": indexes.clone() });
        }
        let at = |minutes: i64| DateTime::from_millis(NOW_MS + minutes * MINUTE_MS);
        let (from, to) = (at(span.0), at(span.0 + span.1));
        for command in [
            doc! { "mayflyExpiring": &name, "limit": limit },
            doc! { "mayflyExpiring": &name, "limit": limit, "from": from, "to": to },
        ] {
            let engine = rows(pair.engine.as_ref(), command.clone());
            prop_assert_eq!(engine, rows(&pair.remote, command.clone()), "{}", command);
        }
        check(pair, &doc! { "mayflyForecast": &name, "from": from, "to": to, "buckets": 7 })?;
        for id in 0..i32::try_from(documents.len()).unwrap_or(0) {
            check(pair, &doc! { "mayflyVerdict": &name, "id": id })?;
        }
        let ids: Vec<i32> = (0..45).collect();
        check(pair, &doc! { "mayflyVerdict": &name, "ids": ids })?;
        let secs = secs / 60 * 60;
        for keys in [doc! { "c": 1 }, doc! { "a": 1 }, doc! { "n.b": -1 }] {
            let rule = doc! { "keyPattern": keys, "expireAfterSeconds": secs };
            check(pair, &doc! { "mayflyWhatIf": &name, "index": rule })?;
        }
        let first = doc! { "mayflyExpiring": &name, "limit": 1 };
        let threshold = |reply: Document| {
            let rows = reply.get_array("batch").expect("a batch").first().cloned();
            rows.and_then(|row| row.as_document()?.get_datetime("threshold").ok().copied())
        };
        let engine = threshold(answer(pair.engine.as_ref(), &first));
        prop_assert_eq!(engine, threshold(answer(&pair.remote, &first)));
        for index in &indexes {
            let rule = doc! { "name": index.get_str("name").unwrap_or_default(), "expireAfterSeconds": secs };
            check(pair, &doc! { "mayflyWhatIf": &name, "index": rule })?;
            let one = doc! { "mayflyExpiring": &name, "index": index.get_str("name").unwrap_or_default() };
            let engine = rows(pair.engine.as_ref(), one.clone());
            prop_assert_eq!(engine, rows(&pair.remote, one));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn a_server_tells_of_a_clustered_collection_what_the_engine_tells(
        ids in prop::collection::btree_set(-6_000..6_000_i64, 1..40),
        has_early in any::<bool>(),
        indexes in indexes(),
        documents in prop::collection::vec(document(), 40),
        (minutes, limit) in (0..500_i64, 1..12_i64),
        span in (-3_000..3_000_i64, 1..3_000_i64),
    ) {
        let pair = &*PAIR;
        pair.remote.run("admin", &doc! { "hello": 1 });
        let name = bson::oid::ObjectId::new().to_hex();
        let create = doc! {
            "create": &name, "expireAfterSeconds": minutes * 60,
            "clusteredIndex": { "key": { "_id": 1 }, "unique": true, "name": "own" },
        };
        answer(pair.engine.as_ref(), &create);
        let at = |minutes: i64| DateTime::from_millis(NOW_MS + minutes * MINUTE_MS);
        let half = |minutes: i64| DateTime::from_millis(NOW_MS + minutes * MINUTE_MS + 30_000);
        let mut all: Vec<Bson> = ids.into_iter().map(|minutes| half(minutes).into()).collect();
        if has_early {
            all.extend([Bson::DateTime(DateTime::from_millis(-60_000)), Bson::from("x")]);
        }
        let numbered = all.into_iter().zip(documents).map(|(id, document)| {
            let mut numbered = doc! { "_id": id };
            numbered.extend(document);
            numbered
        });
        let insert = doc! { "insert": &name, "documents": numbered.collect::<Vec<_>>() };
        answer(pair.engine.as_ref(), &insert);
        if !indexes.is_empty() {
            answer(pair.engine.as_ref(), &doc! { "createIndexes": &name, "indexes": indexes });
        }
        let (from, to) = (at(span.0), at(span.0 + span.1));
        check(pair, &doc! { "mayflyForecast": &name, "from": from, "to": to, "buckets": 7 })?;
        let rule = doc! { "keyPattern": { "_id": 1 }, "expireAfterSeconds": minutes * 60 };
        check(pair, &doc! { "mayflyWhatIf": &name, "index": rule })?;
        for index in [None, Some("own")] {
            let mut command = doc! { "mayflyExpiring": &name, "limit": limit };
            command.extend(index.map(|index| ("index".to_owned(), Bson::from(index))));
            let engine = rows(pair.engine.as_ref(), command.clone());
            prop_assert_eq!(engine, rows(&pair.remote, command));
        }
    }
}
