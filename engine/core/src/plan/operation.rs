//! The operation of the current thread: whether it must stop, and what it has examined.
//!
//! An operation is the limit of its thread. Without one, nothing stops and nothing is counted. Work
//! in a write transaction may run on another command's thread, and its operation moves with it.

use std::{
    any::Any,
    fmt,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use super::{source::Stats, summary::PlanSummary};
use crate::{
    clock::work_time,
    interrupt::{Limit, StopReason, current_limit, run_within},
    limits::PROFILED_STATEMENTS_MAX,
    store::IndexId,
};

/// Ticks between two readings of the clock.
const TICKS_PER_READING: u64 = 32;

/// One operation: a command, or a pass of the TTL monitor.
#[derive(Debug, Default)]
pub struct Operation {
    killed: AtomicBool,
    bypasses_validation: AtomicBool,
    /// The id of its client's session.
    session: OnceLock<[u8; 16]>,
    /// On the clock of [`work_time`].
    deadline: Mutex<Option<Duration>>,
    ticks: AtomicU64,
    keys_examined: AtomicU64,
    docs_examined: AtomicU64,
    plan: Mutex<Option<PlanSummary>>,
    index_uses: Mutex<Vec<(IndexId, u64)>>,
    statements: Mutex<Vec<StatementRecord>>,
    outer: Outer,
}

/// The state of an operation after one of its statements, for the profile.
#[derive(Debug, Clone, Copy, Default)]
pub struct StatementRecord {
    /// When it ended, on the clock of [`work_time`].
    pub ended: Duration,
    /// Index entries and documents examined until then, by all statements.
    pub examined: (u64, u64),
    pub matched: u64,
    /// Of these, those that are different now.
    pub changed: u64,
    pub is_upsert: bool,
}

/// The limit that the caller of a command set on its thread.
#[derive(Default)]
struct Outer(Option<Arc<dyn Limit>>);

impl fmt::Debug for Outer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Outer").field(&self.0.is_some()).finish()
    }
}

impl Limit for Operation {
    fn tick(&self) -> Result<(), StopReason> {
        let tick = self.ticks.fetch_add(1, Ordering::Relaxed);
        // The clock is read at every 32nd tick, because there is a tick for each document.
        if self.is_killed() || tick.is_multiple_of(TICKS_PER_READING) {
            return self.check();
        }
        // Some dozens of large documents take longer than a user who stops a query waits.
        self.outer.0.as_ref().map_or(Ok(()), |outer| outer.tick())
    }
}

impl Operation {
    /// An operation that ends itself after `limit`, if there is one.
    pub fn new(limit: Option<Duration>) -> Self {
        let operation = Self::default();
        if let Some(limit) = limit {
            operation.end_after(limit);
        }
        operation
    }

    /// Sets the time limit, from now on.
    pub fn end_after(&self, limit: Duration) {
        let deadline = work_time().saturating_add(limit);
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner) = Some(deadline);
    }

    /// The rest of the time limit; `None` without one.
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline().map(|deadline| deadline.saturating_sub(work_time()))
    }

    fn deadline(&self) -> Option<Duration> {
        *self.deadline.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// As [`Operation::new`], but also ends with the limit that the caller set on this thread. The
    /// limit of another operation doesn't count: a command that runs in it has its own.
    pub fn within_current(limit: Option<Duration>) -> Self {
        let outer = current_limit().filter(|_| Self::current().is_none());
        Self { outer: Outer(outer), ..Self::new(limit) }
    }

    /// Runs `work` as this operation.
    pub fn run<T>(self: &Arc<Self>, work: impl FnOnce() -> T) -> T {
        run_within(Some(Arc::clone(self) as Arc<dyn Limit>), work)
    }

    /// The operation of the current thread.
    pub fn current() -> Option<Arc<Self>> {
        current_limit().and_then(|limit| (limit as Arc<dyn Any + Send + Sync>).downcast().ok())
    }

    /// Makes its writes ignore validators.
    pub fn bypass_validation(&self) {
        self.bypasses_validation.store(true, Ordering::Relaxed);
    }

    /// Makes it part of a session.
    pub fn join_session(&self, id: [u8; 16]) {
        // Called once, before the operation begins.
        let _ = self.session.set(id);
    }

    /// The id of its client's session, if it has one.
    pub fn session(&self) -> Option<[u8; 16]> {
        self.session.get().copied()
    }

    /// Whether its writes ignore validators.
    pub fn bypasses_validation(&self) -> bool {
        self.bypasses_validation.load(Ordering::Relaxed)
    }

    /// Requests a stop at the next tick.
    pub fn kill(&self) {
        self.killed.store(true, Ordering::Relaxed);
    }

    /// Whether a stop was requested.
    pub fn is_killed(&self) -> bool {
        self.killed.load(Ordering::Relaxed)
    }

    /// As [`Limit::tick`], but always reads the clock.
    ///
    /// # Errors
    /// `Interrupted` after [`Operation::kill`], `TimeLimit` after the deadline, or the reason of the
    /// caller's limit.
    pub fn check(&self) -> Result<(), StopReason> {
        if self.is_killed() {
            return Err(StopReason::Interrupted);
        }
        if self.deadline().is_some_and(|deadline| work_time() >= deadline) {
            return Err(StopReason::TimeLimit);
        }
        self.outer.0.as_ref().map_or(Ok(()), |outer| outer.check())
    }

    /// Index entries and documents examined so far.
    pub fn examined(&self) -> (u64, u64) {
        let load = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        (load(&self.keys_examined), load(&self.docs_examined))
    }

    /// Adds to the examined entries and documents.
    pub fn note_examined(&self, keys: u64, docs: u64) {
        self.keys_examined.fetch_add(keys, Ordering::Relaxed);
        self.docs_examined.fetch_add(docs, Ordering::Relaxed);
    }

    /// The plan summary of its first search, such as `IXSCAN { a: 1 }`.
    pub fn plan_summary(&self) -> Option<String> {
        self.first_plan().as_ref().map(PlanSummary::summary)
    }

    /// Sets the plan summary, unless a search has set it already.
    pub(super) fn note_plan(&self, summary: impl FnOnce() -> PlanSummary) {
        self.first_plan().get_or_insert_with(summary);
    }

    /// Counts a search that uses this index.
    pub(super) fn note_index(&self, index: IndexId) {
        let mut uses = self.index_uses.lock().unwrap_or_else(PoisonError::into_inner);
        match uses.iter_mut().find(|(used, _)| *used == index) {
            Some((_, count)) => *count += 1,
            None => uses.push((index, 1)),
        }
    }

    /// How many of its searches used each index. Empty the second time.
    pub fn take_index_uses(&self) -> Vec<(IndexId, u64)> {
        std::mem::take(&mut *self.index_uses.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Records a statement of an update or delete that has ended. Those beyond
    /// [`PROFILED_STATEMENTS_MAX`] are not recorded.
    pub fn note_statement(&self, matched: u64, changed: u64, is_upsert: bool) {
        let mut statements = self.statements.lock().unwrap_or_else(PoisonError::into_inner);
        if statements.len() < PROFILED_STATEMENTS_MAX {
            let (ended, examined) = (work_time(), self.examined());
            statements.push(StatementRecord { ended, examined, matched, changed, is_upsert });
        }
    }

    /// The statements that have ended, in order. Empty the second time.
    pub fn take_statements(&self) -> Vec<StatementRecord> {
        std::mem::take(&mut *self.statements.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Adds what a search examined between two states of its statistics.
    pub(super) fn note_stats(&self, before: Stats, after: Stats) {
        self.note_examined(
            after.keys_examined.saturating_sub(before.keys_examined),
            after.docs_examined.saturating_sub(before.docs_examined),
        );
    }

    fn first_plan(&self) -> std::sync::MutexGuard<'_, Option<PlanSummary>> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Checks whether the operation of this thread must stop; for loops other than searches.
///
/// # Errors
/// `Interrupted`, `TimeLimit`.
pub fn check_interrupt() -> Result<(), StopReason> {
    Operation::current().map_or(Ok(()), |operation| operation.check())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        catalog::Namespace,
        command::testing::Lab,
        interrupt::ended_at_once,
        plan::{PlanError, PlanErrorKind, Search, Step, Target, choose},
        query::Filter,
    };

    #[test]
    fn operations_stop_when_asked_or_late() {
        let free = Operation::new(None);
        assert_eq!(free.tick(), Ok(()));
        free.kill();
        assert_eq!(free.tick(), Err(StopReason::Interrupted));
        let late = Operation::new(Some(Duration::ZERO));
        assert_eq!(late.tick(), Err(StopReason::TimeLimit));
        assert_eq!(Operation::new(Some(Duration::from_hours(1))).check(), Ok(()));
    }

    #[test]
    fn a_command_ends_with_the_limit_of_its_caller() {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}]}");
        let reply = ended_at_once(|| lab.run("{find: 'c'}"));
        assert_eq!(reply.get_i32("code").ok(), Some(11601), "{reply}");
        lab.ok("{find: 'c'}");
    }

    #[test]
    fn the_limit_of_the_caller_is_checked_at_each_tick() {
        struct Flag(AtomicBool);
        impl Limit for Flag {
            fn tick(&self) -> Result<(), StopReason> {
                if self.0.load(Ordering::Relaxed) { Err(StopReason::Interrupted) } else { Ok(()) }
            }
        }
        let flag = Arc::new(Flag(AtomicBool::new(false)));
        let limit = Arc::clone(&flag) as Arc<dyn Limit>;
        let operation = run_within(Some(limit), || Operation::within_current(None));
        assert_eq!((operation.tick(), operation.tick()), (Ok(()), Ok(())));
        flag.0.store(true, Ordering::Relaxed);
        assert_eq!(operation.tick(), Err(StopReason::Interrupted));
    }

    /// Runs a search through three documents as this operation, which `visit` may end.
    fn search(operation: Operation, visit: impl Fn(&Operation)) -> (usize, Option<PlanErrorKind>) {
        let lab = Lab::new();
        lab.ok("{insert: 'c', documents: [{_id: 1}, {_id: 2}, {_id: 3}]}");
        let collections = lab.engine.collections();
        let namespace = Namespace::new("test", "c");
        let collection = collections.catalog().collection(&namespace).expect("a collection");
        let filter = Filter::matches_all();
        let plan = choose(&collection, &filter, None, None).expect("a plan");
        let target = Target::matching(filter);
        let mut search = Search::new(&collection, target, plan);
        let operation = Arc::new(operation);
        let mut found = 0;
        let outcome = operation.run(|| {
            collections.store().read(|reader| {
                search.advance::<PlanError>(reader, &collection, 0, &mut |_, _| {
                    found += 1;
                    visit(&operation);
                    Ok(Step::Take)
                })
            })
        });
        let examined = operation.examined();
        assert!(examined.1 >= found as u64, "{examined:?}");
        (found, outcome.err().map(|error: PlanError| error.kind))
    }

    #[test]
    fn a_search_ends_with_its_operation() {
        assert_eq!(search(Operation::new(None), |_| {}), (3, None));
        let late = Operation::new(Some(Duration::ZERO));
        assert_eq!(search(late, |_| {}), (0, Some(PlanErrorKind::Ended(StopReason::TimeLimit))));
        let killed = search(Operation::new(None), Operation::kill);
        assert_eq!(killed, (1, Some(PlanErrorKind::Ended(StopReason::Interrupted))));
    }

    #[test]
    fn a_thread_has_one_operation_at_a_time() {
        assert_eq!(check_interrupt(), Ok(()));
        let (outer, inner) = (Arc::new(Operation::new(None)), Arc::new(Operation::new(None)));
        inner.kill();
        outer.run(|| {
            inner.run(|| assert_eq!(check_interrupt(), Err(StopReason::Interrupted)));
            assert_eq!(check_interrupt(), Ok(()));
        });
        outer.run(|| run_within(None, || assert!(Operation::current().is_none())));
        assert!(Operation::current().is_none());
    }
}
