//! Reads that may go through a whole collection: they can be canceled.

use std::collections::HashSet;
use std::mem::discriminant;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::job::{Cancel, Purpose};

/// Slow reads that were asked for and have not ended.
#[derive(Default)]
pub(super) struct SlowReads(Mutex<Vec<SlowRead>>);

struct SlowRead {
    purpose: Purpose,
    generation: u64,
    cancel: Cancel,
}

impl SlowReads {
    /// Adds one. Returns how many views have queries now.
    pub(super) fn note(&self, purpose: &Purpose, generation: u64) -> usize {
        let mut reads = self.lock();
        let (purpose, cancel) = (purpose.clone(), Cancel::default());
        reads.push(SlowRead { purpose, generation, cancel });
        let views = reads.iter().filter_map(|read| {
            let tab = read.purpose.query_of()?;
            Some((tab, discriminant(&read.purpose)))
        });
        views.collect::<HashSet<_>>().len()
    }

    pub(super) fn cancel(&self, is_meant: impl Fn(&Purpose) -> bool) {
        for read in self.lock().iter().filter(|read| is_meant(&read.purpose)) {
            read.cancel.cancel();
        }
    }

    /// What cancels the job of this generation; `None`: it is no slow read.
    pub(super) fn cancel_of(&self, generation: u64) -> Option<Cancel> {
        let reads = self.lock();
        let found = reads.iter().find(|read| read.generation == generation);
        found.map(|read| read.cancel.clone())
    }

    pub(super) fn ended(&self, generation: u64) {
        self.lock().retain(|read| read.generation != generation);
    }

    fn lock(&self) -> MutexGuard<'_, Vec<SlowRead>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
