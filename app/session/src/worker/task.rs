//! Work for the threads: typed where it is written, boxed in the queue.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use bson::Document;

use super::desk::Desk;
use super::order::Order;
use super::outcome::Outcome;
use crate::job::slow_read::SlowRead;
use crate::job::{Namespace, TabId};

/// Which queue a job waits in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Lane {
    /// Threads that read. The queries of one tab take only one of them, one more is kept than tabs
    /// have queries, and more are started while all are busy for long: what the user opens next is
    /// read at once.
    Read,
    /// One thread that writes, in the order of asking.
    Write,
    /// [`TRANSFERS_MAX`](crate::limits::TRANSFERS_MAX) threads for files in and out. Two imports
    /// into one collection take turns, and care of the whole store is alone.
    Transfer,
    /// One thread for changes of many documents. They go in steps, so that other writes come
    /// between them.
    Bulk,
    /// One thread that reads whole collections for their schemas.
    Schema,
}

impl Lane {
    /// Whether the window is idle only when every job of this lane has ended. The user watches
    /// the others.
    #[must_use]
    pub fn is_awaited(self) -> bool {
        matches!(self, Self::Read | Self::Write)
    }
}

/// Work for one lane. `A` is what it hands to the window.
pub trait Task<A>: fmt::Debug + Send {
    /// Does the work and hands each answer to the desk.
    fn run(self: Box<Self>, desk: &Desk<'_, A>);

    /// The answer to work that is never done: its queue was full, or else a newer question replaced it.
    fn dropped(self: Box<Self>, generation: u64, is_full: bool) -> Outcome<A>;

    /// The database and the command, of work that is one command.
    fn command(&self) -> Option<(&str, &Document)> {
        None
    }

    /// The order, of work that is one to the worker itself.
    fn order(&self) -> Option<&Order> {
        None
    }
}

/// The identity of a question. Of equal ones the newest replaces those that wait, and one is asked at a time.
#[derive(Clone)]
pub struct Key(Arc<dyn Identity>);

impl Key {
    /// The identity of this question.
    pub fn new<Q: fmt::Debug + PartialEq + Send + Sync + 'static>(question: Arc<Q>) -> Self {
        Self(question)
    }

    /// The question, if it is of this type.
    pub fn question<Q: 'static>(&self) -> Option<&Q> {
        self.0.as_any().downcast_ref()
    }
}

impl PartialEq for Key {
    fn eq(&self, other: &Self) -> bool {
        self.0.is_same(other.0.as_any())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

trait Identity: fmt::Debug + Send + Sync {
    fn is_same(&self, other: &dyn Any) -> bool;
    fn as_any(&self) -> &dyn Any;
}

impl<Q: fmt::Debug + PartialEq + Send + Sync + 'static> Identity for Q {
    fn is_same(&self, other: &dyn Any) -> bool {
        other.downcast_ref::<Q>().is_some_and(|other| self == other)
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// How a job shares its lane with others.
#[derive(Debug, Clone, Default)]
pub struct Manners {
    /// The tab and the kind of a read that may be slow.
    pub slow_read: Option<(TabId, SlowRead)>,
    /// It closes the store or moves it, so nothing else may work with files at the same time.
    pub is_alone: bool,
    /// The collections that it imports into. Two imports into one take turns: either may drop it.
    pub into: Vec<Namespace>,
}

impl Manners {
    /// Those of a read that may be slow.
    pub fn slow_read(tab: TabId, kind: SlowRead) -> Self {
        Self { slow_read: Some((tab, kind)), ..Self::default() }
    }

    pub(super) fn turn(&self) -> Option<(TabId, SlowRead)> {
        let (tab, kind) = self.slow_read?;
        Some((tab, kind.turn()?))
    }
}

/// Work that waits for a thread.
pub struct Job<A> {
    pub key: Key,
    pub lane: Lane,
    /// A counter of the sender; the answers carry it.
    pub generation: u64,
    /// Which of the open stores it is for; the worker sets it.
    pub store: u32,
    pub manners: Manners,
    /// Another store opens before its turn, so its command is refused.
    pub is_refused: bool,
    pub task: Box<dyn Task<A>>,
}

impl<A> fmt::Debug for Job<A> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?} {:?}", self.lane, self.key, self.task)
    }
}

impl<A> Job<A> {
    /// A job of this identity.
    pub fn new(key: Key, lane: Lane, generation: u64, task: Box<dyn Task<A>>) -> Self {
        let manners = Manners::default();
        Self { key, lane, generation, store: 0, manners, is_refused: false, task }
    }

    /// The database and the command, of a job that is one command.
    pub fn command(&self) -> Option<(&str, &Document)> {
        self.task.command()
    }

    /// The order, of a job that is one to the worker itself.
    pub fn order(&self) -> Option<&Order> {
        self.task.order()
    }
}
