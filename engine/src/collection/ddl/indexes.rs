//! Creating and dropping indexes.

use std::sync::Arc;

use super::create_drop;
use crate::{
    catalog::{
        CollectionMeta, IndexMeta, IndexState, Namespace,
        rules::{
            CreateIndexesOutcome, CreateIndexesRequest, DropIndexesOutcome, IndexSelector,
            create_indexes::{self, CreateIndexesPlan},
            drop_indexes,
        },
    },
    collection::{
        BuildProgress, Collections, DocumentWriter, PendingBuild, WriteError,
        build::build_owners::{Claim, Drive, DriveEnd},
        build::steps,
        write::transaction::missing,
    },
    store::{IndexId, StoreError},
};

impl Collections {
    /// Creates indexes, and the collection if it does not exist. Returns when all are built, also
    /// those that somebody else had begun to build; other writers go on meanwhile, and `progress`
    /// hears of each step that this call takes.
    ///
    /// # Errors
    /// `CannotCreateIndex`, `IndexOptionsConflict` …; `DuplicateKey` when a unique index can't be built.
    /// Nothing is left then, or if even that fails, the build is taken up again later.
    pub fn create_indexes(
        &self,
        request: &CreateIndexesRequest,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<CreateIndexesOutcome, WriteError> {
        self.create_indexes_while(request, &|| true, progress)
    }

    /// As [`Collections::create_indexes`], until `goes_on` says no. What this call builds is given up
    /// then, and what it waits for goes on.
    ///
    /// # Errors
    /// Also `Stopped`.
    pub fn create_indexes_while(
        &self,
        request: &CreateIndexesRequest,
        goes_on: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<CreateIndexesOutcome, WriteError> {
        let claim = self.drives.claim();
        let registered = self.transact(|writer| {
            let registered = register(writer, request)?;
            claim.cover(registered.builds.iter().map(|build| build.index));
            // Who builds an index has to write before the build can end, so it is not over yet.
            let pending = registered.existing.iter().filter_map(|(build, state)| {
                let drive = self.drives.of(build.index);
                let is_pending = *state == IndexState::Building || drive.is_some();
                is_pending.then(|| (build.clone(), drive))
            });
            Ok::<_, WriteError>((
                registered.outcome,
                registered.builds,
                pending.collect::<Vec<_>>(),
            ))
        });
        let (outcome, builds, pending) = registered?;
        self.build_all(claim, &builds, goes_on, progress)?;
        for (build, drive) in pending {
            self.join(&build, drive, goes_on, progress)?;
        }
        Ok(outcome)
    }

    /// Drives builds to their end, and tells those who wait for it.
    fn build_all(
        &self,
        claim: Claim<'_>,
        builds: &[PendingBuild],
        goes_on: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<(), WriteError> {
        let built = builds.iter().try_for_each(|build| self.build_to_end(build, goes_on, progress));
        if let Err(error) = &built {
            // What can't be given up either stays, and the background takes it up again. The first
            // error is the one that says why.
            let _ = self.give_up(builds, error);
        }
        match (&built, builds) {
            // Nobody has stopped those who only waited.
            (Err(WriteError::Store(StoreError::Stopped)), [build, ..]) => {
                claim.end(&Err(steps::aborted(build)));
            }
            _ => claim.end(&built),
        }
        built
    }

    /// Waits for a build that somebody drives, or drives it; its outcome.
    fn join(
        &self,
        build: &PendingBuild,
        mut drive: Option<Arc<Drive>>,
        goes_on: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<(), WriteError> {
        loop {
            match drive.take().map(|drive| drive.wait(goes_on)) {
                Some(Some(DriveEnd::Built)) => return Ok(()),
                Some(Some(DriveEnd::Failed(error))) => return Err(error),
                Some(None) => return Err(StoreError::Stopped.into()),
                Some(Some(DriveEnd::Left)) | None => {}
            }
            match self.drives.try_claim(build.index) {
                Err(other) => drive = Some(other),
                Ok(claim) => {
                    return self.build_all(claim, std::slice::from_ref(build), goes_on, progress);
                }
            }
        }
    }

    /// Drops indexes; their entries are removed by [`Collections::reclaim_step`].
    ///
    /// # Errors
    /// `NamespaceNotFound`, `IndexNotFound`, `AmbiguousIndexKeyPattern`, `InvalidOptions` for `_id_`.
    pub fn drop_indexes(
        &self,
        namespace: &Namespace,
        selector: &IndexSelector,
    ) -> Result<DropIndexesOutcome, WriteError> {
        self.transact(|writer| {
            let collection = writer.collection(namespace).ok_or_else(|| missing(namespace))?;
            let dropped = drop_indexes::plan(&collection, selector)?;
            let indexes_before = create_drop::index_count(&collection);
            writer.txn.remove_indexes(&collection, &dropped)?;
            Ok(DropIndexesOutcome { indexes_before })
        })
    }
}

/// What a request for indexes comes to.
pub(in crate::collection) struct Registered {
    outcome: CreateIndexesOutcome,
    /// New indexes that are to be built.
    pub(in crate::collection) builds: Vec<PendingBuild>,
    /// The requested indexes that were there already.
    existing: Vec<(PendingBuild, IndexState)>,
}

/// Puts the new indexes into the definition: complete ones for an empty collection, else to be built.
pub(in crate::collection) fn register(
    writer: &mut DocumentWriter<'_>,
    request: &CreateIndexesRequest,
) -> Result<Registered, WriteError> {
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
    if new.is_empty() && existing.is_some() {
        outcome.created_collection = None;
        outcome.note = Some("all indexes already exist");
        return Ok(Registered { outcome, builds: Vec::new(), existing: known });
    }
    if new.len() < request.indexes.len() && existing.is_some() {
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
    Ok(Registered { outcome, builds, existing: known })
}
