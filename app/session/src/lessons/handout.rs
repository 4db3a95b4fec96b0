//! The handout of a lesson: its text as Markdown with the answers folded and the commands kept.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use mayfly_engine::store::replace_shared_file;
use mayfly_engine::transfer::check_target;
use mayfly_engine::value::shell::{self, Layout};

use crate::job::lesson::{
    Answer, Block, BlockKind, Choice, Goal, Handle, Lesson, Part, Question, QuestionKind,
};

/// Writes a handout. `answers` has the known answer to each question, by its id; where one is
/// missing, the sentences of all choices are shown.
pub fn write(lesson: &Lesson, answers: &BTreeMap<String, String>) -> String {
    let mut out = format!("# {}\n\n{} minutes\n", lesson.title, lesson.minutes);
    for (index, card) in lesson.cards.iter().enumerate() {
        // Writing to a String can't fail.
        let _ = write!(out, "\n## {}. {}\n", index + 1, card.title);
        for part in &card.parts {
            let text = self::part(part, answers);
            if !text.is_empty() {
                let _ = write!(out, "\n{}\n", text.trim_end());
            }
        }
    }
    out
}

/// Writes a text to a file, which appears whole and replaces an older one.
pub fn save(text: &str, path: &Path) -> Result<(), String> {
    check_target(path, Path::new("")).map_err(|error| error.to_string())?;
    replace_shared_file(path, text.as_bytes(), ".mayfly-handout-")
        .map_err(|error| format!("Can't write {}: {error}.", path.display()))
}

fn part(part: &Part, answers: &BTreeMap<String, String>) -> String {
    match part {
        Part::Prose(text) => text.clone(),
        Part::Notes(_) => String::new(),
        Part::Handle(Handle { collection, min_secs, max_secs }) => format!(
            "Try other seconds for the TTL index of `{collection}`: {min_secs} to {max_secs}."
        ),
        Part::Block(block) => self::block(block, answers),
    }
}

fn block(block: &Block, answers: &BTreeMap<String, String>) -> String {
    match &block.kind {
        BlockKind::Setup(script) => {
            format!("<details><summary>Setup</summary>\n\n{}\n</details>", code(script))
        }
        BlockKind::Run { label, script, fails, .. } => {
            let error = fails.map(|code| format!(" It fails with error {code}."));
            format!("{}\n\n{}", step(label, "Run", error), code(script))
        }
        BlockKind::Play { label, script } => {
            format!("{}\n\n{}", step(label, "Let time pass", None), code(script))
        }
        BlockKind::Traffic(traffic) => {
            let every = traffic.every.as_secs_f64();
            format!("Every {every} seconds:\n\n{}", code(&traffic.script))
        }
        BlockKind::Solution(script) => {
            format!("<details><summary>Solution</summary>\n\n{}\n</details>", code(script))
        }
        BlockKind::Question(question) => self::question(question, answers.get(&question.id)),
        BlockKind::Goal(goal) => self::goal(goal),
    }
}

fn step(label: &str, default: &str, after: Option<String>) -> String {
    let label = if label.is_empty() { default } else { label };
    format!("**{label}:**{}", after.unwrap_or_default())
}

/// A fenced block whose fence is longer than any in the script.
fn code(script: &str) -> String {
    let mut fence = "```".to_owned();
    while script.contains(&fence) {
        fence.push('`');
    }
    format!("{fence}js\n{}\n{fence}", script.trim_end())
}

fn question(question: &Question, answer: Option<&String>) -> String {
    let mut out = format!("**Question:** {}\n", question.text);
    let listed = question.choices.iter().filter(|choice| !choice.text.is_empty());
    if question.kind == QuestionKind::Choose {
        for choice in listed {
            let _ = write!(out, "\n- {}", choice.text);
        }
        out.push('\n');
    }
    let _ = write!(
        out,
        "\n<details><summary>Answer</summary>\n\n{}\n</details>",
        reasons(question, answer)
    );
    out
}

/// The sentences of an answer: of the true choice if it is known, else of all.
fn reasons(question: &Question, answer: Option<&String>) -> String {
    let is_true = |choice: &&Choice| answer.is_some_and(|known| label(choice) == *known);
    let mut lines = Vec::new();
    if let (Some(known), false) = (answer, question.kind == QuestionKind::Choose) {
        lines.push(format!("`{known}`"));
    }
    match question.choices.iter().find(is_true) {
        Some(choice) => lines.push(format!("{} {}", strong(&choice.text), choice.because)),
        None => lines.extend(
            question
                .choices
                .iter()
                .map(|choice| format!("- {} {}", strong(&label(choice)), choice.because)),
        ),
    }
    if !question.because.is_empty() {
        lines.push(question.because.clone());
    }
    lines.join("\n\n")
}

fn strong(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!("**{text}:**") }
}

fn label(choice: &Choice) -> String {
    match &choice.answer {
        Answer::Is(value) if choice.text.is_empty() => shell::write_value(value, Layout::OneLine),
        _ => choice.text.clone(),
    }
}

fn goal(goal: &Goal) -> String {
    let mut out = format!("**Your turn:** {}\n", goal.task);
    for (index, hint) in goal.hints.iter().enumerate() {
        let number = index + 1;
        let _ = write!(out, "\n<details><summary>Hint {number}</summary>\n\n{hint}\n</details>\n");
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lessons::{file, shipped};

    #[test]
    fn answers_are_folded_and_commands_kept() {
        let text = shipped::text("02-the-pass").unwrap();
        let lesson = file::parse("02-the-pass", text).unwrap();
        let handout = write(&lesson, &BTreeMap::new());
        assert!(handout.starts_with(&format!("# {}\n", lesson.title)), "{handout}");
        let folded = |needle: &str| {
            let at = handout.find(needle).unwrap_or_else(|| panic!("{needle}\n{handout}"));
            let before = &handout[..at];
            before.matches("<details>").count() > before.matches("</details>").count()
        };
        assert!(!folded("createIndex"));
        assert!(folded("<summary>Answer"));
        assert!(folded("<summary>Hint 1"));
        assert!(folded("<summary>Solution"));
        assert!(!handout.contains("notes:"));
    }

    #[test]
    fn the_true_choice_alone_is_explained() {
        let text = shipped::text("35-sixty-seconds-is-no-promise").unwrap();
        let lesson = file::parse("x", text).unwrap();
        let answers = shipped::checked("35-sixty-seconds-is-no-promise").unwrap().answers;
        let handout = write(&lesson, &answers);
        assert!(handout.contains("Only then does the monitor sleep"), "{handout}");
        assert!(!handout.contains("Passes never overlap"), "{handout}");
    }
}
