//! A bucket over an object store in memory. A real server is asked by the project's own tests.

use std::{
    io::{self, BufRead as _, BufReader, Read as _, Write as _},
    net::TcpListener,
    sync::Arc,
    thread,
};

use object_store::memory::InMemory;

use super::Bucket;
use crate::{
    archive::{
        backend::Backend as _,
        frame,
        segment::{SegmentContents, SegmentFile, batch_name},
    },
    limits::ARCHIVE_RETRIES,
};

const ID: &str = "0123abcd00000001";

#[test]
fn each_batch_is_an_object_that_says_what_it_holds() {
    let memory = Arc::new(InMemory::new());
    let (bucket, other) =
        (Bucket::over(memory.clone(), "old/%20 things/"), Bucket::over(memory.clone(), "old"));
    assert_eq!(bucket.list(), Ok(Vec::new()));
    let frames: Vec<Vec<u8>> =
        (0..3).map(|at| frame::pack(b"{\"a\":1}\n", 4, at, at + 10).expect("packed")).collect();
    for (at, frame) in (0..).zip(&frames) {
        bucket
            .put(&batch_name(at + 8, at.cast_signed(), at.cast_signed() + 10, 4, ID), frame)
            .expect("put");
    }
    let listed = bucket.list().expect("listed");
    assert_eq!(listed.len(), 3);
    assert!(
        listed.is_sorted_by(|a, b| a.name < b.name) && listed[2].name.starts_with("0000000010-")
    );
    assert_eq!(other.list(), Ok(Vec::new()), "another archive's objects are not this one's");
    for (segment, frame) in listed.iter().zip(&frames) {
        let told = bucket.contents(segment).expect("told");
        let found = SegmentContents::find(segment.bytes, |offset, len| {
            bucket.read(&segment.name, offset, len)
        });
        let found = found.expect("found");
        assert_eq!(
            (told.docs(), told.first_ms(), told.last_ms()),
            (found.docs(), found.first_ms(), found.last_ms())
        );
        assert_eq!((told.unreadable, told.frames[0].header.len as usize), (0, frame.len()));
        assert_eq!(bucket.read(&segment.name, 0, frame.len()).as_ref(), Ok(frame));
    }
    bucket.remove(&listed[0].name).expect("removed");
    assert_eq!(bucket.list().expect("listed"), listed[1..]);
    let gone = bucket.read(&listed[0].name, 0, 9).expect_err("gone").to_string();
    assert!(
        gone.contains("s3://bucket/old/") && gone.contains("no such bucket or object"),
        "{gone}"
    );
}

#[test]
fn an_object_that_is_there_stays_as_it_is() {
    let memory = Arc::new(InMemory::new());
    let (bucket, copy) = (Bucket::over(memory.clone(), "old"), Bucket::over(memory, "old"));
    let name = batch_name(1, 0, 10, 4, ID);
    bucket.put(&name, b"first").expect("put");
    let refused = copy.put(&name, b"other").expect_err("there already").to_string();
    assert!(refused.contains("an object with this name already exists"), "{refused}");
    assert_eq!(bucket.read(&name, 0, 5).as_deref(), Ok(b"first".as_slice()));
}

/// A server that answers one request at a time, and has not built conditions. Hands back how many
/// objects it took.
fn server_without_conditions(listener: &TcpListener, requests: usize) -> usize {
    let mut taken = 0;
    for stream in listener.incoming().take(requests) {
        let mut reader = BufReader::new(stream.expect("connected"));
        let (mut head, mut length) = (String::new(), 0);
        while !head.ends_with("\r\n\r\n") {
            let from = head.len();
            reader.read_line(&mut head).expect("a line");
            if let Some(value) = head[from..].to_ascii_lowercase().strip_prefix("content-length:") {
                length = value.trim().parse().expect("a number");
            }
        }
        io::copy(&mut reader.by_ref().take(length), &mut io::sink()).expect("the body");
        let is_conditional = head.to_ascii_lowercase().contains("if-none-match");
        taken += usize::from(!is_conditional);
        let status = if is_conditional { "501 Not Implemented" } else { "200 OK\r\nETag: \"1\"" };
        let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        reader.get_mut().write_all(answer.as_bytes()).expect("answered");
    }
    taken
}

#[test]
fn a_server_without_conditions_takes_batches_too() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("bound");
    let address = listener.local_addr().expect("bound");
    // The condition is tried once more, as every request that a server failed.
    let requests = ARCHIVE_RETRIES + 3;
    let serve = move || server_without_conditions(&listener, requests);
    let server = thread::Builder::new().name("s3".to_owned()).spawn(serve).expect("a thread");
    let bucket = Bucket::at(format!("http://{address}"));
    for number in 1..3 {
        bucket.put(&batch_name(number, 0, 10, 4, ID), b"batch").expect("put");
    }
    assert_eq!(server.join().expect("no panic"), 2, "only the first is tried with a condition");
}

#[test]
fn an_object_that_its_server_never_finished_is_no_batch() {
    let name = batch_name(1, 0, 10, 4, ID);
    for bytes in [0, 47] {
        let contents =
            SegmentContents::of_batch(&SegmentFile { name: name.clone(), bytes }).expect("told");
        assert_eq!((contents.docs(), contents.unreadable), (0, bytes));
    }
}

#[test]
fn a_name_that_tells_nothing_is_no_obstacle() {
    for name in ["0000000001-20240101T000000123Z.ndjson.gz", "0000000001-x-1-2.ndjson.gz", "x"] {
        assert_eq!(
            SegmentContents::of_batch(&SegmentFile { name: name.to_owned(), bytes: 99 }),
            None,
            "{name}"
        );
    }
}
