//! A server that sends what no server of good will sends: control characters and texts without an end.

use std::collections::HashMap;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use bson::raw::{RawDocument, RawDocumentBuf};
use bson::{Document, doc};

use super::Remote;
use crate::job::{Cancel, ConnectFailure, ConnectionString, ServerMark};
use crate::limits::SERVER_TEXT_MAX;
use crate::source::Source as _;

const OP_QUERY: i32 = 2004;

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
        let reply =
            replies.get(name.as_str()).cloned().unwrap_or_else(|| bytes(&doc! { "ok": 1.0 }));
        let mut sent = Vec::new();
        let (op, head) = if is_query {
            (1_i32, [8_i32.to_le_bytes(), [0; 4], [0; 4], [0; 4], 1_i32.to_le_bytes()].concat())
        } else {
            (2013, vec![0; 5])
        };
        let total = i32::try_from(16 + head.len() + reply.len()).ok()?;
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
