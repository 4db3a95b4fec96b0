//! 100,000 damaged lesson files: each is read or refused, with a place for every problem.
//!
//! `MAYFLY_TEST_COUNT` sets the number of files of each test, `MAYFLY_TEST_SEED` the changes.

use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};

use crate::lessons::{file, shipped};
use crate::limits::LESSON_PROBLEMS_MAX;

/// How long one file may take, on a busy machine and without optimization.
const TIME_MAX: Duration = Duration::from_secs(10);

/// The pieces that mistakes are made of.
const PIECES: &[&str] = &[
    "+++\n",
    "## ",
    "# ",
    "```",
    "```js run ",
    "```js setup\n",
    "```toml predict\n",
    "~~~~\n",
    "\n\n",
    "> notes: ",
    "> ",
    "- ",
    "1. ",
    "| a |\n|---|\n",
    "{{ttl:60s..2h}}",
    "{{",
    "}}",
    "<b>",
    "<!--",
    "![x](y)",
    "[x](mayfly:y)",
    "[x]: y\n",
    "[[",
    "]]",
    "[[choice]]\n",
    "[clock]\n",
    "'''",
    "\"\"\"",
    "\"",
    "'",
    "=",
    ".",
    "\\u0000",
    "\\",
    "\0",
    "\r\n",
    "\r",
    "\t",
    "\u{feff}",
    "é",
    "𝒳",
    "*",
    "_",
    "`",
    "$",
    "${",
    "//",
    "/*",
    "9223372036854775808",
    "1e999",
    "nan",
    "inf",
    "-0",
    "2026-01-01T12:00:00Z",
    "2026-13-01",
    "true",
    "null",
    "is = ",
    "ask = ",
    "{ a = 1 }",
    "[1, [2]]",
    "a.b.c.d = 1\n",
];

/// `SplitMix64`.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end.max(1) as u64).unwrap()
    }
}

fn from_environment(name: &str) -> Option<u64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Reads a share of the files with changes of one kind.
fn check(seed: u64, change: fn(&mut Vec<u8>, &mut Random)) {
    let seed = from_environment("MAYFLY_TEST_SEED").unwrap_or(seed);
    // Without optimization a tenth has to do.
    let default = if cfg!(debug_assertions) { 2_500 } else { 25_000 };
    let count = from_environment("MAYFLY_TEST_COUNT").unwrap_or(default);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random(seed);
    let mut refused = 0;
    for number in 0..count {
        let (slug, text) = shipped::FILES[random.below(shipped::FILES.len())];
        let mut bytes = text.as_bytes().to_vec();
        for _ in 0..=random.below(4) {
            change(&mut bytes, &mut random);
        }
        let started = SystemClock.monotonic();
        let result = file::read(slug, &bytes);
        assert!(
            SystemClock.monotonic().saturating_sub(started) < TIME_MAX,
            "file {number} of {slug} took too long"
        );
        let Err(problems) = result else { continue };
        refused += 1;
        assert!((1..=LESSON_PROBLEMS_MAX).contains(&problems.len()), "file {number}");
        assert!(problems.is_sorted());
        let lines = bytes.split(|byte| *byte == b'\n').count();
        for problem in problems {
            let is_placed = (1..=lines).contains(&problem.line) && problem.column >= 1;
            assert!(is_placed && !problem.sentence.is_empty(), "file {number}: {problem:?}");
            assert!(problem.sentence.len() < 2_000, "file {number}: {problem:?}");
        }
    }
    assert!(refused > count / 20, "only {refused} of {count} were refused");
}

#[test]
fn changed_bytes() {
    check(20_261_201, |bytes, random| {
        let at = random.below(bytes.len());
        match (random.below(4), bytes.get_mut(at)) {
            (0, Some(byte)) => *byte = u8::try_from(random.below(256)).unwrap(),
            (1, Some(byte)) => *byte ^= 1 << random.below(8),
            (2, Some(_)) => drop(bytes.remove(at)),
            _ => bytes.insert(at, u8::try_from(random.below(256)).unwrap()),
        }
    });
}

#[test]
fn inserted_pieces() {
    check(20_261_202, |bytes, random| {
        let at = random.below(bytes.len() + 1);
        let piece = PIECES[random.below(PIECES.len())];
        let times = if random.below(50) == 0 { random.below(2_000) } else { 1 };
        bytes.splice(at..at, piece.repeat(times).into_bytes());
    });
}

#[test]
fn moved_lines() {
    check(20_261_203, |bytes, random| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        let mut lines: Vec<&str> = text.split_inclusive('\n').collect();
        let (at, other) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(4) {
            0 if !lines.is_empty() => drop(lines.remove(at)),
            1 if !lines.is_empty() => lines.insert(other, lines[at]),
            2 if !lines.is_empty() => lines.swap(at, other),
            _ => lines.truncate(at),
        }
        *bytes = lines.concat().into_bytes();
    });
}

#[test]
fn joined_files() {
    check(20_261_204, |bytes, random| {
        let (_, other) = shipped::FILES[random.below(shipped::FILES.len())];
        let from = random.below(other.len());
        let length = random.below(1_000);
        let piece = &other.as_bytes()[from..other.len().min(from + length)];
        let at = random.below(bytes.len() + 1);
        let end = (at + random.below(1_000)).min(bytes.len());
        bytes.splice(at..end, piece.iter().copied());
    });
}
