//! Unfinished imports.

use std::path::PathBuf;

use bson::{Document, oid::ObjectId};

use crate::transfer::{
    ImportRequest, TransferError,
    limits::COMPLETE_IMPORTS_MAX,
    read::container,
    resume::checkpoint::{Checkpoint, ImportState, check_unfinished_max, list},
    resume::checkpoint_bson::from_bson,
    resume::lock::ImportLock,
    resume::rejects::RejectsFile,
};
use crate::{catalog::Namespace, collection::Collections, store::StoreError, value::counted};

/// An unfinished import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnfinishedImport {
    /// Its id.
    pub id: ObjectId,
    /// The request, with absolute paths.
    pub request: ImportRequest,
    /// Start time in milliseconds since 1970.
    pub started_ms: i64,
    /// Documents stored, including replaced and merged ones.
    pub imported: u64,
    /// Documents replaced or merged. A rollback can't undo that.
    pub replaced: u64,
    /// Documents skipped.
    pub skipped: u64,
    /// Documents rejected.
    pub rejected: u64,
    /// Rejected documents by reason.
    pub reasons: Vec<(String, u64)>,
    /// Index of the file and decompressed byte offset where it stopped.
    pub stopped_at: (usize, u64),
    /// A rollback has started, so it can't be resumed.
    pub rolling_back: bool,
}

impl UnfinishedImport {
    /// An import into a server, from the state that its target remembers. `None` if it is damaged.
    pub fn of_target(id: ObjectId, state: &Document) -> Option<Self> {
        from_bson(id, state).map(Self::of)
    }

    fn of(checkpoint: Checkpoint) -> Self {
        Self {
            id: checkpoint.id,
            started_ms: checkpoint.started_ms,
            imported: checkpoint.imported,
            replaced: checkpoint.replaced,
            skipped: checkpoint.skipped,
            rejected: checkpoint.rejected,
            reasons: checkpoint.reasons.into_iter().collect(),
            stopped_at: (checkpoint.file, checkpoint.resume_point.position.offset),
            rolling_back: checkpoint.state == ImportState::RollingBack,
            request: checkpoint.request,
        }
    }

    /// Whether it imports the same files into the same collection.
    pub fn is_of(&self, request: &ImportRequest) -> bool {
        let whole = |path: &PathBuf| {
            let known = match container::split(path) {
                Some((outer, member)) => outer.canonicalize().map(|outer| outer.join(member)),
                None => path.canonicalize().or_else(|_| std::path::absolute(path)),
            };
            known.unwrap_or_else(|_| path.clone())
        };
        self.request.namespace == request.namespace
            && self.request.files.len() == request.files.len()
            && self.request.files.iter().zip(&request.files).all(|(of, path)| *of == whole(path))
    }

    /// One or two sentences: what it is, how far it got, and what a rollback can't undo.
    pub fn sentence(&self) -> String {
        let files: Vec<_> =
            self.request.files.iter().map(|file| file.display().to_string()).collect();
        let (files, into) = (files.join(", "), &self.request.namespace);
        let documents = counted(self.imported, "document", "documents");
        let mut text = if self.rolling_back {
            format!("Rollback of the import of {files} into {into} is unfinished.")
        } else {
            format!("Import of {files} into {into} stopped after {documents}.")
        };
        if self.replaced > 0 {
            let left = counted(
                self.replaced,
                "document that it replaced or merged",
                "documents that it replaced or merged",
            );
            text = format!("{text} A rollback keeps {left}.");
        }
        if self.request.drop {
            text += " The collection's earlier contents were dropped and can't be recovered.";
        }
        text
    }
}

/// The unfinished imports that no thread is working on, oldest first.
///
/// # Errors
/// When the store can't be read.
pub fn unfinished_imports(
    collections: &Collections,
) -> Result<Vec<UnfinishedImport>, TransferError> {
    let found = checkpoints(collections)?.into_iter();
    let found = found.filter(|checkpoint| {
        !matches!(checkpoint.state, ImportState::Forgetting | ImportState::Complete)
    });
    Ok(found.map(UnfinishedImport::of).collect())
}

/// Dismisses an import: keeps its documents, but it can no longer be resumed or rolled back.
///
/// # Errors
/// When another thread works on it, or the store fails.
pub fn leave_import(collections: &Collections, id: ObjectId) -> Result<(), TransferError> {
    let _lock = ImportLock::new(id)?;
    let checkpoint = load(collections, id)?;
    if checkpoint.state == ImportState::Importing {
        // The rejected documents are useful but optional: a file that can't be written must not
        // block this.
        let _ = write_tail(collections, &checkpoint);
    }
    forget(collections, id)
}

/// Writes what the last transaction rejected, which may not be in the file yet.
fn write_tail(collections: &Collections, checkpoint: &Checkpoint) -> Result<(), TransferError> {
    let tail = collections.store().read(|reader| checkpoint.tail(reader))?;
    let source = checkpoint.request.files.get(checkpoint.file).filter(|_| !tail.is_empty());
    let Some(source) = source else { return Ok(()) };
    let wanted = checkpoint.request.rejects.as_deref();
    let mut rejects = RejectsFile::new(source, wanted, checkpoint.rejects.as_ref(), &tail);
    rejects.open()?;
    let kept = checkpoint.rejects.as_ref().map_or(0, |(_, bytes)| *bytes);
    rejects.write(kept, &tail).map(drop)
}

/// Loads a checkpoint.
///
/// # Errors
/// When the store has none.
pub(in crate::transfer) fn load(
    collections: &Collections,
    id: ObjectId,
) -> Result<Checkpoint, TransferError> {
    let found = collections.store().read(|reader| Checkpoint::load(reader, id))?;
    let what = || "This import no longer exists.".to_owned();
    found.ok_or_else(|| TransferError::Unfinished { what: what() })
}

/// Deletes a checkpoint, if any, in bounded transactions.
///
/// # Errors
/// When the store fails.
pub(in crate::transfer) fn forget(
    collections: &Collections,
    id: ObjectId,
) -> Result<(), TransferError> {
    loop {
        let known = collections.store().read(|reader| Checkpoint::load(reader, id))?;
        if known.is_none() {
            return Ok(());
        }
        let is_gone =
            collections.write(|writer| match Checkpoint::load(&writer.reader(), id)? {
                Some(mut checkpoint) => checkpoint.forget(writer),
                None => Ok(true),
            })?;
        if is_gone {
            return Ok(());
        }
    }
}

/// Checks that there is room for one more unfinished import after those into this collection are
/// forgotten.
///
/// # Errors
/// When there are too many, or the store fails.
pub(in crate::transfer) fn check_unfinished_max_for(
    collections: &Collections,
    namespace: &Namespace,
) -> Result<(), TransferError> {
    let all = collections.store().read(list)?;
    let known = checkpoints(collections)?;
    let free = known.iter().filter(|checkpoint| {
        checkpoint.state == ImportState::Complete || checkpoint.request.namespace == *namespace
    });
    check_unfinished_max(all.len().saturating_sub(free.count()))
}

/// Forgets the imports into a collection that is dropped.
///
/// # Errors
/// When the store fails.
pub(in crate::transfer) fn forget_all_of(
    collections: &Collections,
    namespace: &Namespace,
) -> Result<(), TransferError> {
    forget_those(collections, |checkpoint| checkpoint.request.namespace == *namespace)
}

/// Finishes forgetting imports after the process ended in between. They are invisible, but each
/// would take the place of one that can be resumed.
///
/// # Errors
/// When the store fails.
pub(in crate::transfer) fn forget_rest(collections: &Collections) -> Result<(), TransferError> {
    forget_those(collections, |checkpoint| checkpoint.state == ImportState::Forgetting)
}

/// Forgets the oldest complete imports, so that there is room for one more.
///
/// # Errors
/// When the store fails.
pub(in crate::transfer) fn forget_old_complete(
    collections: &Collections,
) -> Result<(), TransferError> {
    let all = checkpoints(collections)?.into_iter();
    let complete: Vec<Checkpoint> =
        all.filter(|checkpoint| checkpoint.state == ImportState::Complete).collect();
    let excess = (complete.len() + 1).saturating_sub(COMPLETE_IMPORTS_MAX);
    for checkpoint in complete.iter().take(excess) {
        forget(collections, checkpoint.id)?;
    }
    Ok(())
}

fn forget_those(
    collections: &Collections,
    is_meant: impl Fn(&Checkpoint) -> bool,
) -> Result<(), TransferError> {
    for checkpoint in checkpoints(collections)?.iter().filter(|checkpoint| is_meant(checkpoint)) {
        forget(collections, checkpoint.id)?;
    }
    Ok(())
}

/// All checkpoints that no thread is working on. A checkpoint that is damaged or from another
/// version is skipped and kept, so that it blocks no other import.
fn checkpoints(collections: &Collections) -> Result<Vec<Checkpoint>, TransferError> {
    let found = collections.store().read(|reader| {
        let ids = list(reader)?.into_iter().filter(|id| !ImportLock::is_held(*id));
        let load = |id| StoreError::unless_damaged(Checkpoint::load(reader, id));
        ids.filter_map(|id| load(id).map(Option::flatten).transpose()).collect()
    });
    let found: Result<_, StoreError> = found;
    Ok(found?)
}
