//! The next possible actions of a lesson.

use crate::job::lesson::{
    Block, BlockKind, BlockState, BlockView, Card, LessonView, Part, Question,
};

use super::PresentedCard;

/// The card that is open.
pub fn card(view: &LessonView) -> Option<&Card> {
    view.lesson.cards.get(view.card)
}

/// The blocks of the open card with their states, by the index of the part.
pub fn blocks(view: &LessonView) -> impl Iterator<Item = (usize, &Block, &BlockView)> {
    let parts = card(view).map(|card| card.parts.as_slice()).unwrap_or_default();
    let states = view.cards.get(view.card).map(|card| card.parts.as_slice()).unwrap_or_default();
    parts.iter().zip(states).enumerate().filter_map(|(at, (part, state))| match (part, state) {
        (Part::Block(block), Some(state)) => Some((at, block, state)),
        _ => None,
    })
}

/// The question that waits for an answer.
pub fn open_question(view: &LessonView) -> Option<(usize, &Question)> {
    blocks(view).find_map(|(at, block, state)| match &block.kind {
        BlockKind::Question(question) if state.state == BlockState::Ready => Some((at, question)),
        _ => None,
    })
}

/// The block whose button is pressed next.
pub fn next_block(view: &LessonView) -> Option<(usize, &Block)> {
    blocks(view).find_map(|(at, block, state)| match &block.kind {
        BlockKind::Run { .. } | BlockKind::Play { .. } if state.state == BlockState::Ready => {
            Some((at, block))
        }
        _ => None,
    })
}

/// Whether a question of the open card has no verdict yet.
pub fn is_asking(view: &LessonView) -> bool {
    let mut questions = blocks(view).filter_map(|(_, _, state)| state.question.as_ref());
    questions.any(|question| question.verdict.is_none())
}

/// Whether a block of the open card runs.
pub fn is_running(view: &LessonView) -> bool {
    blocks(view).any(|(_, _, state)| state.state == BlockState::Running)
}

/// The next card, if everything on the open one was done.
pub fn next_card(view: &LessonView) -> Option<usize> {
    (view.can_leave_card() && !view.is_last_card()).then_some(view.card + 1)
}

/// The card before.
pub fn last_card(view: &LessonView) -> Option<usize> {
    view.card.checked_sub(1)
}

/// Whether the lesson may be left for the next one.
pub fn is_at_end(view: &LessonView) -> bool {
    view.is_last_card() && view.can_leave_card()
}

/// The effect of a presenter's next press.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    Question(usize),
    Lock(usize),
    Run(usize),
    /// Something runs; a press ends it where it is.
    Wait,
    Verdict(usize),
    Card(usize),
    End,
    /// Something else must be done first, such as a goal.
    Stuck,
}

/// The effect of a presenter's next press.
pub fn step(view: &LessonView, presented: &PresentedCard) -> Step {
    if is_running(view) {
        return Step::Wait;
    }
    for (at, block, state) in blocks(view) {
        let is_question = matches!(block.kind, BlockKind::Question(_));
        let has_verdict = state.question.as_ref().is_some_and(|found| found.verdict.is_some());
        match (state.state, is_question) {
            (BlockState::Ready, true) if !presented.questions.contains(&at) => {
                return Step::Question(at);
            }
            (BlockState::Ready, true) => return Step::Lock(at),
            (BlockState::Done, true) if has_verdict && !presented.verdicts.contains(&at) => {
                return Step::Verdict(at);
            }
            (BlockState::Ready, false)
                if matches!(block.kind, BlockKind::Run { .. } | BlockKind::Play { .. }) =>
            {
                return Step::Run(at);
            }
            _ => {}
        }
    }
    match next_card(view) {
        Some(next) => Step::Card(next),
        None if is_finished(view) => Step::End,
        None => Step::Stuck,
    }
}
