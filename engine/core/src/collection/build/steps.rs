//! Index builds, step by step.
//!
//! While an index is being built it holds the entries of all records outside `[position, limit)`;
//! `limit` is the next record number at registration. Writers keep that invariant, a step moves
//! `position` up, and at `limit` the index becomes Ready. The range is stored, so a build resumes
//! after a restart.

use std::{sync::Arc, thread};

use bson::RawDocument;

use super::progress::PendingBuild;
use crate::{
    catalog::{CatalogError, CatalogErrorKind, CollectionMeta, IndexMeta, IndexState},
    clock::work_time,
    collection::{
        Collections, DocumentWriter, WriteError,
        write::{
            keys::{add_entries, keys_of},
            unbuilt::{range_bytes, range_name, read_range},
        },
    },
    event::{BuildProgress, Event},
    limits::{BATCH_BYTES_MAX, BATCH_MS_MAX, BUILD_ENTRIES_MAX, BULK_DOCS_MAX},
    store::{EntryRows, IndexId, Reader, RecordNumber, Scan, StoreError, entry_bytes},
    value::id_number::RecordName,
};

impl Collections {
    /// Index builds that have not ended; after a restart these are the builds of the previous
    /// session.
    pub fn pending_builds(&self) -> Vec<PendingBuild> {
        let catalog = self.catalog();
        let building = catalog.all_collections().flat_map(|collection| {
            let indexes = collection.indexes.iter();
            let building = indexes.filter(|index| index.state == IndexState::Building);
            building.map(move |index| (collection, index))
        });
        // Checked last, because few collections pass the first filter and this runs after each
        // change of the catalog.
        let writable =
            building.filter(|(collection, _)| catalog.is_writable(&collection.namespace.db));
        writable.map(|(collection, index)| PendingBuild::of(collection, index)).collect()
    }

    /// Resumes an index build that has no owner, step by step, until it has ended or `continues`
    /// returns false. A build that meets a duplicate drops its index and reports that as progress.
    ///
    /// # Errors
    /// When the store fails; the build can be resumed later.
    pub fn resume_build(
        &self,
        build: &PendingBuild,
        continues: &dyn Fn() -> bool,
    ) -> Result<(), WriteError> {
        // The command that created the index may run the build. Two threads must not step the same
        // range.
        let Ok(claim) = self.build_owners.try_claim(build.index) else { return Ok(()) };
        // Its owner may have ended it since the caller looked.
        let is_pending = self.pending_builds().iter().any(|pending| pending.index == build.index);
        while is_pending && continues() {
            match self.step(build) {
                // Other writers get a turn between two steps.
                Ok(progress) if !progress.finished => thread::yield_now(),
                Ok(_) => {
                    claim.end(&Ok(()));
                    break;
                }
                Err(error) => {
                    let resumable = match &error {
                        // These may pass, so the index stays. Any other error comes from a document
                        // and would come again.
                        WriteError::Store(_) => Err(error.clone()),
                        _ => self.give_up(std::slice::from_ref(build), &error),
                    };
                    claim.end(&Err(error));
                    return resumable;
                }
            }
        }
        Ok(())
    }

    pub(in crate::collection) fn build_to_end(
        &self,
        build: &PendingBuild,
        continues: &dyn Fn() -> bool,
        progress: &mut dyn FnMut(&BuildProgress),
    ) -> Result<(), WriteError> {
        loop {
            if !continues() {
                return Err(StoreError::Stopped.into());
            }
            let reached = self.step(build)?;
            progress(&reached);
            if reached.finished {
                return Ok(());
            }
        }
    }

    /// Drops indexes whose build has failed.
    pub(in crate::collection) fn give_up(
        &self,
        builds: &[PendingBuild],
        error: &WriteError,
    ) -> Result<(), WriteError> {
        self.transact(|writer| {
            for build in builds {
                if let Some((collection, index)) = find(writer, build) {
                    writer.txn.remove_indexes(&collection, &[index])?;
                }
            }
            Ok::<_, WriteError>(())
        })?;
        for build in builds {
            self.tell(&Event::IndexBuild(BuildProgress::failed(build, error)));
        }
        Ok(())
    }

    pub(in crate::collection) fn step(
        &self,
        build: &PendingBuild,
    ) -> Result<BuildProgress, WriteError> {
        let progress = self.transact(|writer| {
            // Measured from here: the transaction may have waited for the writer longer than a step
            // may take.
            let started = work_time();
            if self.is_secondary() {
                // The primary's entry about the index is stored once it is built.
                writer.txn.oplog = None;
            }
            let is_past =
                |ms: u64| work_time().saturating_sub(started).as_millis() >= u128::from(ms);
            let (collection, index) = find(writer, build).ok_or_else(|| aborted(build))?;
            // Another thread may have finished the build, which isn't an error here.
            if index.state == IndexState::Ready {
                return Ok::<_, WriteError>(BuildProgress::new(&collection, &index, (0, 0), true));
            }
            let (position, limit) = read_range(&writer.reader(), index.id)?;
            if position >= limit {
                finish(writer, &collection, &index)?;
                return Ok::<_, WriteError>(BuildProgress::new(&collection, &index, (0, 0), true));
            }
            // A unique index looks up each key before it adds it, so its entries can't be gathered
            // and sorted first.
            let next = if index.refuses_duplicates() {
                let batch = read_batch(&writer.reader(), &collection, position, limit)?;
                let mut next = batch.next;
                for document in batch.documents {
                    // Evicted documents may have received their entries in this step.
                    writer.txn.builds.insert(index.id, Some((document.record, limit)));
                    add_document(writer, &collection, &index, &document)?;
                    if is_past(BATCH_MS_MAX) {
                        next = document.record + 1;
                        break;
                    }
                }
                next
            } else {
                let is_late = || is_past(BATCH_MS_MAX / GATHER_PART);
                let gathered =
                    gather(&writer.reader(), &collection, &index, (position, limit), &is_late)?;
                add_sorted(writer, &collection, &index, gathered)?
            };
            // In the same transaction as the entries, so that a resumed build neither misses nor
            // repeats one.
            writer.put_meta(&range_name(index.id), &range_bytes(next, limit))?;
            writer.txn.builds.insert(index.id, Some((next, limit)));
            if next >= limit {
                finish(writer, &collection, &index)?;
            }
            progress_at(writer, &collection, &index, next.min(limit), limit)
        })?;
        self.tell(&Event::IndexBuild(progress.clone()));
        Ok(progress)
    }
}

/// The progress of a build that continues at record `next`.
fn progress_at(
    writer: &DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
    next: RecordNumber,
    limit: RecordNumber,
) -> Result<BuildProgress, WriteError> {
    let reader = writer.reader();
    let total = reader.counters(collection.id.0)?.documents;
    let first = reader.documents(collection.id, 0, Scan::Forward)?.next_unverified().transpose()?;
    // Record numbers may have gaps, so the part that is done is an estimate.
    let first = first.map_or(0, |unread| unread.record.min(next));
    let finished = next >= limit;
    let done = if finished { total } else { part(total, next - first, limit - first) };
    Ok(BuildProgress::new(collection, index, (done, total), finished))
}

/// Registers a build: no record below `limit` has entries yet.
pub(in crate::collection) fn begin(
    writer: &mut DocumentWriter<'_, '_>,
    index: IndexId,
    limit: RecordNumber,
) -> Result<(), StoreError> {
    writer.put_meta(&range_name(index), &range_bytes(0, limit))
}

pub(in crate::collection) fn find(
    writer: &DocumentWriter<'_, '_>,
    build: &PendingBuild,
) -> Option<(Arc<CollectionMeta>, Arc<IndexMeta>)> {
    let same = |collection: &Arc<CollectionMeta>| collection.id == build.collection;
    let collection = writer
        .collection(&build.namespace)
        .filter(same)
        // The collection may have been renamed since. Its id stays.
        .or_else(|| writer.catalog().all_collections().find(|other| same(other)).cloned())?;
    let index = collection.index_by_id(build.index).cloned()?;
    Some((collection, index))
}

/// One part in this many of a step's time is for gathering entries; sorting, writing and flushing
/// take the rest.
const GATHER_PART: u64 = 4;

/// Documents between two readings of the clock.
const CLOCK_DOCS: usize = 64;

struct Batch {
    documents: Vec<DocumentCopy>,
    next: RecordNumber,
}

/// The share `done / all` of `total`; `all` is not 0.
fn part(total: u64, done: RecordNumber, all: RecordNumber) -> u64 {
    // Keeps the product within 128 bits.
    let shift = (u128::BITS - all.leading_zeros()).saturating_sub(u64::BITS);
    let part = u128::from(total) * (done >> shift) / (all >> shift).max(1);
    u64::try_from(part).unwrap_or(total)
}

/// A document that outlives the read.
struct DocumentCopy {
    record: RecordNumber,
    modified_ms: i64,
    bytes: Vec<u8>,
}

fn read_batch(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    position: RecordNumber,
    limit: RecordNumber,
) -> Result<Batch, StoreError> {
    let mut batch = Batch { documents: Vec::new(), next: limit };
    let mut bytes = 0;
    for stored in reader.documents(collection.id, position, Scan::Forward)? {
        let stored = stored?;
        if stored.record >= limit {
            break;
        }
        // Bounded by bytes too, because the documents are copied.
        if batch.documents.len() >= BULK_DOCS_MAX || bytes >= BATCH_BYTES_MAX {
            batch.next = stored.record;
            break;
        }
        bytes += stored.bytes.len();
        batch.documents.push(DocumentCopy {
            record: stored.record,
            modified_ms: stored.modified_ms,
            bytes: stored.bytes.to_vec(),
        });
    }
    Ok(batch)
}

fn add_document(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
    copied: &DocumentCopy,
) -> Result<(), WriteError> {
    let document = RawDocument::from_bytes(&copied.bytes).map_err(|_| StoreError::Damaged {
        what: format!("{} of {} is not BSON", RecordName(copied.record), collection.namespace),
    })?;
    let keys = keys_of(index, document, copied.modified_ms)?;
    if index.refuses_duplicates() {
        // A hidden document is evicted, as it would be for a new document: a later change of its
        // rule could show it again.
        match writer.check_free(collection, index, &keys, copied.record, document) {
            Ok(hidden) => {
                hidden.into_iter().try_for_each(|other| writer.evict(collection, other))?;
            }
            Err(WriteError::DuplicateKey(_))
                if collection.hides(document, copied.modified_ms, writer.now_ms()) =>
            {
                return writer.evict(collection, copied.record);
            }
            Err(error) => return Err(error),
        }
    }
    let mut bytes = 0;
    for (key, exact) in keys.keys.iter() {
        writer.txn.writer.put_entry(index.id, key, copied.record, exact)?;
        bytes += entry_bytes(index.id, key, copied.record);
    }
    let entries = keys.keys.len() as u64;
    writer.txn.count(index.id.0, |counters| {
        counters.entries += entries;
        counters.bytes += bytes;
    })?;
    if keys.multikey && !is_multikey(writer, collection, index) {
        writer.set_multikey(collection, index)?;
    }
    Ok(())
}

/// Entries of one step, sorted when they are written.
struct GatheredEntries {
    entries: EntryRows,
    multikey: bool,
    next: RecordNumber,
}

/// The entries of the next documents, until the gathering share of the step's time is used up.
fn gather(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
    (position, limit): (RecordNumber, RecordNumber),
    is_late: &dyn Fn() -> bool,
) -> Result<GatheredEntries, WriteError> {
    let entries = EntryRows::new(index.id);
    let mut gathered = GatheredEntries { entries, multikey: false, next: limit };
    let documents = reader.documents(collection.id, position, Scan::Forward)?;
    for (count, stored) in documents.enumerate() {
        let stored = stored?;
        if stored.record >= limit {
            break;
        }
        // An array may give one document many entries, so documents and entries are both counted.
        let is_full = count == BUILD_ENTRIES_MAX
            || gathered.entries.len() >= BUILD_ENTRIES_MAX
            || gathered.entries.bytes() >= BATCH_BYTES_MAX as u64;
        if is_full || (count > 0 && count.is_multiple_of(CLOCK_DOCS) && is_late()) {
            gathered.next = stored.record;
            break;
        }
        let document = stored.document()?;
        gathered.multikey |=
            add_entries(index, document, stored.modified_ms, stored.record, &mut gathered.entries)?;
    }
    Ok(gathered)
}

/// Writes entries in key order, so neighbors share a page. Returns where the next step begins.
fn add_sorted(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
    mut gathered: GatheredEntries,
) -> Result<RecordNumber, WriteError> {
    // Sorted first, because entries in any order would each touch another page.
    writer.txn.writer.put_entries(&mut gathered.entries, false)?;
    writer.txn.count(index.id.0, |counters| {
        counters.entries += gathered.entries.len() as u64;
        counters.bytes += gathered.entries.bytes();
    })?;
    if gathered.multikey && !is_multikey(writer, collection, index) {
        writer.set_multikey(collection, index)?;
    }
    Ok(gathered.next)
}

fn is_multikey(
    writer: &DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
) -> bool {
    writer
        .collection(&collection.namespace)
        .and_then(|current| current.index_by_id(index.id).map(|index| index.multikey))
        .unwrap_or(false)
}

fn finish(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    index: &IndexMeta,
) -> Result<(), WriteError> {
    // The definition may have changed since the step read it: a first array sets `multikey`.
    let current = writer.collection(&collection.namespace);
    let mut changed = CollectionMeta::clone(current.as_deref().unwrap_or(collection));
    for slot in changed.indexes.iter_mut().filter(|slot| slot.id == index.id) {
        Arc::make_mut(slot).state = IndexState::Ready;
    }
    writer.delete_meta(&range_name(index.id))?;
    writer.txn.builds.remove(&index.id);
    writer.txn.put_collection(changed)?;
    Ok(())
}

/// The error of a build whose index was dropped.
pub(in crate::collection) fn aborted(build: &PendingBuild) -> WriteError {
    WriteError::Catalog(CatalogError::new(
        CatalogErrorKind::IndexBuildAborted,
        format!(
            "the index {} of {} was dropped while it was being built",
            build.name, build.namespace
        ),
    ))
}
