//! `kill -9` at any moment loses nothing that was acknowledged, and leaves entries equal to
//! documents.
//!
//! `MAYFLY_TEST_COUNT` sets the number of kills, `MAYFLY_TEST_SEED` their moments.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use bson::{Document, doc};
use mayfly_tests::deadline::Deadline;
use mayfly_tests::kill::{COLLECTION, DB, KEPT, STEP, document, marked};
use mayfly_tests::random::{self, Random};
use mayfly_tests::store::{find_all, open_paused, run};

/// Milliseconds that the writer lives at most after its first acknowledgement.
const LIFE_MS_MAX: usize = 90;

/// Seconds within which the writer must have acknowledged its first step.
const START_SECS_MAX: u64 = 60;

#[test]
fn nothing_acknowledged_is_lost() {
    let seed = random::seed(20_261_121);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = folder.path().join("store");
    let mut acknowledged = 0;
    let mut unmarked = BTreeSet::new();
    let mut unacknowledged_kept = 0;
    for kill in 0..random::count(100) {
        let life = Duration::from_millis(random.below(LIFE_MS_MAX) as u64);
        acknowledged = write_until_killed(&store, acknowledged, life);
        let survived = judge(&store, acknowledged, kill, &mut unmarked);
        unacknowledged_kept += usize::from(survived > acknowledged);
        acknowledged = survived;
    }
    println!(
        "{acknowledged} documents written, {unacknowledged_kept} steps survived unacknowledged"
    );
    assert!(acknowledged > STEP, "the writer got nowhere");
}

/// Runs the writer and kills it `life` after its first acknowledgement. Returns the last number that
/// it acknowledged.
fn write_until_killed(store: &Path, first: i64, life: Duration) -> i64 {
    let mut writer = Command::new(env!("CARGO_BIN_EXE_kill_writer"))
        .arg(store)
        .arg(first.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the writer starts");
    let stdout = writer.stdout.take().expect("the writer's output is piped");
    let (sender, receiver) = mpsc::channel();
    let reader = thread::Builder::new().name("acknowledgements".into()).spawn(move || {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            // A half line can't be told from a whole one, so only numbers on the step grid count.
            if let Ok(number) = line.parse::<i64>() {
                let _ = sender.send(number);
            }
        }
    });
    let mut last = receiver
        .recv_timeout(Duration::from_secs(START_SECS_MAX))
        .expect("the writer acknowledges its first step");
    let deadline = Deadline::after(life);
    while let Some(left) = deadline.left() {
        last = receiver.recv_timeout(left).map_or(last, |number| last.max(number));
    }
    writer.kill().expect("the writer can be killed");
    writer.wait().expect("the writer ends");
    reader.expect("the reading thread starts").join().expect("the reading thread ends");
    while let Ok(number) = receiver.try_recv() {
        last = last.max(number);
    }
    last
}

/// Opens what the kill left and compares it with what was acknowledged. Returns the number after the
/// newest document: `acknowledged`, or one step more when the last step was kept unacknowledged.
/// Steps that were killed between their insert and their mark are noted in `unmarked`.
fn judge(store: &Path, acknowledged: i64, kill: usize, unmarked: &mut BTreeSet<i64>) -> i64 {
    let engine = open_paused(store, 0);
    let found: BTreeMap<i64, Document> = find_all(&engine, DB, COLLECTION, doc! {})
        .into_iter()
        .map(|found| (found.get_i64("_id").expect("an _id is a number"), found))
        .collect();
    let end = found.keys().next_back().map_or(0, |newest| newest + 1);
    assert!(
        end == acknowledged || end == acknowledged + STEP,
        "kill {kill}: {acknowledged} acknowledged, documents end at {end}"
    );
    let oldest = (end - KEPT).max(0);
    for number in oldest..end {
        let found = found.get(&number).unwrap_or_else(|| panic!("kill {kill}: {number} is lost"));
        let mut expected = document(number);
        if number >= acknowledged && number % STEP == 0 && !found.contains_key("marked") {
            unmarked.insert(number);
        }
        if number % STEP == 0 && !unmarked.contains(&number) {
            expected.extend(marked(number));
        }
        assert_eq!(found, &expected, "kill {kill}");
    }
    let older = found.keys().take_while(|number| **number < oldest).count();
    assert!(
        i64::try_from(older).is_ok_and(|older| older == 0 || (older <= STEP && end > acknowledged)),
        "kill {kill}: {older} deleted documents are back"
    );
    let checked = run(&engine, DB, &doc! { "validate": COLLECTION, "full": true });
    assert!(checked.get_bool("valid").unwrap_or(false), "kill {kill}: {checked}");
    engine.close().unwrap_or_else(|error| panic!("kill {kill}: the store closes: {error}"));
    end
}
