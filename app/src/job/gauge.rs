//! The progress of a maintenance job.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};

use mayfly_engine::store::{JobProgress, JobStep};

use super::Cancel;

/// How far a piece of work is, shared with the window, and the wish to stop it.
#[derive(Debug, Default)]
pub struct Gauge {
    step: AtomicU8,
    done: AtomicU64,
    total: AtomicU64,
    pub cancel: Cancel,
}

impl Gauge {
    /// The progress of the work. `None` before it begins.
    pub fn now(&self) -> Option<JobProgress> {
        let step = match self.step.load(Ordering::Relaxed) {
            1 => JobStep::Walking,
            2 => JobStep::Copying,
            3 => JobStep::Reading,
            4 => JobStep::Replacing,
            _ => return None,
        };
        let (done, total) = (self.done.load(Ordering::Relaxed), self.total.load(Ordering::Relaxed));
        Some(JobProgress { step, done, total })
    }

    /// Notes how far the work is; breaks when it was canceled.
    pub fn watch(&self, at: JobProgress) -> ControlFlow<()> {
        let step = match at.step {
            JobStep::Walking => 1,
            JobStep::Copying => 2,
            JobStep::Reading => 3,
            JobStep::Replacing => 4,
        };
        self.step.store(step, Ordering::Relaxed);
        self.done.store(at.done, Ordering::Relaxed);
        self.total.store(at.total, Ordering::Relaxed);
        if self.cancel.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gauge_tells_what_it_was_told_and_stops() {
        let gauge = Gauge::default();
        assert_eq!(gauge.now(), None);
        for step in [JobStep::Walking, JobStep::Copying, JobStep::Reading, JobStep::Replacing] {
            let at = JobProgress { step, done: 3, total: 9 };
            assert_eq!(gauge.watch(at), ControlFlow::Continue(()));
            assert_eq!(gauge.now(), Some(at));
        }
        gauge.cancel.cancel();
        let at = JobProgress { step: JobStep::Copying, done: 4, total: 9 };
        assert_eq!(gauge.watch(at), ControlFlow::Break(()));
    }
}
