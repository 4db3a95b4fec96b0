//! A bounded queue in which a newer job replaces a waiting one with the same purpose.

use std::collections::VecDeque;
use std::mem::discriminant;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mayfly_engine::clock::{Clock as _, SystemClock};

use super::job::{Job, Lane, Work};
use super::transfer::TransferWork;
use crate::job::{Namespace, Purpose};
use crate::limits::QUEUE_JOBS_MAX;

/// What happened to a job that was put into a queue.
#[derive(Debug)]
pub enum Put {
    /// It waits.
    Waiting,
    /// It waits in the place of an older one.
    Replaced(Job),
    /// The queue is full; the job comes back.
    Full(Job),
}

/// Jobs that wait for the threads of one lane.
#[derive(Debug, Default)]
pub struct Queue {
    inner: Mutex<Inner>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Inner {
    jobs: VecDeque<Job>,
    /// What is being done.
    busy: Vec<Busy>,
    closed: bool,
}

/// A job that a thread does.
#[derive(Debug)]
struct Busy {
    purpose: Purpose,
    /// On the monotonic clock.
    since: Duration,
    /// Whether nothing else of its lane is done meanwhile.
    is_alone: bool,
    /// The collections that it imports into.
    into: Vec<Namespace>,
}

/// Whether a job closes the store or moves it, so that nothing else may work with files meanwhile.
fn is_alone(job: &Job) -> bool {
    job.lane == Lane::Transfer
        && matches!(job.purpose, Purpose::Maintenance(_) | Purpose::Sandbox(_))
}

/// The collections that a job imports into. Two imports into one take turns: either may drop it.
fn into(job: &Job) -> Vec<&Namespace> {
    match &job.work {
        Work::Transfer(TransferWork::Import { request, .. }) => vec![&request.namespace],
        Work::Transfer(TransferWork::ImportMany { requests, .. }) => {
            requests.iter().map(|request| &request.namespace).collect()
        }
        Work::Transfer(TransferWork::ImportDump { request, .. }) => {
            request.choices.iter().map(|choice| &choice.into).collect()
        }
        _ => Vec::new(),
    }
}

impl Inner {
    /// Whether no equal question runs, and no other query of the same view of a tab.
    fn is_free(&self, purpose: &Purpose) -> bool {
        let query = purpose.query_of();
        let excludes = |busy: &Purpose| {
            let is_same_view = discriminant(busy) == discriminant(purpose);
            busy == purpose || query.is_some() && is_same_view && busy.query_of() == query
        };
        !self.busy.iter().any(|busy| excludes(&busy.purpose))
    }

    /// The first job that nothing under way is in the way of.
    fn next(&mut self) -> Option<Job> {
        // What was asked for after work that must be alone waits too, or that would never begin.
        let until = self.jobs.iter().position(is_alone).unwrap_or(self.jobs.len());
        let can_begin = |at: usize, job: &Job| {
            let targets = into(job);
            let is_same = |busy: &Busy| targets.iter().any(|target| busy.into.contains(target));
            let is_in_the_way = |busy: &Busy| at == until || busy.is_alone || is_same(busy);
            self.is_free(&job.purpose) && !self.busy.iter().any(is_in_the_way)
        };
        let mut first = self.jobs.iter().enumerate().take(until + 1);
        let at = first.find(|(at, job)| can_begin(*at, job))?.0;
        let job = self.jobs.remove(at)?;
        let (purpose, since) = (job.purpose.clone(), SystemClock.monotonic());
        let (is_alone, into) = (is_alone(&job), into(&job).into_iter().cloned().collect());
        self.busy.push(Busy { purpose, since, is_alone, into });
        Some(job)
    }
}

impl Queue {
    /// Puts a job in, or in the place of an older one with the same purpose.
    pub fn put(&self, job: Job) -> Put {
        let mut inner = self.lock();
        let same = |old: &&mut Job| old.purpose == job.purpose && job.lane != Lane::Write;
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

    /// Waits for the next job. `None`: the queue is closed.
    ///
    /// Of one purpose one job is done at a time, or the answer to an older question could come after the answer to
    /// a newer one and replace it. The thread that takes a job calls [`ended`](Self::ended).
    pub fn take(&self) -> Option<Job> {
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
    pub fn ended(&self, purpose: &Purpose) {
        let mut inner = self.lock();
        if let Some(at) = inner.busy.iter().position(|busy| busy.purpose == *purpose) {
            inner.busy.swap_remove(at);
        }
        drop(inner);
        self.changed.notify_all();
    }

    /// When a job that waits needs one more thread: once every thread has been busy with one job for
    /// `patience`. `None`: nothing waits for a thread.
    pub fn relief_in(&self, threads: usize, patience: Duration) -> Option<Duration> {
        let inner = self.lock();
        let waits = inner.jobs.iter().any(|job| inner.is_free(&job.purpose));
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

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bson::doc;

    use super::*;
    use crate::job::purpose::{SandboxPurpose, TransferPurpose};
    use crate::job::{OperationId, TabId};
    use crate::state::purpose::{DocumentsPurpose, Purpose, StorePurpose};
    use crate::worker::Work;

    fn job(purpose: StorePurpose, lane: Lane, generation: u64) -> Job {
        let work = Work::Command { db: "d".to_owned(), command: doc! {"ping": 1} };
        Job { purpose: Purpose::Store(purpose), lane, generation, store: 0, work }
    }

    /// Takes a job and ends it.
    fn done(queue: &Queue) -> Option<u64> {
        let job = queue.take()?;
        queue.ended(&job.purpose);
        Some(job.generation)
    }

    #[test]
    fn a_newer_job_takes_the_place_of_an_older_one() {
        let queue = Queue::default();
        assert!(matches!(queue.put(job(StorePurpose::Databases, Lane::Read, 1)), Put::Waiting));
        let put = queue.put(job(StorePurpose::Databases, Lane::Read, 2));
        assert!(matches!(put, Put::Replaced(old) if old.generation == 1));
        assert_eq!(queue.take().map(|job| job.generation), Some(2));
    }

    #[test]
    fn writes_are_never_replaced() {
        let queue = Queue::default();
        for generation in 1..=2 {
            let put = queue.put(job(StorePurpose::Databases, Lane::Write, generation));
            assert!(matches!(put, Put::Waiting));
        }
        assert_eq!(done(&queue), Some(1));
        assert_eq!(done(&queue), Some(2));
    }

    #[test]
    fn a_newer_question_waits_for_the_answer_to_an_older_one() {
        let queue = Queue::default();
        queue.put(job(StorePurpose::Databases, Lane::Read, 1));
        let older = queue.take().expect("a job");
        queue.put(job(StorePurpose::Databases, Lane::Read, 2));
        queue.put(job(StorePurpose::Open, Lane::Read, 3));
        assert_eq!(queue.take().map(|job| job.generation), Some(3), "another question goes on");
        queue.finish();
        queue.ended(&older.purpose);
        assert_eq!(queue.take().map(|job| job.generation), Some(2));
        assert!(queue.take().is_none());
    }

    #[test]
    fn the_queries_of_a_tab_take_one_reader() {
        let queue = Queue::default();
        let query = |tab, purpose, generation| Job {
            purpose: Purpose::Documents(TabId(tab), purpose),
            ..job(StorePurpose::Open, Lane::Read, generation)
        };
        queue.put(query(1, DocumentsPurpose::Page { run: 1, first: 0 }, 1));
        queue.put(query(1, DocumentsPurpose::Count { run: 1 }, 2));
        queue.put(query(2, DocumentsPurpose::Page { run: 1, first: 0 }, 3));
        let slow = queue.take().expect("a job");
        assert_eq!(queue.take().map(|job| job.generation), Some(3), "the other tab goes first");
        queue.ended(&slow.purpose);
        assert_eq!(queue.take().map(|job| job.generation), Some(2));
    }

    #[test]
    fn a_job_that_waits_long_needs_one_more_thread() {
        const PATIENCE: Duration = Duration::from_hours(1);
        let queue = Queue::default();
        let put = |purpose, generation| queue.put(job(purpose, Lane::Read, generation));
        put(StorePurpose::Databases, 1);
        assert_eq!(queue.relief_in(1, Duration::ZERO), None, "the thread is free");
        assert!(queue.take().is_some());
        assert_eq!(queue.relief_in(1, Duration::ZERO), None, "nothing waits");
        put(StorePurpose::Databases, 2);
        assert_eq!(queue.relief_in(1, Duration::ZERO), None, "it waits for its own turn");
        put(StorePurpose::Open, 3);
        assert_eq!(queue.relief_in(1, Duration::ZERO), Some(Duration::ZERO));
        assert_eq!(queue.relief_in(2, Duration::ZERO), None, "another thread is free");
        let left = queue.relief_in(1, PATIENCE);
        assert!(left.is_some_and(|left| Duration::ZERO < left && left <= PATIENCE), "{left:?}");
    }

    #[test]
    fn a_full_queue_hands_the_job_back() {
        let queue = Queue::default();
        for number in 0..QUEUE_JOBS_MAX {
            let purpose = StorePurpose::Collections(number.to_string());
            assert!(matches!(queue.put(job(purpose, Lane::Read, 0)), Put::Waiting));
        }
        let put = queue.put(job(StorePurpose::Databases, Lane::Read, 7));
        assert!(matches!(put, Put::Full(job) if job.generation == 7));
    }

    #[test]
    fn a_closed_queue_lets_go() {
        let queue = Queue::default();
        queue.put(job(StorePurpose::Databases, Lane::Read, 1));
        queue.close();
        assert!(queue.take().is_none());
    }

    #[test]
    fn a_finished_queue_hands_out_what_waits() {
        let queue = Queue::default();
        for generation in 1..=2 {
            queue.put(job(StorePurpose::Databases, Lane::Write, generation));
        }
        queue.finish();
        let taken = std::iter::from_fn(|| done(&queue));
        assert_eq!(taken.collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn files_are_worked_on_side_by_side_but_care_of_the_store_is_alone() {
        let import = |number, collection: &str| {
            let namespace = Namespace::new("d", collection);
            let request = mayfly_engine::transfer::ImportRequest::new(Vec::new(), namespace);
            let work = Work::Transfer(TransferWork::Import { request, progress: Arc::default() });
            let purpose = TransferPurpose::Import(OperationId(number));
            Job {
                purpose: Purpose::Transfer(purpose),
                lane: Lane::Transfer,
                generation: number,
                store: 0,
                work,
            }
        };
        let care = Job { purpose: Purpose::Sandbox(SandboxPurpose::Copy), ..import(4, "x") };
        let mut inner = Inner::default();
        inner.jobs.extend([import(1, "a"), import(2, "a"), import(3, "b"), care, import(5, "c")]);
        let mut next = |ended: Option<u64>| {
            if let Some(ended) = ended {
                let purpose = |busy: &Busy| busy.purpose == import(ended, "").purpose;
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
