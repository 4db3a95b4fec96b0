use std::collections::BTreeSet;

use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_engine::store::StoreOptions;

use super::*;
use crate::demo::fill;
use crate::limits::DEMO_BALLAST_BYTES;

/// 2026-06-01T12:00:00Z.
const START_MS: i64 = 1_780_315_200_000;

const MINUTE_MS: i64 = 60_000;

/// A demo store on a simulated clock; passes run only when a test asks for them.
struct Demo {
    engine: Engine,
    traffic: Traffic,
    now_ms: i64,
    folder: tempfile::TempDir,
}

impl Demo {
    fn new() -> Self {
        // In memory where that exists: a simulated day is thousands of synced commits.
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.expect("a temporary folder");
        let options = EngineOptions {
            clock: ClockOption::Simulated { start_ms: START_MS },
            run_reaper: false,
            store: StoreOptions {
                ballast_bytes_max: DEMO_BALLAST_BYTES,
                ..StoreOptions::default()
            },
            ..EngineOptions::default()
        };
        let engine = Engine::open(&folder.path().join("demo"), options).expect("a store");
        let run = &mut |db: &str, command: &Document| engine.run(db, command);
        fill(run, START_MS);
        let traffic = Traffic::new(SampleData::of(run));
        Self { engine, traffic, now_ms: START_MS, folder }
    }

    fn run(&self, db: &str, command: &Document) -> Document {
        let reply = self.engine.run(db, command);
        assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{command}: {reply}");
        reply
    }

    fn advance(&mut self, by_ms: i64) {
        self.run("admin", &doc! {"mayflyClock": 1, "advanceMS": by_ms});
        self.now_ms += by_ms;
    }

    fn tick(&mut self) -> Vec<Sent> {
        let engine = &self.engine;
        let sent = self.traffic.tick(self.now_ms, &mut |db, command| engine.run(db, command));
        for Sent { db, command, reply } in &sent {
            assert_eq!(*db, "demo");
            assert!(
                reply.get_f64("ok").is_ok_and(|ok| ok > 0.0) && !reply.contains_key("writeErrors"),
                "{reply}"
            );
            let target = command.get_str("insert").or_else(|_| command.get_str("update"));
            assert!(["sessions", "carts", "events"].contains(&target.expect("a write")));
        }
        sent
    }

    /// The collections that the next step, after some time, writes to.
    fn written(&mut self) -> BTreeSet<String> {
        self.advance(MINUTE_MS);
        let sent = self.tick();
        let name = |sent: &Sent| {
            let insert = sent.command.get_str("insert").ok();
            insert.or_else(|| sent.command.get_str("update").ok()).unwrap_or_default().to_owned()
        };
        sent.iter().map(name).collect()
    }

    /// The documents of a collection, with those that are expired and hidden.
    fn count(&self, collection: &str) -> usize {
        let found = self.run("demo", &doc! {"collStats": collection});
        number(&found, "count").and_then(|count| usize::try_from(count).ok()).expect("a count")
    }

    /// The documents of all collections that traffic writes to.
    fn stored(&self) -> usize {
        TARGETS.iter().map(|target| self.count(target.name)).sum()
    }

    /// How many documents of `sessions` wait for their threshold, and how many are past it.
    fn lanes(&self) -> (usize, usize) {
        let (mut waiting, mut overdue) = (0, 0);
        let mut command = doc! {"mayflyExpiring": "sessions"};
        loop {
            let found = self.run("demo", &command);
            for row in found.get_array("batch").expect("a batch") {
                let threshold = row.as_document().map(|row| row.get_datetime("threshold"));
                let threshold = threshold.and_then(Result::ok).expect("a threshold");
                let is_overdue = threshold.timestamp_millis() <= self.now_ms;
                *(if is_overdue { &mut overdue } else { &mut waiting }) += 1;
            }
            // A page is short where reading it took long.
            let Ok(next) = found.get_document("next") else { return (waiting, overdue) };
            command.insert("after", next);
        }
    }
}

#[test]
fn a_demo_left_alone_for_a_day_stays_alive_and_small() {
    let mut demo = Demo::new();
    for minute in 0..24 * 60 {
        // Whatever minute it is, so also at each full hour.
        demo.tick();
        let (waiting, overdue) = demo.lanes();
        assert!(waiting > 0 && overdue > 0, "minute {minute}: {waiting} wait, {overdue} overdue");
        let pass = demo.run("admin", &doc! {"mayflyReap": 1});
        assert!(pass.get_i64("deletedDocuments").is_ok_and(|removed| removed > 0), "{pass}");
        demo.advance(MINUTE_MS);
    }
    let stored = demo.stored();
    assert!(stored <= TRAFFIC_DOCUMENTS_MAX, "{stored} documents");
    let files = std::fs::read_dir(demo.folder.path().join("demo")).expect("a folder");
    let sizes = files.flatten().filter_map(|file| Some(file.metadata().ok()?.len()));
    let bytes: u64 = sizes.sum();
    assert!(bytes < 6 << 20, "{bytes} bytes");
}

#[test]
fn traffic_writes_to_nothing_else() {
    let mut demo = Demo::new();
    let others = [("shop", "tickets"), ("shop", "orders")];
    let text = |demo: &Demo, (db, name): (&str, &str)| {
        demo.run(db, &doc! {"find": name, "batchSize": 1_000}).to_string()
    };
    let before = others.map(|other| text(&demo, other));
    demo.run("mine", &doc! {"insert": "sessions", "documents": [{"a": 1}]});
    let all = ["sessions", "carts", "events"].map(str::to_owned).into();
    for _ in 0..5 {
        assert_eq!(demo.written(), all);
    }
    assert_eq!(others.map(|other| text(&demo, other)), before);
    let mine = demo.run("mine", &doc! {"count": "sessions"});
    assert_eq!(mine.get_i32("n").ok(), Some(1));
}

#[test]
fn a_dropped_collection_stays_dropped() {
    let mut demo = Demo::new();
    demo.run("demo", &doc! {"drop": "carts"});
    let others: BTreeSet<String> = ["sessions", "events"].map(str::to_owned).into();
    assert_eq!(demo.written(), others);
    let found = demo.run("demo", &doc! {"listCollections": 1, "nameOnly": true}).to_string();
    assert!(!found.contains("carts"), "{found}");
    // One of the same name is the user's.
    demo.run(
        "demo",
        &doc! {"createIndexes": "carts", "indexes": [
            {"key": {"_ts": 1}, "name": "_ts_1", "expireAfterSeconds": 900},
        ]},
    );
    assert_eq!(demo.written(), others);
    assert_eq!(demo.count("carts"), 0);
    demo.run("demo", &doc! {"dropDatabase": 1});
    assert_eq!(demo.written(), BTreeSet::new());
}

#[test]
fn a_collection_with_another_index_is_left_alone() {
    let mut demo = Demo::new();
    demo.run("demo", &doc! {"dropIndexes": "events", "index": "expireAt_1"});
    let others: BTreeSet<String> = ["sessions", "carts"].map(str::to_owned).into();
    assert_eq!(demo.written(), others);
    demo.run(
        "demo",
        &doc! {"createIndexes": "events", "indexes": [
            {"key": {"expireAt": 1}, "name": "expireAt_1"},
        ]},
    );
    assert_eq!(demo.written(), others);
    // Another TTL is what the demo invites to.
    demo.run(
        "demo",
        &doc! {"collMod": "sessions", "index": {
            "keyPattern": {"lastModifiedDate": 1}, "expireAfterSeconds": 60,
        }},
    );
    assert_eq!(demo.written(), others);
}

#[test]
fn traffic_stops_adding_when_the_collections_are_full() {
    let mut demo = Demo::new();
    let more = (demo.stored()..TRAFFIC_DOCUMENTS_MAX - 2).map(|_| doc! {"more": true});
    let more: Vec<Document> = more.collect();
    demo.run("demo", &doc! {"insert": "sessions", "documents": more});
    for _ in 0..30 {
        // No pass runs, and expired carts are hidden from reads.
        demo.written();
        assert_eq!(demo.stored(), TRAFFIC_DOCUMENTS_MAX);
    }
}

#[test]
fn a_pause_is_made_up_for() {
    let mut demo = Demo::new();
    demo.tick();
    demo.advance(24 * 60 * MINUTE_MS);
    demo.run("admin", &doc! {"mayflyReap": 1});
    assert_eq!(demo.lanes(), (0, 0));
    demo.tick();
    let (waiting, overdue) = demo.lanes();
    assert!(waiting > 100 && overdue > 0, "{waiting} wait, {overdue} overdue");
    // The clock went back a little; nothing arrives twice.
    demo.now_ms -= 2_000;
    demo.tick();
}

#[test]
fn a_session_without_a_date_gets_none_back() {
    let mut demo = Demo::new();
    demo.tick();
    let unset = doc! {"q": {}, "u": {"$unset": {"lastModifiedDate": 1}}, "multi": true};
    demo.run("demo", &doc! {"update": "sessions", "updates": [unset]});
    for _ in 0..10 {
        demo.written();
    }
    let revived = doc! {"count": "sessions", "query": {
        "_id": {"$lt": format!("session-{}", START_MS / 5_000)}, "lastModifiedDate": {"$exists": true},
    }};
    assert_eq!(demo.run("demo", &revived).get_i32("n").ok(), Some(0));
}
