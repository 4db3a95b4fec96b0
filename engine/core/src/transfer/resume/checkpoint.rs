//! An import's progress, stored with each of its transactions.
//!
//! | key in the table `meta` | value |
//! |---|---|
//! | `imports` | ids of all unfinished imports |
//! | `import/<id>` | the checkpoint |
//! | `import/<id>/rejects` | what the last transaction rejected, until the next one |
//! | `import/<id>/<n>` | the documents that transaction `n` inserted, for a rollback |

use std::collections::BTreeMap;
use std::path::PathBuf;

use bson::{Document, RawDocument, RawDocumentBuf, oid::ObjectId};

use crate::transfer::{
    ImportRequest, Reject, Tally, TransferError,
    limits::{FORGET_LISTS_MAX, REASONS_MAX, UNFINISHED_MAX},
    read::text_position::ResumePoint,
    resume::checkpoint_bson::{from_bson, to_bson},
    resume::identity::FileIdentity,
    resume::inserted::InsertedList,
};
use crate::{
    collection::DocumentWriter,
    store::{Reader, StoreError},
};

/// The key of the list of checkpoint ids.
const LIST: &str = "imports";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::transfer) enum ImportState {
    Importing,
    /// Every file was read to its end. Kept to be rolled back.
    Complete,
    RollingBack,
    Forgetting,
}

/// The result of removing the newest list of inserted documents.
pub(in crate::transfer) enum PoppedList {
    List(InsertedList),
    /// The list is damaged, so its documents are unknown.
    Damaged,
    NoneLeft,
}

/// An import's progress.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::transfer) struct Checkpoint {
    pub id: ObjectId,
    pub started_ms: i64,
    pub state: ImportState,
    /// The request, with absolute paths.
    pub request: ImportRequest,
    pub identities: Vec<FileIdentity>,
    /// The id of the target collection; `None` before the first transaction.
    pub collection: Option<u32>,
    pub created: bool,
    pub file: usize,
    pub resume_point: ResumePoint,
    /// Non-standard values in the files before the current one.
    pub tally_before: Tally,
    /// Documents stored, including replaced and merged ones.
    pub imported: u64,
    pub replaced: u64,
    pub skipped: u64,
    pub rejected: u64,
    /// Rejected documents that no longer count toward stopping, because the user resumed the
    /// import.
    pub forgiven: u64,
    pub reasons: BTreeMap<String, u64>,
    /// The current file of rejected documents, and its length in bytes without the tail.
    pub rejects: Option<(PathBuf, u64)>,
    /// The store holds a tail: what the last transaction rejected, to be appended to the file.
    pub has_tail: bool,
    /// Files of rejected documents of earlier input files.
    pub rejects_before: Vec<PathBuf>,
    /// The error at which an earlier file became unreadable.
    pub broken: Option<Reject>,
    /// Number of stored lists of inserted documents.
    pub lists: u64,
}

impl Checkpoint {
    /// A checkpoint before the first document.
    ///
    /// # Errors
    /// When a file can't be read.
    pub(in crate::transfer) fn new(
        request: &ImportRequest,
        now_ms: i64,
    ) -> Result<Self, TransferError> {
        let of = |path: &PathBuf| FileIdentity::of(path);
        let identities: Vec<_> = request.files.iter().map(of).collect::<Result<_, _>>()?;
        let files = identities.iter().map(|identity| identity.path.clone()).collect();
        Ok(Self {
            id: ObjectId::new(),
            started_ms: now_ms,
            state: ImportState::Importing,
            request: ImportRequest { files, ..request.clone() },
            identities,
            collection: None,
            created: false,
            file: 0,
            resume_point: ResumePoint::START,
            tally_before: Tally::default(),
            imported: 0,
            replaced: 0,
            skipped: 0,
            rejected: 0,
            forgiven: 0,
            reasons: BTreeMap::new(),
            rejects: None,
            has_tail: false,
            rejects_before: Vec::new(),
            broken: None,
            lists: 0,
        })
    }

    /// Documents processed so far.
    pub(in crate::transfer) fn read(&self) -> u64 {
        self.imported + self.skipped + self.rejected
    }

    /// Non-standard values so far.
    pub(in crate::transfer) fn tally(&self) -> Tally {
        self.tally_before + self.resume_point.tally
    }

    pub(in crate::transfer) fn count_reject(&mut self, reason: &str) {
        self.rejected += 1;
        let known = self.reasons.contains_key(reason) || self.reasons.len() < REASONS_MAX;
        let reason = if known { reason } else { "other reasons" };
        *self.reasons.entry(reason.to_owned()).or_default() += 1;
    }

    /// Starts a file. An error in the one before, `broken`, stays here.
    pub(in crate::transfer) fn begin_file(&mut self, file: usize, broken: &mut Option<Reject>) {
        if file == self.file {
            return;
        }
        if let Some(broken) = broken.take() {
            self.count_reject(&broken.reason);
            self.broken = Some(broken);
        }
        self.tally_before = self.tally();
        self.resume_point = ResumePoint::START;
        self.file = file;
        self.rejects_before.extend(self.rejects.take().map(|(path, _)| path));
    }

    /// Reads a checkpoint.
    ///
    /// # Errors
    /// When the store fails or the checkpoint is damaged.
    pub(in crate::transfer) fn load(
        reader: &Reader<'_>,
        id: ObjectId,
    ) -> Result<Option<Self>, StoreError> {
        let Some(bytes) = reader.meta(&name(id))? else { return Ok(None) };
        let found = RawDocument::from_bytes(bytes)
            .ok()
            .and_then(|raw| Document::try_from(raw).ok())
            .and_then(|document| from_bson(id, &document));
        found.map(Some).ok_or_else(|| StoreError::damaged("a checkpoint of an import"))
    }

    /// Writes the checkpoint in the current transaction.
    ///
    /// # Errors
    /// When the store fails, or there are too many unfinished imports.
    pub(in crate::transfer) fn save(
        &self,
        writer: &mut DocumentWriter<'_, '_>,
    ) -> Result<(), TransferError> {
        let mut ids = list(&writer.reader())?;
        if !ids.contains(&self.id) {
            let reader = writer.reader();
            let unfinished = ids.iter().filter(|id| !is_complete(&reader, **id)).count();
            check_unfinished_max(unfinished)?;
            ids.push(self.id);
            put_list(writer, &ids)?;
        }
        let bytes = raw(&to_bson(self))?;
        Ok(writer.put_meta(&name(self.id), bytes.as_bytes())?)
    }

    /// Stores a list of inserted documents.
    ///
    /// # Errors
    /// When the store fails.
    pub(in crate::transfer) fn push_list(
        &mut self,
        writer: &mut DocumentWriter<'_, '_>,
        inserted: &InsertedList,
    ) -> Result<(), StoreError> {
        writer.put_meta(&list_name(self.id, self.lists), &inserted.to_bytes())?;
        self.lists += 1;
        Ok(())
    }

    /// Removes the newest list of inserted documents and returns it.
    ///
    /// # Errors
    /// When the store fails.
    pub(in crate::transfer) fn pop_list(
        &mut self,
        writer: &mut DocumentWriter<'_, '_>,
    ) -> Result<PoppedList, StoreError> {
        let Some(last) = self.lists.checked_sub(1) else { return Ok(PoppedList::NoneLeft) };
        self.lists = last;
        let name = list_name(self.id, last);
        // Every list was written, so a missing one is damaged.
        let found = StoreError::unless_damaged(writer.reader().meta(&name))?.flatten();
        let found = found.and_then(InsertedList::from_bytes);
        writer.delete_meta(&name)?;
        Ok(found.map_or(PoppedList::Damaged, PoppedList::List))
    }

    /// Replaces the tail by what this transaction rejected.
    ///
    /// # Errors
    /// When the store fails.
    pub(in crate::transfer) fn put_tail(
        &mut self,
        writer: &mut DocumentWriter<'_, '_>,
        lines: &[u8],
    ) -> Result<(), StoreError> {
        if !lines.is_empty() {
            writer.put_meta(&tail_name(self.id), lines)?;
        } else if self.has_tail {
            writer.delete_meta(&tail_name(self.id))?;
        }
        self.has_tail = !lines.is_empty();
        Ok(())
    }

    /// The rejects of the last transaction, as lines of the file.
    ///
    /// # Errors
    /// When the store fails.
    pub(in crate::transfer) fn tail(&self, reader: &Reader<'_>) -> Result<Vec<u8>, StoreError> {
        let found = if self.has_tail { reader.meta(&tail_name(self.id))? } else { None };
        Ok(found.unwrap_or_default().to_vec())
    }

    /// Deletes some lists, and the checkpoint after the last one. Returns whether it is gone.
    ///
    /// # Errors
    /// When the store fails.
    pub(in crate::transfer) fn forget(
        &mut self,
        writer: &mut DocumentWriter<'_, '_>,
    ) -> Result<bool, TransferError> {
        self.state = ImportState::Forgetting;
        self.put_tail(writer, &[])?;
        let from = self.lists.saturating_sub(FORGET_LISTS_MAX);
        for number in from..self.lists {
            writer.delete_meta(&list_name(self.id, number))?;
        }
        self.lists = from;
        if from > 0 {
            self.save(writer)?;
            return Ok(false);
        }
        let mut ids = list(&writer.reader())?;
        if let Some(at) = ids.iter().position(|id| *id == self.id) {
            ids.remove(at);
            put_list(writer, &ids)?;
        }
        writer.delete_meta(&name(self.id))?;
        Ok(true)
    }
}

/// The ids of all checkpoints, oldest first. A damaged list has lost them, which must not block
/// later imports; the next import rewrites it.
///
/// # Errors
/// When the store fails.
pub(in crate::transfer) fn list(reader: &Reader<'_>) -> Result<Vec<ObjectId>, StoreError> {
    let bytes = StoreError::unless_damaged(reader.meta(LIST))?.flatten().unwrap_or_default();
    let (ids, _) = bytes.as_chunks();
    Ok(ids.iter().map(|id| ObjectId::from_bytes(*id)).collect())
}

/// Whether an import is complete. One whose checkpoint can't be read counts as unfinished.
pub(in crate::transfer) fn is_complete(reader: &Reader<'_>, id: ObjectId) -> bool {
    let known = Checkpoint::load(reader, id).ok().flatten();
    known.is_some_and(|known| known.state == ImportState::Complete)
}

/// Checks that there is room for one more unfinished import.
///
/// # Errors
/// When there are too many.
pub(in crate::transfer) fn check_unfinished_max(remembered: usize) -> Result<(), TransferError> {
    if remembered < UNFINISHED_MAX {
        return Ok(());
    }
    let what = format!(
        "There are {UNFINISHED_MAX} unfinished imports. Resume, roll back or discard some first."
    );
    Err(TransferError::Unfinished { what })
}

fn put_list(writer: &mut DocumentWriter<'_, '_>, ids: &[ObjectId]) -> Result<(), StoreError> {
    if ids.is_empty() {
        return writer.delete_meta(LIST).map(drop);
    }
    writer.put_meta(LIST, &ids.iter().flat_map(ObjectId::bytes).collect::<Vec<u8>>())
}

fn name(id: ObjectId) -> String {
    format!("import/{id}")
}

fn tail_name(id: ObjectId) -> String {
    format!("import/{id}/rejects")
}

fn list_name(id: ObjectId, number: u64) -> String {
    format!("import/{id}/{number}")
}

fn raw(document: &Document) -> Result<RawDocumentBuf, TransferError> {
    RawDocumentBuf::try_from(document)
        .map_err(|error| TransferError::Bug { what: error.to_string() })
}
