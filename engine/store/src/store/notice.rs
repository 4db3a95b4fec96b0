//! Notices of an open store, for the log.

use std::sync::{PoisonError, RwLock};

use super::StoreState;

/// An event of an open store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreNotice {
    /// The store accepts less than before, or everything again.
    State {
        /// The state from now on.
        state: StoreState,
        /// Why: a sentence.
        reason: Option<String>,
    },
    /// The store reopened its file after a failed write; the file is sound.
    Reopened,
    /// The walk after an opening has found rows that don't match their checksums.
    DamagedRows {
        /// How many.
        count: u64,
    },
    /// A read transaction has been active for long. The file grows during it.
    LongRead {
        /// Its age in milliseconds.
        ms: u64,
    },
    /// Slots of readers whose process has ended were freed.
    StaleReaders {
        /// How many.
        count: usize,
    },
}

type Observer = Box<dyn Fn(&StoreNotice) + Send + Sync>;

#[derive(Default)]
pub(super) struct Notices(RwLock<Option<Observer>>);

impl Notices {
    pub(super) fn observe(&self, observer: Observer) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(observer);
    }

    pub(super) fn send(&self, notice: &StoreNotice) {
        if let Some(observer) = &*self.0.read().unwrap_or_else(PoisonError::into_inner) {
            observer(notice);
        }
    }
}
