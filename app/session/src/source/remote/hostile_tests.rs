//! A server that sends what no server of good will sends: control characters, texts without an end,
//! replies that are nested without an end, and replies that stop in the middle.

use std::collections::HashMap;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use bson::raw::{RawDocument, RawDocumentBuf, cstr};
use bson::{Document, doc};

use super::Remote;
use super::known::ReplyLimits;
use crate::job::{
    Cancel, ConnectFailure, ConnectionString, Namespace, ServerMark, WatchEnd, WatchReport,
};
use crate::limits::{SERVER_LEVELS_MAX, SERVER_TEXT_MAX};
use crate::source::Source as _;
use crate::source::remote::failure::UNKNOWN;

const OP_QUERY: i32 = 2004;

/// The reply to the greetings that the driver sends by itself, if it differs from that to `hello`.
const GREETING: &str = "the driver's own greeting";

/// The bytes of a reply to each command; others are answered with `ok: 1`.
pub(super) type Replies = HashMap<&'static str, Vec<u8>>;

/// Serves until the test ends. Returns the port.
fn serve(replies: Replies) -> u16 {
    let replies = with_defaults(replies);
    listen(move |stream| _ = answer(stream, &replies))
}

/// The replies of a server that can be connected to.
pub(super) fn with_defaults(mut replies: Replies) -> Replies {
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
    replies
}

/// Handles each connection on its thread, until the test ends. Returns the port.
pub(super) fn listen(handle: impl Fn(TcpStream) + Send + Sync + 'static) -> u16 {
    let handle = Arc::new(handle);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let port = listener.local_addr().expect("an address").port();
    let accept = move || {
        for stream in listener.incoming().flatten() {
            let handle = Arc::clone(&handle);
            let work = move || handle(stream);
            drop(thread::Builder::new().name("hostile".to_owned()).spawn(work));
        }
    };
    thread::Builder::new().name("hostile".to_owned()).spawn(accept).expect("a thread");
    port
}

/// Answers the commands of a connection until it ends.
pub(super) fn answer(mut stream: impl Read + Write, replies: &Replies) -> Option<()> {
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

pub(super) fn hello() -> Document {
    doc! {
        "isWritablePrimary": true, "maxBsonObjectSize": 16_777_216, "maxMessageSizeBytes": 48_000_000,
        "maxWriteBatchSize": 100_000, "minWireVersion": 0, "maxWireVersion": 21, "readOnly": false,
        "logicalSessionTimeoutMinutes": 30,
        "ok": 1.0,
    }
}

pub(super) fn bytes(document: &Document) -> Vec<u8> {
    RawDocumentBuf::try_from(document).expect("bytes").into_bytes()
}

/// A document with one more field, whose value is nested this deeply.
pub(super) fn with_deep(document: &Document, levels: usize) -> Vec<u8> {
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
    let port = serve(replies);
    let options = "directConnection=true&serverSelectionTimeoutMS=1000";
    let uri = format!("mongodb://127.0.0.1:{port}/?{options}");
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

/// More levels than any stack holds.
const LEVELS: usize = 1_000_000;

fn check_too_deep(reply: &Document) {
    assert_eq!(reply.get_i32("code").ok(), Some(15), "{reply}");
    assert!(reply.get_str("errmsg").is_ok_and(|said| said.contains("200 levels")), "{reply}");
}

fn read(remote: &Remote, command: &Document) -> Result<Vec<RawDocumentBuf>, String> {
    let mut found = Vec::new();
    let read = remote.read_batches("shop", command, &Cancel::default(), &mut |documents| {
        found.extend(documents.iter().map(|document| (*document).to_owned()));
        Ok(())
    });
    read.map(|()| found)
}

#[test]
fn a_deep_reply_is_refused_and_the_program_continues() {
    let failed = doc! { "ok": 0.0, "errmsg": "no", "code": 2, "codeName": "BadValue" };
    let remote = connected(HashMap::from([
        ("find", with_deep(&page("firstBatch"), LEVELS)),
        ("count", with_deep(&failed, LEVELS)),
        ("insert", with_deep(&doc! { "ok": 1.0, "n": 1 }, LEVELS)),
    ]));
    let commands = [
        doc! { "find": "c" },
        doc! { "count": "c" },
        doc! { "insert": "c", "documents": [{ "_id": 1 }] },
    ];
    for command in commands {
        check_too_deep(&remote.run("shop", &command));
        assert_eq!(remote.run("shop", &doc! { "ping": 1 }), doc! { "ok": 1.0 });
    }
    let done = read(&remote, &doc! { "find": "c" });
    assert!(done.as_ref().is_err_and(|said| said.contains("200 levels")), "{done:?}");
}

#[test]
fn a_reply_with_the_most_levels_is_read() {
    // The reply itself, and the innermost document.
    let most = SERVER_LEVELS_MAX - 2;
    let remote = connected(HashMap::from([
        ("count", with_deep(&doc! { "ok": 1.0, "n": 1 }, most)),
        ("distinct", with_deep(&doc! { "ok": 1.0, "values": [] }, most + 1)),
    ]));
    let count = remote.run("shop", &doc! { "count": "c" });
    assert_eq!(count.get_i32("n").ok(), Some(1), "{count}");
    check_too_deep(&remote.run("shop", &doc! { "distinct": "c", "key": "a" }));
}

/// A reply with documents in its cursor.
fn with_batch(batch: &'static bson::raw::CStr, id: i64, documents: Vec<Vec<u8>>) -> Vec<u8> {
    let documents = documents.into_iter().map(|it| RawDocumentBuf::from_bytes(it).expect("one"));
    let mut cursor = RawDocumentBuf::try_from(&doc! { "id": id, "ns": "shop.c" }).expect("bytes");
    cursor.append(batch, documents.collect::<bson::raw::RawArrayBuf>());
    let mut reply = RawDocumentBuf::try_from(&doc! { "ok": 1.0 }).expect("bytes");
    reply.append(cstr!("cursor"), cursor);
    reply.into_bytes()
}

#[test]
fn a_deep_document_is_not_handed_to_an_export() {
    for levels in [300, LEVELS] {
        let document = || vec![with_deep(&doc! {}, levels)];
        let first = HashMap::from([("find", with_batch(cstr!("firstBatch"), 0, document()))]);
        let next = HashMap::from([
            ("find", bytes(&page("firstBatch"))),
            ("getMore", with_batch(cstr!("nextBatch"), 7, document())),
        ]);
        for replies in [first, next] {
            let remote = connected(replies);
            let done = read(&remote, &doc! { "find": "c" });
            assert!(done.as_ref().is_err_and(|said| said.contains("200 levels")), "{done:?}");
            let more = remote.run("shop", &doc! { "getMore": 7_i64, "collection": "c" });
            assert_eq!(remote.run("shop", &doc! { "ping": 1 }), doc! { "ok": 1.0 }, "{more}");
        }
    }
}

#[test]
fn a_deep_event_ends_a_change_stream() {
    let listed = doc! { "ok": 1.0, "cursor": { "id": 0_i64, "ns": "shop.c", "firstBatch": [] } };
    let event = with_deep(&doc! { "_id": { "_data": "1" } }, LEVELS);
    let remote = connected(HashMap::from([
        ("listIndexes", bytes(&listed)),
        ("listCollections", bytes(&listed)),
        ("aggregate", bytes(&page("firstBatch"))),
        ("getMore", with_batch(cstr!("nextBatch"), 7, vec![event])),
    ]));
    let namespace = Namespace::new("shop", "c");
    let end = remote.watch(&namespace, &Cancel::default(), &|_: WatchReport| ());
    assert!(matches!(&end, WatchEnd::Broken(said) if said.contains("200 levels")), "{end:?}");
}

#[test]
fn a_deep_greeting_is_a_failed_connection() {
    for name in ["hello", GREETING] {
        for levels in [300, LEVELS] {
            let failure = connect(HashMap::from([(name, with_deep(&hello(), levels))])).err();
            let sentence = failure.expect("it is refused").sentence;
            assert!(sentence.contains("200 levels"), "{levels} levels in {name}: {sentence}");
        }
    }
}

#[test]
fn a_large_reply_keeps_its_bytes() {
    let documents: Vec<Vec<u8>> = (0..4_u8)
        .map(|seed| {
            let noise = (0..10_000_000_u32).map(|at| at.wrapping_mul(0x9e37_79b9).to_le_bytes()[3]);
            let mut document = RawDocumentBuf::new();
            document.append(cstr!("same"), i32::from(seed));
            document.append(
                cstr!("same"),
                bson::Binary {
                    subtype: bson::spec::BinarySubtype::Generic,
                    bytes: noise.map(|byte| byte ^ seed).collect(),
                },
            );
            document.into_bytes()
        })
        .collect();
    let replies = [("find", with_batch(cstr!("firstBatch"), 0, documents.clone()))];
    let found = read(&connected(HashMap::from(replies)), &doc! { "find": "c" }).expect("a reply");
    assert!(
        found.iter().map(|document| document.as_bytes()).eq(documents.iter().map(Vec::as_slice))
    );
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

#[test]
fn a_server_without_sessions_is_asked_without_one() {
    let mut greeting = hello();
    greeting.remove("logicalSessionTimeoutMinutes");
    let found = doc! { "ok": 1.0, "cursor": { "id": 0_i64, "ns": "shop.c", "firstBatch": [] } };
    let replies = [("find", &found), ("aggregate", &found), ("count", &doc! { "n": 1, "ok": 1.0 })];
    let replies = replies.map(|(name, reply)| (name, bytes(reply)));
    let replies = replies.into_iter().chain([("hello", bytes(&greeting))]).collect();
    let remote = connected(replies);
    for command in [
        doc! { "find": "c" },
        doc! { "count": "c" },
        doc! { "aggregate": "c", "pipeline": [], "cursor": {} },
        doc! { "ping": 1 },
    ] {
        let reply = remote.run("shop", &command);
        assert_eq!(reply.get("errmsg"), None, "{command}: {reply}");
    }
}

#[test]
fn a_reply_that_is_not_bson_is_no_lost_server() {
    let mut page = bytes(&doc! {
        "ok": 1.0,
        "cursor": { "id": 0_i64, "ns": "shop.c", "firstBatch": [{ "_id": 1, "text": "~" }] },
    });
    let at = page.iter().position(|byte| *byte == b'~').expect("it is there");
    page[at] = 0xff;
    let remote = connected(HashMap::from([("find", page)]));
    let reply = remote.run("shop", &doc! { "find": "c" });
    let message = reply.get_str("errmsg").unwrap_or_default();
    assert!(message.starts_with("The server's reply has a document that can't be read"), "{reply}");
    assert!(message.contains("BSON"), "{reply}");
    assert_eq!(reply.get_i32("code").ok(), Some(22), "{reply}");
}
