//! Inserting and replacing documents within one transaction.

use std::{borrow::Cow, sync::Arc};

use bson::{
    Bson,
    raw::{RawBsonRef, RawDocument},
};

use super::{
    keys::{IndexKeys, keys_of},
    numbering::{Numbering, check_number},
    transaction::Transaction,
    unbuilt::read_range,
    unique,
};
use crate::{
    broken_rules::{BrokenRule, is_broken},
    catalog::{
        CatalogSnapshot, CollectionMeta, Dialect, IndexMeta, IndexState, Namespace,
        ValidationAction, has_own_ts,
    },
    collection::{OplogKind, WriteError},
    limits::BATCH_DOCS_MAX,
    store::{Counters, Reader, RecordNumber, Scan, StoreError, entry_bytes},
    value::field::field,
};

/// One write transaction over documents. It sees its own writes.
pub struct DocumentWriter<'w, 't> {
    pub(in crate::collection) txn: Transaction<'w, 't>,
}

/// A document that its collection's validator does not match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InvalidDocument {
    /// The collection.
    pub namespace: Namespace,
    /// It was not stored.
    pub refused: bool,
}

struct IndexWrite {
    index: Arc<IndexMeta>,
    keys: IndexKeys,
}

impl DocumentWriter<'_, '_> {
    /// Reads include what this transaction has written so far, except counters: those are as of its
    /// start, see [`DocumentWriter::counters`].
    pub fn reader(&self) -> Reader<'_> {
        self.txn.writer.reader()
    }

    /// The time of this transaction in milliseconds since 1970; what it writes was last modified
    /// then.
    pub fn now_ms(&self) -> i64 {
        self.txn.now_ms
    }

    /// The catalog as of this transaction.
    pub fn catalog(&self) -> &CatalogSnapshot {
        &self.txn.catalog
    }

    /// Sets a named value of the store itself in the same transaction.
    ///
    /// # Errors
    /// When the store fails.
    pub fn put_meta(&mut self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.txn.writer.put_meta(name, bytes)
    }

    /// Removes a named value of the store itself in the same transaction. False if it did not
    /// exist.
    ///
    /// # Errors
    /// When the store fails.
    pub fn delete_meta(&mut self, name: &str) -> Result<bool, StoreError> {
        self.txn.writer.delete_meta(name)
    }

    /// A collection as of this transaction.
    pub fn collection(&self, namespace: &Namespace) -> Option<Arc<CollectionMeta>> {
        self.txn.catalog.collection(namespace)
    }

    /// The counters of a collection or index, including what this transaction has written so far.
    ///
    /// # Errors
    /// When the store fails.
    pub fn counters(&mut self, id: u32) -> Result<Counters, WriteError> {
        Ok(self.txn.counters(id)?)
    }

    /// The document in the form its database stores, see [`Dialect::stored`].
    pub fn stored<'d>(
        &self,
        collection: &CollectionMeta,
        document: &'d RawDocument,
    ) -> Cow<'d, RawDocument> {
        self.watch(collection, document);
        self.dialect(collection).stored(document)
    }

    /// Marks the watch on the database if the document has its own `_ts` field.
    pub(in crate::collection) fn watch(&self, collection: &CollectionMeta, document: &RawDocument) {
        let ts_watches = self.txn.ts_watches.filter(|ts_watches| ts_watches.are_open());
        if let Some(ts_watches) = ts_watches.filter(|_| has_own_ts(document)) {
            ts_watches.mark(&collection.namespace.db);
        }
    }

    pub(in crate::collection) fn dialect(&self, collection: &CollectionMeta) -> Dialect {
        self.txn.catalog.dialect(&collection.namespace.db)
    }

    /// Stores a new document, which has an `_id`, and returns its record number.
    ///
    /// # Errors
    /// `DuplicateKey`, `ParallelArrays` and `BadDocument` leave the transaction usable.
    pub fn insert(
        &mut self,
        collection: &CollectionMeta,
        document: &RawDocument,
    ) -> Result<RecordNumber, WriteError> {
        let collection = self.txn.current(collection)?;
        collection.check_holds_documents()?;
        let document = &*self.stored(&collection, document);
        check_document(document)?;
        self.validate(&collection, document, None)
            .and_then(|()| self.insert_new(&collection, document))
    }

    pub(super) fn insert_new(
        &mut self,
        collection: &Arc<CollectionMeta>,
        document: &RawDocument,
    ) -> Result<RecordNumber, WriteError> {
        let next = self.txn.next_record(collection.id)?;
        let (record, _) = Numbering::new(collection, next).give(document);
        let plans = self.plan(collection, record, document)?;
        let written = self.write_new(collection, record, document, &plans);
        let kept = written.and_then(|()| self.keep_cap(collection, Some(record)));
        self.must_succeed(kept)?;
        self.note(collection, &plans)?;
        Ok(record)
    }

    /// Replaces the document with this record number; last-modified becomes now. Only index entries
    /// that differ are written.
    ///
    /// # Errors
    /// As [`DocumentWriter::insert`]; `BadDocument` when there is no such record.
    pub fn replace(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
        document: &RawDocument,
    ) -> Result<(), WriteError> {
        let collection = self.txn.current(collection)?;
        let document = &*self.stored(&collection, document);
        check_document(document)?;
        check_number(&collection, record, document)?;
        let reader = self.txn.writer.reader();
        let Some(stored) = reader.document(collection.id, record)? else {
            return Err(WriteError::BadDocument {
                message: format!(
                    "{} has no document with record number {record}",
                    collection.namespace
                ),
            });
        };
        let (old, old_modified_ms) = (stored.document()?.to_owned(), stored.modified_ms);
        // The old document matters: under level `moderate`, one that never matched may stay
        // invalid.
        self.validate(&collection, document, Some(&old))?;
        let plans = self.plan(&collection, record, document)?;
        let result = self.write_over(&collection, record, &old, old_modified_ms, document, &plans);
        self.must_succeed(result)?;
        self.note(&collection, &plans)
    }

    /// Ignores validators from here on.
    pub fn bypass_validation(&mut self, bypasses: bool) {
        self.txn.bypasses_validation = bypasses;
    }

    /// Sets the last modification of later writes: a copy keeps the times of its source.
    pub fn set_now_ms(&mut self, now_ms: i64) {
        self.txn.now_ms = now_ms;
    }

    /// Takes the documents that a validator of action `warn` or `errorAndLog` did not match.
    pub fn take_invalid(&mut self) -> Vec<InvalidDocument> {
        std::mem::take(&mut self.txn.invalid)
    }

    /// Checks a document against the collection's validator.
    fn validate(
        &mut self,
        collection: &CollectionMeta,
        document: &RawDocument,
        before: Option<&RawDocument>,
    ) -> Result<(), WriteError> {
        let validation = &collection.options.validation;
        let bypasses = self.txn.bypasses_validation || collection.options.time_series.is_some();
        if bypasses || validation.validator.is_none() {
            return Ok(());
        }
        let Some(details) = validation.failure(document, before, self.txn.now_ms)? else {
            return Ok(());
        };
        let action = validation.action.unwrap_or(ValidationAction::Error);
        // The list is only for the log, so it may be cut, but it must not grow with the
        // transaction.
        if action != ValidationAction::Error && self.txn.invalid.len() < BATCH_DOCS_MAX {
            self.txn.invalid.push(InvalidDocument {
                namespace: collection.namespace.clone(),
                refused: action == ValidationAction::ErrorAndLog,
            });
        }
        if action == ValidationAction::Warn {
            return Ok(());
        }
        let id = document.get("_id").ok().flatten().and_then(|id| Bson::try_from(id).ok());
        Err(WriteError::Invalid { id, details: Box::new(details) })
    }

    /// The keys of a document in all indexes that hold its record. Refuses keys that another
    /// document has, but evicts documents that are past their threshold and hidden.
    fn plan(
        &mut self,
        collection: &Arc<CollectionMeta>,
        record: RecordNumber,
        document: &RawDocument,
    ) -> Result<Vec<IndexWrite>, WriteError> {
        let plans = self.plan_unchecked(collection, record, document)?;
        let mut hidden = Vec::new();
        for plan in plans.iter().filter(|plan| plan.index.refuses_duplicates()) {
            hidden.extend(self.check_free(
                collection,
                &plan.index,
                &plan.keys,
                record,
                document,
            )?);
        }
        // All keys are free by now. Evicting before that check could remove documents for a write
        // that is then refused.
        for other in hidden {
            self.evict(collection, other)?;
        }
        Ok(plans)
    }

    /// The keys of a document in all indexes that hold its record.
    fn plan_unchecked(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
        document: &RawDocument,
    ) -> Result<Vec<IndexWrite>, WriteError> {
        let mut plans = Vec::with_capacity(collection.indexes.len());
        for index in &collection.indexes {
            if self.holds(index, record)? {
                let keys = keys_of(index, document, self.txn.now_ms)?;
                plans.push(IndexWrite { index: Arc::clone(index), keys });
            }
        }
        Ok(plans)
    }

    /// Stores a document under the number that another store gave it, unchecked.
    ///
    /// # Errors
    /// `NotApplied` when the number is taken; when the store fails.
    pub(in crate::collection) fn insert_at(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
        document: &RawDocument,
    ) -> Result<(), WriteError> {
        if self.txn.writer.reader().has_document(collection.id, record)? {
            return Err(WriteError::diverged(&collection.namespace, record));
        }
        let plans = self.plan_unchecked(collection, record, document)?;
        let written = self.write_new(collection, record, document, &plans);
        self.must_succeed(written)?;
        self.note(collection, &plans)
    }

    /// Replaces the document with this number as another store did, unchecked.
    ///
    /// # Errors
    /// `NotApplied` when there is none; when the store fails.
    pub(in crate::collection) fn replace_at(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
        document: &RawDocument,
    ) -> Result<(), WriteError> {
        let Some(stored) = self.txn.writer.reader().document(collection.id, record)? else {
            return Err(WriteError::diverged(&collection.namespace, record));
        };
        let (old, old_modified_ms) = (stored.document()?.to_owned(), stored.modified_ms);
        let plans = self.plan_unchecked(collection, record, document)?;
        let written = self.write_over(collection, record, &old, old_modified_ms, document, &plans);
        self.must_succeed(written)?;
        self.note(collection, &plans)
    }

    /// Whether the removals from here on are those of expired documents. Returns what it was before.
    /// Only the oplog tells them apart.
    pub fn removes_expired(&mut self, expired: bool) -> bool {
        let oplog = self.txn.oplog.as_mut();
        oplog.is_some_and(|oplog| std::mem::replace(&mut oplog.removes_expired, expired))
    }

    /// Checks that no other document has the keys; returns hidden documents that do.
    pub(in crate::collection) fn check_free(
        &self,
        collection: &CollectionMeta,
        index: &IndexMeta,
        keys: &IndexKeys,
        record: RecordNumber,
        document: &RawDocument,
    ) -> Result<Vec<RecordNumber>, WriteError> {
        let reader = self.txn.writer.reader();
        let mut hidden = Vec::new();
        let conflict = unique::find_conflict(
            &reader,
            collection,
            index,
            keys,
            document,
            record,
            &mut |other| {
                // A damaged document is never evicted.
                let stored = StoreError::unless_damaged(reader.document(collection.id, other))?;
                let hides = match stored.flatten() {
                    Some(stored) => {
                        collection.hides(stored.document()?, stored.modified_ms, self.txn.now_ms)
                    }
                    None => false,
                };
                let hides = hides && !is_broken(BrokenRule::HiddenIdTaken);
                if hides {
                    hidden.push(other);
                }
                Ok(hides)
            },
        )?;
        match conflict {
            Some(conflict) => Err(unique::duplicate(collection, index, document, &conflict)),
            None => Ok(hidden),
        }
    }

    fn write_new(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
        document: &RawDocument,
        plans: &[IndexWrite],
    ) -> Result<(), StoreError> {
        let txn = &mut self.txn;
        let bytes = document.as_bytes();
        txn.writer.put_document(collection.id, record, txn.now_ms, bytes)?;
        txn.count(collection.id.0, |counters| {
            counters.documents += 1;
            counters.bytes += bytes.len() as u64;
            counters.next_record = record + 1;
        })?;
        for plan in plans {
            let mut bytes = 0;
            for (key, exact) in plan.keys.keys.iter() {
                txn.writer.put_entry(plan.index.id, key, record, exact)?;
                bytes += entry_bytes(plan.index.id, key, record);
            }
            let entries = plan.keys.keys.len() as u64;
            txn.count(plan.index.id.0, |counters| {
                counters.entries += entries;
                counters.bytes += bytes;
            })?;
        }
        txn.log_written(OplogKind::Insert, collection, [(record, document.as_bytes())])
    }

    fn write_over(
        &mut self,
        collection: &CollectionMeta,
        record: RecordNumber,
        old: &RawDocument,
        old_modified_ms: i64,
        document: &RawDocument,
        plans: &[IndexWrite],
    ) -> Result<(), StoreError> {
        let txn = &mut self.txn;
        let bytes = document.as_bytes();
        let keeps_ts = is_broken(BrokenRule::WritesKeepTs);
        let modified_ms = if keeps_ts { old_modified_ms } else { txn.now_ms };
        txn.writer.put_document(collection.id, record, modified_ms, bytes)?;
        txn.count(collection.id.0, |counters| {
            counters.bytes =
                counters.bytes.saturating_sub(old.as_bytes().len() as u64) + bytes.len() as u64;
        })?;
        for plan in plans {
            let before = keys_of(&plan.index, old, old_modified_ms).unwrap_or_default().keys;
            let (mut added, mut removed) = (0_u64, 0_u64);
            let (mut bytes_added, mut bytes_removed) = (0_u64, 0_u64);
            // Entries that stay are not touched: each put or delete is a search in LMDB's tree.
            for (key, _) in before.iter().filter(|(key, _)| !plan.keys.keys.contains_key(key)) {
                if txn.writer.delete_entry(plan.index.id, key, record)? {
                    removed += 1;
                    bytes_removed += entry_bytes(plan.index.id, key, record);
                }
            }
            for (key, exact) in plan.keys.keys.iter().filter(|(key, _)| !before.contains_key(key)) {
                txn.writer.put_entry(plan.index.id, key, record, exact)?;
                added += 1;
                bytes_added += entry_bytes(plan.index.id, key, record);
            }
            if added + removed > 0 {
                txn.count(plan.index.id.0, |counters| {
                    counters.entries = (counters.entries + added).saturating_sub(removed);
                    counters.bytes = (counters.bytes + bytes_added).saturating_sub(bytes_removed);
                })?;
            }
        }
        txn.log_written(OplogKind::Update, collection, [(record, document.as_bytes())])
    }

    /// Removes some of the oldest documents of a capped collection that exceeds its bounds. Returns
    /// whether there may be more to remove.
    pub(in crate::collection) fn trim(
        &mut self,
        collection: &CollectionMeta,
    ) -> Result<bool, WriteError> {
        let before = self.txn.counters(collection.id.0)?.documents;
        let result = self.keep_cap(collection, None);
        self.must_succeed(result)?;
        self.txn.touch(&collection.namespace);
        Ok(self.txn.counters(collection.id.0)?.documents < before)
    }

    /// Removes the oldest documents of a capped collection until it is within its bounds. One
    /// insert removes at most [`BATCH_DOCS_MAX`]; the next ones continue. A damaged document stays,
    /// and so does `newest`.
    fn keep_cap(
        &mut self,
        collection: &CollectionMeta,
        newest: Option<RecordNumber>,
    ) -> Result<(), StoreError> {
        let Some(capped) = &collection.options.capped else { return Ok(()) };
        let bytes_max = capped.size_bytes.and_then(|size| u64::try_from(size).ok());
        let docs_max = capped.docs_max.and_then(|max| u64::try_from(max).ok());
        for _ in 0..BATCH_DOCS_MAX {
            let counters = self.txn.counters(collection.id.0)?;
            let over = bytes_max.is_some_and(|max| counters.bytes > max)
                || docs_max.is_some_and(|max| counters.documents > max);
            if !over {
                break;
            }
            let oldest = oldest(&self.txn.writer.reader(), collection)?;
            // A document larger than the bounds allow must not remove itself.
            let Some(record) = oldest.filter(|oldest| Some(*oldest) != newest) else { break };
            self.remove(collection, record)?;
        }
        Ok(())
    }

    /// Whether the index must have entries for this record: false for implicit `_id`s and for
    /// records that a build has not reached.
    pub(in crate::collection) fn holds(
        &mut self,
        index: &IndexMeta,
        record: RecordNumber,
    ) -> Result<bool, StoreError> {
        if index.state == IndexState::Ready {
            return Ok(index.has_entries_of(record));
        }
        let range = if let Some(range) = self.txn.builds.get(&index.id) {
            *range
        } else {
            let range = Some(read_range(&self.txn.writer.reader(), index.id)?);
            self.txn.builds.insert(index.id, range);
            range
        };
        // The build will reach records between its position and its limit, and adds their entries
        // itself. An entry put here too would be counted twice.
        Ok(range.is_none_or(|(position, limit)| record < position || record >= limit))
    }

    /// Records the touched collection, and which indexes got their first array.
    fn note(
        &mut self,
        collection: &CollectionMeta,
        plans: &[IndexWrite],
    ) -> Result<(), WriteError> {
        self.txn.touch(&collection.namespace);
        for plan in plans.iter().filter(|plan| plan.keys.multikey && !plan.index.multikey) {
            let result = self.set_multikey(collection, &plan.index);
            self.must_succeed(result)?;
        }
        Ok(())
    }

    pub(in crate::collection) fn set_multikey(
        &mut self,
        collection: &CollectionMeta,
        index: &IndexMeta,
    ) -> Result<(), StoreError> {
        let Some(current) = self.txn.catalog.collection(&collection.namespace) else {
            return Ok(());
        };
        let mut current = CollectionMeta::clone(&current);
        for slot in current.indexes.iter_mut().filter(|slot| slot.id == index.id) {
            Arc::make_mut(slot).multikey = true;
        }
        self.txn.put_as_large(current)
    }

    /// A store failure in the middle of a document forbids the commit, even if the caller ignores
    /// it.
    pub(in crate::collection) fn must_succeed<T>(
        &mut self,
        result: Result<T, StoreError>,
    ) -> Result<T, WriteError> {
        if let Err(error) = &result {
            self.txn.broken = Some(error.clone());
        }
        Ok(result?)
    }
}

fn oldest(
    reader: &Reader<'_>,
    collection: &CollectionMeta,
) -> Result<Option<RecordNumber>, StoreError> {
    for stored in reader.documents(collection.id, 0, Scan::Forward)? {
        if let Some(stored) = StoreError::unless_damaged(stored)? {
            return Ok(Some(stored.record));
        }
    }
    Ok(None)
}

pub(super) fn check_document(document: &RawDocument) -> Result<(), WriteError> {
    let wrong = match field(document, "_id") {
        Some(RawBsonRef::Array(_)) => "the _id can't be an array",
        Some(RawBsonRef::RegularExpression(_)) => "the _id can't be a regular expression",
        Some(RawBsonRef::Undefined) => "the _id can't be undefined",
        Some(_) => return Ok(()),
        None => "the document has no _id",
    };
    Err(WriteError::BadDocument { message: wrong.to_owned() })
}
