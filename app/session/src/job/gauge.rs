//! Work in steps: how far it is, and how it ended.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use mayfly_engine::store::{JobProgress, JobStep};

use super::Cancel;

/// How far work in steps is, shared with the window, and the wish to pause or stop it. `S` tells more
/// of the present step.
#[derive(Debug, Default)]
pub struct Gauge<S = ()> {
    done: AtomicU64,
    total: AtomicU64,
    step: Mutex<S>,
    paused: AtomicBool,
    leaves: AtomicBool,
    /// Stops the work after its present step.
    pub cancel: Cancel,
}

impl<S> Gauge<S> {
    /// Stops the work because its store closes.
    pub fn leave(&self) {
        // The rest is offered after the next start.
        self.leaves.store(true, Ordering::Relaxed);
        self.cancel.cancel();
    }

    /// Whether its store closes.
    pub fn is_left(&self) -> bool {
        self.leaves.load(Ordering::Relaxed)
    }

    /// Pauses it before its next step, or lets it continue.
    pub fn pause(&self, paused: bool) {
        self.paused.store(paused, Ordering::Relaxed);
    }

    pub fn is_paused(&self) -> bool {
        self.paused.load(Ordering::Relaxed)
    }

    /// Units that are done, and units in all; 0 while they are not known.
    pub fn now(&self) -> (u64, u64) {
        (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed))
    }

    pub fn set_total(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    /// Adds to the units that are done.
    pub fn add(&self, more: u64) {
        self.done.fetch_add(more, Ordering::Relaxed);
    }

    pub fn set(&self, done: u64, total: u64, step: S) {
        self.done.store(done, Ordering::Relaxed);
        self.set_total(total);
        *self.step.lock().unwrap_or_else(PoisonError::into_inner) = step;
    }
}

impl<S: Clone> Gauge<S> {
    pub fn step(&self) -> S {
        self.step.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// The progress of work on whole files.
pub type JobGauge = Gauge<Option<JobStep>>;

impl JobGauge {
    /// `None` before the work begins.
    pub fn job(&self) -> Option<JobProgress> {
        let (done, total) = self.now();
        self.step().map(|step| JobProgress { step, done, total })
    }

    /// Notes how far the work is; breaks when it was canceled.
    pub fn watch(&self, at: JobProgress) -> ControlFlow<()> {
        self.set(at.done, at.total, Some(at.step));
        if self.cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

/// How work in steps ended.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum End {
    #[default]
    Complete,
    Cancelled,
    /// It could not continue: one sentence.
    Failed(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_tells_what_it_was_told_and_stops() {
        let gauge = JobGauge::default();
        assert_eq!(gauge.job(), None);
        for step in [JobStep::Walking, JobStep::Copying, JobStep::Reading, JobStep::Replacing] {
            let at = JobProgress { step, done: 3, total: 9 };
            assert_eq!(gauge.watch(at), ControlFlow::Continue(()));
            assert_eq!(gauge.job(), Some(at));
        }
        gauge.cancel.cancel();
        let at = JobProgress { step: JobStep::Copying, done: 4, total: 9 };
        assert_eq!(gauge.watch(at), ControlFlow::Break(()));
    }
}
