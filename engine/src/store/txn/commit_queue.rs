//! The line of writes before LMDB's one writer.
//!
//! Whoever comes first has the turn and leads; who comes later lends its write and sleeps. The leader
//! takes writes out of the line and runs them in its own transaction. When it ends, the first that is
//! still waiting gets its write back and the turn with it, so nobody waits for ever.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};

use super::env::{Lent, lend};
use super::group_commit::Member;
use crate::limits::WRITES_WAITING_MAX;
use crate::store::StoreError;

#[derive(Default)]
pub(in crate::store) struct Line {
    state: Mutex<State>,
    has_room: Condvar,
}

#[derive(Default)]
struct State {
    /// The thread whose turn it is: a write inside a write would wait for itself.
    leader: Option<ThreadId>,
    waiting: VecDeque<Waiting>,
    /// Threads that wait for room in the line. Telling them costs a system call, also when there are none.
    outside: usize,
}

struct Waiting {
    owner: ThreadId,
    lent: Lent,
    may_share: bool,
}

/// The right to write, handed on when dropped.
pub(super) struct Turn<'l>(&'l Line);

impl Line {
    /// Waits until `member` has been run by another thread, or until it is this thread's turn to run
    /// it. A member that may not share is left to its own thread.
    pub(super) fn stand(
        &self,
        member: &mut dyn Member,
        may_share: bool,
    ) -> Result<Option<Turn<'_>>, StoreError> {
        let me = thread::current().id();
        let mut state = self.lock();
        if state.leader == Some(me) {
            return Err(StoreError::Bug { what: "a write was begun inside a write".to_owned() });
        }
        while state.waiting.len() >= WRITES_WAITING_MAX {
            state.outside += 1;
            state = self.has_room.wait(state).unwrap_or_else(PoisonError::into_inner);
            state.outside -= 1;
        }
        if state.leader.is_none() {
            state.leader = Some(me);
            return Ok(Some(Turn(self)));
        }
        lend(member, |lent| {
            state.waiting.push_back(Waiting { owner: me, lent, may_share });
            drop(state);
        });
        let is_mine = self.lock().leader == Some(me);
        // Not `then_some`: a turn that comes to be and is dropped is handed on.
        Ok(is_mine.then(|| Turn(self)))
    }

    #[cfg(test)]
    pub(in crate::store) fn waiting(&self) -> usize {
        self.lock().waiting.len()
    }

    #[cfg(test)]
    pub(in crate::store) fn outside(&self) -> usize {
        self.lock().outside
    }

    #[cfg(test)]
    pub(in crate::store) fn is_led(&self) -> bool {
        self.lock().leader.is_some()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lets one more in, if there is one.
    fn leave(&self, state: MutexGuard<'_, State>) {
        let is_awaited = state.outside > 0;
        drop(state);
        if is_awaited {
            self.has_room.notify_one();
        }
    }
}

impl Turn<'_> {
    /// The first write in line, if it may share this turn's transaction.
    pub(super) fn take_next(&self) -> Option<Lent> {
        let mut state = self.0.lock();
        let first = state.waiting.pop_front_if(|first| first.may_share)?;
        self.0.leave(state);
        Some(first.lent)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        let first = state.waiting.pop_front();
        state.leader = first.as_ref().map(|first| first.owner);
        self.0.leave(state);
        // Dropping the loan wakes its owner, who finds that the turn is its own.
        drop(first);
    }
}
