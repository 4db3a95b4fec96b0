//! Frames of MongoDB's wire protocol, whole and broken ones, and a plain client for them.

use std::{
    io::{Read, Result, Write},
    net::{Shutdown, TcpStream},
    time::Duration,
};

use bson::{Document, doc};

/// How long a client waits for an answer that must come.
const PATIENCE: Duration = Duration::from_secs(20);

/// `OP_MSG`
pub const OP_MSG: i32 = 2013;
/// `OP_QUERY`
pub const OP_QUERY: i32 = 2004;

/// A frame with this body; its length is right.
pub fn frame(opcode: i32, body: &[u8]) -> Vec<u8> {
    let length = i32::try_from(16 + body.len()).unwrap_or(i32::MAX);
    framed(length, opcode, body)
}

/// A frame that claims a length.
pub fn framed(length: i32, opcode: i32, body: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 + body.len());
    for word in [length, 7, 0, opcode] {
        out.extend_from_slice(&word.to_le_bytes());
    }
    out.extend_from_slice(body);
    out
}

/// An `OP_MSG` with these flags and one section of kind 0.
pub fn msg(flags: u32, document: &[u8]) -> Vec<u8> {
    let mut body = flags.to_le_bytes().to_vec();
    body.push(0);
    body.extend_from_slice(document);
    frame(OP_MSG, &body)
}

/// An `OP_MSG` with a right checksum.
pub fn checked_msg(document: &[u8]) -> Vec<u8> {
    let mut whole = msg(1, document);
    let length = i32::try_from(whole.len() + 4).unwrap_or(i32::MAX);
    whole[..4].copy_from_slice(&length.to_le_bytes());
    let sum = crc32c::crc32c(&whole);
    whole.extend_from_slice(&sum.to_le_bytes());
    whole
}

/// The bytes of a document.
///
/// # Panics
/// When a name holds a NUL character.
pub fn bytes(document: &Document) -> Vec<u8> {
    document.to_vec().expect("a document that can be written")
}

/// Sends bytes, closes the sending side, and returns the whole answer.
///
/// # Errors
/// When the server can't be reached.
pub fn exchange(port: u16, bytes: &[u8]) -> Result<Vec<u8>> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(PATIENCE))?;
    // A server that has already closed makes the write fail, which is an answer too.
    let _ = stream.write_all(bytes).and_then(|()| stream.shutdown(Shutdown::Write));
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        Err(error) if error.kind() != std::io::ErrorKind::ConnectionReset => Err(error),
        _ => Ok(answer),
    }
}

/// Whether a well-behaved client is served: a new connection and a `ping`.
pub fn is_served(port: u16) -> bool {
    let ping = msg(0, &bytes(&doc! { "ping": 1, "$db": "admin" }));
    let answer = exchange(port, &ping).unwrap_or_default();
    let document = answer.get(21..).unwrap_or_default();
    Document::from_reader(document).is_ok_and(|reply| crate::store::is_ok(&reply))
}

/// Kilobytes of memory that this process uses.
///
/// # Panics
/// Where the system doesn't report it.
pub fn memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").expect("a Linux system");
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("VmRSS");
    line.trim().trim_end_matches("kB").trim().parse().expect("a number")
}
