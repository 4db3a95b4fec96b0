//! The way in: all collections of a store.

use std::sync::Arc;

use super::{
    BuildProgress, Change, DocumentWriter, PendingBuild, ReclaimStep, VerifyProgress, VerifyReport,
    WriteError,
};
use crate::{
    catalog::{
        CatalogSnapshot, Dialect, Namespace,
        rules::{
            CollModOutcome, CollModRequest, CreateIndexesOutcome, CreateIndexesRequest,
            CreateRequest, DropIndexesOutcome, IndexSelector,
        },
    },
    clock::Clock,
    store::{Store, StoreError},
};

/// All collections of a store, and the only writer of documents, entries, counters and the catalog.
pub struct Collections {}

impl Collections {
    /// The collections of an open store.
    ///
    /// # Errors
    /// `Damaged` when the catalog can't be read.
    pub fn new(_store: Arc<Store>, _clock: Arc<dyn Clock>) -> Result<Self, StoreError> {
        todo!()
    }

    /// The newest committed definitions.
    #[must_use]
    pub fn catalog(&self) -> Arc<CatalogSnapshot> {
        todo!()
    }

    /// The store, for reads.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        todo!()
    }

    /// The clock that last-modified times come from.
    #[must_use]
    pub fn clock(&self) -> &Arc<dyn Clock> {
        todo!()
    }

    /// Whom to tell about every committed change. Called on the thread that made it, without locks;
    /// it must be quick. Replaces the one before.
    pub fn observe(&self, _observer: impl Fn(&Change) + Send + Sync + 'static) {
        todo!()
    }

    /// One transaction over documents: commits when `work` returns `Ok`, else nothing of it remains.
    /// `work` may run again from the start, so it must be repeatable. The caller bounds it
    /// (`limits::BATCH_DOCS_MAX`, `limits::BATCH_MS_MAX`).
    ///
    /// # Errors
    /// What `work` returns, or the store's failure.
    pub fn write<T, E: From<WriteError>>(
        &self,
        _work: impl FnMut(&mut DocumentWriter<'_>) -> Result<T, E>,
    ) -> Result<T, E> {
        todo!()
    }

    /// Creates a collection or view. Nothing happens when it exists with the same options.
    ///
    /// # Errors
    /// `NamespaceExists`, `InvalidOptions` …: what TTL.md 1.4, 1.5 and 2.3 say.
    pub fn create(&self, _request: &CreateRequest) -> Result<(), WriteError> {
        todo!()
    }

    /// Drops a collection or view; its documents and entries are removed by [`Collections::reclaim_step`].
    /// Returns the number of indexes it had, or `None` when there was none.
    ///
    /// # Errors
    /// When the store fails.
    pub fn drop_collection(&self, _namespace: &Namespace) -> Result<Option<i32>, WriteError> {
        todo!()
    }

    /// Drops a database with all its collections, and forgets its dialect. Returns the number of collections.
    ///
    /// # Errors
    /// When the store fails.
    pub fn drop_database(&self, _db: &str) -> Result<usize, WriteError> {
        todo!()
    }

    /// Renames a collection, also into another database. TTL goes on.
    ///
    /// # Errors
    /// `NamespaceNotFound`, `NamespaceExists` (unless `drop_target`), `IllegalOperation`.
    pub fn rename(
        &self,
        _from: &Namespace,
        _to: &Namespace,
        _drop_target: bool,
    ) -> Result<(), WriteError> {
        todo!()
    }

    /// Sets a database's dialect; allowed while it has no index with a TTL and none on `_ts`.
    ///
    /// # Errors
    /// `IllegalOperation` otherwise.
    pub fn set_dialect(&self, _db: &str, _dialect: Dialect) -> Result<(), WriteError> {
        todo!()
    }

    /// Creates indexes, and the collection if it does not exist. Returns when all are built; other
    /// writers go on meanwhile, and `progress` hears of each step.
    ///
    /// # Errors
    /// TTL.md 2.1 and 2.2; `DuplicateKey` when a unique index can't be built. Nothing is left then.
    pub fn create_indexes(
        &self,
        _request: &CreateIndexesRequest,
        _progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<CreateIndexesOutcome, WriteError> {
        todo!()
    }

    /// Drops indexes; their entries are removed by [`Collections::reclaim_step`].
    ///
    /// # Errors
    /// TTL.md 2.4.
    pub fn drop_indexes(
        &self,
        _namespace: &Namespace,
        _selector: &IndexSelector,
    ) -> Result<DropIndexesOutcome, WriteError> {
        todo!()
    }

    /// Changes an index or a collection's own TTL.
    ///
    /// # Errors
    /// TTL.md 2.3.
    pub fn coll_mod(&self, _request: &CollModRequest) -> Result<CollModOutcome, WriteError> {
        todo!()
    }

    /// Index builds that have not ended: after a restart those of the session before.
    #[must_use]
    pub fn pending_builds(&self) -> Vec<PendingBuild> {
        todo!()
    }

    /// One bounded step of an index build. The build has ended when the progress says so; a build that
    /// meets a duplicate drops its index.
    ///
    /// # Errors
    /// When the store fails. A failed build is told in the progress.
    pub fn build_step(&self, _build: &PendingBuild) -> Result<BuildProgress, WriteError> {
        todo!()
    }

    /// Removes one bounded part of what was dropped.
    ///
    /// # Errors
    /// When the store fails.
    pub fn reclaim_step(&self) -> Result<ReclaimStep, WriteError> {
        todo!()
    }

    /// Checks every collection: documents = entries of each index both ways, counters, checksums.
    /// `progress` returns false to stop.
    ///
    /// # Errors
    /// When the store can't be read at all. What is wrong is a finding, not an error.
    pub fn verify(
        &self,
        _progress: &mut dyn FnMut(&VerifyProgress) -> bool,
    ) -> Result<VerifyReport, StoreError> {
        todo!()
    }
}
