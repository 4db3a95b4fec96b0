//! A damaged file is reported, never shown as good, and never kills the program.
//!
//! Each file is a store's with something changed in it: cut, or with bits, bytes, sectors or pages changed,
//! zeroed or exchanged. `MAYFLY_TEST_COUNT` sets the number of files, `MAYFLY_TEST_SEED` the changes.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use mayfly_tests::random::{self, Random};

const PAGE: usize = 4096;
const SECTOR: usize = 512;

/// Steps of the store that is damaged.
const STEPS: &str = "40";

#[test]
fn no_damage_is_shown_as_good() {
    let seed = random::seed(20_261_121);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = folder.path().join("store");
    let mut writer = Command::new(env!("CARGO_BIN_EXE_step_writer"));
    let written = writer.arg(&store).args(["0", STEPS]).output().expect("the writer starts");
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let whole = fs::read(store.join("data.mdb")).expect("the store has a data file");
    let place = folder.path().join("mutant");
    let good = look(&store, &place, &whole, false);
    assert_eq!(good.code, Some(0), "the whole store is refused: {}", good.log);
    assert!(good.documents.lines().count() > 300, "the store is small");

    let mut ends: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for number in 0..random::count(1_000) {
        let mut bytes = whole.clone();
        let kind = mutate(&mut bytes, &mut random);
        let seen = look(&store, &place, &bytes, number % 2 == 1);
        let what = format!("file {number}, {kind}: {}", seen.log);
        let end = match seen.code {
            Some(3) => "refused",
            Some(4) => "reported",
            Some(0) => "harmless",
            other => panic!("{what}: ended with {other:?}"),
        };
        // What is shown is right, whatever else is reported.
        for line in seen.documents.lines() {
            assert!(
                good.documents.lines().any(|good| good == line),
                "{what}: shown as good: {line}"
            );
        }
        if end == "harmless" {
            assert_eq!(seen.documents, good.documents, "{what}: nothing was reported");
        }
        *ends.entry((kind, end)).or_default() += 1;
    }
    for ((kind, end), count) in &ends {
        println!("{kind}: {end} {count}");
    }
    let noticed = ends.iter().filter(|((_, end), _)| *end != "harmless").map(|(_, count)| count);
    assert!(noticed.sum::<usize>() > 0, "no damage was ever noticed");
}

struct Seen {
    code: Option<i32>,
    documents: String,
    log: String,
}

/// Reads a store with this data file in a process of its own.
fn look(store: &Path, place: &Path, bytes: &[u8], writes: bool) -> Seen {
    fs::create_dir(place).expect("a folder can be made");
    fs::copy(store.join("identity.json"), place.join("identity.json")).expect("a copy");
    fs::write(place.join("data.mdb"), bytes).expect("the file can be written");
    let mut reader = Command::new(env!("CARGO_BIN_EXE_mutant_reader"));
    reader.arg(place).args(writes.then_some("write"));
    let output = reader.output().expect("the reader starts");
    fs::remove_dir_all(place).expect("the folder can be removed");
    Seen {
        code: output.status.code(),
        documents: String::from_utf8_lossy(&output.stdout).into_owned(),
        log: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Changes something and says what.
fn mutate(bytes: &mut Vec<u8>, random: &mut Random) -> &'static str {
    let pages = bytes.len() / PAGE;
    let page = random.below(pages) * PAGE;
    let any = |random: &mut Random| random.next_u64().to_le_bytes()[0];
    match random.below(9) {
        0 => {
            bytes.truncate(random.below(bytes.len()));
            "cut at a byte"
        }
        1 => {
            bytes.truncate(page);
            "cut at a page"
        }
        2 => {
            for _ in 0..=random.below(4) {
                let at = random.below(2) * PAGE + random.below(160);
                bytes[at] = any(random);
            }
            "bytes of the headers"
        }
        3 => {
            let at = random.below(bytes.len());
            bytes[at] ^= 1 << random.below(8);
            "one bit"
        }
        4 => {
            for _ in 0..=random.below(8) {
                let at = page + random.below(PAGE);
                bytes[at] = any(random);
            }
            "bytes of a page"
        }
        5 => {
            for _ in 0..=random.below(4) {
                let at = page + random.below(24);
                bytes[at] = any(random);
            }
            "the head of a page"
        }
        6 => {
            bytes[page..page + PAGE].fill(0);
            "a page of zeros"
        }
        7 => {
            let other = random.below(pages) * PAGE;
            let (a, b) = (page.min(other), page.max(other));
            if a != b {
                let (head, tail) = bytes.split_at_mut(b);
                head[a..a + PAGE].swap_with_slice(&mut tail[..PAGE]);
            }
            "two pages exchanged"
        }
        _ => {
            let at = random.below(bytes.len() / SECTOR) * SECTOR;
            bytes[at..at + SECTOR].iter_mut().for_each(|byte| *byte = any(random));
            "a sector of noise"
        }
    }
}
