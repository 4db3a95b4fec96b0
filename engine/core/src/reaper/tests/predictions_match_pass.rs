//! Whatever a document holds: the list, the forecast, the what-if and the pass agree on when it goes.

use std::collections::BTreeSet;

use bson::{Bson, DateTime, Document, doc};
use proptest::prelude::*;

use crate::reaper::{
    tests::{NOW_MS, World, namespace, simulated},
    *,
};
use crate::reply::DocCount;
use crate::ttl::Expiry;

const RULES: [&[&str]; 9] = [
    &["{key: {f: 1}, name: 'a', expireAfterSeconds: 60}"],
    &["{key: {f: -1}, name: 'a', expireAfterSeconds: 0, sparse: true, hidden: true}"],
    &["{key: {f: 1}, name: 'a', expireAfterSeconds: 2147483647}"],
    &["{key: {f: 1}, name: 'a', expireAfterSeconds: 60, partialFilterExpression: {p: 1}}"],
    &["{key: {'f.g': 1}, name: 'a', expireAfterSeconds: 5}"],
    &["{key: {_ts: 1}, name: 'a', expireAfterSeconds: 60}"],
    &["{key: {_ts: 1}, name: 'a', expireAfterSeconds: -1}"],
    &[
        "{key: {_ts: -1}, name: 'a', expireAfterSeconds: 2147483647, partialFilterExpression: {p: 1}}",
    ],
    &[
        "{key: {f: 1}, name: 'a', expireAfterSeconds: 60}",
        "{key: {_ts: 1}, name: 'b', expireAfterSeconds: 30}",
    ],
];

fn instant() -> impl Strategy<Value = Bson> {
    let near = prop_oneof![
        -100_000_i64..100_000,
        prop_oneof![Just(-60_001_i64), Just(-60_000), Just(-59_999), Just(-1), Just(0), Just(1)],
    ];
    let far = prop_oneof![
        Just(i64::MIN),
        Just(i64::MIN + 1),
        Just(-1),
        Just(0),
        Just(i64::MAX - 60_000),
        Just(i64::MAX)
    ];
    prop_oneof![4 => near.prop_map(|ms| NOW_MS + ms), 1 => far]
        .prop_map(|ms| Bson::DateTime(DateTime::from_millis(ms)))
}

fn value() -> impl Strategy<Value = Bson> {
    let other = prop_oneof![
        Just(Bson::Null),
        Just(Bson::Undefined),
        Just(Bson::Int32(1)),
        Just(Bson::Double(f64::NAN)),
        Just(Bson::Int64(NOW_MS - 100_000)),
        Just(Bson::Timestamp(bson::Timestamp { time: 1, increment: 1 })),
        Just(Bson::MinKey),
        Just(Bson::MaxKey),
        Just(Bson::String("2020-01-01".to_owned())),
        Just(Bson::Array(Vec::new())),
    ];
    let one = prop_oneof![3 => instant(), 1 => other];
    one.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(Bson::Array),
            inner.prop_map(|inner| doc! { "g": inner }.into()),
        ]
    })
}

fn own_ttl() -> impl Strategy<Value = Option<Bson>> {
    prop_oneof![
        4 => Just(None),
        1 => (1..120_i32).prop_map(|secs| Some(secs.into())),
        1 => prop_oneof![
            Just(Bson::Int32(-1)),
            Just(Bson::Int32(0)),
            Just(Bson::Null),
            Just(Bson::Int64(20)),
            Just(Bson::Double(20.0)),
            Just(Bson::Double(20.5)),
            Just(Bson::Double(f64::NAN)),
            Just(Bson::Int64(2_147_483_649)),
            Just(Bson::Int32(i32::MAX)),
            Just(Bson::Decimal128("20".parse().expect("a decimal"))),
        ].prop_map(Some),
    ]
}

fn document() -> impl Strategy<Value = Document> {
    let value = prop_oneof![6 => value().prop_map(Some), 1 => Just(None)];
    (value, own_ttl(), 0..2_i32).prop_map(|(f, ttl, p)| {
        let mut document = Document::new();
        document.extend(f.map(|f| ("f".to_owned(), f)));
        document.extend(ttl.map(|ttl| ("ttl".to_owned(), ttl)));
        document.insert("p", p);
        document
    })
}

/// The `_id`s of those that are due now, and how many never go, by what the rules say to each.
fn said(world: &World, now_ms: i64) -> (BTreeSet<i32>, u64) {
    let collection = world.collections.catalog().collection(&namespace()).expect("there");
    let (store, targets) = (world.collections.store(), world.targets());
    let (mut due, mut never) = (BTreeSet::new(), 0);
    for id in world.left() {
        let verdicts = verdict(store, &collection, &targets, &id.into()).expect("read");
        let rules = verdicts.expect("there").rules;
        if rules.iter().any(|rule| rule.expiry.is_due(now_ms)) {
            due.insert(id);
        }
        never += u64::from(rules.iter().all(|rule| matches!(rule.expiry, Expiry::Never(_))));
    }
    (due, never)
}

fn check(rules: &[&str], documents: &[Document], later_ms: &[i64]) {
    let (world, clock) = simulated();
    for rule in rules {
        world.index(crate::value::shell::read_document(rule).expect("a rule"));
    }
    let mut documents = (0..).zip(documents).map(|(id, document)| {
        let mut document = document.clone();
        document.insert("_id", id);
        document
    });
    // Written at several times.
    for _ in 0..4 {
        world.insert(documents.by_ref().take(40));
        clock.advance_ms(7_777);
    }
    let (store, targets) = (world.collections.store(), world.targets());
    let collection = world.collections.catalog().collection(&namespace()).expect("there");
    for later_ms in later_ms {
        clock.advance_ms(*later_ms);
        let now_ms = world.collections.clock().now_ms();
        let (due, never) = said(&world, now_ms);
        let request = ForecastRequest {
            now_ms,
            from_ms: now_ms + 1,
            to_ms: now_ms + 2,
            buckets: 1,
            finds_steepest: true,
        };
        let found = forecast(store, collection.id, &targets, request).expect("counted");
        assert_eq!((found.overdue, found.never, found.exact), (due.len() as u64, never, true));
        let page = expiring(store, &targets, ThresholdRange::default(), None, 1_000).expect("read");
        let listed = page.documents.iter().filter(|one| one.deadline.threshold_ms <= now_ms);
        let listed: BTreeSet<i32> = listed.filter_map(|one| one.id.as_i32()).collect();
        assert_eq!((&listed, page.next), (&due, None));
        if let [target] = &targets[..] {
            let secs = target.index.expire_after_secs.expect("a TTL");
            let rule = WhatIfRule::of_index(&target.index, secs);
            let found = what_if(store, &collection, &rule, now_ms, &[]).expect("counted");
            let expected =
                [due.len() as u64, never, world.left().len() as u64].map(DocCount::Exact);
            assert_eq!([found.overdue_now, found.stays(), found.total], expected);
        }
        let before: BTreeSet<i32> = world.left().into_iter().collect();
        assert_eq!(world.reaper.run_pass().deleted, due.len() as u64);
        let left: BTreeSet<i32> = world.left().into_iter().collect();
        assert_eq!(left, &before - &due);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3, ..ProptestConfig::default() })]

    #[test]
    fn all_say_what_the_pass_does(
        documents in proptest::collection::vec(document(), 160),
        later_ms in proptest::collection::vec(prop_oneof![0..1_500_i64, 0..90_000_i64], 1..4),
    ) {
        for rules in RULES {
            check(rules, &documents, &later_ms);
        }
    }
}
