//! Plays a lesson: cards, blocks, questions and goals, restarts and steps back.

mod answers;
#[cfg(test)]
mod member_tests;
mod performance;
mod requests;
mod showing;
mod states;
#[cfg(test)]
mod tests;
mod window;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

pub use self::answers::{EngineAnswer, ask, is_right, misfit, recorded, verdict};
pub use self::performance::{Performance, Step, blocks, goal, holds, played, steps_to, was_cut};
use self::showing::Showing;
pub use self::states::questions_before;
pub use super::audience::{Audience, NoAudience};
use super::library;
use super::script::{Evaluated, Ran, SharedPermit};
use super::source::{EventHubs, StageSource};
use super::stage::{Pacer, PlayEnd};
use crate::job::lesson::{Lesson, LessonSource, LessonView, TimeView};
use crate::job::{Cancel, RemovedDocument};
use crate::source::Source as _;

/// How time passes while a block plays.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// So that the user can watch it.
    Screen,
    AtOnce,
}

/// A lesson that is played. It stays on the thread that made it, which needs a stack of
/// [`CONSOLE_THREAD_STACK`](crate::limits::CONSOLE_THREAD_STACK).
pub struct Runner {
    lesson: Arc<Lesson>,
    audience: Arc<dyn Audience>,
    showing: Arc<Showing>,
    pacer: Arc<Pacer>,
    pace: Pace,
    hubs: EventHubs,
    permit: SharedPermit,
    source: Arc<StageSource>,
    performance: Performance,
    /// Every step that led to the present state.
    journal: Vec<Step>,
    /// A step that a replay or the user cut: where it stopped, in milliseconds since 1970.
    cut: Option<(Step, i64)>,
    /// The engine's answers, by card and part.
    answers: BTreeMap<(usize, usize), Result<EngineAnswer, String>>,
    /// The recorded answers of the file, by the ids of its questions.
    recorded: BTreeMap<String, String>,
    /// When free time was moved last, by the system's monotonic clock.
    ticked: Option<Duration>,
    /// The line of the block that failed when the card was opened.
    failed_line: Option<usize>,
}

impl Runner {
    /// Begins a lesson and opens its first card.
    pub fn open(
        lesson: Arc<Lesson>,
        from: LessonSource,
        audience: Arc<dyn Audience>,
        pace: Pace,
    ) -> Result<Self, String> {
        // Without them, changed data is not noticed.
        let recorded = library::known_answers(&from).unwrap_or_default();
        let view = first_view(&lesson, from);
        let showing = Arc::new(Showing::new(view, Arc::clone(&audience)));
        let shown = Arc::clone(&showing);
        let pacer = Arc::new(Pacer::new(
            Arc::clone(&audience),
            pace == Pace::AtOnce,
            lesson.rate,
            Box::new(move |progress| shown.pass(progress)),
        ));
        let (hubs, permit) = (EventHubs::default(), SharedPermit::default());
        let performance = Performance::open(
            Arc::clone(&lesson),
            Arc::clone(&pacer),
            hubs.sink(),
            Arc::clone(&permit),
        )?;
        let source = Arc::new(StageSource::new(
            performance.stage(),
            hubs.clone(),
            Arc::clone(&permit),
            Arc::clone(&pacer),
            Arc::clone(&audience),
            lesson.rate,
        ));
        showing.set_source(&source);
        let mut runner = Self {
            lesson,
            audience,
            showing,
            pacer,
            pace,
            hubs,
            permit,
            source,
            performance,
            journal: Vec::new(),
            cut: None,
            answers: BTreeMap::new(),
            recorded,
            ticked: None,
            failed_line: None,
        };
        runner.continue_to(0);
        runner.refresh();
        Ok(runner)
    }

    /// The store as the window sees it.
    pub fn source(&self) -> Arc<StageSource> {
        Arc::clone(&self.source)
    }

    /// Forgets the recorded answers, which are those of the first values of `[vary]`.
    pub fn forget_recorded(&mut self) {
        self.recorded.clear();
    }

    /// The newest snapshot.
    pub fn view(&self) -> LessonView {
        self.showing.view().clone()
    }

    /// Documents that the passes removed since the start, in order.
    pub fn ledger(&self) -> Vec<RemovedDocument> {
        self.performance.stage().ledger().all()
    }

    /// Every document with its namespace, in the order of storage, as bytes.
    pub fn contents(&self) -> Vec<(String, Vec<u8>)> {
        self.performance.stage().contents()
    }

    /// The instants of passes, traffic, writes and jumps so far, in milliseconds since 1970.
    pub fn events(&self) -> Vec<i64> {
        self.performance.stage().events()
    }

    /// The engine's answer to a question of the present card, once it was asked. The error is why
    /// it could not be asked.
    pub fn answer(&self, part: usize) -> Option<Result<EngineAnswer, String>> {
        let card = self.showing.view().card;
        self.answers.get(&(card, part)).cloned()
    }

    /// Whether the goal in this part of the present card is reached now.
    ///
    /// # Errors
    /// Why its expression has no value.
    pub fn goal_value(&mut self, part: usize) -> Result<bool, String> {
        let lesson = Arc::clone(&self.lesson);
        let card = self.showing.view().card;
        let found = lesson.cards.get(card).and_then(goal).filter(|(at, _)| *at == part);
        let Some((_, goal)) = found else { return Err("This part has no goal".to_owned()) };
        let said = self.performance.script().evaluate(&goal.when)?;
        Ok(said.value == bson::Bson::Boolean(true))
    }

    /// The value of an expression, and whether it read the engine.
    pub fn evaluate(&mut self, text: &str) -> Result<Evaluated, String> {
        self.performance.script().evaluate(text)
    }

    /// The line of the block of the file that failed when its card was opened.
    pub fn failed_line(&self) -> Option<usize> {
        self.failed_line
    }

    /// The sentence of a goal's `near` in this part of the present card.
    ///
    /// # Errors
    /// Why its expression has no value.
    pub fn near_value(&mut self, part: usize) -> Result<Option<String>, String> {
        let lesson = Arc::clone(&self.lesson);
        let card = self.showing.view().card;
        let found = lesson.cards.get(card).and_then(goal).filter(|(at, _)| *at == part);
        let Some(near) = found.and_then(|(_, goal)| goal.near.as_ref()) else { return Ok(None) };
        let said = self.performance.script().evaluate(near)?.value;
        match said {
            bson::Bson::String(sentence) => Ok(Some(sentence)),
            bson::Bson::Null => Ok(None),
            other => Err(format!("near: {other} is not a sentence and not null")),
        }
    }

    /// The message of the first `expect` of the file that did not hold since the last call.
    #[must_use]
    pub fn take_unexpected(&mut self) -> Option<String> {
        self.performance.script().take_unexpected()
    }

    /// Opens the next card where the present one ended.
    fn continue_to(&mut self, card: usize) {
        self.showing.view().card = card;
        let ran = self.act(Step::Open(card), &Cancel::default(), true);
        if let Some(failure) = ran.failure {
            self.failed_line = ran.line;
            self.showing.view().failure = Some(failure);
        }
    }

    /// Does a step and notes it. Its time passes at once or as the user watches.
    fn act(&mut self, step: Step, cancel: &Cancel, is_at_once: bool) -> Ran {
        self.source.set_busy(true);
        let before = self.pacer.set_at_once(is_at_once || self.pace == Pace::AtOnce);
        let ran = self.performance.step(&step, cancel);
        self.pacer.set_at_once(before);
        self.source.set_busy(false);
        if was_cut(&ran) {
            let now_ms = self.performance.stage().clock().now_ms();
            self.cut = Some((step, now_ms));
        } else {
            self.cut = None;
            match (&step, self.journal.last_mut()) {
                // Time that passes by itself is one step.
                (Step::Play(end_ms), Some(Step::Play(before_ms))) => *before_ms = *end_ms,
                _ => self.journal.push(step),
            }
        }
        ran
    }

    /// Builds another stage with these steps, up to an instant. Returns what each did.
    fn replay(&mut self, steps: &[Step], halt_ms: Option<i64>) -> Result<Vec<Ran>, String> {
        self.source.hush();
        let before = self.pacer.set_at_once(true);
        self.pacer.set_halt(halt_ms);
        let replayed = self.rebuild(steps);
        self.pacer.set_halt(None);
        self.pacer.set_at_once(before);
        self.source.show(self.performance.stage());
        replayed
    }

    fn rebuild(&mut self, steps: &[Step]) -> Result<Vec<Ran>, String> {
        self.performance = Performance::open(
            Arc::clone(&self.lesson),
            Arc::clone(&self.pacer),
            self.hubs.sink(),
            Arc::clone(&self.permit),
        )?;
        self.journal.clear();
        self.cut = None;
        let mut all = Vec::new();
        for step in steps {
            let ran = self.performance.step(step, &Cancel::default());
            let is_cut = ran.end == Some(PlayEnd::Halted);
            all.push(ran);
            if is_cut {
                let now_ms = self.performance.stage().clock().now_ms();
                match step {
                    Step::Play(_) => self.journal.push(Step::Play(now_ms)),
                    _ => self.cut = Some((step.clone(), now_ms)),
                }
                break;
            }
            self.journal.push(step.clone());
        }
        Ok(all)
    }

    /// Brings the snapshot up to date and publishes it.
    fn refresh(&mut self) {
        self.watch_goal();
        let next_event = self.performance.script().next_event();
        let stage = self.performance.stage();
        let removed = stage.ledger().count();
        let now_ms = stage.clock().now_ms();
        let (members, failure) = (stage.members(), stage.failure());
        let (rate, is_paused) = self.source.pace();
        let mut is_asking = false;
        {
            let mut view = self.showing.view();
            view.next_event = next_event;
            view.removed = removed;
            view.traffic = self.performance.traffic();
            (view.members, view.oplog, view.replication_delay_ms) = members;
            states::hide_monitors(&mut view);
            if failure.is_some() {
                view.failure = failure;
            }
            let start_ms = view.time.start_ms;
            view.time = TimeView { now_ms, start_ms, rate, is_paused, until_ms: None };
            let at = view.card;
            if let (Some(card), Some(shown)) = (self.lesson.cards.get(at), view.cards.get_mut(at)) {
                states::update(card, shown);
                is_asking = states::is_asking(shown);
            }
            view.time.is_paused |= is_asking;
        }
        if is_asking && !is_paused {
            // A question is answered before time continues.
            self.source.set_pace(rate, true);
            self.source.tell_clock();
        }
        self.showing.publish();
    }
}

impl Drop for Runner {
    fn drop(&mut self) {
        // A request that still waits for this thread is answered.
        self.source.close();
    }
}

fn first_view(lesson: &Arc<Lesson>, source: LessonSource) -> LessonView {
    let start_ms = lesson.start_ms.unwrap_or(super::stage::BUILD_MS);
    LessonView {
        lesson: Arc::clone(lesson),
        source,
        card: 0,
        cards: states::initial(lesson),
        time: TimeView {
            now_ms: start_ms,
            start_ms,
            rate: lesson.rate,
            is_paused: true,
            until_ms: None,
        },
        next_event: None,
        removed: 0,
        traffic: None,
        members: Vec::new(),
        oplog: Vec::new(),
        replication_delay_ms: 0,
        failure: None,
    }
}
