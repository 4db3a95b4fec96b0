//! The window's messages when a server hangs, dies, steps down, is throttled, is too old, or
//! answers yes to everything. The scripts are in `tests/clients/servers/scripted.py`.

use std::collections::BTreeSet;
use std::thread;

use bson::{Bson, Document, doc};
use mayfly::job::Cancel;
use mayfly::source::{Source, remote};
use mayfly_tests::deadline::Deadline;

use super::peer::{Peer, WAIT, batch, ok, refused, rows, sentence};

/// Connections that a source has at most.
const POOL: usize = 4;

const UNKNOWN: &str =
    "It is not known whether the change was made; look at the data before you try again";

fn find() -> Document {
    doc! { "find": "c" }
}

fn insert() -> Document {
    doc! { "insert": "c", "documents": [{ "_id": 1 }] }
}

fn expiring() -> Document {
    doc! { "mayflyExpiring": "c" }
}

fn code(source: &dyn Source, command: &Document) -> Option<i32> {
    source.run("shop", command).get_i32("code").ok()
}

#[test]
fn a_stop_ends_what_is_never_answered_and_frees_its_connection() {
    let peer = Peer::scripted("silent");
    let source = peer.source();
    for command in [find(), expiring()].iter().cycle().take(2 * POOL) {
        let cancel = Cancel::default();
        let reply = thread::scope(|scope| {
            let reading = scope.spawn(|| source.run_until("shop", command, &cancel));
            peer.receives("find");
            cancel.cancel();
            reading.join().expect("it ends")
        });
        assert_eq!(sentence(&reply), "The command was stopped");
    }
    ok(source.as_ref(), doc! { "ping": 1 });
}

#[test]
fn an_answer_after_its_time_is_not_taken_for_another() {
    let mut peer = Peer::scripted("late");
    let source = peer.source();
    let source = source.as_ref();
    let briefly = doc! { "find": "c", "maxTimeMS": 1 };
    assert_eq!(refused(source, briefly), "The server did not answer in time");
    peer.receives("find");
    ok(source, doc! { "ping": 1 });
    let reply = thread::scope(|scope| {
        let reading = scope.spawn(|| ok(source, find()));
        peer.receives("find");
        // Both are answered; the first one's connection is gone.
        peer.go();
        reading.join().expect("it ends")
    });
    assert_eq!(batch(&reply), [doc! { "_id": "late" }]);
    ok(source, doc! { "ping": 1 });
}

#[test]
fn the_outcome_of_a_write_that_got_no_answer_is_unknown() {
    let peer = Peer::scripted("dies");
    let source = peer.unlocked();
    let source = source.as_ref();
    let broke = "The connection to the server broke: unexpected end of file";
    for _ in 0..2 {
        assert_eq!(refused(source, find()), broke);
        assert_eq!(refused(source, insert()), format!("{broke}. {UNKNOWN}"));
        ok(source, doc! { "ping": 1 });
    }
    assert_eq!(refused(source, expiring()), broke);
}

#[test]
fn a_primary_that_steps_down_is_said_and_found_again() {
    let mut peer = Peer::scripted("steps down");
    let source = peer.unlocked();
    let source = source.as_ref();
    ok(source, find());
    let reply = source.run("shop", &insert());
    assert_eq!(
        (reply.get_i32("code").ok(), sentence(&reply).as_str()),
        (Some(10107), "not primary")
    );
    let none = "The replica set has no primary now; try again in a few seconds";
    assert_eq!(refused(source, find()), none);
    peer.go();
    ok(source, insert());
    ok(source, find());
}

#[test]
fn a_throttled_server_is_asked_again_until_it_answers() {
    let peer = Peer::scripted("throttled");
    let source = peer.unlocked();
    let source = source.as_ref();
    for command in [find(), insert()] {
        assert_eq!(code(source, &command), None, "{command}");
    }
    let all = received(&peer, source);
    let count = |name: &str| all.iter().filter(|command| command.contains_key(name)).count();
    assert_eq!((count("find"), count("insert")), (3, 3), "two were refused each");
}

#[test]
fn a_server_that_is_too_old_is_named_so() {
    let peer = Peer::scripted("old");
    let uri = format!("mongodb://127.0.0.1:{}/", peer.port);
    let failure = remote::open(&uri).err().expect("it is too old");
    assert_eq!(
        failure,
        format!(
            "This server is too old or too new. Server at 127.0.0.1:{} reports wire version 8, but this \
             version of the MongoDB Rust driver requires at least 9 (MongoDB 4.4).",
            peer.port
        )
    );
}

#[test]
fn success_without_an_answer_is_not_believed() {
    let peer = Peer::scripted("yes");
    let source = peer.unlocked();
    let source = source.as_ref();
    let without = |name: &str, field: &str| {
        format!("The server answers {name} without {field}; it may not support {name}")
    };
    let index = doc! { "keyPattern": { "at": 1 }, "expireAfterSeconds": 60 };
    for (command, said) in [
        (find(), without("find", "cursor")),
        (doc! { "count": "c" }, without("count", "n")),
        (doc! { "distinct": "c", "key": "a" }, without("distinct", "values")),
        (doc! { "listDatabases": 1 }, without("listDatabases", "databases")),
        (insert(), format!("{}. {UNKNOWN}", without("insert", "n"))),
        (expiring(), without("listIndexes", "cursor")),
        (doc! { "mayflyVerdict": "c", "id": 1 }, without("listIndexes", "cursor")),
        (doc! { "mayflyWhatIf": "c", "index": &index }, without("listIndexes", "cursor")),
        (
            doc! { "collMod": "c", "index": &index },
            format!(
                "The server answers that it changed the index, but its indexes can't be listed: {}",
                without("listIndexes", "cursor")
            ),
        ),
    ] {
        assert_eq!(refused(source, command), said);
    }
    // A write that waits for nothing has no other answer.
    let silent = doc! { "insert": "c", "documents": [{}], "writeConcern": { "w": 0 } };
    ok(source, silent);
}

#[test]
fn a_failure_without_a_code_keeps_its_sentence() {
    let peer = Peer::scripted("no code");
    let source = peer.unlocked();
    let source = source.as_ref();
    for (command, name) in [(find(), "find"), (insert(), "insert"), (expiring(), "find")] {
        assert_eq!(code(source, &command), None, "{command}");
        assert_eq!(refused(source, command), format!("{name} failed and nothing says why"));
    }
}

#[test]
fn an_index_that_is_dropped_meanwhile_ends_one_read_only() {
    let peer = Peer::scripted("index dropped");
    let source = peer.source();
    let source = source.as_ref();
    let killed = "query plan killed :: caused by :: index 'at_1' dropped";
    let page = ok(source, find());
    assert_eq!(batch(&page).len(), 1);
    let more = |collection: &str| doc! { "getMore": 77_i64, "collection": collection };
    assert_eq!(code(source, &more("c")), Some(175));
    assert_eq!(refused(source, more("c")), killed);
    assert_eq!(code(source, &more("changes")), Some(286));
    let lost = "the resume point may no longer be in the oplog";
    assert_eq!(refused(source, more("changes")), lost);
    assert_eq!(refused(source, expiring()), killed);
    // The next look asks for the rules again, though the last ones are seconds old.
    let reply = ok(source, expiring());
    assert_eq!((rows(&reply).len(), reply.get_i64("rules").ok()), (0, Some(0)), "{reply}");
}

/// The names in a section of the list of commands, which says where it is from.
fn listed(section: &str) -> Vec<&'static str> {
    let list = include_str!("../../cases/commands.txt");
    let start = format!("[{section}]");
    let lines = list.lines().skip_while(|line| *line != start).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    lines.filter(|line| !line.starts_with('#')).flat_map(str::split_whitespace).collect()
}

/// The commands that a script has received until now, without the driver's greetings.
fn received(peer: &Peer, source: &dyn Source) -> Vec<Document> {
    ok(source, doc! { "ping": "the last" });
    let (mut all, deadline) = (Vec::new(), Deadline::after(WAIT));
    loop {
        let next = peer.received(deadline);
        if next.get_str("ping").ok() == Some("the last") {
            return all;
        }
        let name = next.keys().next().map(|name| name.to_lowercase()).unwrap_or_default();
        if !["hello", "ismaster"].contains(&name.as_str()) || next.contains_key("ours") {
            all.push(next);
        }
    }
}

/// Every command with a value and fields that a server would act on.
fn commands() -> Vec<Document> {
    let out = doc! { "$out": "d" };
    let merge = doc! { "$unionWith": { "coll": "c", "pipeline": [{ "$merge": { "into": "d" } }] } };
    let aggregate = |stage: &Document| doc! { "aggregate": "c", "pipeline": [stage], "cursor": {} };
    let read = doc! { "$match": { "a": 1 } };
    let mut all = vec![aggregate(&read), aggregate(&out), aggregate(&merge)];
    let fields = doc! {
        "documents": [{ "_id": 1 }], "updates": [{ "q": {}, "u": { "$set": { "a": 1 } }, "multi": true }],
        "deletes": [{ "q": {}, "limit": 0 }], "index": "*", "collection": "c", "cursors": [1_i64],
        "key": "a", "to": "shop.d", "ours": true,
    };
    for name in ["read", "refused"].into_iter().flat_map(listed) {
        for value in [Bson::from("c"), Bson::from(1)] {
            let mut command = doc! { name: value };
            command.extend(fields.clone());
            all.push(command);
        }
    }
    let explained: Vec<Document> = all.iter().map(|command| doc! { "explain": command }).collect();
    all.extend(explained);
    all
}

#[test]
fn a_locked_connection_sends_reads_only() {
    let peer = Peer::scripted("yes");
    let source = peer.source();
    let source = source.as_ref();
    // A lock that is set again counts as one that was never open.
    source.set_locked(false);
    let _ = source.run("shop", &insert());
    let before = received(&peer, source);
    assert!(
        before.iter().any(|command| command.contains_key("insert")),
        "the script records writes"
    );
    source.set_locked(true);

    let all = commands();
    assert!(all.len() > 1_700, "{}", all.len());
    for command in &all {
        for db in ["shop", "admin"] {
            let _ = source.run(db, command);
        }
    }
    let sent = received(&peer, source);
    let mut names = BTreeSet::new();
    for command in &sent {
        let explained = command.get_document("explain").ok().unwrap_or(command);
        let name = explained.keys().next().cloned().unwrap_or_default();
        let text = command.to_string();
        assert!(!text.contains("$out") && !text.contains("$merge"), "{text}");
        names.insert(name);
    }
    let mut reads: BTreeSet<String> = listed("read").into_iter().map(str::to_owned).collect();
    reads.insert("aggregate".to_owned());
    assert_eq!(names, reads);
}
