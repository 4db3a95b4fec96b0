//! Rows of the trash that wait for an archive: how many, and which are due.

use std::collections::BTreeMap;

use bson::{Bson, Document, doc};

use super::trash_row::{TRASH, TrashRow, WaitingRow, number_of};
use crate::{
    collection::{Collections, WriteError},
    limits::{BULK_DOCS_MAX, READ_DOCS_MAX},
    store::{Reader, Scan, StoreError, Writer},
};

/// The `meta` value with the rows that wait, by the folder of their archive.
const WAITING_META: &str = "trashWaiting";

/// Rows to be moved to an archive.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DueRows {
    /// The rows, oldest first.
    pub rows: Vec<WaitingRow>,
    /// No row before this number waits for the archive.
    pub from: u64,
    /// Whether further rows are due.
    pub more: bool,
    /// When the first of the others is due, in milliseconds since 1970; `None` if unknown.
    pub next_ms: Option<i64>,
}

/// Rows that wait for an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WaitingRows {
    /// Documents.
    pub documents: u64,
    /// Bytes of their rows.
    pub bytes: u64,
}

/// The changes of one transaction, by folder: rows and bytes.
pub(super) type WaitingChanges = BTreeMap<String, (i64, i64)>;

/// The waiting rows of each archive, by folder.
type Waiting = BTreeMap<String, WaitingRows>;

/// The waiting rows of each archive. A damaged value is counted again.
pub(super) fn waiting(reader: &Reader<'_>) -> Result<Waiting, StoreError> {
    stored(reader)?.map_or_else(|| counted(reader), Ok)
}

/// The stored counts; `None` when they are damaged.
fn stored(reader: &Reader<'_>) -> Result<Option<Waiting>, StoreError> {
    let Some(bytes) = StoreError::unless_damaged(reader.meta(WAITING_META))? else {
        return Ok(None);
    };
    let Some(bytes) = bytes else { return Ok(Some(Waiting::new())) };
    let Ok(stored) = Document::from_reader(bytes) else { return Ok(None) };
    let number = |rows: &Document, name: &str| rows.get_i64(name).ok()?.try_into().ok();
    let rows = stored.into_iter().map(|(folder, rows)| {
        let rows = rows.as_document()?;
        let rows = WaitingRows { documents: number(rows, "n")?, bytes: number(rows, "b")? };
        Some((folder, rows))
    });
    Ok(rows.collect())
}

/// The rows as they are. A damaged row names no archive.
fn counted(reader: &Reader<'_>) -> Result<Waiting, StoreError> {
    let mut all = Waiting::new();
    for row in reader.documents(TRASH, 0, Scan::Forward)? {
        let Some(stored) = StoreError::unless_damaged(row)? else { continue };
        if let Some(folder) = TrashRow::read(&stored).and_then(|row| row.archive) {
            let rows = all.entry(folder.to_owned()).or_default();
            rows.documents += 1;
            rows.bytes += stored.bytes.len() as u64;
        }
    }
    Ok(all)
}

/// Whether the stored counts differ from the rows.
pub(super) fn is_miscounted(reader: &Reader<'_>) -> Result<bool, StoreError> {
    let counted = counted(reader)?;
    Ok(stored(reader)?.is_none_or(|stored| stored != counted))
}

/// Counts the rows again, as this transaction sees them.
pub(super) fn recount_waiting(writer: &mut Writer<'_>) -> Result<(), StoreError> {
    let all = counted(&writer.reader())?;
    store_waiting(writer, all)
}

/// Applies a transaction's changes.
pub(super) fn change_waiting(
    writer: &mut Writer<'_>,
    changes: &WaitingChanges,
) -> Result<(), StoreError> {
    if changes.is_empty() {
        return Ok(());
    }
    // Counted from the rows, a damaged value includes the changes already.
    let Some(mut all) = stored(&writer.reader())? else { return recount_waiting(writer) };
    for (folder, (documents, bytes)) in changes {
        let rows = all.entry(folder.clone()).or_default();
        rows.documents = rows.documents.saturating_add_signed(*documents);
        rows.bytes = rows.bytes.saturating_add_signed(*bytes);
        // Without rows there are no bytes, whatever damage has done to the numbers.
        if rows.documents == 0 {
            all.remove(folder);
        }
    }
    store_waiting(writer, all)
}

fn store_waiting(writer: &mut Writer<'_>, all: Waiting) -> Result<(), StoreError> {
    let long = |number: u64| i64::try_from(number).unwrap_or(i64::MAX);
    let stored: Document = all
        .into_iter()
        .map(|(folder, rows)| {
            (folder, Bson::from(doc! { "n": long(rows.documents), "b": long(rows.bytes) }))
        })
        .collect();
    let bytes = stored
        .to_vec()
        .map_err(|error| StoreError::Bug { what: format!("the waiting rows: {error}") })?;
    writer.put_meta(WAITING_META, &bytes)
}

/// The rows that wait for any archive.
pub(super) fn waiting_in_all(reader: &Reader<'_>) -> Result<WaitingRows, StoreError> {
    let add = |sum: WaitingRows, rows: WaitingRows| WaitingRows {
        documents: sum.documents.saturating_add(rows.documents),
        bytes: sum.bytes.saturating_add(rows.bytes),
    };
    Ok(waiting(reader)?.into_values().fold(WaitingRows::default(), add))
}

impl Collections {
    /// The rows that wait for archives, by the folder of each.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn waiting_rows(&self) -> Result<BTreeMap<String, WaitingRows>, StoreError> {
        self.store.read(waiting)
    }

    /// Counts the waiting rows again if their counts are damaged or can't be right. Returns whether
    /// they were.
    ///
    /// # Errors
    /// When the store fails.
    pub(in crate::collection) fn recount_waiting(&self) -> Result<bool, WriteError> {
        // Without reading the rows: they may be many, and this runs at each opening.
        let is_wrong = self.store.read(|reader| {
            let Some(stored) = stored(reader)? else { return Ok(true) };
            let documents: u64 = stored.values().map(|rows| rows.documents).sum();
            Ok::<_, StoreError>(documents > reader.counters(TRASH.0)?.documents)
        })?;
        if is_wrong {
            self.transact(|writer| Ok::<_, WriteError>(recount_waiting(writer.txn.writer)?))?;
        }
        Ok(is_wrong)
    }

    /// The oldest rows that wait for this archive and whose time is up, from this number on: at
    /// least one, then as many as fit. Each read transaction is short.
    ///
    /// # Errors
    /// When the store can't be read.
    pub fn due_for_archive(
        &self,
        folder: &str,
        (from, now_ms): (u64, i64),
        bytes_max: u64,
    ) -> Result<DueRows, StoreError> {
        let (mut due, mut bytes) = (DueRows { from, ..DueRows::default() }, 0);
        // On a full disk few at a time, as any deletion.
        let docs_max = if self.store.is_full() { self.store.batch_docs() } else { BULK_DOCS_MAX };
        let mut next = from;
        loop {
            let mut count = 0;
            let is_done = self.store.read(|reader| {
                for row in reader.documents(TRASH, next.into(), Scan::Forward)?.take(READ_DOCS_MAX)
                {
                    count += 1;
                    // A damaged row is removed with the ordinary ones.
                    let Some(stored) = StoreError::unless_damaged(row)? else {
                        next = next.saturating_add(1);
                        continue;
                    };
                    next = number_of(stored.record).saturating_add(1);
                    let row = TrashRow::read(&stored).filter(|row| row.archive == Some(folder));
                    let Some(row) = row else { continue };
                    if due.rows.is_empty() {
                        due.from = row.number;
                    }
                    // Rows are in the order of their removal, so the later ones are not due either. One that a
                    // clock far ahead removed would hold up all after it for years; the archive keeps it.
                    if row.until_ms > now_ms && row.removed_ms <= now_ms {
                        due.next_ms = Some(row.until_ms);
                        return Ok(true);
                    }
                    let is_full = bytes >= bytes_max || due.rows.len() >= docs_max;
                    if is_full {
                        due.more = true;
                        return Ok(true);
                    }
                    bytes += row.document.as_bytes().len() as u64;
                    due.rows.push(row.to_waiting());
                }
                Ok::<_, StoreError>(count < READ_DOCS_MAX)
            })?;
            if is_done {
                if due.rows.is_empty() && due.next_ms.is_none() {
                    due.from = next;
                }
                return Ok(due);
            }
        }
    }
}
