//! A simulated day in which documents arrive, live for an hour and expire while a client reads: the
//! data file stays in proportion to the live documents and their index keys.
//!
//! `MAYFLY_TEST_COUNT` sets the documents that arrive per minute.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_tests::deadline::Deadline;
use mayfly_tests::{random, store};

const START_MS: i64 = 1_800_000_000_000;
const MINUTE_MS: i64 = 60_000;
const MINUTES: i64 = 24 * 60;
const LIFE_MINUTES: i64 = 60;
const DB: &str = "day";

/// The data file is at most this many times the size of the live data.
const FILE_RATIO_MAX: f64 = 3.0;

/// How long reading the next page may take.
const PATIENCE: Duration = Duration::from_mins(1);

/// Documents per page, as when a user scrolls.
const PAGE: i32 = 100;

#[test]
fn a_day_of_expiry_leaves_no_large_file() {
    let each_minute = random::count(100);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let clock = ClockOption::Simulated { start_ms: START_MS };
    let options = EngineOptions { clock, run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(&folder.path().join("store"), options).expect("the store opens");
    let key = doc! {"key": {"at": 1}, "name": "at_1", "expireAfterSeconds": LIFE_MINUTES * 60};
    run(&engine, &doc! {"createIndexes": "events", "indexes": [key]});
    run(
        &engine,
        &doc! {"createIndexes": "events", "indexes": [{"key": {"user": 1}, "name": "user_1"}]},
    );

    let is_over = AtomicBool::new(false);
    let read = AtomicU64::new(0);
    let worst = thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Ordering::Relaxed) {
                scrolled(&engine, &read);
            }
        });
        let worst = day(&engine, each_minute, &read);
        is_over.store(true, Ordering::Relaxed);
        worst
    });

    let read = read.into_inner();
    let came = each_minute as u64 * MINUTES.unsigned_abs();
    println!("{came} documents came, {read} were read; at the worst {worst}");
    println!("at the end {}", Sizes::of(&engine));
    assert!(read > 0, "nobody read");
    assert!(worst.ratio() <= FILE_RATIO_MAX, "the file grew to {:.2} times", worst.ratio());
    let checked = run(&engine, &doc! {"validate": "events", "full": true});
    assert!(checked.get_bool("valid").is_ok_and(|valid| valid), "{checked}");
}

/// Lets a day pass while a client reads on every minute: a reader that stops would keep its pages
/// alive. Returns when the file was largest relative to the live data, after the first hour.
fn day(engine: &Engine, each_minute: usize, read: &AtomicU64) -> Sizes {
    let mut worst = Sizes::default();
    let mut number = 0_i64;
    for minute in 1..=MINUTES {
        let now_ms = START_MS + minute * MINUTE_MS;
        engine.simulated_clock().expect("the clock is simulated").set(now_ms);
        let documents = (0..each_minute).map(|_| {
            number += 1;
            let at = DateTime::from_millis(now_ms - number % MINUTE_MS);
            Bson::Document(doc! {
                "_id": number,
                "at": at,
                "user": format!("user {}", number * 7_919 % 1_000),
                "text": "x".repeat(usize::try_from(number % 200).expect("small")),
            })
        });
        run(engine, &doc! {"insert": "events", "documents": documents.collect::<Vec<_>>()});
        engine.reaper().run_pass();
        let (deadline, before) = (Deadline::after(PATIENCE), read.load(Ordering::Relaxed));
        while read.load(Ordering::Relaxed) == before {
            assert!(!deadline.is_over(), "nobody reads any more");
            thread::yield_now();
        }
        if minute > LIFE_MINUTES {
            let sizes = Sizes::of(engine);
            if sizes.ratio() > worst.ratio() {
                worst = sizes;
            }
        }
    }
    let counted = run(engine, &doc! {"count": "events"}).get_i32("n").expect("a count");
    let living = i64::from(counted) / i64::try_from(each_minute).expect("small");
    assert!((LIFE_MINUTES - 1..=LIFE_MINUTES + 1).contains(&living), "{counted} are alive");
    worst
}

/// The uses of the file's bytes.
#[derive(Clone, Copy, Default)]
struct Sizes {
    file: i64,
    /// Pages in use.
    pages: i64,
    documents: i64,
    keys: i64,
}

impl Sizes {
    fn of(engine: &Engine) -> Self {
        let status = run(engine, &doc! {"serverStatus": 1});
        let store = status.get_document("mayfly").and_then(|mayfly| mayfly.get_document("store"));
        let store = store.expect("the store's figures");
        let stats = run(engine, &doc! {"collStats": "events"});
        Self {
            file: bytes(store, "fileBytes"),
            pages: bytes(store, "liveBytes"),
            documents: bytes(&stats, "size"),
            keys: bytes(&stats, "totalIndexSize"),
        }
    }

    /// The ratio of the file to documents and keys.
    fn ratio(self) -> f64 {
        let float = |bytes: i64| f64::from(u32::try_from(bytes).expect("a small store"));
        float(self.file) / float(self.documents + self.keys).max(1.0)
    }
}

impl fmt::Display for Sizes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, pages, documents, keys } = self;
        write!(
            f,
            "a file of {file} bytes, {pages} of them in pages in use, {documents} of documents and \
             {keys} of keys: {:.2} times documents and keys",
            self.ratio()
        )
    }
}

fn bytes(found: &Document, name: &str) -> i64 {
    let bytes = found.get(name).expect("bytes");
    bytes.as_i64().or(bytes.as_i32().map(i64::from)).expect("a whole number")
}

/// Reads the whole collection page by page and counts its documents.
fn scrolled(engine: &Engine, read: &AtomicU64) {
    let mut command = doc! {"find": "events", "batchSize": PAGE};
    loop {
        let reply = run(engine, &command);
        let cursor = reply.get_document("cursor").expect("a cursor");
        let page = cursor.get_array("firstBatch").or_else(|_| cursor.get_array("nextBatch"));
        read.fetch_add(page.expect("a page").len() as u64, Ordering::Relaxed);
        match cursor.get_i64("id").expect("an id") {
            0 => return,
            id => command = doc! {"getMore": id, "collection": "events", "batchSize": PAGE},
        }
    }
}

fn run(engine: &Engine, command: &Document) -> Document {
    store::run(engine, DB, command)
}
