//! A damaged file is reported, never shown as good, and never kills the program.
//!
//! Each file is a store's file with a change: truncated, or with bits, bytes, sectors or pages
//! changed, zeroed or exchanged. `MAYFLY_TEST_COUNT` sets the number of files, `MAYFLY_TEST_SEED`
//! the changes.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;

use mayfly_tests::random::{self, Random};
use mayfly_tests::store::folder_in_memory;

const PAGE: usize = 4096;
const SECTOR: usize = 512;

/// Steps of the damaged store.
const STEPS: &str = "40";

#[test]
fn no_damage_is_shown_as_good() {
    check(20_261_121, 500, false, mutate);
}

/// The disk has changed bytes: size, times and inode are those of the file that was closed.
#[test]
fn no_silent_damage_is_shown_as_good() {
    check(20_261_127, 500, true, |bytes, random| {
        if random.below(2) == 0 { mutate_aimed(bytes, random) } else { mutate(bytes, random) }
    });
}

/// The first two pages describe all others, and LMDB trusts them.
#[test]
fn no_change_of_the_headers_is_shown_as_good() {
    check(20_261_123, 10_000, false, |bytes, random| mutate_headers(bytes, random));
}

/// Changes `count` copies of a store's file with `mutate`, and checks each.
fn check(
    seed: u64,
    count: usize,
    is_silent: bool,
    mutate: fn(&mut Vec<u8>, &mut Random) -> &'static str,
) {
    let seed = random::seed(seed);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = folder.path().join("store");
    let mut writer = Command::new(env!("CARGO_BIN_EXE_step_writer"));
    let written = writer.arg(&store).args(["0", STEPS]).output().expect("the writer starts");
    assert!(written.status.success(), "{}", String::from_utf8_lossy(&written.stderr));
    let whole = fs::read(store.join("data.mdb")).expect("the store has a data file");
    let good = look(&store, &whole, OpenMode::default());
    assert_eq!(good.code, Some(0), "the whole store is refused: {}", good.log);
    assert!(good.documents.lines().count() > 300, "the store is small");

    let mut ends: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for number in 0..random::count(count) {
        let mut bytes = whole.clone();
        let kind = mutate(&mut bytes, &mut random);
        let (writes, second) = (number % 2 == 1, number % 4 >= 2);
        let way = match (is_silent, second) {
            (false, was_killed) => OpenMode { writes, was_killed, walk: WalkAt::Once },
            (true, false) => OpenMode { writes, was_killed: false, walk: WalkAt::Opening },
            (true, true) => OpenMode { writes, was_killed: false, walk: WalkAt::Later },
        };
        let seen = look(&store, &bytes, way);
        let end = seen.end(&good, &format!("file {number}, {kind}"));
        *ends.entry((kind, end)).or_default() += 1;
    }
    for ((kind, end), count) in &ends {
        println!("{kind}: {end} {count}");
    }
    let noticed = ends.iter().filter(|((_, end), _)| *end != "harmless").map(|(_, count)| count);
    assert!(noticed.sum::<usize>() > 0, "no damage was ever noticed");
}

struct ReadResult {
    code: Option<i32>,
    documents: String,
    log: String,
}

impl ReadResult {
    /// How it ended, compared with what the whole store shows.
    fn end(&self, good: &Self, what: &str) -> &'static str {
        let what = format!("{what}: {}", self.log);
        let end = match self.code {
            Some(3) => "refused",
            Some(4) => "reported",
            Some(0) => "harmless",
            Some(5) => panic!("{what}: a write into damage succeeded"),
            other => panic!("{what}: ended with {other:?}"),
        };
        // The documents are right, or they are an earlier state and reported as one.
        let is_older = ["changes are missing", "The last change may be missing"]
            .iter()
            .any(|words| self.log.contains(words));
        for line in self.documents.lines().filter(|_| !is_older) {
            assert!(
                good.documents.lines().any(|good| good == line),
                "{what}: shown as good: {line}"
            );
        }
        let mut lines: Vec<&str> = self.documents.lines().collect();
        lines.sort_unstable();
        assert!(lines.windows(2).all(|two| two[0] != two[1]), "{what}: shown twice");
        if end == "harmless" {
            assert_eq!(self.documents, good.documents, "{what}: nothing was reported");
        }
        end
    }
}

/// How a changed store is opened.
#[derive(Debug, Clone, Copy, Default)]
struct OpenMode {
    /// The reader also writes.
    writes: bool,
    /// The number of the last transaction was not recorded.
    was_killed: bool,
    walk: WalkAt,
}

/// When the changed file is walked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum WalkAt {
    /// First of all: size, time and inode are not those of the last close.
    #[default]
    Once,
    /// Size, time and inode are those of the last close, as if the disk had changed the file.
    Opening,
    /// As `Opening`, but the store is open before.
    Later,
}

/// Reads a store with this data file in another process.
fn look(store: &Path, bytes: &[u8], way: OpenMode) -> ReadResult {
    let place = folder_in_memory();
    let private = fs::Permissions::from_mode(0o700);
    fs::set_permissions(place.path(), private).expect("the folder is ours");
    let place = place.path();
    let card = fs::read_to_string(store.join("identity.json")).expect("the store has a card");
    let mut card: serde_json::Value = serde_json::from_str(&card).expect("the card is JSON");
    if way.was_killed {
        card["lastTransaction"] = 1.into();
    }
    let data = place.join("data.mdb");
    fs::write(&data, bytes).expect("the file can be written");
    if way.walk != WalkAt::Once {
        let found = fs::metadata(&data).expect("the file is there");
        card["dataBytes"] = found.len().into();
        card["dataModifiedNs"] = (found.mtime() * 1_000_000_000 + found.mtime_nsec()).into();
        card["dataNumber"] = found.ino().into();
    }
    fs::write(place.join("identity.json"), card.to_string()).expect("a copy");
    let mut reader = Command::new(env!("CARGO_BIN_EXE_mutant_reader"));
    reader.arg(place).args(way.writes.then_some("write"));
    reader.args((way.walk == WalkAt::Later).then_some("unwalked"));
    let output = reader.output().expect("the reader starts");
    ReadResult {
        code: output.status.code(),
        documents: String::from_utf8_lossy(&output.stdout).into_owned(),
        log: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// Makes a random change and describes it.
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

/// Changes what a search or a scan follows: lengths, flags and places of nodes, links between pages, whole pages.
fn mutate_aimed(bytes: &mut [u8], random: &mut Random) -> &'static str {
    const HEAD: usize = 16;
    let pages = bytes.len() / PAGE;
    // The first two pages have a test of their own.
    let page = (2 + random.below(pages - 2)) * PAGE;
    let lower = usize::from(u16::from_le_bytes([bytes[page + 12], bytes[page + 13]]));
    let nodes = lower.saturating_sub(HEAD).min(PAGE - HEAD) / 2;
    let node = |bytes: &[u8], random: &mut Random| {
        let at = page + HEAD + 2 * random.below(nodes.max(1));
        let place = usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]));
        (page + place).min(bytes.len() - HEAD)
    };
    match random.below(6) {
        0 => {
            let at = node(bytes, random) + random.below(8);
            bytes[at] ^= 1 << random.below(8);
            "a bit in the head of a node"
        }
        1 => {
            let at = node(bytes, random) + 8 + random.below(8);
            bytes[at] ^= 1 << random.below(8);
            "a bit of a key"
        }
        2 => {
            let at = page + HEAD + 2 * random.below(nodes.max(1));
            bytes[at] ^= 1 << random.below(8);
            "a bit of a node's place"
        }
        3 => {
            let at = page + 8 + random.below(8);
            bytes[at] ^= 1 << random.below(8);
            "a bit of the flags or bounds"
        }
        4 => {
            let other = (2 + random.below(pages - 2)) * PAGE;
            bytes.copy_within(other..other + PAGE, page);
            "a page overwritten by another"
        }
        _ => {
            let other = (2 + random.below(pages - 2)) * PAGE;
            bytes.copy_within(other + 8..other + PAGE, page + 8);
            "a page with the contents of another"
        }
    }
}

/// Changes LMDB's data at the start of the first two pages, and describes the change.
fn mutate_headers(bytes: &mut [u8], random: &mut Random) -> &'static str {
    /// Bytes of a page header, and of the data after it.
    const HEAD: usize = 16;
    const META: usize = 136;
    let start = random.below(2) * PAGE;
    let word = start + random.below((HEAD + META) / 8) * 8;
    let value = u64::from_le_bytes(bytes[word..word + 8].try_into().expect("eight bytes"));
    match random.below(7) {
        0 => {
            bytes[start + random.below(HEAD + META)] ^= 1 << random.below(8);
            "one bit"
        }
        1 => {
            for _ in 0..=random.below(4) {
                bytes[start + random.below(HEAD + META)] = random.next_u64().to_le_bytes()[0];
            }
            "some bytes"
        }
        2 => {
            let near = value.wrapping_add([1, 2, u64::MAX, u64::MAX - 1][random.below(4)]);
            bytes[word..word + 8].copy_from_slice(&near.to_le_bytes());
            "a number that is a little more or less"
        }
        3 => {
            let far = [0, 1, u64::MAX, u64::MAX >> 1, 1 << 32, 1 << 47][random.below(6)];
            bytes[word..word + 8].copy_from_slice(&far.to_le_bytes());
            "a number from the ends"
        }
        4 => {
            let other = PAGE - start + (word - start);
            bytes.copy_within(other..other + 8, word);
            "a number of the other header"
        }
        5 => {
            let noise = random.next_u64().to_le_bytes();
            for page in [0, PAGE] {
                bytes[page + word - start..][..8].copy_from_slice(&noise);
            }
            "the same noise in both"
        }
        _ => {
            let from = random.below(HEAD + META);
            bytes[start + from..start + HEAD + META].fill(0);
            "zeros to the end"
        }
    }
}
