//! A rollout on a store whose time is moved by hand.

use bson::{DateTime, doc};
use mayfly_tests::documentdb::{DocumentDb, Habits};

use mayfly_engine::value::whole;

use super::*;
use crate::job::{Cancel, Namespace, OpenRequest, Sandbox};
use crate::shell::{Output, Shell, ShellLimits};
use crate::source::embedded::opener;

const NOW_MS: i64 = 1_780_315_200_000;

/// 1,000 documents, one an hour old, one two hours old, and so on.
fn store() -> Arc<dyn Source> {
    let request = OpenRequest {
        sandbox: Some(Sandbox::Empty),
        simulated_start_ms: Some(NOW_MS),
        ..OpenRequest::default()
    };
    let source = opener()(&request).map_err(|error| error.message).expect("a sandbox").source;
    let at = |hours: i64| DateTime::from_millis(NOW_MS - hours * 3_600_000);
    let documents: Vec<Document> =
        (1..=1_000_i64).map(|n| doc! { "_id": n, "at": at(n) }).collect();
    ok(source.as_ref(), "test", &doc! { "insert": "c", "documents": documents });
    source
}

fn ok(source: &dyn Source, db: &str, command: &Document) -> Document {
    let reply = source.run(db, command);
    assert_eq!(refusal(&reply), None, "{command}");
    reply
}

fn plan() -> RolloutPlan {
    RolloutPlan {
        namespace: Namespace::new("test", "c"),
        create: Some(doc! { "key": { "at": 1 }, "name": "at_1" }),
        name: "at_1".to_owned(),
        key: doc! { "at": 1 },
        partial: None,
        is_hidden: false,
        from_secs: None,
        // Ten hours.
        to_secs: 36_000,
        // 300 a step.
        per_second: 5,
        pass_max: None,
        replaces: false,
        lag_max_secs: None,
    }
}

fn count(source: &dyn Source) -> i32 {
    ok(source, "test", &doc! { "count": "c" }).get_i32("n").expect("a count")
}

fn secs(source: &dyn Source) -> i64 {
    let reply = ok(source, "test", &doc! { "listIndexes": "c" });
    let cursor = reply.get_document("cursor").expect("a cursor");
    let batch = cursor.get_array("firstBatch").expect("a batch");
    let index = batch.last().and_then(Bson::as_document).expect("an index");
    index.get("expireAfterSeconds").and_then(whole).expect("seconds")
}

/// A minute goes by, and a pass removes what is due.
fn minute(source: &dyn Source) {
    ok(source, "admin", &doc! { "mayflyClock": 1, "advanceMS": 60_000_i64 });
    ok(source, "admin", &doc! { "mayflyReap": 1 });
}

#[test]
fn documents_go_in_steps_and_the_oldest_first() {
    let source = store();
    let mut rollout = Rollout::new(plan());
    assert_eq!(rollout.look(source.as_ref()), Ok(Look::Waits));
    assert_eq!((secs(source.as_ref()), count(source.as_ref())), (SECS_MAX, 1_000));
    let mut counts = Vec::new();
    for _ in 0..40 {
        if rollout.look(source.as_ref()) == Ok(Look::Complete) {
            break;
        }
        // Nothing more is lowered while something is overdue.
        let lowered = secs(source.as_ref());
        assert_eq!(rollout.look(source.as_ref()), Ok(Look::Waits));
        assert_eq!(secs(source.as_ref()), lowered);
        minute(source.as_ref());
        counts.push(count(source.as_ref()));
    }
    // 991 documents are ten hours old or older by the end of it.
    assert_eq!(counts, [700, 400, 100, 9]);
    assert_eq!(secs(source.as_ref()), 36_000);
    assert_eq!(rollout.progress(), (991, 991));
}

/// A window's connection to a replica set with the same data, on which no pass runs by itself.
fn replica_set(lag_ms: Option<i64>) -> (DocumentDb, Arc<dyn Source>) {
    let server = DocumentDb::start_at(Habits::mongodb(), NOW_MS);
    server.replicate(lag_ms);
    let at = |hours: i64| DateTime::from_millis(NOW_MS - hours * 3_600_000);
    let documents: Vec<Document> =
        (1..=1_000_i64).map(|n| doc! { "_id": n, "at": at(n) }).collect();
    server.prepare("test", &doc! { "insert": "c", "documents": documents });
    let (source, _) = crate::source::remote::open(&server.uri()).expect("a server");
    source.set_locked(false);
    (server, source)
}

#[test]
fn a_step_waits_while_the_slowest_secondary_lags() {
    let (server, source) = replica_set(Some(10_001));
    let mut rollout = Rollout::new(RolloutPlan { lag_max_secs: Some(10), ..plan() });
    let look = |rollout: &mut Rollout| rollout.look(source.as_ref());
    assert_eq!(look(&mut rollout), Ok(Look::Waits), "the index removes nothing yet");
    for _ in 0..2 {
        assert_eq!(look(&mut rollout), Ok(Look::Waits));
        assert_eq!(rollout.words(), "waits until the lag is at most 10 s; replication lag 11 s");
        assert_eq!(secs(source.as_ref()), SECS_MAX);
    }
    server.replicate(Some(10_000));
    assert_eq!(look(&mut rollout), Ok(Look::Waits));
    let lowered = secs(source.as_ref());
    assert!(lowered < SECS_MAX);
    assert!(rollout.words().ends_with("; replication lag 10 s"), "{}", rollout.words());
    // It is read once before each step. The member that is late on purpose doesn't count.
    server.advance_ms(60_000);
    assert_eq!(server.pass(), 300);
    server.replicate(Some(3_000_000));
    rollout.next_ms = i64::MIN;
    let asked = server.sent("replSetGetStatus").len();
    assert_eq!(look(&mut rollout), Ok(Look::Waits));
    assert_eq!(
        (secs(source.as_ref()), server.sent("replSetGetStatus").len()),
        (lowered, asked + 1)
    );
    assert_eq!(server.sent("replSetGetConfig").len(), 1);
}

#[test]
fn a_lag_that_cannot_be_read_is_said_and_stops_nothing() {
    let (_server, source) = replica_set(None);
    let mut rollout = Rollout::new(RolloutPlan { lag_max_secs: Some(10), ..plan() });
    for _ in 0..2 {
        assert_eq!(rollout.look(source.as_ref()), Ok(Look::Waits));
    }
    assert!(secs(source.as_ref()) < SECS_MAX);
    let words = rollout.words();
    assert!(words.contains("replication lag can't be read: not authorized"), "{words}");
    // Without a bound, it isn't read.
    let (server, source) = replica_set(Some(10_001));
    let mut unbound = Rollout::new(plan());
    for _ in 0..2 {
        assert_eq!(unbound.look(source.as_ref()), Ok(Look::Waits));
    }
    assert!(secs(source.as_ref()) < SECS_MAX);
    assert_eq!(server.sent("replSetGetStatus"), []);
}

/// A plain index that has to be made again to get a TTL.
fn replacing() -> RolloutPlan {
    RolloutPlan {
        replaces: true,
        create: Some(doc! { "key": { "at": 1 }, "name": "at_1" }),
        ..plan()
    }
}

#[test]
fn a_plain_index_is_made_again_where_a_server_adds_no_ttl_in_place() {
    let server = DocumentDb::start_at(Habits::documentdb(), NOW_MS);
    let at = DateTime::from_millis(NOW_MS - 86_400_000);
    server.prepare("test", &doc! { "insert": "c", "documents": [{ "_id": 1, "at": at }] });
    let index = doc! { "key": { "at": 1 }, "name": "at_1" };
    server.prepare("test", &doc! { "createIndexes": "c", "indexes": [index] });
    let (source, _) = crate::source::remote::open(&server.uri()).expect("a server");
    source.set_locked(false);
    let in_place = RolloutPlan { create: None, ..plan() };
    assert!(Rollout::new(in_place).look(source.as_ref()).is_err(), "it refuses");
    let mut rollout = Rollout::new(replacing());
    assert_eq!(rollout.look(source.as_ref()), Ok(Look::Waits));
    assert_eq!((secs(source.as_ref()), server.sent("dropIndexes").len()), (SECS_MAX, 1));
    assert_eq!(rollout.look(source.as_ref()), Ok(Look::Waits));
    assert_eq!(secs(source.as_ref()), 36_000, "one document: the first step is the last");
    // An index that was dropped before the program ended is only made.
    server.prepare("test", &doc! { "dropIndexes": "c", "index": "at_1" });
    assert_eq!(Rollout::new(replacing()).look(source.as_ref()), Ok(Look::Waits));
    assert_eq!(secs(source.as_ref()), SECS_MAX);
}

#[test]
fn a_rollout_that_is_stopped_says_how_things_are() {
    let source = store();
    let mut rollout = Rollout::new(plan());
    for _ in 0..2 {
        assert_eq!(rollout.look(source.as_ref()), Ok(Look::Waits));
    }
    minute(source.as_ref());
    assert_eq!(rollout.look(source.as_ref()), Ok(Look::Waits));
    let said = rollout.result();
    assert!(said.starts_with("300 of 991 documents of test.c were removed"), "{said}");
    assert!(said.contains(&format!("TTL is now {}", age(secs(source.as_ref())))), "{said}");
}

#[test]
fn a_refusal_ends_it_with_one_sentence() {
    let source = store();
    let missing = RolloutPlan { create: None, from_secs: Some(SECS_MAX), ..plan() };
    let refused = Rollout::new(missing).look(source.as_ref());
    assert!(refused.as_ref().is_err_and(|why| why.contains("hint")), "{refused:?}");
}

#[test]
fn a_hidden_index_is_rolled_out_without_a_hint() {
    let source = store();
    let index = doc! {
        "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": SECS_MAX, "hidden": true,
    };
    ok(source.as_ref(), "test", &doc! { "createIndexes": "c", "indexes": [index] });
    let hidden = RolloutPlan { create: None, is_hidden: true, from_secs: Some(SECS_MAX), ..plan() };
    assert_eq!(Rollout::new(hidden).look(source.as_ref()), Ok(Look::Waits));
}

#[test]
fn the_script_for_mongosh_does_the_same() {
    let source = store();
    // Instead of waiting for the monitor it runs a pass.
    let script =
        rollout::script(&plan()).replace("sleep(60000)", "db.adminCommand({mayflyReap: 1})");
    let limits = ShellLimits { time: None, ..ShellLimits::default() };
    let mut shell = Shell::new(Arc::clone(&source), limits).expect("a shell");
    let mut said = Vec::new();
    let all = shell.run_input(&script, &Cancel::default(), &mut |output| match output {
        Output::Printed(line) | Output::Failed(line) => said.push(line),
        Output::Value { .. } => {}
    });
    assert!(all, "{said:?}");
    assert_eq!((secs(source.as_ref()), count(source.as_ref())), (36_000, 9), "{said:?}");
    assert_eq!(said.len(), 4, "{said:?}");
}
