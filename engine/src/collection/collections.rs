//! The way in: all collections of a store.

use std::sync::{Arc, PoisonError, RwLock, Weak, atomic::AtomicU64};

use super::{
    Change, ChangeWaiter, Displaced, DocumentWriter, Keeper, WriteError,
    build::build_owners::Drives,
    change_waiters::Waiting,
    integrity::scrub_state::Scrub,
    write::{
        evict::{ATTEMPTS_MAX, Displacing},
        transaction::{Effects, Transaction},
        ts_watch::Watches,
    },
};
use crate::{
    catalog::{Catalog, CatalogSnapshot, snapshot},
    clock::Clock,
    interrupt::{current_limit, run_within},
    store::{Reader, Store, StoreError, Writer},
};

/// Who hears of committed changes.
type Observer = Arc<dyn Fn(&Change) + Send + Sync>;

/// An error of the closure or one of the store.
enum Failure<E> {
    Work(E),
    Store(StoreError),
    /// These documents must be archived before.
    Displaced(Vec<Displaced>),
}

impl<E> From<StoreError> for Failure<E> {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

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

    /// Runs `work` in one transaction, then publishes and tells what it has changed.
    pub(in crate::collection) fn transact<T: Send, E: From<WriteError> + Send>(
        &self,
        mut work: impl FnMut(&mut DocumentWriter<'_>) -> Result<T, E> + Send,
    ) -> Result<T, E> {
        let keeper = self.keeper();
        let mut safe = Vec::new();
        let mut result = self.attempt(&mut work, keeper.as_ref(), &safe);
        for _ in 1..ATTEMPTS_MAX {
            let (Err(Failure::Displaced(found)), Some(keeper)) = (&mut result, &keeper) else {
                break;
            };
            let found = std::mem::take(found);
            keeper.archive(&found).map_err(|reason| E::from(WriteError::NotArchived { reason }))?;
            safe.extend(found);
            result = self.attempt(&mut work, Some(keeper), &safe);
        }
        let (value, effects) = match result {
            Ok(done) => done,
            Err(Failure::Work(error)) => {
                self.catch_up();
                return Err(error);
            }
            Err(Failure::Store(error)) => {
                // After a failed commit the store has looked at its file; what it found may be newer.
                self.catch_up();
                return Err(E::from(WriteError::Store(error)));
            }
            Err(Failure::Displaced(_)) => {
                let what = "documents expire faster than they are archived".to_owned();
                return Err(E::from(WriteError::Store(StoreError::Busy { what })));
            }
        };
        // Also a catalog that another write of the same commit has changed: whoever hears of this
        // write's success must find the collection it wrote to.
        self.catalog.publish(&effects.catalog);
        if effects.catalog_changed {
            self.tell(&Change::Catalog);
        }
        for namespace in effects.touched {
            self.tell(&Change::Data(namespace));
        }
        Ok(value)
    }

    /// Runs `work` in one transaction, which commits unless something must be archived before. Whichever
    /// thread runs it, it ends with what limits the thread that asks for it, and with nothing else.
    fn attempt<T: Send, E: Send>(
        &self,
        work: &mut (impl FnMut(&mut DocumentWriter<'_>) -> Result<T, E> + Send),
        keeper: Option<&Arc<dyn Keeper>>,
        safe: &[Displaced],
    ) -> Result<(T, Effects), Failure<E>> {
        let limit = current_limit();
        self.store.write(|writer: &mut Writer<'_>| {
            let mut catalog = self.catalog.snapshot();
            if snapshot::stored_version(&writer.reader())? != catalog.version() {
                let mut stored = CatalogSnapshot::load(&writer.reader())?;
                // One that was damaged meanwhile goes on from what is shown.
                stored.version = stored.version.max(catalog.version());
                catalog = Arc::new(stored);
            }
            let mut txn = Transaction::new(writer, catalog, self.clock.now_ms());
            txn.watches = Some(&self.watches);
            txn.displacing = Displacing { keeper: keeper.cloned(), safe, found: Vec::new() };
            let mut writer = DocumentWriter { txn };
            let value = run_within(limit.clone(), || work(&mut writer)).map_err(Failure::Work)?;
            let found = std::mem::take(&mut writer.txn.displacing.found);
            if !found.is_empty() {
                return Err(Failure::Displaced(found));
            }
            Ok((value, writer.txn.finish()?))
        })
    }

    /// A refused write may have met what another write of its commit has made and not published yet;
    /// whoever hears of the refusal must find that too.
    fn catch_up(&self) {
        let newer = self.store.read(|reader| {
            let is_old = snapshot::stored_version(reader)? > self.catalog.snapshot().version();
            is_old.then(|| CatalogSnapshot::load(reader)).transpose()
        });
        // If the store can't be read, the refusal is still what matters.
        if let Ok(Some(newer)) = newer {
            self.catalog.publish(&Arc::new(newer));
        }
    }

    /// Who keeps what is removed because its time was over. It owns the collections, not they it.
    pub fn set_keeper(&self, keeper: Weak<dyn Keeper>) {
        *self.keeper.write().unwrap_or_else(PoisonError::into_inner) = Some(keeper);
    }

    fn keeper(&self) -> Option<Arc<dyn Keeper>> {
        let keeper = self.keeper.read().unwrap_or_else(PoisonError::into_inner);
        keeper.as_ref().and_then(Weak::upgrade)
    }
}
