//! The exam that is taken: its answers so far, then the result.

use crate::job::lesson::{ExamQuestion, ExamSheet};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exam {
    pub sheet: ExamSheet,
    /// The chosen choice of each question.
    answers: Vec<Option<usize>>,
    /// The index of the open question; after the last one, the result is shown.
    at: usize,
}

impl Exam {
    pub fn new(sheet: ExamSheet) -> Self {
        let answers = vec![None; sheet.questions.len()];
        Self { sheet, answers, at: 0 }
    }

    /// The open question with its index and its answer. `None` once the result is shown.
    pub fn open(&self) -> Option<(usize, &ExamQuestion, Option<usize>)> {
        let question = self.sheet.questions.get(self.at)?;
        Some((self.at, question, self.answers.get(self.at).copied().flatten()))
    }

    /// Answers the open question.
    pub fn choose(&mut self, choice: usize) {
        let count = self.open().map_or(0, |(_, question, _)| question.choices.len());
        if let Some(answer) = self.answers.get_mut(self.at).filter(|_| choice < count) {
            *answer = Some(choice);
        }
    }

    pub fn step(&mut self, is_forward: bool) {
        self.at = if is_forward { self.at + 1 } else { self.at.saturating_sub(1) };
        self.at = self.at.min(self.answers.len());
    }

    /// Each question with its answer, in order.
    pub fn results(&self) -> impl Iterator<Item = (&ExamQuestion, Option<usize>)> {
        self.sheet.questions.iter().zip(self.answers.iter().copied())
    }

    /// How many answers are right.
    pub fn score(&self) -> usize {
        self.results().filter(|(question, answer)| *answer == Some(question.right)).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::lesson::ExamChoice;

    fn question(right: usize) -> ExamQuestion {
        let choice = |text: &str| ExamChoice { text: text.to_owned(), because: String::new() };
        ExamQuestion {
            rule: "A rule".to_owned(),
            given: String::new(),
            text: "What?".to_owned(),
            choices: vec![choice("a"), choice("b")],
            right,
            lesson: "01-a".to_owned(),
        }
    }

    #[test]
    fn an_answer_can_be_changed_until_the_result() {
        let questions = vec![question(0), question(1)];
        let mut exam = Exam::new(ExamSheet { seed: 1, questions });
        exam.choose(1);
        exam.choose(7);
        exam.choose(0);
        exam.step(true);
        exam.choose(0);
        exam.step(false);
        assert_eq!(exam.open().map(|(at, _, answer)| (at, answer)), Some((0, Some(0))));
        exam.step(true);
        exam.step(true);
        exam.step(true);
        exam.choose(1);
        assert_eq!((exam.open(), exam.score()), (None, 1));
        let answers: Vec<_> = exam.results().map(|(_, answer)| answer).collect();
        assert_eq!(answers, [Some(0), Some(0)]);
    }
}
