//! Other stores of documents in a file, doing the same work.

mod redb_store;
mod redis;
mod sqlite;

use bson::RawDocumentBuf;
use tempfile::tempdir;

use self::{redb_store::Redb, sqlite::Sqlite};
use super::{
    Settings,
    documents::Order,
    measure::{Cost, float},
    table,
};

/// Inserts all documents with dates that ascend.
pub fn inserts(settings: &Settings, all: &[RawDocumentBuf], ids: Order, ours: Cost) {
    let beside = |name: &str, insert: fn(&std::path::Path, &[RawDocumentBuf], Order) -> Cost| {
        let costs: Vec<Cost> = (0..settings.runs)
            .map(|_| insert(tempdir().expect("a folder").path(), all, ids))
            .collect();
        ahead(name, settings.documents, ours, Cost::median(&costs));
    };
    beside("  beside SQLite", |folder, all, ids| {
        let mut sqlite = Sqlite::new(folder);
        Cost::of(|| sqlite.insert(all, ids, Order::Ascending))
    });
    beside("  beside redb", |folder, all, ids| {
        let redb = Redb::new(folder);
        Cost::of(|| redb.insert(all, ids, Order::Ascending))
    });
}

/// A line about the expiry of documents that all share a threshold.
pub fn expiry(work: &str, all: &[RawDocumentBuf], ours: Cost) {
    let rate = table::rate(all.len() as u64, ours);
    let folder = tempdir().expect("a folder");
    match redis::expiry_secs(folder.path(), all) {
        Some(wall) => {
            let beside = format!("Redis {:.0} k/s", float(all.len() as u64) / wall / 1e3);
            let ratio = ours.wall / wall;
            table::line(work, &rate, &beside, (ratio, f64::NAN), "wall ahead", ratio < 1.0);
        }
        None => table::alone(work, &rate, "wall ahead of Redis, which is not installed", false),
    }
}

/// Removes the older half of the documents.
pub fn removals(settings: &Settings, all: &[RawDocumentBuf], until_ms: i64, ours: Cost) {
    let beside = |name: &str, remove: fn(&std::path::Path, &[RawDocumentBuf], i64) -> Cost| {
        let costs: Vec<Cost> = (0..settings.runs)
            .map(|_| remove(tempdir().expect("a folder").path(), all, until_ms))
            .collect();
        ahead(name, settings.documents / 2, ours, Cost::median(&costs));
    };
    beside("  beside SQLite", |folder, all, until_ms| {
        let mut sqlite = Sqlite::new(folder);
        sqlite.insert(all, Order::Ascending, Order::Ascending);
        Cost::of(|| assert!(sqlite.remove(until_ms) > 0))
    });
    beside("  beside redb", |folder, all, until_ms| {
        let redb = Redb::new(folder);
        redb.insert(all, Order::Ascending, Order::Ascending);
        Cost::of(|| assert!(redb.remove(until_ms) > 0))
    });
}

/// A line about `count` things that both sides did, of which ours has to be done sooner.
fn ahead(work: &str, count: u64, ours: Cost, theirs: Cost) {
    let ratios = (ours.wall / theirs.wall, ours.cpu / theirs.cpu);
    let met = ours.wall < theirs.wall;
    table::line(
        work,
        &table::rate(count, ours),
        &table::rate(count, theirs),
        ratios,
        "wall ahead",
        met,
    );
}
