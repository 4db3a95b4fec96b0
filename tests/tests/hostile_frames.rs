//! Broken, oversized, slow and foreign bytes never stop the listener, never reach a command, and
//! never make memory grow without bound.

use std::{
    io::{Read, Write},
    net::TcpStream,
    time::Duration,
};

use bson::doc;
use mayfly_engine::{
    engine::{Engine, EngineOptions},
    wire::{ListenOptions, Listener, WireLimits},
};
use mayfly_tests::{
    deadline::Deadline,
    frames::{self, OP_MSG, OP_QUERY, bytes, checked_msg, exchange, frame, framed, msg},
    random::{self, Random},
    store,
};
use rustix::process::{Resource, getrlimit, setrlimit};
use tempfile::TempDir;

/// Frames in one run; `MAYFLY_TEST_COUNT` sets another number.
const FRAMES: usize = 20_000;

/// Connections that start a message and never end it.
const HALF_OPEN: usize = 1_000;

/// The minimum where a process may not have that many open files.
const HALF_OPEN_MIN: usize = 400;

/// Open files that they may take, with both ends in this process.
const FILES: u64 = 4_096;

/// Open files for everything else: the other ends, the stores, the concurrent tests.
const FILES_OF_OTHERS: u64 = 200;

/// Memory that all of them may cost, in KiB.
const GROWTH_KIB_MAX: u64 = 64 * 1024;

/// Memory that one idle connection may cost, in KiB: its thread and its buffer.
const IDLE_KIB_MAX: u64 = 128;

/// How long anything may take that should be immediate.
const PATIENCE: Duration = Duration::from_secs(20);

struct World {
    listener: Listener,
    engine: Engine,
    _folder: TempDir,
}

fn world(limits: WireLimits, with_password: bool) -> World {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = Engine::open(folder.path(), EngineOptions::default()).expect("a store");
    let options = ListenOptions { with_password, limits, ..ListenOptions::default() };
    let listener = engine.listen(options).expect("a listener");
    World { listener, engine, _folder: folder }
}

impl World {
    fn port(&self) -> u16 {
        self.listener.at().port().expect("a port")
    }

    /// Commands that reached the engine from outside.
    fn commands(&self) -> u64 {
        self.listener.status().commands
    }
}

/// A frame without a command, however it is read.
fn hostile(random: &mut Random) -> Vec<u8> {
    let valid = bytes(&doc! { "insert": "c", "documents": [{ "_id": 1 }], "$db": "test" });
    let any = |random: &mut Random, most: usize| -> Vec<u8> {
        (0..random.below(most)).map(|_| random.next_u64().to_le_bytes()[0]).collect()
    };
    match random.below(16) {
        0 => any(random, 64),
        1 => framed(any_length(random), OP_MSG, &any(random, 256)),
        2 => framed(
            *random.pick(&[0, 1, 15, 16, -1, i32::MIN, i32::MAX, 48_000_001]),
            OP_MSG,
            &valid,
        ),
        3 => frame(*random.pick(&[0, 1, 2001, 2002, 2005, 2010, 2012, -1]), &any(random, 256)),
        // A length that promises more bytes than follow.
        4 => framed(40_000_000, OP_MSG, &any(random, 4096)),
        // The second half is missing.
        5 => {
            let whole = msg(0, &valid);
            whole[..=random.below(whole.len() - 1)].to_vec()
        }
        6 => msg(1 << (2 + random.below(14)), &valid),
        // A checksum with one wrong bit, in anything but the flag that announces it.
        7 => {
            let mut whole = checked_msg(&valid);
            let bit = 1 + random.below((whole.len() - 16) * 8 - 1);
            whole[16 + bit / 8] ^= 1 << (bit % 8);
            whole
        }
        8 => msg(0, &deep(2_000)),
        // A document with wrong lengths.
        9 => {
            let mut broken = valid.clone();
            let at = random.below(4);
            broken[at] ^= 1 << random.below(8);
            msg(0, &broken)
        }
        10 => frame(OP_MSG, &[[0; 4].as_slice(), &[0], &valid, &[0], &valid].concat()),
        11 => frame(OP_MSG, &[[0; 4].as_slice(), &[any_kind(random)], &valid].concat()),
        12 => frame(OP_QUERY, &any(random, 256)),
        13 => http(random),
        14 => tls(random),
        // A sequence with a wrong length, or a name without an end.
        _ => {
            let length = any_length(random).to_le_bytes();
            let sequence = [&[1], length.as_slice(), b"documents\0", &valid].concat();
            frame(OP_MSG, &[[0; 4].as_slice(), &[0], &valid, &sequence].concat())
        }
    }
}

fn any_length(random: &mut Random) -> i32 {
    let [a, b, c, d, ..] = random.next_u64().to_le_bytes();
    i32::from_le_bytes([a, b, c, d])
}

/// A section kind that is neither a body nor a sequence.
fn any_kind(random: &mut Random) -> u8 {
    random.next_u64().to_le_bytes()[0].max(2)
}

/// Nested documents, `levels` deep, with valid lengths.
fn deep(levels: usize) -> Vec<u8> {
    let mut document = vec![5, 0, 0, 0, 0];
    for _ in 0..levels {
        let length = i32::try_from(document.len() + 8).unwrap_or(i32::MAX);
        let mut outer = length.to_le_bytes().to_vec();
        outer.extend_from_slice(b"\x03a\0");
        outer.extend_from_slice(&document);
        outer.push(0);
        document = outer;
    }
    document
}

fn http(random: &mut Random) -> Vec<u8> {
    let verb = random.pick(&["GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PRI"]);
    // A frame after junk must not be found.
    let body = msg(0, &bytes(&doc! { "dropDatabase": 1, "$db": "test" }));
    let head =
        format!("{verb} / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), &body].concat()
}

fn tls(random: &mut Random) -> Vec<u8> {
    let mut hello = vec![0x16, 3, *random.pick(&[1, 2, 3]), 2, 0, 1, 0, 1, 0xfc, 3, 3];
    hello.extend((0..200).map(|_| random.next_u64().to_le_bytes()[0]));
    hello
}

#[test]
fn twenty_thousand_hostile_frames() {
    let seed = random::seed(0x6d61_7966_6c79);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let world = world(WireLimits::default(), false);
    assert!(frames::is_served(world.port()));
    let (before, mut served) = (frames::memory_kib(), world.commands());
    for number in 0..random::count(FRAMES) {
        let bytes = hostile(&mut random);
        let answer = exchange(world.port(), &bytes);
        let answer = answer.unwrap_or_else(|error| panic!("frame {number}: {error}"));
        let reply = answer.get(21..).and_then(|reply| bson::Document::from_reader(reply).ok());
        let is_refused = answer.is_empty()
            || answer.get(36..).is_some_and(|_| reply.is_none_or(|reply| !store::is_ok(&reply)));
        assert!(is_refused, "frame {number} was answered with {answer:?}");
        if number % 1_000 == 999 {
            assert!(frames::is_served(world.port()), "not served after frame {number}");
            served += 1;
        }
    }
    let unknown = world.commands() - served;
    assert_eq!(unknown, 0, "commands that no well-behaved client sent");
    let grown = frames::memory_kib().saturating_sub(before);
    assert!(grown < GROWTH_KIB_MAX, "memory grew by {grown} KiB");
    let databases = world.engine.run("admin", &doc! { "listDatabases": 1 });
    assert_eq!(databases.get_array("databases").map(Vec::len).ok(), Some(0), "{databases}");
}

/// Whether the server closes the connection while the client keeps it open.
fn is_ended(mut stream: TcpStream) -> bool {
    stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    matches!(stream.read(&mut [0; 64]), Ok(0))
        || stream.take_error().is_ok_and(|error| error.is_some())
}

#[test]
fn slow_clients_are_ended() {
    let soon = Duration::from_millis(60);
    let limits = WireLimits { idle: soon, header: soon, body: soon, ..WireLimits::default() };
    let world = world(limits, false);
    let whole = msg(0, &bytes(&doc! { "ping": 1, "$db": "admin" }));
    let check = |sent: &[u8]| {
        let mut stream = TcpStream::connect(("127.0.0.1", world.port())).expect("a connection");
        stream.write_all(sent).expect("room in the socket");
        assert!(is_ended(stream), "{} bytes were waited for", sent.len());
    };
    check(&[]);
    check(&whole[..1]);
    check(&whole[..15]);
    check(&whole[..16]);
    check(&whole[..whole.len() - 1]);
    assert_eq!(world.commands(), 0);
}

#[test]
fn a_drip_does_not_buy_time() {
    let soon = Duration::from_millis(60);
    let limits = WireLimits { header: soon, ..WireLimits::default() };
    let world = world(limits, false);
    let mut stream = TcpStream::connect(("127.0.0.1", world.port())).expect("a connection");
    let deadline = Deadline::after(PATIENCE);
    // One byte of a valid length, repeated: each byte is in time, the header is not.
    let mut header = 60_i32.to_le_bytes().into_iter().chain(std::iter::repeat(0));
    stream.set_nodelay(true).expect("an option");
    stream.set_read_timeout(Some(Duration::from_millis(100))).expect("a timeout");
    let mut sent = 0;
    loop {
        assert!(!deadline.is_over(), "{sent} bytes of a header were taken");
        let byte = [header.next().unwrap_or(0)];
        if stream.write_all(&byte).is_err() || matches!(stream.read(&mut [0; 8]), Ok(0)) {
            break;
        }
        sent += 1;
        assert!(sent < 16, "a header came through a byte at a time");
    }
}

#[test]
fn who_does_not_log_in_is_ended() {
    let limits = WireLimits { login: Duration::from_millis(60), ..WireLimits::default() };
    let world = world(limits, true);
    let stream = TcpStream::connect(("127.0.0.1", world.port())).expect("a connection");
    assert!(is_ended(stream));
    assert_eq!(world.commands(), 0);
}

#[test]
fn before_login_only_small_messages_are_taken() {
    let world = world(WireLimits::default(), true);
    let large = doc! { "ping": 1, "comment": "x".repeat(70_000), "$db": "admin" };
    let answer = exchange(world.port(), &msg(0, &bytes(&large))).expect("an end");
    assert!(answer.is_empty(), "{answer:?}");
    let find = exchange(world.port(), &msg(0, &bytes(&doc! { "find": "c", "$db": "test" })));
    let find = find.expect("an answer");
    let reply = find.get(21..).expect("a message");
    let reply = bson::Document::from_reader(reply).expect("a document");
    assert_eq!(reply.get_i32("code").ok(), Some(13), "{reply}");
    assert_eq!(world.commands(), 0);
}

/// Raises the limit of open files as far as allowed and needed. Returns the number of connections
/// that fit, at most [`HALF_OPEN`].
fn half_open() -> usize {
    let mut files = getrlimit(Resource::Nofile);
    let wanted = files.maximum.map_or(FILES, |maximum| maximum.min(FILES));
    if files.current.is_some_and(|current| current < wanted) {
        files.current = Some(wanted);
        setrlimit(Resource::Nofile, files).expect("more files");
    }
    let room = files.current.map_or(FILES, |current| current.saturating_sub(FILES_OF_OTHERS));
    usize::try_from(room).map_or(HALF_OPEN, |room| room.min(HALF_OPEN))
}

#[test]
fn a_thousand_half_open_connections() {
    let count = half_open();
    assert!(
        count >= HALF_OPEN_MIN,
        "the limit of open files leaves room for {count} connections only; raise it with ulimit -n"
    );
    println!("{count} half-open connections");
    let world = world(WireLimits::default(), false);
    let before = frames::memory_kib();
    let half = &msg(0, &bytes(&doc! { "ping": 1, "$db": "admin" }))[..7];
    let connect = |_| {
        let connection = TcpStream::connect(("127.0.0.1", world.port()));
        let mut connection = connection.expect("a connection");
        connection.write_all(half).expect("there is room for it");
        connection
    };
    let idle: Vec<TcpStream> = (0..count).map(connect).collect();
    assert!(frames::is_served(world.port()), "others are not served");
    let grown = frames::memory_kib().saturating_sub(before);
    assert!(grown < IDLE_KIB_MAX * count as u64, "memory grew by {grown} KiB");
    let deadline = Deadline::after(PATIENCE);
    let current = || {
        let status = world.engine.run("admin", &doc! { "serverStatus": 1 });
        status.get_document("connections").and_then(|counts| counts.get_i32("current")).ok()
    };
    while current().is_none_or(|count| count > 0) {
        assert!(!deadline.is_over(), "half-open connections are not ended");
    }
    drop(idle);
}

#[test]
fn only_this_machine_is_let_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let engine = Engine::open(folder.path(), EngineOptions::default()).expect("a store");
    for address in ["0.0.0.0", "192.168.0.1", "::"] {
        let address = address.parse().expect("an address");
        let refused = engine.listen(ListenOptions { address, ..ListenOptions::default() });
        let sentence = refused.err().map(|error| error.to_string()).unwrap_or_default();
        assert!(sentence.contains("127.0.0.1"), "{address}: {sentence}");
    }
}
