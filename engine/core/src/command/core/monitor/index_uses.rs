//! How often operations used each index since the program started: `$indexStats`.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, Weak,
        atomic::{AtomicU64, Ordering},
    },
};

use crate::{catalog::CatalogSnapshot, store::IndexId};

/// The uses of every index. An index that is dropped and created again has another number, so it
/// starts at zero.
#[derive(Debug, Default)]
pub struct IndexUses {
    uses: RwLock<HashMap<IndexId, IndexUse>>,
    /// The definitions that `uses` matches.
    tracked: Mutex<Weak<CatalogSnapshot>>,
}

#[derive(Debug)]
struct IndexUse {
    ops: AtomicU64,
    since_ms: i64,
    /// The count starts again when the index is hidden or shown, as in MongoDB.
    hidden: bool,
}

impl IndexUses {
    /// Begins to count new indexes and forgets dropped ones.
    pub fn track(&self, catalog: &Arc<CatalogSnapshot>, now_ms: i64) {
        let mut tracked = self.tracked.lock().unwrap_or_else(PoisonError::into_inner);
        let weak = Arc::downgrade(catalog);
        if tracked.ptr_eq(&weak) {
            return;
        }
        let mut uses = self.uses.write().unwrap_or_else(PoisonError::into_inner);
        let collections = catalog.all_collections();
        let indexes = collections.flat_map(|collection| collection.indexes.iter());
        *uses = indexes
            .map(|index| {
                let (id, hidden) = (index.id, index.hidden);
                let known = uses.remove(&id).filter(|known| known.hidden == hidden);
                let new = IndexUse { ops: AtomicU64::new(0), since_ms: now_ms, hidden };
                (id, known.unwrap_or(new))
            })
            .collect();
        *tracked = weak;
    }

    /// Adds the uses of one operation. An index that is not tracked, because it is new or was
    /// dropped, is not counted.
    pub fn add(&self, used: &[(IndexId, u64)]) {
        let uses = self.read();
        for (id, count) in used {
            if let Some(index) = uses.get(id) {
                index.ops.fetch_add(*count, Ordering::Relaxed);
            }
        }
    }

    /// How many operations used an index, and since when they are counted, in milliseconds since
    /// 1970.
    pub fn get(&self, id: IndexId) -> Option<(u64, i64)> {
        let uses = self.read();
        uses.get(&id).map(|index| (index.ops.load(Ordering::Relaxed), index.since_ms))
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<IndexId, IndexUse>> {
        self.uses.read().unwrap_or_else(PoisonError::into_inner)
    }
}
