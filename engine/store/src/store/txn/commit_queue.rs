//! The queue of writes for LMDB's single writer.
//!
//! The first thread becomes the leader; later threads enqueue their write and park. The leader takes
//! writes off the queue and runs them in its own transaction. When it is done, the thread of the oldest
//! write that is still queued takes its write back and becomes the leader, so no write starves.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use super::env::{BorrowedWrite, PendingWrite};
use crate::limits::WRITES_WAITING_MAX;
use crate::store::StoreError;

#[derive(Default)]
pub(in crate::store) struct CommitQueue {
    state: Mutex<State>,
    has_space: Condvar,
}

#[derive(Default)]
struct State {
    /// The leader's thread. A write inside a write would wait for itself, so it is refused.
    leader: Option<ThreadId>,
    queue: VecDeque<QueuedWrite>,
    /// Threads that wait for space in a full queue. Notifying costs a system call even without waiters.
    blocked: usize,
}

struct QueuedWrite {
    owner: ThreadId,
    write: BorrowedWrite,
    may_share: bool,
}

/// The right to use LMDB's writer. Dropping it makes the owner of the oldest queued write the leader.
pub(super) struct Leader<'q>(&'q CommitQueue);

impl CommitQueue {
    /// Waits until another thread has run `write`, or until this thread leads and must run it itself. A
    /// write that may not share a transaction is always left to its own thread.
    pub(super) fn lead_or_wait(
        &self,
        write: &mut dyn PendingWrite,
        may_share: bool,
    ) -> Result<Option<Leader<'_>>, StoreError> {
        let me = thread::current().id();
        let mut state = self.lock();
        // LMDB's writer lock is not recursive, so the thread would wait for itself.
        if state.leader == Some(me) {
            return Err(StoreError::Bug { what: "a write was begun inside a write".to_owned() });
        }
        // A bound, because each queued write keeps its documents in memory.
        while state.queue.len() >= WRITES_WAITING_MAX {
            state.blocked += 1;
            state = self.has_space.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.blocked -= 1;
        }
        if state.leader.is_none() {
            state.leader = Some(me);
            return Ok(Some(Leader(self)));
        }
        BorrowedWrite::scope(write, |write| {
            state.queue.push_back(QueuedWrite { owner: me, write, may_share });
            drop(state);
        });
        let is_leader = self.lock().leader == Some(me);
        // Not `then_some`: it would build a `Leader` in any case, and dropping that hands leadership on.
        Ok(is_leader.then(|| Leader(self)))
    }

    #[cfg(any(test, feature = "testing"))]
    pub(in crate::store) fn queued(&self) -> usize {
        self.lock().queue.len()
    }

    #[cfg(test)]
    pub(in crate::store) fn blocked(&self) -> usize {
        self.lock().blocked
    }

    #[cfg(test)]
    pub(in crate::store) fn has_leader(&self) -> bool {
        self.lock().leader.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Unlocks the state, and wakes a thread that waits for space.
    fn unlock_and_wake(&self, state: MutexGuard<'_, State>) {
        let is_awaited = state.blocked > 0;
        drop(state);
        if is_awaited {
            self.has_space.notify_one();
        }
    }
}

impl Leader<'_> {
    /// The oldest queued write, if it may share this leader's transaction.
    pub(super) fn take_next(&self) -> Option<BorrowedWrite> {
        let mut state = self.0.lock();
        // Only from the front: a write that may not share ends the group, or later ones would
        // overtake it.
        let first = state.queue.pop_front_if(|first| first.may_share)?;
        self.0.unlock_and_wake(state);
        Some(first.write)
    }
}

impl Drop for Leader<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        let first = state.queue.pop_front();
        state.leader = first.as_ref().map(|first| first.owner);
        self.0.unlock_and_wake(state);
        // Dropping the borrow wakes its owner, which then finds itself the leader.
        drop(first);
    }
}
