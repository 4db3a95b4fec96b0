//! How long a user waits while a large operation runs.

use std::{
    fs::File,
    os::unix::fs::FileExt,
    path::Path,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

use bson::{DateTime, rawdoc};
use mayfly_engine::{
    catalog::Namespace,
    clock::{Clock, SystemClock},
    engine::{Engine, EngineOptions},
    transfer::{ImportRequest, Progress, import},
};
use tempfile::tempdir;

use super::{
    Settings,
    documents::{Order, date_ms, documents},
    files,
    measure::{Cost, percentile},
    ours, table,
};

pub fn run(settings: &Settings) {
    writes_beside(settings, "p99 of a write during a pass", &["createdAt"], 100.0, |engine| {
        ours::set_clock(engine, date_ms(settings.documents, u64::MAX, Order::Ascending));
        engine.reaper().run_pass();
    });
    writes_beside(settings, "p99 of a write during an index build", &[], 100.0, |engine| {
        ours::create_indexes(engine, &["createdAt"]);
    });
    let folder = tempdir().expect("a folder");
    let file = folder.path().join("documents.ndjson");
    files::write_lines(&file, settings.documents);
    writes_beside(settings, "p99 of a write during an import", &["createdAt"], 250.0, |engine| {
        let into = Namespace { db: "db".to_owned(), collection: "imported".to_owned() };
        let request = ImportRequest::new(vec![file], into);
        let report = import(engine.collections(), &request, &Progress::new());
        assert_eq!(report.expect("imports").imported, settings.documents);
    });
    lag();
}

/// Single durable writes to another collection while `work` runs.
fn writes_beside(
    settings: &Settings,
    name: &str,
    fields: &[&str],
    millis_max: f64,
    work: impl FnOnce(&Engine),
) {
    let all = documents(settings.documents, Order::Ascending, Order::Ascending);
    let folder = tempdir().expect("a folder");
    let engine = ours::filled(folder.path(), &all, fields);
    let has_ended = AtomicBool::new(false);
    let waits = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut waits = Vec::new();
            while !has_ended.load(Ordering::Relaxed) {
                let insert = rawdoc! { "insert": "other", "documents": [{ "a": 1 }] };
                waits.push(Cost::of(|| drop(ours::run(&engine, &insert))).wall * 1e3);
            }
            waits
        });
        work(&engine);
        has_ended.store(true, Ordering::Relaxed);
        writer.join().expect("the writer")
    });
    let count = waits.len();
    let p99 = percentile(waits, 0.99);
    let goal = format!("≤ {millis_max:.0} ms");
    table::alone(name, &format!("{p99:.1} ms ({count} writes)"), &goal, p99 <= millis_max);
}

/// From a document's threshold to its removal, with the monitor waking at the threshold.
fn lag() {
    let folder = tempdir().expect("a folder");
    let engine = Engine::open(folder.path(), EngineOptions::default()).expect("opens");
    ours::create_indexes(&engine, &["createdAt"]);
    let at_threshold = rawdoc! { "setParameter": 1, "mayflyReapAtThreshold": true };
    let reply = engine.run_raw("admin", &at_threshold);
    assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{reply:?}");
    let lags = (0..50)
        .map(|_| {
            let due_ms = SystemClock.now_ms() + 60;
            let date = DateTime::from_millis(due_ms);
            let insert = rawdoc! { "insert": "c", "documents": [{ "createdAt": date }] };
            ours::run(&engine, &insert);
            let count = rawdoc! { "count": "c" };
            while ours::run(&engine, &count).get_i32("n").ok() != Some(0) {
                thread::sleep(Duration::from_micros(500));
            }
            f64::from(i32::try_from(SystemClock.now_ms() - due_ms).unwrap_or(i32::MAX))
        })
        .collect::<Vec<f64>>();
    let (median, p99) = (percentile(lags.clone(), 0.5), percentile(lags, 0.99));
    table::line(
        "p99 of the lag at the threshold, idle",
        &format!("{p99:.0} ms (median {median:.0})"),
        &format!("two flushes {:.1} ms", percentile(flushes(folder.path()), 0.99)),
        (f64::NAN, f64::NAN),
        "≤ 20 ms",
        p99 <= 20.0,
    );
}

/// Milliseconds that two flushes take: a commit flushes twice.
fn flushes(folder: &Path) -> Vec<f64> {
    let file = File::create(folder.join("flushed")).expect("a file");
    (0..100)
        .map(|_| {
            thread::sleep(Duration::from_millis(10));
            let flush = |at| {
                file.write_all_at(&[1; 4_096], at).expect("writes");
                file.sync_data().expect("flushes");
            };
            Cost::of(|| [0, 4_096].into_iter().for_each(flush)).wall * 1e3
        })
        .collect()
}
