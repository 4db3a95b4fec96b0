//! The stores that are open at one time: the user's, and that of a lesson.

use std::sync::{Arc, PoisonError, RwLock};

use crate::source::Source;

/// The number that means the user's own store.
pub(super) const OWN: u32 = 0;

/// The open stores. While a lesson is played, the user's own store stays open.
#[derive(Default)]
pub(super) struct Sources {
    own: RwLock<Option<Arc<dyn Source>>>,
    lesson: RwLock<Option<(u32, Arc<dyn Source>)>>,
}

impl Sources {
    /// The user's own store.
    pub(super) fn own(&self) -> Option<Arc<dyn Source>> {
        self.own.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The store of this number, unless it was closed.
    pub(super) fn of(&self, number: u32) -> Option<Arc<dyn Source>> {
        if number == OWN {
            return self.own();
        }
        let lesson = self.lesson.read().unwrap_or_else(PoisonError::into_inner);
        lesson.as_ref().filter(|(of, _)| *of == number).map(|(_, source)| Arc::clone(source))
    }

    /// Puts the user's own store there. Returns the one before.
    pub(super) fn set_own(&self, source: Option<Arc<dyn Source>>) -> Option<Arc<dyn Source>> {
        std::mem::replace(&mut *self.own.write().unwrap_or_else(PoisonError::into_inner), source)
    }

    /// Puts the store of a lesson there, or takes it away.
    pub(super) fn set_lesson(&self, lesson: Option<(u32, Arc<dyn Source>)>) {
        *self.lesson.write().unwrap_or_else(PoisonError::into_inner) = lesson;
    }
}
