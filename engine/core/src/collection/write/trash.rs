//! The trash: removed documents that can be restored until their time or the space for them is up.
//!
//! They are rows of the documents table under a collection number that no collection has. Each row
//! wraps a document with where it was, and is written in the transaction that removes it. Rows are
//! numbered in order of arrival and leave in that order. A row that waits for an archive leaves only
//! when it is moved there or restored.

use std::{
    ops::ControlFlow,
    sync::{Arc, PoisonError, atomic::Ordering},
};

use bson::raw::RawDocument;

use super::{
    trash_policy::TrashPolicy,
    trash_row::{RestorableRow, TRASH, TrashRow, finding, not_a_row, number_of, wrong_row},
    waiting::{WaitingRows, is_miscounted, recount_waiting, waiting_in_all},
};
use crate::{
    catalog::{CollectionMeta, Namespace},
    clock::work_time,
    collection::{Collections, DocumentWriter, WriteError},
    event::Event,
    limits::{BATCH_MS_MAX, BULK_DOCS_MAX, DISK_ROOM_BYTES_WANTED, READ_DOCS_MAX, TRASH_BYTES_MAX},
    store::{Counters, Reader, RecordNumber, Scan, StoreError},
    value::counted,
};

/// How much the trash holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TrashStatus {
    /// Documents.
    pub documents: u64,
    /// Bytes of their rows.
    pub bytes: u64,
    /// The number of the next row; existing rows have lower ones.
    pub next: u64,
    /// Those that wait for an archive.
    pub waiting: WaitingRows,
}

/// Which rows leave the trash.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Trim {
    /// The oldest, while the rows that wait for no archive exceed `TRASH_BYTES_MAX`.
    Room,
    /// Those whose time is up at this instant, in milliseconds since 1970.
    Age(i64),
    /// All rows.
    Everything,
}

/// The result of one step.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrimStep {
    /// Rows removed.
    pub removed: u64,
    /// How many of them were damaged. They can't be restored, so they leave as soon as they are the
    /// oldest.
    pub damaged: u64,
    /// Whether there may be more to remove.
    pub more: bool,
    /// The damage of the first of them.
    damage: Option<String>,
    /// Where the next step begins: all rows before wait for an archive.
    from: u64,
}

/// The first row that waits for no archive.
struct Head {
    /// Rows before this number wait.
    from: u64,
    /// Until when it is kept, or its damage; `None` without one.
    until_ms: Option<Result<i64, String>>,
    /// Whether the search ended at its bound.
    more: bool,
}

impl DocumentWriter<'_, '_> {
    /// How this transaction keeps removed documents.
    pub fn trash_policy(&self) -> Arc<TrashPolicy> {
        Arc::clone(&self.txn.trash_policy)
    }

    /// Adds a row to the trash. False when there is no room, which must not stop the removal.
    ///
    /// # Errors
    /// When the store fails; `DiskFull` without room for a row that waits for an archive.
    pub fn put_in_trash(
        &mut self,
        row: &RawDocument,
        archive: Option<&str>,
    ) -> Result<bool, WriteError> {
        let bytes = row.as_bytes().len() as u64;
        if bytes > TRASH_BYTES_MAX || self.has_no_room() {
            if archive.is_some() {
                return Err(StoreError::DiskFull { wanted_bytes: DISK_ROOM_BYTES_WANTED }.into());
            }
            return Ok(false);
        }
        // Row numbers are never reused: the pages of a listing continue by them.
        let record = self.txn.next_record(TRASH)?.max(1);
        let now_ms = self.txn.now_ms;
        let put = self.txn.writer.put_document(TRASH, record, now_ms, row.as_bytes());
        let counted = put.and_then(|()| {
            self.txn.count(TRASH.0, |counters| {
                counters.documents += 1;
                counters.bytes += bytes;
                counters.next_record = record.saturating_add(1);
            })
        });
        self.must_succeed(counted)?;
        if let Some(archive) = archive {
            self.txn.count_waiting(archive, 1, bytes.cast_signed());
        }
        Ok(true)
    }

    /// Whether the disk is full, so that nothing can be added.
    pub fn has_no_room(&self) -> bool {
        self.txn.writer.deletes_only()
    }

    /// Whether a row is in the trash.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn is_in_trash(reader: &Reader<'_>, number: u64) -> Result<bool, StoreError> {
        Ok(reader.document(TRASH, number.into())?.is_some())
    }

    /// Removes a row from the trash. False when it does not exist any more.
    ///
    /// # Errors
    /// When the store fails.
    pub fn take_from_trash(&mut self, number: u64) -> Result<bool, WriteError> {
        let reader = self.txn.writer.reader();
        let Some(stored) = reader.document(TRASH, number.into())? else { return Ok(false) };
        let bytes = stored.bytes.len() as u64;
        let archive = TrashRow::read(&stored).and_then(|row| row.archive.map(str::to_owned));
        let result = self.drop_row(number, bytes);
        self.must_succeed(result)?;
        if let Some(archive) = archive {
            self.txn.count_waiting(&archive, -1, -bytes.cast_signed());
        }
        Ok(true)
    }

    /// Stores the document of a row again, unchanged; it may be a bucket of measurements. The row
    /// stays.
    ///
    /// # Errors
    /// As [`DocumentWriter::insert`].
    pub fn restore_row(
        &mut self,
        collection: &CollectionMeta,
        row: &RestorableRow,
    ) -> Result<RecordNumber, WriteError> {
        // A bucket skips validation and `_id` rules: clients insert measurements, never buckets.
        if !row.is_bucket {
            return self.insert(collection, &row.document);
        }
        let collection = self.txn.current(collection)?;
        if collection.id != row.collection {
            return Err(WriteError::BadDocument {
                message: "these measurements can only be restored to their original collection, \
                 which was dropped"
                    .to_owned(),
            });
        }
        self.insert_new(&collection, &row.document)
    }

    fn drop_row(&mut self, number: u64, bytes: u64) -> Result<(), StoreError> {
        self.txn.writer.delete_document(TRASH, number.into())?;
        self.count_dropped(bytes)
    }

    fn count_dropped(&mut self, bytes: u64) -> Result<(), StoreError> {
        self.txn.count(TRASH.0, |counters| {
            counters.documents = counters.documents.saturating_sub(1);
            counters.bytes = counters.bytes.saturating_sub(bytes);
        })
    }

    fn trim_trash(&mut self, trim: Trim, from: u64, max: usize) -> Result<TrimStep, StoreError> {
        let began = work_time();
        let waiting = waiting_in_all(&self.txn.writer.reader())?.bytes;
        let mut step = TrimStep { more: true, from, ..TrimStep::default() };
        while step.removed < max as u64 {
            let is_late = work_time().saturating_sub(began).as_millis() >= u128::from(BATCH_MS_MAX);
            if is_late && step.removed > 0 {
                break;
            }
            let counters = self.txn.counters(TRASH.0)?;
            let head = head(&self.txn.writer.reader(), step.from)?;
            step.from = head.from;
            let Some(oldest) = head.until_ms else {
                step.more = head.more;
                break;
            };
            let leaves = match (&oldest, trim) {
                // A damaged row would otherwise stay for ever in front of the others.
                (Err(_), _) | (_, Trim::Everything) => true,
                (_, Trim::Room) => counters.bytes.saturating_sub(waiting) > TRASH_BYTES_MAX,
                (Ok(until_ms), Trim::Age(now_ms)) => *until_ms <= now_ms,
            };
            if !leaves {
                step.more = false;
                break;
            }
            self.drop_oldest(step.from)?;
            step.removed += 1;
            if let Err(damage) = oldest {
                step.damaged += 1;
                step.damage.get_or_insert(damage);
            }
        }
        // A damaged row may have waited, and names no archive.
        if step.damaged > 0 {
            recount_waiting(self.txn.writer)?;
        }
        Ok(step)
    }

    /// Removes the oldest row from this number on, even a damaged one.
    fn drop_oldest(&mut self, from: u64) -> Result<(), StoreError> {
        let Some(bytes) = self.txn.writer.delete_first_document(TRASH, from.into())? else {
            return Err(StoreError::damaged("the oldest trash row can't be removed"));
        };
        self.count_dropped(bytes)
    }
}

/// Finds the oldest row from this number on that waits for no archive. Looks at a bounded number of
/// rows. A row whose archive the store doesn't know waits too: it was promised to one.
fn head(reader: &Reader<'_>, mut from: u64) -> Result<Head, StoreError> {
    let rows = reader.documents(TRASH, from.into(), Scan::Forward)?;
    for row in rows.take(READ_DOCS_MAX) {
        let until_ms = match row {
            Err(StoreError::Damaged { what }) => Err(what),
            row => {
                let row = row?;
                match TrashRow::read(&row) {
                    Some(found) if found.archive.is_some() => {
                        from = found.number.saturating_add(1);
                        continue;
                    }
                    Some(found) => Ok(found.until_ms),
                    None => Err(not_a_row(row.record)),
                }
            }
        };
        return Ok(Head { from, until_ms: Some(until_ms), more: false });
    }
    let more = reader.documents(TRASH, from.into(), Scan::Forward)?.next().is_some();
    Ok(Head { from, until_ms: None, more })
}

impl Collections {
    /// How much the trash holds.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn trash_status(&self) -> Result<TrashStatus, StoreError> {
        let (counters, waiting) = self.store.read(|reader| {
            Ok::<_, StoreError>((reader.counters(TRASH.0)?, waiting_in_all(reader)?))
        })?;
        let Counters { documents, bytes, next_record, .. } = counters;
        Ok(TrashStatus { documents, bytes, next: number_of(next_record.max(1)), waiting })
    }

    /// How removed documents are kept from the next transaction on.
    pub fn trash_policy(&self) -> Arc<TrashPolicy> {
        Arc::clone(&self.trash_policy.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Changes how removed documents are kept.
    pub fn change_trash_policy(&self, change: impl FnOnce(&mut TrashPolicy)) {
        let mut policy = self.trash_policy.write().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut policy));
    }

    /// Removes rows that wait for no archive, in one bounded transaction.
    ///
    /// # Errors
    /// When the store fails.
    pub fn trim_trash_step(&self, trim: Trim) -> Result<TrimStep, WriteError> {
        // Usually there is nothing, which a read finds without a write transaction.
        let status = self.trash_status()?;
        let is_over = trim == Trim::Room
            && status.bytes.saturating_sub(status.waiting.bytes) <= TRASH_BYTES_MAX;
        if status.documents == 0 || is_over {
            return Ok(TrimStep::default());
        }
        let from = self.trim_from.load(Ordering::Relaxed);
        let head = self.store.read(|reader| head(reader, from))?;
        // A damaged row among the last ones is found by a later trim.
        if head.more {
            self.trim_from.fetch_max(head.from, Ordering::Relaxed);
        }
        let is_old = match (head.until_ms, trim) {
            (None, _) => return Ok(TrimStep { more: head.more, ..TrimStep::default() }),
            (Some(Ok(until_ms)), Trim::Age(now_ms)) => until_ms <= now_ms,
            _ => true,
        };
        if !is_old {
            return Ok(TrimStep::default());
        }
        // On a full disk few at a time, as any deletion.
        let max = if self.store.is_full() { self.store.batch_docs() } else { BULK_DOCS_MAX };
        let step = self.transact(|writer| {
            let step = writer.trim_trash(trim, from, max);
            writer.must_succeed(step)
        })?;
        self.trim_from.fetch_max(step.from, Ordering::Relaxed);
        if let Some(damage) = &step.damage {
            self.tell(&Event::DamageFound(finding(None, &removed_damaged(step.damaged, damage))));
        }
        Ok(step)
    }

    /// Visits rows from the newest to the oldest, starting below `before` or at the newest, until
    /// `visit` breaks. Returns the number of the last visited row if it did. Each read transaction
    /// is short. Damaged rows are skipped.
    ///
    /// # Errors
    /// When the store can't be read, and what `visit` returns.
    pub fn scan_trash<E: From<StoreError>>(
        &self,
        before: Option<u64>,
        visit: &mut dyn FnMut(&TrashRow<'_>) -> Result<ControlFlow<()>, E>,
    ) -> Result<Option<u64>, E> {
        let mut from = before.unwrap_or(u64::MAX).checked_sub(1);
        while let Some(start) = from {
            let (mut last, mut count) = (None, 0);
            let stopped = self.store.read(|reader| {
                let mut rows = reader.documents(TRASH, start.into(), Scan::Backward)?;
                // Each read transaction is short, because a reader keeps freed pages from being
                // reused.
                while count < READ_DOCS_MAX
                    && let Some(unread) = rows.next_unverified()
                {
                    count += 1;
                    let Some(unread) = StoreError::unless_damaged(unread)? else { continue };
                    last = Some(number_of(unread.record));
                    let Some(stored) = StoreError::unless_damaged(unread.read())? else { continue };
                    let Some(trashed) = TrashRow::read(&stored) else { continue };
                    if visit(&trashed)?.is_break() {
                        return Ok::<_, E>(true);
                    }
                }
                Ok(false)
            })?;
            if stopped {
                return Ok(last);
            }
            if count < READ_DOCS_MAX {
                break;
            }
            from = last.and_then(|last| last.checked_sub(1));
        }
        Ok(None)
    }

    /// One row.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn trash_row<'t>(
        reader: &Reader<'t>,
        number: u64,
    ) -> Result<Option<TrashRow<'t>>, StoreError> {
        let stored = reader.document(TRASH, number.into())?;
        Ok(stored.and_then(|stored| TrashRow::read(&stored)))
    }
}

/// A sentence about damage, with the collection if that is known.
type TrashDamage = (Option<Namespace>, String);

/// The damage in the trash. `None` once `goes_on` says no.
pub(in crate::collection) fn verify(
    reader: &Reader<'_>,
    goes_on: &mut dyn FnMut() -> bool,
) -> Result<Option<Vec<TrashDamage>>, StoreError> {
    let mut found = Vec::new();
    let (mut documents, mut bytes, mut next) = (0_u64, 0_u64, 0);
    for stored in reader.documents(TRASH, 0, Scan::Forward)? {
        documents += 1;
        if documents.is_multiple_of(READ_DOCS_MAX as u64) && !goes_on() {
            return Ok(None);
        }
        match stored {
            Ok(stored) => {
                bytes += stored.bytes.len() as u64;
                next = stored.record.saturating_add(1);
                found.extend(wrong_row(&stored));
            }
            Err(StoreError::Damaged { what }) => {
                found.push((None, format!("A row is damaged: {what}.")));
            }
            Err(error) => return Err(error),
        }
    }
    let Some(counters) = StoreError::unless_damaged(reader.counters(TRASH.0))? else {
        found.push((None, "Its counters are damaged.".to_owned()));
        return Ok(Some(found));
    };
    if found.is_empty() && (counters.documents, counters.bytes) != (documents, bytes) {
        let sentence = format!(
            "The counters say {} documents with {} bytes, but there are {documents} with {bytes}.",
            counters.documents, counters.bytes
        );
        found.push((None, sentence));
    }
    if found.is_empty() && is_miscounted(reader)? {
        found.push((None, "The counts of the rows that wait for archives are wrong.".to_owned()));
    }
    if counters.next_record < next {
        let sentence =
            format!("The next row is {}, but there is row {}.", counters.next_record, next - 1);
        found.push((None, sentence));
    }
    Ok(Some(found))
}

fn removed_damaged(count: u64, damage: &str) -> String {
    let documents = counted(count, "removed document", "removed documents");
    format!("{documents} can't be restored because {damage}. The rest of the trash is unaffected.")
}
