//! An untrusted file is walked in a subprocess, and opened only if that reports no damage. The engine has no
//! walk program, so a shell plays its part.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path as FsPath;

use super::copies::names;
use super::*;
use crate::store::{JobProgress, JobStep, Restoration, WalkProgram};

fn go_on(_: JobProgress) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn by(script: &str) -> StoreOptions {
    let walker =
        WalkProgram { program: "/bin/sh".into(), arguments: vec!["-c".into(), script.into()] };
    StoreOptions { walker: Some(walker), ..StoreOptions::default() }
}

/// Crashes.
fn crashing() -> StoreOptions {
    by("kill -SEGV $$")
}

/// Reports a sound file.
fn sound() -> StoreOptions {
    by(
        r#"echo '{"report":{"pagesUsed":2,"pagesFree":0,"findings":[],"rows":{"count":0,"first":[]}}}'"#,
    )
}

fn crashed() -> StoreError {
    StoreError::Unchecked { what: "was killed by signal 11".to_owned() }
}

/// A store with 100 documents, and a backup with 50 in `b`.
fn filled() -> (tempfile::TempDir, std::path::PathBuf, std::path::PathBuf) {
    let place = tempfile::tempdir().expect("a folder");
    let (data, file) = (place.path().join("data"), place.path().join("b"));
    let store = open(&data);
    fill(&store, 0..50);
    store.backup_to(&file, &mut go_on).expect("a backup");
    fill(&store, 50..100);
    drop(store);
    (place, data, file)
}

#[test]
fn a_backup_whose_check_crashes_is_not_restored() {
    let (place, data, file) = filled();
    let refused = Restoration::begin(&file, &data, true, &crashing(), &mut go_on);
    assert_eq!(refused.err(), Some(crashed()));
    assert_eq!(names(place.path()), ["b", "data"], "nothing is left of the copy");
    assert_eq!(see(&open(&data)).expect("readable").0.len(), 100);
    let report = Store::check_file(&file, crashing().walker.as_ref(), &mut go_on);
    assert_eq!(report.err(), Some(crashed()));
    let report = Store::check_structure_watched(&data, crashing().walker.as_ref(), &mut go_on);
    assert_eq!(report.err(), Some(crashed()));
}

#[test]
fn a_restore_walks_its_own_copy_once_and_in_the_other_process() {
    let (place, data, file) = filled();
    let walked = place.path().join("walked");
    let counting = format!(
        r#"cmp - "{}" && echo once >> "{}" && echo '{}'"#,
        file.display(),
        walked.display(),
        r#"{"report":{"pagesUsed":2,"pagesFree":0,"findings":[],"rows":{"count":0,"first":[]}}}"#
    );
    let options = by(&counting);
    // The check reads the finished copy, not the source.
    let restoration = Restoration::begin(&file, &data, true, &options, &mut go_on).expect("a copy");
    fs::write(&file, "somebody writes over the backup").expect("written");
    let (store, report) = Store::open(restoration.folder(), &options).expect("it opens");
    assert_eq!(report.warnings, Vec::<String>::new());
    assert_eq!(see(&store).expect("readable").0.len(), 50);
    drop(store);
    restoration.finish().expect("in place");
    assert_eq!(see(&open_with(&data, &crashing())).expect("readable").0.len(), 50);
    assert_eq!(fs::read_to_string(walked).expect("walked"), "once\n");
}

#[test]
fn a_restore_that_is_stopped_ends_the_check_and_leaves_nothing() {
    let (place, data, file) = filled();
    let number = tempfile::NamedTempFile::new().expect("a file");
    let waiting = by(&format!("echo $$ > {}; exec sleep 1000", number.path().display()));
    let process = || fs::read_to_string(number.path()).expect("a file");
    let mut stop = |at: JobProgress| match at.step {
        JobStep::Walking if process().ends_with('\n') => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    };
    let stopped = Restoration::begin(&file, &data, true, &waiting, &mut stop);
    assert_eq!(stopped.err(), Some(StoreError::Stopped));
    assert_eq!(names(place.path()), ["b", "data"]);
    assert!(!FsPath::new("/proc").join(process().trim()).exists());
}

#[test]
fn only_a_data_file_that_is_not_known_is_walked_by_another_process() {
    let (place, data, file) = filled();
    let refusal = |folder: &FsPath| Store::open(folder, &crashing()).err();
    assert_eq!(refusal(&data), None, "closed here as it is");
    fs::write(data.join("app.lock"), "1\n").expect("written");
    assert_eq!(refusal(&data), None, "its own session was cut off");

    let put = place.path().join("put");
    fs::create_dir(&put).expect("made");
    fs::copy(&file, put.join("data.mdb")).expect("copied");
    assert_eq!(refusal(&put), Some(crashed()), "nobody knows the file");
    fs::copy(data.join("identity.json"), put.join("identity.json")).expect("copied");
    fs::write(put.join("app.lock"), "1\n").expect("written");
    assert_eq!(refusal(&put), Some(crashed()), "its card is of another file");
    let store = open_with(&put, &sound());
    assert_eq!(see(&store).expect("readable").0.len(), 50);
    drop(store);
    assert_eq!(refusal(&put), None, "known since then");

    fs::write(data.join("data.mdb"), fs::read(&file).expect("read")).expect("written");
    assert_eq!(refusal(&data), Some(crashed()), "other bytes were put into the file");
    let found = by(
        r#"echo '{"report":{"pagesUsed":2,"pagesFree":0,"findings":["page 7 is bad"],"rows":{"count":0,"first":[]}}}'"#,
    );
    let refused = Store::open(&data, &found).err();
    assert_eq!(refused, Some(StoreError::damaged("page 7 is bad")));
}
