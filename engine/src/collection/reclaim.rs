//! Dropped ranges are removed in bounded steps.
//!
//! Where the list of them is damaged, what it named stays: that nothing names a range can't be told as long
//! as a definition may be damaged too. What is dropped from then on is removed as ever.

use super::{Collections, WriteError, transaction::StoreWriter};
use crate::store::{CollectionId, IndexId, Reader, StoreError};

/// Name of the store's value that lists what is still to be removed.
const PENDING_META: &str = "reclaim";

/// Bytes of one range in the list: kind and number.
const RANGE_BYTES: usize = 5;

/// What one step did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReclaimStep {
    /// Documents and entries removed.
    pub removed: usize,
    /// Ranges that are still to be removed; 0 when all is done.
    pub pending: usize,
}

/// Something that nothing names any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Range {
    Documents(CollectionId),
    Entries(IndexId),
}

impl Collections {
    /// Removes one bounded part of what was dropped.
    ///
    /// # Errors
    /// When the store fails.
    pub fn reclaim_step(&self) -> Result<ReclaimStep, WriteError> {
        // Most of the time there is nothing, which a read tells without a write transaction.
        if self.store.read(Pending::read)?.ranges.is_empty() {
            return Ok(ReclaimStep::default());
        }
        let batch_docs = self.store.batch_docs();
        self.transact(|writer| {
            let mut pending = Pending::read(&writer.reader())?;
            let ranges = &mut pending.ranges;
            let mut removed = 0;
            while let Some(range) = ranges.first().copied() {
                let room = batch_docs.saturating_sub(removed);
                if room == 0 {
                    break;
                }
                let cleared = match range {
                    Range::Documents(id) => writer.txn.writer.clear_documents(id, room)?,
                    Range::Entries(id) => writer.txn.writer.clear_entries(id, room)?,
                };
                removed += cleared;
                if cleared < room {
                    writer.txn.forget_counters(range.id())?;
                    ranges.remove(0);
                }
            }
            pending.write(writer.txn.writer)?;
            Ok(ReclaimStep { removed, pending: pending.ranges.len() })
        })
    }
}

/// Adds ranges to the list.
pub(super) fn add(writer: &mut dyn StoreWriter, ranges: &[Range]) -> Result<(), StoreError> {
    if ranges.is_empty() {
        return Ok(());
    }
    let mut pending = Pending::read(&writer.reader())?;
    pending.ranges.extend_from_slice(ranges);
    pending.write(writer)
}

/// A sentence if something was dropped that nothing will remove.
pub(crate) fn lost_in_words(reader: &Reader<'_>) -> Result<Option<String>, StoreError> {
    let words = "The list of what was dropped was damaged, so what some dropped collections or indexes held \
                 still takes up room. No document is missing because of it; to have the room back, export \
                 everything into a new store.";
    Ok(Pending::read(reader)?.is_lost.then(|| words.to_owned()))
}

impl Range {
    fn id(self) -> u32 {
        match self {
            Self::Documents(CollectionId(id)) | Self::Entries(IndexId(id)) => id,
        }
    }
}

/// What is still to be removed.
#[derive(Default)]
struct Pending {
    ranges: Vec<Range>,
    /// There was another list, which is damaged.
    is_lost: bool,
}

impl Pending {
    fn read(reader: &Reader<'_>) -> Result<Self, StoreError> {
        let lost = Self { ranges: Vec::new(), is_lost: true };
        let Some(bytes) = StoreError::unless_damaged(reader.meta(PENDING_META))? else {
            return Ok(lost);
        };
        Ok(Self::from_bytes(bytes.unwrap_or_default()).unwrap_or(lost))
    }

    fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let mut pending = Self::default();
        for chunk in bytes.chunks(RANGE_BYTES) {
            let (kind, id) = chunk.split_first()?;
            let id = id.try_into().ok().map(u32::from_be_bytes)?;
            match kind {
                b'd' => pending.ranges.push(Range::Documents(CollectionId(id))),
                b'e' => pending.ranges.push(Range::Entries(IndexId(id))),
                b'l' => pending.is_lost = true,
                _ => return None,
            }
        }
        Some(pending)
    }

    fn write(&self, writer: &mut dyn StoreWriter) -> Result<(), StoreError> {
        if self.ranges.is_empty() && !self.is_lost {
            return writer.delete_meta(PENDING_META).map(drop);
        }
        let mut bytes = Vec::with_capacity((self.ranges.len() + 1) * RANGE_BYTES);
        let mut push = |kind: u8, id: u32| {
            bytes.push(kind);
            bytes.extend_from_slice(&id.to_be_bytes());
        };
        if self.is_lost {
            push(b'l', 0);
        }
        for range in &self.ranges {
            push(if matches!(range, Range::Documents(_)) { b'd' } else { b'e' }, range.id());
        }
        writer.put_meta(PENDING_META, &bytes)
    }
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::{
        catalog::Namespace,
        collection::ddl::drop_collection,
        command::testing::Lab,
        store::{Scan, Writer},
    };

    fn filled(lab: &Lab, names: &[&str]) {
        for name in names {
            lab.run_document(&doc! { "insert": *name, "documents": [{ "_id": 1 }, { "_id": 2 }] });
        }
    }

    fn documents(lab: &Lab, id: CollectionId) -> usize {
        let read = |reader: &Reader<'_>| Ok(reader.documents(id, 0, Scan::Forward)?.count());
        lab.engine.collections().store().read::<_, StoreError>(read).expect("readable")
    }

    fn id(lab: &Lab, name: &str) -> CollectionId {
        let namespace = Namespace::new("test", name).expect("a name");
        lab.engine.collections().catalog().collection(&namespace).expect("exists").id
    }

    /// A list that is damaged names nothing any more; what it named stays, and nothing else does.
    #[test]
    fn collections_are_dropped_and_removed_although_the_list_is_damaged() {
        for is_rotten in [false, true] {
            let lab = Lab::new();
            filled(&lab, &["a", "b", "c"]);
            let (kept, dropped) = (id(&lab, "a"), id(&lab, "b"));
            let collections = lab.engine.collections();
            let put = |writer: &mut Writer<'_>| writer.put_meta(PENDING_META, b"no list");
            collections.store().write::<_, StoreError>(put).expect("written");
            if is_rotten {
                lab.spoil_meta(PENDING_META);
            }
            assert_eq!(collections.reclaim_step(), Ok(ReclaimStep::default()));
            lab.ok("{drop: 'b'}");
            while collections.reclaim_step().expect("reclaimed").pending > 0 {}
            assert_eq!((documents(&lab, kept), documents(&lab, dropped)), (2, 0));
            lab.ok("{drop: 'c'}");
            while collections.reclaim_step().expect("reclaimed").pending > 0 {}
            let lost = collections.store().read(lost_in_words).expect("readable");
            assert!(lost.is_some_and(|words| words.contains("still takes up room")));
        }
    }

    /// Else dropping a database would write as many bytes as the square of its collections.
    #[test]
    fn the_list_is_written_once_in_a_transaction() {
        let lab = Lab::new();
        filled(&lab, &["a", "b", "c"]);
        let collections = lab.engine.collections();
        let listed = collections.transact(|writer| {
            let catalog = std::sync::Arc::clone(&writer.txn.catalog);
            for collection in catalog.all_collections() {
                drop_collection(writer, collection)?;
            }
            let pending = Pending::read(&writer.reader())?;
            Ok::<_, WriteError>((pending.ranges.len(), writer.txn.dropped.len()))
        });
        assert_eq!(listed, Ok((0, 6)));
        let pending = collections.store().read(Pending::read).expect("readable").ranges;
        assert!(pending.is_empty() || pending.len() == 6, "all at once: {pending:?}");
    }
}
