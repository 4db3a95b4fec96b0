//! The place that a task works at: its store, and where its answers go.

use std::sync::Arc;
use std::thread::JoinHandle;

use bson::Document;
use mayfly_engine::clock::{Clock as _, SystemClock};

use super::at_close::AtClose;
use super::guarded::guarded;
use super::lesson::LessonShelf;
use super::order::Order;
use super::outcome_sender::OutcomeSender;
use super::reply::{Reply, STOPPED};
use crate::job::Cancel;
use crate::job::reply::is_ok;
use crate::source::Source;

/// The answer to a change that was asked for while another store was being opened.
pub(super) const OPENING: &str = "Nothing was changed because a store was opening";

/// The store that a task is for, and the way of its answers.
pub struct Desk<'d, A> {
    pub source: Option<Arc<dyn Source>>,
    pub generation: u64,
    /// Set once the read is of no use any more; `None` for work that is not a slow read.
    pub cancel: Option<Cancel>,
    /// Its command is refused, because another store was opened.
    pub is_refused: bool,
    pub sender: OutcomeSender<A>,
    /// Stops long work.
    pub at_close: &'d AtClose,
    /// Set when the window closes.
    pub ends: Cancel,
    /// `None` in a test of a task.
    pub threads: Option<&'d dyn Threads>,
}

/// The threads around a source, as a task sees them.
pub trait Threads {
    /// Subscribes to the events of the task's store again, which was closed and opened.
    fn follow_again(&self);

    /// Lists lessons and writes handouts.
    fn shelf(&self) -> Arc<dyn LessonShelf>;

    /// Carries out an order for the task's store.
    fn carry_out(&self, order: Order);

    /// Waits for a thread before the store closes.
    fn join_at_close(&self, thread: JoinHandle<()>);
}

impl<'d, A> Desk<'d, A> {
    /// The place of a task that is done on this source without the threads.
    pub fn of(
        source: Arc<dyn Source>,
        generation: u64,
        sender: OutcomeSender<A>,
        at_close: &'d AtClose,
    ) -> Self {
        Self {
            source: Some(source),
            generation,
            cancel: None,
            is_refused: false,
            sender,
            at_close,
            ends: Cancel::default(),
            threads: None,
        }
    }

    /// The store of the task.
    ///
    /// # Errors
    /// None is open: one sentence.
    pub fn open_source(&self) -> Result<&Arc<dyn Source>, String> {
        self.source.as_ref().ok_or("No store is open".to_owned())
    }

    /// Runs a command; a slow read ends early when it is canceled.
    pub fn run(&self, db: String, command: Document) -> Reply {
        let started = SystemClock.monotonic();
        let answer =
            if self.is_refused { Err(OPENING.to_owned()) } else { self.run_command(&db, &command) };
        let micros = u64::try_from(SystemClock.monotonic().saturating_sub(started).as_micros())
            .unwrap_or(u64::MAX);
        Reply::new(db, command, answer, micros)
    }

    fn run_command(&self, db: &str, command: &Document) -> Result<Document, String> {
        let source = self.source.as_ref().ok_or("No store is open yet")?;
        let Some(cancel) = &self.cancel else {
            return guarded(|| source.run(db, command));
        };
        let stopped = || Err(STOPPED.to_owned());
        if cancel.is_cancelled() {
            return stopped();
        }
        let reply = guarded(|| source.run_until(db, command, cancel))?;
        if cancel.is_cancelled() && !is_ok(&reply) { stopped() } else { Ok(reply) }
    }
}
