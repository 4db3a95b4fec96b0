//! Applying another store's entries.

use std::sync::Arc;

use super::entry::{OplogChange, OplogEntry, OplogKind};
use crate::{
    catalog::{CollectionMeta, IndexMeta, IndexState, Namespace},
    collection::{
        Collections, DocumentWriter, PendingBuild, WriteError, build::steps,
        ddl::create_drop::drop_collection, write::dropped_ranges::DroppedRange,
    },
    limits::BATCH_DOCS_MAX,
    store::{CollectionId, IndexId},
};

impl Collections {
    /// Applies the first of another store's entries in one bounded transaction. Index builds run to
    /// their end. Returns how many it has applied, at least one.
    ///
    /// # Errors
    /// `NotApplied` when an entry does not fit the documents here; when the store fails. No entry
    /// counts then.
    pub fn apply_oplog(&self, entries: &[OplogEntry]) -> Result<usize, WriteError> {
        loop {
            let (applied, builds) = self.apply_step(entries)?;
            for build in &builds {
                self.resume_build(build, &|| true)?;
            }
            if self.pending_builds().iter().any(|pending| builds.contains(pending)) {
                return Err(WriteError::not_applied("an index could not be built".to_owned()));
            }
            if applied > 0 || entries.is_empty() {
                return Ok(applied);
            }
        }
    }

    fn apply_step(&self, entries: &[OplogEntry]) -> Result<(usize, Vec<PendingBuild>), WriteError> {
        self.transact(|writer| {
            // The changes have entries already.
            writer.txn.oplog = None;
            let mut documents = 0;
            for (at, entry) in entries.iter().enumerate() {
                documents += entry.changes.len();
                // A build runs in its own transactions. If it fails, the entries before the
                // definition must count, so a definition is never applied after others.
                let begins_next = documents > BATCH_DOCS_MAX || entry.kind == OplogKind::Definition;
                if at > 0 && begins_next {
                    return Ok((at, Vec::new()));
                }
                let builds = apply(writer, entry)?;
                if !builds.is_empty() {
                    // An index is in the oplog once it is built, so the entry counts only then.
                    return Ok((at, builds));
                }
            }
            Ok((entries.len(), Vec::new()))
        })
    }
}

/// Makes the changes of an entry. Returns the indexes to be built before the entry counts.
fn apply(
    writer: &mut DocumentWriter<'_, '_>,
    entry: &OplogEntry,
) -> Result<Vec<PendingBuild>, WriteError> {
    let name = &entry.namespace;
    let mut removed = Vec::new();
    for change in &entry.changes {
        match change {
            OplogChange::Written { record, modified_ms, document } => {
                let collection = find(writer, name)?;
                // The primary's time: under a TTL on `_ts` each member must compute the same
                // threshold.
                writer.set_now_ms(*modified_ms);
                if entry.kind == OplogKind::Insert {
                    writer.insert_at(&collection, *record, document)?;
                } else {
                    writer.replace_at(&collection, *record, document)?;
                }
            }
            OplogChange::Removed { record, .. } => removed.push(*record),
            OplogChange::Defined(definition) => return define(writer, definition.clone()),
            OplogChange::Dropped => {
                let collection = find(writer, name)?;
                drop_collection(writer, &collection)?;
            }
            OplogChange::Dialect(dialect) => writer.txn.set_dialect(&name.db, *dialect),
        }
    }
    if !removed.is_empty() {
        let collection = find(writer, name)?;
        let gone = writer.delete_batch(&collection, &removed, |_, stored| {
            stored?;
            Ok(Some(()))
        })?;
        if gone.iter().any(Option::is_none) {
            return Err(WriteError::not_applied(format!("{name} lacks a document to remove")));
        }
    }
    Ok(Vec::new())
}

/// Gives a collection its new definition, under numbers of this store.
fn define(
    writer: &mut DocumentWriter<'_, '_>,
    mut after: CollectionMeta,
) -> Result<Vec<PendingBuild>, WriteError> {
    // Renaming keeps the UUID, `convertToCapped` keeps the name, and ids are a member's own.
    let is_it = |known: &&Arc<CollectionMeta>| known.uuid == after.uuid;
    let before = writer.catalog().all_collections().find(is_it).cloned();
    let before = before.or_else(|| writer.collection(&after.namespace));
    after.id = match &before {
        Some(before) => before.id,
        None => CollectionId(writer.txn.writer.next_id()?),
    };
    let counters = writer.counters(after.id.0)?;
    for index in &mut after.indexes {
        let same = |other: &&Arc<IndexMeta>| {
            other.key.source == index.key.source && other.collation == index.collation
        };
        let known = before.as_ref().and_then(|before| before.index(&index.name)).filter(same);
        let index = Arc::make_mut(index);
        if let Some(known) = known {
            (index.id, index.state) = (known.id, known.state);
            index.multikey |= known.multikey;
        } else {
            index.id = IndexId(writer.txn.writer.next_id()?);
            if counters.documents > 0 {
                index.state = IndexState::Building;
                steps::begin(writer, index.id, counters.next_record)?;
            }
        }
    }
    drop_others(writer, before.as_deref(), &after)?;
    if let Some(before) = before.filter(|before| before.namespace != after.namespace) {
        writer.txn.remove_collection(&before.namespace)?;
    }
    let building = after.indexes.iter().filter(|index| index.state == IndexState::Building);
    let builds = building.map(|index| PendingBuild::of(&after, index)).collect();
    writer.txn.put_collection(after)?;
    Ok(builds)
}

/// Drops the indexes that the new definition lacks.
fn drop_others(
    writer: &mut DocumentWriter<'_, '_>,
    before: Option<&CollectionMeta>,
    after: &CollectionMeta,
) -> Result<(), WriteError> {
    let all = before.into_iter().flat_map(|before| &before.indexes);
    for index in all.filter(|index| after.index_by_id(index.id).is_none()) {
        writer.txn.forget_build(index)?;
        writer.txn.dropped.push(DroppedRange::Entries(index.id));
    }
    Ok(())
}

fn find(
    writer: &DocumentWriter<'_, '_>,
    name: &Namespace,
) -> Result<Arc<CollectionMeta>, WriteError> {
    writer.collection(name).ok_or_else(|| WriteError::not_applied(format!("{name} does not exist")))
}
