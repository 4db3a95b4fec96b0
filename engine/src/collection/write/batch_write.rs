//! Documents that are stored or removed together.
//!
//! What comes of it is what one after the other gives. But the rows of each table are written in the
//! order of their keys, so that neighbours share a page and a search, and counters change once.

use std::{borrow::Cow, sync::Arc};

use bson::raw::RawDocument;

use super::{document_writer::check_document, keys::add_entries, numbering::Numbering};
use crate::{
    catalog::{CollectionMeta, IndexMeta, IndexState},
    collection::{DocumentWriter, WriteError},
    limits::BATCH_BYTES_MAX,
    store::{Documents, EntryRows, Reader, RecordNumber, Scan, StoreError, Stored},
};

/// Documents that are looked up one by one, at most, before the next try whether the one behind is the next
/// to be read.
const LOOKUPS_MAX: usize = 64;

/// The entries of several documents, index by index.
struct Entries {
    of: Vec<(Arc<IndexMeta>, EntryRows)>,
    /// Indexes that have met their first array.
    multikey: Vec<Arc<IndexMeta>>,
}

/// Documents that come.
struct Coming<'d> {
    entries: Entries,
    documents: Vec<(RecordNumber, &'d [u8])>,
    /// The least number of the next document.
    next: RecordNumber,
}

/// Documents that go.
struct Leaving {
    entries: Entries,
    records: Vec<RecordNumber>,
    bytes: u64,
}

impl DocumentWriter<'_, '_> {
    /// Stores new documents, which have an `_id`, under ascending record numbers, and returns those.
    /// `None`, and nothing has been written, when one of them may have to be refused or needs
    /// more than being stored: [`DocumentWriter::insert`] then tells document by document.
    ///
    /// # Errors
    /// When the collection is gone or the store fails.
    pub fn insert_together(
        &mut self,
        collection: &CollectionMeta,
        documents: &[&RawDocument],
    ) -> Result<Option<Vec<RecordNumber>>, WriteError> {
        let collection = self.txn.current(collection)?;
        if !self.takes_several(&collection) {
            return Ok(None);
        }
        let collection = self.begun_with(collection, documents)?;
        let next = self.txn.next_record(collection.id)?;
        let Some(mut coming) = self.coming(&collection, documents, next)? else {
            return Ok(None);
        };
        let written = self.write_together(&collection, &mut coming);
        if !self.must_succeed(written)? {
            return Ok(None);
        }
        self.txn.touch(&collection.namespace);
        for index in &coming.entries.multikey {
            let result = self.set_multikey(&collection, index);
            self.must_succeed(result)?;
        }
        Ok(Some(coming.documents.into_iter().map(|(record, _)| record).collect()))
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

    /// The numbers and entries of new documents; `None` when one of the documents is not as it should be,
    /// or has the `_id` of another one.
    fn coming<'d>(
        &self,
        collection: &CollectionMeta,
        documents: &[&'d RawDocument],
        next: RecordNumber,
    ) -> Result<Option<Coming<'d>>, StoreError> {
        let dialect = self.dialect(collection);
        let reader = self.txn.writer.reader();
        let mut numbering = Numbering::new(collection, next);
        let mut entries = Entries::new(collection);
        let mut numbered: Vec<(RecordNumber, &[u8])> = Vec::with_capacity(documents.len());
        for document in documents {
            let is_whole = check_document(collection, document).is_ok()
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
        Ok(Some(Coming { entries, documents: numbered, next: numbering.next() }))
    }

    /// False, and nothing of it stays, when another document has one of the keys.
    fn write_together(
        &mut self,
        collection: &CollectionMeta,
        coming: &mut Coming<'_>,
    ) -> Result<bool, StoreError> {
        let txn = &mut self.txn;
        let Coming { entries, documents, next } = coming;
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
        records: &[RecordNumber],
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
        let mut order: Vec<(RecordNumber, usize)> =
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

impl Leaving {
    fn new(collection: &CollectionMeta) -> Self {
        Self { entries: Entries::new(collection), records: Vec::new(), bytes: 0 }
    }

    fn add(&mut self, stored: &Stored<'_>) -> Result<(), WriteError> {
        let document = stored.document()?;
        let of = self.entries.of.iter_mut();
        for (index, rows) in of.filter(|(index, _)| index.has_entries_of(stored.record)) {
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
    /// The documents behind the last one, while they are the next ones.
    run: Option<Documents<'r>>,
    /// Documents to be looked up before the next try, and how many that were the last time.
    lookups: (usize, usize),
}

impl<'r, 'c> InOrder<'r, 'c> {
    fn new(reader: Reader<'r>, collection: &'c CollectionMeta) -> Self {
        Self { reader, collection, run: None, lookups: (0, 1) }
    }

    /// The document number `at` of `order`, which gives record numbers and places.
    fn at(
        &mut self,
        order: &[(RecordNumber, usize)],
        at: usize,
    ) -> Result<Option<(Stored<'r>, usize)>, StoreError> {
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
            // Of what is damaged here, it is not known which one it is.
            None => self.reader.document(self.collection.id, record)?,
        };
        Ok(stored.map(|stored| (stored, place)))
    }
}
