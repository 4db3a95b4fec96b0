//! Import: files to documents of a collection.

use std::{
    path::{Path, PathBuf},
    thread,
};

use crossbeam_channel::{Receiver, Sender, bounded};

use crate::transfer::{
    DetectedFormat, ImportEnd, ImportReport, ImportRequest, Progress, Reject, ResumeRequest,
    TransferError,
    import::replacement::check_replacement,
    import::store_batch::{BatchResult, StopReason, store_batch},
    limits::{BATCH_QUEUE_MAX, REJECTS_LISTED_MAX},
    read::batch::{Batch, NewIds},
    read::container::split,
    read::item::BadRecord,
    read::records::Records,
    read::text_position::ResumePoint,
    resume::checkpoint::{Checkpoint, ImportState},
    resume::identity::FileIdentity,
    resume::lock::ImportLock,
    resume::rejects::{RejectLines, RejectsFile},
    resume::unfinished::{
        check_unfinished_max_for, forget, forget_all_of, forget_old_complete, forget_rest, load,
    },
};
use crate::{
    catalog::Namespace,
    collection::Collections,
    limits::{BATCH_DOCS_MAX, BULK_DOCS_MAX},
};

/// Imports files. Opens every file and detects its format before it changes anything. An unfinished
/// import is remembered, see [`crate::transfer::unfinished_imports`].
///
/// # Errors
/// When nothing was changed: a file can't be read or its format is unknown. Later failures are in
/// [`ImportReport::end`], with what was stored so far.
pub fn import(
    collections: &Collections,
    request: &ImportRequest,
    progress: &Progress,
) -> Result<ImportReport, TransferError> {
    let checkpoint = Checkpoint::new(request, collections.clock().now_ms())?;
    let _lock = ImportLock::new(checkpoint.id)?;
    // Before anything is changed, so that an unreadable file can't cost the documents that `drop`
    // removes.
    let opened = OpenedFiles::new(&request.files, &checkpoint, progress)?;
    forget_rest(collections)?;
    forget_old_complete(collections)?;
    if request.drop {
        check_unfinished_max_for(collections, &request.namespace)?;
        if has_documents(collections, &request.namespace)? {
            check_replacement(request, &opened.detected)?;
        }
        collections.drop_collection(&request.namespace)?;
        // Unfinished imports into the old collection could neither be resumed nor rolled back.
        forget_all_of(collections, &request.namespace)?;
    }
    ImportRun::new(collections, &request.files, checkpoint, progress).run(opened)
}

fn has_documents(collections: &Collections, namespace: &Namespace) -> Result<bool, TransferError> {
    let documents = collections.read(|reader, catalog| match catalog.collection(namespace) {
        Some(collection) => reader.counters(collection.id.0).map(|counters| counters.documents),
        None => Ok(0),
    })?;
    Ok(documents > 0)
}

/// Resumes an unfinished import. As many documents may be rejected as in a new one.
///
/// # Errors
/// When a file or the collection changed; nothing is changed then. Later failures are in
/// [`ImportReport::end`].
pub fn resume_import(
    collections: &Collections,
    request: impl Into<ResumeRequest>,
    progress: &Progress,
) -> Result<ImportReport, TransferError> {
    let request = request.into();
    let _lock = ImportLock::new(request.id)?;
    let mut checkpoint = load(collections, request.id)?;
    check_resumable(collections, &checkpoint)?;
    let (files, opened) = reopen(&mut checkpoint, request.rejects_max, progress)?;
    let mut importing = ImportRun::new(collections, &files, checkpoint, progress);
    importing.report.is_resumed = true;
    importing.keep_tail()?;
    importing.run(opened)
}

/// Opens the files again where an import stopped.
pub(in crate::transfer) fn reopen<'p>(
    checkpoint: &mut Checkpoint,
    rejects_max: Option<u64>,
    progress: &'p Progress,
) -> Result<(Vec<PathBuf>, OpenedFiles<'p>), TransferError> {
    // The user has seen these and resumed anyway. Without this the first new reject could stop the
    // import again.
    checkpoint.forgiven = checkpoint.rejected;
    if rejects_max.is_some() {
        checkpoint.request.rejects_max = rejects_max;
    }
    let files = checkpoint.request.files.clone();
    let opened = OpenedFiles::new(&files, checkpoint, progress)?;
    progress.add_documents(checkpoint.imported);
    progress.add_skipped(checkpoint.skipped);
    progress.add_rejected(checkpoint.rejected);
    Ok((files, opened))
}

/// Checks that the files and the collection are unchanged.
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
pub(in crate::transfer) struct OpenedFiles<'p> {
    pub files: Vec<(usize, Records<'p>)>,
    pub detected: Vec<(PathBuf, DetectedFormat)>,
}

impl<'p> OpenedFiles<'p> {
    pub(in crate::transfer) fn new(
        paths: &[PathBuf],
        checkpoint: &Checkpoint,
        progress: &'p Progress,
    ) -> Result<Self, TransferError> {
        let mut opened = Self { files: Vec::new(), detected: Vec::new() };
        let options = checkpoint.request.read_options();
        // An import of a dump has read other files before.
        let mut bytes = progress.now().bytes;
        for (number, path) in paths.iter().enumerate().skip(checkpoint.file) {
            let first = opened.detected.first().filter(|_| split(path).is_some());
            if let Some((_, detected)) = first {
                let records = Records::later(path, &options, progress, *detected);
                opened.detected.push((path.clone(), *detected));
                opened.files.push((number, records));
                continue;
            }
            let mut records = Records::open(path, &options, Some(progress))?;
            bytes += records.file_bytes();
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

/// Reads all files in batches until canceled or until the writer stops. Batches start small, so
/// that progress shows early and a small file can be resumed too. Later ones are large, to save
/// disk flushes.
fn read_files(files: Vec<(usize, Records<'_>)>, progress: &Progress, sender: &Sender<Batch>) {
    let mut docs_max = BATCH_DOCS_MAX;
    for (number, mut records) in files {
        let mut ended = false;
        while !ended {
            let batch = Batch::read(&mut records, number, docs_max, NewIds::Fresh);
            docs_max = (docs_max * 2).min(BULK_DOCS_MAX);
            ended = batch.ended;
            if progress.is_cancelled() || sender.send(batch).is_err() {
                return;
            }
        }
    }
}

/// A running import, on the writer's side.
struct ImportRun<'i> {
    collections: &'i Collections,
    files: &'i [PathBuf],
    progress: &'i Progress,
    checkpoint: Checkpoint,
    /// The error at which the current file became unreadable.
    broken: Option<Reject>,
    rejects: Option<(usize, RejectsFile)>,
    /// The checkpoint's tail is in the file of rejected documents.
    is_tail_written: bool,
    /// The last entry of the last file was processed.
    is_all_stored: bool,
    report: ImportReport,
}

/// Whether the import continues, or why it ends early.
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

    /// Stores what the reader sends. Dropping the receiver at the end stops the reader too.
    fn store_all(&mut self, receiver: Receiver<Batch>) {
        for batch in receiver {
            if let Err(end) = self.store(&batch) {
                self.report.end = end;
                return;
            }
        }
        // Canceling after the last document has no effect: the import may already be forgotten.
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
        let source = self.files.get(batch.file).map_or(Path::new(""), PathBuf::as_path);
        self.report.note_fields(&self.checkpoint.request.types, source, &batch.field_counts);
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

    /// Adds a transaction's result to the report.
    fn take(&mut self, file: usize, stored: BatchResult) -> Flow {
        let (old, new) = (&self.checkpoint, &stored.checkpoint);
        self.progress.add_documents(new.imported.saturating_sub(old.imported));
        self.progress.add_skipped(new.skipped.saturating_sub(old.skipped));
        self.progress.add_rejected(stored.refused.len() as u64);
        self.checkpoint = stored.checkpoint;
        let kept = self.keep(&stored.lines);
        let file = self.files.get(file).cloned().unwrap_or_default();
        for refused in stored.refused {
            let BadRecord { position, start_line, reason, fatal, .. } = refused;
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

    /// Appends what a transaction rejected to the file of rejected documents. The store keeps it
    /// until the next transaction, so a resumed import can write it again to the same place.
    fn keep(&mut self, lines: &RejectLines) -> Result<(), TransferError> {
        let Some((_, rejects)) = self.rejects.as_mut().filter(|_| !lines.bytes.is_empty()) else {
            return Ok(());
        };
        self.is_tail_written = false;
        let (path, is_new) = rejects.open()?;
        let mut kept = 0;
        match &self.checkpoint.rejects {
            Some((known, bytes)) if *known == path && !(is_new && *bytes > 0) => kept = *bytes,
            // A resumed import looks for this file, so remember that it is another one: the old
            // file was deleted, or its name was taken.
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

    /// Writes what the last transaction of an earlier run rejected: that run may have ended before
    /// it did.
    fn keep_tail(&mut self) -> Result<(), TransferError> {
        if !self.checkpoint.has_tail {
            return Ok(());
        }
        let bytes = self.collections.store().read(|reader| self.checkpoint.tail(reader))?;
        self.begin_file(self.checkpoint.file, &bytes);
        self.keep(&RejectLines { counted: bytes.len(), bytes })
    }

    /// Ends the import because the rest of a file can't be read and the request says to stop on
    /// errors.
    fn store_nothing_more(&self) -> Flow {
        self.broken.clone().map_or(Ok(()), |broken| Err(ImportEnd::Broken(broken)))
    }

    /// Starts a file.
    fn begin_file(&mut self, file: usize, tail: &[u8]) {
        self.checkpoint.begin_file(file, &mut self.broken);
        let source = self.files.get(file).map_or(Path::new(""), PathBuf::as_path);
        let wanted = self.checkpoint.request.rejects.as_deref();
        let rejects = RejectsFile::new(source, wanted, self.checkpoint.rejects.as_ref(), tail);
        self.rejects = Some((file, rejects));
    }

    /// Removes a tail that is already in the file of rejected documents. A resumed import would
    /// write it again if the user moves the file away.
    fn drop_tail(&mut self) {
        if self.checkpoint.has_tail && self.is_tail_written {
            let checkpoint = &self.checkpoint;
            // If the store fails, it still has the tail, which is harmless.
            let _ = self.collections.write(|writer| {
                let mut checkpoint = checkpoint.clone();
                checkpoint.put_tail(writer, &[])?;
                checkpoint.save(writer)
            });
        }
    }

    /// Keeps the checkpoint for a rollback. It was marked with the last document, unless that was
    /// rejected.
    fn mark_complete(&mut self) -> Result<(), TransferError> {
        if self.checkpoint.state == ImportState::Complete {
            return Ok(());
        }
        self.checkpoint.state = ImportState::Complete;
        let checkpoint = &self.checkpoint;
        self.collections.write(|writer| {
            let mut checkpoint = checkpoint.clone();
            checkpoint.put_tail(writer, &[])?;
            checkpoint.save(writer)
        })
    }

    /// Forgets the import if there is nothing to resume or to roll back, and completes the report.
    fn finish(mut self) -> Result<ImportReport, TransferError> {
        let checkpoint = &self.checkpoint;
        self.report.imported = checkpoint.imported;
        self.report.skipped = checkpoint.skipped;
        self.report.rejected = checkpoint.rejected + u64::from(self.broken.is_some());
        self.report.tally = checkpoint.tally();
        // A name without content is not a file yet.
        let is_there = self.rejects.as_ref().is_some_and(|(_, rejects)| rejects.is_open());
        let rejects = checkpoint.rejects.iter().filter(|(_, bytes)| is_there || *bytes > 0);
        let rejects = rejects.map(|(path, _)| path);
        self.report.rejects_files =
            checkpoint.rejects_before.iter().chain(rejects).cloned().collect();
        let is_complete = self.report.end == ImportEnd::Complete;
        if is_complete && checkpoint.lists > 0 && checkpoint.request.keeps_inserted {
            self.report.complete = Some(checkpoint.id);
            self.drop_tail();
            self.mark_complete()?;
        } else if is_complete || checkpoint.imported == 0 {
            // Nothing is left to roll back, so an empty collection would stay for good.
            let made = checkpoint.collection.filter(|_| checkpoint.created);
            if let Some(made) = made.filter(|_| checkpoint.imported == 0) {
                self.collections.drop_if_untouched(&checkpoint.request.namespace, made)?;
            }
            forget(self.collections, checkpoint.id)?;
        } else {
            self.report.unfinished = Some(checkpoint.id);
            self.drop_tail();
        }
        Ok(self.report)
    }
}
