//! Inserts: in batches and one by one.

use std::thread;

use bson::rawdoc;
use mayfly_engine::engine::{Engine, EngineOptions};
use tempfile::tempdir;

use super::{
    Settings,
    documents::{self, Order, documents},
    measure::{Cost, float, median},
    ours,
    raw::Raw,
    table::{self, Bound},
};

/// Single inserts of each thread.
const SINGLES: i32 = 100;

pub fn run(settings: &Settings) {
    batches(settings, Order::Ascending, "insert, ascending _id, one TTL index", Bound::Cpu(2.0));
    batches(settings, Order::Scattered, "insert, random _id, one TTL index", Bound::Rate(1.8));
    singles(settings);
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

fn singles(settings: &Settings) {
    let rate = |threads: i32| {
        let folder = tempdir().expect("a folder");
        let engine = Engine::open(folder.path(), EngineOptions::default()).expect("opens");
        ours::run(&engine, &rawdoc! { "create": "c" });
        let cost = Cost::of(|| {
            thread::scope(|scope| {
                for thread in 0..threads {
                    let engine = &engine;
                    scope.spawn(move || {
                        for number in 0..SINGLES {
                            let document = rawdoc! { "_id": thread * SINGLES + number, "a": 1 };
                            let insert = rawdoc! { "insert": "c", "documents": [document] };
                            ours::run(engine, &insert);
                        }
                    });
                }
            });
        });
        f64::from(threads * SINGLES) / cost.wall
    };
    let one = median((0..settings.runs).map(|_| rate(1)));
    let many = median((0..settings.runs).map(|_| rate(32)));
    table::line(
        "single durable inserts, 32 threads",
        &format!("{many:.0} /s"),
        &format!("one thread {one:.0} /s"),
        (many / one, f64::NAN),
        "rate ≥ 20×",
        many >= 20.0 * one,
    );
}
