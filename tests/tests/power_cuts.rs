//! A power cut at any moment loses nothing that was acknowledged.
//!
//! A writer's calls are recorded. Each image of the disk is what a cut could have left: all that was
//! flushed, and of the rest any pieces, in sectors or pages. `MAYFLY_TEST_COUNT` sets the number of images,
//! `MAYFLY_TEST_SEED` their moments and pieces.
#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::Command;

use mayfly_tests::random::{self, Random};
use mayfly_tests::shim::{self, Call};
use mayfly_tests::steps::{Judge, STEP};

/// Steps before the recording, so that the store exists, and in it.
const STEPS_BEFORE: i64 = 5;
const STEPS: i64 = 60;

#[test]
fn no_power_cut_loses_what_was_acknowledged() {
    let seed = random::seed(20_261_121);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let store = folder.path().join("store");
    let before = (STEPS_BEFORE * STEP).to_string();
    write(&store, &["0", &STEPS_BEFORE.to_string()], None);
    let first = fs::read(store.join("data.mdb")).expect("the store has a data file");
    let library = shim::build(folder.path());
    let trace = folder.path().join("trace");
    write(&store, &[&before, &STEPS.to_string()], Some((&library, &trace)));
    let calls = shim::read_trace(&trace);
    let flushes = calls.iter().filter(|call| **call == Call::Flush).count();
    assert!(flushes > 0, "the writer never flushed");

    let (mut unacknowledged_kept, mut with_unflushed) = (0, 0);
    let images = random::count(500);
    for number in 0..images {
        let cut = 1 + random.below(calls.len());
        let (image, pieces) = image(&first, &calls[..cut], &mut random);
        let acknowledged = acknowledged(&calls[..cut]).unwrap_or(STEPS_BEFORE * STEP);
        let place = folder.path().join("image");
        lay(&store, &place, &image);
        let what = format!("image {number}, cut behind call {cut}");
        let end = Judge::default().check(&place, acknowledged, &what);
        unacknowledged_kept += usize::from(end > acknowledged);
        with_unflushed += usize::from(pieces > 0);
        fs::remove_dir_all(&place).expect("the image can be removed");
    }
    println!(
        "{} calls, {flushes} flushes, {images} images, {with_unflushed} of them with writes in flight; \
         {unacknowledged_kept} steps survived unacknowledged",
        calls.len()
    );
    assert!(with_unflushed > 0, "no image had a write in flight");
}

/// Runs the writer, recorded into a trace if asked.
fn write(store: &Path, arguments: &[&str], recorded: Option<(&Path, &Path)>) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_step_writer"));
    command.arg(store).args(arguments);
    if let Some((library, trace)) = recorded {
        command.env("LD_PRELOAD", library).env("SHIM_FOLDER", store).env("SHIM_TRACE", trace);
    }
    let output = command.output().expect("the writer starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// The data file as a cut behind these calls could have left it, and how many pieces were in flight.
fn image(first: &[u8], calls: &[Call], random: &mut Random) -> (Vec<u8>, usize) {
    let mut image = first.to_vec();
    let flushed = calls.iter().rposition(|call| *call == Call::Flush).map_or(0, |at| at + 1);
    let piece_bytes = *random.pick(&[512, 4096]);
    let kept_of_ten = *random.pick(&[0, 3, 5, 8, 10]);
    let mut pieces = 0;
    for (at, call) in calls.iter().enumerate() {
        let Call::Write { offset, bytes, through } = call else { continue };
        let offset = usize::try_from(*offset).expect("an offset fits");
        // The last call may not have returned yet.
        let is_safe = at < flushed || (*through && at + 1 < calls.len());
        for (number, piece) in bytes.chunks(piece_bytes).enumerate() {
            if is_safe || random.below(10) < kept_of_ten {
                put(&mut image, offset + number * piece_bytes, piece);
            }
            pieces += usize::from(!is_safe);
        }
    }
    (image, pieces)
}

fn put(image: &mut Vec<u8>, offset: usize, bytes: &[u8]) {
    if image.len() < offset + bytes.len() {
        image.resize(offset + bytes.len(), 0);
    }
    image[offset..offset + bytes.len()].copy_from_slice(bytes);
}

/// The last number that was printed whole.
fn acknowledged(calls: &[Call]) -> Option<i64> {
    calls.iter().rev().find_map(|call| match call {
        Call::Print(text) => text.lines().filter_map(|line| line.parse().ok()).max(),
        _ => None,
    })
}

/// A data folder as the machine finds it after the cut.
fn lay(store: &Path, place: &Path, image: &[u8]) {
    fs::create_dir(place).expect("a folder can be made");
    for name in ["identity.json", "app.lock"] {
        fs::copy(store.join(name), place.join(name)).expect("the store's file can be copied");
    }
    fs::write(place.join("data.mdb"), image).expect("the image can be written");
}
