//! Import into a collection that this process does not store, such as one of a server.
//!
//! There is no checkpoint: the target knows what it has stored, and can take it back or not.

use std::path::{Path, PathBuf};

use bson::RawDocument;

use super::{
    ImportEnd, ImportReport, ImportRequest, Progress, RecordFormat, Reject, TextPosition,
    TransferError,
    batch::{Batch, BatchEntry},
    limits::{
        IMPORT_REJECTS_MAX, REJECT_TEXT_BYTES_MAX, REJECTS_LISTED_MAX, REJECTS_SHARE,
        REJECTS_SHARE_DOCS_MIN,
    },
    records::{Records, text_of},
    rejects::{RejectLines, RejectedRecord, RejectsFile},
};
use crate::limits::BATCH_DOCS_MAX;

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
}

/// Imports files into a target. Opens every file and detects its format before it changes anything.
///
/// # Errors
/// When nothing was changed: a file can't be read, its format is unknown, or the collection can't be
/// dropped. Later failures are in [`ImportReport::end`], with what was stored so far.
pub fn import_into(
    request: &ImportRequest,
    target: &mut dyn ImportTarget,
    progress: &Progress,
) -> Result<ImportReport, TransferError> {
    let mut run = TargetRun {
        request,
        target,
        progress,
        report: ImportReport::new(),
        rejects: RejectsFile::new(Path::new(""), None, None, &[]),
        lines_end: 0,
        read: 0,
        broken: None,
    };
    let mut files = Vec::new();
    let mut bytes = 0;
    for path in &request.files {
        let records = Records::open(path, &request.read_options(), Some(progress))?;
        bytes += std::fs::metadata(path).map_or(0, |about| about.len());
        run.report.files.push((path.clone(), records.detected()));
        files.push(records);
    }
    progress.set_bytes_total(bytes);
    if request.drop {
        check_not_empty(&run.report)?;
        run.target.clear().map_err(|what| TransferError::Elsewhere { what })?;
    }
    for (number, records) in files.into_iter().enumerate() {
        if let Err(end) = run.file(number, records) {
            run.report.end = end;
            return Ok(run.report);
        }
    }
    if let Some(broken) = run.broken {
        run.report.end = ImportEnd::Broken(broken);
    }
    Ok(run.report)
}

/// Refuses to drop documents if all files are empty: they are more likely a failed copy.
fn check_not_empty(report: &ImportReport) -> Result<(), TransferError> {
    let mut files = report.files.iter();
    match report.files.first() {
        Some((path, _)) if files.all(|(_, found)| found.form == RecordFormat::Empty) => {
            Err(TransferError::NotReadable {
                path: path.display().to_string(),
                what: "the file is empty, so the collection was not dropped".to_owned(),
            })
        }
        _ => Ok(()),
    }
}

/// A running import.
struct TargetRun<'i> {
    request: &'i ImportRequest,
    target: &'i mut dyn ImportTarget,
    progress: &'i Progress,
    report: ImportReport,
    rejects: RejectsFile,
    /// Bytes in the file of rejected documents.
    lines_end: u64,
    read: u64,
    /// The first error at which a file became unreadable.
    broken: Option<Reject>,
}

/// Whether the import continues, or why it ends early.
type Flow = Result<(), ImportEnd>;

impl TargetRun<'_> {
    fn file(&mut self, number: usize, mut records: Records<'_>) -> Flow {
        let source = self.request.files.get(number).cloned().unwrap_or_default();
        self.rejects = RejectsFile::new(&source, self.request.rejects.as_deref(), None, &[]);
        self.lines_end = 0;
        let mut flow = Ok(());
        let mut has_ended = false;
        while flow.is_ok() && !has_ended {
            if self.progress.is_cancelled() {
                flow = Err(ImportEnd::Cancelled);
                break;
            }
            let batch = Batch::read(&mut records, number, BATCH_DOCS_MAX);
            has_ended = batch.ended;
            let mut refused = Vec::new();
            flow = self.store(&batch, &mut refused);
            let kept = self.keep(&source, refused);
            flow = flow.and(kept);
        }
        self.report.tally = self.report.tally + records.tally();
        flow
    }

    /// Stores a batch, and notes what was refused of it.
    fn store(&mut self, batch: &Batch, refused: &mut Vec<RejectedRecord>) -> Flow {
        let mut from = 0;
        while let Some(entry) = batch.entries().get(from) {
            if let BatchEntry::Bad(bad) = entry {
                from += 1;
                self.read += 1;
                refused.push(RejectedRecord {
                    position: bad.position,
                    start_line: bad.start_line,
                    reason: bad.reason.clone(),
                    text: bad.text.clone(),
                    fatal: bad.fatal,
                });
                self.check(refused)?;
                continue;
            }
            // The first refusal stops the import, so nothing that follows it may be stored.
            let most = if self.request.stop_on_error { 1 } else { BATCH_DOCS_MAX };
            let run = batch.documents(from, most);
            let mut done = Vec::with_capacity(run.len());
            let stored = self.target.store(&run, &mut done);
            for (at, (document, became)) in run.iter().zip(done).enumerate() {
                let position = match batch.entries().get(from + at) {
                    Some(BatchEntry::Document(_, position)) => *position,
                    _ => TextPosition::START,
                };
                self.count(became, document, position, refused);
            }
            stored.map_err(ImportEnd::Failed)?;
            from += run.len().max(1);
            self.check(refused)?;
        }
        Ok(())
    }

    fn count(
        &mut self,
        became: StoredAs,
        document: &RawDocument,
        position: TextPosition,
        refused: &mut Vec<RejectedRecord>,
    ) {
        self.read += 1;
        match became {
            StoredAs::Inserted | StoredAs::Replaced => {
                self.report.imported += 1;
                self.progress.add_documents(1);
            }
            StoredAs::Skipped => {
                self.report.skipped += 1;
                self.progress.add_skipped(1);
            }
            StoredAs::Refused(reason) => {
                let mut text = text_of(document);
                text.truncate(REJECT_TEXT_BYTES_MAX);
                let start_line = position.line;
                refused.push(RejectedRecord { position, start_line, reason, text, fatal: false });
            }
        }
    }

    /// Whether the import continues after what was refused.
    fn check(&self, refused: &[RejectedRecord]) -> Flow {
        let rejected = self.report.rejected + refused.len() as u64;
        if self.request.stop_on_error && rejected > 0 {
            let is_fatal = refused.last().is_some_and(|refused| refused.fatal);
            return if is_fatal { Ok(()) } else { Err(ImportEnd::StoppedOnError) };
        }
        let is_share = self.read >= REJECTS_SHARE_DOCS_MIN
            && rejected.saturating_mul(REJECTS_SHARE) > self.read;
        let are_too_many = rejected >= IMPORT_REJECTS_MAX || is_share;
        if are_too_many { Err(ImportEnd::TooManyRejects) } else { Ok(()) }
    }

    /// Adds what was refused to the report and to the file of rejected documents.
    fn keep(&mut self, source: &Path, refused: Vec<RejectedRecord>) -> Flow {
        if refused.is_empty() {
            return Ok(());
        }
        self.report.rejected += refused.len() as u64;
        self.progress.add_rejected(refused.len() as u64);
        let written = self.write(&refused);
        for refused in refused {
            let RejectedRecord { position, start_line, reason, fatal, .. } = refused;
            let reject = Reject { file: source.to_owned(), position, start_line, reason };
            if fatal {
                self.broken.get_or_insert(reject.clone());
            }
            if self.report.rejects.len() < REJECTS_LISTED_MAX {
                self.report.rejects.push(reject);
            }
        }
        written.map_err(|error| ImportEnd::Failed(error.to_string()))?;
        match &self.broken {
            Some(broken) if self.request.stop_on_error => Err(ImportEnd::Broken(broken.clone())),
            _ => Ok(()),
        }
    }

    fn write(&mut self, refused: &[RejectedRecord]) -> Result<(), TransferError> {
        let lines = RejectLines::of(refused)?;
        let (path, is_new): (PathBuf, bool) = self.rejects.open()?;
        if is_new {
            self.report.rejects_files.push(path);
        }
        let begin = self.rejects.write(self.lines_end, &lines.bytes)?;
        self.lines_end = begin.saturating_add(lines.bytes.len() as u64);
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
        (import_into(&request, target, &Progress::new()), folder)
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
    fn an_empty_file_drops_nothing() {
        let mut target = Fake::default();
        let (report, _folder) = import("", &mut target, |request| request.drop = true);
        assert!(matches!(report, Err(TransferError::NotReadable { .. })), "{report:?}");
        assert!(!target.cleared);
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
