//! The presses of a presenter: two keys give a whole lesson.

use super::play::{answers, ask, continue_on, lock, next, open};
use crate::apply::Apply;
use crate::job::lesson::{BlockKind, Guess, LessonRequest, LessonView, QuestionKind};
use crate::state::State;
use crate::state::lesson::catalog;
use crate::state::lesson::steps::{self, Step};

/// Moves a card up that is higher than the screen.
pub(super) fn page(state: &mut State) {
    if let Some(playing) = &mut state.lessons.playing {
        playing.presented.pages += 1;
    }
}

/// Makes the screen black, or shows it again.
pub(super) fn black(state: &mut State) {
    if let Some(playing) = &mut state.lessons.playing {
        playing.is_black = !playing.is_black;
    }
}

/// Shows or hides the presenter's notes.
pub(super) fn notes(state: &mut State) {
    if let Some(playing) = &mut state.lessons.playing {
        playing.shows_notes = !playing.shows_notes;
    }
}

/// Does what comes next: shows a question, locks the answer, plays, shows the verdict, opens a card or
/// the next lesson. A goal has three presses: its hint, its solution, and the way on.
pub(super) fn step(cx: &mut Apply<'_>) {
    if cx.state.lessons.opening.is_some() {
        return;
    }
    let Some(playing) = &mut cx.state.lessons.playing else { return };
    let Some(view) = playing.view.clone() else { return };
    playing.is_black = false;
    match steps::step(&view, &playing.presented) {
        Step::Question(at) => {
            playing.presented.questions.insert(at);
        }
        Step::Verdict(at) => {
            playing.presented.verdicts.insert(at);
        }
        Step::Lock(part) => lock_for_room(part, &view, cx),
        Step::Run(part) => ask(LessonRequest::Run { part }, cx),
        Step::Hint(part) => ask(LessonRequest::Hint { part }, cx),
        Step::Solution(part) => {
            answers(cx, |answers| {
                answers.solutions.insert(part);
            });
            ask(LessonRequest::Run { part }, cx);
        }
        Step::Skip => continue_on(cx),
        Step::Card(_) | Step::End => next(cx),
        // A clicker that is pressed twice must not end what plays.
        Step::Wait | Step::Stuck => {}
    }
}

/// Without a marked choice, the one with the most hands is locked. Without hands and without another
/// answer, the question is left without a guess.
fn lock_for_room(part: usize, view: &LessonView, cx: &mut Apply<'_>) {
    let Some((_, question)) = steps::open_question(view) else { return };
    let Some(playing) = &cx.state.lessons.playing else { return };
    if playing.presented.marked.is_some() {
        return lock(part, cx);
    }
    let guess = match &question.kind {
        QuestionKind::Choose => {
            let state = steps::blocks(view).find(|(at, ..)| *at == part);
            let votes = state.and_then(|(_, _, state)| state.question.as_ref()?.votes.last());
            let drafted = playing.answers.hands.as_ref().filter(|(of, _)| *of == part);
            let hands = drafted.map(|(_, hands)| hands).or(votes);
            hands.and_then(|hands| most_hands(hands)).map(Guess::Choice)
        }
        QuestionKind::Which { .. } if playing.answers.which.is_empty() => None,
        _ => playing.answers.guess(part, question, view.time.start_ms),
    };
    ask(
        match guess {
            Some(guess) => LessonRequest::Guess { part, guess },
            None => LessonRequest::Pass { part },
        },
        cx,
    );
}

/// The choice with the most hands, if there are any.
fn most_hands(hands: &[u32]) -> Option<usize> {
    let most = hands.iter().max().filter(|most| **most > 0)?;
    hands.iter().position(|hand| hand == most)
}

/// Back by one press: hides what was shown last, else opens the card before.
pub(super) fn step_back(cx: &mut Apply<'_>) {
    let Some(playing) = &mut cx.state.lessons.playing else { return };
    playing.is_black = false;
    let presented = &mut playing.presented;
    if presented.verdicts.pop_last().is_some() {
        return;
    }
    let Some(view) = playing.view.clone() else { return };
    let is_open = steps::open_question(&view).is_some_and(|(at, _)| {
        let is_shown = presented.questions.remove(&at);
        presented.marked = None;
        is_shown
    });
    if is_open {
        return;
    }
    let is_touched = steps::blocks(&view).any(|(_, block, state)| {
        let is_done = state.state == crate::job::lesson::BlockState::Done;
        is_done && !matches!(block.kind, BlockKind::Setup(_) | BlockKind::Traffic(_))
    });
    if is_touched {
        ask(LessonRequest::RestartCard, cx);
    } else if playing.way.stop().is_none_or(|stop| stop.card.is_none())
        && let Some(card) = steps::last_card(&view)
    {
        ask(LessonRequest::OpenCard(card), cx);
    } else {
        let list = cx.state.lessons.list.clone().unwrap_or_default();
        if let Some(start) = catalog::stop_before(&list, &playing.source, &playing.way) {
            open(start, cx);
        }
    }
}

/// Marks a choice of the open question, or commits it where nothing is presented.
pub(super) fn mark(choice: usize, cx: &mut Apply<'_>) {
    let is_presented = cx.state.view.is_presented();
    let Some(playing) = &mut cx.state.lessons.playing else { return };
    let Some(view) = playing.view.clone() else { return };
    let Some((part, question)) = steps::open_question(&view) else { return };
    if question.kind != QuestionKind::Choose || choice >= question.choices.len() {
        return;
    }
    playing.presented.questions.insert(part);
    if is_presented {
        playing.presented.marked = Some(choice);
    } else {
        ask(LessonRequest::Guess { part, guess: Guess::Choice(choice) }, cx);
    }
}
