//! A power cut at any moment loses nothing that was acknowledged.
//!
//! A writer's calls are recorded. Each image of the folder is a possible result of a cut: all
//! flushed bytes and names, and any pieces of the rest. `MAYFLY_TEST_COUNT` sets the number of
//! images, `MAYFLY_TEST_SEED` their moments and pieces.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;

use mayfly_tests::disk::{self, Disk};
use mayfly_tests::random::{self, Random};
use mayfly_tests::shim::{self, Call};
use mayfly_tests::steps::{Judge, STEP};
use mayfly_tests::store::folder_in_memory;

/// Steps before the recording, so that the store exists, and during it.
const STEPS_BEFORE: i64 = 5;
const STEPS: i64 = 60;

/// Steps of the recording of a new store.
const STEPS_NEW: i64 = 2;

#[test]
fn no_power_cut_loses_what_was_acknowledged() {
    let unclean = check(STEPS_BEFORE, STEPS, random::count(500));
    assert!(unclean > 0, "no cut was noticed at the next opening");
}

#[test]
fn no_power_cut_spoils_a_new_store() {
    check(0, STEPS_NEW, random::count(200));
}

/// Cuts the power while a writer makes this many steps, `before` of which are already on the disk.
/// Returns how many stores found that they had not been closed.
fn check(before: i64, steps: i64, images: usize) -> usize {
    let seed = random::seed(20_261_121);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let room = folder_in_memory();
    let watched = room.path().join("watched");
    fs::create_dir(&watched).expect("a folder can be made");
    let store = watched.join("store");
    if before > 0 {
        let written = writer(&store, 0, before).output().expect("the writer starts");
        assert!(written.status.success());
    }
    let start = Disk::of(&watched);
    let library = shim::build(room.path());
    let (output, calls) = shim::traced(&mut writer(&store, before, steps), &library, &watched);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let closing = calls.iter().rposition(is_closing).expect("the writer closes the store");

    let (mut unacknowledged_kept, mut with_unflushed, mut unclean) = (0, 0, 0);
    let place = room.path().join("image");
    let mut cuts = disk::Cuts::new(start, &calls, images, &mut random);
    while let Some((cut, image, in_flight)) = cuts.next(&mut random) {
        let acknowledged = acknowledged(&calls[..cut]).unwrap_or(before * STEP);
        disk::lay(&image, &place);
        let what = format!("cut behind call {cut} of {}", calls.len());
        let mut judge = Judge::default();
        let end = judge.check(&place.join("store"), acknowledged, &what);
        let must_know = acknowledged > before * STEP && cut <= closing;
        assert!(judge.was_unclean || !must_know, "{what}: nobody was told of the cut");
        unclean += usize::from(judge.was_unclean);
        unacknowledged_kept += usize::from(end > acknowledged);
        with_unflushed += usize::from(in_flight > 0);
        fs::remove_dir_all(&place).expect("the image can be removed");
    }
    println!(
        "{} calls, {images} images, {with_unflushed} of them with writes in flight, {unclean} known as \
         unclean; {unacknowledged_kept} steps survived unacknowledged",
        calls.len()
    );
    assert!(with_unflushed > 0, "no image had a write in flight");
    unclean
}

fn writer(store: &Path, from: i64, steps: i64) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_step_writer"));
    command.arg(store).args([(from * STEP).to_string(), steps.to_string()]);
    command
}

/// Whether the call writes the mark of a clean end.
fn is_closing(call: &Call) -> bool {
    matches!(call, Call::Write { file, bytes, .. } if file == "store/app.lock" && bytes == b"closed\n")
}

/// The last number that was printed whole.
fn acknowledged(calls: &[Call]) -> Option<i64> {
    calls.iter().rev().find_map(|call| match call {
        Call::Print(text) => text.lines().filter_map(|line| line.parse().ok()).max(),
        _ => None,
    })
}
