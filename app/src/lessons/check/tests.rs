use super::*;
use crate::lessons::shipped;

/// What the check says of this text, as the lesson with this slug.
fn checked(slug: &str, text: &str) -> CheckReport {
    let file = CheckedFile {
        slug: slug.to_owned(),
        name: format!("{slug}.md"),
        bytes: text.as_bytes().to_vec(),
    };
    let mut found = None;
    check_all(&[file], &mut |report| found = Some(report.clone())).expect("a thread");
    found.expect("a report")
}

fn shipped(slug: &str) -> &'static str {
    shipped::text(slug).expect("a lesson")
}

/// Replaces a text that occurs once.
fn changed(slug: &str, from: &str, to: &str) -> (String, usize) {
    let text = shipped(slug);
    assert_eq!(text.matches(from).count(), 1, "{slug}: {from}");
    let before = text.split(from).next().unwrap_or_default();
    (text.replacen(from, to, 1), before.lines().count())
}

#[test]
fn a_shipped_lesson_holds() {
    let report = checked("02-the-pass", shipped("02-the-pass"));
    assert_eq!(report.problems, []);
    assert_eq!(report.warnings, []);
    assert!(!report.title.is_empty());
}

#[test]
fn a_wrong_answer_is_named_with_its_question() {
    let (text, line) = changed("35-sixty-seconds-is-no-promise", "is = 370\n", "is = 371\n");
    let report = checked("35-sixty-seconds-is-no-promise", &text);
    let [problem] = report.problems.as_slice() else { panic!("{:?}", report.problems) };
    assert!(problem.line <= line && problem.line + 20 > line, "{problem:?} near {line}");
    assert!(problem.sentence.contains("the engine answers 370"), "{problem:?}");
}

#[test]
fn reports_come_in_the_order_of_the_files() {
    let files = ["35-sixty-seconds-is-no-promise", "01-the-threshold", "02-the-pass"].map(|slug| {
        let bytes = shipped(slug).as_bytes().to_vec();
        CheckedFile { slug: slug.to_owned(), name: slug.to_owned(), bytes }
    });
    let mut names = Vec::new();
    check_all(&files, &mut |report| names.push(report.name.clone())).expect("threads");
    assert_eq!(names, files.map(|file| file.name));
}
