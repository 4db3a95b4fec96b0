//! An import that is killed at any moment can be resumed, and then the store holds exactly what an
//! uninterrupted import leaves; or rolled back, and then exactly what it held before.
//!
//! `MAYFLY_TEST_COUNT` sets the number of kills, `MAYFLY_TEST_SEED` their moments.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::Duration;

use bson::{Bson, DateTime, Document, doc};
use flate2::{Compression, write::GzEncoder};
use mayfly_tests::deadline::Deadline;
use mayfly_tests::program;
use mayfly_tests::random::{self, Random};
use mayfly_tests::store::{find_all, open_paused, run};

const DB: &str = "d";
const COLLECTION: &str = "c";

/// Documents of a file.
const DOCUMENTS: usize = 30_000;

/// The time at which the stores are checked.
const NOW_MS: i64 = 1_700_000_000_000;

/// How long an import may take.
const IMPORT_MAX: Duration = Duration::from_mins(2);

/// How many times as many kills there may be until one hits a running import: a short one spends
/// most of its time before it stores anything.
const KILLS_MORE: usize = 8;

/// How often a running import is polled.
const LOOK: Duration = Duration::from_millis(1);

/// An import.
#[derive(Debug, Clone, Copy)]
#[expect(clippy::struct_excessive_bools, reason = "each changes one thing")]
struct Case {
    name: &'static str,
    /// One JSON array instead of one document per line.
    array: bool,
    packed: bool,
    /// One in this many documents can't be stored; 0: none.
    bad_every: usize,
    /// Some documents have unquoted Infinity, or a date without a time zone, which the import
    /// accepts.
    odd: bool,
    /// A TTL index removes overdue documents between two runs.
    ttl: bool,
    /// The collection already has documents.
    before: bool,
}

/// Only the import gets these options. Resume and rollback must not need them.
const ODD: [&str; 3] = ["--nan", "--zone", "+05:45"];

const PLAIN: Case = Case {
    name: "lines",
    array: false,
    packed: false,
    bad_every: 0,
    odd: false,
    ttl: false,
    before: true,
};

const CASES: [Case; 6] = [
    PLAIN,
    Case { name: "rejects", bad_every: 37, before: false, ..PLAIN },
    Case { name: "gzip", packed: true, ..PLAIN },
    Case { name: "array", array: true, bad_every: 53, before: false, ..PLAIN },
    Case { name: "ttl", packed: true, bad_every: 61, ttl: true, ..PLAIN },
    Case { name: "odd", bad_every: 41, odd: true, ..PLAIN },
];

/// A folder with a file to import and a store to import it to.
struct Room {
    case: Case,
    folder: tempfile::TempDir,
    file: PathBuf,
}

#[test]
fn a_killed_import_is_resumed_or_rolled_back() {
    let seed = random::seed(20_261_121);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let unbroken: Vec<Unbroken> = CASES.into_iter().map(Unbroken::of).collect();
    let mut counts = Counts::default();
    let kills = random::count(40);
    for kill in 0..KILLS_MORE * kills {
        if kill >= kills && counts.in_the_middle > 0 {
            break;
        }
        let unbroken = &unbroken[kill % unbroken.len()];
        let what = format!("kill {kill} of {}", unbroken.case.name);
        one(unbroken, &what, &mut random, &mut counts);
    }
    println!("{counts:?}");
    assert!(counts.in_the_middle > 0, "no kill met an import under way");
}

/// Kills an import, then resumes it or rolls it back, which is sometimes killed too.
fn one(unbroken: &Unbroken, what: &str, random: &mut Random, counts: &mut Counts) {
    let room = Room::new(unbroken.case);
    let life = |random: &mut Random| {
        let micros = usize::try_from(unbroken.took.as_micros()).unwrap_or(usize::MAX);
        Duration::from_micros(random.below(micros) as u64)
    };
    room.killed(&[], life(random));
    let stored = room.pass();
    if stored > room.before().len() && stored < unbroken.after.len() {
        counts.in_the_middle += 1;
        if !room.case.ttl {
            let refused = room.import(&[]);
            let text = String::from_utf8_lossy(&refused.stderr);
            assert!(!refused.status.success() && text.contains("stopped after"), "{what}: {text}");
        }
    }
    let rolls_back = random.below(3) == 0;
    let option = if rolls_back { "--roll-back" } else { "--resume" };
    while random.below(3) == 0 {
        room.killed(&[option], life(random));
        room.pass();
        counts.killed_again += 1;
    }
    let is_remembered = room.finish(option, what);
    if rolls_back && (is_remembered || room.pass() < unbroken.after.len()) {
        counts.rolled_back += 1;
        assert_eq!(room.documents(), room.before(), "{what}: rolled back");
        return;
    }
    if !is_remembered && room.documents() == room.before() {
        // Killed before anything was stored.
        room.remove_rejects();
        room.import(&[]);
    }
    counts.resumed += 1;
    room.pass();
    assert_eq!(room.documents(), unbroken.after, "{what}: resumed");
    assert_eq!(room.rejects(), unbroken.rejects, "{what}: resumed");
}

/// The points that the kills hit.
#[derive(Debug, Default)]
struct Counts {
    in_the_middle: usize,
    killed_again: usize,
    resumed: usize,
    rolled_back: usize,
}

/// The result of an uninterrupted import.
struct Unbroken {
    case: Case,
    after: Vec<Document>,
    rejects: String,
    took: Duration,
}

impl Unbroken {
    fn of(case: Case) -> Self {
        let room = Room::new(case);
        let deadline = Deadline::after(IMPORT_MAX);
        let output = room.import(&[]);
        let took = IMPORT_MAX.saturating_sub(deadline.left().unwrap_or_default());
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let bad = DOCUMENTS.checked_div(case.bad_every).unwrap_or(0);
        let expected = format!("imported {}, skipped 0, rejected {bad}", DOCUMENTS - bad);
        assert!(text.contains(&expected), "{}: {text}, not {expected}", case.name);
        let told = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_counted = told.contains("dates without a zone were read in the chosen time zone.");
        assert_eq!(is_counted, case.odd, "{}: {told}", case.name);
        room.pass();
        Self { case, after: room.documents(), rejects: room.rejects(), took }
    }
}

impl Room {
    fn new(case: Case) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let file = folder.path().join("in");
        fs::write(&file, contents(case)).expect("the file can be written");
        let room = Self { case, folder, file };
        let engine = open_paused(&room.store(), NOW_MS);
        if case.ttl {
            let index = doc! { "key": { "at": 1 }, "name": "at_1", "expireAfterSeconds": 60 };
            run(&engine, DB, &doc! { "createIndexes": COLLECTION, "indexes": [index] });
        }
        if case.before {
            run(&engine, DB, &doc! { "insert": COLLECTION, "documents": room.before() });
        }
        engine.close().expect("the store closes");
        room
    }

    fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    /// The documents of the collection before the import.
    fn before(&self) -> Vec<Document> {
        let numbers = if self.case.before { -3..0 } else { 0..0 };
        numbers.map(|number: i32| doc! { "_id": number, "mine": true }).collect()
    }

    fn command(&self, options: &[&str]) -> Command {
        let mut command = Command::new(program::path());
        command.arg("import").arg("--data").arg(self.store());
        command.args(["--db", DB, "--collection", COLLECTION]).args(options).arg(&self.file);
        if self.case.odd && options.is_empty() {
            command.args(ODD);
        }
        command.env_remove("DISPLAY").env_remove("WAYLAND_DISPLAY");
        command
    }

    fn import(&self, options: &[&str]) -> Output {
        self.command(options).output().expect("the program starts")
    }

    /// Runs the import and kills it after some time, unless it has already ended.
    fn killed(&self, options: &[&str], life: Duration) {
        let mut command = self.command(options);
        let command = command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().expect("the program starts");
        let deadline = Deadline::after(life);
        while let Some(left) = deadline.left() {
            if child.try_wait().expect("the program can be waited for").is_some() {
                return;
            }
            thread::park_timeout(left.min(LOOK));
        }
        child.kill().expect("the program can be killed");
        child.wait().expect("the program ends");
    }

    /// Resumes or rolls back to the end. Returns false when nothing was left to do.
    fn finish(&self, option: &str, what: &str) -> bool {
        let output = self.import(&[option]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_done = text.contains("There is no unfinished import");
        let is_well = output.status.success() || text.contains("rejected");
        assert!(is_well || is_done, "{what}: {option}: {text}");
        let again = self.import(&[option]);
        let text = String::from_utf8_lossy(&again.stderr).into_owned();
        assert!(text.contains("There is no unfinished import"), "{what}: {option} again: {text}");
        !is_done
    }

    /// Runs a TTL pass. Returns how many documents are left.
    fn pass(&self) -> usize {
        let engine = open_paused(&self.store(), NOW_MS);
        if self.case.ttl {
            run(&engine, "admin", &doc! { "mayflyReap": 1 });
        }
        let left = find_all(&engine, DB, COLLECTION, doc! {}).len();
        engine.close().expect("the store closes");
        left
    }

    /// The documents in storage order, without generated `_id`s.
    fn documents(&self) -> Vec<Document> {
        let engine = open_paused(&self.store(), NOW_MS);
        let mut found = find_all(&engine, DB, COLLECTION, doc! {});
        if !found.is_empty() || self.case.before {
            let checked = run(&engine, DB, &doc! { "validate": COLLECTION, "full": true });
            assert!(checked.get_bool("valid").unwrap_or(false), "{checked}");
        }
        engine.close().expect("the store closes");
        for document in &mut found {
            if matches!(document.get("_id"), Some(Bson::ObjectId(_))) {
                document.remove("_id");
            }
        }
        found
    }

    fn rejects_files(&self) -> Vec<PathBuf> {
        let all = fs::read_dir(self.folder.path()).expect("the folder can be read");
        let all = all.filter_map(Result::ok).map(|entry| entry.path());
        all.filter(|path| is_of_rejects(path)).collect()
    }

    fn remove_rejects(&self) {
        for file in self.rejects_files() {
            fs::remove_file(file).expect("a file can be removed");
        }
    }

    /// The contents of the only file of rejected documents.
    fn rejects(&self) -> String {
        let files = self.rejects_files();
        assert!(files.len() <= 1, "{files:?}");
        files.iter().map(|file| fs::read_to_string(file).expect("it can be read")).collect()
    }
}

fn is_of_rejects(path: &Path) -> bool {
    path.to_string_lossy().contains(".rejected")
}

/// The file of a case. Every tenth document has no `_id`. Half of those with a date are past the
/// threshold of the TTL index.
fn contents(case: Case) -> Vec<u8> {
    let mut text = if case.array { "[" } else { "" }.to_owned();
    for number in 0..DOCUMENTS {
        let far = 86_400_000 * if number % 2 == 0 { 1 } else { -1 };
        let at =
            DateTime::from_millis(NOW_MS + far).try_to_rfc3339_string().expect("a year of ours");
        let id = if number % 10 == 3 { String::new() } else { format!("\"_id\":{number},") };
        let wrong = case.bad_every > 0 && number % case.bad_every == case.bad_every - 1;
        let value = match number % 7 {
            _ if wrong => "{\"$oid\":\"wrong\"}",
            1 if case.odd => "-Infinity",
            2 if case.odd => "{\"$date\":\"2026-01-31T12:00:00\"}",
            _ => "\"some text\"",
        };
        let end = if case.array && number + 1 < DOCUMENTS { "," } else { "" };
        let at =
            if number % 4 < 2 { format!(",\"at\":{{\"$date\":\"{at}\"}}") } else { String::new() };
        let _ = writeln!(text, "{{{id}\"number\":{number},\"value\":{value}{at}}}{end}");
    }
    if case.array {
        text.push(']');
    }
    if !case.packed {
        return text.into_bytes();
    }
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(text.as_bytes()).expect("memory can be written");
    packed.finish().expect("memory can be written")
}
