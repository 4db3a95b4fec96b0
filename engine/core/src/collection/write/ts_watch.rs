//! Watches that detect writes of documents with their own `_ts` field, while the existing documents
//! of a database are being searched for that field.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

/// The watched databases.
#[derive(Debug, Default)]
pub(in crate::collection) struct TsWatches {
    /// The length of the table, kept separately because every write checks it.
    open: AtomicUsize,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    opened: u64,
    open: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    id: u64,
    db: String,
    is_marked: bool,
}

/// A watch; dropping it ends it.
#[derive(Debug)]
pub(in crate::collection) struct TsWatch<'w> {
    ts_watches: &'w TsWatches,
    id: u64,
}

impl TsWatches {
    /// Starts watching a database. Must be called inside a write transaction: LMDB has one writer,
    /// so earlier writes are visible once it commits, and later ones see the watch.
    pub(in crate::collection) fn open(&self, db: &str) -> TsWatch<'_> {
        let mut table = self.lock();
        table.opened += 1;
        let id = table.opened;
        table.open.push(Entry { id, db: db.to_owned(), is_marked: false });
        self.open.store(table.open.len(), Ordering::Release);
        TsWatch { ts_watches: self, id }
    }

    pub(in crate::collection) fn are_open(&self) -> bool {
        self.open.load(Ordering::Acquire) > 0
    }

    /// Marks the watches on a database: a document with a `_ts` field, or a collection that may
    /// have some, is written there.
    pub(in crate::collection) fn mark(&self, db: &str) {
        for entry in self.lock().open.iter_mut().filter(|entry| entry.db == db) {
            entry.is_marked = true;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TsWatch<'_> {
    /// Whether such a document was written since, perhaps by a transaction that was aborted.
    pub(in crate::collection) fn is_marked(&self) -> bool {
        self.ts_watches.lock().open.iter().any(|entry| entry.id == self.id && entry.is_marked)
    }
}

impl Drop for TsWatch<'_> {
    fn drop(&mut self) {
        let mut table = self.ts_watches.lock();
        table.open.retain(|entry| entry.id != self.id);
        self.ts_watches.open.store(table.open.len(), Ordering::Release);
    }
}
