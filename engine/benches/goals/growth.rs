//! What one document costs as collections grow.

use bson::{oid::ObjectId, rawdoc};
use tempfile::tempdir;

use super::{
    Settings,
    documents::{Order, date_ms, documents, id, mixed},
    measure::{Cost, float},
    ours,
};

const SIZES: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
const FIELDS: [&str; 5] = ["createdAt", "user", "status", "session", "bytes"];
const POINTS: u64 = 10_000;

/// Sizes up to the settings' number of documents, and always the first two.
pub fn run(settings: &Settings) {
    println!("CPU µs a document: documents, indexes beside _id_: insert, remove, find by _id");
    for indexes in [1, 2, 5] {
        for size in SIZES.into_iter().filter(|size| *size <= settings.documents.max(SIZES[1])) {
            let all = documents(size, Order::Ascending, Order::Ascending);
            let commands = ours::inserts(&all);
            let folder = tempdir().expect("a folder");
            let engine = ours::open(folder.path());
            ours::create_indexes(&engine, &FIELDS[..indexes]);
            let insert = Cost::of(|| ours::insert(&engine, &commands));
            let find = Cost::of(|| {
                for number in 0..POINTS {
                    let id = id(mixed(number) % size, Order::Ascending);
                    let filter = rawdoc! { "_id": ObjectId::from_bytes(id) };
                    ours::run(&engine, &rawdoc! { "find": "c", "filter": filter, "limit": 1 });
                }
            });
            ours::set_clock(&engine, date_ms(size / 2, size, Order::Ascending) - 1_000);
            let remove = Cost::of(|| drop(engine.reaper().run_pass()));
            let each = |cost: Cost, count: u64| cost.cpu * 1e6 / float(count);
            println!(
                "{size:>9} {indexes:>2}: {:>8.2} {:>8.2} {:>8.2}",
                each(insert, size),
                each(remove, size / 2),
                each(find, POINTS)
            );
        }
    }
}
