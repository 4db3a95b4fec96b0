//! The removals by the passes of a lesson.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bson::Bson;
use mayfly_engine::event::RemovedDocument;

use crate::limits::LESSON_LEDGER_MAX;

use super::super::equality::is_equal;

/// Every removed document, in order.
#[derive(Debug, Default)]
pub struct Ledger {
    rows: Mutex<Vec<RemovedDocument>>,
}

impl Ledger {
    /// Adds documents. Beyond [`LESSON_LEDGER_MAX`], the oldest are dropped.
    pub fn add(&self, documents: &[RemovedDocument]) {
        let mut rows = self.lock();
        rows.extend_from_slice(documents);
        let excess = rows.len().saturating_sub(LESSON_LEDGER_MAX);
        rows.drain(..excess);
    }

    /// The rows of a collection, oldest first.
    pub fn of(&self, db: &str, collection: &str) -> Vec<RemovedDocument> {
        let is_of = |row: &&RemovedDocument| {
            row.namespace.db == db && row.namespace.collection == collection
        };
        self.lock().iter().filter(is_of).cloned().collect()
    }

    /// When a document was removed last, in milliseconds since 1970.
    pub fn removed_ms(&self, db: &str, collection: &str, id: &Bson) -> Option<i64> {
        let rows = self.lock();
        let mut newest_first = rows.iter().rev();
        let row = newest_first.find(|row| {
            row.namespace.db == db
                && row.namespace.collection == collection
                && is_equal(&row.id, id)
        });
        row.map(|row| row.removed_ms)
    }

    /// How many documents were removed.
    pub fn count(&self) -> u64 {
        self.lock().len() as u64
    }

    /// Every row, oldest first.
    pub fn all(&self) -> Vec<RemovedDocument> {
        self.lock().clone()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<RemovedDocument>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
