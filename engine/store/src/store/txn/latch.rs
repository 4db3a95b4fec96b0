//! The latch that every transaction holds while it is alive.
//!
//! LMDB may move its map only while no transaction is alive in this process. It does not check that, and
//! a reader that is still alive would then read unmapped addresses. The latch also counts readers: LMDB's
//! reader table is short, and each reader keeps freed pages from being reused.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::limits::READ_WARNING;

#[derive(Default)]
pub(in crate::store) struct TxnLatch {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    active: usize,
    is_exclusive: bool,
    /// Active readers, the oldest first.
    readers: Vec<ActiveRead>,
    next_reader: u64,
}

struct ActiveRead {
    number: u64,
    began: Duration,
    is_reported: bool,
}

/// Held while a transaction is alive.
pub(in crate::store) struct TxnGuard<'l> {
    latch: &'l TxnLatch,
    reader: Option<u64>,
    /// The age of a long read that this entry found and that must be reported.
    pub(in crate::store) long_read: Option<Duration>,
}

/// Proof that no transaction is alive in this process.
pub(in crate::store) struct Exclusive<'l>(&'l TxnLatch);

impl TxnLatch {
    /// Waits while the latch is held exclusively.
    pub(in crate::store) fn enter(&self) -> TxnGuard<'_> {
        self.shared_state().active += 1;
        TxnGuard { latch: self, reader: None, long_read: None }
    }

    /// Enters as a reader; `None` when `max` readers are active. `now` is a [`work_time`].
    ///
    /// [`work_time`]: crate::clock::work_time
    pub(in crate::store) fn enter_read(&self, now: Duration, max: u32) -> Option<TxnGuard<'_>> {
        let mut state = self.shared_state();
        if state.readers.len() >= max as usize {
            return None;
        }
        let long_read = state.long_read(now);
        let number = state.next_reader;
        state.next_reader += 1;
        state.active += 1;
        state.readers.push(ActiveRead { number, began: now, is_reported: false });
        Some(TxnGuard { latch: self, reader: Some(number), long_read })
    }

    /// The age of the oldest reader that has become a long read; each reader is returned once.
    pub(in crate::store) fn long_read(&self, now: Duration) -> Option<Duration> {
        self.lock().long_read(now)
    }

    /// How many readers are active, and when the oldest began.
    pub(in crate::store) fn readers(&self) -> (usize, Option<Duration>) {
        let state = self.lock();
        (state.readers.len(), state.readers.first().map(|read| read.began))
    }

    /// Blocks new transactions and waits until all active ones have ended; `None` after `patience`.
    pub(in crate::store) fn exclusive(&self, patience: Duration) -> Option<Exclusive<'_>> {
        let mut state = self.shared_state();
        state.is_exclusive = true;
        let exclusive = Exclusive(self);
        let (state, _) = self
            .changed
            .wait_timeout_while(state, patience, |state| state.active > 0)
            .unwrap_or_else(PoisonError::into_inner);
        let is_idle = state.active == 0;
        // Dropping `exclusive` takes this lock.
        drop(state);
        is_idle.then_some(exclusive)
    }

    fn shared_state(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while state.is_exclusive {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for TxnGuard<'_> {
    fn drop(&mut self) {
        let mut state = self.latch.lock();
        state.active -= 1;
        if let Some(number) = self.reader {
            state.readers.retain(|read| read.number != number);
        }
        // Waking costs a system call. Only `exclusive` waits for the last guard, and it sets the flag first.
        let is_awaited = state.is_exclusive && state.active == 0;
        drop(state);
        if is_awaited {
            self.latch.changed.notify_all();
        }
    }
}

impl Drop for Exclusive<'_> {
    fn drop(&mut self) {
        self.0.lock().is_exclusive = false;
        self.0.changed.notify_all();
    }
}

impl State {
    fn long_read(&mut self, now: Duration) -> Option<Duration> {
        let age = |read: &ActiveRead| now.saturating_sub(read.began);
        self.readers.first().filter(|first| age(first) >= READ_WARNING)?;
        let oldest = self.readers.iter_mut().find(|read| !read.is_reported)?;
        oldest.is_reported = age(oldest) >= READ_WARNING;
        oldest.is_reported.then(|| age(oldest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_exclusive_only_without_transactions() {
        let latch = TxnLatch::default();
        let guard = latch.enter();
        assert!(latch.exclusive(Duration::ZERO).is_none());
        drop(guard);
        assert!(latch.exclusive(Duration::ZERO).is_some());
        drop(latch.enter());
    }

    #[test]
    fn admits_no_more_readers_than_the_limit() {
        let latch = TxnLatch::default();
        let first = latch.enter_read(Duration::ZERO, 2);
        let second = latch.enter_read(Duration::ZERO, 2);
        assert!(first.is_some() && second.is_some());
        assert!(latch.enter_read(Duration::ZERO, 2).is_none());
        assert!(latch.enter_read(Duration::ZERO, 3).is_some(), "a higher limit admits more");
        drop(first);
        assert!(latch.enter_read(Duration::ZERO, 2).is_some());
    }

    #[test]
    fn reports_a_long_read_once() {
        let secs = Duration::from_secs;
        let latch = TxnLatch::default();
        let _early = latch.enter_read(secs(100), 9);
        let _late = latch.enter_read(secs(103), 9);
        assert_eq!(latch.long_read(secs(104)), None);
        assert_eq!(latch.long_read(secs(105)), Some(secs(5)));
        assert_eq!(latch.long_read(secs(106)), None);
        assert_eq!(latch.long_read(secs(110)), Some(secs(7)));
        assert_eq!(latch.long_read(secs(120)), None);
        assert_eq!(latch.readers(), (2, Some(secs(100))));
        let reported = |now| latch.enter_read(secs(now), 9).map(|guard| guard.long_read);
        assert_eq!(reported(121), Some(None));
        let _later = latch.enter_read(secs(122), 9);
        assert_eq!(
            [reported(126), reported(127), reported(128)],
            [Some(None), Some(Some(secs(5))), Some(None)]
        );
    }
}
