//! `kill -9` at any moment loses nothing that was acknowledged, and leaves entries equal to
//! documents.
//!
//! `MAYFLY_TEST_COUNT` sets the number of kills, `MAYFLY_TEST_SEED` their moments.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use mayfly_tests::deadline::Deadline;
use mayfly_tests::random::{self, Random};
use mayfly_tests::steps::{Judge, STEP};

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
    let mut judge = Judge::default();
    let mut unacknowledged_kept = 0;
    for kill in 0..random::count(200) {
        let life = Duration::from_millis(random.below(LIFE_MS_MAX) as u64);
        acknowledged = write_until_killed(&store, acknowledged, life);
        let survived = judge.check(&store, acknowledged, &format!("kill {kill}"));
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
    let mut writer = Command::new(env!("CARGO_BIN_EXE_step_writer"))
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
