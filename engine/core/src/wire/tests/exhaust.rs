//! Batches of a cursor that come without being asked for.

use bson::{Document, doc};

use super::{Client, Lab, PATIENCE, WireLimits, ask, lives, msg};
use crate::clock::work_time;

const MORE_TO_COME: u32 = 1 << 1;
const EXHAUST_ALLOWED: u32 = 1 << 16;

/// The next reply: its own number, that of what it answers, its flags and its document.
fn next(stream: &mut Client) -> (i32, i32, u32, Document) {
    let mut header = [0; 16];
    stream.read_exact(&mut header).expect("a reply");
    let word = |at: usize| i32::from_le_bytes(header[at..at + 4].try_into().expect("four"));
    let mut body = vec![0; usize::try_from(word(0)).expect("a length") - 16];
    stream.read_exact(&mut body).expect("a whole reply");
    let flags = u32::from_le_bytes(body[..4].try_into().expect("four"));
    (word(4), word(8), flags, Document::from_reader(&body[5..]).expect("a document"))
}

/// A collection of 100 documents of this size, and a cursor on it after its first ten.
fn cursor(lab: &Lab, stream: &mut Client, bytes: usize) -> i64 {
    let documents: Vec<Document> =
        (0..100).map(|n| doc! { "_id": n, "x": "x".repeat(bytes) }).collect();
    let reply = lab.engine.run("d", &doc! { "insert": "c", "documents": documents });
    assert_eq!(reply.get_i32("n").ok(), Some(100), "{reply}");
    let find = doc! { "find": "c", "batchSize": 10, "$db": "d" };
    let reply = ask(stream, &msg(EXHAUST_ALLOWED, &find));
    reply.get_document("cursor").expect("a cursor").get_i64("id").expect("open")
}

fn get_more(id: i64) -> Vec<u8> {
    let command = doc! { "getMore": id, "collection": "c", "batchSize": 20, "$db": "d" };
    msg(EXHAUST_ALLOWED, &command)
}

fn open_cursors(lab: &Lab) -> i32 {
    let status = lab.engine.run("admin", &doc! { "serverStatus": 1 });
    let cursors = status.get_document("metrics").and_then(|it| it.get_document("cursor"));
    let open = cursors.and_then(|it| it.get_document("open")).expect("counters");
    open.get_i64("total").map_or_else(
        |_| open.get_i32("total").expect("a number"),
        |n| i32::try_from(n).expect("few"),
    )
}

#[test]
fn one_request_brings_every_batch() {
    for lab in Lab::both(&WireLimits::default(), false) {
        let mut stream = lab.connect();
        let id = cursor(&lab, &mut stream, 10);
        stream.write_all(&get_more(id)).expect("sent");
        let (mut answered, mut seen) = (7, Vec::new());
        loop {
            let (own, response_to, flags, reply) = next(&mut stream);
            assert_eq!(response_to, answered, "each answers the one before it: {reply}");
            assert!(own != 0 && own != response_to);
            answered = own;
            let cursor = reply.get_document("cursor").expect("a batch");
            let batch = cursor.get_array("nextBatch").expect("a batch");
            seen.extend(batch.iter().filter_map(|it| it.as_document()?.get_i32("_id").ok()));
            let is_open = cursor.get_i64("id").expect("an id") != 0;
            assert_eq!(flags, if is_open { MORE_TO_COME } else { 0 });
            if !is_open {
                break;
            }
        }
        assert_eq!(seen, (10..100).collect::<Vec<_>>());
        lives(&mut stream);
        assert_eq!(open_cursors(&lab), 0);
    }
}

#[test]
fn what_is_no_cursor_is_answered_once() {
    let lab = Lab::open(WireLimits::default());
    let mut stream = lab.connect();
    for command in [
        doc! { "ping": 1, "$db": "admin" },
        doc! { "hello": 1, "$db": "admin" },
        doc! { "getMore": 99_i64, "collection": "c", "$db": "d" },
        doc! { "nothing": 1, "$db": "d" },
    ] {
        stream.write_all(&msg(EXHAUST_ALLOWED, &command)).expect("sent");
        let (_, response_to, flags, reply) = next(&mut stream);
        assert_eq!((response_to, flags), (7, 0), "{command}: {reply}");
        lives(&mut stream);
    }
    // A tailable cursor that waits for nothing brings one empty batch.
    let create = doc! { "create": "c", "capped": true, "size": 9_999 };
    lab.engine.run("d", &create);
    let _ = cursor(&lab, &mut stream, 10);
    let find = doc! { "find": "c", "tailable": true, "batchSize": 100, "$db": "d" };
    let reply = ask(&mut stream, &msg(0, &find));
    let id = reply.get_document("cursor").expect("a cursor").get_i64("id").expect("open");
    stream.write_all(&get_more(id)).expect("sent");
    let (_, _, flags, reply) = next(&mut stream);
    assert_eq!(flags, 0, "{reply}");
    assert_eq!(reply.get_document("cursor").expect("a cursor").get_i64("id").ok(), Some(id));
    lives(&mut stream);
}

#[test]
fn an_error_in_the_middle_ends_the_stream() {
    let lab = Lab::open(WireLimits::default());
    let mut stream = lab.connect();
    let documents = (0..100).map(|n| doc! { "_id": n, "x": i32::from(n != 55) });
    let documents: Vec<Document> = documents.collect();
    lab.engine.run("d", &doc! { "insert": "c", "documents": documents });
    let divided = doc! { "$expr": { "$gt": [{ "$divide": [1, "$x"] }, 0] } };
    let find = doc! { "find": "c", "filter": divided, "batchSize": 10, "$db": "d" };
    let reply = ask(&mut stream, &msg(0, &find));
    let id = reply.get_document("cursor").expect("a cursor").get_i64("id").expect("open");
    stream.write_all(&get_more(id)).expect("sent");
    let mut batches = 0;
    let error = loop {
        let (_, _, flags, reply) = next(&mut stream);
        if flags == 0 {
            break reply;
        }
        batches += 1;
    };
    assert_eq!((batches, error.get_f64("ok").ok()), (2, Some(0.0)), "{error}");
    lives(&mut stream);
    assert_eq!(open_cursors(&lab), 0);
}

/// Batches of more bytes than the connection holds, so that the server waits with the rest.
const LARGE: usize = 150_000;

#[test]
fn a_cursor_that_is_killed_in_the_middle_ends_the_stream() {
    for lab in Lab::both(&WireLimits::default(), false) {
        let mut stream = lab.connect();
        let id = cursor(&lab, &mut stream, LARGE);
        stream.write_all(&get_more(id)).expect("sent");
        let (_, _, flags, _) = next(&mut stream);
        assert_eq!(flags, MORE_TO_COME);
        lab.engine.run("d", &doc! { "killCursors": "c", "cursors": [id] });
        let last = loop {
            let (_, _, flags, reply) = next(&mut stream);
            if flags == 0 {
                break reply;
            }
        };
        assert!(matches!(last.get_i32("code"), Ok(43 | 237)), "{last}");
        lives(&mut stream);
    }
}

#[test]
fn a_client_that_leaves_takes_its_cursor_along() {
    for lab in Lab::both(&WireLimits::default(), false) {
        let mut stream = lab.connect();
        let id = cursor(&lab, &mut stream, LARGE);
        stream.write_all(&get_more(id)).expect("sent");
        let (_, _, flags, _) = next(&mut stream);
        assert_eq!(flags, MORE_TO_COME);
        drop(stream);
        let until = work_time() + PATIENCE;
        while open_cursors(&lab) != 0 {
            assert!(work_time() < until, "the cursor stays open");
            std::thread::yield_now();
        }
        lives(&mut lab.connect());
    }
}
