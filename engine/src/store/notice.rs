//! What the store tells without being asked, for the log.

use std::sync::{PoisonError, RwLock};

use super::StoreState;

/// Something a person may want to know of later.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreNotice {
    /// The store takes less than before, or everything again.
    State {
        /// What it takes now.
        state: StoreState,
        /// Why: a sentence.
        reason: Option<String>,
    },
    /// The store re-opened itself after a failed write; its file is sound.
    Reopened,
    /// A read transaction has been alive for long, and the file grows meanwhile.
    LongRead {
        /// For how long, in milliseconds.
        ms: u64,
    },
    /// Places of readers whose process is gone were given back.
    StaleReaders {
        /// How many.
        count: usize,
    },
}

type Observer = Box<dyn Fn(&StoreNotice) + Send + Sync>;

/// Who is told.
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
