//! The gate in front of every transaction.
//!
//! LMDB's map may move only while no transaction is alive in this process; it does not check that
//! itself, and a reader that is still inside would read freed address space.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

#[derive(Default)]
pub(super) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    inside: usize,
    closed: bool,
}

/// Held while a transaction is alive.
pub(super) struct Pass<'g>(&'g Gate);

/// Held while nobody is inside.
pub(super) struct Closed<'g>(&'g Gate);

impl Gate {
    /// Goes in; waits while the gate is closed.
    pub(super) fn enter(&self) -> Pass<'_> {
        let mut state = self.lock();
        while state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.inside += 1;
        Pass(self)
    }

    /// Lets nobody in and waits until all are out; `None` when that takes longer than `patience`.
    pub(super) fn close(&self, patience: Duration) -> Option<Closed<'_>> {
        let mut state = self.lock();
        while state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.closed = true;
        let closed = Closed(self);
        let (state, _) = self
            .changed
            .wait_timeout_while(state, patience, |state| state.inside > 0)
            .unwrap_or_else(PoisonError::into_inner);
        let empty = state.inside == 0;
        drop(state);
        empty.then_some(closed)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.0.lock().inside -= 1;
        self.0.changed.notify_all();
    }
}

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        self.0.lock().closed = false;
        self.0.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closes_only_when_nobody_is_inside() {
        let gate = Gate::default();
        let pass = gate.enter();
        assert!(gate.close(Duration::ZERO).is_none());
        drop(pass);
        assert!(gate.close(Duration::ZERO).is_some());
        drop(gate.enter());
    }
}
