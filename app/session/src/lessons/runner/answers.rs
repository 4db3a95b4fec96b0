//! The answers of questions.

use bson::Bson;

use crate::job::lesson::{Answer, Guess, Question, QuestionKind};
use crate::lessons::equality::{double, integer, is_equal, is_same_set};
use crate::lessons::script::{Evaluated, Script};

/// The engine's answer to a question.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineAnswer {
    /// The value of its expression; null if each choice has its own.
    pub value: Bson,
    pub true_choices: Vec<usize>,
    /// The indexes of choices whose expression never reads the engine; for a question with one
    /// expression, all of them or none.
    pub unread: Vec<usize>,
}

/// Asks the engine.
///
/// # Errors
/// Why an expression has no value, as a sentence.
pub fn ask(script: &mut Script, question: &Question) -> Result<EngineAnswer, String> {
    let mut value = Bson::Null;
    let mut has_read = true;
    if !question.ask.is_empty() {
        Evaluated { value, has_read } = script.evaluate(&question.ask)?;
    }
    let (mut true_choices, mut unread) = (Vec::new(), Vec::new());
    for (index, choice) in question.choices.iter().enumerate() {
        let (is_true, reads) = match &choice.answer {
            Answer::Is(expected) => (is_answer(&question.kind, &value, expected), has_read),
            Answer::When(text) => {
                let said = script.evaluate(text)?;
                (said.value == Bson::Boolean(true), said.has_read)
            }
        };
        if is_true {
            true_choices.push(index);
        }
        if !reads {
            unread.push(index);
        }
    }
    if question.choices.is_empty() && !has_read {
        unread.push(0);
    }
    Ok(EngineAnswer { value, true_choices, unread })
}

fn is_answer(kind: &QuestionKind, value: &Bson, expected: &Bson) -> bool {
    match (kind, value, expected) {
        (QuestionKind::Which { .. }, Bson::Array(value), Bson::Array(expected)) => {
            is_same_set(value, expected)
        }
        _ => is_equal(value, expected),
    }
}

/// Why the value of an expression can't answer this kind of question.
pub fn misfit(question: &Question, value: &Bson) -> Option<&'static str> {
    match &question.kind {
        QuestionKind::Choose => None,
        QuestionKind::Count { min, max } => match integer(value) {
            Some(count) if (*min..=*max).contains(&count) => None,
            Some(_) => Some("which is not between `min` and `max`"),
            None => Some("which is not a whole number"),
        },
        QuestionKind::Which { .. } => {
            value.as_array().is_none().then_some("which is not a list of `_id`s")
        }
        QuestionKind::Pin => double(value).is_none().then_some("which is not a number of seconds"),
    }
}

/// The sentence for a guess, once the engine has answered.
pub fn verdict(question: &Question, answer: &EngineAnswer, guess: Option<&Guess>) -> String {
    let because = |index: usize| question.choices.get(index).map(|choice| choice.because.as_str());
    let first = match (&question.kind, guess) {
        (QuestionKind::Pin, Some(Guess::Pin(ms))) => Some(distance(*ms, &answer.value)),
        (QuestionKind::Count { .. }, Some(Guess::Count(count))) => {
            let is_guessed = |choice: &&crate::job::lesson::Choice| matches!(&choice.answer, Answer::Is(value) if is_equal(value, &Bson::Int64(*count)));
            question.choices.iter().find(is_guessed).map(|choice| choice.because.clone())
        }
        (_, Some(Guess::Choice(index))) => because(*index).map(str::to_owned),
        _ => answer.true_choices.first().and_then(|index| because(*index)).map(str::to_owned),
    };
    let parts = first.into_iter().chain([question.because.clone()]);
    let parts: Vec<String> = parts.filter(|part| !part.is_empty()).collect();
    parts.join(" ")
}

/// How far a pin is from the answer.
fn distance(pinned_ms: i64, answer: &Bson) -> String {
    #[expect(clippy::cast_precision_loss, reason = "exact for 280,000 years")]
    let off = double(answer).map(|seconds| pinned_ms as f64 / 1_000.0 - seconds);
    match off {
        None => "It never happens.".to_owned(),
        Some(off) if off.abs() < 0.5 => "Your pin is on the spot.".to_owned(),
        Some(off) => {
            let side = if off < 0.0 { "early" } else { "late" };
            format!("Your pin is {:.0} s too {side}.", off.abs())
        }
    }
}
