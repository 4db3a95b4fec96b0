//! Inserts and deletes of many documents at once.
//!
//! The result is the same as one by one. But the rows of each table are written in key order, so
//! neighbors share a page and a search, and counters change once.

use std::{borrow::Cow, sync::Arc};

use bson::raw::RawDocument;

use super::{document_writer::check_document, keys::add_entries, numbering::Numbering};
use crate::{
    catalog::{CollectionMeta, IndexMeta, IndexState},
    collection::{DocumentWriter, OplogChange, OplogKind, WriteError},
    limits::BATCH_BYTES_MAX,
    store::{Documents, EntryRows, Reader, RecordNumber, Scan, StoreError, StoredDocument},
};

/// Documents looked up one by one, at most, before the next attempt to read them in sequence.
const LOOKUPS_MAX: usize = 64;

/// The entries of several documents, per index.
struct EntryBatch {
    of: Vec<(Arc<IndexMeta>, EntryRows)>,
    /// Indexes that got their first array.
    multikey: Vec<Arc<IndexMeta>>,
}

struct PendingInserts<'d> {
    entries: EntryBatch,
    documents: Vec<(RecordNumber, &'d [u8])>,
    /// The lowest number the next document may get.
    next: RecordNumber,
}

struct PendingDeletes {
    entries: EntryBatch,
    records: Vec<RecordNumber>,
    bytes: u64,
    /// The removals as the oplog notes them; `None` without one.
    logged: Option<Vec<OplogChange>>,
}

impl DocumentWriter<'_, '_> {
    /// Stores new documents, which have an `_id`, under ascending record numbers, and returns the
    /// numbers. Returns `None`, without a write, when a document may be refused or needs more than
    /// being stored; [`DocumentWriter::insert`] then decides document by document.
    ///
    /// # Errors
    /// When the collection was dropped or the store fails.
    pub fn insert_batch(
        &mut self,
        collection: &CollectionMeta,
        documents: &[&RawDocument],
    ) -> Result<Option<Vec<RecordNumber>>, WriteError> {
        let collection = self.txn.current(collection)?;
        if !self.can_batch(&collection) {
            return Ok(None);
        }
        let collection = self.choose_numbering(collection, documents)?;
        let next = self.txn.next_record(collection.id)?;
        let Some(mut pending) = self.pending(&collection, documents, next)? else {
            return Ok(None);
        };
        let written = self.write_batch(&collection, &mut pending);
        if !self.must_succeed(written)? {
            return Ok(None);
        }
        self.txn.touch(&collection.namespace);
        for index in &pending.entries.multikey {
            let result = self.set_multikey(&collection, index);
            self.must_succeed(result)?;
        }
        Ok(Some(pending.documents.into_iter().map(|(record, _)| record).collect()))
    }

    /// Whether inserting a document only adds its row and index entries.
    fn can_batch(&self, collection: &CollectionMeta) -> bool {
        let options = &collection.options;
        let validates = options.validation.validator.is_some() && !self.txn.bypasses_validation;
        let is_plain = options.capped.is_none() && !validates;
        is_plain
            && collection.check_holds_documents().is_ok()
            && collection.indexes.iter().all(|index| index.state == IndexState::Ready)
    }

    /// The numbers and entries of new documents; `None` when a document is invalid or its `_id`
    /// exists.
    fn pending<'d>(
        &self,
        collection: &CollectionMeta,
        documents: &[&'d RawDocument],
        next: RecordNumber,
    ) -> Result<Option<PendingInserts<'d>>, StoreError> {
        let dialect = self.dialect(collection);
        let reader = self.txn.writer.reader();
        let mut numbering = Numbering::new(collection, next);
        let mut entries = EntryBatch::new(collection);
        let mut numbered: Vec<(RecordNumber, &[u8])> = Vec::with_capacity(documents.len());
        for document in documents {
            let is_whole = check_document(document).is_ok()
                && matches!(dialect.stored(document), Cow::Borrowed(_));
            if !is_whole {
                return Ok(None);
            }
            self.watch(collection, document);
            let (record, passed) = numbering.give(document);
            if let Some(passed) = passed
                && (numbered.binary_search_by_key(&passed, |(record, _)| *record).is_ok()
                    || reader.has_document(collection.id, passed)?)
            {
                return Ok(None);
            }
            let added = entries.add(document, self.txn.now_ms, record);
            if added.is_err() || entries.bytes() > BATCH_BYTES_MAX as u64 {
                return Ok(None);
            }
            numbered.push((record, document.as_bytes()));
        }
        Ok(Some(PendingInserts { entries, documents: numbered, next: numbering.next() }))
    }

    /// False, without a trace, when another document has one of the keys.
    fn write_batch(
        &mut self,
        collection: &CollectionMeta,
        pending: &mut PendingInserts<'_>,
    ) -> Result<bool, StoreError> {
        let txn = &mut self.txn;
        let PendingInserts { entries, documents, next } = pending;
        // Unique indexes first: then little has to be undone when a key is refused.
        entries.of.sort_by_key(|(index, _)| !index.refuses_duplicates());
        for at in 0..entries.of.len() {
            let (before, from) = entries.of.split_at_mut(at);
            let Some((index, rows)) = from.first_mut() else { break };
            if !txn.writer.put_entries(rows, index.refuses_duplicates())? {
                for (_, rows) in before {
                    txn.writer.delete_entries(rows)?;
                }
                return Ok(false);
            }
        }
        txn.writer.put_documents(collection.id, txn.now_ms, documents)?;
        for (index, rows) in &entries.of {
            txn.count(index.id.0, |counters| {
                counters.entries += rows.len() as u64;
                counters.bytes += rows.bytes();
            })?;
        }
        txn.count(collection.id.0, |counters| {
            counters.documents += documents.len() as u64;
            counters.bytes += documents.iter().map(|(_, bytes)| bytes.len() as u64).sum::<u64>();
            counters.next_record = *next;
        })?;
        txn.log_written(OplogKind::Insert, collection, documents.iter().copied())?;
        Ok(true)
    }

    /// Removes those documents for which `decide` returns something, and returns that in the order
    /// of `records`. `decide` gets the position in `records` and the stored document, or the error
    /// of a damaged one. The result is `None` for a record that does not exist or is repeated, and
    /// for a damaged one unless `decide` fails.
    ///
    /// # Errors
    /// When the collection was dropped or the store fails, and what `decide` returns.
    pub fn delete_batch<T>(
        &mut self,
        collection: &CollectionMeta,
        records: &[RecordNumber],
        mut decide: impl FnMut(
            usize,
            Result<&StoredDocument<'_>, StoreError>,
        ) -> Result<Option<T>, WriteError>,
    ) -> Result<Vec<Option<T>>, WriteError> {
        let collection = self.txn.current(collection)?;
        let mut decided: Vec<Option<T>> =
            std::iter::repeat_with(|| None).take(records.len()).collect();
        if collection.indexes.iter().any(|index| index.state != IndexState::Ready) {
            for (place, (record, decided)) in records.iter().zip(&mut decided).enumerate() {
                let damage = self.txn.writer.reader().document(collection.id, *record).err();
                *decided = match damage {
                    Some(damage @ StoreError::Damaged { .. }) => {
                        decide(place, Err(damage))?;
                        None
                    }
                    _ => {
                        self.delete_if(&collection, *record, |stored| decide(place, Ok(stored)))?
                    }
                };
            }
            return Ok(decided);
        }
        let mut order: Vec<(RecordNumber, usize)> =
            records.iter().enumerate().map(|(place, record)| (*record, place)).collect();
        order.sort_unstable();
        order.dedup_by_key(|(record, _)| *record);
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            let mut pending = PendingDeletes::new(&collection, self.txn.is_logged());
            let mut read = AscendingReads::new(self.txn.writer.reader(), &collection);
            let mut done = 0;
            for at in 0..rest.len() {
                done += 1;
                let (stored, place) = match read.at(rest, at) {
                    Ok(Some(found)) => found,
                    Ok(None) => continue,
                    Err(damage @ StoreError::Damaged { .. }) => {
                        let place = rest.get(at).map_or(0, |(_, place)| *place);
                        decide(place, Err(damage))?;
                        continue;
                    }
                    Err(error) => return Err(error.into()),
                };
                let Some(what) = decide(place, Ok(&stored))? else { continue };
                pending.add(&stored)?;
                if let Some(decided) = decided.get_mut(place) {
                    *decided = Some(what);
                }
                if pending.entries.bytes() > BATCH_BYTES_MAX as u64 {
                    break;
                }
            }
            drop(read);
            rest = rest.get(done..).unwrap_or_default();
            let result = self.remove_batch(&collection, pending);
            self.must_succeed(result)?;
        }
        Ok(decided)
    }

    fn remove_batch(
        &mut self,
        collection: &CollectionMeta,
        mut pending: PendingDeletes,
    ) -> Result<(), StoreError> {
        if pending.records.is_empty() {
            return Ok(());
        }
        let txn = &mut self.txn;
        for (index, rows) in &mut pending.entries.of {
            let (entries, bytes) = txn.writer.delete_entries(rows)?;
            txn.count(index.id.0, |counters| {
                counters.entries = counters.entries.saturating_sub(entries);
                counters.bytes = counters.bytes.saturating_sub(bytes);
            })?;
        }
        txn.writer.delete_documents(collection.id, &pending.records)?;
        txn.count(collection.id.0, |counters| {
            let documents = pending.records.len() as u64;
            counters.documents = counters.documents.saturating_sub(documents);
            counters.bytes = counters.bytes.saturating_sub(pending.bytes);
        })?;
        txn.log_removed(collection, pending.logged.into_iter().flatten());
        txn.touch(&collection.namespace);
        Ok(())
    }
}

impl EntryBatch {
    fn new(collection: &CollectionMeta) -> Self {
        let indexes = collection.indexes.iter();
        let of = indexes.map(|index| (Arc::clone(index), EntryRows::new(index.id))).collect();
        Self { of, multikey: Vec::new() }
    }

    fn add(
        &mut self,
        document: &RawDocument,
        modified_ms: i64,
        record: RecordNumber,
    ) -> Result<(), WriteError> {
        for (index, rows) in &mut self.of {
            if !index.has_entries_of(record) {
                continue;
            }
            let is_multikey = add_entries(index, document, modified_ms, record, rows)?;
            let is_known = || self.multikey.iter().any(|known| known.id == index.id);
            if is_multikey && !index.multikey && !is_known() {
                self.multikey.push(Arc::clone(index));
            }
        }
        Ok(())
    }

    fn bytes(&self) -> u64 {
        self.of.iter().map(|(_, rows)| rows.bytes()).sum()
    }
}

impl PendingDeletes {
    fn new(collection: &CollectionMeta, is_logged: bool) -> Self {
        let entries = EntryBatch::new(collection);
        let logged = is_logged.then(Vec::new);
        Self { entries, records: Vec::new(), bytes: 0, logged }
    }

    fn add(&mut self, stored: &StoredDocument<'_>) -> Result<(), WriteError> {
        let document = stored.document()?;
        let of = self.entries.of.iter_mut();
        for (index, rows) in of.filter(|(index, _)| index.has_entries_of(stored.record)) {
            // Keys that can't be made now were not made when it was stored either.
            let _ = add_entries(index, document, stored.modified_ms, stored.record, rows);
        }
        if let Some(logged) = &mut self.logged {
            logged.push(OplogChange::removed(stored.record, Some(document)));
        }
        self.records.push(stored.record);
        self.bytes += stored.bytes.len() as u64;
        Ok(())
    }
}

/// Reads documents in ascending order: in sequence while they are adjacent, else by lookup.
struct AscendingReads<'r, 'c> {
    reader: Reader<'r>,
    collection: &'c CollectionMeta,
    /// The sequence after the last document, while it yields the next ones.
    run: Option<Documents<'r>>,
    /// Lookups left before the next attempt to read in sequence, and how many there were last time.
    lookups: (usize, usize),
}

impl<'r, 'c> AscendingReads<'r, 'c> {
    fn new(reader: Reader<'r>, collection: &'c CollectionMeta) -> Self {
        Self { reader, collection, run: None, lookups: (0, 1) }
    }

    /// The document at position `at` of `order`, which holds record numbers and original positions.
    fn at(
        &mut self,
        order: &[(RecordNumber, usize)],
        at: usize,
    ) -> Result<Option<(StoredDocument<'r>, usize)>, StoreError> {
        let Some(&(record, place)) = order.get(at) else { return Ok(None) };
        if let Some(run) = &mut self.run {
            let next = run.next().and_then(Result::ok);
            if let Some(stored) = next.filter(|stored| stored.record == record) {
                self.lookups = (0, 1);
                return Ok(Some((stored, place)));
            }
            let (_, last) = self.lookups;
            self.run = None;
            self.lookups = (last, LOOKUPS_MAX.min(2 * last));
        }
        if let Some(left) = self.lookups.0.checked_sub(1) {
            self.lookups.0 = left;
            let stored = self.reader.document(self.collection.id, record)?;
            return Ok(stored.map(|stored| (stored, place)));
        }
        let mut run = self.reader.documents(self.collection.id, record, Scan::Forward)?;
        let first = run.next().and_then(Result::ok).filter(|stored| stored.record == record);
        let stored = match first {
            Some(stored) => {
                self.run = Some(run);
                Some(stored)
            }
            // A damaged row in the sequence does not tell which record it is, so look it up.
            None => self.reader.document(self.collection.id, record)?,
        };
        Ok(stored.map(|stored| (stored, place)))
    }
}
