use std::collections::BTreeSet;

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

/// The problems of a lesson in which a text is replaced, and the line before that text.
fn broken(slug: &str, from: &str, to: &str) -> (Vec<(usize, String)>, usize) {
    let (text, line) = changed(slug, from, to);
    let found = checked(slug, &text).problems;
    (found.into_iter().map(|problem| (problem.line, problem.sentence)).collect(), line)
}

#[test]
fn an_answer_that_is_given_away_is_named_with_its_line() {
    let cases = [
        // A title, with a word that only the right choice has.
        (
            "05-earliest-of-an-array",
            "title = \"Several dates in one field\"",
            "title = \"An array: the earliest decides\"",
            "\"earliest\"",
        ),
        // A title that says what a reason says.
        (
            "21-a-hidden-index-still-deletes",
            "title = \"Hide the index\"",
            "title = \"A hidden index still deletes\"",
            "explains later",
        ),
        // The title of the question's own card.
        (
            "37-a-shorter-period",
            "## The next one",
            "## And then every ten seconds",
            "explains later",
        ),
        // A label with a time of the answer.
        (
            "35-sixty-seconds-is-no-promise",
            "```js play\n",
            "```js play Play to 12:06:10\n",
            "names 12:06:10",
        ),
        // A text on an earlier card.
        (
            "27-its-own-ttl",
            "`TTL: 20` is in capital letters.",
            "`TTL: 20` is in capital letters, and none of them does it right.",
            "before \"twelve\"",
        ),
    ];
    for (slug, from, to, says) in cases {
        let (problems, line) = broken(slug, from, to);
        let [(at, sentence)] = problems.as_slice() else { panic!("{slug}: {problems:?}") };
        assert!(*at == line || *at == line + 1, "{slug}: {sentence} in line {at}, not {line}");
        assert!(sentence.contains(says), "{slug}: {sentence}");
    }
}

/// The one problem of a lesson of two blocks, with its line.
fn of_blocks(setup: &str, run: &str) -> String {
    let text = format!(
        "+++\ntitle = \"T\"\nminutes = 1\nlevel = \"start\"\nshow = [\"log\"]\n[clock]\n\
         start = 2026-01-01T12:00:00Z\n+++\n\n## One\n\n```js setup\n{setup}\n```\n{run}\n"
    );
    let report = checked("x", &text);
    let [problem] = report.problems.as_slice() else { panic!("{:?}", report.problems) };
    format!("{}: {}", problem.line, problem.sentence)
}

#[test]
fn a_failure_is_said_in_plain_words_at_its_line() {
    let insert = "db.log.insertOne({ _id: 1, at: T(\"-1h\") })";
    for (setup, run, expected) in [
        (
            "// first\ndb.log.insertMny([{ _id: 1, at: T(\"-1h\") }])",
            "",
            "14: js setup: TypeError: db.log.insertMny is not a function. Did you mean `insertMany`?",
        ),
        (
            "db.log.insertOne({ _id: 1 })\nlet x = [1, 2\ndb.log.find()",
            "",
            "15: js setup: SyntaxError",
        ),
        (
            insert,
            "```js run\ndb.log.find()\ndb.log.findOnee({ _id: T(\"0s\") })\n```",
            "17: js run: TypeError: db.log.findOnee is not a function. Did you mean `findOne`?",
        ),
        (
            insert,
            "```js run fails=11000\ndb.log.insertOne({ _id: 2 })\n```",
            "15: js run: expected error 11000, got ok",
        ),
        (
            insert,
            "```js run fails=67\ndb.log.insertOne({ _id: 1 })\n```",
            "15: js run: expected error 67, got MongoServerError: E11000",
        ),
        (insert, "```js play\nplay(\"nxt pass\")\n```", "got \"nxt pass\""),
        (
            insert,
            "```toml predict\nquestion = \"Q\"\nkind = \"count\"\nmin = 0\nmax = 1\nbecause = \"B\"\n\
             ask = 'db.log.cuntDocuments()'\n```\n```js play\nplay(\"1s\")\n```",
            "21: predict \"question-1\": TypeError: db.log.cuntDocuments is not a function. Did you mean `countDocuments`?",
        ),
        (
            insert,
            "```toml predict\nquestion = \"Q\"\nkind = \"count\"\nmin = 0\nmax = 1\nbecause = \"B\"\n\
             ask = 'removedAftr(db.log, 1) ?? 0'\n```\n```js play\nplay(\"1s\")\n```",
            "21: predict \"question-1\": ReferenceError: removedAftr is not defined. Did you mean `removedAfter`?",
        ),
    ] {
        let said = of_blocks(setup, run);
        assert!(said.contains(expected), "{said}\nhas no: {expected}");
    }
}

#[test]
fn a_goal_says_how_far_it_is_once_something_was_done() {
    let goal = |near: &str| {
        format!(
            "```toml goal\ntask = \"T\"\nwhen = 'db.log.countDocuments() === 3'\nhints = [\"h\"]\nnear = {near}\n```\n\
             ```js solution\ndb.log.insertMany([{{}}, {{}}])\n```"
        )
    };
    let said =
        of_blocks("db.log.insertOne({ _id: 1 })", &goal("'`${db.log.countDocuments()} of 3`'"));
    assert!(said.ends_with("`near` says \"1 of 3\" before anything was done."), "{said}");
    let said = of_blocks("db.log.insertOne({ _id: 1 })", &goal("'db.log.countDocuments()'"));
    assert!(said.ends_with("near: 1 is not a sentence and not null"), "{said}");
}

#[test]
fn a_reply_that_is_not_there_is_named() {
    let (from, to) = ("\"numIndexesAfter: 2\"", "\"numIndexesAfter: 4\"");
    let (problems, _) = broken("25-ts-is-the-last-write", from, to);
    let [(_, sentence)] = problems.as_slice() else { panic!("{problems:?}") };
    assert!(sentence.contains("does not show \"numIndexesAfter: 4\""), "{sentence}");
    assert!(sentence.contains("numIndexesAfter: 2"), "the reply is shown: {sentence}");
}

#[test]
fn the_right_choice_has_no_place_of_choice() {
    let all: Vec<_> =
        shipped::FILES.iter().filter_map(|(slug, _)| shipped::checked(slug)).collect();
    assert_eq!(places::uneven(&all), BTreeMap::new());
    // The same place in each of six questions.
    let one = shipped::checked("03-overdue-is-still-found").expect("a lesson");
    let same = vec![one; 6];
    let found = places::uneven(&same);
    let (index, problem) = found.first_key_value().expect("a problem");
    assert_eq!((*index, found.len()), (4, 1), "the fifth is one too many");
    assert!(problem.line > 1, "{problem:?}");
    let says = "is number 2 in 6 of 6 questions with 2 choices";
    assert!(problem.sentence.contains(says), "{problem:?}");
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

#[test]
fn prerequisites_that_nothing_leads_to_are_named_with_their_line() {
    let file = |slug: &str, after: &str| {
        let text = shipped("02-the-pass");
        let place = text.find("[clock]").expect("a clock");
        let (front, rest) = text.split_at(place);
        let front: String = front
            .lines()
            .filter(|line| !line.starts_with("after"))
            .fold(String::new(), |front, line| front + line + "\n");
        let bytes = format!("{front}after = [{after}]\n{rest}").into_bytes();
        CheckedFile {
            slug: slug.to_owned(),
            name: format!("folder/{slug}.md"),
            bytes,
            answers: BTreeMap::new(),
        }
    };
    let files = [
        file("a", "\"01-the-threshold\", \"c\""),
        file("b", "\"a\""),
        file("c", "\"b\""),
        file("d", "\"b\", \"gone\""),
        file("e", "\"a\""),
        CheckedFile { name: "other/a.md".to_owned(), ..file("a", "") },
    ];
    let mut found = Vec::new();
    check_all(&files, &mut |report| {
        let of_after = report.problems.iter().find(|it| it.sentence.starts_with("`after`"));
        found.push(of_after.cloned());
    })
    .expect("threads");
    let lines: BTreeSet<usize> = found.iter().flatten().map(|problem| problem.line).collect();
    assert_eq!(lines.len(), 1, "{found:?}");
    let sentence = |at: usize| found[at].as_ref().map(|problem| problem.sentence.as_str());
    let circle = "`after` leads back to this lesson: a, after c, after b, after a. Remove one of these names.";
    assert_eq!(sentence(0), Some(circle));
    assert!(sentence(1).is_some() && sentence(2).is_some());
    let missing =
        "`after` names `gone`, and there is no such lesson. Correct the name, or remove it.";
    assert_eq!(sentence(3), Some(missing));
    assert_eq!((sentence(4), sentence(5)), (None, None));
}
