//! A server that sends what no server of good will sends: control characters, texts without an end,
//! replies that are nested without an end, and replies that stop in the middle.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bson::raw::{RawDocument, RawDocumentBuf};
use bson::{Document, doc};

use super::{Remote, ReplyLimits};
use crate::job::{
    Cancel, ConnectFailure, ConnectionString, Namespace, ServerMark, WatchEnd, WatchReport,
};
use crate::limits::SERVER_TEXT_MAX;
use crate::source::Source as _;
use crate::source::remote::failure::UNKNOWN;

const OP_QUERY: i32 = 2004;

/// The reply to the greetings that the driver sends by itself, if it differs from that to `hello`.
const GREETING: &str = "the driver's own greeting";

/// The bytes of a reply to each command; others are answered with `ok: 1`.
type Replies = HashMap<&'static str, Vec<u8>>;

/// Serves until the test ends. Returns the port.
fn serve(mut replies: Replies) -> u16 {
    let defaults = [
        ("hello", hello()),
        ("buildInfo", doc! { "version": "8.0.0", "ok": 1.0 }),
        ("ping", doc! { "ok": 1.0 }),
    ];
    for (name, reply) in defaults {
        replies.entry(name).or_insert_with(|| bytes(&reply));
    }
    let greeting = replies["hello"].clone();
    replies.insert("isMaster", greeting.clone());
    replies.insert("ismaster", greeting);
    let replies = Arc::new(replies);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let accept = move || {
        for stream in listener.incoming().flatten() {
            let replies = Arc::clone(&replies);
            let answer = move || answer(stream, &replies);
            drop(thread::Builder::new().name("hostile".to_owned()).spawn(answer));
        }
    };
    thread::Builder::new().name("hostile".to_owned()).spawn(accept).expect("a thread");
    port
}

/// Answers the commands of a connection until it ends.
fn answer(mut stream: TcpStream, replies: &Replies) -> Option<()> {
    loop {
        let mut header = [0; 16];
        stream.read_exact(&mut header).ok()?;
        let word = |at: usize| i32::from_le_bytes(header[at..at + 4].try_into().expect("4 bytes"));
        let mut body = vec![0; usize::try_from(word(0)).ok()? - 16];
        stream.read_exact(&mut body).ok()?;
        let is_query = word(12) == OP_QUERY;
        let start = if is_query { 4 + body[4..].iter().position(|b| *b == 0)? + 9 } else { 5 };
        let length =
            usize::try_from(i32::from_le_bytes(body[start..start + 4].try_into().ok()?)).ok()?;
        let command = RawDocument::from_bytes(&body[start..start + length]).ok()?;
        let (name, _) = command.iter().next()?.ok()?;
        let is_greeting = ["client", "maxAwaitTimeMS"]
            .into_iter()
            .any(|field| command.get(field).is_ok_and(|found| found.is_some()));
        let reply = replies.get(GREETING).filter(|_| is_greeting);
        let reply = reply
            .or_else(|| replies.get(name.as_str()))
            .cloned()
            .unwrap_or_else(|| bytes(&doc! { "ok": 1.0 }));
        let mut sent = Vec::new();
        let (op, head) = if is_query {
            (1_i32, [8_i32.to_le_bytes(), [0; 4], [0; 4], [0; 4], 1_i32.to_le_bytes()].concat())
        } else {
            (2013, vec![0; 5])
        };
        // As long as the document says it is: with another length, the message has it too.
        let said = i32::from_le_bytes(reply[..4].try_into().expect("4 bytes"));
        let total = i32::try_from(16 + head.len()).ok()? + said;
        for part in [total, 1, word(4), op] {
            sent.extend(part.to_le_bytes());
        }
        sent.extend(head);
        sent.extend(reply);
        stream.write_all(&sent).ok()?;
    }
}

fn hello() -> Document {
    doc! {
        "isWritablePrimary": true, "maxBsonObjectSize": 16_777_216, "maxMessageSizeBytes": 48_000_000,
        "maxWriteBatchSize": 100_000, "minWireVersion": 0, "maxWireVersion": 21, "readOnly": false,
        "logicalSessionTimeoutMinutes": 30,
        "ok": 1.0,
    }
}

fn bytes(document: &Document) -> Vec<u8> {
    RawDocumentBuf::try_from(document).expect("bytes").into_bytes()
}

/// A document with one more field, whose value is nested this deeply.
fn with_deep(document: &Document, levels: usize) -> Vec<u8> {
    let mut all = bytes(document);
    all.pop();
    all.extend(b"\x03x\0");
    // The length of level n is 5 + 8 n: each has its length, a type, a name of one byte, and an end.
    for level in (0..=levels).rev() {
        all.extend(i32::try_from(5 + 8 * level).expect("a small document").to_le_bytes());
        if level > 0 {
            all.extend(b"\x030\0");
        }
    }
    all.extend(vec![0; levels + 1]);
    all.push(0);
    let length = i32::try_from(all.len()).expect("a small document").to_le_bytes();
    all[..4].copy_from_slice(&length);
    all
}

fn connect(replies: Replies) -> Result<Remote, ConnectFailure> {
    let uri = format!("mongodb://127.0.0.1:{}/?directConnection=true", serve(replies));
    let string = ConnectionString::read(&uri).expect("a string");
    let remote = Remote::connect(&string, &Cancel::default(), &|_| ());
    remote.inspect(|remote| remote.set_locked(false))
}

fn connected(replies: Replies) -> Remote {
    connect(replies).map_err(|failure| failure.sentence).expect("it connects")
}

/// Whether a text can be shown in a terminal.
fn check_shown(text: &str) {
    assert!(text.chars().all(|c| crate::job::invisible::mark(c).is_none()), "{text:?}");
    assert!(text.chars().count() < 2 * SERVER_TEXT_MAX, "{} characters", text.len());
}

#[test]
fn texts_of_a_server_are_escaped_and_cut() {
    let hostile =
        format!("\u{1b}[2J\u{1b}]0;title\u{7}\u{202e}gnp.exe\u{2066}\n{}", "x".repeat(100_000));
    let failed = doc! { "ok": 0.0, "errmsg": &hostile, "code": 2, "codeName": &hostile };
    let refused =
        doc! { "ok": 1.0, "n": 0, "writeErrors": [{ "index": 0, "code": 2, "errmsg": &hostile }] };
    let mut greeting = hello();
    greeting.extend(doc! { "setName": &hostile, "primary": &hostile });
    let remote = connected(HashMap::from([
        ("hello", bytes(&greeting)),
        ("find", bytes(&failed)),
        ("insert", bytes(&refused)),
        ("count", bytes(&doc! { "ok": "\u{1b}[2J" })),
        ("buildInfo", bytes(&doc! { "ok": 1.0, "version": &hostile })),
    ]));
    let find = remote.run("shop", &doc! { "find": "c" });
    for field in ["errmsg", "codeName"] {
        check_shown(find.get_str(field).expect(field));
    }
    let message = find.get_str("errmsg").expect("a message");
    assert!(message.starts_with("\\u{1b}[2J\\u{1b}]0;title\\u{7}\\u{202e}gnp.exe"), "{message}");
    assert!(message.ends_with(" more)"), "{message}");
    let insert = remote.run("shop", &doc! { "insert": "c", "documents": [{ "_id": 1 }] });
    let errors = insert.get_array("writeErrors").expect("errors");
    check_shown(
        errors[0].as_document().and_then(|error| error.get_str("errmsg").ok()).expect("one"),
    );
    let count = remote.run("shop", &doc! { "count": "c" });
    check_shown(count.get_str("errmsg").expect("a message"));
    let string = ConnectionString::read("mongodb://localhost/").expect("a string");
    let attached = remote.attached(&string, ServerMark::default());
    check_shown(&attached.version);
    check_shown(&attached.topology);
}

#[test]
fn a_deep_reply_is_refused_and_the_program_continues() {
    for levels in [1_000, 2_000, 5_000] {
        let found = doc! { "ok": 1.0, "cursor": { "id": 0_i64, "ns": "shop.c", "firstBatch": [] } };
        let failed = doc! { "ok": 0.0, "errmsg": "no", "code": 2, "codeName": "BadValue" };
        let remote = connected(HashMap::from([
            ("find", with_deep(&found, levels)),
            ("count", with_deep(&failed, levels)),
        ]));
        let find = remote.run("shop", &doc! { "find": "c" });
        assert_eq!(find.get_i32("code").ok(), Some(15), "{levels}");
        assert!(find.get_str("errmsg").is_ok_and(|said| said.contains("200 levels")), "{find}");
        let count = remote.run("shop", &doc! { "count": "c" });
        assert_eq!(count.get_str("errmsg").ok(), Some("no"), "{levels}");
        assert_eq!(remote.run("shop", &doc! { "ping": 1 }), doc! { "ok": 1.0 });
        let mut read = 0;
        let find = doc! { "find": "c" };
        let done = remote.read_batches("shop", &find, &Cancel::default(), &mut |documents| {
            read += documents.len();
            Ok(())
        });
        assert_eq!((done, read), (Ok(()), 0), "the depth is outside of the documents");
    }
}

#[test]
fn a_deep_document_is_not_handed_to_an_export() {
    let document = with_deep(&doc! {}, 300);
    let mut batch = RawDocumentBuf::new();
    batch.append(bson::raw::cstr!("0"), RawDocumentBuf::from_bytes(document).expect("a document"));
    let mut cursor =
        RawDocumentBuf::try_from(&doc! { "id": 0_i64, "ns": "shop.c" }).expect("bytes");
    let batch = bson::raw::RawArrayBuf::from_iter([batch]);
    cursor.append(bson::raw::cstr!("firstBatch"), batch);
    let mut reply = RawDocumentBuf::try_from(&doc! { "ok": 1.0 }).expect("bytes");
    reply.append(bson::raw::cstr!("cursor"), cursor);
    let remote = connected(HashMap::from([("find", reply.into_bytes())]));
    let find = doc! { "find": "c" };
    let done = remote.read_batches("shop", &find, &Cancel::default(), &mut |_| Ok(()));
    assert!(done.as_ref().is_err_and(|sentence| sentence.contains("200 levels")), "{done:?}");
}

#[test]
fn what_the_driver_decodes_itself_may_be_deeper() {
    let failed = doc! { "ok": 0.0, "errmsg": "no", "code": 2, "codeName": "BadValue" };
    let remote = connected(HashMap::from([
        (GREETING, with_deep(&hello(), 20_000)),
        ("find", with_deep(&failed, 20_000)),
    ]));
    let find = remote.run("shop", &doc! { "find": "c" });
    assert_eq!(find.get_str("errmsg").ok(), Some("no"));
}

#[test]
fn a_deep_greeting_is_a_failed_connection() {
    for levels in [2_000, 5_000] {
        let failure = connect(HashMap::from([("hello", with_deep(&hello(), levels))])).err();
        let sentence = failure.expect("it is refused").sentence;
        assert!(sentence.contains("200 levels"), "{levels}: {sentence}");
    }
}

/// A reply with a cursor that is not at its end.
fn page(batch: &str) -> Document {
    doc! { "ok": 1.0, "cursor": { "id": 7_i64, "ns": "shop.c", batch: [] } }
}

/// Without its last byte, which the server never sends.
fn stalled(document: &Document) -> Vec<u8> {
    let mut reply = bytes(document);
    reply.pop();
    reply
}

/// Connects to a server that has little time for each reply.
fn hurried(replies: Replies) -> Remote {
    let time = Duration::from_millis(50);
    let reply_limits = ReplyLimits { read: time, event: time };
    Remote { reply_limits, ..connected(replies) }
}

#[test]
fn a_reply_that_stalls_ends_an_export() {
    let plain = doc! { "find": "c", "filter": {}, "maxTimeMS": 600_000 };
    let search = doc! { "find": "c", "filter": { "a": 1 }, "maxTimeMS": 1 };
    let read = |replies: Replies, find: &Document| {
        hurried(replies).read_batches("shop", find, &Cancel::default(), &mut |_| Ok(()))
    };
    for find in [&plain, &search] {
        let first = HashMap::from([("find", stalled(&page("firstBatch")))]);
        let next = HashMap::from([
            ("find", bytes(&page("firstBatch"))),
            ("getMore", stalled(&page("nextBatch"))),
        ]);
        for replies in [first, next] {
            let done = read(replies, find);
            assert!(done.as_ref().is_err_and(|said| said.contains("its whole reply")), "{done:?}");
        }
    }
}

#[test]
fn a_reply_that_stalls_ends_a_change_stream() {
    let namespace = Namespace::new("shop", "c");
    let listed = doc! { "ok": 1.0, "cursor": { "id": 0_i64, "ns": "shop.c", "firstBatch": [] } };
    let lists = || ["listIndexes", "listCollections"].map(|name| (name, bytes(&listed)));
    let opening = [("aggregate", stalled(&page("firstBatch")))].into_iter().chain(lists());
    let next =
        [("aggregate", bytes(&page("firstBatch"))), ("getMore", stalled(&page("nextBatch")))];
    for replies in [opening.collect::<Replies>(), next.into_iter().chain(lists()).collect()] {
        let end = hurried(replies).watch(&namespace, &Cancel::default(), &|_: WatchReport| ());
        let said = match &end {
            WatchEnd::Broken(said) => said.as_str(),
            WatchEnd::Left | WatchEnd::Unsupported(_) => "",
        };
        assert!(said.contains("in the middle of a reply"), "{end:?}");
    }
}

#[test]
fn a_length_that_no_message_has_is_said_plainly() {
    for length in [i32::MIN, -1_000, -30, -10, 2_000_000_000] {
        let mut reply = bytes(&doc! { "ok": 1.0 });
        reply[..4].copy_from_slice(&length.to_le_bytes());
        let replies = ["find", "insert"].map(|name| (name, reply.clone()));
        let remote = connected(HashMap::from(replies));
        let find = remote.run("shop", &doc! { "find": "c" });
        let message = find.get_str("errmsg").unwrap_or_default();
        assert!(message.ends_with("isn't a MongoDB message"), "{length}: {find}");
        let insert = remote.run("shop", &doc! { "insert": "c", "documents": [{ "_id": 1 }] });
        let message = insert.get_str("errmsg").unwrap_or_default();
        assert!(message.contains("isn't a MongoDB message"), "{length}: {insert}");
        assert!(message.ends_with(UNKNOWN), "a change may have been made: {insert}");
    }
}
