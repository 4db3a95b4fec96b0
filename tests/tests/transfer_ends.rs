//! An interrupted export leaves the old file and only leftovers that the next one deletes. An
//! import of a line without an end reports it and needs little memory.
//!
//! `MAYFLY_TEST_COUNT` sets the number of kills, `MAYFLY_TEST_SEED` their moments.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use bson::{Document, doc};
use mayfly_tests::deadline::Deadline;
use mayfly_tests::program;
use mayfly_tests::random::{self, Random};
use mayfly_tests::store::{open_paused, run};

const DB: &str = "d";
const COLLECTION: &str = "c";
const OLD: &str = "what somebody has kept here\n";

/// Documents of the collection. Their text is longer than the small disk.
const DOCUMENTS: i32 = 20_000;

/// How long an export may take.
const EXPORT_MAX: Duration = Duration::from_mins(2);

/// KiB of private memory that the importing program gets, see `RLIMIT_DATA`.
const OWN_KIB_MAX: u32 = 200_000;

/// Bytes of the line without an end: more than the program's memory.
const LINE_BYTES: usize = 300 << 20;

/// A folder with a store in it.
fn room() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let engine = open_paused(&folder.path().join("store"), 0);
    let all: Vec<Document> =
        (0..DOCUMENTS).map(|number| doc! { "_id": number, "value": "x".repeat(100) }).collect();
    for some in all.chunks(10_000) {
        run(&engine, DB, &doc! { "insert": COLLECTION, "documents": some });
    }
    engine.close().expect("the store closes");
    folder
}

fn arguments(command: &str, folder: &Path) -> Vec<String> {
    let store = folder.join("store").display().to_string();
    let all = [command, "--data", &store, "--db", DB, "--collection", COLLECTION];
    all.map(str::to_owned).to_vec()
}

fn export(folder: &Path, to: &Path) -> Command {
    let mut command = Command::new(program::path());
    command.args(arguments("export", folder)).args(["--overwrite", "--output"]).arg(to);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

#[test]
fn a_killed_export_leaves_the_old_file_or_a_whole_new_one() {
    let seed = random::seed(20_261_122);
    println!("MAYFLY_TEST_SEED={seed}");
    let mut random = Random::new(seed);
    let folder = room();
    let (whole, out) = (folder.path().join("whole"), folder.path().join("out"));
    let deadline = Deadline::after(EXPORT_MAX);
    assert!(export(folder.path(), &whole).status().expect("the program starts").success());
    let took = EXPORT_MAX.saturating_sub(deadline.left().unwrap_or_default());
    let new = fs::read_to_string(&whole).expect("the file can be read");
    assert_eq!(new.lines().count(), usize::try_from(DOCUMENTS).unwrap_or(0));
    let (mut cut_off, mut ended, mut parts) = (0, 0, 0);
    for kill in 0..random::count(20) {
        fs::write(&out, OLD).expect("the file can be written");
        let before = unfinished(folder.path());
        let mut child = export(folder.path(), &out).spawn().expect("the program starts");
        // Some kills hit an export that surely writes, others any moment.
        if kill % 2 == 0 {
            until_it_writes(&mut child, folder.path(), &before);
        } else {
            let micros = usize::try_from(took.as_micros()).unwrap_or(usize::MAX);
            thread::park_timeout(Duration::from_micros(random.below(micros) as u64));
        }
        child.kill().expect("the program can be killed");
        let is_whole = child.wait().expect("the program ends").success();
        let found = fs::read_to_string(&out).expect("the file can be read");
        assert!(found == new || found == OLD && !is_whole, "kill {kill}: {} bytes", found.len());
        *(if found == new { &mut ended } else { &mut cut_off }) += 1;
        let left = unfinished(folder.path()).len();
        parts += left;
        assert!(left <= 1, "kill {kill}: what others left is still there");
    }
    assert!(parts > 0, "no kill left an unfinished file");
    println!("cut off {cut_off}, ended {ended}");
    assert!(cut_off > 0, "no kill met an export under way");
    only_what_was_left_is_cleared_away(folder.path());
}

/// Exports in a folder that still have their temporary names.
fn unfinished(folder: &Path) -> BTreeSet<OsString> {
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let names = entries.map(|entry| entry.expect("an entry").file_name());
    names.filter(|name| name.to_string_lossy().starts_with(".mayfly-export-")).collect()
}

/// Waits until the export has created its file, or has ended.
fn until_it_writes(export: &mut Child, folder: &Path, before: &BTreeSet<OsString>) {
    let deadline = Deadline::after(EXPORT_MAX);
    while unfinished(folder).is_subset(before) && export.try_wait().is_ok_and(|end| end.is_none()) {
        assert!(!deadline.is_over(), "the export writes nothing");
        thread::yield_now();
    }
}

/// The next export deletes unfinished files that no process writes, and no others.
fn only_what_was_left_is_cleared_away(folder: &Path) {
    let left = folder.join(".mayfly-export-abcDEF012345.part");
    let written = folder.join(".mayfly-export-ghiJKL678901.part");
    let others = [".mayfly-export-notes", ".mayfly-export-.part", "mayfly-export.part"];
    for path in [&left, &written].into_iter().cloned().chain(others.map(|name| folder.join(name))) {
        fs::write(path, "half").expect("the file can be written");
    }
    let lock = File::open(&written).expect("the file can be read");
    lock.lock().expect("the file can be locked");
    assert!(export(folder, &folder.join("out")).status().expect("the program starts").success());
    let mut found: Vec<String> = fs::read_dir(folder)
        .expect("the folder can be read")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    found.sort();
    let mut expected = others.to_vec();
    expected.extend([".mayfly-export-ghiJKL678901.part", "out", "store", "whole"]);
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn an_export_to_a_full_small_disk_leaves_the_old_file() {
    let folder = room();
    let script = r#"
        mkdir "$1/small" && mount -t tmpfs -o size=1m tmpfs "$1/small" || exit 1
        printf old > "$1/small/out"
        shift_to="$1"; shift
        "$@" --overwrite --output "$shift_to/small/out" && echo "it was exported" && exit 1
        printf old | cmp - "$shift_to/small/out" && test "$(ls -A "$shift_to/small")" = out"#;
    let output = Command::new("unshare")
        .args(["--map-root-user", "--mount", "sh", "-c", script, "sh"])
        .arg(folder.path())
        .arg(program::path())
        .args(arguments("export", folder.path()))
        .output()
        .expect("unshare runs; leave this test out with tests/run --without-small-disk");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let printed = format!("{}{said}", String::from_utf8_lossy(&output.stdout));
    assert!(output.status.success(), "{printed}");
    assert!(said.contains("full"), "{printed}");
}

#[test]
fn a_line_without_an_end_is_refused_in_little_memory() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let file = endless(folder.path());
    let output = Command::new("sh")
        .args(["-c", "ulimit -d \"$1\" && shift && exec \"$@\"", "sh"])
        .arg(OWN_KIB_MAX.to_string())
        .arg(program::path())
        .args(arguments("import", folder.path()))
        .arg(&file)
        .output()
        .expect("the program starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let printed = format!("{}{said}", String::from_utf8_lossy(&output.stdout));
    assert!(printed.contains("imported 2, skipped 0, rejected 1"), "{printed}");
    let why = "line 2, column 1, document 2: the document is larger than 16 MiB, or its text is larger than 256 MiB";
    assert_eq!(said.matches(why).count(), 1, "{printed}");
    let rejects = fs::metadata(folder.path().join("in.rejected.jsonl")).expect("rejects are kept");
    assert!(rejects.len() < 1 << 20, "of the text only its beginning is kept");
}

/// A file with two documents and a long line between them.
fn endless(folder: &Path) -> PathBuf {
    let path = folder.join("in");
    let mut file = BufWriter::new(File::create(&path).expect("the file can be made"));
    let mut write = |bytes: &[u8]| file.write_all(bytes).expect("the file can be written");
    write(b"{\"_id\":1}\n{\"_id\":\"");
    let block = vec![b'x'; 1 << 16];
    (0..LINE_BYTES / block.len()).for_each(|_| write(&block));
    write(b"\"}\n{\"_id\":2}\n");
    file.flush().expect("the file can be written");
    path
}
