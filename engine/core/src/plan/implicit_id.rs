//! Iterates an index in key order: its entries, and for the index on `_id` also the documents
//! without an entry, whose record number comes from their `_id`.

use std::{borrow::Cow, cmp::Ordering, iter::Peekable, ops::Bound};

use super::Interval;
use crate::{
    catalog::IndexMeta,
    store::{
        CollectionId, Documents, Entries, Entry, Reader, RecordNumber, Scan, StoreError,
        UnverifiedDocument,
    },
    value::id_number,
};

/// Documents with entries skipped in a row before seeking past them.
const SKIPPED_MAX: usize = 8;

/// One document in an index.
pub(super) struct IndexHit<'t> {
    pub(super) key: Cow<'t, [u8]>,
    pub(super) record: RecordNumber,
    /// False when the key was truncated.
    pub(super) exact: bool,
    /// The document, if it was read on the way.
    pub(super) unread: Option<UnverifiedDocument<'t>>,
}

impl<'t> From<Entry<'t>> for IndexHit<'t> {
    fn from(Entry { key, record, exact }: Entry<'t>) -> Self {
        Self { key: Cow::Borrowed(key), record, exact, unread: None }
    }
}

/// The hits of an index within an interval.
pub(super) enum IndexHits<'t> {
    Entries(Entries<'t>),
    Merged(Box<Merged<'t>>),
}

/// Merges entries with documents that have none. The two never share a key.
pub(super) struct Merged<'t> {
    entries: Peekable<Entries<'t>>,
    made: Peekable<ImplicitKeys<'t>>,
    direction: Scan,
}

impl<'t> IndexHits<'t> {
    /// Starts at one end of the interval, or after an entry, which may no longer exist.
    pub(super) fn open(
        reader: &Reader<'t>,
        (collection, index): (CollectionId, &IndexMeta),
        range: &Interval,
        after: Option<&(Vec<u8>, RecordNumber)>,
        direction: Scan,
    ) -> Result<Self, StoreError> {
        let lower = Bound::Included(range.lower.as_slice());
        let upper = range.upper.as_deref().map_or(Bound::Unbounded, Bound::Excluded);
        let entries = match after {
            None => reader.entries(index.id, lower, upper, direction)?,
            Some((key, record)) => {
                let limit = if direction == Scan::Forward { upper } else { lower };
                reader.entries_after(index.id, (key, *record), limit, direction)?
            }
        };
        if !index.has_implicit_ids {
            return Ok(Self::Entries(entries));
        }
        let made =
            ImplicitKeys::open(reader, collection, range, after.map(|(key, _)| &**key), direction)?;
        let (entries, made) = (entries.peekable(), made.peekable());
        Ok(Self::Merged(Box::new(Merged { entries, made, direction })))
    }
}

impl<'t> Iterator for IndexHits<'t> {
    type Item = Result<IndexHit<'t>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Entries(entries) => Some(entries.next()?.map(IndexHit::from)),
            Self::Merged(both) => both.next(),
        }
    }
}

impl<'t> Iterator for Merged<'t> {
    type Item = Result<IndexHit<'t>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let first = match (self.entries.peek(), self.made.peek()) {
            (Some(Ok(entry)), Some(Ok((key, _)))) => match self.direction {
                Scan::Forward => entry.key.cmp(key),
                Scan::Backward => key.as_slice().cmp(entry.key),
            },
            // An error is passed on as soon as it is met, or it would end one of the two iterators
            // unseen.
            (None, _) | (_, Some(Err(_))) => Ordering::Greater,
            (Some(_), _) => Ordering::Less,
        };
        if first != Ordering::Greater {
            return Some(self.entries.next()?.map(IndexHit::from));
        }
        let found = self.made.next()?.map(|(key, unread)| {
            let (key, record) = (Cow::Owned(key), unread.record);
            IndexHit { key, record, exact: true, unread: Some(unread) }
        });
        Some(found)
    }
}

/// Documents whose record number comes from their `_id`, in its order, with their keys.
pub(super) struct ImplicitKeys<'t> {
    documents: ImplicitDocuments<'t>,
}

impl<'t> ImplicitKeys<'t> {
    fn open(
        reader: &Reader<'t>,
        collection: CollectionId,
        range: &Interval,
        after: Option<&[u8]>,
        direction: Scan,
    ) -> Result<Self, StoreError> {
        let mut records = records_in(range);
        match (after, direction) {
            (Some(after), Scan::Forward) => {
                // No key is a prefix of another.
                let behind = [after, &[0]].concat();
                records.start = records.start.max(id_number::first_from(&behind));
            }
            (Some(after), Scan::Backward) => {
                records.end = records.end.min(id_number::first_from(after));
            }
            (None, _) => {}
        }
        Ok(Self { documents: ImplicitDocuments::open(*reader, collection, records, direction)? })
    }
}

impl<'t> Iterator for ImplicitKeys<'t> {
    type Item = Result<(Vec<u8>, UnverifiedDocument<'t>), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(self.documents.next()?.map(|unread| {
            let mut key = Vec::with_capacity(16);
            id_number::append_key_of(unread.record, &mut key);
            (key, unread)
        }))
    }
}

/// The record numbers that `_id`s of an interval produce, and everything between them.
pub(super) fn records_in(range: &Interval) -> std::ops::Range<RecordNumber> {
    let end = range.upper.as_deref().map_or(RecordNumber::MAX, id_number::first_from);
    id_number::first_from(&range.lower)..end
}

/// The documents in a range of record numbers whose number comes from their `_id`.
pub(super) struct ImplicitDocuments<'t> {
    reader: Reader<'t>,
    collection: CollectionId,
    records: std::ops::Range<RecordNumber>,
    direction: Scan,
    documents: Documents<'t>,
}

impl<'t> ImplicitDocuments<'t> {
    pub(super) fn open(
        reader: Reader<'t>,
        collection: CollectionId,
        records: std::ops::Range<RecordNumber>,
        direction: Scan,
    ) -> Result<Self, StoreError> {
        let first = match direction {
            Scan::Forward => records.start,
            Scan::Backward => records.end.saturating_sub(1),
        };
        let documents = reader.documents(collection, first, direction)?;
        Ok(Self { reader, collection, records, direction, documents })
    }
}

impl<'t> Iterator for ImplicitDocuments<'t> {
    type Item = Result<UnverifiedDocument<'t>, StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        let mut skipped = 0;
        loop {
            let unread = match self.documents.next_unverified()? {
                Ok(unread) => unread,
                Err(error) => return Some(Err(error)),
            };
            if !self.records.contains(&unread.record) {
                self.records = 0..0;
                return None;
            }
            if id_number::is_made(unread.record) {
                return Some(Ok(unread));
            }
            skipped += 1;
            if skipped > SKIPPED_MAX {
                skipped = 0;
                let next = match self.direction {
                    Scan::Forward => id_number::made_from(unread.record),
                    Scan::Backward => id_number::made_to(unread.record),
                };
                match self.reader.documents(self.collection, next, self.direction) {
                    Ok(documents) => self.documents = documents,
                    Err(error) => return Some(Err(error)),
                }
            }
        }
    }
}
