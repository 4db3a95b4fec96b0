//! Which record number a new document gets.
//!
//! Record numbers ascend in the order of insertion. Where the index on `_id` is `by_record`, a document
//! whose `_id` makes a number above all that were given is stored under that number, and needs no entry.
//! Any other one gets a number that no `_id` makes. So an `_id` that makes a number above all that were
//! given is nobody's yet, and any other is looked for in both places.

use std::sync::Arc;

use bson::raw::RawDocument;

use crate::{
    catalog::{CollectionMeta, IndexMeta},
    collection::{DocumentWriter, WriteError},
    store::RecordNumber,
    value::{
        field::field,
        id_number::{self, Numbered},
    },
};

/// What gives new documents of a collection their numbers.
pub(super) struct Numbering<'c> {
    /// The index on `_id`, if documents can do without an entry in it.
    index: Option<&'c IndexMeta>,
    /// The least number that may be given.
    next: RecordNumber,
}

impl<'c> Numbering<'c> {
    /// `next` as the collection's counters have it.
    pub(super) fn new(collection: &'c CollectionMeta, next: RecordNumber) -> Self {
        Self { index: by_record(collection), next: next.max(1) }
    }

    /// The number of one more document; and the one that its `_id` makes, if that is another one.
    pub(super) fn give(&mut self, document: &RawDocument) -> (RecordNumber, Option<RecordNumber>) {
        let made = self.index.and_then(|index| index.record_of(field(document, "_id")?));
        let (record, passed) = match (self.index, made) {
            (_, Some(made)) if made >= self.next => (made, None),
            (Some(_), made) => (id_number::between(self.next), made),
            (None, _) => (self.next, None),
        };
        self.next = record.saturating_add(1);
        (record, passed)
    }

    /// The least number that may be given.
    pub(super) fn next(&self) -> RecordNumber {
        self.next
    }
}

/// Refuses a document in the place of one that is stored under another `_id`.
pub(super) fn check_number(
    collection: &CollectionMeta,
    record: RecordNumber,
    document: &RawDocument,
) -> Result<(), WriteError> {
    let is_by_id = by_record(collection).filter(|index| !index.has_entries_of(record));
    let Some(index) = is_by_id else { return Ok(()) };
    if field(document, "_id").and_then(|id| index.record_of(id)) == Some(record) {
        return Ok(());
    }
    let message = format!("{} can't be replaced by one with another _id", Numbered(record));
    Err(WriteError::BadDocument { message })
}

fn by_record(collection: &CollectionMeta) -> Option<&IndexMeta> {
    collection.id_index().filter(|index| index.by_record).map(Arc::as_ref)
}

impl DocumentWriter<'_, '_> {
    /// The collection as it is to be filled with these documents, the first ones it ever has: if most of
    /// their `_id`s do not ascend, numbers that are made from the others are only longer.
    pub(super) fn begun_with(
        &mut self,
        collection: Arc<CollectionMeta>,
        documents: &[&RawDocument],
    ) -> Result<Arc<CollectionMeta>, WriteError> {
        let is_new = self.txn.counters(collection.id.0)?.next_record <= 1;
        let mut numbering = Numbering::new(&collection, 1);
        let passed = documents.iter().filter(|document| numbering.give(document).1.is_some());
        if !is_new || 2 * passed.count() <= documents.len() {
            return Ok(collection);
        }
        let mut changed = CollectionMeta::clone(&collection);
        for index in changed.indexes.iter_mut().filter(|index| index.by_record) {
            Arc::make_mut(index).by_record = false;
        }
        let result = self.txn.put_as_large(changed);
        self.must_succeed(result)?;
        self.txn.current(&collection)
    }
}
