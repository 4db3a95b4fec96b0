//! Questions to the store. A question is a type with its answer: what is asked, and the change of the state that the
//! answer makes, in one file of its feature.

use std::fmt;
use std::sync::Arc;

use bson::Document;

use super::Apply;
use super::command_log::{log, note_answer, offer_unlock};
use crate::job::TabId;
use crate::job::purpose::SlowRead;
use crate::worker::{Desk, Job, Key, Lane, Manners, Outcome, Reply, Task};

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

    /// It is never answered: its queue was full, or else a newer one replaced it.
    fn dropped(&self, generation: u64, is_full: bool, cx: &mut Apply<'_>) {
        let _ = (generation, is_full, cx);
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

/// One command, as a task.
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
        desk.answer(Box::new(Replied { question, generation: desk.generation, reply }));
    }

    fn dropped(self: Box<Self>, generation: u64, is_full: bool) -> Outcome<Answer> {
        Outcome::Asked(Box::new(Dropped { question: self.question, generation, is_full }))
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

struct Dropped<Q> {
    question: Arc<Q>,
    generation: u64,
    is_full: bool,
}

impl<Q: Question> Arrived for Dropped<Q> {
    fn arrive(self: Box<Self>, cx: &mut Apply<'_>) {
        if is_of_another_store(self.generation, cx) {
            return;
        }
        if self.is_full {
            cx.warn(super::TOO_MUCH);
        }
        self.question.dropped(self.generation, self.is_full, cx);
    }
}

/// Its store is not on the screen any more, or not yet again.
pub(super) fn is_of_another_store(generation: u64, cx: &Apply<'_>) -> bool {
    generation <= cx.state.switched_at && generation > 0
}

/// Does a job in a test. Returns its answers.
#[cfg(test)]
pub(super) fn perform(job: Job<Answer>, source: Arc<dyn crate::source::Source>) -> Vec<Answer> {
    let answers = std::cell::RefCell::default();
    let take = |outcome| {
        if let Outcome::Asked(answer) = outcome {
            Vec::push(&mut *answers.borrow_mut(), answer);
        }
    };
    job.task.run(&Desk::of(source, job.generation, &take));
    answers.into_inner()
}
