//! The states of a card's blocks.

use super::performance::blocks;
use crate::job::lesson::{
    BlockKind, BlockState, BlockView, Card, CardView, Lesson, LessonView, Part, Question,
    QuestionView,
};

/// The cards before anything was done.
pub(super) fn initial(lesson: &Lesson) -> Vec<CardView> {
    lesson.cards.iter().map(card).collect()
}

/// A card before anything on it was done.
pub(super) fn card(card: &Card) -> CardView {
    let parts = card.parts.iter().map(|part| match part {
        Part::Block(block) => Some(BlockView {
            state: BlockState::Waiting,
            output: Vec::new(),
            question: matches!(block.kind, BlockKind::Question(_)).then(QuestionView::default),
            is_reached: false,
            lost: None,
            near: None,
            hints: 0,
        }),
        _ => None,
    });
    CardView { parts: parts.collect(), is_done: false }
}

/// Says what can be done on the open card: each block after those before it.
pub(super) fn update(card: &Card, view: &mut CardView) {
    let mut is_open = true;
    let mut goal_open = false;
    for (part, kind, _) in blocks(card) {
        let Some(Some(block)) = view.parts.get_mut(part) else { continue };
        let is_done = match kind {
            BlockKind::Setup(_) | BlockKind::Traffic(_) => {
                block.state = BlockState::Done;
                continue;
            }
            BlockKind::Solution(_) => {
                if matches!(block.state, BlockState::Waiting | BlockState::Ready) {
                    block.state = ready(goal_open);
                }
                continue;
            }
            BlockKind::Question(_) => block.question.as_ref().is_some_and(|question| {
                question.guess.is_some() || question.is_passed || question.verdict.is_some()
            }),
            BlockKind::Goal(_) => {
                goal_open = is_open;
                block.is_reached
            }
            BlockKind::Run { .. } | BlockKind::Play { .. } => block.state == BlockState::Done,
        };
        if is_done {
            block.state = BlockState::Done;
        } else if !matches!(block.state, BlockState::Running | BlockState::Failed) {
            block.state = ready(is_open);
        }
        is_open &= is_done;
    }
    view.is_done = is_open;
}

/// Whether a question of the open card waits for an answer.
pub(super) fn is_asking(view: &CardView) -> bool {
    let mut blocks = view.parts.iter().flatten();
    blocks.any(|block| block.question.is_some() && block.state == BlockState::Ready)
}

fn ready(is_open: bool) -> BlockState {
    if is_open { BlockState::Ready } else { BlockState::Waiting }
}

/// The questions that a block answers once it was played.
pub fn questions_before(card: &Card, part: usize) -> Vec<(usize, &Question)> {
    blocks(card)
        .filter_map(|(at, kind, _)| match kind {
            BlockKind::Question(question) if card.answered_by(at) == Some(part) => {
                Some((at, question))
            }
            _ => None,
        })
        .collect()
}

/// Hides how the members' monitors work while a question is to come: it may be about just that.
pub(super) fn hide_monitors(view: &mut LessonView) {
    let cards = view.cards.get(view.card..).unwrap_or_default();
    let mut asked =
        cards.iter().flat_map(|card| &card.parts).flatten().filter_map(|it| it.question.as_ref());
    if asked.any(|question| question.verdict.is_none()) {
        view.members.iter_mut().for_each(|member| member.monitor.clear());
    }
}
