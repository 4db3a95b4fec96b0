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

/// The next card, if the open one may be left.
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
    /// The first hint of a goal.
    Hint(usize),
    /// One solution of a goal, which runs.
    Solution(usize),
    Card(usize),
    End,
    /// Something failed, and the lecture continues without it.
    Skip,
    /// Something else must be done first.
    Stuck,
}

/// The effect of a presenter's next press.
pub fn step(view: &LessonView, presented: &PresentedCard) -> Step {
    if is_running(view) {
        return Step::Wait;
    }
    if view.failure.is_some() {
        return Step::Skip;
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
    if let Some(step) = goal_step(view) {
        return step;
    }
    let has_failed = blocks(view).any(|(_, _, state)| state.state == BlockState::Failed);
    match next_card(view) {
        Some(next) => Step::Card(next),
        None if is_at_end(view) => Step::End,
        None if has_failed => Step::Skip,
        None => Step::Stuck,
    }
}

/// The way past a goal that is open: its first hint, then its solution. `None` after both.
fn goal_step(view: &LessonView) -> Option<Step> {
    let (at, goal, state) = blocks(view).find_map(|(at, block, state)| match &block.kind {
        BlockKind::Goal(goal) => Some((at, goal, state)),
        _ => None,
    })?;
    if state.state != BlockState::Ready || state.is_reached {
        return None;
    }
    if state.hints == 0 && !goal.hints.is_empty() && state.lost.is_none() {
        return Some(Step::Hint(at));
    }
    blocks(view).find_map(|(at, block, state)| {
        let is_solution = matches!(block.kind, BlockKind::Solution(_));
        (is_solution && state.state == BlockState::Ready).then_some(Step::Solution(at))
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::job::lesson::{LessonRequest, LessonSource};
    use mayfly_session::lessons::audience::NoAudience;
    use mayfly_session::lessons::file::parse_course;
    use mayfly_session::lessons::runner::{Pace, Runner};
    use mayfly_session::lessons::{library, shipped};
    use mayfly_session::shell::watch::{self, Waited};

    /// More than any lesson needs.
    const PRESSES_MAX: usize = 60;

    /// The presses that lead a room through a lesson, up to its end.
    fn presses(slug: &str) -> usize {
        let source = LessonSource::Shipped(slug.to_owned());
        let lesson = library::read(&source).unwrap();
        let mut runner = Runner::open(lesson, source, Arc::new(NoAudience), Pace::AtOnce).unwrap();
        let mut presented = PresentedCard::default();
        for press in 0..PRESSES_MAX {
            let view = runner.view();
            match step(&view, &presented) {
                Step::Question(at) => {
                    presented.questions.insert(at);
                }
                Step::Verdict(at) => {
                    presented.verdicts.insert(at);
                }
                Step::Lock(part) => runner.perform(LessonRequest::Pass { part }),
                Step::Hint(part) => runner.perform(LessonRequest::Hint { part }),
                Step::Run(part) | Step::Solution(part) => {
                    runner.perform(LessonRequest::Run { part });
                }
                Step::Card(card) => {
                    presented = PresentedCard::default();
                    runner.perform(LessonRequest::OpenCard(card));
                }
                Step::End => return press,
                other => panic!("{slug}, card {}: {other:?}", view.card + 1),
            }
        }
        panic!("{slug} has no end");
    }

    #[test]
    fn one_key_leads_through_everything_on_the_run_sheets() {
        let course = parse_course(shipped::COURSE).unwrap();
        let lessons = course.sheets.into_iter().flat_map(|sheet| sheet.lessons);
        let lessons: std::collections::BTreeSet<String> = lessons.collect();
        assert!(lessons.len() > 10);
        let play = move || lessons.iter().map(|slug| presses(slug)).collect::<Vec<_>>();
        match watch::run("mayfly-lesson", play) {
            Ok(Waited::Answer(all)) => assert!(all.iter().all(|presses| *presses > 0), "{all:?}"),
            _ => panic!("it did not end"),
        }
    }
}
