//! Speed and size against raw LMDB, which runs next to each line in the same process with the same
//! documents and the same durability: `cargo bench --bench goals [-- --documents N] [--quick]
//! [--growth] [GROUP …]`. With `--features beside` also against `SQLite` and redb, and against the
//! active expiry of Redis where a `redis-server` is installed.
//!
//! A figure counts as a ratio, because machines differ and disks are noisy: CPU seconds where the
//! disk decides the wall time, the median of three runs. Groups are `insert`, `singles`, `removal`, `reads`,
//! `waiting` and `files`; without one all run. `--growth` shows instead what one document costs in
//! collections of 10⁴, 10⁵ and 10⁶ documents with 0, 1 and 4 more indexes.
//!
//! The cost of the wire is measured elsewhere, with a real driver: `tests/examples/wire_cost.rs`.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    clippy::too_many_lines,
    reason = "a test may fail where it stands"
)]

#[cfg(feature = "beside")]
mod beside;
mod documents;
mod files;
mod growth;
mod insert;
mod measure;
mod ours;
mod raw;
mod reads;
mod removal;
mod shared_commit;
mod slow_disk;
mod table;
mod waiting;

use std::env;

/// The size of a measurement.
pub struct Settings {
    /// Documents in the collection.
    pub documents: u64,
    /// Runs of which the middle one counts.
    pub runs: usize,
}

/// A group of lines by its name.
type Group = (&'static str, fn(&Settings));

const GROUPS: [Group; 6] = [
    ("insert", insert::run),
    ("singles", insert::singles),
    ("removal", removal::run),
    ("reads", reads::run),
    ("waiting", waiting::run),
    ("files", files::run),
];

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|word| word != "--bench").collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    if let [option, threads] = arguments.as_slice()
        && option == slow_disk::SINGLES
    {
        return slow_disk::print_rate(threads.parse().expect("a number of threads"));
    }
    let given = arguments.iter().skip_while(|word| *word != "--documents").nth(1);
    let standard = if has("--quick") { 50_000 } else { 300_000 };
    let documents = given.and_then(|number| number.parse().ok()).unwrap_or(standard);
    let settings = Settings { documents, runs: if has("--quick") { 1 } else { 3 } };
    println!("{documents} documents of {} bytes, {} runs", documents::size(), settings.runs);
    table::head();
    if has("--growth") {
        return growth::run(&settings);
    }
    let all = !GROUPS.iter().any(|(name, _)| has(name));
    for (_, run) in GROUPS.iter().filter(|(name, _)| all || has(name)) {
        run(&settings);
    }
}
