//! Reads: by id, along an index, and the first page after a start.

use bson::{DateTime, oid::ObjectId, rawdoc};
use mayfly_engine::engine::Engine;
use tempfile::tempdir;

use super::{
    Settings,
    documents::{Order, date_ms, documents, id, mixed},
    measure::{Cost, float, own_megabytes},
    ours,
    raw::Raw,
    table,
};

/// Point reads of one run.
const POINTS: u64 = 50_000;

pub fn run(settings: &Settings) {
    let total = settings.documents;
    let all = documents(total, Order::Ascending, Order::Ascending);
    let raw_folder = tempdir().expect("a folder");
    let raw = Raw::new(raw_folder.path());
    raw.insert(&all, Order::Ascending, Order::Ascending);
    let folder = tempdir().expect("a folder");
    let engine = ours::filled(folder.path(), &all, &["createdAt"]);
    points(settings, &engine, &raw);
    scans(settings, &engine, &raw);
    engine.close().expect("closes");
    first_page(folder.path());
    let mixed_dates = documents(total, Order::Ascending, Order::Scattered);
    build(settings, &mixed_dates);
}

fn points(settings: &Settings, engine: &Engine, raw: &Raw) {
    let numbers = || (0..POINTS).map(|number| mixed(number) % settings.documents);
    let (mut our_costs, mut raw_costs) = (Vec::new(), Vec::new());
    let find = |number| {
        let id = ObjectId::from_bytes(id(number, Order::Ascending));
        rawdoc! { "find": "c", "filter": { "_id": id }, "limit": 1 }
    };
    for _ in 0..settings.runs {
        raw_costs.push(Cost::of(|| assert!(raw.get(numbers()) > 0)));
        // Making commands is the client's work.
        let commands: Vec<_> = numbers().map(find).collect();
        our_costs.push(Cost::of(|| {
            for command in &commands {
                ours::run(engine, command);
            }
        }));
    }
    let (ours, raw) = (Cost::median(&our_costs), Cost::median(&raw_costs));
    table::against_raw("find by _id, as a command", POINTS, ours, raw, table::Bound::Cpu(4.0));
}

fn scans(settings: &Settings, engine: &Engine, raw: &Raw) {
    let total = settings.documents;
    let end_ms = date_ms(total, total + 1, Order::Ascending);
    let (mut our_costs, mut forecasts, mut raw_costs) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..settings.runs {
        raw_costs.push(Cost::of(|| assert_eq!(raw.count(end_ms), total)));
        let end = DateTime::from_millis(end_ms);
        let count = rawdoc! { "count": "c", "query": { "createdAt": { "$lt": end } } };
        our_costs.push(Cost::of(|| drop(ours::run(engine, &count))));
        let from = DateTime::from_millis(date_ms(0, 1, Order::Ascending));
        let forecast = rawdoc! { "mayflyForecast": "c", "from": from, "to": end, "buckets": 100 };
        forecasts.push(Cost::of(|| drop(ours::run(engine, &forecast))));
    }
    let raw = Cost::median(&raw_costs);
    let bound = table::Bound::Rate(0.5);
    table::against_raw("count by a range of dates", total, Cost::median(&our_costs), raw, bound);
    let forecast = Cost::median(&forecasts);
    table::against_raw("forecast of all entries", total, forecast, raw, bound);
    let millis = forecast.wall / float(total) * 1e10;
    table::alone(
        "the same, for 10,000,000 entries",
        &format!("{millis:.0} ms"),
        "< 400 ms",
        millis < 400.0,
    );
}

fn first_page(folder: &std::path::Path) {
    let cost = Cost::of(|| {
        let engine = ours::open(folder);
        ours::run(&engine, &rawdoc! { "find": "c", "batchSize": 101 });
    });
    let millis = cost.wall * 1e3;
    table::alone("start and first page", &format!("{millis:.1} ms"), "< 300 ms", millis < 300.0);
}

fn build(settings: &Settings, all: &[bson::RawDocumentBuf]) {
    let (mut our_costs, mut raw_costs, mut memory) = (Vec::new(), Vec::new(), None);
    for _ in 0..settings.runs {
        let folder = tempdir().expect("a folder");
        let raw = Raw::new(folder.path());
        raw_costs.push(Cost::of(|| raw.sort_and_append(all)));
        let folder = tempdir().expect("a folder");
        let engine = ours::filled(folder.path(), all, &[]);
        let mut cost = Cost::default();
        memory = own_megabytes(|| {
            cost = Cost::of(|| ours::create_indexes(&engine, &["createdAt"]));
        });
        our_costs.push(cost);
    }
    let (ours, raw) = (Cost::median(&our_costs), Cost::median(&raw_costs));
    let bound = table::Bound::Cpu(3.0);
    table::against_raw("index build, dates without order", settings.documents, ours, raw, bound);
    if let Some(memory) = memory {
        let figure = format!("{memory:.1} MB");
        table::alone("own memory during that build", &figure, "≤ 64 MB", memory <= 64.0);
    }
}
