//! The way in: all collections of a store.

use std::sync::{Arc, PoisonError, RwLock, Weak, atomic::AtomicU64};

use super::{
    Change, ChangeWaiter, DocumentWriter, Keeper, WriteError, build::build_owners::Drives,
    change_waiters::Waiting, ddl::ts_watch::Watches, integrity::scrub::Scrub,
};
use crate::{
    catalog::{Catalog, CatalogSnapshot},
    clock::Clock,
    store::{Reader, Store, StoreError},
};

/// Who hears of committed changes.
type Observer = Arc<dyn Fn(&Change) + Send + Sync>;

/// All collections of a store, and the only writer of documents, entries, counters and the catalog.
pub struct Collections {
    pub(super) store: Arc<Store>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) catalog: Catalog,
    observer: RwLock<Option<Observer>>,
    pub(super) keeper: RwLock<Option<Weak<dyn Keeper>>>,
    waiting: Waiting,
    pub(super) scrub: Scrub,
    pub(super) drives: Drives,
    pub(super) watches: Watches,
    /// How often an index was made to take values twice again.
    pub(super) unprepared: AtomicU64,
}

impl Collections {
    /// The collections of an open store.
    ///
    /// # Errors
    /// `Damaged` when the catalog can't be read.
    pub fn new(store: Arc<Store>, clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        let snapshot = store.read(CatalogSnapshot::load)?;
        Ok(Self {
            store,
            clock,
            catalog: Catalog::new(snapshot),
            observer: RwLock::new(None),
            keeper: RwLock::new(None),
            waiting: Waiting::default(),
            scrub: Scrub::default(),
            drives: Drives::default(),
            watches: Watches::default(),
            unprepared: AtomicU64::new(0),
        })
    }

    /// The newest committed definitions.
    #[must_use]
    pub fn catalog(&self) -> Arc<CatalogSnapshot> {
        self.catalog.snapshot()
    }

    /// The store, for reads.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The clock that last-modified times come from.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Whom to tell about every committed change. Called on the thread that made it, without locks;
    /// it must be quick. Replaces the one before.
    pub fn observe(&self, observer: impl Fn(&Change) + Send + Sync + 'static) {
        let mut slot = self.observer.write().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(Arc::new(observer));
    }

    /// One transaction over documents: commits when `work` returns `Ok`, else nothing of it remains.
    /// Writes of several threads may share a commit, so `work` may run on another thread; and it may
    /// run again from the start, so it must be repeatable. The caller bounds it
    /// (`limits::BATCH_DOCS_MAX`, `limits::BATCH_MS_MAX`).
    ///
    /// # Errors
    /// What `work` returns, or the store's failure.
    pub fn write<T: Send, E: From<WriteError> + Send>(
        &self,
        work: impl FnMut(&mut DocumentWriter<'_, '_>) -> Result<T, E> + Send,
    ) -> Result<T, E> {
        self.transact(work)
    }

    /// A short read together with the definitions as of the same transaction.
    ///
    /// # Errors
    /// What `work` returns, or the store's failure.
    pub fn read<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Reader<'_>, &CatalogSnapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        self.store.read(|reader| {
            let catalog = self.catalog();
            // Another thread may have committed new definitions between the two.
            if catalog.is_of(reader)? {
                return work(reader, &catalog);
            }
            work(reader, &CatalogSnapshot::load(reader)?)
        })
    }

    /// A place among those that wait for a change.
    #[must_use]
    pub fn wait_for_change(&self) -> ChangeWaiter<'_> {
        self.waiting.enter()
    }

    pub(super) fn tell(&self, change: &Change) {
        self.waiting.wake();
        let observer = self.observer.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(observer) = observer {
            observer(change);
        }
    }
}
