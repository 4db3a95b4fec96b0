//! The cost of one document as collections grow, next to raw LMDB with the same keys and to a plain
//! file with the same number of bytes. The file shows the system's share, which grows once memory
//! has to be given to its cache.

use std::{fs::File, io::Write as _};

use bson::{RawDocumentBuf, oid::ObjectId, rawdoc};
use tempfile::tempdir;

use super::{
    Settings,
    documents::{self, Order, date_ms, documents, id, mixed},
    measure::{Cost, float, median},
    ours,
    raw::{BATCH, Raw},
    table,
};

const SIZES: [u64; 4] = [10_000, 100_000, 1_000_000, 10_000_000];
/// Documents come in the order of the first; the others have their own order, or none.
const FIELDS: [&str; 5] = ["createdAt", "user", "status", "session", "bytes"];
const POINTS: u64 = 10_000;

/// How much dearer a document may become.
const GROWTH_MAX: f64 = 1.5;

/// CPU microseconds a document.
#[derive(Clone, Copy)]
struct Each {
    insert: f64,
    remove: f64,
    /// By `_id`, one document after the other.
    find_next: f64,
    /// By `_id`, anywhere.
    find: f64,
}

impl Each {
    /// The costs at this number of documents: of inserting them, of finding some and some others,
    /// and of removing half of them.
    fn new(size: u64, insert: Cost, [find_next, find]: [Cost; 2], remove: Cost) -> Self {
        let micros = |cost: Cost, count: u64| cost.cpu * 1e6 / float(count);
        Self {
            insert: micros(insert, size),
            find_next: micros(find_next, POINTS),
            find: micros(find, POINTS),
            remove: micros(remove, size / 2),
        }
    }
}

/// Sizes up to the settings' number of documents, and always the first two.
pub fn run(settings: &Settings) {
    println!(
        "CPU µs a document: documents, indexes beside _id_: insert, remove, find by _id in order and \
         anywhere; the same of raw LMDB"
    );
    for indexes in [1, 2, 5] {
        let sizes = SIZES.into_iter().filter(|size| *size <= settings.documents.max(SIZES[1]));
        let costs: Vec<(Each, Each)> = sizes.map(|size| each(size, indexes)).collect();
        if let (Some(small), Some(large)) = (costs.first(), costs.last()) {
            compare(indexes, small, large);
        }
        if indexes == 1 {
            compare_plain_file(settings);
        }
    }
}

/// A line about the system's share in an insert.
fn compare_plain_file(settings: &Settings) {
    let largest = SIZES.into_iter().rfind(|size| *size <= settings.documents).unwrap_or(SIZES[1]);
    let [small, large] =
        [SIZES[0], largest].map(|size| median((0..settings.runs).map(|_| plain_file(size))));
    table::line(
        "a plain file of as many bytes, grown by",
        &format!("{small:.2} to {large:.2} µs"),
        &format!("{:.2}×", large / small),
        (f64::NAN, f64::NAN),
        "(no goal)",
        true,
    );
}

/// CPU microseconds for the bytes of each document in a file that grows by a batch at a time, each flushed.
fn plain_file(size: u64) -> f64 {
    let folder = tempdir().expect("a folder");
    let mut file = File::create_new(folder.path().join("plain")).expect("a file");
    let batch = vec![1; documents::size() * BATCH];
    let cost = Cost::of(|| {
        for _ in 0..size / BATCH as u64 {
            file.write_all(&batch).and_then(|()| file.sync_data()).expect("written");
        }
    });
    cost.cpu * 1e6 / float(size)
}

/// Measures and prints the cost of documents in a collection of this size, for the engine and raw.
fn each(size: u64, indexes: usize) -> (Each, Each) {
    let all = documents(size, Order::Ascending, Order::Ascending);
    let raw = raw(&all, indexes);
    let commands = ours::inserts(&all);
    drop(all);
    let ours = ours(size, &commands, indexes);
    let show = |each: &Each| {
        let Each { insert, remove, find_next, find } = each;
        format!("{insert:>8.2} {remove:>8.2} {find_next:>8.2} {find:>8.2}")
    };
    println!("{size:>9} {indexes:>2}: {}   {}", show(&ours), show(&raw));
    (ours, raw)
}

/// Numbers of documents to be found, one after the other and anywhere. What was never read is on both sides.
fn numbers(size: u64) -> [Vec<u64>; 2] {
    let first = (size - POINTS) / 2;
    let in_order = first..first + POINTS;
    let anywhere = (0..POINTS).map(|number| mixed(number) % size);
    [in_order.collect(), anywhere.collect()]
}

/// Just before the date of the document in the middle.
fn until_ms(size: u64) -> i64 {
    date_ms(size / 2, size, Order::Ascending) - 1_000
}

fn raw(all: &[RawDocumentBuf], indexes: usize) -> Each {
    let size = all.len() as u64;
    let folder = tempdir().expect("a folder");
    let raw = Raw::with_fields(folder.path(), &FIELDS[1..indexes]);
    let insert = Cost::of(|| raw.insert(all, Order::Ascending, Order::Ascending));
    let find = numbers(size).map(|numbers| Cost::of(|| assert!(raw.get(numbers.into_iter()) > 0)));
    let remove = Cost::of(|| assert_eq!(raw.remove(until_ms(size)), size / 2));
    Each::new(size, insert, find, remove)
}

fn ours(size: u64, commands: &[RawDocumentBuf], indexes: usize) -> Each {
    let folder = tempdir().expect("a folder");
    let engine = ours::open(folder.path());
    ours::create_indexes(&engine, &FIELDS[..indexes]);
    let insert = Cost::of(|| ours::insert(&engine, commands));
    let find = numbers(size).map(|numbers| {
        let finds: Vec<RawDocumentBuf> = numbers.into_iter().map(find).collect();
        Cost::of(|| finds.iter().for_each(|find| drop(ours::run(&engine, find))))
    });
    ours::set_clock(&engine, until_ms(size));
    let remove = Cost::of(|| drop(engine.reaper().run_pass()));
    Each::new(size, insert, find, remove)
}

fn find(number: u64) -> RawDocumentBuf {
    let filter = rawdoc! { "_id": ObjectId::from_bytes(id(number, Order::Ascending)) };
    rawdoc! { "find": "c", "filter": filter, "limit": 1 }
}

/// One of the costs.
type CostOf = fn(&Each) -> f64;

/// Lines that compare the largest collection with the smallest.
fn compare(indexes: usize, small: &(Each, Each), large: &(Each, Each)) {
    let kinds: [(&str, CostOf); 4] = [
        ("insert", |each| each.insert),
        ("remove", |each| each.remove),
        ("find in order", |each| each.find_next),
        ("find anywhere", |each| each.find),
    ];
    for (work, cost) in kinds {
        let ours = cost(&large.0) / cost(&small.0);
        let raw = cost(&large.1) / cost(&small.1);
        let name = format!("{work}, {indexes} indexes beside _id_, grown by");
        let [shown, beside] = [ours, raw].map(|grown| format!("{grown:.2}×"));
        let no_ratio = (f64::NAN, f64::NAN);
        // The goal is for keys that ascend, which those of further indexes don't.
        let (goal, met) =
            if indexes == 1 { ("≤ 1.5×", ours <= GROWTH_MAX) } else { ("(no goal)", true) };
        table::line(&name, &shown, &beside, no_ratio, goal, met);
    }
}
