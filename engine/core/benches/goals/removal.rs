//! Passes: what is due, together and scattered, and nothing.

use bson::rawdoc;
use tempfile::tempdir;

use super::{
    Settings,
    documents::{Order, date_ms, documents},
    measure::{Cost, own_megabytes},
    ours,
    raw::Raw,
    table::{self, Bound},
};

pub fn run(settings: &Settings) {
    let together = Order::Ascending;
    half(settings, together, "remove expired half, contiguous", Bound::Cpu(2.0));
    half(settings, Order::Scattered, "remove expired half, scattered", Bound::Rate(1.0));
    with_more_indexes(settings);
    kept(settings);
    nothing_due(settings);
}

/// The date up to which half the documents lie.
fn middle_ms(total: u64) -> i64 {
    date_ms(total / 2, total, Order::Ascending) - 1_000
}

fn half(settings: &Settings, dates: Order, work: &str, bound: Bound) {
    let total = settings.documents;
    let all = documents(total, Order::Ascending, dates);
    let (mut our_costs, mut raw_costs, mut removed, mut memory) = (vec![], vec![], 0, None);
    for _ in 0..settings.runs {
        let folder = tempdir().expect("a folder");
        let raw = Raw::new(folder.path());
        raw.insert(&all, Order::Ascending, dates);
        raw_costs.push(Cost::of(|| removed = raw.remove(middle_ms(total))));
        let folder = tempdir().expect("a folder");
        let engine = ours::filled(folder.path(), &all, &["createdAt"]);
        ours::set_clock(&engine, middle_ms(total));
        let mut cost = Cost::default();
        memory = own_megabytes(|| {
            cost = Cost::of(|| assert_eq!(engine.reaper().run_pass().deleted, removed));
        });
        our_costs.push(cost);
    }
    let (ours, raw) = (Cost::median(&our_costs), Cost::median(&raw_costs));
    table::against_raw(work, removed, ours, raw, bound);
    #[cfg(feature = "beside")]
    if dates == Order::Ascending {
        super::beside::removals(settings, &all, middle_ms(total), ours);
    }
    if let Some(memory) = memory {
        let figure = format!("{memory:.1} MB");
        table::alone("own memory during that pass", &figure, "≤ 32 MB", memory <= 32.0);
    }
}

fn with_more_indexes(settings: &Settings) {
    let total = settings.documents;
    let all = documents(total, Order::Ascending, Order::Ascending);
    let costs: Vec<Cost> = (0..settings.runs)
        .map(|_| {
            let folder = tempdir().expect("a folder");
            let engine = ours::filled(folder.path(), &all, &["createdAt", "user", "status"]);
            ours::set_clock(&engine, middle_ms(total));
            Cost::of(|| assert!(engine.reaper().run_pass().deleted > 0))
        })
        .collect();
    let ours = Cost::median(&costs);
    let work = "remove expired half, two more indexes";
    #[cfg(feature = "beside")]
    super::beside::expiry(work, all.get(..all.len() / 2).unwrap_or_default(), ours);
    #[cfg(not(feature = "beside"))]
    table::alone(work, &table::rate(total / 2, ours), "(beside Redis: --features beside)", true);
}

/// Passes that keep what they remove: in the trash, next to those that keep nothing; and for an archive, next to the
/// trash, because a drain moves the rows afterwards.
fn kept(settings: &Settings) {
    let total = settings.documents;
    let all = documents(total, Order::Ascending, Order::Ascending);
    let (mut removed, mut costs) = (0, [vec![], vec![], vec![]]);
    for _ in 0..settings.runs {
        for (net, costs) in costs.iter_mut().enumerate() {
            let folder = tempdir().expect("a folder");
            let engine = ours::filled(folder.path(), &all, &["createdAt"]);
            let (db, command) = match net {
                0 => ("db", rawdoc! { "ping": 1 }),
                1 => ("admin", rawdoc! { "setParameter": 1, "mayflyTrashSecs": 3_600 }),
                _ => ("db", rawdoc! { "mayflyArchive": "c" }),
            };
            let reply = engine.run_raw(db, &command);
            assert!(reply.get_f64("ok").is_ok_and(|ok| ok > 0.0), "{reply:?}");
            ours::set_clock(&engine, middle_ms(total));
            costs.push(Cost::of(|| removed = engine.reaper().run_pass().deleted));
        }
    }
    let [nothing, trash, archive] = costs.map(|costs| Cost::median(&costs));
    table::against_raw(
        "remove expired half into the trash",
        removed,
        trash,
        nothing,
        Bound::Cpu(4.0),
    );
    table::against_raw(
        "remove expired half for an archive",
        removed,
        archive,
        trash,
        Bound::Rate(0.9),
    );
}

fn nothing_due(settings: &Settings) {
    const PASSES: u32 = 1_000;
    let all = documents(settings.documents, Order::Ascending, Order::Ascending);
    let folder = tempdir().expect("a folder");
    let engine = ours::filled(folder.path(), &all, &["createdAt"]);
    ours::set_clock(&engine, date_ms(0, 1, Order::Ascending) - 1);
    let cost = Cost::of(|| {
        for _ in 0..PASSES {
            assert_eq!(engine.reaper().run_pass().deleted, 0);
        }
    });
    let micros = cost.wall / f64::from(PASSES) * 1e6;
    table::alone(
        "pass with nothing due, one TTL index",
        &format!("{micros:.1} µs"),
        "< 50 µs",
        micros < 50.0,
    );
}
