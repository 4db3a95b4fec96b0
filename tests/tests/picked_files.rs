//! A file that the user picked is checked in another process. When that process dies, the file is
//! not opened, and everything is unchanged.

#![cfg(target_os = "linux")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use mayfly_tests::{program, shim};

const STORE: &str = "--db d --collection c";
const VERDICT: &str = "wasn't opened because its check was killed by signal 11";

fn mayfly(folder: &Path, arguments: &str, preload: Option<&Path>) -> Output {
    let mut program = Command::new(program::path());
    program.args(arguments.split_whitespace()).current_dir(folder);
    if let Some(library) = preload {
        program.env("LD_PRELOAD", library);
    }
    program.output().expect("the program starts")
}

fn works(folder: &Path, arguments: &str, words: &str) {
    let output = mayfly(folder, arguments, None);
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{arguments}: {output:?}");
    assert!(said.contains(words), "{arguments}: {said}");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry"));
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_file_whose_check_crashes_is_not_opened() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("a.jsonl"), "{\"_id\":1}\n{\"_id\":2}\n").expect("written");
    works(at, &format!("import --data data {STORE} a.jsonl"), "imported 2");
    works(at, "backup --data data b", "backed up");
    fs::create_dir(at.join("put")).expect("made");
    fs::copy(at.join("b"), at.join("put/data.mdb")).expect("copied");
    let elsewhere = tempfile::tempdir().expect("another folder");
    let library = shim::build_other("crash", elsewhere.path());

    let before = names(at);
    for arguments in [
        "restore --from b --data data --replace",
        "restore --from b --data new",
        "check b",
        "verify --data put",
        "scrub --data put",
        "compact --data put",
        "backup --data put c",
        &format!("export --data put {STORE} -o out.jsonl"),
        &format!("import --data put {STORE} a.jsonl"),
        "serve --data put --port 0",
    ] {
        let output = mayfly(at, arguments, Some(&library));
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{arguments}: {said}");
        assert!(said.contains(VERDICT), "{arguments}: {said}");
        assert_eq!(names(at), before, "{arguments}");
        assert!(!at.join("put/identity.json").exists(), "{arguments}: it was opened");
    }
    // A store that this program closed is trusted.
    let export = format!("export --data data {STORE} -o out.jsonl");
    assert!(mayfly(at, &export, Some(&library)).status.success());

    works(at, "check b", "no problems found");
    works(at, "verify --data put", "2 documents");
    works(at, "restore --from b --data data --replace", "restored 2 documents");
    works(at, "verify --data data", "2 documents");
}

#[test]
fn the_process_that_looks_at_a_file_takes_nothing_else() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = folder.path();
    fs::write(at.join("a.jsonl"), "{\"_id\":1}\n").expect("written");
    works(at, &format!("import --data data {STORE} a.jsonl"), "imported 1");
    let look = |file: &Path| {
        let mut walk = Command::new(program::path());
        let file = fs::File::open(file).expect("it is there");
        let output = walk.arg("walk").stdin(file).stderr(Stdio::null()).output().expect("it runs");
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).expect("text")
    };
    let sound = look(&at.join("data/data.mdb"));
    assert!(sound.lines().last().is_some_and(|last| last.contains(r#""findings":[]"#)), "{sound}");
    assert!(look(&at.join("a.jsonl")).starts_with(r#"{"notADatabase":"#));
    // It may write no file, so its output can't go to one.
    let mut walk = Command::new(program::path());
    walk.arg("walk").stdin(fs::File::open(at.join("a.jsonl")).expect("it is there"));
    walk.stdout(fs::File::create(at.join("words")).expect("made"));
    assert!(!walk.status().expect("it runs").success());
}
