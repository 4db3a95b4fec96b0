//! One transaction of an import.

use std::{path::Path, time::Duration};

use bson::{RawDocument, RawDocumentBuf, raw::RawBsonRef};

use crate::transfer::{
    ImportMode, TextPosition, TransferError,
    limits::{
        CLOCK_DOCS, IMPORT_REJECTS_MAX, REJECTS_BYTES_MAX, REJECTS_SHARE, REJECTS_SHARE_DOCS_MIN,
    },
    read::batch::{Batch, BatchEntry},
    read::item::BadRecord,
    resume::checkpoint::{Checkpoint, ImportState},
    resume::inserted::InsertedList,
    resume::rejects::RejectLines,
};
use crate::{
    catalog::CollectionMeta,
    collection::{Collections, DocumentWriter, TimeBudget, WriteError},
    limits::BATCH_MS_MAX,
    plan::document_with_id,
    store::{RecordNumber, StoreError},
    value::scan::DOCUMENT_BYTES_MAX,
};

/// The result of one transaction.
pub(in crate::transfer) struct BatchResult {
    pub next: usize,
    pub checkpoint: Checkpoint,
    /// The rejected entries, in order.
    pub refused: Vec<BadRecord>,
    /// The same as lines for the file of rejected documents.
    pub lines: RejectLines,
    /// Bytes of text of the rejected entries.
    refused_bytes: usize,
    pub stop: Option<StopReason>,
}

/// Why an import ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transfer) enum StopReason {
    /// A document was rejected and the request says to stop then.
    OnError,
    TooMany,
}

/// The result for one document.
enum WriteOutcome {
    Inserted(RecordNumber),
    Replaced,
    Skipped,
    Refused(String),
}

/// Stores entries from `from` on, until the batch ends, the transaction's time is used up, or a
/// rejected entry stops the import. Rejected entries commit with the new checkpoint, and the caller
/// appends them to the file of rejected documents before the next transaction. That must not happen
/// here: the store has one writer, and the file may be on a slow disk. If there is no such file
/// yet, a resumed import finds it by the name `rejects`. `is_last` means that no batch follows:
/// unless entries were rejected, the checkpoint is deleted with the last entry, or marked complete
/// if the import can be rolled back later.
///
/// # Errors
/// When the store or the catalog refuses the whole transaction; nothing is stored then.
pub(in crate::transfer) fn store_batch(
    collections: &Collections,
    batch: &Batch,
    from: usize,
    is_last: bool,
    before: &Checkpoint,
    rejects: &Path,
) -> Result<BatchResult, TransferError> {
    collections.write(|writer| {
        let (checkpoint, namespace) = (before.clone(), &before.request.namespace);
        let mut stored = BatchResult::new(from, checkpoint);
        stored.checkpoint.created |= writer.collection(namespace).is_none();
        // In the transaction, because the collection may be dropped between two of them.
        let collection = writer.create_if_missing(namespace)?;
        collection.check_holds_documents().map_err(WriteError::from)?;
        stored.checkpoint.collection = Some(collection.id.0);
        let mut inserted = InsertedList::new(collection.id.0, writer.now_ms());
        let mut pace = TimeBudget::new(Duration::from_millis(BATCH_MS_MAX));
        while stored.next < batch.entries().len() && stored.may_go_on() {
            let Some(count) = pace.next() else { break };
            let run = batch.documents(stored.next, count);
            pace.add(run.len().max(1));
            if !together(writer, &collection, batch, &run, &mut stored, &mut inserted)? {
                let end = stored.next + run.len().max(1);
                insert_each(writer, &collection, batch, end, &pace, &mut stored, &mut inserted)?;
            }
        }
        stored.lines = RejectLines::of(&stored.refused)?;
        let is_done = is_last && stored.next == batch.entries().len();
        let keeps_inserted = stored.checkpoint.request.keeps_inserted;
        if is_done && stored.refused.is_empty() && !keeps_inserted {
            // With the last documents: a crash between the two would leave a finished import that
            // can be resumed.
            stored.checkpoint.forget(writer)?;
        } else {
            if is_done && stored.refused.is_empty() {
                stored.checkpoint.state = ImportState::Complete;
            }
            if !inserted.is_empty() {
                stored.checkpoint.push_list(writer, &inserted)?;
            }
            if !stored.refused.is_empty() && stored.checkpoint.rejects.is_none() {
                stored.checkpoint.rejects = Some((rejects.to_owned(), 0));
            }
            stored.checkpoint.put_tail(writer, stored.lines.counted())?;
            stored.checkpoint.save(writer)?;
        }
        Ok(stored)
    })
}

/// Inserts consecutive documents in one call. Returns false, without any change, if they must be
/// stored one by one.
fn together(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    batch: &Batch,
    run: &[&RawDocument],
    stored: &mut BatchResult,
    inserted: &mut InsertedList,
) -> Result<bool, TransferError> {
    let only_inserts =
        matches!(stored.checkpoint.request.mode, ImportMode::Insert | ImportMode::Skip);
    if !only_inserts || run.len() < 2 {
        return Ok(false);
    }
    let Some(records) = writer.insert_batch(collection, run)? else { return Ok(false) };
    for (record, document) in records.into_iter().zip(run) {
        note(writer, collection, record, document, &mut stored.checkpoint, inserted)?;
    }
    stored.next += run.len();
    if let Some(resume_point) = batch.resume_point(stored.next - 1) {
        stored.checkpoint.resume_point = resume_point;
    }
    Ok(true)
}

/// Stores the entries up to `end` one by one, until the time is used up or the import stops.
fn insert_each(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    batch: &Batch,
    end: usize,
    pace: &TimeBudget,
    stored: &mut BatchResult,
    inserted: &mut InsertedList,
) -> Result<(), TransferError> {
    let from = stored.next;
    for (entry, item) in batch.entries().iter().enumerate().take(end).skip(from) {
        // Not for each document, because reading the clock costs as much as a small one.
        let looks_up = entry > from && (entry - from).is_multiple_of(CLOCK_DOCS);
        if looks_up && pace.next().is_none() {
            return Ok(());
        }
        stored.next = entry + 1;
        let refused = match item {
            BatchEntry::Bad(bad) => Some(bad.clone()),
            BatchEntry::Document(range, position) => match batch.document(range) {
                Some(document) => {
                    one(writer, collection, document, *position, &mut stored.checkpoint, inserted)?
                }
                None => None,
            },
        };
        if !stored.continues(batch, entry, refused) {
            return Ok(());
        }
    }
    Ok(())
}

impl BatchResult {
    fn new(next: usize, checkpoint: Checkpoint) -> Self {
        let (refused, lines) = (Vec::new(), RejectLines::default());
        Self { next, checkpoint, refused, lines, refused_bytes: 0, stop: None }
    }

    /// Whether another entry may follow in this transaction.
    fn may_go_on(&self) -> bool {
        self.stop.is_none() && self.refused_bytes < REJECTS_BYTES_MAX
    }

    /// Moves the checkpoint past an entry. Returns whether the next one may follow.
    fn continues(&mut self, batch: &Batch, entry: usize, refused: Option<BadRecord>) -> bool {
        let checkpoint = &mut self.checkpoint;
        // A resumed import retries an unreadable rest.
        let is_fatal = refused.as_ref().is_some_and(|refused| refused.fatal);
        if let Some(resume_point) = batch.resume_point(entry).filter(|_| !is_fatal) {
            checkpoint.resume_point = resume_point;
        }
        let Some(refused) = refused else { return true };
        if !is_fatal {
            checkpoint.count_reject(&refused.reason);
        }
        self.refused_bytes = self.refused_bytes.saturating_add(refused.text.len());
        self.refused.push(refused);
        if checkpoint.request.stop_on_error && !is_fatal {
            self.stop = Some(StopReason::OnError);
        } else if are_too_many(checkpoint) {
            self.stop = Some(StopReason::TooMany);
        }
        self.may_go_on()
    }
}

/// Whether an import stops because of its rejected documents.
pub(in crate::transfer) fn are_too_many(checkpoint: &Checkpoint) -> bool {
    let rejected = checkpoint.rejected.saturating_sub(checkpoint.forgiven);
    match checkpoint.request.rejects_max {
        Some(0) => false,
        Some(max) => rejected >= max,
        None => {
            let read = checkpoint.read();
            let is_first = checkpoint.forgiven == 0 && read >= REJECTS_SHARE_DOCS_MIN;
            let share = is_first && rejected.saturating_mul(REJECTS_SHARE) > read;
            rejected >= IMPORT_REJECTS_MAX || share
        }
    }
}

/// Stores one document and counts the result.
fn one(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    document: &RawDocument,
    position: TextPosition,
    checkpoint: &mut Checkpoint,
    inserted: &mut InsertedList,
) -> Result<Option<BadRecord>, TransferError> {
    match store(writer, collection, checkpoint.request.mode, document)? {
        WriteOutcome::Inserted(record) => {
            let document = &*writer.stored(collection, document);
            note(writer, collection, record, document, checkpoint, inserted)?;
        }
        WriteOutcome::Replaced => {
            checkpoint.imported += 1;
            checkpoint.replaced += 1;
        }
        WriteOutcome::Skipped => checkpoint.skipped += 1,
        WriteOutcome::Refused(reason) => {
            return Ok(Some(BadRecord::of(position, reason, document)));
        }
    }
    Ok(None)
}

/// Counts an inserted document and lists it for a rollback.
fn note(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    record: RecordNumber,
    document: &RawDocument,
    checkpoint: &mut Checkpoint,
    inserted: &mut InsertedList,
) -> Result<(), StoreError> {
    checkpoint.imported += 1;
    if !inserted.push(record, document) {
        checkpoint.push_list(writer, inserted)?;
        *inserted = InsertedList::new(collection.id.0, writer.now_ms());
        inserted.push(record, document);
    }
    Ok(())
}

fn store(
    writer: &mut DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    mode: ImportMode,
    document: &RawDocument,
) -> Result<WriteOutcome, WriteError> {
    let known = match mode {
        ImportMode::Insert | ImportMode::Skip => None,
        ImportMode::Replace | ImportMode::Merge => match find(writer, collection, document) {
            Err(error @ StoreError::Damaged { .. }) => {
                return Ok(WriteOutcome::Refused(error.to_string()));
            }
            known => known?,
        },
    };
    let written = match (known, mode) {
        (None, _) => writer.insert(collection, document).map(WriteOutcome::Inserted),
        (Some((record, stored)), ImportMode::Merge) => {
            let merged = merge(&stored, document);
            let size = merged.as_bytes().len();
            if size > DOCUMENT_BYTES_MAX {
                return Ok(WriteOutcome::Refused(format!(
                    "the merged document has {size} bytes; at most {DOCUMENT_BYTES_MAX} are allowed"
                )));
            }
            writer.replace(collection, record, &merged).map(|()| WriteOutcome::Replaced)
        }
        (Some((record, _)), _) => {
            writer.replace(collection, record, document).map(|()| WriteOutcome::Replaced)
        }
    };
    match written {
        Ok(fate) => Ok(fate),
        // A damaged document is not an existing one: mode skip must report it.
        Err(WriteError::DuplicateKey(key))
            if !key.is_damaged
                && collection.id_index().is_some_and(|index| index.name == key.index) =>
        {
            Ok(match mode {
                ImportMode::Skip => WriteOutcome::Skipped,
                _ => WriteOutcome::Refused(
                    "a document with this _id already exists; use another mode or another _id"
                        .to_owned(),
                ),
            })
        }
        Err(
            error @ (WriteError::DuplicateKey(_)
            | WriteError::ParallelArrays { .. }
            | WriteError::BadDocument { .. }
            | WriteError::Undecided(_)
            | WriteError::Invalid { .. }),
        ) => Ok(WriteOutcome::Refused(error.to_string())),
        Err(error) => Err(error),
    }
}

/// The stored document with the same `_id`, unless it is hidden because it expired: the insert then
/// replaces it.
fn find(
    writer: &DocumentWriter<'_, '_>,
    collection: &CollectionMeta,
    document: &RawDocument,
) -> Result<Option<(RecordNumber, RawDocumentBuf)>, StoreError> {
    let Ok(Some(id)) = document.get("_id") else { return Ok(None) };
    let Some(stored) = document_with_id(&writer.reader(), collection, id)? else { return Ok(None) };
    let document = stored.document()?;
    let is_hidden = collection.hides(document, stored.modified_ms, writer.now_ms());
    Ok((!is_hidden).then(|| (stored.record, document.to_owned())))
}

/// Sets the fields of the new document in the stored one: stored order first, then new fields.
fn merge(stored: &RawDocument, new: &RawDocument) -> RawDocumentBuf {
    let mut merged = RawDocumentBuf::new();
    for (name, value) in stored.iter().filter_map(Result::ok) {
        let value: RawBsonRef<'_> = match new.get(name.as_str()) {
            Ok(Some(other)) if name.as_str() != "_id" => other,
            _ => value,
        };
        merged.append(name, value);
    }
    for (name, value) in new.iter().filter_map(Result::ok) {
        if !matches!(stored.get(name.as_str()), Ok(Some(_))) {
            merged.append(name, value);
        }
    }
    merged
}
