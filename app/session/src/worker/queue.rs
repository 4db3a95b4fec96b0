//! A bounded queue in which a newer job replaces a waiting one with the same purpose.
//!
//! A query runs until `Source::run_until` sees its `Cancel`. *Stop*, another filter and a closed tab set it.
//! The queries of one tab take turns on one reader; a job that waits while every reader is busy for
//! `READER_PATIENCE` gets another reader, so nothing slow keeps the window from anything else.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};

use super::task::{Job, Key, Lane, Manners};
use crate::limits::QUEUE_JOBS_MAX;

/// The result of putting a job into a queue.
#[derive(Debug)]
pub enum Put<A> {
    Waiting,
    /// It waits in the place of an older one.
    Replaced(Job<A>),
    /// The queue is full; the job comes back.
    Full(Job<A>),
}

/// Jobs that wait for the threads of one lane.
pub struct Queue<A> {
    inner: Mutex<Inner<A>>,
    changed: Condvar,
}

struct Inner<A> {
    jobs: VecDeque<Job<A>>,
    busy: Vec<Busy>,
    closed: bool,
}

/// A job that a thread does.
#[derive(Debug)]
struct Busy {
    key: Key,
    /// On the monotonic clock.
    since: Duration,
    manners: Manners,
}

impl<A> Default for Inner<A> {
    fn default() -> Self {
        Self { jobs: VecDeque::new(), busy: Vec::new(), closed: false }
    }
}

impl<A> Default for Queue<A> {
    fn default() -> Self {
        Self { inner: Mutex::default(), changed: Condvar::new() }
    }
}

impl<A> Inner<A> {
    /// Whether no equal question runs, and no other query of the same view of a tab.
    fn is_free(&self, job: &Job<A>) -> bool {
        let turn = job.manners.turn();
        let excludes =
            |busy: &Busy| busy.key == job.key || turn.is_some() && busy.manners.turn() == turn;
        !self.busy.iter().any(excludes)
    }

    /// The first job that nothing under way is in the way of.
    fn next(&mut self) -> Option<Job<A>> {
        // A job that comes after one that must be alone waits too, or that one would never begin.
        let is_alone = |job: &Job<A>| job.manners.is_alone;
        let until = self.jobs.iter().position(is_alone).unwrap_or(self.jobs.len());
        let can_begin = |at: usize, job: &Job<A>| {
            let targets = &job.manners.into;
            let is_same =
                |busy: &Busy| targets.iter().any(|target| busy.manners.into.contains(target));
            let is_in_the_way = |busy: &Busy| at == until || busy.manners.is_alone || is_same(busy);
            self.is_free(job) && !self.busy.iter().any(is_in_the_way)
        };
        let mut first = self.jobs.iter().enumerate().take(until + 1);
        let at = first.find(|(at, job)| can_begin(*at, job))?.0;
        let job = self.jobs.remove(at)?;
        let (key, since) = (job.key.clone(), SystemClock.monotonic());
        self.busy.push(Busy { key, since, manners: job.manners.clone() });
        Some(job)
    }
}

impl<A> Queue<A> {
    /// Puts a job in, or in the place of an older one with the same purpose.
    pub fn put(&self, job: Job<A>) -> Put<A> {
        let mut inner = self.lock();
        let same = |old: &&mut Job<A>| old.key == job.key && job.lane != Lane::Write;
        let put = if let Some(old) = inner.jobs.iter_mut().find(same) {
            Put::Replaced(std::mem::replace(old, job))
        } else if inner.jobs.len() >= QUEUE_JOBS_MAX {
            return Put::Full(job);
        } else {
            inner.jobs.push_back(job);
            Put::Waiting
        };
        drop(inner);
        self.changed.notify_one();
        put
    }

    /// Waits for the next job. `None` once the queue is closed.
    ///
    /// Of one purpose one job is done at a time, or the answer to an older question could come after the answer to
    /// a newer one and replace it. The thread that takes a job calls [`ended`](Self::ended).
    pub fn take(&self) -> Option<Job<A>> {
        let mut inner = self.lock();
        loop {
            if let Some(job) = inner.next() {
                return Some(job);
            }
            if inner.closed && inner.jobs.is_empty() {
                return None;
            }
            inner = self.changed.wait(inner).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// A taken job has ended and its answer was sent.
    pub fn ended(&self, key: &Key) {
        let mut inner = self.lock();
        if let Some(at) = inner.busy.iter().position(|busy| busy.key == *key) {
            inner.busy.swap_remove(at);
        }
        drop(inner);
        self.changed.notify_all();
    }

    /// When a waiting job needs one more thread: once every thread has been busy with one job for
    /// `patience`. `None` if nothing waits for a thread.
    pub fn relief_in(&self, threads: usize, patience: Duration) -> Option<Duration> {
        let inner = self.lock();
        let waits = inner.jobs.iter().any(|job| inner.is_free(job));
        if !waits || inner.busy.len() < threads {
            return None;
        }
        let latest = inner.busy.iter().map(|busy| busy.since).max()?;
        Some(latest.saturating_add(patience).saturating_sub(SystemClock.monotonic()))
    }

    /// Lets every thread go once nothing waits any more.
    pub fn finish(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Lets every thread go. What still waits is dropped.
    pub fn close(&self) {
        self.lock().jobs.clear();
        self.finish();
    }

    fn lock(&self) -> MutexGuard<'_, Inner<A>> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::job::slow_read::SlowRead;
    use crate::job::{Namespace, TabId};
    use crate::worker::{Job as AnyJob, Order};

    type Job = AnyJob<()>;

    /// A job with a question of this name.
    fn job(name: &str, lane: Lane, generation: u64) -> Job {
        let key = Key::new(Arc::new(name.to_owned()));
        Job { key, lane, ..Job::of_order(Order::Traffic, generation) }
    }

    /// Takes a job and ends it.
    fn done(queue: &Queue<()>) -> Option<u64> {
        let job = queue.take()?;
        queue.ended(&job.key);
        Some(job.generation)
    }

    #[test]
    fn a_newer_job_takes_the_place_of_an_older_one() {
        let queue = Queue::<()>::default();
        assert!(matches!(queue.put(job("databases", Lane::Read, 1)), Put::Waiting));
        let put = queue.put(job("databases", Lane::Read, 2));
        assert!(matches!(put, Put::Replaced(old) if old.generation == 1));
        assert_eq!(queue.take().map(|job| job.generation), Some(2));
    }

    #[test]
    fn writes_are_never_replaced() {
        let queue = Queue::<()>::default();
        for generation in 1..=2 {
            let put = queue.put(job("databases", Lane::Write, generation));
            assert!(matches!(put, Put::Waiting));
        }
        assert_eq!(done(&queue), Some(1));
        assert_eq!(done(&queue), Some(2));
    }

    #[test]
    fn a_newer_question_waits_for_the_answer_to_an_older_one() {
        let queue = Queue::<()>::default();
        queue.put(job("databases", Lane::Read, 1));
        let older = queue.take().expect("a job");
        queue.put(job("databases", Lane::Read, 2));
        queue.put(job("sizes", Lane::Read, 3));
        assert_eq!(queue.take().map(|job| job.generation), Some(3), "another question goes on");
        queue.finish();
        queue.ended(&older.key);
        assert_eq!(queue.take().map(|job| job.generation), Some(2));
        assert!(queue.take().is_none());
    }

    #[test]
    fn the_queries_of_a_tab_take_one_reader() {
        let queue = Queue::<()>::default();
        let query = |tab, purpose, generation| {
            let manners = Manners::slow_read(TabId(tab), SlowRead::Rows);
            Job { manners, ..job(purpose, Lane::Read, generation) }
        };
        queue.put(query(1, "page", 1));
        queue.put(query(1, "count", 2));
        queue.put(query(2, "page of another tab", 3));
        let slow = queue.take().expect("a job");
        assert_eq!(queue.take().map(|job| job.generation), Some(3), "the other tab goes first");
        queue.ended(&slow.key);
        assert_eq!(queue.take().map(|job| job.generation), Some(2));
    }

    #[test]
    fn a_job_that_waits_long_needs_one_more_thread() {
        const PATIENCE: Duration = Duration::from_hours(1);
        let queue = Queue::<()>::default();
        let put = |name, generation| queue.put(job(name, Lane::Read, generation));
        put("databases", 1);
        assert_eq!(queue.relief_in(1, Duration::ZERO), None, "the thread is free");
        assert!(queue.take().is_some());
        assert_eq!(queue.relief_in(1, Duration::ZERO), None, "nothing waits");
        put("databases", 2);
        assert_eq!(queue.relief_in(1, Duration::ZERO), None, "it waits for its own turn");
        put("sizes", 3);
        assert_eq!(queue.relief_in(1, Duration::ZERO), Some(Duration::ZERO));
        assert_eq!(queue.relief_in(2, Duration::ZERO), None, "another thread is free");
        let left = queue.relief_in(1, PATIENCE);
        assert!(left.is_some_and(|left| Duration::ZERO < left && left <= PATIENCE), "{left:?}");
    }

    #[test]
    fn a_full_queue_hands_the_job_back() {
        let queue = Queue::<()>::default();
        for number in 0..QUEUE_JOBS_MAX {
            let put = queue.put(job(&number.to_string(), Lane::Read, 0));
            assert!(matches!(put, Put::Waiting));
        }
        let put = queue.put(job("databases", Lane::Read, 7));
        assert!(matches!(put, Put::Full(job) if job.generation == 7));
    }

    #[test]
    fn a_closed_queue_lets_go() {
        let queue = Queue::<()>::default();
        queue.put(job("databases", Lane::Read, 1));
        queue.close();
        assert!(queue.take().is_none());
    }

    #[test]
    fn a_finished_queue_hands_out_what_waits() {
        let queue = Queue::<()>::default();
        for generation in 1..=2 {
            queue.put(job("databases", Lane::Write, generation));
        }
        queue.finish();
        let taken = std::iter::from_fn(|| done(&queue));
        assert_eq!(taken.collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn files_are_worked_on_side_by_side_but_care_of_the_store_is_alone() {
        let import = |number: u64, collection: &str| {
            let mut import = job(&number.to_string(), Lane::Transfer, number);
            import.manners.into = vec![Namespace::new("d", collection)];
            import
        };
        let mut care = job("sizes", Lane::Transfer, 4);
        care.manners.is_alone = true;
        let mut inner = Inner::<()>::default();
        inner.jobs.extend([import(1, "a"), import(2, "a"), import(3, "b"), care, import(5, "c")]);
        let mut next = |ended: Option<u64>| {
            if let Some(ended) = ended {
                let purpose = |busy: &Busy| busy.key == import(ended, "").key;
                let at = inner.busy.iter().position(purpose).unwrap_or(0);
                inner.busy.remove(at);
            }
            inner.next().map(|job| job.generation)
        };
        assert_eq!((next(None), next(None)), (Some(1), Some(3)));
        assert_eq!(next(None), None, "the other one into a waits for the first");
        assert_eq!(next(Some(1)), Some(2));
        assert_eq!(next(Some(3)), None, "care waits until it is alone");
        assert_eq!(next(Some(2)), Some(4));
        assert_eq!(next(None), None, "nothing runs beside it");
        assert_eq!(next(Some(4)), Some(5));
    }
}
