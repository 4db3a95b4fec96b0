//! Documents that are stored or removed together.
//!
//! What comes of it is what one after the other gives. But the rows of each table are written in the
//! order of their keys, so that neighbours share a page and a search, and counters change once.

use std::{borrow::Cow, sync::Arc};

use bson::raw::RawDocument;

use super::{DocumentWriter, WriteError, document_writer::check_document, keys::add_entries};
use crate::{
    catalog::{CollectionMeta, IndexMeta, IndexState},
    limits::BATCH_BYTES_MAX,
    store::{Documents, EntryRows, Reader, Scan, StoreError, Stored},
};

/// Record numbers in a row from which on documents are read one behind the other and not looked up.
const RUN_RECORDS_MIN: usize = 4;

/// The entries of several documents, index by index.
struct Entries {
    of: Vec<(Arc<IndexMeta>, EntryRows)>,
    /// Indexes that have met their first array.
    multikey: Vec<Arc<IndexMeta>>,
}

/// Documents that go.
struct Leaving {
    entries: Entries,
    records: Vec<u64>,
    bytes: u64,
}

impl DocumentWriter<'_> {
    /// Stores new documents, which have an `_id`, under ascending record numbers, and returns the
    /// first. `None`, and nothing has been written, when one of them may have to be refused or needs
    /// more than being stored: [`DocumentWriter::insert`] then tells document by document.
    ///
    /// # Errors
    /// When the collection is gone or the store fails.
    pub fn insert_together(
        &mut self,
        collection: &CollectionMeta,
        documents: &[&RawDocument],
    ) -> Result<Option<u64>, WriteError> {
        let collection = self.txn.current(collection)?;
        if !self.takes_several(&collection) {
            return Ok(None);
        }
        let first = self.txn.counters(collection.id.0)?.next_record.max(1);
        let Some(mut entries) = self.entries_of(&collection, documents, first) else {
            return Ok(None);
        };
        let written = self.write_together(&collection, documents, first, &mut entries);
        if !self.must_succeed(written)? {
            return Ok(None);
        }
        self.txn.touch(&collection.namespace);
        for index in &entries.multikey {
            let result = self.set_multikey(&collection, index);
            self.must_succeed(result)?;
        }
        Ok(Some(first))
    }

    /// Whether nothing but its entries comes with a new document.
    fn takes_several(&self, collection: &CollectionMeta) -> bool {
        let options = &collection.options;
        let validates = options.validation.validator.is_some() && !self.txn.bypasses_validation;
        let is_plain = options.capped.is_none() && !validates;
        is_plain
            && collection.check_holds_documents().is_ok()
            && collection.indexes.iter().all(|index| index.state == IndexState::Ready)
    }

    /// The entries of new documents; `None` when one of the documents is not as it should be.
    fn entries_of(
        &self,
        collection: &CollectionMeta,
        documents: &[&RawDocument],
        first: u64,
    ) -> Option<Entries> {
        let dialect = self.dialect(collection);
        let mut entries = Entries::new(collection);
        for (record, document) in (first..).zip(documents) {
            check_document(collection, document).ok()?;
            if matches!(dialect.stored(document), Cow::Owned(_)) {
                return None;
            }
            self.watch(collection, document);
            entries.add(document, self.txn.now_ms, record).ok()?;
            if entries.bytes() > BATCH_BYTES_MAX as u64 {
                return None;
            }
        }
        Some(entries)
    }

    /// False, and nothing of it stays, when another document has one of the keys.
    fn write_together(
        &mut self,
        collection: &CollectionMeta,
        documents: &[&RawDocument],
        first: u64,
        entries: &mut Entries,
    ) -> Result<bool, StoreError> {
        let txn = &mut self.txn;
        // Keys that may be refused go first: what is taken back then is little.
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
        let bytes: Vec<&[u8]> = documents.iter().map(|document| document.as_bytes()).collect();
        txn.writer.put_documents(collection.id, first, txn.now_ms, &bytes)?;
        for (index, rows) in &entries.of {
            txn.count(index.id.0, |counters| {
                counters.entries += rows.len() as u64;
                counters.bytes += rows.bytes();
            })?;
        }
        txn.count(collection.id.0, |counters| {
            counters.documents += documents.len() as u64;
            counters.bytes += bytes.iter().map(|bytes| bytes.len() as u64).sum::<u64>();
            counters.next_record = first + documents.len() as u64;
        })?;
        Ok(true)
    }

    /// Removes those of the documents for which `decide`, which sees them as they are stored and
    /// is told their places in `records`, hands back something; that, in the order of `records`. One
    /// that is not there, or stands in `records` again, gives `None`. So does one that is damaged and
    /// for which `decide`, which is told why it can't be read, has no other error.
    ///
    /// # Errors
    /// When the collection is gone or the store fails, and what `decide` returns.
    pub fn delete_together<T>(
        &mut self,
        collection: &CollectionMeta,
        records: &[u64],
        mut decide: impl FnMut(usize, Result<&Stored<'_>, StoreError>) -> Result<Option<T>, WriteError>,
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
        let mut order: Vec<(u64, usize)> =
            records.iter().enumerate().map(|(place, record)| (*record, place)).collect();
        order.sort_unstable();
        order.dedup_by_key(|(record, _)| *record);
        let mut rest = order.as_slice();
        while !rest.is_empty() {
            let mut leaving = Leaving::new(&collection);
            let mut read = InOrder::new(self.txn.writer.reader(), &collection);
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
                leaving.add(&stored)?;
                if let Some(decided) = decided.get_mut(place) {
                    *decided = Some(what);
                }
                if leaving.entries.bytes() > BATCH_BYTES_MAX as u64 {
                    break;
                }
            }
            drop(read);
            rest = rest.get(done..).unwrap_or_default();
            let result = self.remove_together(&collection, leaving);
            self.must_succeed(result)?;
        }
        Ok(decided)
    }

    fn remove_together(
        &mut self,
        collection: &CollectionMeta,
        mut leaving: Leaving,
    ) -> Result<(), StoreError> {
        if leaving.records.is_empty() {
            return Ok(());
        }
        let txn = &mut self.txn;
        for (index, rows) in &mut leaving.entries.of {
            let (entries, bytes) = txn.writer.delete_entries(rows)?;
            txn.count(index.id.0, |counters| {
                counters.entries = counters.entries.saturating_sub(entries);
                counters.bytes = counters.bytes.saturating_sub(bytes);
            })?;
        }
        txn.writer.delete_documents(collection.id, &leaving.records)?;
        txn.count(collection.id.0, |counters| {
            let documents = leaving.records.len() as u64;
            counters.documents = counters.documents.saturating_sub(documents);
            counters.bytes = counters.bytes.saturating_sub(leaving.bytes);
        })?;
        txn.touch(&collection.namespace);
        Ok(())
    }
}

impl Entries {
    fn new(collection: &CollectionMeta) -> Self {
        let indexes = collection.indexes.iter();
        let of = indexes.map(|index| (Arc::clone(index), EntryRows::new(index.id))).collect();
        Self { of, multikey: Vec::new() }
    }

    fn add(
        &mut self,
        document: &RawDocument,
        modified_ms: i64,
        record: u64,
    ) -> Result<(), WriteError> {
        for (index, rows) in &mut self.of {
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

impl Leaving {
    fn new(collection: &CollectionMeta) -> Self {
        Self { entries: Entries::new(collection), records: Vec::new(), bytes: 0 }
    }

    fn add(&mut self, stored: &Stored<'_>) -> Result<(), WriteError> {
        let document = stored.document()?;
        for (index, rows) in &mut self.entries.of {
            // Keys that can't be made now were not made when it was stored either.
            let _ = add_entries(index, document, stored.modified_ms, stored.record, rows);
        }
        self.records.push(stored.record);
        self.bytes += stored.bytes.len() as u64;
        Ok(())
    }
}

/// Documents looked up in ascending order.
struct InOrder<'r, 'c> {
    reader: Reader<'r>,
    collection: &'c CollectionMeta,
    run: Option<Documents<'r>>,
}

impl<'r, 'c> InOrder<'r, 'c> {
    fn new(reader: Reader<'r>, collection: &'c CollectionMeta) -> Self {
        Self { reader, collection, run: None }
    }

    /// The document number `at` of `order`, which gives record numbers and places.
    fn at(
        &mut self,
        order: &[(u64, usize)],
        at: usize,
    ) -> Result<Option<(Stored<'r>, usize)>, StoreError> {
        let Some(&(record, place)) = order.get(at) else { return Ok(None) };
        let follows = |count: usize| {
            let other = order.get(at + count).map(|(other, _)| *other);
            other == record.checked_add(count as u64)
        };
        if self.run.is_none() && follows(RUN_RECORDS_MIN) {
            self.run = Some(self.reader.documents(self.collection.id, record, Scan::Forward)?);
        }
        let mut next = None;
        if let Some(run) = &mut self.run {
            next = run.next().and_then(Result::ok).filter(|stored| stored.record == record);
        }
        if next.is_none() || !follows(1) {
            self.run = None;
        }
        let stored = match next {
            Some(stored) => Some(stored),
            None => self.reader.document(self.collection.id, record)?,
        };
        Ok(stored.map(|stored| (stored, place)))
    }
}
