//! Creating and dropping indexes.

use std::sync::Arc;

use super::{
    BuildProgress, Collections, DocumentWriter, PendingBuild, WriteError, build, ddl, reclaim,
    transaction::missing,
};
use crate::{
    catalog::{
        CollectionMeta, IndexMeta, IndexState, Namespace,
        rules::{
            CreateIndexesOutcome, CreateIndexesRequest, DropIndexesOutcome, IndexSelector,
            create_indexes, drop_indexes,
        },
    },
    store::IndexId,
};

impl Collections {
    /// Creates indexes, and the collection if it does not exist. Returns when all are built; other
    /// writers go on meanwhile, and `progress` hears of each step.
    ///
    /// # Errors
    /// `CannotCreateIndex`, `IndexOptionsConflict` …; `DuplicateKey` when a unique index can't be built. Nothing is left then.
    pub fn create_indexes(
        &self,
        request: &CreateIndexesRequest,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<CreateIndexesOutcome, WriteError> {
        let (outcome, builds) = self.transact(|writer| register(writer, request))?;
        for build in &builds {
            if let Err(error) = self.build_to_end(build, progress) {
                self.give_up(&builds, &error)?;
                return Err(error);
            }
        }
        Ok(outcome)
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
            let indexes_before = ddl::index_count(&collection);
            remove_indexes(writer, &collection, &dropped)?;
            Ok(DropIndexesOutcome { indexes_before })
        })
    }
}

/// Takes indexes out of the definition and gives their entries up.
pub(super) fn remove_indexes(
    writer: &mut DocumentWriter<'_>,
    collection: &CollectionMeta,
    dropped: &[Arc<IndexMeta>],
) -> Result<(), WriteError> {
    if dropped.is_empty() {
        return Ok(());
    }
    let mut changed = collection.clone();
    changed.indexes.retain(|index| !dropped.iter().any(|other| other.id == index.id));
    writer.txn.put_collection(changed)?;
    for index in dropped {
        build::forget(writer, index)?;
    }
    reclaim::add(writer, dropped.iter().map(|index| reclaim::Range::Entries(index.id)))?;
    Ok(())
}

/// Puts the new indexes into the definition: complete ones for an empty collection, else to be built.
pub(super) fn register(
    writer: &mut DocumentWriter<'_>,
    request: &CreateIndexesRequest,
) -> Result<(CreateIndexesOutcome, Vec<PendingBuild>), WriteError> {
    let existing = writer.collection(&request.namespace);
    let before = existing.as_deref().cloned().unwrap_or_else(|| ddl::blank(&request.namespace));
    let dialect = writer.catalog().dialect(&request.namespace.db);
    let new = create_indexes::plan(request, &before, dialect)?;
    let indexes_before = ddl::index_count(&before);
    let mut outcome = CreateIndexesOutcome {
        indexes_before,
        indexes_after: indexes_before,
        created_collection: Some(existing.is_none()),
        note: None,
    };
    if new.is_empty() && existing.is_some() {
        outcome.created_collection = None;
        outcome.note = Some("all indexes already exist");
        return Ok((outcome, Vec::new()));
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
            build::begin(writer, index.id, counters.next_record)?;
            builds.push(PendingBuild {
                collection: collection.id,
                namespace: collection.namespace.clone(),
                index: index.id,
                name: index.name.clone(),
            });
        }
        collection.indexes.push(Arc::new(index));
    }
    outcome.indexes_after = ddl::index_count(&collection);
    writer.txn.put_collection(collection)?;
    Ok((outcome, builds))
}
