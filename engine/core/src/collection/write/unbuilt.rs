//! The stored range of records that an index under construction has no entries for.

use crate::store::{IndexId, Reader, RecordNumber, StoreError};

/// The records `[position, limit)` that have no entries yet.
///
/// # Errors
/// `Damaged` also when the range is missing: then it is unknown which records have entries.
pub(in crate::collection) fn read_range(
    reader: &Reader<'_>,
    index: IndexId,
) -> Result<(RecordNumber, RecordNumber), StoreError> {
    let damaged = || StoreError::damaged(format!("the state of the build of index {}", index.0));
    let bytes = reader.meta(&range_name(index))?.ok_or_else(damaged)?;
    // Older versions wrote eight bytes for each.
    let number = |half: &[u8]| match half.len() {
        8 | 16 => Some(half.iter().fold(0, |number, byte| number << u8::BITS | u128::from(*byte))),
        _ => None,
    };
    let (position, limit) = bytes.split_at(bytes.len() / 2);
    match (number(position), number(limit)) {
        (Some(position), Some(limit)) => Ok((position, limit)),
        _ => Err(damaged()),
    }
}

pub(in crate::collection) fn range_name(index: IndexId) -> String {
    format!("build/{}", index.0)
}

pub(in crate::collection) fn range_bytes(position: RecordNumber, limit: RecordNumber) -> Vec<u8> {
    [position, limit].map(RecordNumber::to_be_bytes).concat()
}
