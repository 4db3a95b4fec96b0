use super::*;
use crate::lessons::shipped;

/// The check of this text, as the lesson with this slug.
fn checked(slug: &str, text: &str) -> CheckReport {
    let file = CheckedFile {
        slug: slug.to_owned(),
        name: format!("{slug}.md"),
        bytes: text.as_bytes().to_vec(),
        answers: BTreeMap::new(),
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
    let files = ["35-sixty-seconds-is-no-promise", "01-the-threshold", "02-the-pass"]
        .map(|slug| shipped::checked(slug).expect("a lesson"));
    let mut names = Vec::new();
    check_all(&files, &mut |report| names.push(report.name.clone())).expect("threads");
    assert_eq!(names, files.map(|file| file.name));
}

#[test]
fn an_answer_that_is_not_the_recorded_one_is_named() {
    let mut file = shipped::checked("35-sixty-seconds-is-no-promise").expect("a lesson");
    let mut found = Vec::new();
    let mut problems = |file: &CheckedFile| {
        check_all(std::slice::from_ref(file), &mut |report| found.clone_from(&report.problems))
            .expect("a thread");
        found.iter().map(|problem| problem.sentence.clone()).collect::<Vec<_>>()
    };
    assert_eq!(problems(&file), [] as [&str; 0]);
    let known = file.answers.values_mut().next().expect("a question");
    "At 12:02:00".clone_into(known);
    let said = problems(&file);
    assert!(said.len() == 1 && said[0].contains("answers.json says \"At 12:02:00\""), "{said:?}");
    file.answers = BTreeMap::from([("another".to_owned(), "question".to_owned())]);
    assert!(problems(&file)[0].contains("no answer to it"));
}

#[test]
fn a_script_that_cannot_be_stopped_ends_the_check_of_its_file() {
    let setup = "for (let i = 0; i < 40; i++) new Uint8Array({ length: 3e7 })\ndb.eventlog.insertOne({ _id: \"login\"";
    let (text, _) = changed("02-the-pass", "db.eventlog.insertOne({ _id: \"login\"", setup);
    let report = checked("02-the-pass", &text);
    let [problem] = report.problems.as_slice() else { panic!("{:?}", report.problems) };
    assert!(problem.sentence.starts_with("Stopped: the script didn't stop within"), "{problem:?}");
}
