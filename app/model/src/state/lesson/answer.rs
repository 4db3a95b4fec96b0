//! Answers that the user has not committed yet.

use std::collections::{BTreeMap, BTreeSet};

use bson::Bson;

use crate::job::Namespace;
use crate::job::lesson::{Guess, Question, QuestionKind};

/// Answers to the questions of a card before they are locked. Keys are the indexes of parts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answers {
    /// Numbers as they are typed.
    pub counts: BTreeMap<usize, String>,
    pub which: Vec<Bson>,
    /// The documents that can be chosen; `None` until they were read.
    pub among: Option<(Namespace, Vec<Bson>)>,
    /// The pin, in milliseconds since 1970.
    pub pin_ms: Option<i64>,
    /// Solutions that the user asked to see.
    pub solutions: BTreeSet<usize>,
    /// The hands of the room for each choice, and the question that they are for.
    pub hands: Option<(usize, Vec<u32>)>,
}

impl Answers {
    /// Chooses a document, or no longer.
    pub fn toggle(&mut self, id: Bson) {
        match self.which.iter().position(|chosen| *chosen == id) {
            Some(at) => {
                self.which.remove(at);
            }
            None => self.which.push(id),
        }
    }

    /// The number as it is typed, and its value where it is one between `min` and `max`.
    pub fn count(&self, part: usize, min: i64, max: i64) -> (String, Option<i64>) {
        let typed = self.counts.get(&part).cloned().unwrap_or_else(|| min.to_string());
        let count = typed.parse().ok().filter(|count| (min..=max).contains(count));
        (typed, count)
    }

    /// The guess as it would be locked now; `None` while nothing can be locked.
    pub fn guess(&self, part: usize, question: &Question, start_ms: i64) -> Option<Guess> {
        match question.kind {
            QuestionKind::Choose => None,
            QuestionKind::Count { min, max } => self.count(part, min, max).1.map(Guess::Count),
            QuestionKind::Which { .. } => Some(Guess::Which(self.which.clone())),
            QuestionKind::Pin => {
                Some(Guess::Pin(self.pin_ms.unwrap_or(start_ms).saturating_sub(start_ms)))
            }
        }
    }
}

/// The parts of a card that a presenter has shown so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PresentedCard {
    pub questions: BTreeSet<usize>,
    pub verdicts: BTreeSet<usize>,
    /// The choice that is marked and not locked.
    pub marked: Option<usize>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(kind: QuestionKind) -> Question {
        let (id, text, ask, because) = Default::default();
        Question { id, text, kind, ask, because, vote: false, choices: Vec::new() }
    }

    #[test]
    fn a_draft_becomes_a_guess() {
        let mut answers = Answers::default();
        let count = question(QuestionKind::Count { min: 2, max: 9 });
        assert_eq!(answers.guess(1, &count, 0), Some(Guess::Count(2)));
        for (typed, guess) in [("7", Some(7)), ("12", None), ("", None), ("009", Some(9))] {
            answers.counts.insert(1, typed.to_owned());
            assert_eq!(answers.guess(1, &count, 0), guess.map(Guess::Count), "{typed}");
        }
        answers.toggle(Bson::Int32(1));
        answers.toggle(Bson::Int32(2));
        answers.toggle(Bson::Int32(1));
        let which = question(QuestionKind::Which { among: "c".to_owned() });
        assert_eq!(answers.guess(1, &which, 0), Some(Guess::Which(vec![Bson::Int32(2)])));
        let pin = question(QuestionKind::Pin);
        assert_eq!(answers.guess(1, &pin, 1_000), Some(Guess::Pin(0)));
        answers.pin_ms = Some(61_000);
        assert_eq!(answers.guess(1, &pin, 1_000), Some(Guess::Pin(60_000)));
        assert_eq!(answers.guess(1, &question(QuestionKind::Choose), 0), None);
    }
}
