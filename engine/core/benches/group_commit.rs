//! The cost of durable single inserts with 1, 8 and 32 threads: `cargo bench --bench group_commit`.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::too_many_lines,
    reason = "a test may fail where it stands"
)]

use std::thread;

use bson::{RawDocumentBuf, rawdoc};
use mayfly_engine::{
    clock::{Clock, SystemClock},
    engine::{Engine, EngineOptions},
};

const INSERTS_PER_THREAD: i32 = 200;

fn insert(thread: i32, number: i32) -> RawDocumentBuf {
    let document = rawdoc! { "_id": thread * INSERTS_PER_THREAD + number, "text": "x".repeat(190) };
    rawdoc! { "insert": "c", "documents": [document] }
}

fn main() {
    println!("threads  inserts  µs per insert  against 1 thread  commits per insert");
    let mut alone_micros = None;
    for threads in [1, 8, 32] {
        let folder = tempfile::tempdir().expect("a folder");
        let engine = Engine::open(folder.path(), EngineOptions::default()).expect("opens");
        let reply = engine.run_raw("db", &insert(-1, 0));
        assert_eq!(reply.get_i32("n").ok(), Some(1), "{reply:?}");
        let store = engine.collections().store();
        let (began, commits) = (SystemClock.monotonic(), store.commits());
        thread::scope(|scope| {
            for thread in 0..threads {
                let engine = &engine;
                scope.spawn(move || {
                    for number in 0..INSERTS_PER_THREAD {
                        let reply = engine.run_raw("db", &insert(thread, number));
                        assert_eq!(reply.get_i32("n").ok(), Some(1), "{reply:?}");
                    }
                });
            }
        });
        let inserts = f64::from(threads * INSERTS_PER_THREAD);
        let micros = (SystemClock.monotonic().saturating_sub(began)).as_secs_f64() * 1e6 / inserts;
        let alone = *alone_micros.get_or_insert(micros);
        let commits = u32::try_from(store.commits() - commits).map_or(f64::NAN, f64::from);
        println!(
            "{threads:7}  {inserts:7}  {micros:13.1}  {:15.2}×  {:18.3}",
            micros / alone,
            commits / inserts
        );
    }
}
