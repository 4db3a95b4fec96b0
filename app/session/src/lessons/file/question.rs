//! `toml predict`: a question.

use std::time::Duration;

use bson::Bson;

use super::table::{self, Table};
use super::{Problems, keys, script};
use crate::job::lesson::{Answer, Choice, Question, QuestionKind};
use crate::near;

const COUNT_MAX: i64 = 1_000_000_000;
const AXIS_MS_MAX: i64 = 365 * 86_400_000;

/// How to make an expression read the engine.
const READ: &str = "Read the engine, for example with removedAfter(\"eventlog\", \"login\") or db";

/// Reads a question; `at` is the place of its block, `base` that of its text.
pub fn read(
    text: &str,
    (at, base): (usize, usize),
    show: &[String],
    problems: &Problems<'_>,
) -> Question {
    let mut question = Question {
        id: String::new(),
        text: String::new(),
        kind: QuestionKind::Choose,
        ask: String::new(),
        because: String::new(),
        vote: false,
        axis: None,
        choices: Vec::new(),
    };
    let Some(parsed) = table::parse(text, base, problems) else { return question };
    let table = Table::new(parsed.get_ref(), &keys::QUESTION, (at, base), problems);
    question.id = id(&table, problems);
    question.text =
        table.required_text("question", "question = \"When is it removed?\"").unwrap_or_default();
    question.vote = table.flag("vote");
    let axis = table.place("axis").and_then(|_| table.duration_ms("axis", 1_000..=AXIS_MS_MAX));
    question.axis = axis.map(|ms| Duration::from_millis(ms.unsigned_abs()));
    let kind = table.one_of("kind", &["choose", "count", "which", "pin"]).unwrap_or("choose");
    question.kind = self::kind(&table, kind, show, problems);
    let choices = table.tables("choice", &keys::CHOICE);
    let count = choices.len();
    question.choices =
        choices.into_iter().filter_map(|choice| self::choice(choice, kind, problems)).collect();
    let has_when = question.choices.iter().any(|choice| matches!(choice.answer, Answer::When(_)));
    question.ask = ask(&table, has_when, problems);
    question.because = match kind {
        "choose" => table.text("because").unwrap_or_default(),
        _ => table.required_text("because", "because = \"…\", shown after it").unwrap_or_default(),
    };
    count_choices(&table, kind, count);
    compare(&table, &question);
    table.finish();
    question
}

fn id(table: &Table<'_>, problems: &Problems<'_>) -> String {
    let id = table.text("id").unwrap_or_default();
    if !id.is_empty() && !super::is_slug(&id) {
        let at = table.place("id").unwrap_or(table.at());
        problems
            .add(at, "`id` has lower-case letters, digits and hyphens, such as \"removed-at\".");
    }
    id
}

fn kind(table: &Table<'_>, kind: &str, show: &[String], problems: &Problems<'_>) -> QuestionKind {
    match kind {
        "count" => {
            for key in ["min", "max"] {
                if table.place(key).is_none() {
                    table.missing(key, &format!("{key} = 0"));
                }
            }
            let bounds = -COUNT_MAX..=COUNT_MAX;
            let (min, max) = (table.integer("min", &bounds), table.integer("max", &bounds));
            if let (Some(min), Some(max)) = (min, max)
                && min >= max
            {
                table.problem("max", "`max` must be greater than `min`.");
            }
            QuestionKind::Count { min: min.unwrap_or(0), max: max.unwrap_or(COUNT_MAX) }
        }
        "which" => {
            let among = table.required_text("among", "among = \"eventlog\"").unwrap_or_default();
            if !among.is_empty() && !show.is_empty() && !show.contains(&among) {
                let names: Vec<&str> = show.iter().map(String::as_str).collect();
                let hint = near::hint(&among, &names);
                let at = table.place("among").unwrap_or(table.at());
                problems.add(at, format!("`among` names `{among}`, which `show` lacks. {hint}"));
            }
            QuestionKind::Which { among }
        }
        "pin" => QuestionKind::Pin,
        _ => QuestionKind::Choose,
    }
}

/// The expression of the whole question.
fn ask(table: &Table<'_>, has_when: bool, problems: &Problems<'_>) -> String {
    match (table.place("ask"), has_when) {
        (Some(at), true) => {
            let sentence = "The question has `ask`, and a choice has `when`. Use one of them.";
            problems.add(at, sentence);
        }
        (None, false) => table.missing("ask", "ask = 'removedAfter(\"eventlog\", \"login\")'"),
        _ => {}
    }
    expression(table, "ask", problems)
}

/// An expression that must read the engine; empty if it is missing.
pub fn expression(table: &Table<'_>, key: &'static str, problems: &Problems<'_>) -> String {
    let Some(at) = table.place(key) else { return String::new() };
    let text = table.text(key).unwrap_or_default();
    if !text.is_empty() && !script::reads_engine(&text) {
        problems.add(at, format!("`{key}` never reads the engine. {READ}."));
    }
    text
}

/// A choice; `None` if it has no answer.
fn choice(table: Table<'_>, kind: &str, problems: &Problems<'_>) -> Option<Choice> {
    let text = match kind {
        "choose" => table.required_text("text", "text = \"At the next pass\""),
        _ => table.text("text"),
    };
    let because = table.required_text("because", "because = \"…\", one sentence on it");
    let never = table.flag("never");
    let given = [table.place("is").is_some(), never, table.place("when").is_some()];
    if given.into_iter().filter(|is_given| *is_given).count() != 1 {
        let sentence = "A choice needs exactly one of `is`, `never = true` and `when`.";
        problems.add(table.at(), sentence);
    }
    let answer = if never {
        Some(Answer::Is(Bson::Null))
    } else if given[2] {
        Some(Answer::When(expression(&table, "when", problems)))
    } else {
        table.bson("is").map(Answer::Is)
    };
    table.finish();
    Some(Choice {
        text: text.unwrap_or_default(),
        answer: answer?,
        because: because.unwrap_or_default(),
    })
}

fn count_choices(table: &Table<'_>, kind: &str, count: usize) {
    match kind {
        "choose" if !(2..=5).contains(&count) => {
            table.problem(
                "choice",
                &format!("A question has 2 to 5 choices; this one has {count}."),
            );
        }
        "pin" if count > 0 => {
            table.problem("choice", "A question of kind `pin` has no choices. Remove them.");
        }
        _ => {}
    }
}

/// Choices whose values show that one is wrong.
fn compare(table: &Table<'_>, question: &Question) {
    let whens =
        question.choices.iter().filter(|choice| matches!(choice.answer, Answer::When(_))).count();
    if whens > 0 && whens < question.choices.len() {
        table.problem(
            "choice",
            "Some choices have `when` and some `is`. Use `when` in all or none.",
        );
    }
    for (index, choice) in question.choices.iter().enumerate() {
        let before = &question.choices[..index];
        if before.iter().any(|other| other.answer == choice.answer) {
            let number = index + 1;
            let sentence = format!("Choice {number} has the answer of another one. Change one.");
            table.problem("choice", &sentence);
        }
        if let QuestionKind::Count { min, max } = question.kind {
            let value = match choice.answer {
                Answer::Is(Bson::Int32(value)) => Some(i64::from(value)),
                Answer::Is(Bson::Int64(value)) => Some(value),
                _ => None,
            };
            if !value.is_some_and(|value| (min..=max).contains(&value)) {
                let number = index + 1;
                let sentence =
                    format!("`is` of choice {number} must be a whole number from {min} to {max}.");
                table.problem("choice", &sentence);
            }
        }
    }
}
