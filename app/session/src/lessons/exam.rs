//! Draws an exam: each question is a lesson file with `[vary]`, and the engine finds its true choice.

use std::sync::Arc;

use super::check;
use super::file::{self, SeededNumbers};
use super::shipped;
use crate::job::lesson::{
    Block, BlockKind, ExamChoice, ExamQuestion, ExamSheet, Lesson, Part, Question,
};
use crate::shell::watch::{self, Waited};

/// Draws an exam on a thread with the stack that JavaScript needs.
///
/// # Errors
/// One sentence: a question has a problem, or the system gave no thread.
pub fn draw(seed: u64) -> Result<ExamSheet, String> {
    match watch::run("mayfly-exam", move || drawn(seed)) {
        Ok(Waited::Answer(sheet)) => sheet,
        Ok(Waited::Ended) => Err("The exam ended by a bug".to_owned()),
        Ok(Waited::Stuck(stuck)) => Err(stuck.to_string()),
        Err(error) => Err(format!("The exam could not start: {error}")),
    }
}

fn drawn(seed: u64) -> Result<ExamSheet, String> {
    let questions = shipped::EXAM.iter().map(|(slug, text)| question(slug, text, seed));
    Ok(ExamSheet { seed, questions: questions.collect::<Result<_, _>>()? })
}

fn question(slug: &str, text: &str, seed: u64) -> Result<ExamQuestion, String> {
    let lesson = file::parse_drawn(slug, text, Some(seed));
    let lesson = Arc::new(lesson.map_err(|problems| sentence(slug, &problems))?);
    let played = check::play(&lesson);
    if !played.problems.is_empty() {
        return Err(sentence(slug, &played.problems));
    }
    let asked = asked(&lesson).zip(played.answers.first());
    let (question, (_, answer)) = asked.ok_or_else(|| format!("{slug} has no question"))?;
    let mut choices = question.choices.clone();
    let mut numbers = SeededNumbers::new(seed, &format!("{slug} choices"));
    for at in (1..choices.len()).rev() {
        choices.swap(at, numbers.below(at + 1));
    }
    let right = choices.iter().position(|choice| choice.text == *answer);
    let choices = choices.into_iter();
    Ok(ExamQuestion {
        rule: lesson.title.clone(),
        given: given(&lesson),
        text: question.text.clone(),
        choices: choices.map(|it| ExamChoice { text: it.text, because: it.because }).collect(),
        right: right.ok_or_else(|| format!("{slug}: the engine answers {answer}"))?,
        lesson: lesson.after.first().cloned().unwrap_or_default(),
    })
}

fn sentence(slug: &str, problems: &[crate::job::lesson::Problem]) -> String {
    let first = problems.first().map_or("it can't be played", |problem| problem.sentence.as_str());
    format!("{slug}: {first}")
}

fn parts(lesson: &Lesson) -> impl Iterator<Item = &Part> {
    lesson.cards.iter().flat_map(|card| &card.parts)
}

fn asked(lesson: &Lesson) -> Option<&Question> {
    parts(lesson).find_map(|part| match part {
        Part::Block(Block { kind: BlockKind::Question(question), .. }) => Some(question),
        _ => None,
    })
}

fn given(lesson: &Lesson) -> String {
    let prose = parts(lesson).filter_map(|part| match part {
        Part::Prose(text) => Some(text.as_str()),
        _ => None,
    });
    prose.collect::<Vec<_>>().join("\n\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// Enough to draw every value of every list.
    const SEEDS: u64 = 24;

    #[test]
    fn every_draw_has_one_right_choice_that_nothing_gives_away() {
        let mut places = [0_usize; 5];
        let mut asked = 0;
        let mut seen = BTreeSet::new();
        for seed in 0..SEEDS {
            let sheet = draw(seed).unwrap();
            assert_eq!(sheet.questions.len(), 20);
            for question in &sheet.questions {
                let right = &question.choices[question.right];
                let texts: BTreeSet<_> = question.choices.iter().map(|it| &it.text).collect();
                assert_eq!(texts.len(), question.choices.len(), "{seed}: {}", question.rule);
                let before = format!("{} {}", question.given, question.text).to_lowercase();
                let text = right.text.to_lowercase();
                let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
                assert!(is_number || !before.contains(&text), "{seed}: {before} / {text}");
                assert!(shipped::text(&question.lesson).is_some(), "{}", question.rule);
                places[question.right] += 1;
                asked += 1;
                seen.insert((question.rule.clone(), right.text.clone()));
            }
        }
        // Most questions have three choices, so a third each is fair.
        for (place, count) in places.iter().take(3).enumerate() {
            assert!(*count > asked / 5, "place {} is right {count} times of {asked}", place + 1);
        }
        let rules: BTreeSet<_> = seen.iter().map(|(rule, _)| rule).collect();
        assert!(seen.len() > 2 * rules.len(), "the right choice differs between draws: {seen:?}");
    }

    #[test]
    fn a_seed_draws_the_same_exam_and_another_one_another() {
        let exam = draw(7).unwrap();
        assert_eq!(draw(7).unwrap(), exam);
        assert_ne!(draw(8).unwrap().questions, exam.questions);
    }
}
