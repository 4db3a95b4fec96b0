//! The reader of lesson files: what it refuses, and where.

use std::time::Duration;

use bson::Bson;
use mayfly_engine::catalog::Dialect;

use super::*;
use crate::job::lesson::{
    Answer, BlockKind, ClockKind, Handle, LessonKind, Level, Part, QuestionKind, Rules,
};

/// A lesson with every part.
const WHOLE: &str = r#"+++
title = "Everything"
minutes = 3
level = "core"
dialect = "open"
rules = "both"
show = ["log", "cosmos.log"]
after = ["01-the-threshold"]
[clock]
start = 2026-01-01T12:00:00.900Z
rate = 10
[reaper]
period = "30s"
load = 0.5
parameters = { ttlIndexDeleteTargetDocs = 100, mayflyRate = 1.5 }
[[members]]
name = "A"
[[members]]
name = "B"
skew = "-1h"
+++

## One

Prose with `code`, [a view](mayfly:expiry) and

| a | b |
|---|---|
| 1 | 2 |

```js
db.not.run()
```

```js setup
db.log.insertOne({ at: T("0s") })
```

```js run Create the index fails=85
db.log.createIndex({ at: 1 })
```

{{ttl log: 60s..2h}}

{{ttl:1m..1d}}

> notes: Ask
> the room.

## Two

```toml predict
question = "When?"
ask = 'removedAfter("log", 1)'
vote = true
[[choice]]
text = "Never"
never = true
because = "No."
[[choice]]
text = "Both"
is = [1, 2.5, { b = 1, a = "x" }]
because = "Yes."
```
```toml predict
id = "count"
kind = "count"
min = 0
max = 9
question = "How many?"
ask = "db.log.countDocuments()"
because = "So many."
```
```js traffic every=2m stay name=heartbeat
db.log.insertOne({ i })
```
```js play Play it
play("2m")
```

## Three

```toml goal
task = "Remove it."
when = 'ledger("log").length'
hints = ["Wait."]
fail_when = "db.log.countDocuments() > 5"
allow = ["insertOne", "clock.advance"]
deadline = "31m"
```
```js solution
play("1h")
```
"#;

fn block_of(lesson: &Lesson, card: usize, part: usize) -> &BlockKind {
    match &lesson.cards[card].parts[part] {
        Part::Block(block) => &block.kind,
        other => panic!("{other:?}"),
    }
}

#[test]
fn every_part_is_read() {
    let lesson = parse("x", WHOLE).unwrap();
    assert_eq!(lesson.title, "Everything");
    assert_eq!((lesson.minutes, lesson.level, lesson.kind), (3, Level::Core, LessonKind::Lesson));
    assert_eq!((lesson.dialect, lesson.rules), (Dialect::Open, Rules::Both));
    assert_eq!(lesson.show, ["log", "cosmos.log"]);
    assert_eq!(lesson.after, ["01-the-threshold"]);
    assert_eq!(lesson.start_ms, Some(1_767_268_800_900));
    assert_eq!((lesson.rate, lesson.clock), (10.0, ClockKind::Simulated));
    assert_eq!(lesson.reaper.period, Duration::from_secs(30));
    assert_eq!(lesson.reaper.load, Duration::from_millis(500));
    let parameters = &lesson.reaper.parameters;
    assert_eq!(parameters[0], ("ttlIndexDeleteTargetDocs".to_owned(), Bson::Int32(100)));
    assert_eq!(parameters[1].1, Bson::Double(1.5));
    assert_eq!(lesson.members[1].skew_ms, -3_600_000);
    let cards: Vec<_> = lesson.cards.iter().map(|card| (card.title.as_str(), card.line)).collect();
    assert_eq!(cards, [("One", 23), ("Two", 50), ("Three", 81)]);
}

#[test]
fn parts_are_in_order() {
    let lesson = parse("x", WHOLE).unwrap();
    let parts = &lesson.cards[0].parts;
    let Part::Prose(prose) = &parts[0] else { panic!("{parts:?}") };
    assert!(prose.starts_with("Prose with") && prose.ends_with("db.not.run()\n```"), "{prose}");
    let script = |text: &str| text.to_owned();
    let setup = script("db.log.insertOne({ at: T(\"0s\") })");
    assert_eq!(*block_of(&lesson, 0, 1), BlockKind::Setup(setup));
    let run = BlockKind::Run {
        label: script("Create the index"),
        fails: Some(85),
        shows: Vec::new(),
        script: script("db.log.createIndex({ at: 1 })"),
    };
    assert_eq!(*block_of(&lesson, 0, 2), run);
    let handle = |min_secs, max_secs| {
        Part::Handle(Handle { collection: "log".to_owned(), min_secs, max_secs })
    };
    assert_eq!(parts[3..5], [handle(60, 7_200), handle(60, 86_400)]);
    assert_eq!(parts[5], Part::Notes("Ask\nthe room.".to_owned()));
    assert_eq!(parts.len(), 6);
}

#[test]
fn questions_and_goals_are_read() {
    let lesson = parse("x", WHOLE).unwrap();
    let BlockKind::Question(question) = block_of(&lesson, 1, 0) else { panic!() };
    assert_eq!((question.id.as_str(), question.vote), ("question-1", true));
    assert_eq!(question.choices[0].answer, Answer::Is(Bson::Null));
    let value = bson::bson!([1, 2.5, { "b": 1, "a": "x" }]);
    assert_eq!(question.choices[1].answer, Answer::Is(value));
    let BlockKind::Question(question) = block_of(&lesson, 1, 1) else { panic!() };
    assert_eq!(question.kind, QuestionKind::Count { min: 0, max: 9 });
    let BlockKind::Traffic(traffic) = block_of(&lesson, 1, 2) else { panic!() };
    assert_eq!((traffic.name.as_str(), traffic.stays), ("heartbeat", true));
    assert_eq!(traffic.every, Duration::from_mins(2));
    let BlockKind::Goal(goal) = block_of(&lesson, 2, 0) else { panic!() };
    assert_eq!(goal.deadline, Some(Duration::from_mins(31)));
    assert_eq!(goal.allow, ["insertOne", "clock.advance"]);
    assert_eq!(goal.fail_when.as_deref(), Some("db.log.countDocuments() > 5"));
}

#[test]
fn line_ends_of_windows_and_a_byte_order_mark_change_nothing() {
    let windows = format!("\u{feff}{}", WHOLE.replace('\n', "\r\n"));
    assert_eq!(parse("x", &windows), parse("x", WHOLE));
}

/// The problems of [`WHOLE`] after one replacement, as lines.
fn problems_after(from: &str, to: &str) -> String {
    assert_eq!(WHOLE.matches(from).count(), 1, "{from}");
    let problems = parse("x", &WHOLE.replace(from, to)).expect_err(to);
    let lines = problems
        .iter()
        .map(|problem| format!("{}:{}: {}", problem.line, problem.column, problem.sentence));
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn what_is_wrong_in_the_front_matter_is_said() {
    for (from, to, expected) in [
        (
            "title =",
            "titel =",
            "1:1: The front matter has no `title`. Add title = \"Expired is not deleted\".\n2:1: Unknown key `titel`. Did you mean `title`?",
        ),
        ("minutes = 3", "minutes = 0", "3:11: `minutes` must be a whole number from 1 to 120."),
        ("\"core\"", "\"croe\"", "4:9: Unknown level `croe`. Did you mean `core`?"),
        ("\"open\"", "\"sql\"", "5:11: Unknown dialect `sql`. Use one of: mongodb, cosmos, open."),
        (
            "[\"log\",",
            "[\"lgo\",",
            "7:9: `show` names `lgo`, which no block uses. Did you mean `log`?\n43:1: The handle names `log`, which `show` lacks. Did you mean `lgo`?",
        ),
        ("\"cosmos.log\"", "\"a/../b\"", "7:16: `show` can't name a collection with `/`."),
        ("rate = 10", "rate = 0", "11:8: `rate` must be a number from 0.001 to 3600."),
        (
            "T12:00:00.900Z",
            "",
            "10:9: `start` must be an instant such as 2026-01-01T12:00:00Z, or \"build\".",
        ),
        (
            "\"30s\"",
            "\"30\"",
            "13:10: `period` must be a duration. Write a duration such as \"90s\", \"5m\", \"2h\" or \"3d\".",
        ),
        ("\"30s\"", "0.5", "13:10: `period` must be from 1 s to 86400 s."),
        ("\"B\"", "\"A\"", "19:8: Two members have the name `A`. Rename one."),
        (
            "[clock]",
            "[clcok]",
            "1:1: The front matter has no `clock`. Add [clock] with start = 2026-01-01T12:00:00Z.\n9:2: Unknown key `clcok`. Did you mean `clock`?",
        ),
        (
            "+++\n\n##",
            "\n\n##",
            "1:1: The front matter does not end. Begin the file with a line +++, the front matter, and another line +++.",
        ),
    ] {
        assert_eq!(problems_after(from, to), expected, "{from} → {to}");
    }
}

#[test]
fn what_is_wrong_in_blocks_is_said() {
    for (from, to, expected) in [
        ("js play", "js plai", "77:4: Unknown block `js plai`. Did you mean `js play`?"),
        ("js setup", "setup", "35:4: Unknown block `setup`. Did you mean `js setup`?"),
        ("fails=85", "fials=85", "39:28: Unknown option `fials`. Did you mean `fails`?"),
        ("every=2m ", "", "74:4: `js traffic` needs an interval. Write js traffic every=2s."),
        (
            "2h}}",
            "2x}}",
            "43:1: The handle has no bounds in whole seconds. Write {{ttl eventlog: 60s..2h}} as a separate paragraph.",
        ),
        (
            "mayfly:expiry",
            "mayfly:expirs",
            "25:20: Unknown link `mayfly:expirs`. Did you mean `expiry`?",
        ),
        (
            "mayfly:expiry",
            "file:///etc/passwd",
            "25:20: A link begins with https:// or mayfly:, not `file:///etc/passwd`.",
        ),
        (
            "`code`",
            "<b>x</b>",
            "25:12: A lesson has no HTML. Use Markdown, or `code`.\n25:16: A lesson has no HTML. Use Markdown, or `code`.",
        ),
        ("`code`", "![x](https://x.example/x.png)", "25:12: A lesson has no pictures. Remove it."),
        ("## One", "# One", "23:1: Each card begins with ## and its title. Write ## instead of #."),
        ("> notes: Ask", "> note: Ask", "47:1: Did you mean `> notes:`, for the presenter?"),
    ] {
        assert_eq!(problems_after(from, to), expected, "{from} → {to}");
    }
}

#[test]
fn what_is_wrong_in_questions_and_goals_is_said() {
    for (from, to, expected) in [
        (
            "'removedAfter(\"log\", 1)'",
            "'60'",
            "`ask` never reads the engine. Read the engine, for example with removedAfter(\"eventlog\", \"login\") or db.",
        ),
        ("never = true\n", "", "A choice needs exactly one of `is`, `never = true` and `when`."),
        ("kind = \"count\"", "kind = \"cuont\"", "Unknown kind `cuont`. Did you mean `count`?"),
        ("max = 9", "max = 0", "`max` must be greater than `min`."),
        (
            "because = \"So many.\"",
            "",
            "The question has no `because`. Add because = \"…\", shown after it.",
        ),
        (
            "js play Play it",
            "js setup",
            "No `js run` or `js play` comes after the question on its card. Add one.",
        ),
        ("js solution", "js run", "The goal has no `js solution` on its card. Add one."),
        ("[\"Wait.\"]", "[]", "A goal has 1 to 4 hints."),
        ("\"Wait.\"", "'Type play(\"1h\").'", "Hint 1 has the whole solution. Say less."),
        ("task =", "taks =", "Unknown key `taks`. Did you mean `task`?"),
        (
            "deadline =",
            "deny = [\"find\"]\ndeadline =",
            "A goal has `allow` or `deny`, not both. Remove one.",
        ),
        ("question = \"When?\"", "question = \"When?", "This is not valid TOML: "),
        (
            "level = \"core\"",
            "level = \"core\"\nkind = \"scene\"",
            "A scene has no questions and no goals. Use kind = \"lesson\".",
        ),
        (
            "id = \"count\"",
            "id = \"Count it\"",
            "`id` has lower-case letters, digits and hyphens, such as \"removed-at\".",
        ),
    ] {
        let found = problems_after(from, to);
        assert!(found.contains(expected), "{from} → {to}\n{found}");
    }
}

#[test]
fn all_problems_come_at_once_in_order() {
    let broken = WHOLE.replace("js play", "js plai").replace("title", "titel");
    let problems = parse("x", &broken).unwrap_err();
    assert!(problems.len() >= 3, "{problems:?}");
    assert!(problems.is_sorted());
    let many = format!("{WHOLE}{}", "\n<b>x</b>\n\n".repeat(500));
    assert_eq!(parse("x", &many).unwrap_err().len(), crate::limits::LESSON_PROBLEMS_MAX);
}

#[test]
fn files_that_are_no_lesson_are_refused() {
    let first = |slug: &str, bytes: &[u8]| {
        let problem = read(slug, bytes).unwrap_err().remove(0);
        format!("{}:{}: {}", problem.line, problem.column, problem.sentence)
    };
    assert_eq!(first("x", b"a\nb\xff"), "2:2: This is not UTF-8. Save the file as UTF-8.");
    assert!(first("x", &vec![b'a'; 65 * 1_024]).contains("more than 64 KiB"));
    assert!(first("x", b"").starts_with("1:1: There is no front matter."));
    assert!(first("../x", WHOLE.as_bytes()).contains("file's name"));
    let start = WHOLE.find("\n## One").unwrap();
    let problems = read("x", &WHOLE.as_bytes()[..start]).unwrap_err();
    assert!(problems.iter().any(|found| found.sentence == "There is no card. Add ## Title."));
    let many = format!("{WHOLE}\n## 4\n\n## 5\n\n## 6\n");
    assert!(first("x", many.as_bytes()).contains("at most 5 cards"));
}
