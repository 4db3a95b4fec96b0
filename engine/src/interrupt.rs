//! Cancellation: a per-thread limit that long loops poll.
//!
//! A command starts and ends on one thread, so loops deep in the call stack find its limit there,
//! and no signature has to carry it.

use std::{any::Any, cell::RefCell, sync::Arc};

/// A loop over fewer items ends before a check would pay off.
const LOOKS_AMONG_MIN: usize = 64;

/// Ends work early: on request, or after a time.
pub trait Limit: Any + Send + Sync {
    /// Called in every iteration of a loop; may check only now and then.
    ///
    /// # Errors
    /// Why the work must end.
    fn tick(&self) -> Result<(), StopReason>;
}

/// Why work must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum StopReason {
    /// Its end was requested.
    #[error("operation was interrupted by killOp")]
    Interrupted,
    /// Its time limit is over.
    #[error("operation exceeded time limit; raise maxTimeMS or narrow the filter")]
    TimeLimit,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<dyn Limit>>> = const { RefCell::new(None) };
}

/// Restores the previous limit, even if the work panics.
struct Restore(Option<Arc<dyn Limit>>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Runs `work` within this limit, or within none.
pub fn run_within<T>(limit: Option<Arc<dyn Limit>>, work: impl FnOnce() -> T) -> T {
    let _restore = Restore(CURRENT.replace(limit));
    work()
}

/// The limit of this thread's work.
#[must_use]
pub fn current_limit() -> Option<Arc<dyn Limit>> {
    CURRENT.with_borrow(Clone::clone)
}

/// One iteration of a loop of this thread's work. Does nothing without a limit.
///
/// # Errors
/// Why the work must end.
pub fn tick() -> Result<(), StopReason> {
    CURRENT.with_borrow(|limit| limit.as_ref().map_or(Ok(()), |limit| limit.tick()))
}

/// As [`tick`], for one iteration of a search among `many` items; does nothing if they are few.
///
/// # Errors
/// Why the work must end.
pub fn tick_among(many: usize) -> Result<(), StopReason> {
    if many < LOOKS_AMONG_MIN { Ok(()) } else { tick() }
}

/// Runs `work` within a limit that ends it at the first check.
#[cfg(test)]
pub(crate) fn ended_at_once<T>(work: impl FnOnce() -> T) -> T {
    run_within(Some(Arc::new(tests::Always(StopReason::Interrupted))), work)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) struct Always(pub(super) StopReason);

    impl Limit for Always {
        fn tick(&self) -> Result<(), StopReason> {
            Err(self.0)
        }
    }

    #[test]
    fn a_thread_has_one_limit_at_a_time() {
        let limit = |why| Some(Arc::new(Always(why)) as Arc<dyn Limit>);
        assert_eq!(tick(), Ok(()));
        run_within(limit(StopReason::TimeLimit), || {
            run_within(limit(StopReason::Interrupted), || {
                assert_eq!(tick(), Err(StopReason::Interrupted));
            });
            assert_eq!(tick(), Err(StopReason::TimeLimit));
            run_within(None, || assert_eq!(tick(), Ok(())));
        });
        assert!(current_limit().is_none());
    }
}
