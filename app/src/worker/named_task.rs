//! Work that is named by its purpose, as a task.

use std::sync::Arc;

use bson::Document;

use super::desk::Desk;
use super::outcome::Outcome;
use super::task::{Job, Key, Lane, Task};
use super::work::Work;
use crate::job::Purpose;

/// Work that is still named by a purpose and a kind of work.
#[derive(Debug)]
pub(super) struct NamedTask {
    pub purpose: Purpose,
    pub work: Work,
}

impl<A: Send + 'static> Task<A> for NamedTask {
    fn run(self: Box<Self>, desk: &Desk<'_, A>) {
        let Self { purpose, work } = *self;
        match (work, desk.perform) {
            (Work::Command { db, command }, _) => {
                let (generation, reply) = (desk.generation, desk.run(db, command));
                desk.sender.send(Outcome::Answer { purpose, generation, reply });
            }
            (work, Some(perform)) => perform(work),
            (_, None) => {}
        }
    }

    fn dropped(self: Box<Self>, generation: u64, full: bool) -> Outcome<A> {
        Outcome::Dropped { purpose: self.purpose, generation, full }
    }

    fn command(&self) -> Option<(&str, &Document)> {
        match &self.work {
            Work::Command { db, command } => Some((db, command)),
            _ => None,
        }
    }

    fn work(&self) -> Option<&Work> {
        Some(&self.work)
    }
}

impl<A: Send + 'static> Job<A> {
    pub fn named(purpose: Purpose, lane: Lane, generation: u64, work: Work) -> Self {
        let key = Key::new(Arc::new(purpose.clone()));
        Self::new(key, lane, generation, Box::new(NamedTask { purpose, work }))
    }

    /// The work of a job that is named by its purpose.
    pub fn work(&self) -> Option<&Work> {
        self.task.work()
    }

    pub fn purpose(&self) -> Option<&Purpose> {
        self.key.question()
    }

    /// The database and the command, of a job that is one command.
    pub fn command(&self) -> Option<(&str, &Document)> {
        self.task.command()
    }
}
