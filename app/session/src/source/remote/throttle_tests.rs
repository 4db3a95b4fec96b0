//! A server that asks to slow down, for each kind of command. No test waits: the clock leaps.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bson::{Bson, Document, RawDocumentBuf, doc};
use mayfly_engine::clock::{Clock, ClockStatus, SystemClock, WaitEnd, WakeUp};
use mayfly_tests::documentdb::{DocumentDb, Habits, RETRY_AFTER_MS};

use super::Remote;
use crate::job::reply::is_ok;
use crate::job::{Cancel, ConnectionString};
use crate::limits::{THROTTLE_MAX, THROTTLE_OWN_PAUSE_MAX};
use crate::source::Source as _;

/// A clock that is at the end of each wait at once.
#[derive(Default)]
struct Leaping(Mutex<Duration>);

impl Clock for Leaping {
    fn now_ms(&self) -> i64 {
        0
    }

    fn monotonic(&self) -> Duration {
        *self.0.lock().expect("not poisoned")
    }

    fn wait_until(&self, deadline: Option<Duration>, _: &WakeUp) -> WaitEnd {
        *self.0.lock().expect("not poisoned") = deadline.expect("a deadline");
        WaitEnd::Deadline
    }

    fn status(&self) -> ClockStatus {
        SystemClock.status()
    }

    fn boot_id(&self) -> Option<String> {
        None
    }
}

struct Lab {
    server: DocumentDb,
    remote: Remote,
    clock: Arc<Leaping>,
}

impl Lab {
    fn new(habits: Habits) -> Self {
        let server = DocumentDb::start(habits);
        let documents: Vec<Document> = (0..20).map(|id| doc! { "_id": id, "a": id }).collect();
        server.prepare("d", &doc! { "insert": "c", "documents": documents });
        let string = ConnectionString::read(&server.uri()).expect("a string");
        let connected = Remote::connect(&string, &Cancel::default(), &|_| ());
        let mut remote = connected.map_err(|failed| failed.sentence).expect("it connects");
        let clock = Arc::new(Leaping::default());
        remote.throttle.clock = Arc::clone(&clock) as Arc<dyn Clock>;
        remote.set_locked(false);
        Self { server, remote, clock }
    }

    fn both() -> [Self; 2] {
        [Habits::documentdb(), Habits::mongodb()].map(Self::new)
    }

    /// The numbers of documents or statements of the commands of a name that came.
    fn sent(&self, name: &str, list: &str) -> Vec<usize> {
        let sent = self.server.sent(name).into_iter();
        sent.map(|command| command.get_array(list).expect("a list").len()).collect()
    }

    fn waited(&self) -> Duration {
        self.clock.monotonic()
    }
}

fn number(reply: &Document, name: &str) -> i64 {
    reply.get(name).and_then(mayfly_engine::value::whole).unwrap_or(0)
}

#[test]
fn documents_that_were_not_inserted_are_sent_again() {
    for (is_ordered, is_raw) in [(false, true), (true, true), (false, false)] {
        for lab in Lab::both() {
            // One is there already, and stays an error in its place.
            let documents: Vec<Document> =
                [100, 101, 5, 102, 103, 104].into_iter().map(|id| doc! { "_id": id }).collect();
            let insert = doc! { "insert": "c", "documents": documents, "ordered": is_ordered };
            lab.server.throttle("insert", 2, Some(1));
            let reply = if is_raw {
                let insert = RawDocumentBuf::try_from(&insert).expect("a command");
                lab.remote.run_bytes("d", &insert, &|| false)
            } else {
                lab.remote.run_write("d", &insert, &|| false)
            };
            let errors = reply.get_array("writeErrors").expect("one error");
            let error = errors[0].as_document().expect("an error");
            assert_eq!(
                (errors.len(), number(error, "index"), number(error, "code")),
                (1, 2, 11_000)
            );
            assert_eq!(number(&reply, "n"), if is_ordered { 2 } else { 5 }, "{reply}");
            assert_eq!(lab.sent("insert", "documents"), [6, 5, 4]);
            assert!(lab.waited() >= Duration::from_millis(2 * RETRY_AFTER_MS));
            let stored = lab.server.stored("d", "c").len();
            assert_eq!(stored, if is_ordered { 22 } else { 25 });
        }
    }
}

#[test]
fn statements_that_were_not_done_are_sent_again() {
    for lab in Lab::both() {
        let one =
            |id: i32| doc! { "q": { "_id": id }, "u": { "$inc": { "a": 100 } }, "upsert": true };
        let updates: Vec<Document> = [0, 1, 2, 50].map(one).to_vec();
        let update = doc! { "update": "c", "updates": updates, "ordered": false };
        lab.server.throttle("update", 2, Some(1));
        let reply = lab.remote.run_write("d", &update, &|| false);
        assert!(!reply.contains_key("writeErrors"), "{reply}");
        assert_eq!((number(&reply, "n"), number(&reply, "nModified")), (4, 3), "{reply}");
        let upserted = reply.get_array("upserted").expect("one");
        assert_eq!(number(upserted[0].as_document().expect("one"), "index"), 3);
        assert_eq!(lab.sent("update", "updates"), [4, 3, 2]);
        let count = doc! { "count": "c", "query": { "a": { "$in": [100, 101, 102] } } };
        assert_eq!(number(&lab.remote.run("d", &count), "n"), 4, "each was done once");
        // A change of many that would be made twice is not sent again.
        lab.server.throttle("update", 1, Some(0));
        let many = |update: Document| doc! { "q": {}, "u": update, "multi": true };
        let twice = doc! { "update": "c", "updates": [many(doc! { "$inc": { "a": 1 } })] };
        let reply = lab.remote.run_write("d", &twice, &|| false);
        let errors = reply.get_array("writeErrors").expect("an error");
        assert_eq!(number(errors[0].as_document().expect("one"), "code"), 16_500);
        lab.server.throttle("update", 1, Some(0));
        let set = doc! { "update": "c", "updates": [many(doc! { "$set": { "s": 1 } })] };
        let reply = lab.remote.run_write("d", &set, &|| false);
        assert_eq!(number(&reply, "nModified"), 21, "{reply}");
    }
}

#[test]
fn reads_are_asked_again() {
    for lab in Lab::both() {
        for name in ["find", "count", "getMore", "aggregate"] {
            lab.server.throttle(name, 2, None);
        }
        let find = doc! { "find": "c", "batchSize": 5 };
        let reply = lab.remote.run("d", &find);
        let cursor = reply.get_document("cursor").expect("a cursor");
        let id = cursor.get_i64("id").expect("a number");
        let more = doc! { "getMore": id, "collection": "c", "batchSize": 50 };
        let reply = lab.remote.run("d", &more);
        let rest = reply.get_document("cursor").and_then(|cursor| cursor.get_array("nextBatch"));
        assert_eq!(rest.map(Vec::len).ok(), Some(15), "{reply}");
        let sessions: Vec<Option<Bson>> =
            lab.server.sent("getMore").iter().map(|one| one.get("lsid").cloned()).collect();
        assert!(sessions.len() == 3 && sessions.iter().all(|one| *one == sessions[0]));
        assert_eq!(number(&lab.remote.run("d", &doc! { "count": "c", "query": {} }), "n"), 20);
        let group = doc! { "aggregate": "c", "pipeline": [{ "$match": {} }], "cursor": {} };
        assert!(is_ok(&lab.remote.run("d", &group)));
        assert_eq!(lab.server.sent("count").len(), 3);
    }
}

#[test]
fn an_export_reads_on_where_it_was() {
    for lab in Lab::both() {
        lab.server.throttle("find", 2, None);
        lab.server.throttle("getMore", 3, None);
        let find = doc! { "find": "c", "sort": { "_id": 1 }, "batchSize": 6 };
        let mut ids = Vec::new();
        let read = lab.remote.read_batches("d", &find, &Cancel::default(), &mut |batch| {
            ids.extend(batch.iter().map(|one| one.get_i32("_id").expect("a number")));
            Ok(())
        });
        assert_eq!((read, ids), (Ok(()), (0..20).collect()));
        assert_eq!(lab.server.sent("find").len(), 3);
    }
}

#[test]
fn a_server_that_takes_nothing_ends_the_command_with_one_sentence() {
    let lab = Lab::new(Habits::mongodb());
    let insert = doc! { "insert": "c", "documents": [{ "_id": 70 }, { "_id": 71 }] };
    let sentence = "asks to slow down and took nothing for 120 s";
    for (command, done) in [
        (doc! { "count": "c" }, None),
        (doc! { "find": "c" }, None),
        (insert.clone(), None),
        (insert.clone(), Some(0)),
    ] {
        let name = command.keys().next().expect("a name").clone();
        lab.server.throttle(&name, u32::MAX, done);
        lab.server.forget_commands();
        let began = lab.waited();
        let reply = lab.remote.run("d", &command);
        assert!(!is_ok(&reply) && reply.get_str("errmsg").is_ok_and(|it| it.contains(sentence)));
        let took = lab.waited().saturating_sub(began);
        assert!(took >= THROTTLE_MAX && took <= THROTTLE_MAX + THROTTLE_OWN_PAUSE_MAX, "{took:?}");
        assert!(lab.server.sent(&name).len() < 40, "{}", lab.server.sent(&name).len());
    }
    let read =
        lab.remote.read_batches("d", &doc! { "find": "c" }, &Cancel::default(), &mut |_| Ok(()));
    assert!(read.is_err_and(|it| it.contains(sentence)));
    // The part that was done by then is known.
    lab.server.throttle("insert", 1, Some(1));
    let stops = std::cell::Cell::new(0);
    let reply = lab.remote.run_write("d", &insert, &|| {
        lab.server.throttle("insert", u32::MAX, Some(0));
        stops.set(stops.get() + 1);
        false
    });
    assert_eq!((number(&reply, "n"), is_ok(&reply)), (1, true), "{reply}");
    let errors = reply.get_array("writeErrors").expect("one");
    assert_eq!(number(errors[0].as_document().expect("one"), "index"), 1);
    assert!(stops.get() > 10);
}

#[test]
fn a_pause_ends_when_it_is_canceled_and_is_shown_while_it_lasts() {
    let lab = Lab::new(Habits::mongodb());
    lab.server.throttle("count", u32::MAX, None);
    let cancel = Cancel::default();
    cancel.cancel();
    let reply = lab.remote.run_until("d", &doc! { "count": "c" }, &cancel);
    assert!(!is_ok(&reply), "{reply}");
    lab.server.throttle("insert", u32::MAX, None);
    let slow_down = lab.remote.throttle.slow_down.clone();
    assert!(!slow_down.is_asked());
    let insert = doc! { "insert": "c", "documents": [{ "_id": 70 }] };
    let reply = lab.remote.run_write("d", &insert, &|| slow_down.is_asked());
    assert_eq!(reply.get_str("errmsg").ok(), Some("The command was stopped"));
    assert!(!slow_down.is_asked());
    assert_eq!(lab.server.sent("insert").len(), 1);
}
