//! Titles, labels and texts that give an answer away while its question is open.
//!
//! The rules compare words, so they find what a title repeats, not what it implies.

use std::collections::BTreeSet;

use super::prose::problem;
use crate::job::lesson::{
    Block, BlockKind, Card, Choice, Lesson, Part, Problem, Question, QuestionKind,
};

/// Words that say nothing alone.
const COMMON: &str = "a an the of to in on at and or is are was were be it its this that these \
    those with for from by as not no but so if then than you your we our they them their he she \
    his her can may will would does do did has have had there here what when which who how all \
    any each one two three four only both";

/// Everything that gives an answer away. `answers` has the recorded ones, by the ids of the
/// questions.
pub(super) fn problems(text: &str, lesson: &Lesson, answers: &[(String, String)]) -> Vec<Problem> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = BTreeSet::new();
    for (index, card) in lesson.cards.iter().enumerate() {
        for (at, part) in card.parts.iter().enumerate() {
            let Part::Block(Block { kind: BlockKind::Question(question), .. }) = part else {
                continue;
            };
            let known = answers.iter().find(|(id, _)| *id == question.id);
            let asked = Asked::new(question, known.map(|(_, text)| text.as_str()));
            let earlier = &lesson.cards[..=index];
            found.extend(titles(&lines, lesson, earlier, &asked));
            found.extend(labels(card, at, &asked));
            for told in earlier {
                found.extend(prose(&lines, told, &asked));
            }
        }
    }
    found.into_iter().collect()
}

/// A question, and the words that only its right answer has.
struct Asked<'a> {
    question: &'a Question,
    /// Words of the right choice that no other choice and not the question has.
    own: BTreeSet<String>,
    /// Words of the wrong choices and of the question.
    open: BTreeSet<String>,
    /// Whether the right choice is one word, such as `None`.
    is_one_word: bool,
}

impl<'a> Asked<'a> {
    fn new(question: &'a Question, known: Option<&str>) -> Self {
        let is_right = |choice: &Choice| known == Some(choice.text.as_str());
        let mut open = words(&question.text);
        for choice in question.choices.iter().filter(|choice| !is_right(choice)) {
            open.extend(words(&choice.text));
        }
        let right = question.choices.iter().find(|choice| is_right(choice));
        let right = right.filter(|_| question.kind == QuestionKind::Choose);
        let own = right.map(|choice| words(&choice.text)).unwrap_or_default();
        let is_one_word = right.is_some_and(|it| it.text.split_whitespace().count() == 1);
        Self { question, own: own.difference(&open).cloned().collect(), open, is_one_word }
    }

    /// The mistake of a title or a label.
    fn mistake(&self, what: &str, text: &str) -> Option<String> {
        let said = words(text);
        if let Some(word) = said.intersection(&self.own).next() {
            return Some(format!(
                "{what} {text:?} has {word:?}, as only the right choice of {:?} has. Write one that leaves the answer open.",
                self.question.id
            ));
        }
        let said: BTreeSet<_> = said.difference(&self.open).cloned().collect();
        let choices = self.question.choices.iter().map(|choice| choice.because.as_str());
        let mut reasons = choices.chain([self.question.because.as_str()]);
        let reason = reasons.find(|reason| {
            let shared = words(reason).intersection(&said).count();
            shared >= 2 && 3 * shared >= 2 * said.len()
        })?;
        Some(format!(
            "{what} {text:?} says what {:?} explains later: {reason:?}. Write one that leaves the answer open.",
            self.question.id
        ))
    }
}

/// The titles that are read before the answer.
fn titles(lines: &[&str], lesson: &Lesson, earlier: &[Card], asked: &Asked<'_>) -> Vec<Problem> {
    let line = lines.iter().position(|line| line.trim_start().starts_with("title"));
    let of_lesson = (line.map_or(1, |line| line + 1), "The title", lesson.title.as_str());
    let of_card = earlier.last().map(|card| (card.line, "The title", card.title.as_str()));
    let all = [of_lesson].into_iter().chain(of_card);
    all.filter_map(|(line, what, text)| Some(problem(line, asked.mistake(what, text)?))).collect()
}

/// The buttons next to the question.
fn labels(card: &Card, question: usize, asked: &Asked<'_>) -> Vec<Problem> {
    let last = card.answered_by(question).unwrap_or(question);
    let blocks = card.parts.iter().take(last + 1).filter_map(|part| match part {
        Part::Block(block) => Some(block),
        _ => None,
    });
    let labels = blocks.filter_map(|block| match &block.kind {
        BlockKind::Run { label, .. } | BlockKind::Play { label, .. } => Some((block.line, label)),
        _ => None,
    });
    let instants = instants(asked.question);
    let mistake = |(line, label): (usize, &String)| {
        let time = instants.iter().find(|time| label.contains(time.as_str()));
        let sentence = match time {
            Some(time) => format!(
                "The label {label:?} names {time}, a time of the answer. Write one without it."
            ),
            None => asked.mistake("The label", label)?,
        };
        Some(problem(line, sentence))
    };
    labels.filter_map(mistake).collect()
}

/// The times of day in the choices, which a button may not name.
fn instants(question: &Question) -> BTreeSet<String> {
    let texts = question.choices.iter().map(|choice| choice.text.as_str());
    let because = [question.because.as_str()].into_iter().filter(|_| !question.because.is_empty());
    texts.chain(because).flat_map(super::prose::times).map(|(_, time)| time.to_owned()).collect()
}

/// A sentence of the text with every word that only the right choice has.
fn prose(lines: &[&str], card: &Card, asked: &Asked<'_>) -> Vec<Problem> {
    if asked.own.is_empty() || asked.own.len() < 2 && !asked.is_one_word {
        return Vec::new();
    }
    let mut found = Vec::new();
    for part in &card.parts {
        let Part::Prose(text) = part else { continue };
        for sentence in text.split_inclusive(['.', '!', '?', '|']) {
            if !asked.own.is_subset(&words(&without_code(sentence))) {
                continue;
            }
            let said = sentence.trim();
            let start = said.lines().next().unwrap_or_default();
            let line = lines.iter().skip(card.line).position(|line| line.contains(start));
            let line = line.map_or(card.line, |line| card.line + line + 1);
            let sentence = format!(
                "{said:?} is read before {:?} is answered, and has the words of its right choice. Move it to the next card.",
                asked.question.id
            );
            found.push(problem(line, sentence));
        }
    }
    found
}

/// A text without its code, which names documents that the choices name as well.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

/// The words of a text that say something, without their endings.
fn words(text: &str) -> BTreeSet<String> {
    let between = |letter: char| !(letter.is_alphanumeric() || matches!(letter, '_' | ':' | '-'));
    let common = |word: &&str| COMMON.split_whitespace().any(|it| it == *word);
    let text = text.to_lowercase();
    let words = text.split(between).map(|word| word.trim_matches([':', '-']));
    words
        .filter(|word| word.len() > 2 || word.bytes().any(|byte| byte.is_ascii_digit()))
        .filter(|word| !common(word))
        .map(|word| stem(word).to_owned())
        .collect()
}

/// A word without the ending of a form.
fn stem(word: &str) -> &str {
    let endings = ["ing", "ed", "es", "s"];
    let stem = endings.iter().find_map(|ending| word.strip_suffix(ending));
    stem.filter(|stem| stem.len() > 2).unwrap_or(word)
}
