//! The gate in front of every transaction.
//!
//! LMDB's map may move only while no transaction is alive in this process; it does not check that
//! itself, and a reader that is still inside would read freed address space. The gate also counts the
//! readers, because LMDB's table of them is short and each keeps old pages from being used again.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::limits::READ_WARNING;

#[derive(Default)]
pub(in crate::store) struct Gate {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    inside: usize,
    closed: bool,
    /// The readers inside, the one that came first in front.
    readers: Vec<Reading>,
    next_reader: u64,
}

struct Reading {
    number: u64,
    began: Duration,
    /// Somebody has been told that it takes long.
    is_told: bool,
}

/// Held while a transaction is alive.
pub(in crate::store) struct Pass<'g> {
    gate: &'g Gate,
    reader: Option<u64>,
    /// How long a reader has been inside that has to be told of.
    pub(in crate::store) long_read: Option<Duration>,
}

/// Held while nobody is inside.
pub(in crate::store) struct Closed<'g>(&'g Gate);

impl Gate {
    /// Goes in; waits while the gate is closed.
    pub(super) fn enter(&self) -> Pass<'_> {
        self.open_state().inside += 1;
        Pass { gate: self, reader: None, long_read: None }
    }

    /// Goes in to read; `None` when `max` readers are inside. `now` is a reading of the clock of work.
    pub(in crate::store) fn enter_reading(&self, now: Duration, max: u32) -> Option<Pass<'_>> {
        let mut state = self.open_state();
        if state.readers.len() >= max as usize {
            return None;
        }
        let long_read = state.long_read(now);
        let number = state.next_reader;
        state.next_reader += 1;
        state.inside += 1;
        state.readers.push(Reading { number, began: now, is_told: false });
        Some(Pass { gate: self, reader: Some(number), long_read })
    }

    /// How long the oldest reader has been inside, once it is long enough to tell of; then never again
    /// for the same one.
    pub(in crate::store) fn long_read(&self, now: Duration) -> Option<Duration> {
        self.lock().long_read(now)
    }

    /// How many readers are inside, and when the first of them came.
    pub(super) fn readers(&self) -> (usize, Option<Duration>) {
        let state = self.lock();
        (state.readers.len(), state.readers.first().map(|reading| reading.began))
    }

    /// Lets nobody in and waits until all are out; `None` when that takes longer than `patience`.
    pub(in crate::store) fn close(&self, patience: Duration) -> Option<Closed<'_>> {
        let mut state = self.open_state();
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

    fn open_state(&self) -> MutexGuard<'_, State> {
        let mut state = self.lock();
        while state.closed {
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        let mut state = self.gate.lock();
        state.inside -= 1;
        if let Some(number) = self.reader {
            state.readers.retain(|reading| reading.number != number);
        }
        // Waking is a call to the system; who waits for the last one out has closed the gate.
        let is_awaited = state.closed && state.inside == 0;
        drop(state);
        if is_awaited {
            self.gate.changed.notify_all();
        }
    }
}

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        self.0.lock().closed = false;
        self.0.changed.notify_all();
    }
}

impl State {
    fn long_read(&mut self, now: Duration) -> Option<Duration> {
        let age = |reading: &Reading| now.saturating_sub(reading.began);
        self.readers.first().filter(|first| age(first) >= READ_WARNING)?;
        let oldest = self.readers.iter_mut().find(|reading| !reading.is_told)?;
        oldest.is_told = age(oldest) >= READ_WARNING;
        oldest.is_told.then(|| age(oldest))
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

    #[test]
    fn lets_no_more_readers_in_than_there_are_places() {
        let gate = Gate::default();
        let first = gate.enter_reading(Duration::ZERO, 2);
        let second = gate.enter_reading(Duration::ZERO, 2);
        assert!(first.is_some() && second.is_some());
        assert!(gate.enter_reading(Duration::ZERO, 2).is_none());
        assert!(gate.enter_reading(Duration::ZERO, 3).is_some(), "a place was kept");
        drop(first);
        assert!(gate.enter_reading(Duration::ZERO, 2).is_some());
    }

    #[test]
    fn tells_once_of_a_reader_that_stays() {
        let secs = Duration::from_secs;
        let gate = Gate::default();
        let _early = gate.enter_reading(secs(100), 9);
        let _late = gate.enter_reading(secs(103), 9);
        assert_eq!(gate.long_read(secs(104)), None);
        assert_eq!(gate.long_read(secs(105)), Some(secs(5)));
        assert_eq!(gate.long_read(secs(106)), None);
        assert_eq!(gate.long_read(secs(110)), Some(secs(7)));
        assert_eq!(gate.long_read(secs(120)), None);
        assert_eq!(gate.readers(), (2, Some(secs(100))));
        let told = |now| gate.enter_reading(secs(now), 9).map(|inside| inside.long_read);
        assert_eq!(told(121), Some(None));
        let _later = gate.enter_reading(secs(122), 9);
        assert_eq!(
            [told(126), told(127), told(128)],
            [Some(None), Some(Some(secs(5))), Some(None)]
        );
    }
}
