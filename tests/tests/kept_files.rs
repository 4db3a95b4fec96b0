//! Whichever file call fails while settings are written, and whenever the program is killed: the file has the old
//! settings or the new ones, whole, and the next write removes what was left.
#![cfg(target_os = "linux")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use mayfly::job::kept::Fields;
use mayfly::source::kept_file::{Found, KeptFile};
use mayfly_tests::shim;
use serde_json::json;

/// Ways in which a call fails.
const KINDS: [&str; 4] = ["eio", "enospc", "short", "kill"];

fn settings(number: u64) -> Fields {
    let favorites = json!([{"name": "Paid orders", "filter": "{ paid: true }"}]);
    Fields::from_iter([("favorites".to_owned(), favorites), ("number".to_owned(), number.into())])
}

/// Runs the writer on a file with the settings number 1. Returns what it printed, and how many calls it made.
fn write(library: &Path, folder: &Path, fault: Option<(&str, usize)>) -> (String, usize) {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir(folder).expect("a folder");
    let path = folder.join("settings.json");
    let first = KeptFile::new(path.clone(), &[]);
    first.write(&Fields::new(), &settings(1)).expect("written");
    let count = folder.with_extension("count");
    let mut command = Command::new(env!("CARGO_BIN_EXE_settings_writer"));
    command.arg(&path).arg("2");
    command.env("LD_PRELOAD", library).env("SHIM_FOLDER", folder).env("SHIM_COUNT", &count);
    if let Some((kind, at)) = fault {
        command.env("SHIM_FAIL_AT", at.to_string()).env("SHIM_FAIL_AS", kind);
    }
    let output = command.output().expect("the writer starts");
    let is_killed = matches!(fault, Some(("kill", _)));
    assert!(output.status.success() || is_killed, "{fault:?}: {output:?}");
    let calls = std::fs::read(&count).map_or(0, |letters| letters.len());
    (String::from_utf8_lossy(&output.stdout).trim().to_owned(), calls)
}

#[test]
fn a_failed_write_leaves_the_old_settings_or_the_new_ones() {
    let place = tempfile::tempdir().expect("a temporary folder");
    let library = shim::build(place.path());
    let folder = place.path().join("mayfly");
    let (printed, calls) = write(&library, &folder, None);
    assert_eq!(printed, "written");
    assert!(calls > 3, "the library counts {calls} calls");
    let mut ends: BTreeMap<&str, BTreeSet<u64>> = BTreeMap::new();
    for kind in KINDS {
        for at in 1..=calls {
            let (printed, _) = write(&library, &folder, Some((kind, at)));
            let file = KeptFile::new(folder.join("settings.json"), &[]);
            let Found { fields, notes } = file.read();
            let what = format!("call {at} fails with {kind}, it printed {printed:?}");
            assert_eq!(notes, Vec::<String>::new(), "{what}");
            let number = fields["number"].as_u64().expect("a number");
            assert!(fields == settings(1) || fields == settings(2), "{what}: {fields:?}");
            assert!(printed != "written" || number == 2, "{what}: {fields:?}");
            ends.entry(kind).or_default().insert(number);
            file.write(&fields, &settings(3)).unwrap_or_else(|error| panic!("{what}: {error}"));
            let names: BTreeSet<String> = std::fs::read_dir(&folder)
                .expect("a folder")
                .flatten()
                .map(|entry| entry.file_name().to_string_lossy().into_owned())
                .collect();
            let known = ["settings.json", "settings.json.before", "settings.json.lock"];
            assert_eq!(names, known.map(ToOwned::to_owned).into(), "{what}");
        }
    }
    for kind in ["eio", "enospc", "kill"] {
        assert!(ends[kind].contains(&1), "no call was in the way: {ends:?}");
    }
}
