//! Questions to the store. A question is a type with its answer: what is asked, and the change of the state that the
//! answer makes, in one file of its feature.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use bson::Document;

use super::Apply;
use super::command_log::{log, note_answer, offer_unlock};
use super::effects::{QUEUE_FULL, TOO_MUCH};
use crate::job::TabId;
use crate::job::slow_read::SlowRead;
use crate::worker::{Desk, Job, Key, Lane, Manners, Outcome, OutcomeSender, Reply, Task, guarded};

/// A question to a store. Of equal ones the newest replaces those that wait, and one is asked at a time.
pub trait Question: fmt::Debug + PartialEq + Send + Sync + 'static {
    /// Comes back from the worker: a [`Reply`] for a question that is one command.
    type Answer: Send + 'static;

    /// Whether the window asks this by itself, to keep what it shows fresh. The list of commands leaves it out.
    const BACKGROUND: bool = false;

    /// The tab and the kind of a read that may go through a whole collection.
    fn slow_read(&self) -> Option<(TabId, SlowRead)> {
        None
    }

    /// Takes the answer to the question of this generation.
    fn answered(&self, generation: u64, answer: Self::Answer, cx: &mut Apply<'_>);

    /// Its queue was full, so it was never asked; the answer says so.
    fn refused(&self, generation: u64, answer: Self::Answer, cx: &mut Apply<'_>) {
        self.answered(generation, answer, cx);
    }

    /// A newer one replaced it while it waited, so this generation is never answered.
    fn replaced(&self, generation: u64, cx: &mut Apply<'_>) {
        let _ = (generation, cx);
    }
}

/// The answer to a question, boxed for the channel alone.
pub type Answer = Box<dyn Arrived>;

/// The worker of the window.
pub type Worker = crate::worker::Worker<Answer>;

/// An answer, or the end of a question without one.
pub trait Arrived: Send {
    /// Changes the state.
    fn arrive(self: Box<Self>, cx: &mut Apply<'_>);
}

#[derive(Debug)]
struct CommandTask<Q> {
    question: Arc<Q>,
    db: String,
    command: Document,
}

impl<Q: Question<Answer = Reply>> Task<Answer> for CommandTask<Q> {
    fn run(self: Box<Self>, desk: &Desk<'_, Answer>) {
        let Self { question, db, command } = *self;
        let reply = desk.run(db, command);
        let replied = Replied { question, generation: desk.generation, reply };
        desk.sender.answer(Box::new(replied), Duration::ZERO);
    }

    fn dropped(self: Box<Self>, generation: u64, is_full: bool) -> Outcome<Answer> {
        let Self { question, db, command } = *self;
        if !is_full {
            return Outcome::Asked(Box::new(Replaced { question, generation }));
        }
        let reply = Reply::new(db, command, Err(TOO_MUCH.to_owned()), 0);
        Outcome::Asked(Box::new(Refused { question, generation, answer: reply }))
    }

    fn command(&self) -> Option<(&str, &Document)> {
        Some((&self.db, &self.command))
    }
}

/// A job that sends one command.
pub(super) fn command<Q: Question<Answer = Reply>>(
    question: Q,
    lane: Lane,
    generation: u64,
    db: &str,
    command: Document,
) -> Job<Answer> {
    let question = Arc::new(question);
    let manners = Manners { slow_read: question.slow_read(), ..Manners::default() };
    let key = Key::new(Arc::clone(&question));
    let task = Box::new(CommandTask { question, db: db.to_owned(), command });
    Job { manners, ..Job::new(key, lane, generation, task) }
}

struct Replied<Q> {
    question: Arc<Q>,
    generation: u64,
    reply: Reply,
}

impl<Q: Question<Answer = Reply>> Arrived for Replied<Q> {
    fn arrive(self: Box<Self>, cx: &mut Apply<'_>) {
        let Self { question, generation, reply } = *self;
        if is_of_another_store(generation, cx) {
            return;
        }
        not_running(&*question, generation, cx);
        log(Q::BACKGROUND, &reply, cx.state);
        note_answer(&reply, cx.state);
        let refused = reply.is_refused_by_a_lock();
        question.answered(generation, reply, cx);
        // The dialog that sent it has learned why it was refused.
        if refused {
            offer_unlock(cx.state);
        }
    }
}

/// Notes the reply to a command of a question that sends several.
pub(super) fn noted(is_background: bool, generation: u64, reply: &Reply, cx: &mut Apply<'_>) {
    if is_of_another_store(generation, cx) {
        return;
    }
    log(is_background, reply, cx.state);
    note_answer(reply, cx.state);
    if reply.is_refused_by_a_lock() {
        offer_unlock(cx.state);
    }
}

/// A command that was never sent, because its queue was full.
struct Refused<Q: Question> {
    question: Arc<Q>,
    generation: u64,
    answer: Q::Answer,
}

impl<Q: Question> Arrived for Refused<Q> {
    fn arrive(self: Box<Self>, cx: &mut Apply<'_>) {
        if !is_of_another_store(self.generation, cx) {
            not_running(&*self.question, self.generation, cx);
            cx.warn(TOO_MUCH);
            self.question.refused(self.generation, self.answer, cx);
        }
    }
}

struct Replaced<Q> {
    question: Arc<Q>,
    generation: u64,
}

impl<Q: Question> Arrived for Replaced<Q> {
    fn arrive(self: Box<Self>, cx: &mut Apply<'_>) {
        if !is_of_another_store(self.generation, cx) {
            not_running(&*self.question, self.generation, cx);
            self.question.replaced(self.generation, cx);
        }
    }
}

/// Its store is not on the screen any more, or not yet again.
pub(super) fn is_of_another_store(generation: u64, cx: &Apply<'_>) -> bool {
    generation <= cx.state.switched_at && generation > 0
}

/// A query of a tab is answered, or will not be.
fn not_running(question: &impl Question, generation: u64, cx: &mut Apply<'_>) {
    let of = question.slow_read().and_then(|(tab, _)| cx.state.tabs.get_mut(tab));
    if let Some(open) = of {
        open.documents.running.remove(&generation);
        open.aggregate.running.remove(&generation);
    }
}

/// A question that is more than one command.
pub trait Run: Question {
    const LANE: Lane;
    /// Its answer counts even if another store is on the screen by then: files were written all the same.
    const OUTLIVES_STORE: bool = true;

    /// How it shares its lane with others.
    fn manners(&self) -> Manners {
        Manners { slow_read: self.slow_read(), ..Manners::default() }
    }

    /// Does the work on a thread of the lane. Work that waits for the user or a network takes the
    /// report along to another thread.
    fn run(&self, desk: &Desk<'_, Answer>, report: Report<Self>)
    where
        Self: Sized;

    /// The answer to work that panicked or never began: one sentence.
    fn failed(&self, message: String) -> Self::Answer;

    /// Its queue was full.
    fn full(&self, generation: u64, cx: &mut Apply<'_>) {
        self.answered(generation, self.failed(QUEUE_FULL.to_owned()), cx);
    }
}

/// The way of the answers to a question.
pub struct Report<Q> {
    question: Arc<Q>,
    generation: u64,
    sender: OutcomeSender<Answer>,
}

impl<Q> Clone for Report<Q> {
    fn clone(&self) -> Self {
        let (question, sender) = (Arc::clone(&self.question), self.sender.clone());
        Self { question, generation: self.generation, sender }
    }
}

impl<Q: Run> Report<Q> {
    /// Hands over an answer; there may be several.
    pub fn send(&self, answer: Q::Answer) {
        self.send_within(Duration::ZERO, answer);
    }

    /// Hands over an answer that the window shows within `wait`, so that many of them become few frames.
    pub fn send_within(&self, wait: Duration, answer: Q::Answer) {
        let (question, generation) = (Arc::clone(&self.question), self.generation);
        self.sender.answer(Box::new(Ran { question, generation, answer }), wait);
    }
}

#[derive(Debug)]
struct RunTask<Q>(Arc<Q>);

impl<Q: Run> Task<Answer> for RunTask<Q> {
    fn run(self: Box<Self>, desk: &Desk<'_, Answer>) {
        let (question, sender) = (self.0, desk.sender.clone());
        let report =
            Report { question: Arc::clone(&question), generation: desk.generation, sender };
        if let Err(message) = guarded(|| question.run(desk, report.clone())) {
            report.send(question.failed(message));
        }
    }

    fn dropped(self: Box<Self>, generation: u64, is_full: bool) -> Outcome<Answer> {
        let question = self.0;
        if is_full {
            return Outcome::Asked(Box::new(NotBegun { question, generation }));
        }
        Outcome::Asked(Box::new(Replaced { question, generation }))
    }
}

pub(super) fn run<Q: Run>(question: Q, generation: u64) -> Job<Answer> {
    let question = Arc::new(question);
    let (key, manners) = (Key::new(Arc::clone(&question)), question.manners());
    Job { manners, ..Job::new(key, Q::LANE, generation, Box::new(RunTask(question))) }
}

struct Ran<Q: Question> {
    question: Arc<Q>,
    generation: u64,
    answer: Q::Answer,
}

impl<Q: Run> Arrived for Ran<Q> {
    fn arrive(self: Box<Self>, cx: &mut Apply<'_>) {
        if Q::OUTLIVES_STORE || !is_of_another_store(self.generation, cx) {
            self.question.answered(self.generation, self.answer, cx);
        }
    }
}

struct NotBegun<Q> {
    question: Arc<Q>,
    generation: u64,
}

impl<Q: Run> Arrived for NotBegun<Q> {
    fn arrive(self: Box<Self>, cx: &mut Apply<'_>) {
        cx.warn(QUEUE_FULL);
        self.question.full(self.generation, cx);
    }
}

/// Does a job in a test. Returns its answers.
#[cfg(test)]
pub(super) fn perform(job: Job<Answer>, source: Arc<dyn crate::source::Source>) -> Vec<Answer> {
    let (sender, answers) = crossbeam_channel::unbounded();
    let sender = OutcomeSender::new(sender, Arc::new(|_| ()));
    let at_close = crate::worker::AtClose::default();
    job.task.run(&Desk::of(source, job.generation, sender, &at_close));
    let answers = answers.try_iter().filter_map(|outcome| match outcome {
        Outcome::Asked(answer) => Some(answer),
        _ => None,
    });
    answers.collect()
}
