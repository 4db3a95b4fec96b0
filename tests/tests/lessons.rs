//! `mayfly lesson check` from outside: every shipped lesson holds, and a changed one is named.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use mayfly_tests::program;

fn lessons() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../assets/lessons")
}

fn check(files: &[PathBuf], zone: &str) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let output = Command::new(program::path())
        .args(["lesson", "check"])
        .args(files)
        .current_dir(folder.path())
        .env("TZ", zone)
        .env("TMPDIR", folder.path())
        .env("HOME", folder.path())
        .env("XDG_DATA_HOME", folder.path())
        .env("XDG_CONFIG_HOME", folder.path())
        .output()
        .expect("build the program first: cargo build -p mayfly");
    let left: Vec<_> = fs::read_dir(folder.path()).expect("a folder").collect();
    assert!(left.is_empty(), "a check leaves files: {left:?}");
    output
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("text")
}

#[test]
fn every_shipped_lesson_holds() {
    let output = check(&[], "UTC0");
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    let last = said.lines().last().unwrap_or_default();
    let count = last.strip_suffix(" lessons hold").and_then(|count| count.parse::<u32>().ok());
    assert!(count.is_some_and(|count| count >= 60), "{last}");
    let warnings: Vec<_> = said.lines().filter(|line| line.contains(": warning: ")).collect();
    assert!(warnings.is_empty(), "{}", warnings.join("\n"));
}

#[test]
fn the_zone_of_the_machine_changes_nothing() {
    let files =
        ["19-local-time-stored-as-utc", "20-seconds-for-milliseconds", "03-overdue-is-still-found"]
            .map(|slug| lessons().join(format!("{slug}.md")));
    for zone in ["<+14>-14", "<-0930>9:30"] {
        let output = check(&files, zone);
        let said = text(&output.stdout);
        assert!(said.ends_with("3 lessons hold\n"), "{zone}: {said}");
    }
}

#[test]
fn a_changed_answer_is_named_with_file_and_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let name = "35-sixty-seconds-is-no-promise.md";
    let right = fs::read_to_string(lessons().join(name)).expect("a lesson");
    let wrong = right.replacen("is = 370\n", "is = 371\n", 1);
    assert_ne!(right, wrong, "{name} has no such answer");
    let file = folder.path().join(name);
    fs::write(&file, wrong).expect("a file");
    let output = check(std::slice::from_ref(&file), "UTC0");
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let named = format!("{}:", file.display());
    let problem = said.lines().find(|line| line.starts_with(&named)).unwrap_or_default();
    let line = problem[named.len().min(problem.len())..].split(':').next().unwrap_or_default();
    assert!(line.parse::<usize>().is_ok_and(|line| line > 1), "{said}");
    assert_eq!(said.lines().last(), Some("0 lessons hold, 1 lesson does not"));
}

#[test]
fn a_missing_file_can_not_be_read() {
    let output = check(&[PathBuf::from("/no/such/lesson.md")], "UTC0");
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("/no/such/lesson.md"));
}
