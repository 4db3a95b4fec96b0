//! Whichever file call fails, the store loses nothing that it acknowledged.
//!
//! The same script of writes runs again and again, and each time another system call fails: with an
//! I/O error, a full disk, or a short write. `MAYFLY_TEST_COUNT` sets up to which call; the script
//! is long enough to make that many.
#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use mayfly_tests::random;
use mayfly_tests::shim;
use mayfly_tests::steps::{Judge, STEP};

/// Default for the last call that fails.
const CALLS: usize = 100;

/// The fewest steps of a script.
const STEPS_MIN: usize = 12;

/// Calls of one step, at least.
const STEP_CALLS: usize = 15;

/// Ways in which a call fails.
const KINDS: [&str; 3] = ["eio", "enospc", "short"];

/// Which calls are counted.
#[derive(Clone, Copy, PartialEq)]
enum From {
    /// Including the opening of a new store.
    Start,
    /// Only on the open store.
    Open,
}

#[test]
fn no_failing_call_of_opening_spoils_the_folder() {
    let ends = sweep(From::Start);
    assert!(ends.contains_key(REFUSED), "no failing call was ever noticed: {ends:?}");
}

#[test]
fn no_failing_call_of_writing_loses_what_was_acknowledged() {
    let ends = sweep(From::Open);
    let noticed = ends.contains_key(WENT_ON) || ends.contains_key(STAYED);
    assert!(noticed, "no failing call was ever noticed: {ends:?}");
}

const REFUSED: &str = "refused to open";
const WENT_ON: &str = "went on after an error";
const STAYED: &str = "stayed read-only";
const UNNOTICED: &str = "did without the call";

/// Steps of the script. From the twentieth on they also delete.
fn steps() -> i64 {
    let steps = STEPS_MIN.max(random::count(CALLS) / STEP_CALLS);
    i64::try_from(steps).expect("few")
}

fn sweep(from: From) -> BTreeMap<&'static str, usize> {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let library = shim::build(folder.path());
    let calls = script(&library, &folder.path().join("whole"), from, None).calls;
    println!("the script makes {calls} calls on its files");
    assert!(calls > 0, "the library counts nothing");
    let mut ends: BTreeMap<&'static str, usize> = BTreeMap::new();
    for kind in KINDS {
        for at in 1..=random::count(CALLS).min(calls) {
            let what = format!("call {at} fails with {kind}");
            let store = folder.path().join(format!("{kind}-{at}"));
            let done = script(&library, &store, from, Some((kind, at)));
            assert!(done.acknowledged <= steps() * STEP, "{what}: {}", done.log);
            if store.join("data.mdb").exists() || done.acknowledged > 0 {
                Judge::default().check(&store, done.acknowledged, &format!("{what}\n{}", done.log));
            }
            std::fs::remove_dir_all(&store).unwrap_or_default();
            let failed_once = done.log.contains("failed:");
            let end = match done.acknowledged == steps() * STEP {
                true if failed_once => WENT_ON,
                true => UNNOTICED,
                false if done.log.contains("not opened") => REFUSED,
                false => STAYED,
            };
            *ends.entry(end).or_default() += 1;
        }
    }
    println!("{ends:?}");
    ends
}

/// The result of a run.
struct RunResult {
    acknowledged: i64,
    calls: usize,
    log: String,
}

/// Runs the script on a new store; the call with this number fails in this way.
fn script(library: &Path, store: &Path, from: From, fault: Option<(&str, usize)>) -> RunResult {
    let count = store.with_extension("count");
    let mut command = Command::new(env!("CARGO_BIN_EXE_step_writer"));
    command.arg(store).args(["0", &steps().to_string(), "faults"]);
    command.env("LD_PRELOAD", library).env("SHIM_FOLDER", store).env("SHIM_COUNT", &count);
    if from == From::Open {
        command.env("SHIM_ARM", "1");
    }
    if let Some((kind, at)) = fault {
        command.env("SHIM_FAIL_AT", at.to_string()).env("SHIM_FAIL_AS", kind);
    }
    let output = command.output().expect("the writer starts");
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() || fault.is_some(), "{}: {log}", output.status);
    // An error at the end of a run is an error of closing. Anything but an exit code is a crash.
    assert!(
        output.status.code().is_some_and(|code| code <= 1),
        "{fault:?}: {} {log}",
        output.status
    );
    let printed = String::from_utf8_lossy(&output.stdout);
    let acknowledged = printed.lines().filter_map(|line| line.parse().ok()).max().unwrap_or(0);
    let calls = std::fs::read(&count).map_or(0, |letters| letters.len());
    RunResult { acknowledged, calls, log }
}
