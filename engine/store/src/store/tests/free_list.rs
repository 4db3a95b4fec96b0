//! The list of free pages: LMDB allocates these pages, so a wrong number destroys data in use, long after the
//! store was opened. Each kind of wrong number is written into a sound file.

use std::fs;

use super::*;

const PAGE: usize = 4096;

fn number(bytes: &[u8], at: usize) -> u64 {
    u64::from_ne_bytes(bytes[at..at + 8].try_into().expect("8 bytes"))
}

fn half(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_ne_bytes(bytes[at..at + 2].try_into().expect("2 bytes")))
}

fn put(bytes: &mut [u8], at: usize, number: u64) {
    bytes[at..at + 8].copy_from_slice(&number.to_ne_bytes());
}

/// Offsets of the numbers, newest header first: the header, the leaf of the list, and its longest record.
struct Places {
    header: usize,
    leaf: usize,
    /// The record's number of pages; the page numbers follow.
    count: usize,
    key: usize,
}

/// A healthy file with a list of free pages that is one leaf.
fn healthy() -> (tempfile::TempDir, Vec<u8>, Places) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..300);
    let cleared: Result<usize, StoreError> =
        store.write(|writer| writer.clear_documents(COLLECTION, 100));
    cleared.expect("the write succeeds");
    drop(store);
    let bytes = fs::read(folder.path().join("data.mdb")).expect("a file");
    let header = if number(&bytes, 144) > number(&bytes, PAGE + 144) { 0 } else { PAGE };
    assert_eq!(half(&bytes, header + 46), 1, "a list of one level");
    let leaf = usize::try_from(number(&bytes, header + 80)).expect("a small number") * PAGE;
    let nodes = (half(&bytes, leaf + 12) - 16) / 2;
    let place = (0..nodes)
        .map(|node| leaf + half(&bytes, leaf + 16 + 2 * node))
        .filter(|at| half(&bytes, at + 4) == 0)
        .max_by_key(|at| number(&bytes, at + 16))
        .expect("a record in the page itself");
    let places = Places { header, leaf, count: place + 16, key: place + 8 };
    assert!(number(&bytes, places.count) > 5, "a record of some pages");
    (folder, bytes, places)
}

#[track_caller]
fn check(lie: impl Fn(&mut Vec<u8>, &Places), expected: &str) {
    let (folder, mut bytes, places) = healthy();
    lie(&mut bytes, &places);
    fs::write(folder.path().join("data.mdb"), &bytes).expect("a file");
    let findings = Store::check_structure(folder.path()).expect("readable").findings.join("; ");
    assert!(findings.contains(expected), "{findings}");
    let options = StoreOptions { full_check: true, ..StoreOptions::default() };
    let opened = Store::open(folder.path(), &options).err();
    assert!(matches!(opened, Some(StoreError::Damaged { .. })), "{opened:?}");
}

#[test]
fn each_lie_in_the_list_of_free_pages_is_found() {
    check(|bytes, at| put(bytes, at.count + 8, u64::MAX - 1), "an invalid page");
    check(
        |bytes, at| {
            let last_page = number(bytes, at.header + 136);
            put(bytes, at.count + 8, last_page + 1);
        },
        "an invalid page",
    );
    check(|bytes, at| put(bytes, at.count + 8 * 3, 1), "an invalid page");
    check(
        |bytes, at| {
            let (first, second) = (number(bytes, at.count + 8), number(bytes, at.count + 16));
            put(bytes, at.count + 8, second);
            put(bytes, at.count + 16, first);
        },
        "an invalid page",
    );
    check(
        |bytes, at| {
            let first = number(bytes, at.count + 8);
            put(bytes, at.count + 16, first);
        },
        "an invalid page",
    );
    check(
        |bytes, at| {
            let root_of_tables = number(bytes, at.header + 128);
            let mut free = Vec::new();
            while (free.len() as u64) < number(bytes, at.count) {
                free.push(number(bytes, at.count + 8 + 8 * free.len()));
            }
            // At its position in the order, so that nothing else is wrong.
            let place =
                free.iter().position(|page| *page < root_of_tables).unwrap_or(free.len() - 1);
            put(bytes, at.count + 8 * (place + 1), root_of_tables);
        },
        "a page in use",
    );
    check(
        |bytes, at| {
            let count = number(bytes, at.count);
            put(bytes, at.count, count + 1);
        },
        "is truncated",
    );
    check(|bytes, at| put(bytes, at.count, u64::MAX), "is truncated");
    check(
        |bytes, at| {
            let txn = number(bytes, at.header + 144);
            put(bytes, at.key, txn + 1_000);
        },
        "the last transaction of the list of free pages differs",
    );
    check(
        |bytes, at| {
            let last_page = number(bytes, at.header + 136);
            put(bytes, at.header + 136, last_page + 1);
        },
        "some are lost",
    );
    check(|bytes, at| bytes[at.leaf + 10] = 1, "list of free pages");
}

/// As if the process was killed: `identity.json` does not have the last transaction.
fn forget_the_last_transaction(folder: &FsPath) {
    let path = folder.join("identity.json");
    let text = fs::read_to_string(&path).expect("a card");
    let mut card: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    card["lastTransaction"] = 1.into();
    fs::write(path, card.to_string()).expect("written");
}

/// One wrong bit in the number of a header makes the state before the last transaction the current one, and
/// that state is complete.
#[test]
fn a_header_with_a_wrong_number_does_not_bring_back_an_older_state_in_silence() {
    let other = |header: usize| PAGE - header;
    check(
        |bytes, at| {
            let txn = number(bytes, at.header + 144);
            put(bytes, other(at.header) + 144, txn + 1);
        },
        "the last transaction of the list of free pages differs",
    );

    let (folder, _, _) = healthy();
    let path = folder.path().join("data.mdb");
    let is_warned = || {
        forget_the_last_transaction(folder.path());
        let opened = Store::open(folder.path(), &StoreOptions::default());
        let (_, report) = opened.expect("the store opens");
        report.warnings.iter().any(|warning| warning.contains("The last change may be missing"))
    };
    assert!(!is_warned(), "the whole file");
    let mut bytes = fs::read(&path).expect("a file");
    let header = if number(&bytes, 144) > number(&bytes, PAGE + 144) { 0 } else { PAGE };
    let txn = number(&bytes, header + 144);
    put(&mut bytes, header + 144, txn - 2);
    fs::write(&path, &bytes).expect("a file");
    assert!(is_warned(), "the number of the last transaction");
}
