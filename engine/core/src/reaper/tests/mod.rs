//! Passes, forecasts and the thread, over a real store and clocks that the test moves.

mod changes_between_read_and_delete;
mod drain;
mod history;
mod lag_counts_from_rule;
mod monitor_without_thread;
mod pass_rests_during_copy;
mod predictions_match_pass;
mod read_ahead;
mod thread_survives_panics;
mod wrong_clock;

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use bson::{Bson, DateTime, Document, RawDocumentBuf, doc};
use tempfile::TempDir;

use crate::reaper::*;
use crate::{
    catalog::{
        Namespace,
        rules::{CollModRequest, CreateIndexesRequest, CreateRequest, IndexSelector},
    },
    clock::{Clock, SimulatedClock},
    collection::{Collections, WriteError},
    command::testing::spoil,
    event::{Event, EventHub, PassReport, RemovedDocument, Subscription},
    reply::BusyMinute,
    store::{Store, StoreOptions},
    ttl::Expiry,
    value::{
        id_number::made,
        key::{Direction, date_key},
    },
};

pub(super) const NOW_MS: i64 = 1_800_000_000_000;

/// A store with a reaper, on a clock that the test holds.
pub(super) struct World {
    pub(super) collections: Arc<Collections>,
    pub(super) reaper: Arc<Reaper>,
    pub(super) hub: Arc<EventHub>,
    folder: TempDir,
}

pub(super) fn world(clock: Arc<dyn Clock>) -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let options = StoreOptions { now_ms: clock.now_ms(), ..StoreOptions::default() };
    let (store, _) = Store::open(folder.path(), &options).expect("a store");
    let collections = Arc::new(Collections::new(Arc::new(store), clock).expect("collections"));
    let hub = Arc::new(EventHub::default());
    let reaper = Reaper::new(Arc::clone(&collections), Arc::clone(&hub)).expect("a reaper");
    World { collections, reaper: Arc::new(reaper), hub, folder }
}

pub(super) fn simulated() -> (World, Arc<SimulatedClock>) {
    let clock = Arc::new(SimulatedClock::new(NOW_MS));
    (world(Arc::clone(&clock) as Arc<dyn Clock>), clock)
}

pub(super) fn namespace() -> Namespace {
    Namespace::new("test", "c")
}

pub(super) fn date(offset_secs: i64) -> Bson {
    Bson::DateTime(DateTime::from_millis(NOW_MS + offset_secs * 1_000))
}

impl World {
    pub(super) fn index(&self, spec: Document) {
        let request = CreateIndexesRequest {
            namespace: namespace(),
            indexes: vec![spec],
            ignore_unknown_options: false,
        };
        self.collections.create_indexes(&request, &mut |_| {}).expect("an index");
    }

    pub(super) fn insert(&self, documents: impl IntoIterator<Item = Document>) {
        let documents: Vec<RawDocumentBuf> = documents
            .into_iter()
            .map(|document| RawDocumentBuf::try_from(&document).expect("raw"))
            .collect();
        self.collections
            .write(|writer| {
                let collection = writer.create_if_missing(&namespace())?;
                for document in &documents {
                    writer.insert(&collection, document)?;
                }
                Ok::<_, WriteError>(())
            })
            .expect("inserted");
    }

    pub(super) fn left(&self) -> Vec<i32> {
        let collection = self.collections.catalog().collection(&namespace()).expect("there");
        let read = self.collections.store().read(|reader| {
            let mut ids = Vec::new();
            for stored in reader.documents(collection.id, 0, crate::store::Scan::Forward)? {
                ids.push(stored?.document()?.get_i32("_id").unwrap_or(-1));
            }
            Ok::<_, crate::store::StoreError>(ids)
        });
        read.expect("read")
    }

    pub(super) fn targets(&self) -> Vec<Target> {
        targets(&self.collections.catalog())
    }
}

/// Inserts documents `{_id: 0.., f: value}` under an index and checks which ids a pass leaves.
#[track_caller]
fn check(spec: Document, values: &[Bson], left: &[i32]) {
    let (world, _) = simulated();
    world.index(spec);
    world.insert((0..).zip(values).map(|(id, value)| doc! { "_id": id, "f": value.clone() }));
    let report = world.reaper.run_pass();
    assert_eq!(world.left(), left);
    assert_eq!(report.deleted, (values.len() - left.len()) as u64);
    assert_eq!(world.reaper.run_pass().deleted, 0, "a second pass finds nothing");
}

#[test]
fn a_pass_removes_what_is_due_and_nothing_else() {
    let values = [date(-61), date(-60), date(-59), Bson::Null, "x".into(), 5.into()];
    let spec = |direction: i32| doc! { "key": { "f": direction }, "name": "ttl", "expireAfterSeconds": 60 };
    check(spec(1), &values, &[2, 3, 4, 5]);
    check(spec(-1), &values, &[2, 3, 4, 5]);
    let arrays = [
        Bson::Array(vec![date(0), date(-60), date(-90)]),
        Bson::Array(vec![date(-59), "x".into()]),
        Bson::Array(vec![Bson::Array(vec![date(-90)])]),
        Bson::Array(vec![]),
    ];
    check(spec(1), &arrays, &[1, 2, 3]);
    check(spec(-1), &arrays, &[1, 2, 3]);
}

#[test]
fn a_partial_filter_and_an_inert_index_keep_documents() {
    let partial = doc! {
        "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0,
        "partialFilterExpression": { "_id": { "$gt": 0 } },
    };
    check(partial, &[date(-1), date(-1)], &[0]);
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": "hashed" }, "name": "h", "expireAfterSeconds": 0 });
    world.insert([doc! { "_id": 0, "f": date(-1) }]);
    let report = world.reaper.run_pass();
    assert_eq!(world.left(), [0]);
    assert!(report.indexes[0].error.is_some(), "the report says why");
    assert_eq!(world.reaper.counters().invalid_index_skips.get(), 1);
}

#[test]
fn limits_cut_a_pass_into_visits_and_sub_passes() {
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert((0..10).map(|id| doc! { "_id": id, "f": date(-10) }));
    world.reaper.set_parameter(TtlParameter::IndexDeleteTargetDocs, 3).expect("valid");
    world.reaper.set_parameter(TtlParameter::SubPassTargetSecs, 0).expect("valid");
    let report = world.reaper.run_pass();
    assert_eq!((report.deleted, report.sub_passes), (10, 4));
    assert_eq!(world.left(), [] as [i32; 0]);
    let counters = world.reaper.counters();
    assert_eq!((counters.passes.get(), counters.sub_passes.get()), (1, 4));
    assert_eq!((counters.deleted_documents.get(), counters.deleted_keys.get()), (10, 20));
    assert_eq!((counters.batches.get(), counters.batched_docs.get()), (4, 10));
    // With exactly twice the limit, a third visit learns that the index is empty.
    world.insert((0..6).map(|id| doc! { "_id": id, "f": date(-10) }));
    let report = world.reaper.run_pass();
    assert_eq!((report.deleted, report.sub_passes), (6, 3));
    // As long as a sub-pass has time, all come to their turn again within it.
    world.insert((0..10).map(|id| doc! { "_id": id, "f": date(-10) }));
    world.reaper.set_parameter(TtlParameter::SubPassTargetSecs, 3_600).expect("valid");
    let report = world.reaper.run_pass();
    assert_eq!((report.deleted, report.sub_passes), (10, 1));
}

#[test]
fn without_batching_a_visit_takes_all() {
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert((0..10).map(|id| doc! { "_id": id, "f": date(-10) }));
    world.reaper.set_parameter(TtlParameter::IndexDeleteTargetDocs, 3).expect("valid");
    world.reaper.set_parameter(TtlParameter::BatchDeletes, 0).expect("valid");
    assert_eq!(world.reaper.run_pass().sub_passes, 1);
    assert_eq!(world.left(), [] as [i32; 0]);
    assert_eq!(world.reaper.counters().batches.get(), 0);
}

#[test]
fn small_transactions_go_in_the_order_of_time_and_end_no_visit() {
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    let offsets = [-1, -9, -5, -8, -2, -7];
    world.insert((0..).zip(offsets).map(|(id, offset)| doc! { "_id": id, "f": date(offset) }));
    for (parameter, value) in [
        (TtlParameter::BatchDocs, 2),
        (TtlParameter::SubPassTargetSecs, 0),
        (TtlParameter::IndexDeleteTargetMs, 0),
    ] {
        world.reaper.set_parameter(parameter, value).expect("valid");
    }
    let events = world.hub.subscribe();
    let report = world.reaper.run_pass();
    assert_eq!((report.deleted, report.sub_passes), (6, 1));
    let removed = events.try_iter().filter_map(|event| match event {
        Event::Removed { documents, more: 0 } => {
            Some(documents.iter().filter_map(|gone| gone.id.as_i32()).collect())
        }
        _ => None,
    });
    assert_eq!(removed.collect::<Vec<Vec<i32>>>(), [[1, 3], [5, 2], [4, 0]]);
}

#[test]
fn large_documents_go_few_at_a_time() {
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    let text = "x".repeat(5 << 20);
    for id in 0..9 {
        world.insert([doc! { "_id": id, "f": date(-10), "text": text.as_str() }]);
    }
    assert_eq!(world.reaper.run_pass().deleted, 9);
    assert_eq!(world.reaper.counters().batches.get(), 3);
}

#[test]
fn counters_and_report_say_what_a_pass_did() {
    let (world, clock) = simulated();
    world.reaper.set_parameter(TtlParameter::TrashSecs, 600).expect("valid");
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert((0..4).map(|id| doc! { "_id": id, "f": date(30 - i64::from(id)) }));
    world.insert([
        doc! { "_id": 4, "f": [date(10), date(20), date(45)] },
        doc! { "_id": 5, "f": date(41) },
    ]);
    clock.advance_ms(40_000);
    let report = world.reaper.run_pass();
    let of_index = &report.indexes[0];
    assert_eq!((report.deleted, of_index.deleted, of_index.examined), (5, 5, 6));
    // The lags are 10, 11, 12, 13 and 30 seconds.
    assert_eq!((of_index.lag_p50_ms, of_index.lag_max_ms), (12_000, 30_000));
    let counters = world.reaper.counters();
    let examined = (counters.examined_keys.get(), counters.examined_documents.get());
    assert_eq!(examined, (6, 5), "entries that are due, and their documents once");
    let deleted = (counters.deleted_documents.get(), counters.deleted_keys.get());
    assert_eq!(deleted, (5, 7 + 5), "with the keys of _id");
    assert_eq!((counters.trashed.get(), counters.not_trashed.get()), (5, 0));
    assert_eq!((counters.batches.get(), counters.batched_docs.get()), (1, 5));
    assert_eq!((counters.passes.get(), counters.sub_passes.get()), (1, 1));
    assert_eq!(world.reaper.run_pass().deleted, 0);
    assert_eq!((counters.batches.get(), counters.passes.get()), (1, 2), "nothing isn't a batch");
}

/// Changes something while a pass works on a rule.
#[track_caller]
fn check_change_in_a_pass(change: impl FnOnce(&World), left: usize) {
    let (world, _) = simulated();
    check_change_in_a_pass_of(&world, change, left);
}

#[track_caller]
fn check_change_in_a_pass_of(world: &World, change: impl FnOnce(&World), left: usize) {
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert((0..10).map(|id| doc! { "_id": id, "f": date(-10) }));
    world.reaper.set_parameter(TtlParameter::BatchDocs, 3).expect("valid");
    let mut pass = pass::Pass::begin(&world.reaper, 1, guard::Permit::default(), false);
    while world.left().len() == 10 {
        assert_eq!(pass.step(), pass::Step::Again);
    }
    change(world);
    while pass.step() == pass::Step::Again {}
    pass.end();
    assert_eq!(world.left().len(), left);
}

#[test]
fn a_rule_that_is_changed_in_a_pass_removes_nothing_more() {
    check_change_in_a_pass(|_| {}, 0);
    let drop = |world: &World| {
        let ttl = IndexSelector::Names(vec!["ttl".to_owned()]);
        world.collections.drop_indexes(&namespace(), &ttl).expect("dropped");
    };
    check_change_in_a_pass(drop, 7);
    let change = |secs: i64| {
        move |world: &World| {
            let index = doc! { "name": "ttl", "expireAfterSeconds": secs };
            let request = CollModRequest {
                namespace: namespace(),
                index: Some(index.into()),
                expire_after_seconds: None,
                others: Document::new(),
                dry_run: false,
            };
            world.collections.coll_mod(&request).expect("changed");
        }
    };
    check_change_in_a_pass(change(3_600), 7);
    // Who is due by the new rule too goes with the next sub-pass or pass.
    check_change_in_a_pass(change(5), 7);
}

/// How many of ten documents are left by a pass in which something happens after the first three.
fn left_by(run: impl Fn(&Reaper), meanwhile: impl Fn(&Reaper) + Send + Sync + 'static) -> usize {
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert((0..10).map(|id| doc! { "_id": id, "f": date(-10) }));
    world.reaper.set_parameter(TtlParameter::BatchDocs, 3).expect("valid");
    let reaper = Arc::downgrade(&world.reaper);
    world.hub.observe(move |event| {
        if let Event::Removed { .. } = event {
            meanwhile(&reaper.upgrade().expect("at work"));
        }
    });
    run(&world.reaper);
    world.left().len()
}

fn run_scheduled(reaper: &Reaper) {
    assert!(reaper.run_scheduled_pass().is_some());
}

fn run_released(reaper: &Reaper) {
    assert!(reaper.run_released_pass().is_some());
}

fn run_asked(reaper: &Reaper) {
    assert_eq!(reaper.run_pass().deleted, 10);
}

#[test]
fn a_monitor_that_is_switched_off_in_a_pass_removes_nothing_more() {
    let off = |reaper: &Reaper| {
        reaper.set_parameter(TtlParameter::Enabled, 0).expect("valid");
    };
    assert_eq!(left_by(run_scheduled, off), 7);
    // Who asks for a pass gets a whole one.
    assert_eq!((left_by(run_released, off), left_by(run_asked, off)), (0, 0));
}

#[test]
fn a_rule_whose_documents_are_restored_in_a_pass_removes_nothing_more() {
    let restore = |reaper: &Reaper| {
        let rule = targets(&reaper.collections().catalog())[0].identity();
        reaper.hold_for_restore(&[rule]).expect("stored");
    };
    assert_eq!((left_by(run_scheduled, restore), left_by(run_released, restore)), (7, 7));
    assert_eq!(left_by(run_asked, restore), 0, "who asks for a pass over everything gets it");
}

#[test]
fn what_is_not_due_any_more_once_the_clock_is_set_back_stays() {
    let (world, clock) = simulated();
    let back = |_: &World| clock.set(NOW_MS - 10_001);
    check_change_in_a_pass_of(&world, back, 7);
}

#[test]
fn a_damaged_document_stays_and_no_other_waits_for_it() {
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    let marks = |id: i32| if id == 2 { "SPOIL-ME" } else { "sound" };
    world.insert((0..10).map(|id| doc! { "_id": id, "f": date(-10), "mark": marks(id) }));
    spoil(world.folder.path(), b"SPOIL-ME");
    let no_document = |writer: &mut crate::store::Writer<'_>| {
        let id = world.collections.catalog().collection(&namespace()).expect("there").id;
        writer.put_document(id, made(4), 0, b"no BSON")
    };
    world.collections.store().write(no_document).expect("written");
    assert_eq!(listed(&world), [0, 1, 3, 5, 6, 7, 8, 9]);
    let report = world.reaper.run_pass();
    assert_eq!(report.deleted, 8);
    let error = report.indexes[0].error.as_deref().unwrap_or_default();
    assert!(error.contains("unreadable document or index entry"), "{error}");
    assert_eq!(world.reaper.run_pass().deleted, 0);
}

/// The documents that the list of what expires shows.
fn listed(world: &World) -> Vec<i32> {
    let all = ThresholdRange::default();
    let page = expiring(world.collections.store(), &world.targets(), all, None, 100).expect("read");
    page.documents.iter().map(|found| found.id.as_i32().expect("a number")).collect()
}

/// The instants in the entries of these become others, which their checksums tell.
fn spoil_entries(world: &World, offsets_secs: &[i64]) {
    let file = world.folder.path().join("data.mdb");
    let mut bytes = std::fs::read(&file).expect("read");
    for offset_secs in offsets_secs {
        let key = date_key(NOW_MS + offset_secs * 1_000, Direction::Ascending);
        let ends: Vec<usize> =
            (key.len()..bytes.len()).filter(|end| bytes[end - key.len()..*end] == key).collect();
        assert!(!ends.is_empty(), "the file holds it");
        for end in ends {
            bytes[end - 1] ^= 1;
        }
    }
    let mut open = std::fs::OpenOptions::new().write(true).open(&file).expect("opened");
    std::io::Write::write_all(&mut open, &bytes).expect("written");
}

#[test]
fn a_damaged_index_entry_keeps_its_document_and_no_other() {
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert((0..6).map(|id| doc! { "_id": id, "f": date(i64::from(id) - 5) }));
    world.insert([doc! { "_id": 6, "f": date(50) }]);
    spoil_entries(&world, &[-5, -2, 0]);
    let first = || {
        let read = world
            .collections
            .store()
            .read(|reader| world.targets()[0].first_threshold_ms(reader, i64::MIN));
        read.expect("read")
    };
    assert_eq!(first(), Some(NOW_MS - 4_000));
    let due = || count_due(world.collections.store(), &world.targets()[0], None, NOW_MS, 100);
    assert_eq!((due(), listed(&world)), (Ok(3), vec![1, 2, 4, 6]));
    let collection = world.collections.catalog().collection(&namespace()).expect("there");
    let (from_ms, to_ms) = (NOW_MS - 10_000, NOW_MS + 10_000);
    let request =
        ForecastRequest { now_ms: NOW_MS, from_ms, to_ms, buckets: 1, finds_steepest: true };
    let found = forecast(world.collections.store(), collection.id, &world.targets(), request);
    let found = found.expect("counted");
    assert_eq!((found.counts, found.beyond, found.damaged), (vec![3], 1, 3));
    assert_eq!((found.never, found.exact), (0, false));
    let report = world.reaper.run_pass();
    assert_eq!((report.deleted, world.left()), (3, vec![0, 3, 5, 6]));
    let error = report.indexes[0].error.as_deref().unwrap_or_default();
    assert!(error.contains("unreadable document or index entry"), "{error}");
    assert_eq!((first(), due()), (Some(NOW_MS + 50_000), Ok(0)));
    let report = world.reaper.run_pass();
    assert_eq!(report.deleted, 0);
    assert_eq!(
        report.indexes[0].error.as_deref(),
        Some(error),
        "told also where nothing else is due"
    );
}

#[test]
fn last_modification_and_own_ttl_count_from_the_last_write() {
    let (world, clock) = simulated();
    world.index(doc! { "key": { "_ts": 1 }, "name": "ts", "expireAfterSeconds": 10 });
    world.insert([
        doc! { "_id": 0 },
        doc! { "_id": 1, "ttl": 20 },
        doc! { "_id": 2, "ttl": -1 },
        doc! { "_id": 3, "ttl": 20.5 },
    ]);
    let left_after = |ms: i64| {
        clock.advance_ms(ms);
        world.reaper.run_pass();
        world.left()
    };
    assert_eq!(left_after(9_999), [0, 1, 2, 3]);
    assert_eq!(left_after(1), [1, 2]);
    assert_eq!(left_after(9_999), [1, 2]);
    assert_eq!(left_after(1), [2]);
    assert_eq!(left_after(i64::from(i32::MAX) * 1_000), [2]);
}

#[test]
fn a_clustered_collection_removes_by_id_from_1970_on() {
    let (world, _) = simulated();
    let options = doc! {
        "clusteredIndex": { "key": { "_id": 1 }, "unique": true }, "expireAfterSeconds": 60_i64,
    };
    world.collections.create(&CreateRequest { namespace: namespace(), options }).expect("created");
    let ids = [DateTime::from_millis(-1), DateTime::from_millis(0), DateTime::from_millis(NOW_MS)];
    world.insert(ids.map(|id| doc! { "_id": id }));
    assert_eq!(world.reaper.run_pass().deleted, 1);
    assert_eq!(world.left().len(), 2);
}

/// Documents under two rules, some with arrays, some that never expire.
fn mixed() -> (World, Arc<SimulatedClock>) {
    let (world, clock) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "f", "expireAfterSeconds": 60 });
    world.index(doc! { "key": { "g": -1 }, "name": "g", "expireAfterSeconds": 0 });
    world.insert((0..50).map(|id| {
        let secs = i64::from(id);
        match id % 5 {
            0 => doc! { "_id": id, "f": date(secs), "g": date(secs + 30) },
            1 => doc! { "_id": id, "f": vec![date(secs), date(secs + 1)] },
            2 => doc! { "_id": id, "g": date(-secs) },
            3 => doc! { "_id": id, "f": date(-59), "g": date(500) },
            _ => doc! { "_id": id, "f": "never" },
        }
    }));
    (world, clock)
}

#[test]
fn pages_of_expiring_documents_list_each_once_in_order() {
    let (world, _) = mixed();
    let (store, targets) = (world.collections.store(), world.targets());
    let all = expiring(store, &targets, ThresholdRange::default(), None, 1_000).expect("read");
    assert_eq!((all.documents.len(), all.next), (40, None));
    let thresholds: Vec<i64> =
        all.documents.iter().map(|found| found.deadline.threshold_ms).collect();
    assert!(thresholds.is_sorted(), "{thresholds:?}");
    for limit in [1, 3, 7, 40] {
        let mut paged = Vec::new();
        let mut after = None;
        loop {
            let page = expiring(store, &targets, ThresholdRange::default(), after.as_ref(), limit)
                .expect("read");
            paged.extend(page.documents);
            let Some(next) = page.next else { break };
            after = Token::from_document(&next.to_document());
            assert!(after.is_some(), "a token comes back as it went");
        }
        assert_eq!(paged, all.documents, "pages of {limit}");
    }
}

#[test]
fn forecast_verdict_and_what_if_agree_with_the_pass() {
    let (world, clock) = mixed();
    let (store, targets) = (world.collections.store(), world.targets());
    let collection = world.collections.catalog().collection(&namespace()).expect("there");
    let request = ForecastRequest {
        now_ms: NOW_MS,
        from_ms: NOW_MS + 1,
        to_ms: NOW_MS + 3_600_001,
        buckets: 6,
        finds_steepest: true,
    };
    let found = forecast(store, collection.id, &targets, request).expect("counted");
    assert!(found.exact);
    assert_eq!(found.never, 10);
    let total = found.counts.iter().sum::<u64>() + found.overdue + found.beyond + found.never;
    assert_eq!(total, 50);
    let verdicts = verdict(store, &collection, &targets, &Bson::Int32(5)).expect("read");
    let verdicts = verdicts.expect("there is one");
    assert_eq!(verdicts.winner, Some(1), "g is due before f");
    assert!(matches!(verdicts.rules[0].expiry, Expiry::At(_)));
    assert_eq!(verdict(store, &collection, &targets, &Bson::Int32(99)).expect("read"), None);
    let g = collection.index("g").expect("there");
    let preview =
        what_if(store, &collection, &WhatIfRule::of_index(g, 0), NOW_MS, &[]).expect("read");
    let missing = preview.never.get("fieldMissing").copied();
    assert_eq!((preview.total, missing), (50.into(), Some(20.into())));
    assert_eq!(preview.overdue_now, found.overdue.into(), "only g has documents that are due");
    assert_eq!(world.reaper.run_pass().deleted, found.overdue);
    clock.advance_ms(3_600_000);
    assert_eq!(world.reaper.run_pass().deleted, found.counts.iter().sum::<u64>());
    assert_eq!(world.left().len(), 10);
}

#[test]
fn a_forecast_of_two_threads_counts_each_document_once() {
    for (direction, scatter) in [(1, 7_919), (-1, 1), (1, 0)] {
        let (world, _) = simulated();
        let documents = 40_000;
        world.index(doc! { "key": { "f": direction }, "name": "ttl", "expireAfterSeconds": 0 });
        let second = |number: i64| number * scatter % documents;
        world
            .insert((0..documents).map(|number| doc! { "_id": number, "f": date(second(number)) }));
        world.insert((0..3).map(|number| doc! { "_id": documents + number, "g": 1 }));
        let collection = world.collections.catalog().collection(&namespace()).expect("there");
        let request = ForecastRequest {
            now_ms: NOW_MS,
            from_ms: NOW_MS + 10_000,
            to_ms: NOW_MS + 60_010_000,
            buckets: 6,
            finds_steepest: true,
        };
        let of_bucket = |bucket: i64| {
            let range = 10 + bucket * 10_000..10 + (bucket + 1) * 10_000;
            (0..documents).filter(|number| range.contains(&second(*number))).count() as u64
        };
        let expected: Vec<u64> = (0..6).map(of_bucket).collect();
        let mut minutes: BTreeMap<i64, u64> = BTreeMap::new();
        for number in 0..documents {
            let threshold_ms = NOW_MS + second(number) * 1_000;
            if (request.from_ms..request.to_ms).contains(&threshold_ms) {
                *minutes.entry(threshold_ms.div_euclid(60_000)).or_default() += 1;
            }
        }
        let steepest = minutes.into_iter().rev().max_by_key(|(_, count)| *count);
        let steepest =
            steepest.map(|(minute, documents)| BusyMinute { from_ms: minute * 60_000, documents });
        for _ in 0..20 {
            let store = world.collections.store();
            let found = forecast(store, collection.id, &world.targets(), request).expect("counted");
            assert_eq!((&found.counts, &found.steepest), (&expected, &steepest));
            assert_eq!(found.never, 3);
            let counted = expected.iter().sum::<u64>() + found.overdue + found.beyond;
            assert_eq!(counted, documents.unsigned_abs());
        }
    }
}

#[test]
fn a_dropped_collection_and_a_saved_document_are_left_alone() {
    let (world, _) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert([doc! { "_id": 0, "f": date(-1) }]);
    world.collections.drop_collection(&namespace()).expect("dropped");
    world.insert([doc! { "_id": 1, "f": date(-1) }]);
    assert_eq!(world.reaper.run_pass().deleted, 0);
    assert_eq!(world.left(), [1]);
}

/// The next pass that ended, within a real second or so.
fn next_pass(events: &Subscription) -> Option<PassReport> {
    loop {
        match events.recv_timeout(Duration::from_secs(20)) {
            Ok(Event::PassFinished(report)) => return Some(report),
            Ok(_) => {}
            Err(_) => return None,
        }
    }
}

#[test]
fn the_thread_sleeps_first_and_wakes_for_time_parameters_and_thresholds() {
    let (world, clock) = simulated();
    world.index(doc! { "key": { "f": 1 }, "name": "ttl", "expireAfterSeconds": 0 });
    world.insert([doc! { "_id": 0, "f": date(0) }, doc! { "_id": 1, "f": date(90) }]);
    let events = world.hub.subscribe();
    let threads = thread::start(&world.reaper).expect("threads");
    clock.advance_ms(60_000);
    let first = next_pass(&events).expect("a pass after the sleep");
    assert_eq!((first.number, first.deleted, first.started_ms), (1, 1, NOW_MS + 60_000));
    world.reaper.set_parameter(TtlParameter::ReapAtThreshold, 1).expect("valid");
    clock.advance_ms(30_000);
    let second = next_pass(&events).expect("a pass at the threshold");
    assert_eq!((second.number, second.deleted, second.started_ms), (2, 1, NOW_MS + 90_000));
    world.reaper.stop();
    for thread in threads {
        thread.join().expect("the thread ends");
    }
}
