//! Cancellation: a per-thread limit that long loops poll.
//!
//! A command starts and ends on one thread, so loops deep in the call stack find its limit there,
//! and no signature has to carry it.

use std::{any::Any, cell::RefCell, cmp::Ordering, sync::Arc};

/// A loop over fewer items ends before a check would pay off.
const LOOKS_AMONG_MIN: usize = 64;

/// Items that are sorted or merged between two checks: some milliseconds of work.
const SORTED_AT_ONCE: usize = 8_192;

/// Ends work early: on request, or after a time.
pub trait Limit: Any + Send + Sync {
    /// Called in every iteration of a loop; may check only now and then.
    ///
    /// # Errors
    /// Why the work must end.
    fn tick(&self) -> Result<(), StopReason>;

    /// As [`Limit::tick`], where a slower look pays off.
    ///
    /// # Errors
    /// Why the work must end.
    fn check(&self) -> Result<(), StopReason> {
        self.tick()
    }
}

/// Why work must end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum StopReason {
    /// Its end was requested.
    #[error("operation was interrupted by killOp")]
    Interrupted,
    /// Its client has closed the connection.
    #[error("the client disconnected")]
    ClientGone,
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

/// A stable sort of any number of items. The standard library's can't be interrupted, and takes
/// seconds for a million keys.
///
/// # Errors
/// Why the work must end.
pub fn sort_by<T>(
    items: Vec<T>,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Result<Vec<T>, StopReason> {
    let mut runs = Vec::with_capacity(items.len().div_ceil(SORTED_AT_ONCE));
    let mut items = items.into_iter();
    while items.len() > 0 {
        tick()?;
        let mut run: Vec<T> = items.by_ref().take(SORTED_AT_ONCE).collect();
        run.sort_by(&compare);
        runs.push(run);
    }
    while runs.len() > 1 {
        let mut pairs = runs.into_iter();
        let mut merged = Vec::with_capacity(pairs.len().div_ceil(2));
        while let Some(first) = pairs.next() {
            let second = pairs.next().unwrap_or_default();
            merged.push(merge(first, second, &compare)?);
        }
        runs = merged;
    }
    Ok(runs.pop().unwrap_or_default())
}

/// Both sorted lists in one; of equal items those of the first come first.
fn merge<T>(
    first: Vec<T>,
    second: Vec<T>,
    compare: impl Fn(&T, &T) -> Ordering,
) -> Result<Vec<T>, StopReason> {
    let mut merged = Vec::with_capacity(first.len() + second.len());
    let (mut first, mut second) = (first.into_iter().peekable(), second.into_iter().peekable());
    while let (Some(a), Some(b)) = (first.peek(), second.peek()) {
        if merged.len().is_multiple_of(SORTED_AT_ONCE) {
            tick()?;
        }
        let is_second = compare(b, a) == Ordering::Less;
        merged.extend(if is_second { second.next() } else { first.next() });
    }
    merged.extend(first);
    merged.extend(second);
    Ok(merged)
}

/// Runs `work` within a limit that ends it at the first check.
#[cfg(any(test, feature = "testing"))]
pub fn ended_at_once<T>(work: impl FnOnce() -> T) -> T {
    run_within(Some(Arc::new(Always(StopReason::Interrupted))), work)
}

#[cfg(any(test, feature = "testing"))]
struct Always(StopReason);

#[cfg(any(test, feature = "testing"))]
impl Limit for Always {
    fn tick(&self) -> Result<(), StopReason> {
        Err(self.0)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering as Memory};

    use super::*;

    /// Ends the work at a check.
    struct After(AtomicUsize);

    impl Limit for After {
        fn tick(&self) -> Result<(), StopReason> {
            let left = self.0.load(Memory::Relaxed).checked_sub(1);
            left.map(|left| self.0.store(left, Memory::Relaxed)).ok_or(StopReason::Interrupted)
        }
    }

    #[test]
    fn a_long_sort_is_stable_and_ends_when_asked() {
        for length in [0, 1, SORTED_AT_ONCE, 5 * SORTED_AT_ONCE + 3] {
            // Few different keys, in no order.
            let items: Vec<(usize, usize)> =
                (0..length).map(|at| (at.wrapping_mul(2_654_435_761) % 97, at)).collect();
            let by_key = |a: &(usize, usize), b: &(usize, usize)| a.0.cmp(&b.0);
            let mut expected = items.clone();
            expected.sort_by(by_key);
            assert_eq!(sort_by(items.clone(), by_key), Ok(expected), "{length}");
            let checks = [0, 3, 7].map(|checks| {
                let limit = Arc::new(After(AtomicUsize::new(checks)));
                run_within(Some(limit), || sort_by(items.clone(), by_key)).is_err()
            });
            let is_long = length > SORTED_AT_ONCE;
            assert_eq!(checks, [length > 0, is_long, is_long], "{length}");
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
