//! A server whose replies are a script: it speaks the protocol and has no data.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};

use bson::{Document, RawDocumentBuf, doc};
use mayfly_engine::wire::frame::{HEADER_BYTES, Header, OP_QUERY, ReplyIds};
use mayfly_engine::wire::message;

/// A script's answer, or `None` for the usual one.
pub type Script = dyn Fn(&str, &Document) -> Option<Document> + Send + Sync;

/// A server on a port of this machine. Its threads end with their connections.
pub struct Scripted {
    pub uri: String,
    asked: Arc<Mutex<Vec<Document>>>,
    is_cut: Arc<AtomicBool>,
}

impl Scripted {
    /// A server that answers by a script.
    pub fn start(script: Arc<Script>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = listener.local_addr().expect("an address").port();
        let asked: Arc<Mutex<Vec<Document>>> = Arc::default();
        let log = Arc::clone(&asked);
        let is_cut = Arc::<AtomicBool>::default();
        let cut = Arc::clone(&is_cut);
        let accept = move || {
            while let Ok((client, _)) = listener.accept() {
                let (script, log, cut) = (Arc::clone(&script), Arc::clone(&log), Arc::clone(&cut));
                let serve = move || drop(serve(client, script.as_ref(), &log, &cut));
                let thread = std::thread::Builder::new().name("scripted".to_owned());
                thread.spawn(serve).expect("a thread");
            }
        };
        std::thread::Builder::new().name("scripted".to_owned()).spawn(accept).expect("a thread");
        Self { uri: format!("mongodb://127.0.0.1:{port}/?directConnection=true"), asked, is_cut }
    }

    /// Ends each connection at its next command, or no longer.
    pub fn cut(&self, is_cut: bool) {
        self.is_cut.store(is_cut, SeqCst);
    }

    /// The commands of this name that came.
    pub fn asked(&self, name: &str) -> Vec<Document> {
        let asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |command: &&Document| command.keys().next().is_some_and(|first| first == name);
        asked.iter().filter(is_it).cloned().collect()
    }
}

fn serve(
    mut client: TcpStream,
    script: &Script,
    log: &Mutex<Vec<Document>>,
    is_cut: &AtomicBool,
) -> std::io::Result<()> {
    loop {
        let mut head = [0; HEADER_BYTES];
        client.read_exact(&mut head)?;
        let Some(header) = Header::read(&head, 48_000_000) else { return Ok(()) };
        let mut frame = head.to_vec();
        frame.resize(HEADER_BYTES + header.body_bytes, 0);
        client.read_exact(&mut frame[HEADER_BYTES..])?;
        if is_cut.load(SeqCst) {
            return Ok(());
        }
        let is_query = header.opcode == OP_QUERY;
        let read = if is_query { message::read_query(&frame) } else { message::read_msg(&frame) };
        let Ok(read) = read else { return Ok(()) };
        let command = Document::try_from(read.command.as_ref()).expect("a command");
        log.lock().unwrap_or_else(PoisonError::into_inner).push(command.clone());
        let reply = script(&read.db, &command).unwrap_or_else(|| usual(&command));
        let reply = RawDocumentBuf::try_from(&reply).expect("a reply");
        let mut out = Vec::new();
        let ids = ReplyIds { own: 0, response_to: header.request_id };
        if is_query {
            message::write_reply(&mut out, ids, &reply);
        } else {
            message::write_msg(&mut out, ids, &reply, false);
        }
        client.write_all(&out)?;
    }
}

/// The usual answer of a server.
fn usual(command: &Document) -> Document {
    let name = command.keys().next().map(String::as_str).unwrap_or_default();
    match name {
        "hello" | "isMaster" | "ismaster" => hello(doc! {}),
        "buildInfo" => doc! { "version": "8.0.4", "ok": 1.0 },
        "ping" | "endSessions" | "killCursors" => doc! { "ok": 1.0 },
        name => doc! {
            "ok": 0.0, "errmsg": format!("no such command: '{name}'"), "code": 59,
            "codeName": "CommandNotFound",
        },
    }
}

/// A reply to `hello` with more fields.
pub fn hello(more: Document) -> Document {
    let mut reply = doc! {
        "isWritablePrimary": true, "ismaster": true, "helloOk": true, "maxWireVersion": 25,
        "minWireVersion": 0, "maxBsonObjectSize": 16_777_216, "maxMessageSizeBytes": 48_000_000,
        "maxWriteBatchSize": 100_000, "localTime": bson::DateTime::now(),
        "logicalSessionTimeoutMinutes": 30, "ok": 1.0,
    };
    reply.extend(more);
    reply
}

/// A reply with a cursor.
pub fn cursor(id: i64, batch: &str, documents: Vec<Document>) -> Document {
    doc! { "cursor": { "id": id, "ns": "test.due", batch: documents }, "ok": 1.0 }
}
