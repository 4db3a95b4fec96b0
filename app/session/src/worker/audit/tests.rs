//! Audits of a store with every finding planted and of a healthy one, directly and through a listener.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use bson::oid::ObjectId;
use bson::{Bson, DateTime, Document, RawDocumentBuf, doc};
use mayfly_engine::clock::Clock;
use mayfly_engine::engine::{Engine, EngineOptions, maintenance};
use mayfly_engine::reply::DocCount;
use mayfly_engine::ttl::{self, Expiry};
use mayfly_tests::documentdb::{DocumentDb, Habits};
use proptest::prelude::*;

use super::*;
use crate::inspect::audit::facts::AuditEnd;
use crate::inspect::audit::{FindingId, Severity};
use crate::job::due::TtlIndex;
use crate::job::{OpenRequest, Sandbox};
use crate::source::{Capabilities, Events, embedded, remote};

/// 2026-06-01T12:00:00Z.
const NOW_MS: i64 = 1_780_315_200_000;

const MINUTE_MS: i64 = 60_000;

const HOUR_MS: i64 = 60 * MINUTE_MS;

const DAY_MS: i64 = 24 * HOUR_MS;

/// An empty store on a clock that stands still.
fn store() -> Arc<dyn Source> {
    store_at(NOW_MS)
}

fn store_at(start_ms: i64) -> Arc<dyn Source> {
    let request = OpenRequest {
        sandbox: Some(Sandbox::Empty),
        simulated_start_ms: Some(start_ms),
        ..OpenRequest::default()
    };
    let opened = embedded::opener()(&request).map_err(|error| error.message);
    opened.expect("a sandbox").source
}

/// The same with a rule that is older than two hours: what it has not removed is late.
fn store_with_an_old_rule() -> Arc<dyn Source> {
    let ahead_ms = 120 * MINUTE_MS;
    let store = store_at(NOW_MS - ahead_ms);
    fill(store.as_ref(), "late", &[("at", 0)], &[]);
    ok(store.as_ref(), "admin", &doc! { "mayflyClock": 1, "advanceMS": ahead_ms });
    store
}

/// The same store through its listener.
fn served(store: &dyn Source) -> Arc<dyn Source> {
    let status = store.run("admin", &doc! { "mayflyListen": 1, "on": true, "port": 0_i64 });
    remote::open(status.get_str("uri").expect("an address")).expect("attached").0
}

#[track_caller]
fn ok(source: &dyn Source, db: &str, command: &Document) -> Document {
    let reply = source.run(db, command);
    assert_eq!(reply.get_f64("ok").ok(), Some(1.0), "{command}: {reply}");
    reply
}

fn date(after_ms: i64) -> DateTime {
    DateTime::from_millis(NOW_MS + after_ms)
}

/// Documents in a collection of `shop`, with TTL indexes on these fields.
fn fill(store: &dyn Source, name: &str, indexes: &[(&str, i64)], documents: &[Document]) {
    let indexes = indexes.iter().map(|(field, secs)| {
        doc! { "key": { *field: 1 }, "name": format!("{field}_1"), "expireAfterSeconds": *secs }
    });
    let indexes: Vec<Document> = indexes.collect();
    if !indexes.is_empty() {
        ok(store, "shop", &doc! { "createIndexes": name, "indexes": indexes });
    }
    for part in documents.chunks(5_000) {
        ok(store, "shop", &doc! { "insert": name, "documents": part.to_vec() });
    }
}

fn many(count: i64, document: impl Fn(i64) -> Document) -> Vec<Document> {
    let numbered = |n| {
        let mut numbered = doc! { "_id": n };
        numbered.extend(document(n));
        numbered
    };
    (0..count).map(numbered).collect()
}

/// A time series with buckets of an hour.
fn series(store: &dyn Source, name: &str, secs: Option<i64>) {
    let mut create =
        doc! { "create": name, "timeseries": { "timeField": "at", "metaField": "by" } };
    create.extend(secs.map(|secs| ("expireAfterSeconds".to_owned(), Bson::from(secs))));
    ok(store, "shop", &create);
}

fn waits(n: i64) -> DateTime {
    date(40 * DAY_MS + n * MINUTE_MS)
}

/// One collection for each finding.
fn plant(store: &dyn Source) {
    fill(store, "missing", &[("expireAt", 0)], &many(30, |n| doc! { "expiresAt": waits(n) }));
    fill(
        store,
        "text",
        &[("at", 60)],
        &many(100, |n| {
            if n < 3 {
                doc! { "at": "2026-01-02" }
            } else {
                doc! { "at": waits(n) }
            }
        }),
    );
    fill(
        store,
        "units",
        &[("at", 0)],
        &many(30, |n| {
            doc! { "at": DateTime::from_millis((NOW_MS + n) * 1_000) }
        }),
    );
    fill(store, "cliff", &[("at", 0)], &many(10_500, |n| doc! { "at": date(2 * DAY_MS + n) }));
    fill(
        store,
        "late",
        &[("at", 0)],
        &many(100, |n| {
            doc! { "at": if n < 40 { date(-3_600_000) } else { waits(n) } }
        }),
    );
    fill(
        store,
        "two",
        &[("at", 60), ("until", 0)],
        &many(30, |n| {
            doc! { "at": waits(n), "until": waits(if n < 10 { -1 } else { 99 }) }
        }),
    );
    fill(store, "partial", &[], &many(30, |n| doc! { "at": waits(n), "paid": n > 9 }));
    let index = doc! {
        "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 0,
        "partialFilterExpression": { "paid": true },
    };
    ok(store, "shop", &doc! { "createIndexes": "partial", "indexes": [index] });
    fill(store, "hidden", &[("at", 0)], &many(30, |n| doc! { "at": waits(n) }));
    let hide = doc! { "collMod": "hidden", "index": { "name": "at_1", "hidden": true } };
    ok(store, "shop", &hide);
    let mut zero = many(30, |n| doc! { "at": if n < 20 { date(-5_000) } else { waits(n) } });
    for (document, n) in zero.iter_mut().zip(0_u8..) {
        let mut id = [n; 12];
        id[..4].copy_from_slice(&u32::try_from(NOW_MS / 1_000).expect("a time").to_be_bytes());
        document.insert("_id", ObjectId::from_bytes(id));
    }
    fill(store, "zero", &[("at", 0)], &zero);
    fill(store, "log", &[], &many(50, |n| doc! { "made": date(-n * 9 * DAY_MS) }));
    fill(store, "plain", &[], &many(30, |n| doc! { "at": date(-n * DAY_MS) }));
    let index = doc! { "key": { "at": 1 }, "name": "at_1" };
    ok(store, "shop", &doc! { "createIndexes": "plain", "indexes": [index] });
    let index = doc! { "key": { "place": "2dsphere" }, "name": "place_2dsphere" };
    ok(store, "shop", &doc! { "createIndexes": "plain", "indexes": [index] });
    series(store, "series", Some(3_600));
    let late = (0..40).map(|n| doc! { "at": date(n - 3 * HOUR_MS) });
    let rest = (0..60).map(|n| doc! { "at": date(-n * MINUTE_MS / 2) });
    fill(store, "series", &[], &late.chain(rest).collect::<Vec<_>>());
    series(store, "meter", None);
    fill(store, "meter", &[], &many(50, |n| doc! { "at": date(-n * 9 * DAY_MS) }));
    ok(store, "cosmos", &doc! { "mayflyDialect": "cosmos" });
    let index = doc! { "key": { "_ts": 1 }, "name": "_ts_1", "expireAfterSeconds": 9_999_999 };
    ok(store, "cosmos", &doc! { "createIndexes": "ttl", "indexes": [index] });
    let documents = many(30, |n| {
        if n < 4 {
            doc! { "ttl": "60" }
        } else {
            doc! { "ttl": 9_999_999 }
        }
    });
    ok(store, "cosmos", &doc! { "insert": "ttl", "documents": documents });
}

fn work(is_server: bool) -> AuditWork {
    let subject = AuditSubject { name: "here".to_owned(), is_server, ..AuditSubject::default() };
    // A test waits for no turn.
    AuditWork { reads_a_second: 1_000_000, ..AuditWork::new(subject) }
}

fn audit(source: &dyn Source, is_server: bool) -> Audit {
    let found = work(is_server).run(source, &Cancel::default(), &|_| ());
    found.expect("an audit")
}

type Found = BTreeSet<(FindingId, String)>;

fn ids(audit: &Audit) -> Found {
    let collection = |finding: &crate::inspect::audit::Finding| {
        finding.place.namespace.as_ref().map(|it| it.collection.clone()).unwrap_or_default()
    };
    audit.findings.iter().map(|finding| (finding.id, collection(finding))).collect()
}

/// The planted findings of a store whose monitor is on.
fn planted() -> Found {
    let found = [
        (FindingId::NeverAll, "missing"),
        (FindingId::NeverSome, "text"),
        (FindingId::Unit, "units"),
        (FindingId::Cliff, "cliff"),
        (FindingId::FallingBehind, "late"),
        (FindingId::ReadsExpired, "late"),
        (FindingId::TwoRules, "two"),
        (FindingId::PartialLeavesOut, "partial"),
        (FindingId::Hidden, "hidden"),
        (FindingId::ZeroAndPast, "zero"),
        (FindingId::ReadsExpired, "zero"),
        (FindingId::FallingBehind, "series"),
        (FindingId::ReadsExpired, "series"),
        (FindingId::Candidate, "log"),
        (FindingId::Candidate, "meter"),
        (FindingId::UnusedCandidate, "plain"),
        (FindingId::UnusedIndex, "plain"),
        (FindingId::CosmosTtl, "ttl"),
    ];
    found.map(|(id, name)| (id, name.to_owned())).into()
}

/// The findings of one kind, in words.
fn words(audit: &Audit, id: FindingId) -> String {
    let found = audit.findings.iter().filter(|finding| finding.id == id);
    let said: Vec<String> =
        found.map(|one| format!("{}\n{}", one.sentence, one.evidence.join("\n"))).collect();
    said.join("\n")
}

/// A store of which the passes of the last ten minutes are taken away, as if its monitor had stalled.
struct Stalled(Arc<dyn Source>);

impl Source for Stalled {
    fn run(&self, db: &str, command: &Document) -> Document {
        let mut command = command.clone();
        if command.contains_key("mayflyPasses") {
            command.insert("until", date(-10 * MINUTE_MS));
        }
        self.0.run(db, &command)
    }

    fn now_ms(&self) -> i64 {
        self.0.now_ms()
    }

    fn subscribe(&self) -> Events {
        Box::new(std::iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }
}

#[test]
fn each_planted_finding_is_found_and_nothing_else() {
    let store = store_with_an_old_rule();
    plant(store.as_ref());
    // Its passes left nothing, so documents that were inserted since then are not late yet.
    let found = audit(store.as_ref(), false);
    let mut expected = planted();
    expected.retain(|(id, _)| *id != FindingId::FallingBehind);
    assert_eq!(ids(&found), expected, "{:#?}", found.findings);
    let stalled = Stalled(Arc::clone(&store));
    let found = audit(&stalled, false);
    assert_eq!(ids(&found), planted(), "{:#?}", found.findings);
    for (id, expected) in [
        (FindingId::NeverSome, "3 documents, 3.0 % of 100"),
        (FindingId::Unit, "30 documents, 100 % of 30"),
        (FindingId::Cliff, "10,500 documents, 100 % of 10,500"),
        (FindingId::Cliff, "2026-06-03 12:00:00 UTC"),
        (FindingId::FallingBehind, "40 documents, 40 % of 100"),
        (FindingId::TwoRules, "until_1 removes 10 documents first"),
        (FindingId::PartialLeavesOut, "10 documents, 33 % of 30"),
        (FindingId::ZeroAndPast, "20 of 30 sampled documents"),
        (FindingId::Candidate, "365 days 9 documents"),
        (FindingId::CosmosTtl, "string: 4 documents."),
        (FindingId::FallingBehind, "40 documents, 40 % of 100"),
        (FindingId::FallingBehind, "expireAfterSeconds of shop.series"),
        (FindingId::Candidate, "shop.meter grows without a TTL"),
    ] {
        let words = words(&found, id);
        assert!(words.contains(expected), "{expected}\n{words}");
    }
    let never =
        found.findings.iter().find(|one| one.id == FindingId::NeverAll).expect("it is there");
    assert!(never.mend.command.as_ref().is_some_and(|it| it.contains("expiresAt: 1")), "{never:?}");
    assert_eq!(never.examples.len(), 1);
    assert!(found.facts.collections.iter().all(|it| it.unfinished.is_none()));
    ok(store.as_ref(), "admin", &doc! { "setParameter": 1, "ttlMonitorSleepSecs": 7_200 });
    let slow = ids(&audit(&stalled, false));
    assert!(slow.contains(&(FindingId::MonitorSlow, String::new())), "{slow:?}");
    ok(
        store.as_ref(),
        "admin",
        &doc! { "setParameter": 1, "ttlMonitorEnabled": false, "ttlMonitorSleepSecs": 60 },
    );
    let off = ids(&audit(&stalled, false));
    let mut expected = planted();
    for name in ["late", "series"] {
        expected.remove(&(FindingId::FallingBehind, name.to_owned()));
    }
    expected.insert((FindingId::MonitorOff, String::new()));
    for name in ["late", "zero", "series"] {
        expected.insert((FindingId::BacklogAtStart, name.to_owned()));
    }
    assert_eq!(off, expected);
}

#[test]
fn the_same_is_found_through_a_listener() {
    let store = store_with_an_old_rule();
    plant(store.as_ref());
    let server = served(store.as_ref());
    let mut first = audit(server.as_ref(), true);
    let mut late = first.findings.iter().filter(|one| one.id == FindingId::FallingBehind);
    assert!(late.all(|one| one.severity == Severity::Warning), "one look is not enough");
    // The same, had it been two minutes ago: no pass has ended since.
    let earlier =
        |sample: &Sample| Sample { at_ms: sample.at_ms - 2 * MINUTE_MS, ..sample.clone() };
    first.facts.samples = first.facts.samples.iter().map(earlier).collect();
    let again = AuditWork { samples: first.facts.samples, ..work(true) };
    let found = again.run(server.as_ref(), &Cancel::default(), &|_| ()).expect("an audit");
    let mut late = found.findings.iter().filter(|one| one.id == FindingId::FallingBehind);
    assert!(late.all(|one| one.severity == Severity::Error), "{:#?}", found.findings);
    let mut expected = planted();
    // The clock of the store stands still, and that of this computer doesn't.
    expected.insert((FindingId::Clock, String::new()));
    expected.insert((FindingId::Unreadable, String::new()));
    assert_eq!(ids(&found), expected, "{:#?}", found.findings);
    let late = words(&found, FindingId::FallingBehind);
    assert!(late.contains("40 documents, 40 % of 100"), "{late}");
    let unreadable = words(&found, FindingId::Unreadable);
    assert!(unreadable.contains("cosmos.ttl: the server keeps _ts to itself"), "{unreadable}");
    server.close();
}

/// A store in which everything is as it should be.
fn healthy(store: &dyn Source) {
    fill(store, "sessions", &[("at", 3_600)], &many(200, |n| doc! { "at": date(n * MINUTE_MS) }));
    fill(store, "orders", &[], &many(200, |n| doc! { "total": n }));
    fill(store, "empty", &[("at", 0)], &[]);
}

#[test]
fn a_healthy_store_has_no_finding() {
    let store = store();
    healthy(store.as_ref());
    let found = audit(store.as_ref(), false);
    assert_eq!(found.findings, []);
    assert_eq!(found.facts.effort.end, AuditEnd::Complete);
    let server = served(store.as_ref());
    let found = audit(server.as_ref(), true);
    assert_eq!(
        ids(&found),
        Found::from([(FindingId::Clock, String::new())]),
        "{:#?}",
        found.findings
    );
    server.close();
}

#[test]
fn a_server_without_counters_is_audited_with_reads_alone() {
    let server = DocumentDb::start(Habits::documentdb());
    let at = |ms: i64| DateTime::from_millis(server.now_ms() + ms);
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 0 };
    server.prepare("d", &doc! { "createIndexes": "c", "indexes": [index] });
    let documents =
        many(100, |n| doc! { "at": if n < 5 { Bson::from("x") } else { at(n * DAY_MS).into() } });
    server.prepare("d", &doc! { "insert": "c", "documents": documents });
    server.settle();
    let source = remote::open(&server.uri()).expect("attached").0;
    server.forget_commands();
    let found = audit(source.as_ref(), true);
    // Its clock stands still.
    let expected = [(FindingId::Clock, String::new()), (FindingId::NeverSome, "c".to_owned())];
    assert_eq!(ids(&found), Found::from(expected), "{:#?}", found.findings);
    assert_eq!(server.writes(), [""; 0]);
    for name in ["find", "aggregate", "count", "listIndexes", "listCollections", "collStats"] {
        for command in server.sent(name) {
            let ms = command.get("maxTimeMS").and_then(mayfly_engine::value::whole);
            assert_eq!(ms, Some(2_000), "{command}");
        }
    }
    assert!(!server.sent("count").is_empty());
    assert_eq!(found.facts.samples.iter().count(), 2);
    let pace = found.facts.pace().expect("samples").to_string();
    assert_eq!(pace, "Not known: this server answers no counters");
    source.close();
}

/// Commands that only read.
const READS: [&str; 19] = [
    "aggregate",
    "buildInfo",
    "collStats",
    "count",
    "find",
    "getMore",
    "getParameter",
    "hello",
    "killCursors",
    "listCollections",
    "listDatabases",
    "listIndexes",
    "mayflyDialect",
    "mayflyExpiring",
    "mayflyForecast",
    "mayflyHeld",
    "mayflyPasses",
    "mayflyWhatIf",
    "serverStatus",
];

/// A source that notes commands, and sets a flag at one of them.
struct Noting {
    inner: Arc<dyn Source>,
    names: Mutex<Vec<String>>,
    cancel_at: Option<(usize, Cancel)>,
}

impl Source for Noting {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.run_until(db, command, &Cancel::default())
    }

    fn run_until(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        let name = command.keys().next().cloned().unwrap_or_default();
        // No stage of it writes.
        assert!(!command.to_string().contains("$out") && !command.to_string().contains("$merge"));
        let mut names = self.names.lock().expect("no panic");
        names.push(name);
        if let Some((at, cancel)) = &self.cancel_at
            && names.len() >= *at
        {
            cancel.cancel();
        }
        self.inner.run_until(db, command, cancel)
    }

    fn now_ms(&self) -> i64 {
        self.inner.now_ms()
    }

    fn subscribe(&self) -> Events {
        Box::new(std::iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }
}

#[test]
fn nothing_is_written() {
    let store = store_with_an_old_rule();
    plant(store.as_ref());
    let noting = Noting { inner: store, names: Mutex::default(), cancel_at: None };
    let found = audit(&noting, false);
    let names = noting.names.into_inner().expect("no panic");
    assert_eq!(found.facts.effort.reads, names.len() as u64);
    for name in names {
        assert!(READS.contains(&name.as_str()), "{name}");
    }
}

/// A server whose clock is a minute later at each reading of its counters.
struct Ticking {
    inner: Arc<dyn Source>,
    minutes: AtomicI64,
    /// Passes and removed documents, by the minute.
    counters: fn(i64) -> (i64, i64),
}

impl Source for Ticking {
    fn run(&self, db: &str, command: &Document) -> Document {
        let name = command.keys().next().map(String::as_str).unwrap_or_default();
        assert!(READS.contains(&name), "{name}");
        if name == "serverStatus" {
            let (passes, removed) = (self.counters)(self.minutes.fetch_add(1, Ordering::Relaxed));
            let ttl = doc! { "passes": passes, "deletedDocuments": removed };
            return doc! { "metrics": { "ttl": ttl }, "ok": 1.0 };
        }
        self.inner.run(db, command)
    }

    fn now_ms(&self) -> i64 {
        NOW_MS + self.minutes.load(Ordering::Relaxed) * MINUTE_MS
    }

    fn subscribe(&self) -> Events {
        Box::new(std::iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }
}

/// A server in which 300 documents expire in each minute, 4,000 of them long ago.
fn ticking(counters: fn(i64) -> (i64, i64)) -> Ticking {
    let store = store_with_an_old_rule();
    let ends = many(10_000, |n| {
        let wait_ms = if n < 4_000 { -3_600_000 } else { (n - 4_000) * 200 };
        doc! { "at": date(wait_ms) }
    });
    fill(store.as_ref(), "late", &[], &ends);
    Ticking { inner: store, minutes: AtomicI64::new(0), counters }
}

#[test]
fn a_server_is_looked_at_until_it_is_known_whether_it_keeps_up() {
    let paced = |server: &Ticking, work: &AuditWork| {
        let found = work.run(server, &Cancel::default(), &|_| ()).expect("an audit");
        assert_eq!(found.facts.effort.end, AuditEnd::Complete);
        let pace = found.facts.pace().expect("samples").to_string();
        (pace, found.facts.samples.iter().count())
    };
    let patient = AuditWork { samples_max: 9, ..work(true) };
    let stalled = paced(&ticking(|_| (7, 100)), &patient);
    let rate = "Falling behind by about 300 a minute; at this rate the backlog doubles in 17 min";
    assert_eq!(stalled, (rate.to_owned(), 3), "after more than a period without a pass");
    // Each pass removes 200 documents, which stay in this store.
    let slow = paced(&ticking(|minute| (minute, minute * 200)), &patient);
    assert_eq!((slow.0.starts_with("Falling behind by about 300"), slow.1), (true, 2));
    let few = "Not known yet: there are too few samples".to_owned();
    assert_eq!(paced(&ticking(|_| (7, 100)), &work(true)), (few.clone(), 2));
    // No look that the time limit may cut.
    let apart = Duration::from_secs(40);
    let short = AuditWork { samples_apart: apart, ..patient.clone() };
    assert_eq!(paced(&ticking(|_| (7, 100)), &short), (few, 2));
    // With what was seen before, two looks are enough.
    let server = ticking(|_| (7, 100));
    let before = work(true).run(&server, &Cancel::default(), &|_| ()).expect("an audit");
    let known = AuditWork { samples: before.facts.samples, ..work(true) };
    assert_eq!(paced(&server, &known).1, 4);
    assert!(paced(&server, &known).0.starts_with("Falling behind by about 300 a minute"));
}

/// A source that answers one command with this, and the others as the store does.
struct Answering {
    inner: Arc<dyn Source>,
    name: &'static str,
    reply: Document,
    was_asked: AtomicBool,
}

impl Source for Answering {
    fn run(&self, db: &str, command: &Document) -> Document {
        self.run_until(db, command, &Cancel::default())
    }

    fn run_until(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        if command.keys().next().is_some_and(|name| name == self.name) {
            self.was_asked.store(true, Ordering::Relaxed);
            return self.reply.clone();
        }
        self.inner.run_until(db, command, cancel)
    }

    fn now_ms(&self) -> i64 {
        self.inner.now_ms()
    }

    fn subscribe(&self) -> Events {
        Box::new(std::iter::empty())
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }
}

/// The places that an audit names as unreadable.
fn said(found: Result<Audit, String>) -> String {
    found.map_or_else(|sentence| sentence, |found| words(&found, FindingId::Unreadable))
}

/// Audits with this reply to each command in turn. Returns the commands after which the audit neither failed
/// nor said that something could not be read.
fn unsaid(store: &Arc<dyn Source>, reply: &Document) -> Vec<&'static str> {
    let is_unsaid = |name: &&'static str| {
        let inner = Arc::clone(store);
        let source =
            Answering { inner, name, reply: reply.clone(), was_asked: AtomicBool::new(false) };
        let said = said(work(false).run(&source, &Cancel::default(), &|_| ()));
        said.is_empty() && source.was_asked.into_inner()
    };
    READS.into_iter().filter(is_unsaid).collect()
}

#[test]
fn each_refused_command_is_said() {
    let store = store_with_an_old_rule();
    plant(store.as_ref());
    let refused =
        doc! { "ok": 0.0, "code": 13, "codeName": "Unauthorized", "errmsg": "not authorized" };
    assert_eq!(unsaid(&store, &refused), [""; 0]);
    // An empty success, as no store answers its own commands. Counters and sizes may be missing.
    let mut silent = unsaid(&store, &doc! { "ok": 1.0 });
    silent.retain(|name| !name.starts_with("mayfly"));
    assert_eq!(silent, ["collStats", "getParameter", "serverStatus"]);
}

#[test]
fn each_command_that_a_server_refuses_is_said() {
    let server = DocumentDb::start_at(Habits::mongodb(), NOW_MS);
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 0 };
    server.prepare("shop", &doc! { "createIndexes": "c", "indexes": [index] });
    let documents = many(100, |n| {
        if n < 9 {
            doc! { "at": "x" }
        } else {
            doc! { "at": waits(n) }
        }
    });
    server.prepare("shop", &doc! { "insert": "c", "documents": documents });
    let log = many(50, |n| doc! { "made": date(-n * 9 * DAY_MS) });
    server.prepare("shop", &doc! { "insert": "log", "documents": log });
    let time_series = doc! { "timeField": "at" };
    let create =
        doc! { "create": "series", "timeseries": time_series, "expireAfterSeconds": 3_600 };
    server.prepare("shop", &create);
    let late = many(50, |n| doc! { "at": date(-n * HOUR_MS) });
    server.prepare("shop", &doc! { "insert": "series", "documents": late });
    server.settle();
    let source = remote::open(&server.uri()).expect("attached").0;
    server.forget_commands();
    let found = audit(source.as_ref(), true);
    assert_eq!(words(&found, FindingId::Unreadable), "", "{:#?}", found.findings);
    assert_eq!(server.writes(), [""; 0]);
    let commands = server.commands();
    let names: BTreeSet<String> =
        commands.iter().filter_map(|one| Some(one.iter().next()?.ok()?.0.to_string())).collect();
    assert!(names.len() > 7, "{names:?}");
    for name in names {
        server.forbid(Some(&name));
        let said = said(work(true).run(source.as_ref(), &Cancel::default(), &|_| ()));
        assert!(said.contains("not authorized on"), "{name}: {said}");
        server.forbid(None);
    }
    source.close();
}

#[test]
fn an_audit_that_is_canceled_or_late_says_what_it_did_not_read() {
    let store = store();
    healthy(store.as_ref());
    let cancel = Cancel::default();
    let cancel_at = Some((20, cancel.clone()));
    let noting = Noting { inner: Arc::clone(&store), names: Mutex::default(), cancel_at };
    let found = work(false).run(&noting, &cancel, &|_| ()).expect("an audit");
    assert_eq!(found.facts.effort.end, AuditEnd::Canceled);
    let unfinished = |audit: &Audit| -> Vec<String> {
        let all = audit.facts.collections.iter().filter_map(|it| it.unfinished.clone());
        all.collect()
    };
    assert!(unfinished(&found).contains(&"the audit was canceled".to_owned()), "{found:#?}");
    let late = AuditWork { time_limit: Duration::ZERO, ..work(false) };
    let found = late.run(store.as_ref(), &Cancel::default(), &|_| ()).expect("an audit");
    assert_eq!(found.facts.effort.end, AuditEnd::TimeOver);
    assert!(found.has(Severity::Warning), "{found:#?}");
}

#[test]
fn a_collection_that_is_not_there_is_an_error() {
    let store = store();
    healthy(store.as_ref());
    let named = |name: &str| AuditWork { collections: vec![name.to_owned()], ..work(false) };
    let of = |work: AuditWork| work.run(store.as_ref(), &Cancel::default(), &|_| ());
    let found = of(named("sessions")).expect("an audit");
    assert_eq!(found.facts.collections.len(), 1);
    let sentence = "There is no collection gone; check --collection and --db".to_owned();
    assert_eq!(of(named("gone")), Err(sentence));
    let on = |names: &[&str]| {
        let databases = names.iter().map(|name| (*name).to_owned()).collect();
        of(AuditWork { databases, ..work(false) })
    };
    for gone in ["zzz", ""] {
        let sentence = format!("There is no database {gone}; check --db");
        assert_eq!(on(&["shop", gone]), Err(sentence));
    }
    let once = on(&["shop"]).expect("an audit").facts.collections;
    assert_eq!(on(&["shop", "shop"]).expect("an audit").facts.collections, once);
}

#[test]
fn a_database_with_the_name_of_a_servers_own_is_read_where_mayfly_keeps_it() {
    let names = |audit: &Audit| -> Vec<String> {
        audit.facts.collections.iter().map(|it| it.namespace.to_string()).collect()
    };
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 0 };
    let create = doc! { "createIndexes": "c", "indexes": [index] };
    let store = store();
    for db in ["admin", "config", "local"] {
        ok(store.as_ref(), db, &create);
    }
    let all = ["admin.c", "config.c", "local.c"].map(str::to_owned);
    assert_eq!(names(&audit(store.as_ref(), false)), all);
    let server = served(store.as_ref());
    assert_eq!(names(&audit(server.as_ref(), true)), all);
    server.close();
    let other = DocumentDb::start(Habits::mongodb());
    for db in ["local", "shop"] {
        other.prepare(db, &create);
    }
    other.settle();
    let source = remote::open(&other.uri()).expect("attached").0;
    assert_eq!(names(&audit(source.as_ref(), true)), ["shop.c"]);
    source.close();
}

/// A collection that is clustered by the date in `_id`, with an own rule.
fn clustered(store: &dyn Source, name: &str, secs: i64, ids: impl Iterator<Item = DateTime>) {
    let clustered = doc! { "key": { "_id": 1 }, "unique": true };
    let create = doc! { "create": name, "clusteredIndex": clustered, "expireAfterSeconds": secs };
    ok(store, "shop", &create);
    let documents: Vec<Document> = ids.map(|id| doc! { "_id": id, "a": id }).collect();
    ok(store, "shop", &doc! { "insert": name, "documents": documents });
}

#[test]
fn the_rule_of_a_clustered_collection_wins_what_it_removes_first() {
    let store = store();
    clustered(store.as_ref(), "c", 60, (0..20).map(|n| date(-HOUR_MS - n)));
    fill(store.as_ref(), "c", &[("a", 120), ("b", 0)], &[]);
    let found = audit(store.as_ref(), false);
    let two = words(&found, FindingId::TwoRules);
    assert!(two.contains("Of all 20 documents, _id_ removes 20 documents first."), "{two}");
    let server = served(store.as_ref());
    let same = audit(server.as_ref(), true);
    let ahead = |audit: &Audit| audit.facts.collections[0].ahead.clone().expect("rules");
    assert_eq!(ahead(&same), ahead(&found));
    assert_eq!(ahead(&same).overdue, DocCount::Exact(20));
    let rules = |audit: &Audit| -> Vec<(DocCount, Option<i64>)> {
        let rules = &audit.facts.collections[0].rules;
        rules.iter().map(|rule| (rule.overdue, rule.earliest_ms)).collect()
    };
    assert_eq!(rules(&same), rules(&found));
    assert_eq!(words(&same, FindingId::Unreadable), "");
    server.close();
}

#[test]
fn a_store_that_was_restored_is_on_hold_before_a_program_opens_it() {
    let place = tempfile::tempdir().expect("a folder");
    let [folder, backup, restored] =
        ["store", "backup", "restored"].map(|it| place.path().join(it));
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open(&folder, options).expect("an engine");
    let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 0 };
    let late = many(9, |n| doc! { "at": DateTime::from_millis(n) });
    for command in [
        doc! { "createIndexes": "c", "indexes": [index] },
        doc! { "insert": "c", "documents": late },
    ] {
        assert_eq!(engine.run("shop", &command).get_f64("ok").ok(), Some(1.0));
    }
    let store = engine.collections().store();
    store.backup_to(&backup, &mut |_| ControlFlow::Continue(())).expect("a backup");
    engine.close().expect("closed");
    let clock: Arc<dyn Clock> = Arc::new(SystemClock);
    let watch = &mut |_| ControlFlow::Continue(());
    maintenance::restore(&backup, &restored, false, &clock, None, watch).expect("restored");
    let audited = |folder: &Path| {
        let opened = embedded::open_to_read(folder, None).map_err(|error| error.message);
        let source = opened.expect("a store").source;
        let subject = AuditSubject { is_at_rest: true, ..AuditSubject::default() };
        let found = AuditWork::new(subject).run(source.as_ref(), &Cancel::default(), &|_| ());
        source.close();
        found.expect("an audit")
    };
    let found = audited(&restored);
    let held = words(&found, FindingId::MonitorOff);
    assert!(held.contains("This store was restored from a backup"), "{held}");
    let backlog = words(&found, FindingId::BacklogAtStart);
    assert!(backlog.contains("It runs once you release the removals."), "{backlog}");
    assert_eq!(audited(&folder).facts.monitor.holds, [""; 0]);
}

#[test]
fn all_that_never_expires_is_counted_where_its_causes_are_estimates() {
    let store = store();
    let documents = many(10_500, |n| {
        if n < 5 {
            doc! {}
        } else {
            doc! { "at": waits(n) }
        }
    });
    fill(store.as_ref(), "c", &[("at", 0)], &documents);
    let server = served(store.as_ref());
    let found = audit(server.as_ref(), true);
    let rule = &found.facts.collections[0].rules[0];
    assert_eq!(rule.stays(), DocCount::Exact(5));
    let [never] = rule.never.as_slice() else { panic!("{:?}", rule.never) };
    assert!(["fieldMissing", "unknown"].contains(&never.code.as_str()), "{never:?}");
    assert!(never.documents.most() <= Some(5), "{never:?}");
    assert!(matches!(never.example, Some(Bson::Int64(0..5))), "{never:?}");
    let metrics = crate::inspect::audit::form::metrics(&found);
    for line in [
        "mayfly_ttl_never_expiring_documents{collection=\"shop.c\",index=\"at_1\"} 5",
        "mayfly_ttl_collection_exact{collection=\"shop.c\"} 1",
    ] {
        assert!(metrics.contains(line), "{metrics}");
    }
    server.close();
}

#[test]
fn an_array_with_other_values_hides_no_overdue_document_of_a_server() {
    let store = store();
    let mixed = many(30, |n| doc! { "at": [5, date(DAY_MS + n), "x", Bson::Null] });
    let late = (0..10_i64).map(|n| doc! { "at": date(n * MINUTE_MS - DAY_MS) });
    fill(store.as_ref(), "c", &[("at", 0)], &mixed);
    fill(store.as_ref(), "c", &[], &late.collect::<Vec<_>>());
    let server = served(store.as_ref());
    for found in [audit(store.as_ref(), false), audit(server.as_ref(), true)] {
        let rule = &found.facts.collections[0].rules[0];
        assert_eq!((rule.overdue, rule.earliest_ms), (DocCount::Exact(10), Some(NOW_MS - DAY_MS)));
        for seen in found.facts.samples.iter() {
            assert_eq!(seen.collections[0].since_ms, Some(NOW_MS - DAY_MS));
        }
    }
    server.close();
}

fn value() -> impl Strategy<Value = Option<Bson>> {
    let near = (-3_000..60_000_i64).prop_map(|minutes| {
        Bson::DateTime(DateTime::from_millis(NOW_MS + minutes * MINUTE_MS + 30_000))
    });
    prop_oneof![
        8 => near.clone().prop_map(Some),
        1 => prop::collection::vec(near, 0..3).prop_map(|dates| Some(Bson::Array(dates))),
        1 => Just(None),
        1 => prop_oneof![Just(Bson::Null), Just(Bson::Int32(5)), Just(Bson::from("x"))].prop_map(Some),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn counts_are_those_of_a_full_scan(
        values in prop::collection::vec((value(), value(), any::<bool>()), 1..60),
        secs in (0..500_i64, 0..500_i64),
        is_partial in any::<bool>(),
        has_two in any::<bool>(),
    ) {
        let store = store();
        let documents: Vec<Document> = values.into_iter().zip(0_i32..).map(|((a, b, p), id)| {
            let fields = [("a", a), ("b", b)];
            let mut document = doc! { "_id": id, "p": p };
            document.extend(fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))));
            document
        }).collect();
        let mut indexes = vec![doc! { "key": { "a": 1 }, "name": "a_1", "expireAfterSeconds": secs.0 * 60 }];
        if is_partial {
            indexes[0].insert("partialFilterExpression", doc! { "p": true });
        }
        if has_two {
            indexes.push(doc! { "key": { "b": -1 }, "name": "b_1", "expireAfterSeconds": secs.1 * 60 });
        }
        ok(store.as_ref(), "shop", &doc! { "createIndexes": "c", "indexes": indexes.clone() });
        ok(store.as_ref(), "shop", &doc! { "insert": "c", "documents": documents.clone() });
        let found = audit(store.as_ref(), false);
        let collection = &found.facts.collections[0];
        let rules: Vec<TtlIndex> = indexes.iter().filter_map(TtlIndex::read).collect();
        let raw: Vec<RawDocumentBuf> =
            documents.iter().map(|document| RawDocumentBuf::try_from(document).expect("BSON")).collect();
        for (rule, facts) in rules.iter().zip(&collection.rules) {
            let verdicts: Vec<Expiry> = raw.iter().map(|document| rule.verdict(document)).collect();
            let overdue = verdicts.iter().filter(|verdict| verdict.is_due(NOW_MS)).count() as u64;
            prop_assert_eq!(facts.overdue, DocCount::Exact(overdue));
            prop_assert_eq!(facts.total, DocCount::Exact(raw.len() as u64));
            for never in &facts.never {
                let is_it = |verdict: &&Expiry| {
                    matches!(verdict, Expiry::Never(reason) if reason.code() == never.code)
                };
                let count = verdicts.iter().filter(is_it).count() as u64;
                prop_assert_eq!(never.documents, DocCount::Exact(count), "{}", never.code);
            }
            let on = |day: i64| {
                let from_ms = NOW_MS + day * DAY_MS;
                let thresholds = verdicts.iter().filter_map(Expiry::threshold_ms);
                thresholds.filter(|ms| (from_ms + 1..=from_ms + DAY_MS).contains(ms)).count() as u64
            };
            let days: Vec<u64> = (0..30).map(on).collect();
            // A rule by which nothing expires has none.
            let has_days = verdicts.iter().any(|verdict| verdict.threshold_ms().is_some());
            let found = facts.days.as_ref().map(|days| days.counts.clone());
            if has_two {
                prop_assert_eq!(found, has_days.then_some(days));
            } else {
                prop_assert_eq!(found, Some(days));
            }
            let all: u64 = facts.never.iter().map(|never| never.documents.likely()).sum();
            let stays = verdicts.iter().filter(|verdict| verdict.threshold_ms().is_none()).count();
            prop_assert_eq!(all, stays as u64);
        }
        let firsts: Vec<i64> = raw.iter().filter_map(|document| {
            let verdicts: Vec<Expiry> = rules.iter().map(|rule| rule.verdict(document)).collect();
            verdicts.get(ttl::winner(&verdicts)?)?.threshold_ms()
        }).collect();
        let within = |from_ms: i64, to_ms: i64| {
            firsts.iter().filter(|ms| (from_ms + 1..=to_ms).contains(ms)).count() as u64
        };
        let until = |ms: i64| DocCount::Exact(within(NOW_MS, NOW_MS + ms));
        let ahead = collection.ahead.as_ref().expect("a rule");
        prop_assert_eq!(ahead.overdue, DocCount::Exact(within(i64::MIN, NOW_MS)));
        let horizons = [ahead.hour, ahead.day, ahead.week, ahead.month];
        prop_assert_eq!(horizons, [60 * MINUTE_MS, DAY_MS, 7 * DAY_MS, 30 * DAY_MS].map(until));
        for (day, count) in (0..).zip(&ahead.days.counts) {
            let from_ms = NOW_MS + day * DAY_MS;
            prop_assert_eq!(*count, within(from_ms, from_ms + DAY_MS));
        }
        let minutes = firsts.iter().filter(|ms| (NOW_MS..NOW_MS + 30 * DAY_MS).contains(*ms));
        let mut by_minute = std::collections::BTreeMap::<i64, u64>::new();
        for ms in minutes {
            *by_minute.entry(ms.div_euclid(MINUTE_MS)).or_default() += 1;
        }
        let most = by_minute.values().max().copied();
        prop_assert_eq!(ahead.steepest.map(|minute| minute.documents.likely()), most);
    }

    #[test]
    fn a_time_series_is_removed_within_the_bounds(
        minutes in prop::collection::vec((-400..400_i64, 0..3_i32), 1..60),
        (secs, granularity) in (0..400_i64, prop_oneof![Just("seconds"), Just("minutes")]),
    ) {
        let store = store();
        let options = doc! { "timeField": "at", "metaField": "by", "granularity": granularity };
        let create = doc! { "create": "c", "timeseries": options, "expireAfterSeconds": secs * 60 };
        ok(store.as_ref(), "shop", &create);
        let documents = minutes.iter().map(|(after, by)| doc! { "at": date(after * MINUTE_MS), "by": by });
        let documents: Vec<Document> = documents.collect();
        let all = documents.len() as u64;
        ok(store.as_ref(), "shop", &doc! { "insert": "c", "documents": documents });
        let found = audit(store.as_ref(), false);
        let collection = &found.facts.collections[0];
        prop_assert_eq!(collection.documents, DocCount::Exact(all));
        let ahead = collection.ahead.as_ref().expect("a rule");
        let mut left = all;
        let mut removed = |after_ms: i64| {
            ok(store.as_ref(), "admin", &doc! { "mayflyClock": 1, "set": date(after_ms) });
            ok(store.as_ref(), "admin", &doc! { "mayflyReap": 1 });
            let reply = ok(store.as_ref(), "shop", &doc! { "count": "c" });
            let now = crate::job::reply::number(&reply, "n").expect("a number");
            std::mem::replace(&mut left, now) - now
        };
        let check = |count: DocCount, removed: u64| {
            let most = count.most().expect("a bound");
            prop_assert!((count.least()..=most).contains(&removed), "{:?} {}", count, removed);
            Ok(())
        };
        check(ahead.overdue, removed(0))?;
        let hour = removed(HOUR_MS);
        check(ahead.hour, hour)?;
        let day = hour + removed(DAY_MS);
        check(ahead.day, day)?;
        let month = day + removed(30 * DAY_MS);
        check(ahead.month, month)?;
        prop_assert!(ahead.days.counts.iter().sum::<u64>() <= all);
    }
}
