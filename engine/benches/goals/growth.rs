//! What one document costs as collections grow.

use bson::{RawDocumentBuf, oid::ObjectId, rawdoc};
use tempfile::tempdir;

use super::{
    Settings,
    documents::{Order, date_ms, documents, id, mixed},
    measure::{Cost, float},
    ours,
    raw::Raw,
    table,
};

const SIZES: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
const FIELDS: [&str; 5] = ["createdAt", "user", "status", "session", "bytes"];
const POINTS: u64 = 10_000;

/// How much dearer a document may become.
const GROWTH_MAX: f64 = 1.5;

/// CPU microseconds a document.
#[derive(Clone, Copy)]
struct Each {
    insert: f64,
    remove: f64,
    find: f64,
    raw_find: f64,
}

/// Sizes up to the settings' number of documents, and always the first two.
pub fn run(settings: &Settings) {
    println!(
        "CPU µs a document: documents, indexes beside _id_: insert, remove, find by _id, raw get"
    );
    for indexes in [1, 2, 5] {
        let sizes = SIZES.into_iter().filter(|size| *size <= settings.documents.max(SIZES[1]));
        let costs: Vec<Each> = sizes.map(|size| each(size, indexes)).collect();
        if let (Some(small), Some(large)) = (costs.first(), costs.last()) {
            compare(indexes, small, large);
        }
    }
}

/// What documents cost in a collection of this size, and prints it.
fn each(size: u64, indexes: usize) -> Each {
    let all = documents(size, Order::Ascending, Order::Ascending);
    let folder = tempdir().expect("a folder");
    let raw = Raw::new(folder.path());
    raw.insert(&all, Order::Ascending, Order::Ascending);
    // Reads begin where nothing of the file is mapped yet, on both sides.
    let numbers = || (0..POINTS).map(|number| mixed(number) % size);
    let raw_find = Cost::of(|| assert!(raw.get(numbers()) > 0));
    drop(raw);

    let commands = ours::inserts(&all);
    drop(all);
    let folder = tempdir().expect("a folder");
    let engine = ours::open(folder.path());
    ours::create_indexes(&engine, &FIELDS[..indexes]);
    let insert = Cost::of(|| ours::insert(&engine, &commands));
    drop(commands);
    let finds: Vec<RawDocumentBuf> = numbers()
        .map(|number| {
            let filter = rawdoc! { "_id": ObjectId::from_bytes(id(number, Order::Ascending)) };
            rawdoc! { "find": "c", "filter": filter, "limit": 1 }
        })
        .collect();
    let find = Cost::of(|| finds.iter().for_each(|find| drop(ours::run(&engine, find))));
    ours::set_clock(&engine, date_ms(size / 2, size, Order::Ascending) - 1_000);
    let remove = Cost::of(|| drop(engine.reaper().run_pass()));
    let micros = |cost: Cost, count: u64| cost.cpu * 1e6 / float(count);
    let each = Each {
        insert: micros(insert, size),
        remove: micros(remove, size / 2),
        find: micros(find, POINTS),
        raw_find: micros(raw_find, POINTS),
    };
    println!(
        "{size:>9} {indexes:>2}: {:>8.2} {:>8.2} {:>8.2} {:>8.2}",
        each.insert, each.remove, each.find, each.raw_find
    );
    each
}

/// Lines about the largest collection beside the smallest.
fn compare(indexes: usize, small: &Each, large: &Each) {
    let lines = [
        ("insert", small.insert, large.insert),
        ("remove", small.remove, large.remove),
        ("find by _id", small.find, large.find),
        ("raw get", small.raw_find, large.raw_find),
    ];
    for (work, small, large) in lines {
        let grown = large / small;
        let goal = if work == "raw get" { "(no goal)" } else { "≤ 1.5×" };
        let name = format!("{work}, {indexes} indexes beside _id_, grown by");
        let met = work == "raw get" || grown <= GROWTH_MAX;
        table::alone(&name, &format!("{grown:.2}×"), goal, met);
    }
}
