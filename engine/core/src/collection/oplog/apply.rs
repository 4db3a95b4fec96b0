//! Reading the oplog, and applying another store's entries.

use std::sync::Arc;

use bson::raw::RawDocument;

use super::change::{OplogChange, OplogKind};
use super::entry::OplogEntry;
use crate::{
    catalog::{CollectionMeta, IndexMeta, IndexState, Namespace, record},
    clock::work_time,
    collection::{
        Collections, DocumentWriter, PendingBuild, WriteError, build::steps,
        ddl::create_drop::drop_collection, write::dropped_ranges::DroppedRange,
    },
    limits::{BATCH_DOCS_MAX, BATCH_MS_MAX, OPLOG_READ_MAX},
    store::{CollectionId, IndexId, Reader, Scan, StoreError},
};

impl Collections {
    /// The position of the newest entry; 0 while there is none.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn oplog_position(&self) -> Result<u64, StoreError> {
        self.store.read(last_position)
    }

    /// Entries after a position, at most `max` and at most `limits::OPLOG_READ_MAX`.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn oplog_after(&self, position: u64, max: usize) -> Result<Vec<OplogEntry>, StoreError> {
        self.read_oplog(position.saturating_add(1), Scan::Forward, max)
    }

    /// The newest entries, newest first; bounds as [`Collections::oplog_after`].
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn oplog_newest(&self, max: usize) -> Result<Vec<OplogEntry>, StoreError> {
        self.read_oplog(u64::MAX, Scan::Backward, max)
    }

    fn read_oplog(
        &self,
        from: u64,
        direction: Scan,
        max: usize,
    ) -> Result<Vec<OplogEntry>, StoreError> {
        self.store.read(|reader| {
            let rows = reader.oplog(from, direction)?.take(max.min(OPLOG_READ_MAX));
            rows.map(|row| row.and_then(|(position, bytes)| OplogEntry::read(position, bytes)))
                .collect()
        })
    }

    /// Applies the first of these entries in one bounded transaction, each together with its copy in
    /// this store's oplog. Entries that this store has are skipped, so a repetition changes nothing.
    /// Index builds run to their end. Returns how many entries it has now, at least one.
    ///
    /// # Errors
    /// `NotApplied` when an entry does not follow the last one or does not fit the documents here;
    /// when the store fails.
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
            // The entries themselves are stored instead of new ones.
            writer.txn.oplog = None;
            let began = work_time();
            let mut last = writer.reader().last_oplog_position()?;
            let (mut applied, mut documents) = (0, 0);
            for entry in entries {
                if entry.position <= last {
                    applied += 1;
                    continue;
                }
                // A gap means that the member lacks a change. Applying later ones would hide that.
                if entry.position != last + 1 {
                    return Err(WriteError::not_applied(format!(
                        "entry {} does not follow entry {last}",
                        entry.position
                    )));
                }
                let is_late = work_time().saturating_sub(began).as_millis() >= BATCH_MS_MAX.into();
                let is_full = documents + entry.documents > BATCH_DOCS_MAX as u64;
                if documents > 0 && (is_late || is_full) {
                    break;
                }
                let builds = apply(writer, entry)?;
                if !builds.is_empty() {
                    // An index is in the oplog once it is built, so the entry counts only then. The
                    // build runs in its own transactions.
                    return Ok((applied, builds));
                }
                // In the transaction of the change: the newest entry is the member's position, also
                // after a crash.
                writer.txn.writer.put_oplog_entry(entry.position, entry.bytes())?;
                last = entry.position;
                applied += 1;
                documents += entry.documents.max(1);
            }
            Ok((applied, Vec::new()))
        })
    }
}

/// Makes the changes of an entry. Returns the indexes to be built before the entry counts.
fn apply(
    writer: &mut DocumentWriter<'_, '_>,
    entry: &OplogEntry,
) -> Result<Vec<PendingBuild>, WriteError> {
    if entry.kind == OplogKind::Dialect {
        for change in entry.changes()? {
            if let OplogChange::Dialect(dialect) = change {
                writer.txn.set_dialect(&entry.namespace, dialect);
            }
        }
        return Ok(Vec::new());
    }
    let name = Namespace::parse(&entry.namespace)?;
    let mut removed = Vec::new();
    for change in entry.changes()? {
        match change {
            OplogChange::Written { record, modified_ms, document } => {
                let collection = find(writer, &name)?;
                // The primary's time: under a TTL on `_ts` each member must compute the same
                // threshold.
                writer.set_now_ms(modified_ms);
                if entry.kind == OplogKind::Insert {
                    writer.insert_at(&collection, record, document)?;
                } else {
                    writer.replace_at(&collection, record, document)?;
                }
            }
            OplogChange::Removed { record, .. } => removed.push(record),
            OplogChange::Defined { definition, from } => {
                let from = from.map(Namespace::parse).transpose()?;
                return define(writer, &name, from.as_ref(), definition);
            }
            OplogChange::Dropped => {
                let collection = find(writer, &name)?;
                drop_collection(writer, &collection)?;
            }
            OplogChange::Dialect(_) => {}
        }
    }
    if !removed.is_empty() {
        let collection = find(writer, &name)?;
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
    name: &Namespace,
    from: Option<&Namespace>,
    definition: &RawDocument,
) -> Result<Vec<PendingBuild>, WriteError> {
    let mut after = record::read(&name.db, &name.collection, definition.as_bytes())
        .map_err(|what| WriteError::not_applied(format!("{name}: {what}")))?;
    let before = writer.collection(from.unwrap_or(name));
    after.id = match &before {
        Some(before) => before.id,
        // Ids are a member's own, so an entry names collections and never their ids.
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
    if let (Some(from), Some(_)) = (from, &before) {
        writer.txn.remove_collection(from)?;
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

fn last_position(reader: &Reader<'_>) -> Result<u64, StoreError> {
    reader.last_oplog_position()
}

fn find(
    writer: &DocumentWriter<'_, '_>,
    name: &Namespace,
) -> Result<Arc<CollectionMeta>, WriteError> {
    writer.collection(name).ok_or_else(|| WriteError::not_applied(format!("{name} does not exist")))
}
