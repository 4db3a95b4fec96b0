//! When a job reports success, the files that it wrote or replaced next to the data file are on the
//! disk. Whatever fails in between, earlier files survive.
//!
//! Each job runs in a new folder. Its calls are recorded, its power is cut, each of its calls fails
//! in turn, and it is killed before each. `MAYFLY_TEST_COUNT` sets the number of cuts and of calls,
//! which are spread evenly; `MAYFLY_TEST_SEED` sets the moments of the cuts.
#![cfg(target_os = "linux")]

#[path = "file_jobs/jobs.rs"]
mod jobs;
#[path = "file_jobs/order.rs"]
mod order;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::Command;

use mayfly_tests::disk::{self, Disk};
use mayfly_tests::program;
use mayfly_tests::random::{self, Random};
use mayfly_tests::shim::{self, Call};
use mayfly_tests::store::folder_in_memory;

use jobs::{Job, Outcome, prepare};

/// Power cuts per job by default.
const CUTS: usize = 30;

/// Calls that fail, and calls before which a job is killed, by default.
const CALLS: usize = 60;

/// Failed runs after which the job runs once more.
const RUNS_AGAIN: usize = 10;

macro_rules! test_each {
    ($name:ident, $check:expr, $($job:ident)*) => {
        mod $name {
            $(#[test]
            fn $job() {
                $check(&super::jobs::$job());
            })*
        }
    };
}

test_each!(
    what_is_written_is_on_the_disk_when_that_is_said, super::order::check,
    opening backup restore compaction export import archive
);
test_each!(
    no_power_cut_costs_what_was_there, super::cuts,
    opening backup restore compaction export import archive
);
test_each!(
    no_failing_call_costs_what_was_there, super::faults,
    backup restore compaction export import archive
);
test_each!(
    no_kill_costs_what_was_there, super::kills,
    backup restore compaction archive
);

fn cuts(job: &Job) {
    let seed = random::seed(20_261_122);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let folder = folder_in_memory();
    let room = folder.path().join("room");
    prepare(&room);
    let start = Disk::of(&room);
    let library = shim::build(folder.path());
    let (output, calls) = shim::traced(&mut (job.command)(&room), &library, &room);
    assert!((job.is_done)(&String::from_utf8_lossy(&output.stdout)), "it is not done");
    let place = folder.path().join("image");
    let mut cuts = disk::Cuts::new(start, &calls, random::count(CUTS), &mut random);
    while let Some((cut, image, _)) = cuts.next(&mut random) {
        disk::lay(&image, &place);
        let said = calls[..cut].iter().filter_map(|call| match call {
            Call::Print(text) => Some(text.as_str()),
            _ => None,
        });
        let said: String = said.collect();
        let what = format!("cut behind call {cut} of {}", calls.len());
        (job.judge)(&place, &Outcome { is_done: (job.is_done)(&said), said }, &what);
        fs::remove_dir_all(&place).expect("the image can be removed");
    }
}

/// A run of a job with a fault at one call.
struct Run<'r> {
    library: &'r Path,
    template: &'r Path,
    room: &'r Path,
}

impl Run<'_> {
    /// The letters of the calls that the job makes; `fault` says what happens at which call.
    fn letters(&self, job: &Job, fault: Option<(usize, &str)>) -> (Outcome, String, Vec<u8>) {
        copy(self.template, self.room);
        let count = self.library.with_file_name("count");
        let mut command = (job.command)(self.room);
        let room = fs::canonicalize(self.room).expect("the room is there");
        command.env("LD_PRELOAD", self.library).env("SHIM_FOLDER", room).env("SHIM_COUNT", &count);
        if let Some((at, kind)) = fault {
            command.env("SHIM_FAIL_AT", at.to_string()).env("SHIM_FAIL_AS", kind);
        }
        let output = command.output().expect("the program starts");
        let log = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_killed = fault.is_some_and(|(_, kind)| kind == "kill");
        // An error is reported. Anything but an exit code is a crash.
        let ended = output.status.code().is_some_and(|code| code <= 1);
        assert!(ended || is_killed, "{fault:?}: {} {log}", output.status);
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        // A job that reports an error must not report success.
        let is_told = ["disk is full", "os error"].iter().any(|error| log.contains(error));
        let is_done = (job.is_done)(&said) && !is_told;
        (Outcome { is_done, said }, log, fs::read(&count).unwrap_or_default())
    }
}

/// Injects a fault at each call of a job and judges the result. `kinds` returns the faults for a
/// call with this letter.
fn sweep(job: &Job, kinds: fn(u8) -> &'static [&'static str]) {
    let folder = folder_in_memory();
    let (template, room) = (folder.path().join("template"), folder.path().join("room"));
    prepare(&template);
    let library = shim::build(folder.path());
    let run = Run { library: &library, template: &template, room: &room };
    let (outcome, log, letters) = run.letters(job, None);
    assert!(outcome.is_done, "{log}");
    fs::remove_dir_all(&room).expect("the room can be removed");
    // The first of consecutive reads represents them all.
    let is_first = |at: &usize| {
        letters[*at] != b'i' || at.checked_sub(1).is_none_or(|before| letters[before] != b'i')
    };
    let all = (0..letters.len()).filter(is_first).filter(|at| !kinds(letters[*at]).is_empty());
    let all: Vec<usize> = all.collect();
    let (mut runs, mut noticed) = (0, 0);
    // Too many calls are sampled evenly.
    for at in all.iter().copied().step_by(all.len().div_ceil(random::count(CALLS))) {
        for kind in kinds(letters[at]) {
            let what = format!("call {} ({}) meets {kind}", at + 1, char::from(letters[at]));
            let (outcome, log, _) = run.letters(job, Some((at + 1, kind)));
            let what = format!("{what}\n{}{log}", outcome.said);
            (job.judge)(&room, &outcome, &what);
            noticed += usize::from(!outcome.is_done);
            runs += 1;
            // A file that only the tests write can't be written twice.
            let repeats = (job.command)(&room).get_program() == program::path();
            if repeats && runs % RUNS_AGAIN == 0 && !outcome.is_done {
                again(job, &room, &what);
            }
            fs::remove_dir_all(&room).expect("the room can be removed");
        }
    }
    println!("{} of {} calls, {runs} runs, {noticed} of them cut off", all.len(), letters.len());
    assert!(noticed > 0, "nothing was ever noticed");
}

/// After an interruption the job can be done, and leaves nothing unfinished.
fn again(job: &Job, room: &Path, what: &str) {
    let output = (job.command)(room).output().expect("the program starts");
    let log = String::from_utf8_lossy(&output.stderr);
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!((job.is_done)(&said), "once more after {what}: {said}{log}");
    let outcome = Outcome { is_done: (job.is_done)(&said), said };
    (job.judge)(room, &outcome, &format!("once more after {what}"));
    for folder in [room.to_owned(), room.join("out"), room.join("store")] {
        for entry in fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("an entry").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // A restore that was killed between its two renames leaves the earlier store.
            let is_store = path.join("app.lock").exists() && !path.join("unfinished").exists();
            let is_left = (name.starts_with('.') && !is_store) || name == "compacting";
            assert!(!is_left, "once more after {what}: {name} is left");
        }
    }
}

fn faults(job: &Job) {
    sweep(job, |letter| match letter {
        b'w' => &["enospc", "short"],
        b'n' | b'o' | b'm' | b'a' | b'l' => &["enospc"],
        _ => &["eio"],
    });
}

fn kills(job: &Job) {
    // A kill before a call that changes nothing equals a kill before the next call that does.
    sweep(job, |letter| if b"io".contains(&letter) { &[] } else { &["kill"] });
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir(to).expect("a folder can be made");
    for entry in fs::read_dir(from).expect("the folder can be read") {
        let entry = entry.expect("an entry");
        let (path, into) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &into);
        } else if entry.file_name() == disk::BALLAST {
            // It is never written, and it is large.
            fs::hard_link(path, into).expect("the file can be linked");
        } else {
            fs::copy(path, into).expect("the file can be copied");
        }
    }
}

#[test]
fn what_is_written_is_its_owners_alone() {
    for job in
        [jobs::opening, jobs::backup, jobs::restore, jobs::export, jobs::import, jobs::archive]
    {
        let folder = folder_in_memory();
        let room = folder.path().join("room");
        prepare(&room);
        fs::remove_file(room.join("out/e")).expect("the old export can be removed");
        let before = Disk::of(&room);
        let job = job();
        let command = (job.command)(&room);
        let mut open = Command::new("sh");
        open.args(["-c", "umask 0; exec \"$@\"", "sh"]).arg(command.get_program());
        let output = open.args(command.get_args()).output().expect("the program starts");
        assert!((job.is_done)(&String::from_utf8_lossy(&output.stdout)), "it is not done");
        let is_old = |name: &str| before.has(name);
        check_modes(&room, "", &is_old);
    }
}

/// Only the owner may access what was created in a folder.
fn check_modes(folder: &Path, below: &str, is_old: &dyn Fn(&str) -> bool) {
    for entry in fs::read_dir(folder).expect("the folder can be read") {
        let entry = entry.expect("an entry");
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        let about = entry.metadata().expect("it is there");
        if about.is_dir() {
            check_modes(&entry.path(), &format!("{name}/"), is_old);
        }
        let mode = about.permissions().mode() & 0o777;
        assert!(is_old(&name) || mode | 0o700 == 0o700, "{name} has mode {mode:o}");
    }
}
