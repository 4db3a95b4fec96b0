//! One step of removal: find what is due in a short read, then check and remove it in one bounded write
//! transaction.

use std::ops::Bound;
use std::sync::Arc;

use bson::{Bson, RawDocument, RawDocumentBuf, raw::RawBsonRef};

use super::{
    guard::{GUARD_META_NAME, UnsavedState},
    parameters::Limits,
    target::Target,
    trash,
};
use crate::{
    broken_rules::{BrokenRule, is_broken},
    catalog::CollectionMeta,
    collection::{Collections, DocumentWriter, TimeBudget, TrashRow, WriteError},
    event::RemovedDocument,
    limits::{BATCH_DOCS_MAX, REAPER_SCAN_ENTRIES_MAX, REMOVED_EVENT_DOCS_MAX},
    store::{Counters, Reader, RecordNumber, Scan, StoreError, StoredDocument},
    ttl::{Deadline, Rule},
};

/// The progress of a visit through its rule's documents.
#[derive(Debug, Clone, Default)]
pub(super) struct Position {
    range: usize,
    /// Its last entry that was read ahead.
    after: Option<(Vec<u8>, RecordNumber)>,
    /// Whether more entries may follow.
    more: bool,
    /// The records of the entries that were read ahead, see [`read_ahead`].
    records: Arc<[RecordNumber]>,
    done: usize,
}

/// The outcome of one step.
#[derive(Debug, Clone, Default)]
pub(super) struct Batch {
    /// The first removed documents, soonest expired first; at most [`REMOVED_EVENT_DOCS_MAX`].
    pub removed: Vec<RemovedDocument>,
    pub deleted: u64,
    /// Each one's time from threshold to removal.
    pub lags_ms: Vec<i64>,
    pub examined_keys: u64,
    pub examined_docs: u64,
    /// Index entries removed with the documents, in all indexes.
    pub removed_keys: u64,
    pub trashed: u64,
    /// Documents removed without the trash, for lack of space.
    pub not_trashed: u64,
    /// One sentence on the first damaged document or entry, which is kept.
    pub damage: Option<String>,
    /// Where to resume; `None` when no due entry is left.
    pub next: Option<Position>,
}

impl Batch {
    /// A due document and its deadline; `None` if it is not due, or damaged.
    fn due<'s>(
        &mut self,
        found: Result<(&'s StoredDocument<'s>, Option<Deadline>), StoreError>,
    ) -> Result<Option<(&'s StoredDocument<'s>, Deadline)>, StoreError> {
        self.examined_docs += 1;
        match found {
            Ok((stored, deadline)) => Ok(deadline.map(|deadline| (stored, deadline))),
            // A damaged document must not block the others.
            Err(damage @ StoreError::Damaged { .. }) => {
                self.damage.get_or_insert_with(|| damage.to_string());
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }
}

/// The limits of a step, and its pass.
#[derive(Debug, Clone, Copy)]
pub(super) struct Allowance<'a> {
    /// The pass's "now", in milliseconds since 1970.
    pub now_ms: i64,
    /// The last threshold that is removed: now, or earlier under Cosmos DB's rules.
    pub last_threshold_ms: i64,
    pub pass: u64,
    pub limits: Limits,
    /// Documents that may be read ahead and removed out of threshold order.
    pub ahead: u64,
    pub bytes: u64,
    /// The guard's state, to be stored with the removal.
    pub state: Option<&'a UnsavedState>,
}

/// A removed document.
struct RemovedEntry {
    bytes: u64,
    lag_ms: i64,
    described: Option<RemovedDocument>,
    trash_row: Option<RawDocumentBuf>,
}

/// Removes the next documents of a rule, unless `may_remove` refuses. It is called after the
/// documents are read, because a rule is put on hold before documents are restored.
pub(super) fn run(
    collections: &Collections,
    target: &Target,
    position: &Position,
    allowance: Allowance<'_>,
    may_remove: &dyn Fn() -> bool,
) -> Result<Batch, WriteError> {
    // The trash is emptied before a removal may be refused: it never blocks one.
    trash::make_room(collections);
    let most = |limit: u64| {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX);
        limit.min(REAPER_SCAN_ENTRIES_MAX).min(full_disk_max(collections))
    };
    let (mut position, mut damage) = (position.clone(), None);
    // The records that were read ahead are used up first, or they would be read twice.
    if position.done == position.records.len() {
        damage = collections.store().read(|reader| {
            let (docs, ahead) = (most(allowance.limits.docs), most(allowance.ahead));
            let last_ms = allowance.last_threshold_ms;
            read_ahead(reader, target, &mut position, last_ms, ahead.max(docs), docs)
        })?;
    }
    if !may_remove() {
        return Ok(Batch::default());
    }
    let rest = position.records.get(position.done..).unwrap_or_default();
    let records = rest.get(..most(allowance.limits.docs)).unwrap_or(rest);
    if records.is_empty() {
        return Ok(Batch { next: next_lane(target, &position), damage, ..Batch::default() });
    }
    let removed = collections.write(|writer: &mut DocumentWriter<'_, '_>| {
        writer.removes_expired(true);
        remove(writer, target, records, allowance)
    })?;
    let Some((mut batch, done)) = removed else { return Ok(Batch::default()) };
    if batch.trashed > 0 {
        trash::keep_bounds(collections);
    }
    batch.damage = damage.or(batch.damage);
    position.done += done;
    let is_done = position.done >= position.records.len() && !position.more;
    batch.next = if is_done { next_lane(target, &position) } else { Some(position) };
    Ok(batch)
}

/// Few documents at a time while the disk is full, else as many as the limits allow.
fn full_disk_max(collections: &Collections) -> usize {
    let docs = collections.store().batch_docs();
    if docs < BATCH_DOCS_MAX { docs } else { usize::MAX }
}

/// The start of the next range.
fn next_lane(target: &Target, position: &Position) -> Option<Position> {
    let range = position.range + 1;
    (range < target.ranges.len()).then(|| Position { range, ..Position::default() })
}

/// Reads the records of the next `max` due entries of the range. If they need more than one
/// transaction of `docs`, sorts them by record number, so that each transaction changes one run of
/// the collection's pages instead of pages everywhere. Returns the first damaged entry's error and
/// reads past it.
fn read_ahead(
    reader: &Reader<'_>,
    target: &Target,
    position: &mut Position,
    now_ms: i64,
    max: usize,
    docs: usize,
) -> Result<Option<String>, WriteError> {
    let Some(range) = target.ranges.get(position.range) else { return Ok(None) };
    let index = target.index.id;
    let last_ms = range.last_due_ms(now_ms);
    let others = [BrokenRule::NestedArrays, BrokenRule::Texts, BrokenRule::Numbers];
    let takes_others = others.into_iter().any(is_broken);
    let entries = match &position.after {
        // Values that a broken rule takes for dates are outside the range of dates in the index.
        None if takes_others && matches!(target.rule, Rule::Date { .. }) => {
            reader.entries(index, Bound::Unbounded, Bound::Unbounded, Scan::Forward)?
        }
        Some((key, record)) => range.entries_after(reader, index, (key, *record), last_ms)?,
        None => range.entries(reader, index, i64::MIN, last_ms)?,
    };
    let (mut records, mut last, mut damage) = (Vec::new(), None, None);
    position.more = false;
    for entry in entries {
        if records.len() == max {
            position.more = true;
            break;
        }
        let entry = match entry {
            Err(damaged @ StoreError::Damaged { .. }) => {
                damage.get_or_insert_with(|| damaged.to_string());
                continue;
            }
            entry => entry?,
        };
        records.push(entry.record);
        last = Some(entry);
    }
    // Noted before the records are sorted: the search resumes at the last entry in the index.
    if let Some(last) = last {
        position.after = Some((last.key.to_vec(), last.record));
    }
    if records.len() > docs {
        records.sort_unstable();
    }
    (position.records, position.done) = (records.into(), 0);
    Ok(damage)
}

/// Removes the records that are due by their document, up to a limit. Returns how many are done, at
/// least one. `None` if the rule or its collection was dropped or changed since the list was made.
pub(super) fn remove(
    writer: &mut DocumentWriter<'_, '_>,
    target: &Target,
    records: &[RecordNumber],
    allowance: Allowance<'_>,
) -> Result<Option<(Batch, usize)>, WriteError> {
    let mut batch = Batch::default();
    let current = writer.collection(&target.collection.namespace);
    let Some(collection) = current.filter(|current| target.is_in_force(current)) else {
        return Ok(None);
    };
    let keys_before = count_keys(writer, &collection)?;
    let all = writer.counters(collection.id.0)?;
    let policy = writer.trash_policy();
    let keeping = policy.of(collection.id).filter(|_| !is_broken(BrokenRule::NoTrash));
    let archive = keeping.and_then(|keeping| keeping.archive);
    // Without room only a row that waits for an archive is tried, and then the removal fails.
    let times = keeping.filter(|_| archive.is_some() || !writer.has_no_room());
    let times = times.map(|keeping| (allowance.now_ms, keeping));
    let mut pace = TimeBudget::new(allowance.limits.time);
    let (mut bytes, mut done) = (0, 0);
    while let Some(count) = pace.next()
        && bytes < allowance.bytes
    {
        let count = count.min(fitting(allowance.bytes - bytes, (bytes, done), all));
        let step = records.get(done..records.len().min(done + count)).unwrap_or_default();
        if step.is_empty() {
            break;
        }
        let described = batch.removed.len();
        // A document with several due dates has an entry for each; the first one removes it.
        let gone = writer.delete_batch(&collection, step, |place, stored| {
            let last_ms = allowance.last_threshold_ms;
            let due = stored.and_then(|stored| Ok((stored, target.due(stored, last_ms)?)));
            let Some((stored, deadline)) = batch.due(due)? else { return Ok(None) };
            let rule = (target.name(), deadline.threshold_ms);
            let row = |times| TrashRow::to_store(&collection, stored, rule, allowance.pass, times);
            let is_told = described + place < REMOVED_EVENT_DOCS_MAX;
            let told = is_told.then(|| describe(target, stored, deadline, allowance));
            Ok(Some(RemovedEntry {
                bytes: stored.bytes.len() as u64,
                lag_ms: lag_ms(target, deadline.threshold_ms, allowance.now_ms),
                described: told.transpose()?,
                trash_row: times.map(row).transpose()?,
            }))
        })?;
        for gone in gone.into_iter().flatten() {
            match gone.trash_row {
                Some(row) if writer.put_in_trash(&row, archive)? => batch.trashed += 1,
                _ => batch.not_trashed += u64::from(keeping.is_some()),
            }
            bytes += gone.bytes;
            batch.deleted += 1;
            batch.lags_ms.push(gone.lag_ms);
            batch.removed.extend(gone.described);
        }
        batch.examined_keys += step.len() as u64;
        done += step.len();
        pace.add(step.len());
    }
    // In the removing transaction, so that both survive a crash or neither does.
    if batch.deleted > 0
        && let Some(state) = allowance.state.and_then(UnsavedState::unless_old)
    {
        writer.put_meta(GUARD_META_NAME, state)?;
    }
    batch.removed.sort_by_key(|removed| removed.threshold_ms);
    batch.removed_keys = keys_before.saturating_sub(count_keys(writer, &collection)?);
    Ok(Some((batch, done)))
}

/// Keys in all indexes of a collection.
fn count_keys(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
) -> Result<u64, WriteError> {
    let mut keys = 0;
    let documents = writer.counters(collection.id.0)?.documents;
    for index in &collection.indexes {
        keys += index.keys(writer.counters(index.id.0)?.entries, documents);
    }
    Ok(keys)
}

/// How many documents fit into `left` bytes, estimated from the ones before or, at first, from the
/// collection's average.
fn fitting(left: u64, (bytes, done): (u64, usize), all: Counters) -> usize {
    let known = if done == 0 { (all.bytes, all.documents) } else { (bytes, done as u64) };
    let each = known.0 / known.1.max(1);
    // At least one, or a document larger than the budget would never leave.
    usize::try_from(left / each.max(1)).unwrap_or(usize::MAX).max(1)
}

/// How long a document could have been removed before it was.
fn lag_ms(target: &Target, threshold_ms: i64, now_ms: i64) -> i64 {
    now_ms.saturating_sub(target.removable_ms(threshold_ms)).max(0)
}

fn describe(
    target: &Target,
    stored: &StoredDocument<'_>,
    deadline: Deadline,
    allowance: Allowance<'_>,
) -> Result<RemovedDocument, StoreError> {
    Ok(RemovedDocument {
        namespace: target.collection.namespace.clone(),
        index: target.name().to_owned(),
        id: id_of(stored.document()?),
        threshold_ms: deadline.threshold_ms,
        removable_ms: target.removable_ms(deadline.threshold_ms),
        base_ms: deadline.base_ms,
        removed_ms: allowance.now_ms,
        bytes: u32::try_from(stored.bytes.len()).unwrap_or(u32::MAX),
        pass: allowance.pass,
    })
}

/// The document's `_id`; null if missing or unreadable.
pub(super) fn id_of(document: &RawDocument) -> Bson {
    let id: Option<RawBsonRef<'_>> = document.get("_id").ok().flatten();
    id.and_then(|id| Bson::try_from(id).ok()).unwrap_or(Bson::Null)
}
