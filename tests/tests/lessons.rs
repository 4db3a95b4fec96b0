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

/// Runs `mayfly lesson` in a folder that also has its progress.
fn lesson(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = program::keeping_in(folder);
    command.arg("lesson").args(arguments).current_dir(folder).env_remove("USER");
    command.env("USERNAME", "Grace").output().expect("it starts")
}

#[test]
fn a_course_is_written_for_paper_and_no_file_is_replaced_by_chance() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| lesson(folder.path(), arguments);
    let page = || fs::read_to_string(folder.path().join("course.html")).expect("a page");
    let written = run(&["handout", "--course", "-o", "course.html"]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let blank = page();
    assert!(blank.starts_with("<!DOCTYPE html>") && blank.contains("<svg "));
    assert!(blank.contains("TTL, step by step") && !blank.contains("<h1>Answers</h1>"));
    for folded in ["<details", "mayfly:", "<script", "{{"] {
        assert!(!blank.contains(folded), "{folded}");
    }
    let refused = run(&["handout", "--course", "--answers", "-o", "course.html"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("--overwrite"), "{}", text(&refused.stderr));
    assert_eq!(page(), blank);
    let refused = run(&["handout", "2", "-o", "course.html"]);
    assert!(!refused.status.success());
    let written = run(&["handout", "--course", "--answers", "-o", "course.html", "--overwrite"]);
    assert!(written.status.success(), "{}", text(&written.stderr));
    let (before, answers) = page().split_once("<h1>Answers</h1>").map(both).expect("answers");
    assert!(blank.starts_with(&before[..before.rfind("</section>").expect("an end")]));
    assert!(answers.contains("class=\"removed\"") && answers.contains("12:01:00"));
}

fn both((before, after): (&str, &str)) -> (String, String) {
    (before.to_owned(), after.to_owned())
}

#[test]
fn progress_is_exported_and_a_class_is_a_table() {
    let folder = tempfile::tempdir().expect("a folder");
    let run = |arguments: &[&str]| lesson(folder.path(), arguments);
    let empty = run(&["progress"]);
    assert_eq!(text(&empty.stdout).lines().nth(1), Some("You   0             0 of 0"));
    assert!(run(&["progress", "--export", "g.json"]).status.success());
    let exported = fs::read_to_string(folder.path().join("g.json")).expect("a file");
    assert!(exported.contains("\"name\": \"Grace\""), "{exported}");
    let refused = run(&["progress", "--export", "g.json", "--name", "Ada"]);
    assert!(text(&refused.stderr).contains("--overwrite"), "{}", text(&refused.stderr));
    assert!(run(&["progress", "--export", "a.json", "--name", "Ada"]).status.success());
    let table = run(&["progress", "a.json", "g.json"]);
    let table = text(&table.stdout);
    let names: Vec<_> = table.lines().skip(1).filter_map(|line| line.split(' ').next()).collect();
    assert_eq!(names, ["Ada", "Grace"]);
    let refused = run(&["progress", "a.json", "missing.json"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(text(&refused.stderr).contains("missing.json"), "{}", text(&refused.stderr));
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
