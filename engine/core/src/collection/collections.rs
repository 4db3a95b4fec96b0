//! The entry point: all collections of a store, and the transactions over them.

use std::sync::{Arc, OnceLock, PoisonError, RwLock, atomic::AtomicU64};

use super::{
    ChangeWaiter, DocumentWriter, TrashPolicy, WriteError,
    build::build_owners::BuildOwners,
    change_waiters::ChangeWaiters,
    integrity::scrub_state::Scrub,
    oplog::{membership::Membership, pending::PendingOplog},
    write::{
        transaction::{Effects, Transaction},
        ts_watch::TsWatches,
    },
};
use crate::{
    broken_rules::{BrokenRule, is_broken},
    catalog::{Catalog, CatalogSnapshot, snapshot},
    clock::Clock,
    event::Event,
    interrupt::{current_limit, run_within},
    store::{Reader, Store, StoreError, Writer},
};

/// Called after each commit.
type Observer = Arc<dyn Fn(&Event) + Send + Sync>;

enum Failure<E> {
    Work(E),
    Store(StoreError),
    /// It changed a store that only applies another one's oplog.
    NotPrimary,
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
    pub(super) trash_policy: RwLock<Arc<TrashPolicy>>,
    /// Rows of the trash before this number all wait for an archive.
    pub(super) trim_from: AtomicU64,
    waiters: ChangeWaiters,
    pub(super) scrub: Scrub,
    pub(super) build_owners: BuildOwners,
    pub(super) ts_watches: TsWatches,
    /// How often `prepareUnique` was turned off. `collMod` compares it to detect duplicates that
    /// were written during its check.
    pub(super) unprepared: AtomicU64,
    /// Set in a member of a replica set.
    pub(super) membership: OnceLock<Membership>,
}

impl Collections {
    /// Reads the catalog of an open store.
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
            trash_policy: RwLock::default(),
            trim_from: AtomicU64::new(0),
            waiters: ChangeWaiters::default(),
            scrub: Scrub::default(),
            build_owners: BuildOwners::default(),
            ts_watches: TsWatches::default(),
            unprepared: AtomicU64::new(0),
            membership: OnceLock::new(),
        })
    }

    /// The newest committed definitions.
    pub fn catalog(&self) -> Arc<CatalogSnapshot> {
        self.catalog.snapshot()
    }

    /// The store, for reads.
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// The clock that last-modified times come from.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.clock
    }

    /// Sets the observer of committed changes, replacing the previous one. It is called without
    /// locks on the thread that committed, so it must be quick.
    pub fn observe(&self, observer: impl Fn(&Event) + Send + Sync + 'static) {
        let mut slot = self.observer.write().unwrap_or_else(PoisonError::into_inner);
        *slot = Some(Arc::new(observer));
    }

    /// Runs one transaction over documents. It commits when `work` returns `Ok`; otherwise nothing
    /// remains of it. Writes of several threads may share a commit, so `work` may run on another
    /// thread, and it may run again from the start: it must be repeatable. The caller bounds it
    /// (`limits::BATCH_DOCS_MAX`, `limits::BATCH_MS_MAX`).
    ///
    /// # Errors
    /// Those of `work`; the store's failure.
    pub fn write<T: Send, E: From<WriteError> + Send>(
        &self,
        work: impl FnMut(&mut DocumentWriter<'_, '_>) -> Result<T, E> + Send,
    ) -> Result<T, E> {
        self.transact(work)
    }

    /// A short read together with the definitions as of the same transaction.
    ///
    /// # Errors
    /// Those of `work`; the store's failure.
    pub fn read<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&Reader<'_>, &CatalogSnapshot) -> Result<T, E>,
    ) -> Result<T, E> {
        self.store.read(|reader| {
            let catalog = self.catalog();
            // Another thread may have committed new definitions since the read began.
            if catalog.is_of(reader)? {
                return work(reader, &catalog);
            }
            work(reader, &CatalogSnapshot::load(reader)?)
        })
    }

    /// Registers this thread as waiting for a change.
    pub fn wait_for_change(&self) -> ChangeWaiter<'_> {
        self.waiters.enter()
    }

    pub(crate) fn tell(&self, event: &Event) {
        self.waiters.wake();
        let observer = self.observer.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(observer) = observer {
            observer(event);
        }
    }

    /// Runs `work` in one transaction, then publishes the new catalog and reports what changed.
    pub(in crate::collection) fn transact<T: Send, E: From<WriteError> + Send>(
        &self,
        mut work: impl FnMut(&mut DocumentWriter<'_, '_>) -> Result<T, E> + Send,
    ) -> Result<T, E> {
        let result = self.attempt(&mut work);
        let (value, effects) = match result {
            Ok(done) => done,
            Err(Failure::Work(error)) => {
                self.catch_up();
                return Err(error);
            }
            Err(Failure::Store(error)) => {
                // After a failed commit the store has walked its file; what it found may be newer.
                self.catch_up();
                return Err(E::from(WriteError::Store(error)));
            }
            Err(Failure::NotPrimary) => return Err(E::from(WriteError::NotPrimary)),
        };
        // Also publishes a catalog that another write of the same commit changed: a caller who sees
        // this write succeed must find the collection it wrote to.
        self.catalog.publish(&effects.catalog);
        if effects.catalog_changed {
            self.tell(&Event::CatalogChanged);
        }
        for namespace in effects.touched {
            self.tell(&Event::DataChanged(namespace));
        }
        Ok(value)
    }

    /// Runs `work` in one transaction. Whichever thread runs it, only the limit of the calling thread can end it.
    fn attempt<T: Send, E: Send>(
        &self,
        work: &mut (impl FnMut(&mut DocumentWriter<'_, '_>) -> Result<T, E> + Send),
    ) -> Result<(T, Effects), Failure<E>> {
        // Taken here, because the leader of a group may run this write on a thread with another
        // limit.
        let limit = current_limit();
        let membership = self.membership.get();
        // Held across the commit, so that the entries are in the order of the commits.
        let mut committed = membership.map(Membership::committed);
        let (value, mut effects) = self.store.write(|writer: &mut Writer<'_>| {
            let mut catalog = self.catalog.snapshot();
            // Another write of the same commit may have changed definitions that are not published
            // yet.
            if snapshot::stored_version(&writer.reader())? != catalog.version() {
                let mut stored = CatalogSnapshot::load(&writer.reader())?;
                // If the stored version was damaged in the meantime, continue from the published
                // one.
                stored.version = stored.version.max(catalog.version());
                catalog = Arc::new(stored);
            }
            // Read in each attempt: the write may have waited in the queue for long.
            let mut txn = Transaction::new(writer, catalog, self.clock.now_ms());
            txn.oplog = membership.map(|_| Box::new(PendingOplog::new(txn.now_ms)));
            txn.ts_watches = Some(&self.ts_watches);
            // Read inside the transaction: an archive that was turned on before it gets everything
            // that it removes.
            txn.trash_policy = self.trash_policy();
            let mut writer = DocumentWriter { txn };
            let value = run_within(limit.clone(), || work(&mut writer)).map_err(Failure::Work)?;
            let is_change =
                writer.txn.oplog.as_ref().is_some_and(|oplog| !oplog.entries.is_empty());
            let is_refused = self.is_secondary() && !is_broken(BrokenRule::SecondaryPasses);
            if is_change && is_refused {
                return Err(Failure::NotPrimary);
            }
            Ok((value, writer.txn.finish()?))
        })?;
        if let Some(committed) = &mut committed {
            committed.append(&mut effects.entries);
        }
        Ok((value, effects))
    }

    /// Publishes definitions that are stored and not published yet.
    fn catch_up(&self) {
        // A refused write may have seen what another write of its commit made and has not published
        // yet. Its caller must see that too.
        let newer = self.store.read(|reader| {
            let is_old = snapshot::stored_version(reader)? > self.catalog.snapshot().version();
            is_old.then(|| CatalogSnapshot::load(reader)).transpose()
        });
        // If the store can't be read, the refusal still matters more.
        if let Ok(Some(newer)) = newer {
            self.catalog.publish(&Arc::new(newer));
        }
    }
}
