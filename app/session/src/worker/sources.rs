//! The stores that are open at one time: the user's, of which one is in front, and that of a lesson.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::source::Source;

/// The number of the store that a window opens first.
pub(super) const FIRST: u32 = 0;

/// The open stores. Stores and lessons are numbered together. While a lesson is played, the user's
/// own stores stay open.
#[derive(Default)]
pub(super) struct Sources {
    own: RwLock<BTreeMap<u32, Arc<dyn Source>>>,
    front: AtomicU32,
    lesson: RwLock<Option<(u32, Arc<dyn Source>)>>,
}

impl Sources {
    /// The number of the user's own store that is in front. It may not be open yet.
    pub(super) fn front(&self) -> u32 {
        self.front.load(Ordering::Acquire)
    }

    /// Brings the user's own store of this number to the front.
    pub(super) fn set_front(&self, number: u32) {
        self.front.store(number, Ordering::Release);
    }

    /// The user's own store that is in front.
    pub(super) fn in_front(&self) -> Option<Arc<dyn Source>> {
        self.own().get(&self.front()).cloned()
    }

    /// Every store of the user's own.
    pub(super) fn all(&self) -> Vec<Arc<dyn Source>> {
        self.own().values().cloned().collect()
    }

    /// The store of this number, unless it was closed.
    pub(super) fn of(&self, number: u32) -> Option<Arc<dyn Source>> {
        if let Some(own) = self.own().get(&number) {
            return Some(Arc::clone(own));
        }
        let lesson = self.lesson.read().unwrap_or_else(PoisonError::into_inner);
        lesson.as_ref().filter(|(of, _)| *of == number).map(|(_, source)| Arc::clone(source))
    }

    /// Puts a store of the user's own there.
    pub(super) fn put(&self, number: u32, source: Arc<dyn Source>) {
        self.own_mut().insert(number, source);
    }

    /// Takes a store of the user's own away.
    pub(super) fn take(&self, number: u32) -> Option<Arc<dyn Source>> {
        self.own_mut().remove(&number)
    }

    /// Puts the store of a lesson there, or takes it away.
    pub(super) fn set_lesson(&self, lesson: Option<(u32, Arc<dyn Source>)>) {
        *self.lesson.write().unwrap_or_else(PoisonError::into_inner) = lesson;
    }

    /// The store of the lesson.
    pub(super) fn lesson(&self) -> Option<Arc<dyn Source>> {
        let lesson = self.lesson.read().unwrap_or_else(PoisonError::into_inner);
        lesson.as_ref().map(|(_, source)| Arc::clone(source))
    }

    fn own(&self) -> RwLockReadGuard<'_, BTreeMap<u32, Arc<dyn Source>>> {
        self.own.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn own_mut(&self) -> RwLockWriteGuard<'_, BTreeMap<u32, Arc<dyn Source>>> {
        self.own.write().unwrap_or_else(PoisonError::into_inner)
    }
}
