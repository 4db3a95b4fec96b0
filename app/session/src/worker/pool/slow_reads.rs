//! Reads that may go through a whole collection: they can be canceled.

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::job::slow_read::SlowRead;
use crate::job::{Cancel, TabId};

/// Slow reads that were asked for and have not ended.
#[derive(Default)]
pub(super) struct SlowReads(Mutex<Vec<Noted>>);

struct Noted {
    read: (TabId, SlowRead),
    generation: u64,
    cancel: Cancel,
}

impl SlowReads {
    /// Adds one. Returns how many views have queries now.
    pub(super) fn note(&self, read: (TabId, SlowRead), generation: u64) -> usize {
        let mut reads = self.lock();
        reads.push(Noted { read, generation, cancel: Cancel::default() });
        let views =
            reads.iter().filter_map(|Noted { read: (tab, kind), .. }| Some((*tab, kind.turn()?)));
        views.collect::<HashSet<_>>().len()
    }

    pub(super) fn cancel(&self, is_meant: impl Fn((TabId, SlowRead)) -> bool) {
        for noted in self.lock().iter().filter(|noted| is_meant(noted.read)) {
            noted.cancel.cancel();
        }
    }

    /// Cancels the job of this generation. `None` if it isn't a slow read.
    pub(super) fn cancel_of(&self, generation: u64) -> Option<Cancel> {
        let reads = self.lock();
        let found = reads.iter().find(|read| read.generation == generation);
        found.map(|read| read.cancel.clone())
    }

    pub(super) fn ended(&self, generation: u64) {
        self.lock().retain(|read| read.generation != generation);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Noted>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
