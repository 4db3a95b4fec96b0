//! A bucket over an object store in memory. A real server is asked by the project's own tests.

use std::sync::Arc;

use object_store::memory::InMemory;

use super::Bucket;
use crate::archive::{
    frame,
    place::Place as _,
    segment::{Contents, Listed, batch_name},
};

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
            .put(&batch_name(at + 8, at.cast_signed(), at.cast_signed() + 10, 4), 0, frame)
            .expect("put");
    }
    assert!(bucket.put(&batch_name(20, 0, 0, 1), 5, b"x").is_err(), "nothing can be appended");
    let listed = bucket.list().expect("listed");
    assert_eq!(listed.len(), 3);
    assert!(
        listed.is_sorted_by(|a, b| a.name < b.name) && listed[2].name.starts_with("0000000010-")
    );
    assert_eq!(other.list(), Ok(Vec::new()), "another archive's objects are not this one's");
    for (segment, frame) in listed.iter().zip(&frames) {
        let told = bucket.contents(segment).expect("told");
        let found =
            Contents::find(segment.bytes, |offset, len| bucket.read(&segment.name, offset, len));
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
fn a_name_that_tells_nothing_is_no_obstacle() {
    for name in ["0000000001-20240101T000000123Z.ndjson.gz", "0000000001-x-1-2.ndjson.gz", "x"] {
        assert_eq!(Contents::of_batch(&Listed { name: name.to_owned(), bytes: 9 }), None, "{name}");
    }
}
