//! Dropped ranges are removed in bounded steps.

use super::{Collections, DocumentWriter, WriteError};
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
        if self.store.read(pending)?.is_empty() {
            return Ok(ReclaimStep::default());
        }
        let batch_docs = self.store.batch_docs();
        self.transact(|writer| {
            let mut ranges = pending(&writer.reader())?;
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
            write_pending(writer, &ranges)?;
            Ok(ReclaimStep { removed, pending: ranges.len() })
        })
    }
}

/// Adds ranges to the list.
pub(super) fn add(
    writer: &mut DocumentWriter<'_>,
    ranges: impl Iterator<Item = Range>,
) -> Result<(), StoreError> {
    let mut all = pending(&writer.reader())?;
    all.extend(ranges);
    write_pending(writer, &all)
}

impl Range {
    fn id(self) -> u32 {
        match self {
            Self::Documents(CollectionId(id)) | Self::Entries(IndexId(id)) => id,
        }
    }
}

fn pending(reader: &Reader<'_>) -> Result<Vec<Range>, StoreError> {
    let bytes = reader.meta(PENDING_META)?.unwrap_or_default();
    bytes
        .chunks(RANGE_BYTES)
        .map(|chunk| match chunk {
            [b'd', id @ ..] => Some(Range::Documents(CollectionId(number(id)?))),
            [b'e', id @ ..] => Some(Range::Entries(IndexId(number(id)?))),
            _ => None,
        })
        .collect::<Option<_>>()
        .ok_or_else(|| StoreError::Damaged {
            what: "the list of dropped ranges can't be read".into(),
        })
}

fn write_pending(writer: &mut DocumentWriter<'_>, ranges: &[Range]) -> Result<(), StoreError> {
    if ranges.is_empty() {
        return writer.delete_meta(PENDING_META).map(drop);
    }
    let mut bytes = Vec::with_capacity(ranges.len() * RANGE_BYTES);
    for range in ranges {
        bytes.push(if matches!(range, Range::Documents(_)) { b'd' } else { b'e' });
        bytes.extend_from_slice(&range.id().to_be_bytes());
    }
    writer.put_meta(PENDING_META, &bytes)
}

fn number(bytes: &[u8]) -> Option<u32> {
    bytes.try_into().ok().map(u32::from_be_bytes)
}
