//! How many documents are due, from index entries alone.

use crate::{
    limits::READ_DOCS_MAX,
    reaper::{
        target::Target,
        ttl_range::{TtlRange, sound},
    },
    store::{Reader, RecordNumber, Store, StoreError},
};

/// Entries of a rule with thresholds after `after_ms`, or from the beginning of time, and up to
/// `until_ms`, at most `max` of them, damaged ones left out. A document with several dates counts
/// for each. Each read transaction is short.
///
/// # Errors
/// When the store can't be read.
pub fn count_due(
    store: &Store,
    target: &Target,
    after_ms: Option<i64>,
    until_ms: i64,
    max: u64,
) -> Result<u64, StoreError> {
    let from_ms = match after_ms.map(|after_ms| after_ms.checked_add(1)) {
        None => i64::MIN,
        Some(Some(from_ms)) => from_ms,
        Some(None) => return Ok(0),
    };
    let mut count = 0;
    for range in &target.ranges {
        let mut after = None;
        while count < max {
            let room = usize::try_from(max - count).unwrap_or(usize::MAX).min(READ_DOCS_MAX);
            let slice = store.read(|reader| {
                slice(reader, target, *range, after.as_ref(), from_ms, until_ms, room)
            })?;
            count += slice.count;
            match slice.last {
                Some(last) => after = Some(last),
                None => break,
            }
        }
    }
    Ok(count)
}

/// Whether any of the rules has something with a threshold that `until_ms` gives for it, or earlier.
///
/// # Errors
/// When the store can't be read.
pub fn is_any_due(
    store: &Store,
    targets: &[Target],
    until_ms: impl Fn(&Target) -> i64,
) -> Result<bool, StoreError> {
    store.read(|reader| {
        for target in targets {
            let first = target.first_threshold_ms(reader, i64::MIN)?;
            if first.is_some_and(|first| first <= until_ms(target)) {
                return Ok(true);
            }
        }
        Ok(false)
    })
}

struct Slice {
    count: u64,
    /// The last entry, if there may be more.
    last: Option<(Vec<u8>, RecordNumber)>,
}

fn slice(
    reader: &Reader<'_>,
    target: &Target,
    range: TtlRange,
    after: Option<&(Vec<u8>, RecordNumber)>,
    from_ms: i64,
    until_ms: i64,
    room: usize,
) -> Result<Slice, StoreError> {
    let (index, last_ms) = (target.index.id, range.last_due_ms(until_ms));
    let entries = match after {
        Some((key, record)) => range.entries_after(reader, index, (key, *record), last_ms)?,
        None => range.entries(reader, index, range.first_from_ms(from_ms), last_ms)?,
    };
    let mut slice = Slice { count: 0, last: None };
    for entry in sound(entries).take(room) {
        let entry = entry?;
        slice.count += 1;
        if slice.count == room as u64 {
            slice.last = Some((entry.key.to_vec(), entry.record));
        }
    }
    Ok(slice)
}
