//! Import into a collection that this process does not store, such as one of a server.
//!
//! The target remembers the import's state before the first batch and after each one. A batch that
//! was under way when the process ended may be stored or not, so a resumed import sends it again
//! and says so. Documents without an `_id` get the same one again.

use std::path::{Path, PathBuf};

use bson::{Document, RawDocument, oid::ObjectId};

use crate::limits::BATCH_DOCS_MAX;
use crate::transfer::{
    ImportEnd, ImportReport, ImportRequest, Progress, Reject, ResumeRequest, TextPosition,
    TransferError,
    import::collection::{OpenedFiles, reopen},
    import::replacement::check_replacement,
    import::store_batch::are_too_many,
    limits::REJECTS_LISTED_MAX,
    read::batch::{Batch, BatchEntry, NewIds},
    read::item::BadRecord,
    read::records::Records,
    resume::checkpoint::{Checkpoint, ImportState},
    resume::checkpoint_bson::{from_bson, to_bson},
    resume::identity::FileIdentity,
    resume::rejects::{RejectLines, RejectsFile},
};

/// The outcome of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoredAs {
    /// It is new.
    Inserted,
    /// It took the place of a document with its `_id`, or was merged into it.
    Replaced,
    /// A document with its `_id` was already there.
    Skipped,
    /// The target refused it; the reason without a full stop.
    Refused(String),
}

/// Where the documents of an import go.
pub trait ImportTarget {
    /// Drops the collection, before the first document.
    ///
    /// # Errors
    /// One sentence.
    fn clear(&mut self) -> Result<(), String>;

    /// Stores documents that have their `_id` first. Adds to `done` what became of each, in their
    /// order, as soon as it is known.
    ///
    /// # Errors
    /// One sentence, when no further document can be stored.
    fn store(&mut self, documents: &[&RawDocument], done: &mut Vec<StoredAs>)
    -> Result<(), String>;

    /// The following documents up to the next [`Self::remember`] may have been sent before: one that
    /// is stored just so was stored by this import.
    fn repeats(&mut self) {}

    /// Remembers the state of an import durably, in place of its earlier one.
    ///
    /// # Errors
    /// One sentence; the import ends then.
    fn remember(&mut self, import: ObjectId, state: &Document) -> Result<(), String> {
        let _ = (import, state);
        Ok(())
    }
}

/// Imports files into a target. Opens every file and detects its format before it changes anything.
///
/// # Errors
/// When nothing was changed: a file can't be read, its format is unknown, or the collection can't be
/// dropped. Later failures are in [`ImportReport::end`], with what was stored so far.
pub fn import_into(
    request: &ImportRequest,
    target: &mut dyn ImportTarget,
    now_ms: i64,
    progress: &Progress,
) -> Result<ImportReport, TransferError> {
    let checkpoint = Checkpoint::new(request, now_ms)?;
    let opened = OpenedFiles::new(&request.files, &checkpoint, progress)?;
    let mut run = TargetRun::new(&request.files, target, checkpoint, progress);
    run.report.files = opened.detected;
    if request.drop {
        check_replacement(request, &run.report.files)?;
        run.target.clear().map_err(|what| TransferError::Elsewhere { what })?;
    }
    Ok(run.run(opened.files, false))
}

/// Resumes an import from the state that its target remembers.
///
/// # Errors
/// When a file changed, the state is damaged or a rollback has begun; nothing is changed then. Later
/// failures are in [`ImportReport::end`].
pub fn resume_into(
    (request, state): (ResumeRequest, &Document),
    target: &mut dyn ImportTarget,
    progress: &Progress,
) -> Result<ImportReport, TransferError> {
    let damaged = || TransferError::Unfinished {
        what: "The state of this import is damaged. Discard the import.".to_owned(),
    };
    let mut checkpoint = from_bson(request.id, state).ok_or_else(damaged)?;
    if checkpoint.state != ImportState::Importing {
        let what = "Can't resume: the import is being rolled back.".to_owned();
        return Err(TransferError::Unfinished { what });
    }
    checkpoint.identities.iter().skip(checkpoint.file).try_for_each(FileIdentity::check)?;
    let (files, opened) = reopen(&mut checkpoint, request.rejects_max, progress)?;
    let mut run = TargetRun::new(&files, target, checkpoint, progress);
    run.report.files = opened.detected;
    run.report.is_resumed = true;
    Ok(run.run(opened.files, true))
}

struct TargetRun<'i> {
    files: &'i [PathBuf],
    target: &'i mut dyn ImportTarget,
    progress: &'i Progress,
    checkpoint: Checkpoint,
    report: ImportReport,
    rejects: Option<(usize, RejectsFile)>,
    /// The error at which the current file became unreadable.
    broken: Option<Reject>,
}

/// Whether the import continues, or why it ends early.
type Flow = Result<(), ImportEnd>;

impl<'i> TargetRun<'i> {
    fn new(
        files: &'i [PathBuf],
        target: &'i mut dyn ImportTarget,
        checkpoint: Checkpoint,
        progress: &'i Progress,
    ) -> Self {
        let report = ImportReport::new();
        Self { files, target, progress, checkpoint, report, rejects: None, broken: None }
    }

    fn run(mut self, files: Vec<(usize, Records<'_>)>, repeats: bool) -> ImportReport {
        // Before the first batch is sent: its documents get their `_id` from this import.
        let remembered = self.remember();
        if repeats {
            self.target.repeats();
        }
        let flow = remembered.and_then(|()| {
            files.into_iter().try_for_each(|(number, records)| self.file(number, records))
        });
        let broken = self.broken.clone().or_else(|| self.checkpoint.broken.clone());
        let (checkpoint, mut report) = (self.checkpoint, self.report);
        report.imported = checkpoint.imported;
        report.skipped = checkpoint.skipped;
        report.rejected = checkpoint.rejected + u64::from(self.broken.is_some());
        report.tally = checkpoint.tally();
        // A name without content is not a file yet.
        let is_there = self.rejects.as_ref().is_some_and(|(_, rejects)| rejects.is_open());
        let rejects = checkpoint.rejects.iter().filter(|(_, bytes)| is_there || *bytes > 0);
        let rejects = rejects.map(|(path, _)| path);
        report.rejects_files = checkpoint.rejects_before.iter().chain(rejects).cloned().collect();
        match flow {
            Err(end) => report.end = end,
            Ok(()) => report.end = broken.map_or(ImportEnd::Complete, ImportEnd::Broken),
        }
        report
    }

    fn remember(&mut self) -> Flow {
        let state = to_bson(&self.checkpoint);
        self.target.remember(self.checkpoint.id, &state).map_err(ImportEnd::Failed)
    }

    fn file(&mut self, number: usize, mut records: Records<'_>) -> Flow {
        self.begin_file(number);
        let ids = NewIds::OfImport(self.checkpoint.id);
        let mut has_ended = false;
        while !has_ended {
            if self.progress.is_cancelled() {
                return Err(ImportEnd::Cancelled);
            }
            let batch = Batch::read(&mut records, number, BATCH_DOCS_MAX, ids);
            has_ended = batch.ended;
            let mut refused = Vec::new();
            let flow = self.store(&batch, &mut refused);
            // A remembered import has its rejects in their file.
            self.keep(&refused)?;
            self.remember()?;
            flow?;
            if let Some(broken) = self.broken.as_ref().filter(|_| self.stops_on_error()) {
                return Err(ImportEnd::Broken(broken.clone()));
            }
        }
        Ok(())
    }

    fn stops_on_error(&self) -> bool {
        self.checkpoint.request.stop_on_error
    }

    /// Starts a file.
    fn begin_file(&mut self, file: usize) {
        self.checkpoint.begin_file(file, &mut self.broken);
        let source = self.files.get(file).map_or(Path::new(""), PathBuf::as_path);
        let wanted = self.checkpoint.request.rejects.as_deref();
        let before = self.checkpoint.rejects.as_ref();
        self.rejects = Some((file, RejectsFile::new(source, wanted, before, &[])));
    }

    /// Stores a batch, and notes what was refused of it.
    fn store(&mut self, batch: &Batch, refused: &mut Vec<BadRecord>) -> Flow {
        let source = self.files.get(batch.file).map_or(Path::new(""), PathBuf::as_path);
        self.report.note_fields(&self.checkpoint.request.types, source, &batch.field_counts);
        let mut from = 0;
        while let Some(entry) = batch.entries().get(from) {
            if let BatchEntry::Bad(bad) = entry {
                from += 1;
                refused.push(bad.clone());
                // A resumed import tries the rest of the file again.
                if !bad.fatal {
                    self.checkpoint.count_reject(&bad.reason);
                    self.pass(batch, from);
                }
                self.check(refused)?;
                continue;
            }
            // The first refusal stops the import, so nothing that follows it may be stored.
            let most = if self.stops_on_error() { 1 } else { BATCH_DOCS_MAX };
            let run = batch.documents(from, most);
            let mut done = Vec::with_capacity(run.len());
            let stored = self.target.store(&run, &mut done);
            let known = done.len();
            for (at, (document, became)) in run.iter().zip(done).enumerate() {
                let position = match batch.entries().get(from + at) {
                    Some(BatchEntry::Document(_, position)) => *position,
                    _ => TextPosition::START,
                };
                self.count(became, document, position, refused);
            }
            self.pass(batch, from + known);
            stored.map_err(ImportEnd::Failed)?;
            from += run.len().max(1);
            self.check(refused)?;
        }
        Ok(())
    }

    /// The entries before this one need not be read again.
    fn pass(&mut self, batch: &Batch, next: usize) {
        let last = next.checked_sub(1).and_then(|last| batch.resume_point(last));
        self.checkpoint.resume_point = last.unwrap_or(self.checkpoint.resume_point);
    }

    fn count(
        &mut self,
        became: StoredAs,
        document: &RawDocument,
        position: TextPosition,
        refused: &mut Vec<BadRecord>,
    ) {
        match became {
            StoredAs::Inserted | StoredAs::Replaced => {
                self.checkpoint.imported += 1;
                self.checkpoint.replaced += u64::from(became == StoredAs::Replaced);
                self.progress.add_documents(1);
            }
            StoredAs::Skipped => {
                self.checkpoint.skipped += 1;
                self.progress.add_skipped(1);
            }
            StoredAs::Refused(reason) => {
                self.checkpoint.count_reject(&reason);
                refused.push(BadRecord::of(position, reason, document));
            }
        }
    }

    /// Whether the import continues after what was refused.
    fn check(&self, refused: &[BadRecord]) -> Flow {
        if self.stops_on_error() && !refused.is_empty() {
            let is_fatal = refused.last().is_some_and(|refused| refused.fatal);
            return if is_fatal { Ok(()) } else { Err(ImportEnd::StoppedOnError) };
        }
        if are_too_many(&self.checkpoint) { Err(ImportEnd::TooManyRejects) } else { Ok(()) }
    }

    /// Adds what was refused to the report and to the file of rejected documents.
    fn keep(&mut self, refused: &[BadRecord]) -> Flow {
        if refused.is_empty() {
            return Ok(());
        }
        self.progress.add_rejected(refused.len() as u64);
        let written = self.write(refused);
        let source = self.files.get(self.checkpoint.file).cloned().unwrap_or_default();
        for BadRecord { position, start_line, reason, fatal, .. } in refused {
            let (position, start_line) = (*position, *start_line);
            let reason = reason.clone();
            let reject = Reject { file: source.clone(), position, start_line, reason };
            if *fatal {
                self.broken.get_or_insert(reject.clone());
            }
            if self.report.rejects.len() < REJECTS_LISTED_MAX {
                self.report.rejects.push(reject);
            }
        }
        written.map_err(|error| ImportEnd::Failed(error.to_string()))
    }

    fn write(&mut self, refused: &[BadRecord]) -> Result<(), TransferError> {
        let lines = RejectLines::of(refused)?;
        let Some((_, rejects)) = &mut self.rejects else { return Ok(()) };
        let (path, _) = rejects.open()?;
        let kept = match &self.checkpoint.rejects {
            Some((known, bytes)) if *known == path => *bytes,
            _ => 0,
        };
        let begin = rejects.write(kept, &lines.bytes)?;
        self.checkpoint.rejects = Some((path, begin.saturating_add(lines.counted as u64)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use bson::RawDocumentBuf;

    use super::*;

    /// Refuses every document with `bad`, and fails after as many as `room`.
    #[derive(Default)]
    struct Fake {
        stored: Vec<RawDocumentBuf>,
        room: Option<usize>,
        cleared: bool,
    }

    impl ImportTarget for Fake {
        fn clear(&mut self) -> Result<(), String> {
            self.cleared = true;
            Ok(())
        }

        fn store(
            &mut self,
            documents: &[&RawDocument],
            done: &mut Vec<StoredAs>,
        ) -> Result<(), String> {
            for document in documents {
                if self.room.is_some_and(|room| self.stored.len() >= room) {
                    return Err("the target is full".to_owned());
                }
                if document.get("bad").is_ok_and(|bad| bad.is_some()) {
                    done.push(StoredAs::Refused("it is bad".to_owned()));
                } else {
                    self.stored.push((*document).to_owned());
                    done.push(StoredAs::Inserted);
                }
            }
            Ok(())
        }
    }

    fn import(
        text: &str,
        target: &mut Fake,
        change: impl FnOnce(&mut ImportRequest),
    ) -> (Result<ImportReport, TransferError>, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        std::fs::write(&path, text).unwrap();
        let namespace = crate::catalog::Namespace::new("test", "a");
        let mut request = ImportRequest::new(vec![path], namespace);
        change(&mut request);
        (import_into(&request, target, 0, &Progress::new()), folder)
    }

    #[test]
    fn what_is_refused_or_unreadable_is_counted_and_saved_and_the_rest_is_stored() {
        let mut target = Fake::default();
        let text = "{\"_id\": 1}\n{\"bad\": 1}\n{\"a\": NaN}\n{\"_id\": 4}\n";
        let (report, _folder) = import(text, &mut target, |_| ());
        let report = report.unwrap();
        assert_eq!((report.imported, report.rejected, target.stored.len()), (2, 2, 2));
        assert_eq!(report.end, ImportEnd::Complete);
        assert_eq!(report.rejects[0].position.line, 2);
        let saved = std::fs::read_to_string(&report.rejects_files[0]).unwrap();
        assert_eq!(saved.lines().count(), 2, "{saved}");
        assert!(saved.contains("it is bad"), "{saved}");
    }

    #[test]
    fn nothing_after_the_first_refusal_is_stored_on_request() {
        let mut target = Fake::default();
        let text = "{\"_id\": 1}\n{\"bad\": 1}\n{\"_id\": 3}\n";
        let (report, _folder) = import(text, &mut target, |request| request.stop_on_error = true);
        let report = report.unwrap();
        assert_eq!((report.imported, report.rejected, target.stored.len()), (1, 1, 1));
        assert_eq!(report.end, ImportEnd::StoppedOnError);
    }

    #[test]
    fn a_target_that_fails_ends_the_import_with_what_is_stored() {
        let mut target = Fake { room: Some(2), ..Fake::default() };
        let (report, _folder) = import("{}\n{}\n{}\n", &mut target, |_| ());
        let report = report.unwrap();
        assert_eq!(report.imported, 2);
        assert_eq!(report.end, ImportEnd::Failed("the target is full".to_owned()));
    }

    #[test]
    fn a_file_without_a_readable_document_drops_nothing() {
        let mut target = Fake::default();
        let (report, _folder) = import("", &mut target, |request| request.drop = true);
        assert!(matches!(report, Err(TransferError::NotReadable { .. })), "{report:?}");
        assert!(!target.cleared);
        for unreadable in ["{\"a\": 1", "{\"a\": NaN}\n"] {
            let (report, _folder) = import(unreadable, &mut target, |request| request.drop = true);
            let refused = report.expect_err(unreadable).to_string();
            assert!(refused.contains("so test.a was not dropped"), "{refused}");
            assert!(!target.cleared, "{unreadable}");
        }
        let (report, _folder) = import("{}", &mut target, |request| request.drop = true);
        assert!(report.is_ok() && target.cleared);
    }

    #[test]
    fn too_many_refusals_end_it() {
        let mut target = Fake::default();
        let text = "{\"bad\": 1}\n".repeat(3_000);
        let (report, _folder) = import(&text, &mut target, |_| ());
        let report = report.unwrap();
        assert_eq!((report.end.clone(), report.rejected), (ImportEnd::TooManyRejects, 1_000));
    }
}
