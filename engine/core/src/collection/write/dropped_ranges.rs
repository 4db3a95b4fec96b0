//! The stored list of dropped ranges; `ddl::reclaim` removes them in bounded steps.

use crate::store::{CollectionId, IndexId, Reader, StoreError, Writer};

/// Name of the store's value that holds the list.
pub(in crate::collection) const PENDING_META: &str = "reclaim";

/// Bytes of one range in the list: kind and number.
const RANGE_BYTES: usize = 5;

/// Rows that no definition names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::collection) enum DroppedRange {
    Documents(CollectionId),
    Entries(IndexId),
}

impl DroppedRange {
    pub(in crate::collection) fn id(self) -> u32 {
        match self {
            Self::Documents(CollectionId(id)) | Self::Entries(IndexId(id)) => id,
        }
    }
}

#[derive(Default)]
pub(in crate::collection) struct DroppedRanges {
    pub(in crate::collection) ranges: Vec<DroppedRange>,
    pub(in crate::collection) is_lost: bool,
}

impl DroppedRanges {
    pub(in crate::collection) fn read(reader: &Reader<'_>) -> Result<Self, StoreError> {
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
                b'd' => pending.ranges.push(DroppedRange::Documents(CollectionId(id))),
                b'e' => pending.ranges.push(DroppedRange::Entries(IndexId(id))),
                b'l' => pending.is_lost = true,
                _ => return None,
            }
        }
        Some(pending)
    }

    pub(in crate::collection) fn write(&self, writer: &mut Writer<'_>) -> Result<(), StoreError> {
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
            push(if matches!(range, DroppedRange::Documents(_)) { b'd' } else { b'e' }, range.id());
        }
        writer.put_meta(PENDING_META, &bytes)
    }
}

/// Appends to the list.
pub(super) fn add(writer: &mut Writer<'_>, ranges: &[DroppedRange]) -> Result<(), StoreError> {
    if ranges.is_empty() {
        return Ok(());
    }
    let mut pending = DroppedRanges::read(&writer.reader())?;
    pending.ranges.extend_from_slice(ranges);
    pending.write(writer)
}
