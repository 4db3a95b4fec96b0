//! The answers of questions.

use bson::Bson;

use crate::job::lesson::{Answer, Guess, Question, QuestionKind, QuestionView, Verdict};
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

/// An answer as `answers.json` keeps it: the words of the true choice, else the value.
pub fn recorded(question: &Question, true_choice: Option<usize>, value: Option<&Bson>) -> String {
    match (true_choice.and_then(|choice| question.choices.get(choice)), value) {
        (Some(choice), _) if !choice.text.is_empty() => choice.text.clone(),
        (_, Some(value)) => value.to_string(),
        (_, None) => "none".to_owned(),
    }
}

/// How far a pin may be from the answer and still be right, in seconds.
const PIN_OFF_MAX: f64 = 5.0;

/// Whether a guess was right, once the engine has answered.
pub fn is_right(shown: &QuestionView) -> Option<bool> {
    let (guess, answer) = (shown.guess.as_ref()?, shown.answer.as_ref()?);
    Some(match guess {
        Guess::Choice(choice) => shown.true_choice == Some(*choice),
        Guess::Count(count) => is_equal(answer, &Bson::Int64(*count)),
        Guess::Which(ids) => answer.as_array().is_some_and(|found| is_same_set(found, ids)),
        Guess::Pin(ms) => {
            #[expect(clippy::cast_precision_loss, reason = "exact for 280,000 years")]
            let off = |seconds: f64| (*ms as f64 / 1_000.0 - seconds).abs();
            double(answer).is_some_and(|seconds| off(seconds) <= PIN_OFF_MAX)
        }
    })
}

/// The reasons for a guess and for the engine's answer.
pub fn verdict(question: &Question, answer: &EngineAnswer, guess: Option<&Guess>) -> Verdict {
    let right = answer.true_choices.first().and_then(|right| question.choices.get(*right));
    let yours = guess.and_then(|guess| reason(question, answer, guess));
    let parts = right.map(|choice| choice.because.as_str()).into_iter();
    let parts = parts.filter(|_| matches!(question.kind, QuestionKind::Choose));
    let parts: Vec<&str> =
        parts.chain([question.because.as_str()]).filter(|part| !part.is_empty()).collect();
    Verdict { yours, truth: parts.join(" "), is_changed: false }
}

/// Why a guess is not the answer. `None` for the right one, or without a reason.
fn reason(question: &Question, answer: &EngineAnswer, guess: &Guess) -> Option<String> {
    let known = |is_meant: &dyn Fn(&Bson) -> bool| {
        let found = question
            .choices
            .iter()
            .filter(|choice| matches!(&choice.answer, Answer::Is(value) if is_meant(value)));
        let reasons: Vec<&str> = found.map(|choice| choice.because.as_str()).collect();
        (!reasons.is_empty()).then(|| reasons.join(" "))
    };
    match guess {
        Guess::Choice(index) if answer.true_choices.contains(index) => None,
        Guess::Choice(index) => question.choices.get(*index).map(|choice| choice.because.clone()),
        Guess::Count(count) if integer(&answer.value) == Some(*count) => None,
        Guess::Count(count) => known(&|value| is_equal(value, &Bson::Int64(*count))),
        Guess::Which(ids) => {
            let removed = answer.value.as_array().map_or(&[][..], Vec::as_slice);
            let contains = |ids: &[Bson], id: &Bson| ids.iter().any(|known| is_equal(known, id));
            known(&|id| contains(ids, id) != contains(removed, id))
        }
        Guess::Pin(ms) => distance(*ms, &answer.value),
    }
}

/// How far a pin is from the answer. `None` on the spot.
fn distance(pinned_ms: i64, answer: &Bson) -> Option<String> {
    #[expect(clippy::cast_precision_loss, reason = "exact for 280,000 years")]
    let off = double(answer).map(|seconds| pinned_ms as f64 / 1_000.0 - seconds);
    match off {
        None => Some("It never happens.".to_owned()),
        Some(off) if off.abs() < 0.5 => None,
        Some(off) => {
            let side = if off < 0.0 { "early" } else { "late" };
            Some(format!("Your pin is {:.0} s too {side}.", off.abs()))
        }
    }
}
