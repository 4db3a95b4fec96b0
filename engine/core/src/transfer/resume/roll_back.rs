//! Rolling back an import.

use bson::oid::ObjectId;

use crate::transfer::{
    Progress, TransferError,
    resume::checkpoint::{Checkpoint, ImportState, PoppedList},
    resume::inserted::InsertedList,
    resume::lock::ImportLock,
    resume::unfinished::{forget, load},
};
use crate::{
    collection::{Collections, DocumentWriter},
    store::StoreError,
    value::counted,
};

/// The result of a rollback.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RollBackReport {
    /// Documents removed.
    pub removed: u64,
    /// Documents kept because they were changed since or are damaged.
    pub changed: u64,
    /// Documents that were already removed or expired.
    pub gone: u64,
    /// Documents that the import replaced or merged. They are kept.
    pub replaced: u64,
    /// Transactions whose documents are kept because their list is damaged.
    pub lists_damaged: u64,
    /// The import had created the collection, which is removed too.
    pub collection_removed: bool,
    /// The user canceled; the rest isn't rolled back yet.
    pub cancelled: bool,
}

impl RollBackReport {
    /// One or two sentences.
    pub fn sentence(&self) -> String {
        let documents = |number| counted(number, "document", "documents");
        let mut text = format!("{} removed.", documents(self.removed));
        for (count, why) in [
            (self.changed, "changed or damaged since, and kept"),
            (self.gone, "already removed"),
            (self.replaced, "replaced or merged by the import, and kept as they are"),
        ] {
            if count > 0 {
                let were = if count == 1 { "was" } else { "were" };
                text = format!("{text} {} {were} {why}.", documents(count));
            }
        }
        if self.lists_damaged > 0 {
            let lists = counted(self.lists_damaged, "list is", "lists are");
            text = format!(
                "{text} {lists} damaged; other imported documents can't be identified and are kept."
            );
        }
        if self.cancelled {
            text += " Canceled; the rest isn't rolled back yet.";
        }
        text
    }
}

/// Removes the documents that an unfinished import inserted, newest first, one of its transactions
/// at a time. Keeps documents that were changed or damaged since, and documents that it replaced or
/// merged, because their old values are gone. Also removes a collection that the import created, if
/// it is empty. An interrupted rollback can be called again.
///
/// # Errors
/// When another thread works on the import, or the store fails.
pub fn roll_back_import(
    collections: &Collections,
    id: ObjectId,
    progress: &Progress,
) -> Result<RollBackReport, TransferError> {
    let _lock = ImportLock::new(id)?;
    let checkpoint = load(collections, id)?;
    let mut report = RollBackReport { replaced: checkpoint.replaced, ..RollBackReport::default() };
    progress.set_bytes_total(0);
    let mut left = checkpoint.lists;
    while left > 0 {
        if progress.is_cancelled() {
            report.cancelled = true;
            return Ok(report);
        }
        let step = collections.write(|writer| step(writer, id))?;
        left = step.left;
        progress.add_documents(step.removed);
        report.removed += step.removed;
        report.changed += step.changed;
        report.gone += step.gone;
        report.lists_damaged += step.lists_damaged;
    }
    if let Some(made) = checkpoint.collection.filter(|_| checkpoint.created) {
        let namespace = &checkpoint.request.namespace;
        report.collection_removed = collections.drop_if_untouched(namespace, made)?;
    }
    forget(collections, id)?;
    Ok(report)
}

/// The counts of one transaction.
#[derive(Default)]
struct StepReport {
    removed: u64,
    changed: u64,
    gone: u64,
    lists_damaged: u64,
    left: u64,
}

/// Rolls back the newest transaction.
fn step(writer: &mut DocumentWriter<'_, '_>, id: ObjectId) -> Result<StepReport, TransferError> {
    let mut step = StepReport::default();
    let Some(mut checkpoint) = Checkpoint::load(&writer.reader(), id)? else { return Ok(step) };
    // Saved with the first removal: an import that was rolled back in part must not be resumed.
    checkpoint.state = ImportState::RollingBack;
    let inserted = match checkpoint.pop_list(writer)? {
        PoppedList::List(inserted) => inserted,
        PoppedList::Damaged => {
            step.lists_damaged += 1;
            InsertedList::default()
        }
        PoppedList::NoneLeft => return Ok(step),
    };
    let mut all = writer.catalog().all_collections();
    let collection = all.find(|collection| collection.id.0 == inserted.collection).cloned();
    drop(all);
    for (record, hash) in inserted.records() {
        let Some(collection) = &collection else {
            step.gone += 1;
            continue;
        };
        let is_unchanged = match writer.reader().document(collection.id, record) {
            Err(StoreError::Damaged { .. }) => Some(false),
            stored => stored?.map(|stored| inserted.is_unchanged(&stored, hash)),
        };
        match is_unchanged {
            Some(true) => step.removed += u64::from(writer.delete(collection, record)?),
            // A changed document is the user's work by now.
            Some(false) => step.changed += 1,
            None => step.gone += 1,
        }
    }
    checkpoint.save(writer)?;
    step.left = checkpoint.lists;
    Ok(step)
}
