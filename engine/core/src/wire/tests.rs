//! The listener over real connections, with bounds short enough to be met.

use std::{
    net::{IpAddr, Ipv4Addr, TcpStream},
    path::Path as FsPath,
    sync::Arc,
    thread,
    time::Duration,
};

use bson::{Binary, Bson, Document, doc, spec::BinarySubtype};

use super::{ListenOptions, Listener, WireLimits, auth::scram::client_final};
mod exhaust;
#[cfg(unix)]
mod socket;

use crate::{
    clock::{Clock, work_time},
    command::{
        ListenAt,
        testing::{FailingClock, failed_thread, wait_for},
    },
    engine::{Engine, EngineOptions},
    limits::{LOGIN_PAUSE_MAX, WIRE_BUFFER_BYTES},
};

const OP_MSG: i32 = 2013;
const OP_QUERY: i32 = 2004;

/// How long a test waits for what must come.
const PATIENCE: Duration = Duration::from_secs(20);

/// A bound that is met at once.
const SHORT: Duration = Duration::from_millis(30);

/// A client's end of a connection, of either kind.
trait Duplex: std::io::Read + std::io::Write {}

impl<S: std::io::Read + std::io::Write> Duplex for S {}

type Client = Box<dyn Duplex>;

/// A listener over a new store.
struct Lab {
    listener: Listener,
    engine: Engine,
    folder: tempfile::TempDir,
}

impl Lab {
    fn new(limits: WireLimits, with_password: bool) -> Self {
        Self::at(limits, with_password, |_| ListenAt::Port(0))
    }

    fn at(limits: WireLimits, with_password: bool, at: fn(&FsPath) -> ListenAt) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
        let engine = Engine::open(folder.path(), options).expect("an engine");
        let at = at(folder.path());
        let options = ListenOptions { at, with_password, limits, ..ListenOptions::default() };
        let listener = engine.listen(options).expect("a listener");
        Self { listener, engine, folder }
    }

    fn open(limits: WireLimits) -> Self {
        Self::new(limits, false)
    }

    /// One at a port and one at a socket: whatever holds for one holds for the other.
    fn both(limits: &WireLimits, with_password: bool) -> Vec<Self> {
        let port = Self::new(limits.clone(), with_password);
        #[cfg(unix)]
        return vec![port, socket::lab(limits.clone(), with_password)];
        #[cfg(not(unix))]
        vec![port]
    }

    fn connect(&self) -> Client {
        connect(self.listener.at()).expect("on")
    }

    /// Sends bytes on a connection of their own, which must end without a byte in return and
    /// without a command.
    #[track_caller]
    fn ends(&self, bytes: &[u8]) {
        let before = self.listener.status().commands;
        let mut stream = self.connect();
        // It may have ended before all is written.
        let _ = stream.write_all(bytes);
        assert!(is_closed(&mut stream), "{bytes:?}");
        assert_eq!(self.listener.status().commands, before, "{bytes:?}");
    }
}

fn connect(at: &ListenAt) -> std::io::Result<Client> {
    match at {
        ListenAt::Port(port) => {
            let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, *port))?;
            stream.set_read_timeout(Some(PATIENCE))?;
            Ok(Box::new(stream))
        }
        #[cfg(unix)]
        ListenAt::Socket(path) => {
            let stream = std::os::unix::net::UnixStream::connect(path)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            Ok(Box::new(stream))
        }
        #[cfg(not(unix))]
        ListenAt::Socket(_) => Err(std::io::ErrorKind::Unsupported.into()),
    }
}

/// Whether the other side ends the connection without sending anything.
fn is_closed(stream: &mut Client) -> bool {
    match stream.read(&mut [0; 1]) {
        Ok(count) => count == 0,
        Err(error) => error.kind() == std::io::ErrorKind::ConnectionReset,
    }
}

fn frame(opcode: i32, body: &[u8]) -> Vec<u8> {
    let length = i32::try_from(body.len() + 16).expect("short");
    let header = [length, 7, 0, opcode].map(i32::to_le_bytes).concat();
    [&header, body].concat()
}

fn msg(flags: u32, command: &Document) -> Vec<u8> {
    let mut body = [&flags.to_le_bytes()[..], &[0]].concat();
    command.to_writer(&mut body).expect("a vector takes it");
    frame(OP_MSG, &body)
}

fn query(name: &str, command: &Document) -> Vec<u8> {
    let mut body = [&[0; 4], name.as_bytes(), &[0], &[0; 4], &[255; 4]].concat();
    command.to_writer(&mut body).expect("a vector takes it");
    frame(OP_QUERY, &body)
}

/// The next reply: its opcode and its document.
#[track_caller]
fn reply(stream: &mut Client) -> (i32, Document) {
    let mut header = [0; 16];
    stream.read_exact(&mut header).expect("a reply");
    let word = |at: usize| i32::from_le_bytes(header[at..at + 4].try_into().expect("four"));
    let mut body = vec![0; usize::try_from(word(0)).expect("a length") - 16];
    stream.read_exact(&mut body).expect("a whole reply");
    assert_eq!(word(8), 7, "an answer to the request");
    let skip = if word(12) == OP_MSG { 5 } else { 20 };
    (word(12), Document::from_reader(&body[skip..]).expect("a document"))
}

#[track_caller]
fn ask(stream: &mut Client, bytes: &[u8]) -> Document {
    stream.write_all(bytes).expect("sent");
    reply(stream).1
}

fn ping() -> Vec<u8> {
    msg(0, &doc! { "ping": 1, "$db": "admin" })
}

#[track_caller]
fn lives(stream: &mut Client) {
    assert_eq!(ask(stream, &ping()).get_f64("ok").ok(), Some(1.0));
}

#[test]
fn other_protocols_get_nothing() {
    for lab in Lab::both(&WireLimits::default(), false) {
        lab.ends(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
        lab.ends(&[&b"POST / HTTP/1.1\r\nContent-Length: 99\r\n\r\n"[..], &ping()].concat());
        lab.ends(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
        lab.ends(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 a TLS hello");
        lab.ends(&frame(2012, &[0; 40]));
        lab.ends(&frame(2002, &[0; 40]));
        lab.ends(&[0; 16]);
        lab.ends(&[255; 64]);
        // A flag that a receiver must know.
        lab.ends(&msg(1 << 2, &doc! { "ping": 1, "$db": "a" }));
        lives(&mut lab.connect());
    }
}

/// A store can be reopened right after it was closed, as a restore does.
#[test]
fn nobody_holds_the_store_once_the_listener_is_off() {
    let folder = tempfile::tempdir().expect("a folder");
    for round in 0..40 {
        let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
        let engine = Engine::open(folder.path(), options).expect("an engine");
        let options = ListenOptions { with_password: false, ..ListenOptions::default() };
        let listener = engine.listen(options).expect("a listener");
        let mut clients: Vec<Client> =
            (0..12).map(|_| connect(listener.at()).expect("on")).collect();
        clients.iter_mut().for_each(lives);
        drop(listener);
        let store = Arc::downgrade(engine.collections().store());
        engine.close().expect("closed");
        assert!(store.upgrade().is_none(), "round {round}");
    }
}

#[test]
fn who_waits_for_new_documents_does_not_hold_up_the_end() {
    for mut lab in Lab::both(&WireLimits::default(), false) {
        let stream = &mut lab.connect();
        let mut run = |mut command: Document| {
            command.insert("$db", "test");
            ask(stream, &msg(0, &command))
        };
        run(doc! { "create": "c", "capped": true, "size": 4096 });
        run(doc! { "insert": "c", "documents": [{ "_id": 1 }] });
        let reply = run(doc! { "find": "c", "tailable": true, "awaitData": true });
        let id =
            reply.get_document("cursor").and_then(|cursor| cursor.get_i64("id")).expect("open");
        let next = doc! { "getMore": id, "collection": "c", "maxTimeMS": 9_000, "$db": "test" };
        stream.write_all(&msg(0, &next)).expect("sent");
        let running = doc! { "currentOp": 1, "op": "getmore" };
        while lab.engine.run("admin", &running).get_array("inprog").is_ok_and(Vec::is_empty) {
            thread::yield_now();
        }
        let began = work_time();
        lab.listener.stop();
        assert!(work_time().saturating_sub(began) < Duration::from_secs(5));
    }
}

#[test]
fn wrong_content_leaves_the_connection_alive() {
    let lab = Lab::open(WireLimits::default());
    let stream = &mut lab.connect();
    let code = |stream: &mut Client, bytes: &[u8]| ask(stream, bytes).get_i32("code").ok();
    assert_eq!(code(stream, &msg(0, &doc! { "ping": 1 })), Some(40571));
    let broken = [&[0; 4][..], &[0], &[6, 0, 0, 0, 99, 0]].concat();
    assert_eq!(code(stream, &frame(OP_MSG, &broken)), Some(22));
    assert_eq!(code(stream, &query("a.c", &doc! {})), Some(352));
    assert_eq!(lab.listener.status().commands, 0);
    lives(stream);
}

#[test]
fn both_forms_of_hello_are_answered_in_kind() {
    let lab = Lab::open(WireLimits::default());
    let stream = &mut lab.connect();
    let hello = doc! { "isMaster": 1, "client": { "driver": { "name": "d", "version": "1" } } };
    stream.write_all(&query("admin.$cmd", &hello)).expect("sent");
    let (opcode, answer) = reply(stream);
    assert_eq!((opcode, answer.get_bool("ismaster").ok()), (1, Some(true)), "{answer}");
    let answer = ask(stream, &msg(1 << 16, &doc! { "hello": 1, "$db": "admin" }));
    assert_eq!(answer.get_bool("isWritablePrimary").ok(), Some(true), "{answer}");
    let status = lab.listener.status();
    assert_eq!(status.clients.len(), 1);
    assert_eq!((status.clients[0].driver.as_str(), status.clients[0].commands), ("d 1", 2));
}

#[test]
fn who_waits_for_no_reply_gets_none() {
    let lab = Lab::open(WireLimits::default());
    let stream = &mut lab.connect();
    let insert = doc! { "insert": "c", "documents": [{ "_id": 1 }], "$db": "test" };
    let requests = [msg(2, &insert), msg(2, &doc! { "ping": 1 }), msg(2, &doc! { "x": 1 })];
    stream.write_all(&requests.concat()).expect("sent");
    let count = ask(stream, &msg(0, &doc! { "count": "c", "$db": "test" }));
    assert_eq!(count.get_i32("n").ok(), Some(1), "{count}");
}

#[test]
fn requests_that_come_together_are_answered_in_order() {
    let lab = Lab::open(WireLimits::default());
    let stream = &mut lab.connect();
    let unknown = msg(0, &doc! { "none": 1, "$db": "test" });
    stream.write_all(&[ping(), unknown, ping()].concat()).expect("sent");
    let oks: Vec<_> = (0..3).map(|_| reply(stream).1.get_f64("ok").ok()).collect();
    assert_eq!(oks, [Some(1.0), Some(0.0), Some(1.0)]);
}

/// A listener whose threads panic on request.
#[test]
fn connections_with_a_command_count_as_active() {
    let lab = Lab::open(WireLimits::default());
    let mut others = [lab.connect(), lab.connect()];
    others.iter_mut().for_each(lives);
    let status = doc! { "serverStatus": 1, "$db": "admin" };
    for _ in 0..2 {
        let found = ask(&mut lab.connect(), &msg(0, &status));
        let connections = found.get_document("connections").expect("a section");
        assert_eq!(connections.get_i32("active").ok(), Some(1), "{connections}");
    }
}

fn failing() -> (Lab, Arc<FailingClock>) {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = FailingClock::new(1_800_000_000_000);
    let options = EngineOptions { run_reaper: false, ..EngineOptions::default() };
    let engine = Engine::open_on(folder.path(), options, Arc::clone(&clock) as Arc<dyn Clock>);
    let engine = engine.expect("an engine");
    let options = ListenOptions { with_password: false, ..ListenOptions::default() };
    let listener = engine.listen(options).expect("a listener");
    (Lab { listener, engine, folder }, clock)
}

#[test]
fn a_panic_in_a_command_ends_that_command_alone() {
    let (lab, clock) = failing();
    let (mut stream, mut other) = (lab.connect(), lab.connect());
    lives(&mut stream);
    let insert = msg(0, &doc! { "insert": "c", "documents": [{ "_id": 1 }], "$db": "test" });
    clock.fail_on(Some("wire conn1"));
    let failed = ask(&mut stream, &insert);
    assert_eq!(failed.get_i32("code").ok(), Some(8), "{failed}");
    lives(&mut other);
    clock.fail_on(None);
    let inserted = ask(&mut stream, &insert);
    assert_eq!(inserted.get_i32("n").ok(), Some(1), "{inserted}");
}

#[test]
fn a_panic_while_a_connection_is_taken_ends_that_one_alone_and_is_told() {
    let (lab, clock) = failing();
    let events = lab.engine.subscribe();
    clock.fail_on(Some("wire accept"));
    for _ in 0..2 {
        assert!(is_closed(&mut lab.connect()));
        assert_eq!(wait_for(&events, failed_thread), "wire accept");
    }
    clock.fail_on(None);
    lives(&mut lab.connect());
}

#[test]
fn slow_clients_are_ended() {
    let check = |limits: WireLimits, with_password, sent: &[u8]| {
        for lab in Lab::both(&limits, with_password) {
            lab.ends(sent);
        }
    };
    check(WireLimits { idle: SHORT, ..WireLimits::default() }, false, &[]);
    check(WireLimits { header: SHORT, ..WireLimits::default() }, false, &ping()[..9]);
    let rate = WireLimits { body: SHORT, body_bytes_per_sec_min: 1 << 30, ..WireLimits::default() };
    check(rate, false, &ping()[..20]);
    check(WireLimits { login: SHORT, ..WireLimits::default() }, true, &[]);
}

#[test]
fn connections_and_bytes_are_bounded() {
    for lab in Lab::both(&WireLimits { connections_max: 2, ..WireLimits::default() }, false) {
        let (mut one, mut two) = (lab.connect(), lab.connect());
        lives(&mut one);
        lives(&mut two);
        let mut third = lab.connect();
        let refusal = ask(&mut third, &ping());
        assert_eq!(refusal.get_i32("code").ok(), Some(96), "{refusal}");
        assert!(refusal.get_str("errmsg").expect("why").starts_with("too many connections: 2"));
        assert!(is_closed(&mut third));
        assert_eq!(lab.listener.status().refused, 1);
        lives(&mut one);
    }
    let large = msg(0, &doc! { "ping": 1, "comment": "x".repeat(200_000), "$db": "admin" });
    let limits = WireLimits { message_bytes_max: 100_000, ..WireLimits::default() };
    for lab in Lab::both(&limits, false) {
        lab.ends(&large);
    }
    for lab in Lab::both(&WireLimits::default(), false) {
        lives(&mut lab.connect());
    }
}

#[test]
fn a_message_without_room_next_to_those_of_others_is_answered_with_an_error() {
    let limits = WireLimits { in_flight_bytes_max: 1_000_000, ..WireLimits::default() };
    let sized = |flags, bytes| {
        msg(flags, &doc! { "ping": 1, "comment": "x".repeat(bytes), "$db": "admin" })
    };
    for lab in Lab::both(&limits, false) {
        let (mut half, mut other) = (lab.connect(), lab.connect());
        let large = sized(0, 900_000);
        half.write_all(&large[..large.len() - 1]).expect("sent");
        // The others come once the listener has taken that.
        while lab.listener.in_flight() + WIRE_BUFFER_BYTES < large.len() {
            thread::yield_now();
        }
        for bytes in [200_000, 16_300, 16_320, 5_000_000] {
            // Another message follows at once: none of its bytes is taken for the first one's.
            let both = [sized(0, 700_000 + bytes), ping()].concat();
            let refused = ask(&mut other, &both);
            assert_eq!(refused.get_i32("code").ok(), Some(146), "{refused}");
            let why = refused.get_str("errmsg").expect("why");
            assert!(why.contains("at most 1000000 bytes; send it again"), "{why}");
            assert_eq!(reply(&mut other).1.get_f64("ok").ok(), Some(1.0));
        }
        // A sender that expects no reply gets none: `moreToCome` is 2.
        let next = ask(&mut other, &[sized(2, 900_000), ping()].concat());
        assert_eq!(next.get_f64("ok").ok(), Some(1.0));
        half.write_all(&large[large.len() - 1..]).expect("sent");
        assert_eq!(reply(&mut half).1.get_f64("ok").ok(), Some(1.0));
        // A message leaves memory after its reply and before the next message of its connection.
        lives(&mut half);
        assert_eq!(ask(&mut other, &large).get_f64("ok").ok(), Some(1.0), "the room is free again");
    }
}

#[test]
fn before_login_little_is_taken() {
    for lab in Lab::both(&WireLimits::default(), true) {
        let stream = &mut lab.connect();
        lives(stream);
        let find = ask(stream, &msg(0, &doc! { "find": "c", "$db": "test" }));
        assert_eq!(find.get_i32("code").ok(), Some(13), "{find}");
        lab.ends(&msg(0, &doc! { "ping": 1, "comment": "x".repeat(70_000), "$db": "admin" }));
    }
}

#[test]
fn stopping_ends_every_connection() {
    for mut lab in Lab::both(&WireLimits::default(), false) {
        let mut idle = lab.connect();
        lives(&mut idle);
        let mut half = lab.connect();
        half.write_all(&ping()[..20]).expect("sent");
        lab.listener.stop();
        assert!(is_closed(&mut idle) && is_closed(&mut half));
        assert!(connect(lab.listener.at()).is_err());
        assert!(lab.listener.status().clients.is_empty());
    }
}

#[test]
fn only_this_machine_is_let_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = Engine::open(folder.path(), EngineOptions::default()).expect("an engine");
    for address in ["0.0.0.0", "192.168.0.1", "::", "8.8.8.8"] {
        let address: IpAddr = address.parse().expect(address);
        let refused = engine.listen(ListenOptions { address, ..ListenOptions::default() });
        let sentence = refused.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(sentence.contains("127.0.0.1 or ::1 only"), "{address}: {sentence}");
    }
}

#[test]
fn a_drivers_watch_is_not_ended_for_lack_of_a_login() {
    let login = Duration::from_secs(1);
    let lab = Lab::new(WireLimits { login, ..WireLimits::default() }, true);
    let (mut watch, mut refused) = (lab.connect(), lab.connect());
    let hello = msg(0, &doc! { "hello": 1, "$db": "admin" });
    ask(&mut watch, &hello);
    let find = ask(&mut refused, &msg(0, &doc! { "find": "c", "$db": "test" }));
    assert_eq!(find.get_i32("code").ok(), Some(13), "{find}");
    // Its time is over no earlier than the other's.
    assert!(is_closed(&mut refused), "a refused command buys no time");
    assert_eq!(ask(&mut watch, &hello).get_f64("ok").ok(), Some(1.0));
    let limits = WireLimits { login, idle: SHORT, ..WireLimits::default() };
    let idle = Lab::new(limits, true);
    assert!(is_closed(&mut idle.connect()), "the ordinary bound holds");
}

#[test]
fn who_does_not_log_in_leaves_room_for_others() {
    let lab = Lab::new(WireLimits { connections_max: 4, ..WireLimits::default() }, true);
    let (mut one, mut two) = (lab.connect(), lab.connect());
    lives(&mut one);
    lives(&mut two);
    lives(&mut one);
    // Two of four is the most; the one that has been silent for longest makes room.
    let mut three = lab.connect();
    lives(&mut three);
    assert!(is_closed(&mut two));
    lives(&mut one);
    lives(&mut three);
    let status = lab.listener.status();
    assert_eq!((status.clients.len(), status.refused), (2, 0));
}

/// Logs in as a driver does; `first` and what comes with it is the first message.
#[track_caller]
fn log_in(stream: &mut Client, lab: &Lab) {
    let first = "n,,n=mayfly,r=rOprNGfwEbeRWgbNEkqO";
    let binary =
        |text: &str| Binary { subtype: BinarySubtype::Generic, bytes: text.as_bytes().to_vec() };
    let begun = ask(stream, &sasl_start(first));
    let payload = begun.get_binary_generic("payload").expect("a payload").clone();
    let password = lab.listener.uri().split([':', '@']).nth(2).expect("a password");
    let proof = client_final(password, first, &String::from_utf8(payload).expect("text"));
    let done = doc! {
        "saslContinue": 1, "conversationId": begun.get_i32("conversationId").expect("a number"),
        "payload": binary(&proof), "$db": "admin",
    };
    let done = ask(stream, &msg(0, &done));
    assert_eq!(done.get_bool("done").ok(), Some(true), "{done}");
}

fn sasl_start(first: &str) -> Vec<u8> {
    let payload = Binary { subtype: BinarySubtype::Generic, bytes: first.as_bytes().to_vec() };
    let start = doc! {
        "saslStart": 1, "mechanism": "SCRAM-SHA-256", "payload": payload,
        "options": { "skipEmptyExchange": true }, "$db": "admin",
    };
    msg(0, &start)
}

#[test]
fn who_logs_out_has_time_to_log_in_again() {
    let login = Duration::from_secs(1);
    let lab = Lab::new(WireLimits { login, ..WireLimits::default() }, true);
    let mut client = lab.connect();
    let until = work_time() + login;
    log_in(&mut client, &lab);
    while work_time() < until {
        thread::yield_now();
    }
    assert_eq!(ask(&mut client, &msg(0, &doc! { "logout": 1, "$db": "admin" })).len(), 1);
    log_in(&mut client, &lab);
    lives(&mut client);
}

/// Otherwise each guess would get a thread.
#[test]
fn a_failed_login_that_makes_room_waits_no_longer() {
    let limits = WireLimits { connections_max: 4, ..WireLimits::default() };
    let lab = Lab::new(limits, true);
    let (mut clients, began) = (Vec::new(), work_time());
    for known in 0..16 {
        let mut client = lab.connect();
        client.write_all(&sasl_start("nonsense")).expect("sent");
        while lab.listener.status().commands <= known {
            thread::yield_now();
        }
        clients.push(client);
    }
    while lab.listener.threads() > 4 {
        thread::yield_now();
    }
    // The last pauses are of eight seconds.
    let took = work_time().saturating_sub(began);
    assert!(took < LOGIN_PAUSE_MAX, "{took:?}");
}

/// A read ends with its client, also when bytes of a next message have come; a write continues.
#[test]
fn a_read_ends_when_its_client_is_gone() {
    for lab in Lab::both(&WireLimits::default(), false) {
        let mut filler = lab.connect();
        let documents: Vec<_> = (0..2).map(|id| doc! { "_id": id }).collect();
        ask(&mut filler, &msg(0, &doc! { "insert": "c", "documents": documents, "$db": "test" }));
        let numbers = || doc! { "$range": [0, 4000] };
        let mut endless = Bson::from("$$this");
        for _ in 0..4 {
            let slow = doc! { "input": numbers(), "cond": { "$gt": [endless, 4000] } };
            endless = doc! { "$size": { "$filter": slow } }.into();
        }
        let set = doc! { "$set": { "a": endless } };
        let aggregate = doc! { "aggregate": "c", "pipeline": [set], "cursor": {}, "$db": "test" };
        let running =
            || lab.engine.run("admin", &doc! { "currentOp": 1, "command.aggregate": "c" });
        let count = || running().get_array("inprog").map_or(0, Vec::len);
        for rest in [&[][..], b"more"] {
            let mut client = lab.connect();
            client.write_all(&[&msg(0, &aggregate), rest].concat()).expect("sent");
            while count() == 0 {
                thread::yield_now();
            }
            drop(client);
            while count() > 0 {
                thread::yield_now();
            }
        }
    }
}
