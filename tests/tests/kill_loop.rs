//! `kill -9` at any moment loses nothing that was acknowledged, and leaves index entries equal to
//! documents.
//!
//! `MAYFLY_TEST_COUNT` sets the number of kills, `MAYFLY_TEST_SEED` their moments.

use std::process::Command;
use std::time::Duration;

use mayfly_tests::random::{self, Random};
use mayfly_tests::steps::{Judge, STEP};
use mayfly_tests::victim::write_until_killed;

/// Maximum milliseconds between the writer's first acknowledgment and its kill.
const LIFE_MS_MAX: usize = 90;

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
        let mut writer = Command::new(env!("CARGO_BIN_EXE_step_writer"));
        writer.arg(&store).arg(acknowledged.to_string());
        acknowledged = write_until_killed(&mut writer, life);
        let survived = judge.check(&store, acknowledged, &format!("kill {kill}"));
        assert!(judge.was_unclean, "kill {kill}: nobody was told that the store was not closed");
        unacknowledged_kept += usize::from(survived > acknowledged);
        acknowledged = survived;
    }
    println!(
        "{acknowledged} documents written, {unacknowledged_kept} steps survived unacknowledged"
    );
    assert!(acknowledged > STEP, "the writer got nowhere");
}
