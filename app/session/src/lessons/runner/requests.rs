//! The window's requests to a lesson.

use super::answers::{EngineAnswer, ask, recorded, verdict};
use super::performance::{Step, goal, holds, steps_to, was_cut};
use super::states::{self, questions_before};
use super::{Ran, Runner};
use crate::job::lesson::{
    BlockKind, BlockState, BlockView, Guess, LessonRequest, MemberCommand, Part, Question, Verdict,
};
use crate::job::{Cancel, ConsoleOutput, ConsoleRun};

/// The sentence for a goal that is lost, unless its file has another.
const OUT_OF_REACH: &str = "The goal is out of reach. Restart the card.";

impl Runner {
    /// Does what the window asks, and publishes what that changes.
    pub fn perform(&mut self, request: LessonRequest) {
        match request {
            LessonRequest::OpenCard(card) => self.open_card(card),
            LessonRequest::Guess { part, guess } => self.guess(part, guess),
            LessonRequest::Pass { part } => {
                self.block_view(part, |block| {
                    let is_ready = block.state == BlockState::Ready;
                    if let (true, Some(question)) = (is_ready, &mut block.question) {
                        question.is_passed = true;
                    }
                });
            }
            LessonRequest::Vote { part, hands } => self.vote(part, hands),
            LessonRequest::Run { part } => self.run_block(part),
            LessonRequest::Hint { part } => self.hint(part),
            LessonRequest::RestartCard => {
                let card = self.showing.view().card;
                self.restart_at(card);
            }
            LessonRequest::StepBack => self.step_back(),
            LessonRequest::StepForward => self.step_forward(),
            // A play is ended through the audience. Otherwise there is nothing to end.
            LessonRequest::Stop => {
                let (rate, _) = self.source.pace();
                self.source.set_pace(rate, true);
            }
            LessonRequest::Traffic(is_on) => {
                self.act(Step::Traffic(is_on), &Cancel::default(), true);
            }
            LessonRequest::Console(run) => self.console(&run),
            LessonRequest::Member { name, command } => {
                let what = match command {
                    MemberCommand::StepDown => "stepDown",
                    MemberCommand::Stop => "stop",
                    MemberCommand::Start => "start",
                    MemberCommand::ReadFrom => "readFrom",
                };
                self.act(Step::Member(name, what), &Cancel::default(), true);
            }
            LessonRequest::ReplicationDelay(ms) => {
                let input = Step::Input(format!("replicationDelay(\"{ms}ms\")"));
                self.act(input, &Cancel::default(), true);
            }
        }
        self.refresh();
    }

    fn open_card(&mut self, card: usize) {
        if card >= self.lesson.cards.len() {
            return;
        }
        let (present, is_done) = {
            let view = self.showing.view();
            (view.card, view.cards.get(view.card).is_some_and(|card| card.is_done))
        };
        // The next card continues where the present one has ended; any other is shown as the file
        // gets there.
        if card == present + 1 && is_done && self.cut.is_none() {
            self.continue_to(card);
        } else {
            self.restart_at(card);
        }
    }

    /// Replays the file up to the beginning of a card.
    fn restart_at(&mut self, card: usize) {
        let replayed = self.replay(&steps_to(&self.lesson, card), None);
        let (rate, _) = self.source.pace();
        self.source.set_pace(rate, true);
        let mut view = self.showing.view();
        view.card = card;
        view.failure = match replayed {
            Err(sentence) => Some(sentence),
            Ok(all) => all.last().and_then(|last| last.failure.clone()),
        };
        for (at, shown) in view.cards.iter_mut().enumerate().skip(card) {
            *shown = states::card(&self.lesson.cards[at]);
        }
    }

    fn block_view<R>(&self, part: usize, change: impl FnOnce(&mut BlockView) -> R) -> Option<R> {
        let mut view = self.showing.view();
        let card = view.card;
        let block = view.cards.get_mut(card)?.parts.get_mut(part)?.as_mut()?;
        Some(change(block))
    }

    fn guess(&mut self, part: usize, guess: Guess) {
        self.block_view(part, |block| {
            let is_ready = block.state == BlockState::Ready;
            if let (true, Some(question)) = (is_ready, &mut block.question) {
                question.guess.get_or_insert(guess);
            }
        });
    }

    fn vote(&mut self, part: usize, hands: Vec<u32>) {
        self.block_view(part, |block| {
            if let Some(question) = &mut block.question {
                question.votes.truncate(1);
                question.votes.push(hands);
            }
        });
    }

    fn hint(&mut self, part: usize) {
        let card = self.showing.view().card;
        let hints = goal(&self.lesson.cards[card])
            .filter(|(at, _)| *at == part)
            .map_or(0, |(_, goal)| goal.hints.len());
        self.block_view(part, |block| block.hints = (block.hints + 1).min(hints));
    }

    fn run_block(&mut self, part: usize) {
        let state = self.block_view(part, |block| block.state);
        if !matches!(state, Some(BlockState::Ready | BlockState::Failed)) {
            return;
        }
        self.block_view(part, |block| {
            block.state = BlockState::Running;
            block.output.clear();
        });
        self.showing.publish();
        let step = Step::Block(part);
        // A block that was cut begins again, and catches up with where it was.
        let cut_ms = match &self.cut {
            Some((cut, at_ms)) if *cut == step => Some(*at_ms),
            _ => None,
        };
        if cut_ms.is_some() {
            let steps = self.journal.clone();
            if let Err(sentence) = self.replay(&steps, None) {
                self.showing.view().failure = Some(sentence);
                return;
            }
        }
        self.pacer.set_at_once_until(cut_ms);
        let ran = self.act(step, &Cancel::default(), false);
        self.pacer.set_at_once_until(None);
        self.note_block(part, ran);
    }

    /// Shows what a block of the present card did, and answers its questions.
    fn note_block(&mut self, part: usize, ran: Ran) {
        let at = self.showing.view().card;
        let lesson = std::sync::Arc::clone(&self.lesson);
        let Some(card) = lesson.cards.get(at) else { return };
        let Some(Part::Block(block)) = card.parts.get(part) else { return };
        let is_cut = was_cut(&ran);
        let state = match (is_cut, holds(&block.kind, &ran)) {
            (true, _) => BlockState::Ready,
            (false, true) => BlockState::Done,
            (false, false) => BlockState::Failed,
        };
        self.block_view(part, |view| {
            view.state = state;
            view.output = if is_cut { Vec::new() } else { ran.output };
            if matches!(block.kind, BlockKind::Play { .. }) {
                // The lanes show what a play did. The reply of its last command only takes room.
                view.output.retain(|output| !matches!(output, ConsoleOutput::Value { .. }));
            }
        });
        let runs = matches!(block.kind, BlockKind::Run { .. } | BlockKind::Play { .. });
        if state != BlockState::Done || !runs {
            return;
        }
        for (asked, question) in questions_before(card, part) {
            let answer = ask(self.performance.script(), question);
            self.answers.insert((at, asked), answer.clone());
            let is_changed = answer.as_ref().is_ok_and(|answer| self.is_changed(question, answer));
            self.block_view(asked, |view| {
                let Some(shown) = &mut view.question else { return };
                shown.verdict = Some(match answer {
                    Ok(_) if is_changed => Verdict { is_changed, ..Verdict::default() },
                    Ok(answer) => {
                        let said = verdict(question, &answer, shown.guess.as_ref());
                        shown.true_choice = answer.true_choices.first().copied();
                        shown.answer = Some(answer.value);
                        said
                    }
                    Err(truth) => Verdict { truth, ..Verdict::default() },
                });
            });
        }
    }

    /// Whether something that the user did led to another answer than the recorded one.
    fn is_changed(&self, question: &Question, answer: &EngineAnswer) -> bool {
        let is_own = |step: &Step| !matches!(step, Step::Open(_) | Step::Block(_) | Step::Play(_));
        let said = recorded(question, answer.true_choices.first().copied(), Some(&answer.value));
        self.journal.iter().any(is_own)
            && self.recorded.get(&question.id).is_some_and(|known| *known != said)
    }

    /// Replays to the last event before now.
    fn step_back(&mut self) {
        let now_ms = self.performance.stage().clock().now_ms();
        let events = self.performance.stage().events();
        let opened_ms = self.performance.opened_ms();
        let before = events.into_iter().rev().find(|at_ms| *at_ms < now_ms);
        let Some(halt_ms) = before.or((opened_ms < now_ms).then_some(opened_ms)) else { return };
        let mut steps = self.journal.clone();
        steps.extend(self.cut.take().map(|(step, _)| step));
        let replayed = self.replay(&steps, Some(halt_ms));
        let (rate, _) = self.source.pace();
        self.source.set_pace(rate, true);
        match replayed {
            Err(sentence) => self.showing.view().failure = Some(sentence),
            Ok(all) => self.show_replayed(&steps, all),
        }
    }

    /// Shows the present card as a replay left it.
    fn show_replayed(&mut self, steps: &[Step], all: Vec<Ran>) {
        let opened = |step: &Step| match step {
            Step::Open(card) => Some(*card),
            _ => None,
        };
        let done = &steps[..all.len()];
        let card = done.iter().rev().find_map(opened).unwrap_or(0);
        let begun = done.iter().rposition(|step| opened(step).is_some()).unwrap_or(0);
        {
            let mut view = self.showing.view();
            view.card = card;
            view.failure = None;
            for (at, shown) in view.cards.iter_mut().enumerate().skip(card) {
                let guesses = if at == card { guesses(shown) } else { Vec::new() };
                *shown = states::card(&self.lesson.cards[at]);
                for (part, guess) in guesses {
                    if let Some(Some(block)) = shown.parts.get_mut(part)
                        && let Some(question) = &mut block.question
                    {
                        (question.is_passed, question.guess) = (guess.is_none(), guess);
                    }
                }
            }
        }
        for (step, ran) in done.iter().zip(all).skip(begun) {
            if let Step::Block(part) = step {
                self.note_block(*part, ran);
            }
        }
    }

    /// Lets time pass until the next event.
    fn step_forward(&mut self) {
        let next = self.performance.script().next_event();
        if let Some((_, at_ms)) = next {
            self.act(Step::Play(at_ms), &Cancel::default(), false);
        }
    }

    fn console(&mut self, run: &ConsoleRun) {
        let ran = self.act(Step::Input(run.text.clone()), &run.cancel, false);
        let is_cut = was_cut(&ran);
        for output in ran.output {
            self.audience.console(run.number, output);
        }
        if is_cut {
            self.audience.console(run.number, ConsoleOutput::Note("Stopped".to_owned()));
        }
        let database = self.performance.script().database();
        self.audience.console_ended(run.number, database);
    }

    /// The sentence of a goal's `near`, if there is one now.
    fn near(&mut self, expression: &str) -> Option<String> {
        match self.performance.script().evaluate(expression).ok()?.value {
            bson::Bson::String(sentence) => Some(sentence),
            _ => None,
        }
    }

    /// Shows whether the goal of the present card is reached or lost.
    pub(super) fn watch_goal(&mut self) {
        let at = self.showing.view().card;
        let lesson = std::sync::Arc::clone(&self.lesson);
        let Some((part, goal)) = lesson.cards.get(at).and_then(goal) else { return };
        let is_over =
            self.block_view(part, |block| block.is_reached || block.lost.is_some()) == Some(true);
        if is_over {
            return;
        }
        let near = goal.near.as_ref().and_then(|near| self.near(near));
        let watched = self.performance.script().watch();
        let (is_reached, is_lost) = self.performance.script().goal_state();
        let late = goal.deadline.is_some_and(|deadline| {
            let ms = i64::try_from(deadline.as_millis()).unwrap_or(i64::MAX);
            let end_ms = self.performance.opened_ms().saturating_add(ms);
            self.performance.stage().clock().now_ms() > end_ms
        });
        self.block_view(part, |block| {
            block.is_reached = is_reached;
            block.near = near.filter(|_| !is_reached && !is_lost);
            block.lost = match (is_reached, is_lost, late, watched) {
                (true, ..) => None,
                (_, true, ..) => Some(goal.lost.clone().unwrap_or_else(|| OUT_OF_REACH.to_owned())),
                (_, _, true, _) => Some("The time is up. Restart the card.".to_owned()),
                (_, _, _, Err(sentence)) => Some(sentence),
                _ => None,
            };
        });
    }
}

/// The questions of a card that were answered or passed, by part, with their guesses.
fn guesses(card: &crate::job::lesson::CardView) -> Vec<(usize, Option<Guess>)> {
    let questions = card.parts.iter().enumerate().filter_map(|(part, block)| {
        let question = block.as_ref()?.question.as_ref()?;
        let is_done = question.guess.is_some() || question.is_passed;
        is_done.then(|| (part, question.guess.clone()))
    });
    questions.collect()
}
