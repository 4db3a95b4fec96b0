//! Watches over databases: whether a document with a field `_ts` of its own was written, or a collection
//! came from another database, while somebody looked at the documents that are there already.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

/// The databases that are watched.
#[derive(Debug, Default)]
pub(in crate::collection) struct Watches {
    /// Kept beside the table, because every write asks.
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
pub(in crate::collection) struct Watch<'w> {
    watches: &'w Watches,
    id: u64,
}

impl Watches {
    /// Begins to watch a database. To be called inside a write transaction: what other transactions
    /// have written before is then committed when the caller's has ended, and the next ones are
    /// watched.
    pub(in crate::collection) fn open(&self, db: &str) -> Watch<'_> {
        let mut table = self.lock();
        table.opened += 1;
        let id = table.opened;
        table.open.push(Entry { id, db: db.to_owned(), is_marked: false });
        self.open.store(table.open.len(), Ordering::Release);
        Watch { watches: self, id }
    }

    /// Whether any database is watched.
    pub(in crate::collection) fn are_open(&self) -> bool {
        self.open.load(Ordering::Acquire) > 0
    }

    /// A transaction writes a document with a field `_ts` into a database, or a collection that may have
    /// some.
    pub(in crate::collection) fn mark(&self, db: &str) {
        for entry in self.lock().open.iter_mut().filter(|entry| entry.db == db) {
            entry.is_marked = true;
        }
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Watch<'_> {
    /// Whether such a document was written since, maybe by a transaction that came to nothing.
    pub(in crate::collection) fn is_marked(&self) -> bool {
        self.watches.lock().open.iter().any(|entry| entry.id == self.id && entry.is_marked)
    }
}

impl Drop for Watch<'_> {
    fn drop(&mut self) {
        let mut table = self.watches.lock();
        table.open.retain(|entry| entry.id != self.id);
        self.watches.open.store(table.open.len(), Ordering::Release);
    }
}
