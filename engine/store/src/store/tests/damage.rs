//! Damage is reported, never shown as good data, and never kills the process.

use std::fs;
use std::path::Path as FsPath;

use super::*;
use crate::store::StoreState;
use crate::store::testing::overwrite;

/// A healthy, closed store with several tree levels, overflow pages and free pages.
pub(super) fn healthy(folder: &FsPath) -> Seen {
    let store = open(folder);
    fill(&store, 0..1_500);
    let shrunk: Result<(), StoreError> = store.write(|writer| {
        for record in (0..1_500_u64).step_by(3) {
            writer.delete_document(COLLECTION, record.into())?;
            writer.delete_entry(INDEX, &record.to_be_bytes(), record.into())?;
        }
        Ok(())
    });
    shrunk.expect("the write succeeds");
    fill(&store, 1_500..1_600);
    see(&store).expect("readable")
}

/// The error of opening and reading everything; `None` when nothing was noticed.
fn outcome(folder: &FsPath, expected: &Seen) -> Option<String> {
    let options = StoreOptions { full_check: true, ..StoreOptions::default() };
    let (store, report) = match Store::open(folder, &options) {
        Ok(opened) => opened,
        Err(error) => return Some(error.to_string()),
    };
    match see(&store) {
        Err(error) => Some(error.to_string()),
        Ok(seen) if report.warnings.iter().any(|warning| warning.contains("is older than")) => {
            Some(format!("{:?}, {} documents", report.warnings, seen.0.len()))
        }
        Ok(seen) => {
            assert!(seen == *expected, "a change went unnoticed");
            // An accepted file must also be safe to write to.
            fill(&store, 2_000..2_050);
            assert_eq!(store.check().expect("readable").findings, Vec::<String>::new());
            None
        }
    }
}

/// Pseudo-random numbers from a seed (xorshift), so that a failure can be repeated.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).expect("a small number")
    }
}

pub(super) fn mutate(bytes: &mut Vec<u8>, random: &mut Random) -> String {
    const PAGE: usize = 4096;
    let pages = bytes.len() / PAGE;
    let (page, other) = (random.below(pages), random.below(pages));
    let (start, other_start) = (page * PAGE, other * PAGE);
    match random.below(7) {
        0 => {
            let at = random.below(152) + PAGE * random.below(2);
            bytes[at] ^= 1 << random.below(8);
            format!("header byte {at}")
        }
        1 => {
            let at = start + random.below(PAGE);
            bytes[at] ^= 1 << random.below(8);
            format!("bit of byte {at}")
        }
        2 => {
            let at = start + random.below(64);
            bytes[at] = u8::try_from(random.below(256)).expect("a byte");
            format!("byte {at} in the head of page {page}")
        }
        3 => {
            bytes[start..start + PAGE].fill(0);
            format!("page {page} zeroed")
        }
        4 => {
            let (low, high) = (start.min(other_start), start.max(other_start));
            if low < high {
                let (left, right) = bytes.split_at_mut(high);
                left[low..low + PAGE].swap_with_slice(&mut right[..PAGE]);
            }
            format!("pages {page} and {other} swapped")
        }
        5 => {
            let at = start + 512 * random.below(8);
            for byte in &mut bytes[at..at + 512] {
                *byte = byte.wrapping_mul(31).wrapping_add(7);
            }
            format!("sector at {at} scrambled")
        }
        _ => {
            let len = random.below(bytes.len());
            bytes.truncate(len);
            format!("cut to {len} bytes")
        }
    }
}

#[test]
fn random_damage_is_noticed_or_harmless_and_never_deadly() {
    // More rounds for a long run: `MAYFLY_MUTATIONS=50000 cargo test …`.
    let rounds = std::env::var("MAYFLY_MUTATIONS").ok().and_then(|text| text.parse().ok());
    let rounds = rounds.unwrap_or(300_u64);
    let source = tempfile::tempdir().expect("a folder");
    let expected = healthy(source.path());
    let data = fs::read(source.path().join("data.mdb")).expect("a file");
    let identity = fs::read(source.path().join("identity.json")).expect("a file");
    let mut noticed = 0;
    for seed in 1..=rounds {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15));
        let mut bytes = data.clone();
        let what = mutate(&mut bytes, &mut random);
        println!("seed {seed}: {what}");
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("data.mdb"), &bytes).expect("a file");
        fs::write(folder.path().join("identity.json"), &identity).expect("a file");
        if let Some(sentence) = outcome(folder.path(), &expected) {
            noticed += 1;
            println!("  {sentence}");
        }
    }
    println!("{noticed} of {rounds} noticed");
    assert!(noticed > rounds / 2 && noticed < rounds, "{noticed}");
}

#[test]
fn a_flipped_byte_of_a_document_is_reported_not_returned() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let written: Result<(), StoreError> = store.write(|writer| {
        for record in 0..3 {
            let text = format!("needle {record}");
            writer.put_document(COLLECTION, record, 0, &rawdoc! { "t": text }.into_bytes())?;
        }
        Ok(())
    });
    written.expect("the write succeeds");
    drop(store);
    let path = folder.path().join("data.mdb");
    let mut bytes = fs::read(&path).expect("a file");
    let at = bytes.windows(8).rposition(|window| window == b"needle 1").expect("the text");
    // LMDB may have left an older copy of the page; flip every one.
    for place in 0..=at {
        if bytes[place..].starts_with(b"needle 1") {
            bytes[place] ^= 1;
        }
    }
    fs::write(&path, &bytes).expect("a file");
    let store = open(folder.path());
    let read = |record| -> Result<bool, StoreError> {
        store.read(|reader| Ok(reader.document(COLLECTION, record)?.is_some()))
    };
    assert_eq!([read(0), read(2)], [Ok(true), Ok(true)]);
    let error = read(1).expect_err("the checksum is wrong").to_string();
    assert!(error.contains("document 1 does not match"), "{error}");
}

#[test]
fn a_cut_file_is_refused_after_an_unclean_end() {
    let source = tempfile::tempdir().expect("a folder");
    let expected = healthy(source.path());
    let data = fs::read(source.path().join("data.mdb")).expect("a file");
    for tenths in 1..10 {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("data.mdb"), &data[..data.len() * tenths / 10])
            .expect("a file");
        fs::write(folder.path().join("app.lock"), "1\n").expect("a file");
        let sentence = outcome(folder.path(), &expected).expect("noticed");
        assert!(sentence.contains("damaged"), "{sentence}");
    }
}

#[test]
fn a_healthy_file_passes_and_every_page_is_accounted_for() {
    let folder = tempfile::tempdir().expect("a folder");
    healthy(folder.path());
    let report = Store::check_structure(folder.path()).expect("readable");
    assert_eq!(report.findings, Vec::<String>::new());
    assert!(report.pages_used > 100 && report.pages_free > 10, "{report:?}");
}

#[test]
fn random_histories_never_make_the_walk_cry_wolf() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    let seed = 0xC0FF_EE11;
    let mut random = Random(seed);
    for round in 0..300 {
        let choices: Vec<(RecordNumber, usize)> = (0..random.below(60))
            .map(|_| (random.below(400) as RecordNumber, random.below(12)))
            .collect();
        let written: Result<(), StoreError> = store.write(|writer| {
            for &(record, size) in &choices {
                let key = vec![u8::try_from(record % 251).expect("a byte"); 8 + size * 30];
                if size == 0 {
                    writer.delete_document(COLLECTION, record)?;
                    writer.clear_entries(INDEX, 5)?;
                } else {
                    writer.put_document(COLLECTION, record, 0, &vec![1; size * size * 150])?;
                    writer.put_entry(INDEX, &key, record, true)?;
                }
            }
            Ok(())
        });
        written.expect("the write succeeds");
        let findings = store.check().expect("readable").findings;
        assert!(findings.is_empty(), "seed {seed:#x}, round {round}: {findings:?}");
    }
}

/// Another program zeroes the headers of an open file.
#[test]
fn headers_that_are_zeroed_while_the_store_is_open_are_damage() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path());
    fill(&store, 0..1_000);
    let places: Vec<usize> = (0..8_192).collect();
    overwrite(folder.path(), &places, |_| 0);
    let is_said =
        |error: &StoreError| error.to_string().contains("headers of data.mdb were overwritten");
    let refused: Result<(), StoreError> = store.write(|writer| writer.put_meta("a", b""));
    assert!(is_said(&refused.expect_err("refused")));
    let error = see(&store).expect_err("not readable");
    assert!(matches!(&error, StoreError::ReadAborted { .. }) && is_said(&error), "{error:?}");
    assert_eq!(store.status().state, StoreState::Suspect);
    drop(store);
    let refused = Store::open(folder.path(), &StoreOptions::default()).err();
    assert!(matches!(refused, Some(StoreError::NotADatabase { .. })), "{refused:?}");
}
