//! The presses of a presenter: two keys give a whole lesson.

use super::play::{ask, lock, next};
use crate::apply::Apply;
use crate::job::lesson::{BlockKind, Guess, LessonRequest, LessonView, QuestionKind};
use crate::state::lesson::steps::{self, Step};

/// Does what comes next: shows a question, locks the answer, plays, shows the verdict, opens a card.
pub(super) fn step(cx: &mut Apply<'_>) {
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
        Step::Card(_) | Step::End => next(cx),
        // A clicker that is pressed twice must not end what plays.
        Step::Wait | Step::Stuck => {}
    }
}

/// Without a marked choice, the one with the most hands is locked, else the first.
fn lock_for_room(part: usize, view: &LessonView, cx: &mut Apply<'_>) {
    let Some((_, question)) = steps::open_question(view) else { return };
    let Some(playing) = &cx.state.lessons.playing else { return };
    if question.kind != QuestionKind::Choose || playing.presented.marked.is_some() {
        return lock(part, cx);
    }
    let state = steps::blocks(view).find(|(at, ..)| *at == part);
    let votes = state.and_then(|(_, _, state)| state.question.as_ref()?.votes.last());
    let drafted = playing.answers.hands.as_ref().filter(|(of, _)| *of == part);
    let hands = drafted.map(|(_, hands)| hands).or(votes);
    let most = hands.and_then(|hands| {
        let most = hands.iter().max().filter(|most| **most > 0)?;
        hands.iter().position(|hand| hand == most)
    });
    let guess = Guess::Choice(most.unwrap_or(0));
    ask(LessonRequest::Guess { part, guess }, cx);
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
    } else if let Some(card) = steps::last_card(&view) {
        ask(LessonRequest::OpenCard(card), cx);
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
