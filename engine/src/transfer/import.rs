//! Import: files to documents of a collection.

use std::{
    path::{Path, PathBuf},
    thread,
};

use bson::oid::ObjectId;
use crossbeam_channel::{Receiver, Sender, bounded};

use super::{
    DetectedFormat, ImportEnd, ImportFormat, ImportReport, Leniency, Progress, RecordFormat,
    Reject, TransferError,
    batch::Batch,
    checkpoint::{Checkpoint, ImportState},
    identity::FileIdentity,
    import_lock::ImportLock,
    limits::{BATCH_QUEUE_MAX, REJECTS_LISTED_MAX},
    records::Records,
    rejects::{RejectLines, RejectsFile},
    store_batch::{BatchResult, RejectedRecord, StopReason, are_too_many, store_batch},
    text_position::ResumePoint,
    unfinished::{check_unfinished_max_for, forget, forget_all_of, forget_rest, load},
};
use crate::{
    catalog::Namespace,
    collection::Collections,
    limits::{BATCH_DOCS_MAX, BULK_DOCS_MAX},
};

/// What happens to a document whose `_id` is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ImportMode {
    /// It is rejected.
    #[default]
    Insert,
    /// It is skipped and counted.
    Skip,
    /// It takes the place of the stored one.
    Replace,
    /// Its fields are set in the stored one; the other fields stay.
    Merge,
}

/// What to import and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportRequest {
    /// The files, read one after the other.
    pub files: Vec<PathBuf>,
    /// Where the documents go. Created if it does not exist.
    pub namespace: Namespace,
    /// What the files are.
    pub format: ImportFormat,
    /// What is read although it is no Extended JSON.
    pub leniency: Leniency,
    /// What happens to a document whose `_id` is there already.
    pub mode: ImportMode,
    /// Drop the collection, its indexes too, before the first document is stored.
    pub drop: bool,
    /// Stop at the first rejected document.
    pub stop_on_error: bool,
    /// Where rejected documents go; `None`: beside each file as `<name>.rejected.jsonl`. A file that
    /// is there already is never written over; the name gets a number then.
    pub rejects: Option<PathBuf>,
}

impl ImportRequest {
    /// Everything at its default.
    #[must_use]
    pub fn new(files: Vec<PathBuf>, namespace: Namespace) -> Self {
        Self {
            files,
            namespace,
            format: ImportFormat::Auto,
            leniency: Leniency::default(),
            mode: ImportMode::Insert,
            drop: false,
            stop_on_error: false,
            rejects: None,
        }
    }
}

/// Imports files. Every file is opened and recognised before anything is changed. An import that
/// does not reach the end of its files is remembered, see [`super::unfinished_imports`].
///
/// # Errors
/// When nothing was changed: a file can't be read or recognised. All later failures are in the
/// report's end, with what was stored until then.
pub fn import(
    collections: &Collections,
    request: &ImportRequest,
    progress: &Progress,
) -> Result<ImportReport, TransferError> {
    let checkpoint = Checkpoint::new(request, collections.clock().now_ms())?;
    let _lock = ImportLock::new(checkpoint.id)?;
    let opened = OpenedFiles::new(&request.files, &checkpoint, progress)?;
    forget_rest(collections)?;
    if request.drop {
        check_unfinished_max_for(collections, &request.namespace)?;
        check_replacement(collections, &request.namespace, &opened.detected)?;
        collections.drop_collection(&request.namespace)?;
        forget_all_of(collections, &request.namespace)?;
    }
    ImportRun::new(collections, &request.files, checkpoint, progress).run(opened)
}

/// Refuses to drop documents for files that are all empty: a copy that went wrong, rather than what is to
/// take their place.
fn check_replacement(
    collections: &Collections,
    namespace: &Namespace,
    files: &[(PathBuf, DetectedFormat)],
) -> Result<(), TransferError> {
    let Some((path, _)) = files.first() else { return Ok(()) };
    if files.iter().any(|(_, detected)| detected.form != RecordFormat::Empty) {
        return Ok(());
    }
    let documents = collections.read(|reader, catalog| match catalog.collection(namespace) {
        Some(collection) => reader.counters(collection.id.0).map(|counters| counters.documents),
        None => Ok(0),
    })?;
    if documents == 0 {
        return Ok(());
    }
    Err(TransferError::NotReadable {
        path: path.display().to_string(),
        what: format!(
            "the file is empty, so {namespace} was not dropped; to delete its documents, drop the \
             collection"
        ),
    })
}

/// Goes on with an import that did not reach its end.
///
/// # Errors
/// When a file or the collection is not what it was; nothing has changed then. All later failures are
/// in the report's end.
pub fn resume_import(
    collections: &Collections,
    id: ObjectId,
    progress: &Progress,
) -> Result<ImportReport, TransferError> {
    let _lock = ImportLock::new(id)?;
    let mut checkpoint = load(collections, id)?;
    check_resumable(collections, &checkpoint)?;
    if are_too_many(&checkpoint) {
        checkpoint.forgiven = checkpoint.rejected;
    }
    let files = checkpoint.request.files.clone();
    let opened = OpenedFiles::new(&files, &checkpoint, progress)?;
    progress.add_documents(checkpoint.imported);
    progress.add_skipped(checkpoint.skipped);
    progress.add_rejected(checkpoint.rejected);
    let mut importing = ImportRun::new(collections, &files, checkpoint, progress);
    importing.keep_tail()?;
    importing.run(opened)
}

/// Checks that files and collection are what they were.
fn check_resumable(
    collections: &Collections,
    checkpoint: &Checkpoint,
) -> Result<(), TransferError> {
    let namespace = &checkpoint.request.namespace;
    let refused = |what: String| Err(TransferError::Unfinished { what });
    if checkpoint.state != ImportState::Importing {
        return refused(format!(
            "Can't resume: the import into {namespace} is being rolled back. Finish the rollback or \
             discard the import."
        ));
    }
    let found = collections.catalog().collection(namespace).map(|collection| collection.id.0);
    if found != checkpoint.collection {
        return refused(format!(
            "Can't resume: {namespace} is not the collection that the import started with. Discard \
             the import."
        ));
    }
    checkpoint.identities.iter().skip(checkpoint.file).try_for_each(FileIdentity::check)
}

/// The files of an import, ready to be read.
struct OpenedFiles<'p> {
    files: Vec<(usize, Records<'p>)>,
    detected: Vec<(PathBuf, DetectedFormat)>,
}

impl<'p> OpenedFiles<'p> {
    /// Opens the files from the checkpoint on.
    fn new(
        paths: &[PathBuf],
        checkpoint: &Checkpoint,
        progress: &'p Progress,
    ) -> Result<Self, TransferError> {
        let mut opened = Self { files: Vec::new(), detected: Vec::new() };
        let mut bytes = 0;
        for (number, path) in paths.iter().enumerate().skip(checkpoint.file) {
            let ImportRequest { format, leniency, .. } = checkpoint.request;
            let mut records = Records::open(path, format, leniency, Some(progress))?;
            bytes += std::fs::metadata(path).map_or(0, |about| about.len());
            opened.detected.push((path.clone(), records.detected()));
            if number == checkpoint.file && checkpoint.resume_point != ResumePoint::START {
                records.resume(checkpoint.resume_point).map_err(|what| {
                    TransferError::NotReadable { path: path.display().to_string(), what }
                })?;
            }
            opened.files.push((number, records));
        }
        progress.set_bytes_total(bytes);
        Ok(opened)
    }
}

/// Reads all files, batch by batch, until told to stop or nobody takes the batches any more. Batches
/// begin small, so that something is to be seen soon and a small file can be resumed too; large ones
/// then save flushes to the disk.
fn read_files(files: Vec<(usize, Records<'_>)>, progress: &Progress, sender: &Sender<Batch>) {
    let mut docs_max = BATCH_DOCS_MAX;
    for (number, mut records) in files {
        let mut ended = false;
        while !ended {
            let batch = Batch::read(&mut records, number, docs_max);
            docs_max = (docs_max * 2).min(BULK_DOCS_MAX);
            ended = batch.ended;
            if progress.is_cancelled() || sender.send(batch).is_err() {
                return;
            }
        }
    }
}

/// An import under way, on the writing side.
struct ImportRun<'i> {
    collections: &'i Collections,
    files: &'i [PathBuf],
    progress: &'i Progress,
    checkpoint: Checkpoint,
    /// What can't be read in the file of the checkpoint.
    broken: Option<Reject>,
    rejects: Option<(usize, RejectsFile)>,
    /// The tail of the checkpoint is in the file of rejected documents.
    is_tail_written: bool,
    /// The last entry of the last file has been looked at.
    is_all_stored: bool,
    report: ImportReport,
}

/// Why an import ends before its files do.
type Flow = Result<(), ImportEnd>;

impl<'i> ImportRun<'i> {
    fn new(
        collections: &'i Collections,
        files: &'i [PathBuf],
        checkpoint: Checkpoint,
        progress: &'i Progress,
    ) -> Self {
        let report = ImportReport::new();
        Self {
            collections,
            files,
            progress,
            checkpoint,
            broken: None,
            rejects: None,
            is_tail_written: false,
            is_all_stored: false,
            report,
        }
    }

    /// Stores what a thread reads.
    fn run(mut self, opened: OpenedFiles<'i>) -> Result<ImportReport, TransferError> {
        self.report.files = opened.detected;
        let progress = self.progress;
        thread::scope(|scope| {
            let (sender, receiver) = bounded(BATCH_QUEUE_MAX);
            let reader = thread::Builder::new()
                .name("import-reader".to_owned())
                .spawn_scoped(scope, move || read_files(opened.files, progress, &sender))
                .map_err(|error| TransferError::Bug { what: error.to_string() })?;
            self.store_all(receiver);
            if reader.join().is_err() {
                let what = "the file reader ended unexpectedly".to_owned();
                self.report.end = ImportEnd::Failed(TransferError::Bug { what }.to_string());
            }
            Ok::<(), TransferError>(())
        })?;
        self.finish()
    }

    /// Stores what the reader sends. The receiver is dropped at the end, which ends the reader too.
    fn store_all(&mut self, receiver: Receiver<Batch>) {
        for batch in receiver {
            if let Err(end) = self.store(&batch) {
                self.report.end = end;
                return;
            }
        }
        // Who cancels when all is stored comes too late: the import may be forgotten already.
        if self.progress.is_cancelled() && !self.is_all_stored {
            self.report.end = ImportEnd::Cancelled;
        } else if let Some(broken) = self.broken.clone().or(self.checkpoint.broken.clone()) {
            self.report.end = ImportEnd::Broken(broken);
        }
    }

    /// Stores one batch, transaction by transaction.
    fn store(&mut self, batch: &Batch) -> Flow {
        if self.rejects.as_ref().is_none_or(|(file, _)| *file != batch.file) {
            self.begin_file(batch.file, &[]);
        }
        let may_be_last = batch.ended && batch.file + 1 == self.files.len();
        let is_last = may_be_last && self.checkpoint.broken.is_none();
        let name = self.rejects.as_ref().map(|(_, rejects)| rejects.name()).unwrap_or_default();
        let mut from = 0;
        while from < batch.entries().len() {
            if self.progress.is_cancelled() {
                return Err(ImportEnd::Cancelled);
            }
            let (all, before) = (self.collections, &self.checkpoint);
            let stored = store_batch(all, batch, from, is_last, before, &name)
                .map_err(|error| ImportEnd::Failed(error.to_string()))?;
            from = stored.next;
            self.take(batch.file, stored)?;
        }
        self.is_all_stored = may_be_last;
        Ok(())
    }

    /// Takes what a transaction has done into the report.
    fn take(&mut self, file: usize, stored: BatchResult) -> Flow {
        let (old, new) = (&self.checkpoint, &stored.checkpoint);
        self.progress.add_documents(new.imported.saturating_sub(old.imported));
        self.progress.add_skipped(new.skipped.saturating_sub(old.skipped));
        self.progress.add_rejected(stored.refused.len() as u64);
        self.checkpoint = stored.checkpoint;
        let kept = self.keep(&stored.lines);
        let file = self.files.get(file).cloned().unwrap_or_default();
        for refused in stored.refused {
            let RejectedRecord { position, start_line, reason, fatal, .. } = refused;
            let reject = Reject { file: file.clone(), position, start_line, reason };
            if fatal {
                self.broken = Some(reject.clone());
            }
            if self.report.rejects.len() < REJECTS_LISTED_MAX {
                self.report.rejects.push(reject);
            }
        }
        kept.map_err(|error| ImportEnd::Failed(error.to_string()))?;
        match stored.stop {
            Some(StopReason::OnError) => Err(ImportEnd::StoppedOnError),
            Some(StopReason::TooMany) => Err(ImportEnd::TooManyRejects),
            None if self.checkpoint.request.stop_on_error && self.broken.is_some() => {
                self.store_nothing_more()
            }
            None => Ok(()),
        }
    }

    /// Writes what a transaction has rejected to the file of rejected documents. The store has it too
    /// until the next transaction, so whoever resumes can write it again, to the same place.
    fn keep(&mut self, lines: &RejectLines) -> Result<(), TransferError> {
        let Some((_, rejects)) = self.rejects.as_mut().filter(|_| !lines.bytes.is_empty()) else {
            return Ok(());
        };
        self.is_tail_written = false;
        let (path, is_new) = rejects.open()?;
        let mut kept = 0;
        match &self.checkpoint.rejects {
            Some((known, bytes)) if *known == path && !(is_new && *bytes > 0) => kept = *bytes,
            // Another file than whoever resumes would look for: somebody has taken one away, or a name.
            _ => {
                self.checkpoint.rejects = Some((path.clone(), 0));
                let checkpoint = &self.checkpoint;
                self.collections.write(|writer| checkpoint.save(writer))?;
            }
        }
        let begin = rejects.write(kept, &lines.bytes)?;
        self.checkpoint.rejects = Some((path, begin.saturating_add(lines.counted as u64)));
        self.is_tail_written = true;
        Ok(())
    }

    /// Writes what the last transaction of an earlier run has rejected: nobody knows whether that run
    /// still did.
    fn keep_tail(&mut self) -> Result<(), TransferError> {
        if !self.checkpoint.has_tail {
            return Ok(());
        }
        let bytes = self.collections.store().read(|reader| self.checkpoint.tail(reader))?;
        self.begin_file(self.checkpoint.file, &bytes);
        self.keep(&RejectLines { counted: bytes.len(), bytes })
    }

    /// The rest of a file can't be read, and the import was told to stop then.
    fn store_nothing_more(&self) -> Flow {
        self.broken.clone().map_or(Ok(()), |broken| Err(ImportEnd::Broken(broken)))
    }

    /// Goes on to a file. What could not be read in the one before stays so.
    fn begin_file(&mut self, file: usize, tail: &[u8]) {
        if file != self.checkpoint.file {
            if let Some(broken) = self.broken.take() {
                self.checkpoint.count_reject(&broken.reason);
                self.checkpoint.broken = Some(broken);
            }
            self.checkpoint.begin_file(file);
        }
        let source = self.files.get(file).map_or(Path::new(""), PathBuf::as_path);
        let wanted = self.checkpoint.request.rejects.as_deref();
        let rejects = RejectsFile::new(source, wanted, self.checkpoint.rejects.as_ref(), tail);
        self.rejects = Some((file, rejects));
    }

    /// What is in the file of rejected documents need not be written again by whoever resumes: a
    /// person may have taken the file away by then.
    fn drop_tail(&mut self) {
        if self.checkpoint.has_tail && self.is_tail_written {
            let checkpoint = &self.checkpoint;
            // A store that fails has the tail still, which is as good.
            let _ = self.collections.write(|writer| {
                let mut checkpoint = checkpoint.clone();
                checkpoint.put_tail(writer, &[])?;
                checkpoint.save(writer)
            });
        }
    }

    /// Forgets the import if there is nothing to resume or to roll back, and completes the report.
    fn finish(mut self) -> Result<ImportReport, TransferError> {
        let checkpoint = &self.checkpoint;
        self.report.imported = checkpoint.imported;
        self.report.skipped = checkpoint.skipped;
        self.report.rejected = checkpoint.rejected + u64::from(self.broken.is_some());
        self.report.tally = checkpoint.tally();
        // A name that was only chosen is no file yet.
        let is_there = self.rejects.as_ref().is_some_and(|(_, rejects)| rejects.is_open());
        let rejects = checkpoint.rejects.iter().filter(|(_, bytes)| is_there || *bytes > 0);
        let rejects = rejects.map(|(path, _)| path);
        self.report.rejects_files =
            checkpoint.rejects_before.iter().chain(rejects).cloned().collect();
        if self.report.end == ImportEnd::Complete || checkpoint.imported == 0 {
            forget(self.collections, checkpoint.id)?;
        } else {
            self.report.unfinished = Some(checkpoint.id);
            self.drop_tail();
        }
        Ok(self.report)
    }
}
