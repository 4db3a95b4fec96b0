//! Answers that the user has not committed yet.

use std::collections::{BTreeMap, BTreeSet};

use bson::Bson;

use crate::job::lesson::{DocumentAmong, Guess, Question, QuestionKind};
use crate::job::{Namespace, Zone};

/// Answers to the questions of a card before they are locked. Keys are the indexes of parts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Answers {
    /// Numbers as they are typed.
    pub counts: BTreeMap<usize, String>,
    pub which: Vec<Bson>,
    /// The documents that can be chosen; `None` until they were read.
    pub among: Option<(Namespace, Vec<DocumentAmong>)>,
    /// The pin, in milliseconds since 1970. `None` until the user set it.
    pub pin_ms: Option<i64>,
    /// The time of the pin as it is typed; it may not be a time yet.
    pub pin_typed: Option<String>,
    /// When the open question was asked, in milliseconds since 1970.
    pub asked_ms: Option<i64>,
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
    /// Nothing is typed at first, because a number that is there could be the answer.
    pub fn count(&self, part: usize, min: i64, max: i64) -> (String, Option<i64>) {
        let typed = self.counts.get(&part).cloned().unwrap_or_default();
        let count = typed.parse().ok().filter(|count| (min..=max).contains(count));
        (typed, count)
    }

    /// Takes the time of the pin as it is typed: the first one from the start on.
    pub fn type_pin(&mut self, text: String, start_ms: i64, zone: Zone) {
        let secs = time_of_day_secs(&text).zip(time_of_day_secs(&zone.time_of_day(start_ms)));
        self.pin_ms = secs.map(|(typed, start)| {
            let since_secs = (typed - start).rem_euclid(DAY_SECS);
            start_ms.saturating_add(since_secs.saturating_mul(1_000))
        });
        self.pin_typed = Some(text);
    }

    /// The guess as it would be locked now; `None` while nothing can be locked.
    pub fn guess(&self, part: usize, question: &Question, start_ms: i64) -> Option<Guess> {
        match question.kind {
            QuestionKind::Choose => None,
            QuestionKind::Count { min, max } => self.count(part, min, max).1.map(Guess::Count),
            QuestionKind::Which { .. } => Some(Guess::Which(self.which.clone())),
            QuestionKind::Pin => {
                self.pin_ms.map(|at_ms| Guess::Pin(at_ms.saturating_sub(start_ms)))
            }
        }
    }
}

const DAY_SECS: i64 = 86_400;

/// Seconds since midnight of a time such as `12:01:00`, `12:01` or `120100`.
fn time_of_day_secs(text: &str) -> Option<i64> {
    let digits: Vec<&str> = match text.trim() {
        text if text.len() == 6 && text.bytes().all(|byte| byte.is_ascii_digit()) => {
            vec![&text[..2], &text[2..4], &text[4..]]
        }
        text => text.split(':').collect(),
    };
    let mut numbers = digits.iter().map(|part| part.parse::<i64>().ok());
    let (hours, minutes) = (numbers.next()??, numbers.next()??);
    let seconds = numbers.next().map_or(Some(0), |seconds| seconds)?;
    let is_time = (0..24).contains(&hours)
        && (0..60).contains(&minutes)
        && (0..60).contains(&seconds)
        && numbers.next().is_none();
    is_time.then_some((hours * 60 + minutes) * 60 + seconds)
}

/// The parts of a card that a presenter has shown so far.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PresentedCard {
    pub questions: BTreeSet<usize>,
    pub verdicts: BTreeSet<usize>,
    /// The choice that is marked and not locked.
    pub marked: Option<usize>,
    /// How often the card was moved up to show what is below.
    pub pages: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(kind: QuestionKind) -> Question {
        let (id, text, ask, because) = Default::default();
        Question { id, text, kind, ask, because, vote: false, axis: None, choices: Vec::new() }
    }

    #[test]
    fn a_draft_becomes_a_guess() {
        let mut answers = Answers::default();
        let count = question(QuestionKind::Count { min: 2, max: 9 });
        assert_eq!(answers.guess(1, &count, 0), None, "nothing is typed");
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
        assert_eq!(answers.guess(1, &pin, 1_000), None, "the pin is not set");
        answers.pin_ms = Some(61_000);
        assert_eq!(answers.guess(1, &pin, 1_000), Some(Guess::Pin(60_000)));
        assert_eq!(answers.guess(1, &question(QuestionKind::Choose), 0), None);
    }

    #[test]
    fn the_time_of_a_pin_is_typed() {
        const START_MS: i64 = 1_767_268_800_000; // 2026-01-01 12:00:00
        for (typed, secs) in [
            ("12:01:30", Some(90)),
            ("12:01", Some(60)),
            ("120130", Some(90)),
            ("12:00:00", Some(0)),
            // Tomorrow: time goes one way.
            ("11:59:59", Some(86_399)),
            ("12:01:3", Some(63)),
            ("12", None),
            ("12:60:00", None),
            ("12:01:02:03", None),
            ("", None),
            ("noon", None),
        ] {
            let mut answers = Answers::default();
            answers.type_pin(typed.to_owned(), START_MS, Zone::Utc);
            let expected = secs.map(|secs| START_MS + secs * 1_000);
            assert_eq!(answers.pin_ms, expected, "{typed}");
        }
    }
}
