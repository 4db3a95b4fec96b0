//! Import: files to documents of a collection.

use std::{path::PathBuf, thread};

use crossbeam_channel::{Receiver, Sender, bounded};

use super::{
    End, Format, ImportReport, Place, Progress, Reject, TransferError,
    batch::{Batch, Entry},
    limits::{BATCH_QUEUE_MAX, IMPORT_REJECTS_MAX, REJECTS_LISTED_MAX},
    records::Records,
    rejects::RejectsFile,
    store_batch::{Refused, store_batch},
};
use crate::{catalog::Namespace, collection::Collections};

/// What happens to a document whose `_id` is there already.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
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
    pub format: Format,
    /// What happens to a document whose `_id` is there already.
    pub mode: Mode,
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
            format: Format::Auto,
            mode: Mode::Insert,
            drop: false,
            stop_on_error: false,
            rejects: None,
        }
    }
}

/// Imports files. Every file is opened and recognised before anything is changed.
///
/// # Errors
/// When nothing was changed: a file can't be read or recognised. All later failures are in the
/// report's end, with what was stored until then.
pub fn import(
    collections: &Collections,
    request: &ImportRequest,
    progress: &Progress,
) -> Result<ImportReport, TransferError> {
    let mut report = ImportReport::new();
    let mut files = Vec::new();
    let mut bytes = 0;
    for path in &request.files {
        let records = Records::open(path, request.format, Some(progress))?;
        bytes += std::fs::metadata(path).map_or(0, |about| about.len());
        report.files.push((path.clone(), records.detected()));
        files.push(records);
    }
    progress.set_bytes_total(bytes);
    if request.drop {
        collections.drop_collection(&request.namespace)?;
    }
    let mut importing = Importing { collections, request, progress, report, legacy_before: 0 };
    thread::scope(|scope| {
        let (sender, receiver) = bounded(BATCH_QUEUE_MAX);
        let reader = thread::Builder::new()
            .name("import-reader".to_owned())
            .spawn_scoped(scope, move || read_files(files, progress, &sender))
            .map_err(|error| TransferError::Bug { what: error.to_string() })?;
        importing.run(receiver);
        if reader.join().is_err() {
            let what = "the reader of the file ended unexpectedly".to_owned();
            importing.report.end = End::Failed(TransferError::Bug { what }.to_string());
        }
        Ok::<(), TransferError>(())
    })?;
    Ok(importing.report)
}

/// Reads all files, batch by batch, until told to stop or nobody takes the batches any more.
fn read_files(files: Vec<Records<'_>>, progress: &Progress, sender: &Sender<Batch>) {
    for (number, mut records) in files.into_iter().enumerate() {
        let mut ended = false;
        while !ended {
            let batch = Batch::read(&mut records, number);
            ended = batch.ended;
            if progress.is_cancelled() || sender.send(batch).is_err() {
                return;
            }
        }
    }
}

/// An import under way, on the writing side.
struct Importing<'i> {
    collections: &'i Collections,
    request: &'i ImportRequest,
    progress: &'i Progress,
    report: ImportReport,
    legacy_before: u64,
}

/// Why an import ends before its files do.
type Ended = Result<(), End>;

impl Importing<'_> {
    /// Stores what the reader sends. The receiver is dropped at the end, which ends the reader too.
    fn run(&mut self, receiver: Receiver<Batch>) {
        let mut rejects: Option<(usize, RejectsFile)> = None;
        let mut broken = None;
        for batch in &receiver {
            let Some(path) = self.request.files.get(batch.file) else { break };
            if rejects.as_ref().is_none_or(|(file, _)| *file != batch.file) {
                self.close(rejects.take());
                let wanted = self.request.rejects.as_deref();
                rejects = Some((batch.file, RejectsFile::new(path, wanted)));
            }
            let Some((_, file)) = &mut rejects else { break };
            self.report.legacy_values = self.legacy_before + batch.legacy_values;
            if batch.ended {
                self.legacy_before = self.report.legacy_values;
            }
            match self.store(&batch, file) {
                Ok(()) => {}
                Err(End::Broken(reject)) => broken = Some(End::Broken(reject)),
                Err(end) => {
                    self.report.end = end;
                    break;
                }
            }
        }
        drop(receiver);
        if self.report.end == End::Complete {
            if let Some(end) = broken {
                self.report.end = end;
            } else if self.progress.is_cancelled() {
                self.report.end = End::Cancelled;
            }
        }
        self.close(rejects);
    }

    /// Stores one batch, transaction by transaction.
    fn store(&mut self, batch: &Batch, rejects: &mut RejectsFile) -> Ended {
        let mut from = 0;
        while from < batch.entries().len() {
            if self.progress.is_cancelled() {
                return Err(End::Cancelled);
            }
            let stored = store_batch(self.collections, self.request, batch, from)
                .map_err(|error| End::Failed(error.to_string()))?;
            from = stored.next;
            self.report.imported += stored.imported;
            self.report.skipped += stored.skipped;
            self.progress.add_documents(stored.imported);
            self.progress.add_skipped(stored.skipped);
            for Refused { entry, place, reason, text } in stored.refused {
                let fatal = matches!(batch.entries().get(entry), Some(Entry::Bad(b)) if b.fatal);
                self.reject(batch.file, place, reason, &text, rejects, fatal)?;
            }
        }
        Ok(())
    }

    fn reject(
        &mut self,
        file: usize,
        place: Place,
        reason: String,
        text: &[u8],
        rejects: &mut RejectsFile,
        fatal: bool,
    ) -> Ended {
        let file = self.request.files.get(file).cloned().unwrap_or_default();
        rejects.add(place, &reason, text).map_err(|error| End::Failed(error.to_string()))?;
        self.report.rejected += 1;
        self.progress.add_rejected(1);
        let reject = Reject { file, place, reason };
        if self.report.rejects.len() < REJECTS_LISTED_MAX {
            self.report.rejects.push(reject.clone());
        }
        if fatal {
            return Err(End::Broken(reject));
        }
        if self.request.stop_on_error {
            return Err(End::StoppedOnError);
        }
        if self.report.rejected >= IMPORT_REJECTS_MAX {
            return Err(End::TooManyRejects);
        }
        Ok(())
    }

    fn close(&mut self, rejects: Option<(usize, RejectsFile)>) {
        match rejects.map(|(_, file)| file.finish()).transpose() {
            Ok(path) => self.report.rejects_files.extend(path.flatten()),
            Err(error) => self.report.end = End::Failed(error.to_string()),
        }
    }
}
