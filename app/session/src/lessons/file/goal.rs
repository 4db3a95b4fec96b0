//! `toml goal`: a state to reach.

use std::time::Duration;

use super::question::expression;
use super::table::{self, Table};
use super::{Problems, keys};
use crate::job::lesson::Goal;

const HINTS_MAX: usize = 4;
const DEADLINE_MAX_MS: i64 = 365 * 86_400_000;

/// Reads a goal; `at` is the place of its block, `base` that of its text.
pub fn read(text: &str, (at, base): (usize, usize), problems: &Problems<'_>) -> Goal {
    let mut goal = Goal {
        task: String::new(),
        when: String::new(),
        hints: Vec::new(),
        near: None,
        fail_when: None,
        lost: None,
        allow: Vec::new(),
        deny: Vec::new(),
        deadline: None,
    };
    let Some(parsed) = table::parse(text, base, problems) else { return goal };
    let table = Table::new(parsed.get_ref(), &keys::GOAL, (at, base), problems);
    goal.task =
        table.required_text("task", "task = \"Let one event be removed.\"").unwrap_or_default();
    if table.place("when").is_none() {
        table.missing("when", "when = 'removedAfter(\"eventlog\", \"login\") !== null'");
    }
    goal.when = expression(&table, "when", problems);
    goal.hints = hints(&table);
    goal.near = Some(expression(&table, "near", problems)).filter(|text| !text.is_empty());
    goal.fail_when =
        Some(expression(&table, "fail_when", problems)).filter(|text| !text.is_empty());
    goal.lost = table.text("lost");
    if goal.lost.is_some() && goal.fail_when.is_none() {
        table.problem("lost", "`lost` is the sentence for `fail_when`, which is missing. Add it.");
    }
    goal.allow = names(&table, "allow", problems);
    goal.deny = names(&table, "deny", problems);
    if table.place("allow").is_some() && table.place("deny").is_some() {
        table.problem("deny", "A goal has `allow` or `deny`, not both. Remove one.");
    }
    let deadline = table.duration_ms("deadline", 1..=DEADLINE_MAX_MS);
    goal.deadline = deadline.map(|ms| Duration::from_millis(ms.unsigned_abs()));
    table.finish();
    goal
}

fn hints(table: &Table<'_>) -> Vec<String> {
    if table.place("hints").is_none() {
        table.missing("hints", "hints = [\"The next pass is at 12:02:00.\"]");
    }
    let Some(hints) = table.texts("hints") else { return Vec::new() };
    if hints.is_empty() || hints.len() > HINTS_MAX {
        table.problem("hints", &format!("A goal has 1 to {HINTS_MAX} hints."));
    }
    hints.into_iter().map(|(hint, _)| hint).collect()
}

/// Names of methods, commands and host calls.
fn names(table: &Table<'_>, key: &'static str, problems: &Problems<'_>) -> Vec<String> {
    let mut names = Vec::new();
    for (name, at) in table.texts(key).unwrap_or_default() {
        let is_call = name.split('.').all(|word| {
            word.starts_with(|letter: char| letter.is_ascii_alphabetic())
                && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
        });
        if is_call {
            names.push(name);
        } else {
            let sentence =
                format!("`{name}` is not a call. Write a name such as \"insertOne\" or \"play\".");
            problems.add(at, sentence);
        }
    }
    names
}
