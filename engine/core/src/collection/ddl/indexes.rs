//! Creating and dropping indexes.

use std::sync::Arc;

use super::create_drop;
use crate::{
    catalog::{
        CatalogErrorKind, CollectionMeta, IndexState, Namespace,
        rules::{
            CreateIndexesOutcome, CreateIndexesRequest, DropIndexesOutcome, IndexSelector,
            create_indexes::{self, CreateIndexesPlan},
            drop_indexes,
        },
    },
    collection::{
        Collections, DocumentWriter, PendingBuild, WriteError,
        build::{
            build_owners::{BuildClaim, BuildOutcome, BuildRun},
            steps,
        },
    },
    event::BuildProgress,
    store::{IndexId, StoreError},
};

impl Collections {
    /// Creates indexes, and the collection if it does not exist. Returns when all are built,
    /// including those another thread had started to build. Other writers continue during the
    /// build; `progress` is called for each step this call takes.
    ///
    /// # Errors
    /// `CannotCreateIndex`, `IndexOptionsConflict` and others; `DuplicateKey` when a unique index
    /// can't be built. Then nothing remains, or if even that fails, the build resumes later.
    pub fn create_indexes(
        &self,
        request: &CreateIndexesRequest,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<CreateIndexesOutcome, WriteError> {
        self.create_indexes_while(request, &|| true, progress)
    }

    /// As [`Collections::create_indexes`], until `continues` returns false. Then this call drops the
    /// indexes it was building; builds it waited for continue.
    ///
    /// # Errors
    /// Also `Stopped`.
    pub fn create_indexes_while(
        &self,
        request: &CreateIndexesRequest,
        continues: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<CreateIndexesOutcome, WriteError> {
        let claim = self.build_owners.claim();
        let registered = self.transact(|writer| {
            let registered = register(writer, request)?;
            claim.cover(registered.builds.iter().map(|build| build.index));
            // An owner must commit a write before its build can end, so within this transaction the
            // build is not over.
            let pending = registered.existing.iter().filter_map(|(build, state)| {
                let run = self.build_owners.of(build.index);
                let is_pending = *state == IndexState::Building || run.is_some();
                is_pending.then(|| (build.clone(), run))
            });
            Ok::<_, WriteError>((
                registered.outcome,
                registered.builds,
                pending.collect::<Vec<_>>(),
            ))
        });
        let (outcome, builds, pending) = registered?;
        self.build_all(claim, &builds, continues, progress)?;
        for (build, run) in pending {
            self.join(&build, run, continues, progress)?;
        }
        Ok(outcome)
    }

    /// Runs builds to their end and wakes those who wait for them.
    fn build_all(
        &self,
        claim: BuildClaim<'_>,
        builds: &[PendingBuild],
        continues: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<(), WriteError> {
        let built =
            builds.iter().try_for_each(|build| self.build_to_end(build, continues, progress));
        if let Err(error) = &built {
            // If the indexes can't be dropped either, they stay and the background resumes them.
            // The first error says why.
            let _ = self.give_up(builds, error);
        }
        match (&built, builds) {
            // The waiters were not stopped.
            (Err(WriteError::Store(StoreError::Stopped)), [build, ..]) => {
                claim.end(&Err(steps::aborted(build)));
            }
            _ => claim.end(&built),
        }
        built
    }

    /// Waits for a build that has an owner, or runs it; returns its outcome.
    fn join(
        &self,
        build: &PendingBuild,
        mut run: Option<Arc<BuildRun>>,
        continues: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<(), WriteError> {
        loop {
            match run.take().map(|run| run.wait(continues)) {
                Some(Some(BuildOutcome::Built)) => return Ok(()),
                Some(Some(BuildOutcome::Failed(error))) => return Err(error),
                Some(None) => return Err(StoreError::Stopped.into()),
                Some(Some(BuildOutcome::Abandoned)) | None => {}
            }
            match self.build_owners.try_claim(build.index) {
                Err(other) => run = Some(other),
                Ok(claim) => {
                    return self.build_all(claim, std::slice::from_ref(build), continues, progress);
                }
            }
        }
    }

    /// Drops indexes; [`Collections::reclaim_step`] removes their entries later.
    ///
    /// # Errors
    /// `NamespaceNotFound`, `IndexNotFound`, `AmbiguousIndexKeyPattern`, `InvalidOptions` for
    /// `_id_`.
    pub fn drop_indexes(
        &self,
        namespace: &Namespace,
        selector: &IndexSelector,
    ) -> Result<DropIndexesOutcome, WriteError> {
        self.transact(|writer| {
            let missing = || {
                let message = format!("ns not found {namespace}");
                create_drop::refused(CatalogErrorKind::NamespaceNotFound, message)
            };
            let collection = writer.collection(namespace).ok_or_else(missing)?;
            let dropped = drop_indexes::plan(&collection, selector)?;
            let indexes_before = create_drop::index_count(&collection);
            writer.txn.remove_indexes(&collection, &dropped)?;
            Ok(DropIndexesOutcome { indexes_before })
        })
    }
}

pub(in crate::collection) struct RegisteredIndexes {
    outcome: CreateIndexesOutcome,
    pub(in crate::collection) builds: Vec<PendingBuild>,
    existing: Vec<(PendingBuild, IndexState)>,
}

/// Adds the new indexes to the definition: ready for an empty collection, otherwise to be built.
pub(in crate::collection) fn register(
    writer: &mut DocumentWriter<'_, '_>,
    request: &CreateIndexesRequest,
) -> Result<RegisteredIndexes, WriteError> {
    let existing = writer.collection(&request.namespace);
    let before =
        existing.as_deref().cloned().unwrap_or_else(|| create_drop::blank(&request.namespace));
    let dialect = writer.catalog().dialect(&request.namespace.db);
    let CreateIndexesPlan { new, existing: known } =
        create_indexes::plan(request, &before, dialect)?;
    let known = known.iter().map(|index| (PendingBuild::of(&before, index), index.state)).collect();
    let indexes_before = create_drop::index_count(&before);
    let mut outcome = CreateIndexesOutcome {
        indexes_before,
        indexes_after: indexes_before,
        created_collection: Some(existing.is_none()),
        note: None,
    };
    if new.is_empty() {
        outcome.note = Some("all indexes already exist");
    }
    if new.is_empty() && existing.is_some() {
        outcome.created_collection = None;
        return Ok(RegisteredIndexes { outcome, builds: Vec::new(), existing: known });
    }
    if new.len() < request.indexes.len() {
        outcome.note = Some("index already exists");
    }
    let mut collection = CollectionMeta::clone(&*writer.create_if_missing(&request.namespace)?);
    let counters = writer.counters(collection.id.0)?;
    let mut builds = Vec::new();
    for mut index in new {
        index.id = IndexId(writer.txn.writer.next_id()?);
        if counters.documents > 0 {
            index.state = IndexState::Building;
            steps::begin(writer, index.id, counters.next_record)?;
            builds.push(PendingBuild::of(&collection, &index));
        }
        collection.indexes.push(Arc::new(index));
    }
    outcome.indexes_after = create_drop::index_count(&collection);
    writer.txn.put_collection(collection)?;
    Ok(RegisteredIndexes { outcome, builds, existing: known })
}
