//! Assigns record numbers to new documents.
//!
//! Record numbers ascend in insertion order. Where the index on `_id` has implicit ids, an `_id`
//! that produces a number above all assigned ones is stored under that number and needs no entry.
//! Any other document gets a number that no `_id` produces. So an `_id` whose number is above all
//! assigned ones is free, and any other is looked up in both places.

use std::sync::Arc;

use bson::raw::RawDocument;

use crate::{
    catalog::{CollectionMeta, IndexMeta},
    collection::{DocumentWriter, WriteError},
    store::RecordNumber,
    value::{
        field::field,
        id_number::{self, RecordName},
    },
};

/// Assigns the numbers of one collection.
pub(super) struct Numbering<'c> {
    /// The index on `_id`, if documents may do without an entry in it.
    index: Option<&'c IndexMeta>,
    /// The lowest number that may be assigned.
    next: RecordNumber,
}

impl<'c> Numbering<'c> {
    /// `next` as in the collection's counters.
    pub(super) fn new(collection: &'c CollectionMeta, next: RecordNumber) -> Self {
        Self { index: implicit_id_index(collection), next: next.max(1) }
    }

    /// The number of one more document, and the number its `_id` produces if that is another one.
    pub(super) fn give(&mut self, document: &RawDocument) -> (RecordNumber, Option<RecordNumber>) {
        let made = self.index.and_then(|index| index.record_of(field(document, "_id")?));
        let (record, passed) = match (self.index, made) {
            (_, Some(made)) if made >= self.next => (made, None),
            // A number that no `_id` makes, so that it never collides with a later document's.
            (Some(_), made) => (id_number::between(self.next), made),
            (None, _) => (self.next, None),
        };
        // Numbers ascend, so inserts append to the table and natural order is insertion order.
        self.next = record.saturating_add(1);
        (record, passed)
    }

    /// The lowest number that may be assigned.
    pub(super) fn next(&self) -> RecordNumber {
        self.next
    }
}

/// Refuses to replace a document whose number comes from its `_id` by one with another `_id`.
pub(super) fn check_number(
    collection: &CollectionMeta,
    record: RecordNumber,
    document: &RawDocument,
) -> Result<(), WriteError> {
    let is_by_id = implicit_id_index(collection).filter(|index| !index.has_entries_of(record));
    let Some(index) = is_by_id else { return Ok(()) };
    if field(document, "_id").and_then(|id| index.record_of(id)) == Some(record) {
        return Ok(());
    }
    let message = format!("{} can't be replaced by one with another _id", RecordName(record));
    Err(WriteError::BadDocument { message })
}

fn implicit_id_index(collection: &CollectionMeta) -> Option<&IndexMeta> {
    collection.id_index().filter(|index| index.has_implicit_ids).map(Arc::as_ref)
}

impl DocumentWriter<'_, '_> {
    /// Called with the first documents a collection ever gets. Unless most of their `_id`s ascend,
    /// the collection stops using them for numbers.
    pub(super) fn choose_numbering(
        &mut self,
        collection: Arc<CollectionMeta>,
        documents: &[&RawDocument],
    ) -> Result<Arc<CollectionMeta>, WriteError> {
        let is_new = self.txn.counters(collection.id.0)?.next_record <= 1;
        let mut numbering = Numbering::new(&collection, 1);
        let passed = documents.iter().filter(|document| numbering.give(document).1.is_some());
        // If most `_id`s do not ascend, numbers made from the rest would only be longer.
        if !is_new || 2 * passed.count() <= documents.len() {
            return Ok(collection);
        }
        let mut changed = CollectionMeta::clone(&collection);
        for index in changed.indexes.iter_mut().filter(|index| index.has_implicit_ids) {
            Arc::make_mut(index).has_implicit_ids = false;
        }
        let result = self.txn.put_as_large(changed);
        self.must_succeed(result)?;
        self.txn.current(&collection)
    }
}
