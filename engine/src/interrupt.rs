//! What may end the work of a thread before it is done.
//!
//! A command begins and ends on one thread, so the loops deep below it find its limit there and no
//! signature has to carry it.

use std::{any::Any, cell::RefCell, sync::Arc};

/// Among fewer a round finds one sooner than it looks whether to end.
const LOOKS_AMONG_MIN: usize = 64;

/// Something that may end work: a person, or the time.
pub trait Limit: Any + Send + Sync {
    /// To be called for every round of a loop; may look only now and then.
    ///
    /// # Errors
    /// Why the work has to end.
    fn tick(&self) -> Result<(), Ended>;
}

/// Why work has to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Ended {
    /// It was asked to stop.
    #[error("operation was interrupted: somebody sent killOp for it")]
    Interrupted,
    /// It took longer than it was allowed to.
    #[error("operation exceeded time limit; raise maxTimeMS or narrow the filter")]
    TimeLimit,
}

thread_local! {
    static CURRENT: RefCell<Option<Arc<dyn Limit>>> = const { RefCell::new(None) };
}

/// Puts the limit before back, also when the work panics.
struct Restore(Option<Arc<dyn Limit>>);

impl Drop for Restore {
    fn drop(&mut self) {
        CURRENT.set(self.0.take());
    }
}

/// Does the work within this limit, or within none.
pub fn run_within<T>(limit: Option<Arc<dyn Limit>>, work: impl FnOnce() -> T) -> T {
    let _restore = Restore(CURRENT.replace(limit));
    work()
}

/// The limit of this thread's work.
#[must_use]
pub fn current_limit() -> Option<Arc<dyn Limit>> {
    CURRENT.with_borrow(Clone::clone)
}

/// One round of a loop of this thread's work. Without a limit nothing ends.
///
/// # Errors
/// Why the work has to end.
pub fn tick() -> Result<(), Ended> {
    CURRENT.with_borrow(|limit| limit.as_ref().map_or(Ok(()), |limit| limit.tick()))
}

/// As [`tick`], for a round that looks for one among so many: with few it is not worth a look.
///
/// # Errors
/// Why the work has to end.
pub fn tick_among(many: usize) -> Result<(), Ended> {
    if many < LOOKS_AMONG_MIN { Ok(()) } else { tick() }
}

/// Does the work within a limit that ends it at its first look.
#[cfg(test)]
pub(crate) fn ended_at_once<T>(work: impl FnOnce() -> T) -> T {
    run_within(Some(Arc::new(tests::Always(Ended::Interrupted))), work)
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) struct Always(pub(super) Ended);

    impl Limit for Always {
        fn tick(&self) -> Result<(), Ended> {
            Err(self.0)
        }
    }

    #[test]
    fn a_thread_has_one_limit_at_a_time() {
        let limit = |why| Some(Arc::new(Always(why)) as Arc<dyn Limit>);
        assert_eq!(tick(), Ok(()));
        run_within(limit(Ended::TimeLimit), || {
            run_within(limit(Ended::Interrupted), || assert_eq!(tick(), Err(Ended::Interrupted)));
            assert_eq!(tick(), Err(Ended::TimeLimit));
            run_within(None, || assert_eq!(tick(), Ok(())));
        });
        assert!(current_limit().is_none());
    }
}
