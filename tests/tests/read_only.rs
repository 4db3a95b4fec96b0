//! A store on a read-only folder or disk can be read: nothing in it changes, nothing expires, and a
//! write is refused with the reason.
//!
//! The mount is in a new namespace, which needs only Linux and no rights. A user who may write
//! everywhere drops that right for the program (setpriv).

#![cfg(target_os = "linux")]

use std::collections::BTreeMap;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::{Command, Output};

use mayfly_tests::program;

/// The program that creates a store, and checks one that is read-only.
const VICTIM: &str = env!("CARGO_BIN_EXE_fill_disk");

/// Documents that `fill_disk prepare` puts into the collection that does not expire.
const DOCUMENTS: usize = 20;

/// Names, contents, modes and times of a folder's files.
type Contents = BTreeMap<String, (Vec<u8>, u32, (i64, i64))>;

fn contents(folder: &Path) -> Contents {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let entries = entries.map(|entry| {
        let entry = entry.expect("an entry");
        let about = entry.metadata().expect("it is there");
        let bytes = fs::read(entry.path()).expect("the file can be read");
        let name = entry.file_name().to_string_lossy().into_owned();
        (name, (bytes, about.mode(), (about.mtime(), about.mtime_nsec())))
    });
    entries.collect()
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, Permissions::from_mode(mode)).expect("the mode can be set");
}

/// A store, with a folder around it.
fn room() -> tempfile::TempDir {
    let room = tempfile::tempdir().expect("a temporary folder can be made");
    let made = Command::new(VICTIM).arg(room.path().join("store")).arg("prepare").output();
    said(&made.expect("the program starts"), true, "");
    room
}

/// Checks how a program ended, and its output.
#[track_caller]
fn said(output: &Output, is_good: bool, words: &str) {
    let printed = [&output.stdout[..], &output.stderr[..]].map(String::from_utf8_lossy).concat();
    assert_eq!(output.status.success(), is_good, "{printed}");
    assert!(printed.contains(words), "{printed}");
    assert!(!printed.contains("panicked"), "{printed}");
}

/// A program with no more rights than the file modes allow.
fn bounded(program: &Path, room: &Path) -> Command {
    let locked = room.join("locked");
    let _ = fs::create_dir(&locked);
    set_mode(&locked, 0o500);
    let modes_bind = File::create(locked.join("probe")).is_err();
    set_mode(&locked, 0o700);
    if modes_bind {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    let rights = "-dac_override,-dac_read_search,-fowner";
    command.args(["--inh-caps", rights, "--bounding-set", rights]).arg(program);
    command
}

/// Reads a read-only store with programs that are started in this way.
fn check(store: &Path, out: &Path, start: &dyn Fn(&Path) -> Command) {
    let run = |arguments: &[&str]| {
        let mut command = start(&program::path());
        let collection = ["--db", "disk", "--collection", "c", "--data"];
        let with_collection = arguments[0] != "verify";
        command.arg(arguments[0]);
        command.args(if with_collection { &collection[..] } else { &["--data"] }).arg(store);
        command.args(&arguments[1..]).output().expect("the program starts")
    };
    said(&start(Path::new(VICTIM)).arg(store).arg("read").output().expect("it starts"), true, "");
    let exported = out.join("exported");
    said(
        &run(&["export", "--overwrite", "--output", &exported.to_string_lossy()]),
        true,
        "exported 20",
    );
    let text = fs::read_to_string(&exported).expect("the file can be read");
    assert_eq!(text.lines().count(), DOCUMENTS);
    said(&run(&["import", &exported.to_string_lossy()]), false, "The store is read-only: its");
    said(&run(&["verify"]), true, "no problems found");
}

#[test]
fn a_folder_without_the_right_to_write_is_read() {
    let room = room();
    let store = room.path().join("store");
    for (folder_mode, file_mode) in [(0o500, 0o600), (0o700, 0o400), (0o500, 0o400)] {
        for name in contents(&store).keys() {
            set_mode(&store.join(name), file_mode);
        }
        set_mode(&store, folder_mode);
        let before = contents(&store);
        check(&store, room.path(), &|program| bounded(program, room.path()));
        assert!(contents(&store) == before, "{folder_mode:o} {file_mode:o}: something changed");
        set_mode(&store, 0o700);
    }
}

#[test]
fn a_folder_without_the_right_to_look_into_it_is_refused() {
    let room = room();
    let store = room.path().join("store");
    set_mode(&store, 0o000);
    let mut command = bounded(&program::path(), room.path());
    let out = room.path().join("out");
    command.args(["export", "--db", "disk", "--collection", "c", "--data"]).arg(&store);
    let output = command.arg("--output").arg(&out).output().expect("the program starts");
    said(&output, false, "Can't open the data folder: Permission denied");
    set_mode(&store, 0o700);
    assert!(!out.exists());
}

/// The name groups it with the tests on small disks, which also need a namespace.
#[test]
fn small_disk_rights_are_not_needed_to_read_a_mount_for_reading() {
    let room = room();
    let store = room.path().join("store");
    let before = contents(&store);
    let script = r#"mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@""#;
    check(&store, room.path(), &|program| {
        let mut command = Command::new("unshare");
        command.args(["--map-root-user", "--mount", "sh", "-c", script]).arg(&store).arg(program);
        command
    });
    assert!(contents(&store) == before, "something changed");
}
