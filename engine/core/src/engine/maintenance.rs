//! Work on a data folder that no program has open: restore, compaction, verification.

use std::{
    ops::ControlFlow,
    path::{Path as FsPath, PathBuf},
    sync::Arc,
};

use super::OpenError;
use crate::{
    catalog::Namespace,
    clock::Clock,
    collection::{Collections, ScrubStatus, ScrubStep, VerifyReport, lost_in_words},
    event::Finding,
    limits::FINDINGS_MAX,
    store::{
        Compaction, DamagedRow, JobProgress, JobStep, Restoration, Store, StoreError, StoreOptions,
        WalkProgram, Watch,
    },
};

/// The result of a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RestoreReport {
    /// The data folder.
    pub folder: PathBuf,
    /// Where the folder is that was there before.
    pub before: Option<PathBuf>,
    /// Findings are damage that was in the backup already.
    pub verified: VerifyReport,
}

/// The result of a compaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompactReport {
    /// Bytes of the data file before.
    pub bytes_before: u64,
    /// Bytes of the data file after.
    pub bytes_after: u64,
}

/// The result of a scrub.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ScrubReport {
    /// How much was read, and how much was found.
    pub status: ScrubStatus,
    /// The findings, as far as they are listed.
    pub findings: Vec<Finding>,
}

/// The result of checking a whole data folder.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CheckReport {
    /// Damage to the structure of the file. If there is any, the documents are not read.
    pub structure: Vec<String>,
    /// The check of documents, index entries and counters.
    pub contents: VerifyReport,
}

impl CheckReport {
    /// How many things are wrong.
    pub fn findings(&self) -> u64 {
        let listed = self.structure.len() + self.contents.findings.len();
        listed as u64 + self.contents.findings_not_listed
    }
}

/// Replaces the data folder `folder`, which no program may have open, with a backup. The backup is
/// copied to a new folder, walked there by `walker` if there is one, opened and read, and only then
/// takes the place; the folder before it is kept. The reaper asks before it removes anything from a
/// restored store.
///
/// # Errors
/// With a sentence; the data folder is then as it was.
pub fn restore(
    backup: &FsPath,
    folder: &FsPath,
    replace: bool,
    clock: &Arc<dyn Clock>,
    walker: Option<&WalkProgram>,
    watch: &mut Watch<'_>,
) -> Result<RestoreReport, OpenError> {
    let options = options(clock, walker);
    let restoration = Restoration::begin(backup, folder, replace, &options, watch)?;
    let (store, _) = Store::open(restoration.folder(), &options)?;
    let store = Arc::new(store);
    let verified = read_all(&store, clock, watch)?;
    store.mark_restored(clock.now_ms())?;
    close(store)?;
    JobStep::Replacing.report(watch, 0, 0)?;
    let restored = restoration.finish()?;
    Ok(RestoreReport { folder: restored.folder, before: restored.before, verified })
}

/// Rewrites the data file of a folder without its free pages. No program may have it open.
///
/// # Errors
/// With a sentence; the data file is then as it was.
pub fn compact(
    folder: &FsPath,
    clock: &Arc<dyn Clock>,
    walker: Option<&WalkProgram>,
    watch: &mut Watch<'_>,
) -> Result<CompactReport, OpenError> {
    let options = options(clock, walker);
    let (store, _) = Store::open(folder, &options)?;
    let compaction = Compaction::begin(store, watch)?;
    let bytes_before = compaction.bytes_before();
    let (copy, _) = Store::open(compaction.copy_folder(), &options)?;
    let copy = Arc::new(copy);
    compaction.compare(&copy)?;
    let verified = read_all(&copy, clock, watch)?;
    close(copy)?;
    if let Some(Finding { sentence, .. }) = verified.findings.first() {
        return Err(OpenError::new(format!(
            "The store was not compacted because it is damaged: {sentence} Run verify first."
        )));
    }
    let folder = compaction.replace(watch)?;
    let (store, _) = Store::open(&folder, &StoreOptions { full_check: true, ..options })?;
    Ok(CompactReport { bytes_before, bytes_after: store.file_bytes() })
}

/// Checks everything in a data folder that no program has open: the structure of the file, then all
/// documents, entries and counters. Damaged values of the store itself, which may prevent its
/// opening, are reported with the structure.
///
/// # Errors
/// With a sentence when the folder can't be opened or `watch` stops it. Damage is a finding.
pub fn check(
    folder: &FsPath,
    clock: &Arc<dyn Clock>,
    walker: Option<&WalkProgram>,
    watch: &mut Watch<'_>,
) -> Result<CheckReport, OpenError> {
    let report = Store::check_structure_watched(folder, walker, watch)?;
    let mut structure = report.findings;
    let is_own = |row: &&DamagedRow| matches!(row, DamagedRow::Meta { .. });
    let rows = report.rows.first.iter().filter(is_own);
    let rows: Vec<String> = rows.map(|row| format!("{row} does not match its checksum")).collect();
    if !structure.is_empty() {
        structure.extend(rows);
        return Ok(CheckReport { structure, ..CheckReport::default() });
    }
    let mut contents = match read_folder(folder, options(clock, walker), clock, watch) {
        // The rows say why.
        Err(StoreError::Damaged { .. }) if !rows.is_empty() => {
            return Ok(CheckReport { structure: rows, ..CheckReport::default() });
        }
        contents => contents?,
    };
    contents.findings.extend(rows.into_iter().map(|row| of_the_store(format!("{row}."))));
    Ok(CheckReport { structure, contents })
}

fn of_the_store(sentence: String) -> Finding {
    let namespace = Namespace { db: "admin".to_owned(), collection: "store".to_owned() };
    Finding { namespace, index: None, record: None, sentence }
}

/// Opens a folder, for reading where it can't be written, and checks what is in it.
fn read_folder(
    folder: &FsPath,
    options: StoreOptions,
    clock: &Arc<dyn Clock>,
    watch: &mut Watch<'_>,
) -> Result<VerifyReport, StoreError> {
    let (store, _) = match Store::open(folder, &options) {
        Err(StoreError::ReadOnly { .. }) => {
            Store::open(folder, &StoreOptions { read_only: true, ..options })
        }
        other => other,
    }?;
    let store = Arc::new(store);
    let mut contents = read_all(&store, clock, watch)?;
    contents.findings.extend(store.read(lost_in_words)?.map(of_the_store));
    close(store)?;
    Ok(contents)
}

/// Scrubs a data folder that no program has open: checksums and the format of each document. The
/// next scrub is due in a month.
///
/// # Errors
/// With a sentence when the folder can't be opened or written, or `watch` stops it. Damage is a
/// finding.
pub fn scrub(
    folder: &FsPath,
    clock: &Arc<dyn Clock>,
    walker: Option<&WalkProgram>,
    watch: &mut Watch<'_>,
) -> Result<ScrubReport, OpenError> {
    let (store, report) = Store::open(folder, &options(clock, walker))?;
    if report.read_only {
        let what = "the scrub can't note that it was done; verify reads everything too".to_owned();
        return Err(StoreError::ReadOnly { what }.into());
    }
    let store = Arc::new(store);
    let collections = Collections::new(Arc::clone(&store), Arc::clone(clock))?;
    let total = collections.documents_counted()?;
    collections.start_scrub()?;
    let mut findings = Vec::new();
    let status = loop {
        let status = collections.scrub_status()?;
        if !status.is_running {
            break status;
        }
        if let Err(stopped) = JobStep::Reading.report(watch, status.documents, total) {
            collections.stop_scrub()?;
            return Err(stopped.into());
        }
        if let ScrubStep::Worked(found) = collections.scrub_step()? {
            findings.extend(found);
            findings.truncate(FINDINGS_MAX);
        }
    };
    drop(collections);
    close(store)?;
    Ok(ScrubReport { status, findings })
}

fn options(clock: &Arc<dyn Clock>, walker: Option<&WalkProgram>) -> StoreOptions {
    StoreOptions { now_ms: clock.now_ms(), walker: walker.cloned(), ..StoreOptions::default() }
}

fn read_all(
    store: &Arc<Store>,
    clock: &Arc<dyn Clock>,
    watch: &mut Watch<'_>,
) -> Result<VerifyReport, StoreError> {
    let collections = Collections::new(Arc::clone(store), Arc::clone(clock))?;
    let report = collections.verify(&mut |at| {
        let (step, done, total) = (JobStep::Reading, at.documents, at.documents_total);
        watch(JobProgress { step, done, total }) == ControlFlow::Continue(())
    })?;
    if report.stopped {
        return Err(StoreError::Stopped);
    }
    Ok(report)
}

/// Closes the store, which must have no other owner.
fn close(store: Arc<Store>) -> Result<(), StoreError> {
    let what = "a store was still in use when it was to be closed".to_owned();
    Arc::into_inner(store).map(drop).ok_or(StoreError::Bug { what })
}

#[cfg(test)]
mod tests {
    use bson::doc;

    use super::*;
    use crate::{
        clock::SystemClock,
        engine::{Engine, EngineOptions},
        store::Writer,
    };

    fn clock() -> Arc<dyn Clock> {
        Arc::new(SystemClock)
    }

    fn quiet() -> EngineOptions {
        EngineOptions { run_reaper: false, ..EngineOptions::default() }
    }

    fn fill(folder: &FsPath, from: i32, to: i32) -> Engine {
        let engine = Engine::open(folder, quiet()).expect("it opens");
        let documents: Vec<_> = (from..to)
            .map(|id| doc! { "_id": id, "text": "x".repeat(500), "n": [id, -id] })
            .collect();
        engine.run(
            "db",
            &doc! { "createIndexes": "c", "indexes": [{ "key": { "n": 1 }, "name": "n" }] },
        );
        let reply = engine.run("db", &doc! { "insert": "c", "documents": documents });
        assert_eq!(reply.get_i32("n").ok(), Some(to - from), "{reply}");
        engine
    }

    fn count(folder: &FsPath) -> i32 {
        let engine = Engine::open(folder, quiet()).expect("it opens");
        engine.run("db", &doc! { "count": "c" }).get_i32("n").expect("a number")
    }

    fn go_on(_: JobProgress) -> ControlFlow<()> {
        ControlFlow::Continue(())
    }

    fn stop_in(step: JobStep) -> impl FnMut(JobProgress) -> ControlFlow<()> {
        move |at| if at.step == step { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    #[test]
    fn a_backup_comes_back_and_is_marked() {
        let place = tempfile::tempdir().expect("a folder");
        let (data, file) = (place.path().join("data"), place.path().join("b"));
        let engine = fill(&data, 0, 100);
        engine.collections().store().backup_to(&file, &mut go_on).expect("a backup");
        drop(engine);
        drop(fill(&data, 100, 150));
        for step in [JobStep::Walking, JobStep::Copying, JobStep::Replacing] {
            let stopped = restore(&file, &data, true, &clock(), None, &mut stop_in(step));
            assert_eq!(
                stopped.map_err(|error| error.message),
                Err(StoreError::Stopped.to_string())
            );
            assert_eq!(count(&data), 150);
        }
        let report = restore(&file, &data, true, &clock(), None, &mut go_on).expect("restored");
        assert_eq!((report.verified.documents, report.verified.findings.len()), (100, 0));
        assert_eq!(count(&data), 100);
        assert_eq!(count(&report.before.expect("kept")), 150);
        let (store, _) = Store::open(&data, &StoreOptions::default()).expect("it opens");
        assert!(store.restored_ms().expect("readable").is_some());
    }

    #[test]
    fn a_compaction_keeps_every_document() {
        let place = tempfile::tempdir().expect("a folder");
        let engine = fill(place.path(), 0, 5_000);
        engine.run(
            "db",
            &doc! { "delete": "c", "deletes": [{ "q": { "_id": { "$gte": 100 } }, "limit": 0 }] },
        );
        engine.close().expect("closed");
        for step in [JobStep::Copying, JobStep::Walking, JobStep::Replacing] {
            let stopped = compact(place.path(), &clock(), None, &mut stop_in(step));
            assert_eq!(
                stopped.map_err(|error| error.message),
                Err(StoreError::Stopped.to_string())
            );
            assert_eq!(count(place.path()), 100);
        }
        let report = compact(place.path(), &clock(), None, &mut go_on).expect("compacted");
        assert!(report.bytes_after < report.bytes_before / 2, "{report:?}");
        let check = check(place.path(), &clock(), None, &mut go_on).expect("readable");
        assert_eq!((check.findings(), check.contents.documents), (0, 100));
        assert_eq!(count(place.path()), 100);
        let (store, _) = Store::open(place.path(), &StoreOptions::default()).expect("it opens");
        assert_eq!(store.restored_ms(), Ok(None), "nothing has come back from before");
    }

    /// A bit of an index entry that is not what was written keeps nothing else from being looked
    /// at.
    #[test]
    fn a_damaged_index_entry_is_a_finding() {
        let place = tempfile::tempdir().expect("a folder");
        let engine = Engine::open(place.path(), quiet()).expect("it opens");
        engine.run(
            "db",
            &doc! { "createIndexes": "c", "indexes": [{ "key": { "s": 1 }, "name": "s" }] },
        );
        let documents = [doc! { "_id": 1, "s": "needle" }, doc! { "_id": 2, "s": "other" }];
        let documents = documents.map(bson::Bson::from).to_vec();
        let reply = engine.run("db", &doc! { "insert": "c", "documents": documents });
        assert_eq!(reply.get_i32("n").ok(), Some(2), "{reply}");
        engine.close().expect("closed");
        let path = place.path().join("data.mdb");
        let mut bytes = std::fs::read(&path).expect("a file");
        // After the text: its NUL, a record number of one byte and the checksum. In the document
        // the length precedes the text.
        let text = b"needle\0";
        let places: Vec<usize> = (1..bytes.len() - 16)
            .filter(|at| bytes[*at..].starts_with(text) && bytes[*at - 1] != 0)
            .collect();
        assert!(!places.is_empty());
        for place in places {
            bytes[place + text.len() + 1] ^= 0x80;
        }
        std::fs::write(&path, bytes).expect("a file");
        let report =
            check(place.path(), &clock(), None, &mut go_on).expect("findings are no error");
        let sentences: Vec<_> =
            report.contents.findings.iter().map(|finding| finding.sentence.as_str()).collect();
        assert_eq!((report.contents.documents, report.structure.len()), (2, 0));
        assert!(sentences.iter().any(|it| it.starts_with("An index entry is damaged")));
        assert!(sentences.iter().any(|it| it.contains("has no entry for document")));
        assert!(sentences.iter().all(|it| !it.contains("_id_")), "{sentences:?}");
    }

    #[test]
    fn a_damaged_list_of_dialects_is_a_finding_beside_what_is_checked() {
        let place = tempfile::tempdir().expect("a folder");
        let engine = fill(place.path(), 0, 100);
        engine.run("cloud", &doc! { "mayflyDialect": "cosmos" });
        engine.close().expect("closed");
        crate::store::rot(place.path(), &[b"cosmos\0"]);
        let report = check(place.path(), &clock(), None, &mut go_on).expect("readable");
        assert_eq!((report.structure.len(), report.contents.documents), (0, 100));
        let mut sentences = report.contents.findings.iter().map(|finding| &finding.sentence);
        assert!(
            sentences
                .next()
                .is_some_and(|it| it.contains("the dialect of the database db is unknown"))
        );
        assert!(sentences.next().is_some_and(|it| it.contains("\"dialects\" does not match")));
    }

    #[test]
    fn a_value_that_a_store_opens_without_is_a_finding_beside_what_is_checked() {
        let place = tempfile::tempdir().expect("a folder");
        let engine = fill(place.path(), 0, 100);
        engine.run("admin", &doc! { "setParameter": 1, "mayflyTrashSecs": 60 });
        let put = |writer: &mut Writer<'_>| writer.put_meta("import/1", b"where it stood");
        engine.collections().store().write(put).expect("written");
        engine.close().expect("closed");
        for (number, name) in ["trashSecs", "import/1"].into_iter().enumerate() {
            crate::command::testing::spoil_meta(place.path(), name);
            let report = check(place.path(), &clock(), None, &mut go_on).expect("readable");
            assert_eq!((report.structure.len(), report.contents.documents), (0, 100));
            let sentences: Vec<&str> =
                report.contents.findings.iter().map(|finding| &*finding.sentence).collect();
            assert_eq!(sentences.len(), number + 1, "{sentences:?}");
            let wanted = format!("{name:?} does not match");
            assert!(sentences.iter().any(|it| it.contains(&wanted)), "{sentences:?}");
        }
    }

    /// A store that does not open is not read, and the reason is reported.
    #[test]
    fn a_value_that_a_store_does_not_open_without_is_told_with_the_structure() {
        let place = tempfile::tempdir().expect("a folder");
        fill(place.path(), 0, 100).close().expect("closed");
        crate::command::testing::spoil_meta(place.path(), "formatVersion");
        let report = check(place.path(), &clock(), None, &mut go_on).expect("readable");
        let [structure] = &report.structure[..] else { panic!("{report:?}") };
        assert!(structure.contains("\"formatVersion\" does not match"), "{structure}");
        assert_eq!(report.contents, VerifyReport::default());
    }

    #[test]
    fn a_scrub_of_a_closed_store_names_what_is_damaged_and_can_be_stopped() {
        let place = tempfile::tempdir().expect("a folder");
        drop(fill(place.path(), 0, 300));
        let scrub = |watch: &mut Watch<'_>| scrub(place.path(), &clock(), None, watch);
        let status = || {
            let engine = Engine::open(place.path(), quiet()).expect("it opens");
            engine.collections().scrub_status().expect("readable")
        };
        let stopped = scrub(&mut stop_in(JobStep::Reading)).map_err(|error| error.message);
        assert_eq!(stopped, Err(StoreError::Stopped.to_string()));
        assert_eq!((status().finished_ms, status().is_running), (None, false));
        let report = scrub(&mut go_on).expect("scrubbed");
        assert_eq!((report.status.documents, report.status.findings), (300, 0));
        assert!(status().finished_ms.is_some());
        crate::store::rot(place.path(), &[b"xxx\0\x04n\0"]);
        let report = scrub(&mut go_on).expect("scrubbed");
        assert_eq!((report.status.documents, report.status.findings), (300, 300));
        let sentence = &report.findings.first().expect("one").sentence;
        assert!(sentence.contains("does not match its checksum"), "{sentence}");
    }

    /// The definition of a collection keeps nothing else from being checked.
    #[test]
    fn a_damaged_definition_is_a_finding() {
        let place = tempfile::tempdir().expect("a folder");
        let engine = Engine::open(place.path(), quiet()).expect("it opens");
        engine.run("db", &doc! { "create": "findable", "validator": { "needle": 1 } });
        engine.run("db", &doc! { "insert": "sound", "documents": [{ "_id": 1 }] });
        engine.close().expect("closed");
        crate::store::rot(place.path(), &[b"needle"]);
        let report =
            check(place.path(), &clock(), None, &mut go_on).expect("findings are no error");
        assert_eq!((report.findings(), report.contents.documents), (1, 1), "{report:?}");
        let finding = &report.contents.findings[0];
        assert_eq!(finding.namespace.to_string(), "db.findable");
        assert!(finding.sentence.contains("its definition is damaged"), "{finding:?}");
        let scrubbed = scrub(place.path(), &clock(), None, &mut go_on).expect("scrubbed");
        let [finding] = &scrubbed.findings[..] else { panic!("{scrubbed:?}") };
        assert_eq!(finding.namespace.to_string(), "db.findable");
    }

    #[test]
    fn the_check_of_everything_can_be_stopped() {
        let place = tempfile::tempdir().expect("a folder");
        drop(fill(place.path(), 0, 3_000));
        let stopped = check(place.path(), &clock(), None, &mut stop_in(JobStep::Reading));
        assert_eq!(stopped.map_err(|error| error.message), Err(StoreError::Stopped.to_string()));
    }
}
