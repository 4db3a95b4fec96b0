//! Inserts: in batches and one by one.

use std::{thread, time::Duration};

use bson::{oid::ObjectId, rawdoc};
use mayfly_engine::engine::{Engine, EngineOptions};
use tempfile::tempdir;

use super::{
    Settings,
    documents::{self, Order, documents},
    measure::{Cost, float, median, now},
    ours,
    raw::Raw,
    shared_commit, slow_disk,
    table::{self, Bound},
};

/// How long threads insert documents one by one.
const SINGLES_TIME: Duration = Duration::from_secs(1);

pub fn run(settings: &Settings) {
    batches(settings, Order::Ascending, "insert, ascending _id, one TTL index", Bound::Cpu(2.0));
    batches(settings, Order::Scattered, "insert, random _id, one TTL index", Bound::Rate(1.8));
}

fn batches(settings: &Settings, ids: Order, work: &str, bound: Bound) {
    let all = documents(settings.documents, ids, Order::Ascending);
    let commands = ours::inserts(&all);
    let (mut our_costs, mut raw_costs, mut bytes) = (Vec::new(), Vec::new(), 0);
    for _ in 0..settings.runs {
        let folder = tempdir().expect("a folder");
        let raw = Raw::new(folder.path());
        raw_costs.push(Cost::of(|| raw.insert(&all, ids, Order::Ascending)));
        let folder = tempdir().expect("a folder");
        let engine = ours::open(folder.path());
        ours::create_indexes(&engine, &["createdAt"]);
        our_costs.push(Cost::of(|| ours::insert(&engine, &commands)));
        bytes = engine.collections().store().used_bytes();
    }
    let (ours, raw) = (Cost::median(&our_costs), Cost::median(&raw_costs));
    table::against_raw(work, settings.documents, ours, raw, bound);
    #[cfg(feature = "beside")]
    super::beside::inserts(settings, &all, ids, ours);
    let each = float(bytes) / float(settings.documents);
    let ratio = each / float(documents::size() as u64);
    let is_ascending = ids == Order::Ascending;
    table::alone(
        if is_ascending { "bytes a document" } else { "bytes a document, random _id" },
        &format!("{each:.0} ({ratio:.2}× the BSON)"),
        if is_ascending { "≤ 1.40× the BSON" } else { "(no goal)" },
        !is_ascending || ratio <= 1.40,
    );
}

/// One document a command, from one thread and from many.
pub fn singles(settings: &Settings) {
    let rates = [1, 32].map(|threads| median((0..settings.runs).map(|_| singles_rate(threads))));
    show_singles("single durable inserts, 32 threads", rates, Some(20.0));
    let raw =
        |threads| median((0..settings.runs).map(|_| shared_commit::rate(threads, SINGLES_TIME)));
    show_singles("raw LMDB with the simplest shared commit", [1, 32].map(raw), None);
    let ready =
        |ids| median((0..settings.runs).map(|_| shared_commit::ready_rate(ids, SINGLES_TIME)));
    show_singles("raw LMDB, one thread with 32 ready", [1, 32].map(ready), None);
    if let Some(rates) = slow_disk::singles_rates() {
        show_singles("the first, flushes of a millisecond", rates, Some(20.0));
    }
}

fn show_singles(work: &str, [one, many]: [f64; 2], least: Option<f64>) {
    let goal = least.map_or("(no goal)".to_owned(), |least| format!("rate ≥ {least:.0}×"));
    table::line(
        work,
        &format!("{many:.0} /s"),
        &format!("one thread {one:.0} /s"),
        (many / one, f64::NAN),
        &goal,
        least.is_none_or(|least| many >= least * one),
    );
}

/// Documents a second from this number of threads.
pub fn singles_rate(threads: i32) -> f64 {
    let folder = tempdir().expect("a folder");
    let engine = Engine::open(folder.path(), EngineOptions::default()).expect("opens");
    ours::run(&engine, &rawdoc! { "create": "c" });
    let begun = now();
    let of_thread = &|thread: i32| {
        let mut count = 0;
        while now().saturating_sub(begun) < SINGLES_TIME {
            // As a driver makes them for all threads of a process.
            let document = rawdoc! { "_id": ObjectId::new(), "a": thread };
            ours::run(&engine, &rawdoc! { "insert": "c", "documents": [document] });
            count += 1;
        }
        count
    };
    let count: i32 = thread::scope(|scope| {
        let threads = (0..threads).map(|thread| scope.spawn(move || of_thread(thread)));
        let threads: Vec<_> = threads.collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).sum()
    });
    f64::from(count) / now().saturating_sub(begun).as_secs_f64()
}
