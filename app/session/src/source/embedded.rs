//! The engine in this process.

use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bson::{Document, RawDocument, RawDocumentBuf, doc, oid::ObjectId};
use mayfly_engine::archive;
use mayfly_engine::clock::{Clock as _, SystemClock};
use mayfly_engine::collection::backup_damage;
use mayfly_engine::engine::{ClockOption, CopyReport, Engine, EngineOptions};
use mayfly_engine::interrupt::{Limit, StopReason, run_within};
use mayfly_engine::store::{OPEN_TO_OTHERS, Store, StoreError, StoreOptions, WalkProgram, Watch};
use mayfly_engine::transfer::{
    self, DiskSpace, DumpCollection, DumpExport, DumpImport, DumpOutcome, DumpReport, ExportReport,
    ExportRequest, ImportReport, ImportRequest, Losses, Progress, ReadOptions, Rehearsal,
    ResumeRequest, RollBackReport, TransferError, UnfinishedImport,
};
use mayfly_engine::value::count;

use super::engine_slot::EngineSlot;
use crate::demo::{self, SampleData};
use crate::job::{Backup, Cancel, SandboxFolder};
use crate::limits::DEMO_BALLAST_BYTES;

use super::maintenance::{Maintenance, MaintenanceError, Offline, OfflineWork};
use super::{
    Capabilities, Events, Namespace, OpenError, OpenRequest, Opened, Opener, Sandbox, Source,
    Transfers, folder_advice, sample_mark, sandbox_copy, sandbox_folder,
};

/// The file in a data folder that makes it a store.
pub const DATA_FILE: &str = "data.mdb";

/// The folder in a data folder for the journals of operations in steps.
const JOURNALS: &str = "journals";

/// A sandbox starts at a full minute.
const MINUTE_MS: i64 = 60_000;

/// The engine in this process. Dropping it closes the store.
pub struct Embedded {
    engine_slot: EngineSlot,
    is_simulated: bool,
    sample_data: Option<SampleData>,
    /// A temporary folder goes after the engine that used it.
    temporary: Option<Arc<SandboxFolder>>,
}

impl Embedded {
    fn engine(&self) -> Result<Arc<Engine>, TransferError> {
        self.engine_slot.engine().map_err(|sentence| {
            let what = sentence.trim_end_matches('.').to_owned();
            TransferError::from(StoreError::Io { what })
        })
    }
}

/// Ends a command of the engine once its job is canceled.
struct UntilCanceled(Cancel);

impl Limit for UntilCanceled {
    fn tick(&self) -> Result<(), StopReason> {
        if self.0.is_cancelled() { Err(StopReason::Interrupted) } else { Ok(()) }
    }
}

impl Source for Embedded {
    fn run(&self, db: &str, command: &Document) -> Document {
        match self.engine_slot.engine() {
            Ok(engine) => engine.run(db, command),
            Err(sentence) => doc! { "ok": 0.0, "errmsg": sentence },
        }
    }

    fn run_until(&self, db: &str, command: &Document, cancel: &Cancel) -> Document {
        let limit = Arc::new(UntilCanceled(cancel.clone()));
        run_within(Some(limit), || self.run(db, command))
    }

    fn run_raw(&self, db: &str, command: &Document, cancel: &Cancel) -> RawDocumentBuf {
        let (Ok(engine), Ok(raw)) = (self.engine_slot.engine(), RawDocumentBuf::try_from(command))
        else {
            // It says why.
            return RawDocumentBuf::try_from(&self.run(db, command)).unwrap_or_default();
        };
        let limit = Arc::new(UntilCanceled(cancel.clone()));
        run_within(Some(limit), || engine.run_raw(db, &raw))
    }

    fn run_bytes(&self, db: &str, command: &RawDocument, _: &dyn Fn() -> bool) -> Document {
        match self.engine_slot.engine() {
            Ok(engine) => Document::try_from(&*engine.run_raw(db, command))
                .unwrap_or_else(|error| doc! { "ok": 0.0, "errmsg": error.to_string() }),
            Err(sentence) => doc! { "ok": 0.0, "errmsg": sentence },
        }
    }

    fn now_ms(&self) -> i64 {
        let engine = self.engine_slot.engine();
        engine.map_or_else(|_| SystemClock.now_ms(), |engine| engine.clock().now_ms())
    }

    fn subscribe(&self) -> Events {
        match self.engine_slot.engine() {
            Ok(engine) => Box::new(engine.subscribe()),
            Err(_) => Box::new(iter::empty()),
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities {
            transfer: true,
            listener: true,
            simulated_clock: self.is_simulated,
            reaper_events: true,
            maintenance: true,
            reaper: true,
            archives: true,
            dialects: true,
            sandboxes: true,
        }
    }

    fn sample_data(&self) -> Option<SampleData> {
        self.sample_data.clone()
    }

    fn transfers(&self) -> Option<&dyn Transfers> {
        Some(self)
    }

    fn is_in(&self, folder: &Path) -> bool {
        // Compared without links, because a folder may be opened by another name.
        let own = self.engine_slot.folder().canonicalize().ok();
        own.is_some() && own == folder.canonicalize().ok()
    }

    fn journals(&self) -> Option<PathBuf> {
        // A sandbox goes away with the program.
        self.temporary.is_none().then(|| self.engine_slot.folder().join(JOURNALS))
    }

    fn close(&self) {
        self.engine_slot.shut();
    }

    fn copy_to_sandbox(&self, namespace: &Namespace) -> Result<OpenRequest, String> {
        let engine = self.engine_slot.engine()?;
        sandbox_copy::copy(&engine, namespace, &[])
    }

    fn open_beside(&self, folder: &Path) -> Result<Arc<dyn Source>, String> {
        // Opening a folder without a store would create one.
        if !folder.join(DATA_FILE).exists() {
            return Err(format!("{} holds no store; open it once to create one", folder.display()));
        }
        open_at_rest(folder, ClockOption::System)
    }

    fn move_to(&self, folder: &Path) -> Result<(), String> {
        self.engine_slot.move_to(folder)
    }

    fn maintenance(&self) -> Option<&dyn Maintenance> {
        Some(self)
    }
}

impl Maintenance for Embedded {
    fn backup(&self, file: &Path, watch: &mut Watch<'_>) -> Result<Backup, MaintenanceError> {
        let engine = self.engine_slot.engine()?;
        let store = engine.collections().store();
        let report = store.backup_to(file, watch)?;
        let damage = backup_damage(store, &report);
        Ok(Backup { report, damage, left_out: archive::missing_from_backup(store)? })
    }

    fn offline(&self, work: &OfflineWork, watch: &mut Watch<'_>) -> Offline {
        self.engine_slot.offline(work, watch)
    }
}

impl Transfers for Embedded {
    fn import(
        &self,
        request: &ImportRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError> {
        transfer::import(self.engine()?.collections(), request, progress)
    }

    fn import_dump(
        &self,
        request: &DumpImport,
        progress: &Progress,
    ) -> Result<Vec<DumpOutcome>, TransferError> {
        transfer::import_dump(self.engine()?.collections(), request, progress)
    }

    fn export_dump(
        &self,
        request: &DumpExport,
        progress: &Progress,
    ) -> Result<DumpReport, TransferError> {
        transfer::export_dump(self.engine()?.collections(), request, progress)
    }

    fn rehearse_dump(
        &self,
        collection: &DumpCollection,
        documents_max: u64,
        progress: &Progress,
    ) -> Result<Rehearsal, TransferError> {
        let engine = self.engine()?;
        let (options, now_ms) = (ReadOptions::default(), engine.clock().now_ms());
        transfer::rehearse_dump(collection, &options, now_ms, documents_max, progress)
    }

    fn unfinished(&self) -> Result<Vec<UnfinishedImport>, TransferError> {
        transfer::unfinished_imports(self.engine()?.collections())
    }

    fn resume(
        &self,
        request: ResumeRequest,
        progress: &Progress,
    ) -> Result<ImportReport, TransferError> {
        transfer::resume_import(self.engine()?.collections(), request, progress)
    }

    fn roll_back(
        &self,
        id: ObjectId,
        progress: &Progress,
    ) -> Result<RollBackReport, TransferError> {
        transfer::roll_back_import(self.engine()?.collections(), id, progress)
    }

    fn leave(&self, id: ObjectId) -> Result<(), TransferError> {
        transfer::leave_import(self.engine()?.collections(), id)
    }

    fn export(
        &self,
        request: &ExportRequest,
        progress: &Progress,
    ) -> Result<ExportReport, TransferError> {
        transfer::export(self.engine()?.collections(), request, progress)
    }

    fn export_losses(
        &self,
        request: &ExportRequest,
        progress: &Progress,
    ) -> Result<Losses, TransferError> {
        transfer::export_losses(self.engine()?.collections(), request, progress)
    }

    fn disk_space(&self, files: &[PathBuf]) -> Result<Option<DiskSpace>, TransferError> {
        DiskSpace::of(self.engine()?.collections(), files)
    }

    fn rehearse(
        &self,
        namespace: &Namespace,
        path: &Path,
        options: &ReadOptions,
        documents_max: u64,
        progress: &Progress,
    ) -> Result<Rehearsal, TransferError> {
        let engine = self.engine()?;
        let collections = engine.collections();
        transfer::rehearse(collections, namespace, path, options, documents_max, progress)
    }
}

/// Opens a store, and makes it if there is none. Nothing expires in it.
pub(super) fn open_at_rest(folder: &Path, clock: ClockOption) -> Result<Arc<dyn Source>, String> {
    let mut store = StoreOptions::default();
    if matches!(clock, ClockOption::Simulated { .. }) {
        store.ballast_bytes_max = DEMO_BALLAST_BYTES;
    }
    let options = EngineOptions { clock, run_reaper: false, store, ..EngineOptions::default() };
    let engine = Engine::open(folder, options).map_err(|error| error.message)?;
    let is_simulated = engine.simulated_clock().is_some();
    let engine_slot = EngineSlot::new(engine, folder.to_owned(), None);
    Ok(Arc::new(Embedded { engine_slot, is_simulated, sample_data: None, temporary: None }))
}

/// Opens a store to read it. Nothing is written: no document expires, and the clock guard does not count this as
/// a time at which the store was open.
pub fn open_to_read(folder: &Path, walker: Option<WalkProgram>) -> Result<Opened, OpenError> {
    let folder = absolute(folder);
    let store = StoreOptions { walker, read_only: true, ..StoreOptions::default() };
    let clock = ClockOption::Stored;
    let options = EngineOptions { clock, run_reaper: false, store, ..EngineOptions::default() };
    let engine = Engine::open(&folder, options)?;
    let mut warnings = engine.open_report().warnings.clone();
    warnings.retain(|warning| warning != OPEN_TO_OTHERS);
    let name = folder.display().to_string();
    let (clock, is_simulated) = (engine.clock().status(), engine.simulated_clock().is_some());
    let engine_slot = EngineSlot::new(engine, folder.clone(), None);
    let source =
        Arc::new(Embedded { engine_slot, is_simulated, sample_data: None, temporary: None });
    Ok(Opened {
        source,
        name,
        folder: Some(folder),
        clock,
        warnings,
        advice: Vec::new(),
        attached: None,
    })
}

/// Opens data folders.
pub fn opener() -> Opener {
    Arc::new(open)
}

/// The store to open when a command line names none: the user's own, or the demo store until there
/// is one.
pub fn first_request(named: OpenRequest) -> OpenRequest {
    let has_own = || named.data_folder().is_ok_and(|folder| folder.join(DATA_FILE).exists());
    let demo = named.demo || named.is_own() && !has_own();
    OpenRequest { demo, ..named }
}

fn open(request: &OpenRequest) -> Result<Opened, OpenError> {
    // A killed program leaves its sandbox in the temporary folder.
    sandbox_folder::remove_left();
    let temporary = temporary(request)?;
    let folder = match &temporary {
        // A folder inside, so that the store makes it and closes it to other users.
        Some(temporary) => temporary.path().join("store"),
        None => absolute(&request.data_folder()?),
    };
    // A recent store may be deleted by now, and an empty one in its place would hide that.
    if request.must_exist && !folder.join(DATA_FILE).exists() {
        let place = folder.display();
        return Err(OpenError::new(format!("{place} doesn't contain a store any more")));
    }
    // The data folder itself is made by the store, which closes it to other users.
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).map_err(|error| {
            OpenError::new(format!("Couldn't create {}: {error}", parent.display()))
        })?;
    }
    let clock = clock(request);
    let mut store = StoreOptions { walker: request.walker.clone(), ..StoreOptions::default() };
    // The full reserve of 16 MiB would be larger than all data of such a store.
    if request.demo || request.is_temporary() {
        store.ballast_bytes_max = DEMO_BALLAST_BYTES;
    }
    let options = EngineOptions { clock, store, ..EngineOptions::default() };
    let engine = Engine::open(&folder, options)?;
    let mut warnings = super::open::notices(engine.open_report());
    // The advice about the folder's place says that too, with what to do.
    warnings.retain(|warning| warning != OPEN_TO_OTHERS);
    let sample_data = if matches!(request.sandbox, Some(Sandbox::Demo)) {
        // Without the mark in the folder: a sandbox that you keep is a store of your own.
        Some(fill(&engine))
    } else {
        // Only an empty store gets sample data, so that it never mixes with the user's documents.
        if request.demo && is_empty(&engine) {
            warnings.extend(sample_mark::write(&folder, &fill(&engine)).err());
        }
        sample_mark::read(&folder)
    };
    if let Some(Sandbox::Copy(copied)) = &request.sandbox {
        warnings.extend(hold_copy(&engine, copied.report));
    }
    let name = name_of(&folder, request);
    let clock = engine.clock().status();
    let is_simulated = engine.simulated_clock().is_some();
    let engine_slot = EngineSlot::new(engine, folder.clone(), request.walker.clone());
    let source = Arc::new(Embedded { engine_slot, is_simulated, sample_data, temporary });
    let advice = folder_advice::advice(&folder);
    Ok(Opened { source, name, folder: Some(folder), clock, warnings, advice, attached: None })
}

/// A path that means the same folder from everywhere, and has one form: without `.` and without a
/// slash at its end.
fn absolute(folder: &Path) -> PathBuf {
    let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    whole.components().collect()
}

/// The clock of a store.
fn clock(request: &OpenRequest) -> ClockOption {
    match (request.simulated_start_ms, &request.sandbox) {
        (Some(start_ms), _) => ClockOption::Simulated { start_ms },
        (None, Some(_)) => {
            let now_ms = SystemClock.now_ms();
            ClockOption::Simulated { start_ms: now_ms - now_ms.rem_euclid(MINUTE_MS) }
        }
        // A store that last ran on a simulated clock continues on it: by the system's, documents
        // would expire that were dated by another.
        (None, None) => ClockOption::Stored,
    }
}

fn temporary(request: &OpenRequest) -> Result<Option<Arc<SandboxFolder>>, OpenError> {
    Ok(match &request.sandbox {
        None => None,
        Some(Sandbox::Copy(copied)) => Some(Arc::clone(copied.folder())),
        Some(Sandbox::Empty | Sandbox::Demo) => Some(Arc::new(temporary_folder()?)),
    })
}

/// Sets up a copy: nothing is removed from it before the user says so. Returns what was left out.
fn hold_copy(engine: &Engine, report: CopyReport) -> Option<String> {
    engine.run("admin", &doc! { "setParameter": 1, "ttlMonitorEnabled": false });
    let CopyReport { copied, left_out } = report;
    (left_out > 0).then(|| {
        format!(
            "The newest {} documents were copied; {} others were left out.",
            count(copied),
            count(left_out)
        )
    })
}

fn temporary_folder() -> Result<SandboxFolder, OpenError> {
    let made = sandbox_folder::create().map_err(|error| {
        OpenError::new(format!("Couldn't create a temporary folder for the sandbox: {error}"))
    });
    made.map(|(lock, folder)| SandboxFolder::new(lock, folder))
}

fn is_empty(engine: &Engine) -> bool {
    let found = engine.run("admin", &doc! { "listDatabases": 1, "nameOnly": true });
    found.get_array("databases").is_ok_and(Vec::is_empty)
}

/// Adds the sample data. Returns which collections were made.
fn fill(engine: &Engine) -> SampleData {
    let run = &mut |db: &str, command: &Document| engine.run(db, command);
    demo::fill(run, engine.clock().now_ms());
    // Traffic writes to no other collections than these.
    SampleData::of(run)
}

/// Says at once whether another program has the store open that a request would open.
///
/// # Errors
/// One sentence that names the other program.
pub fn check_free(request: &OpenRequest) -> Result<(), OpenError> {
    if request.is_temporary() {
        return Ok(());
    }
    let folder = request.data_folder()?;
    Ok(Store::check_free(&folder)?)
}

fn name_of(folder: &Path, request: &OpenRequest) -> String {
    if request.is_temporary() {
        return "sandbox".to_owned();
    }
    if request.demo {
        return "demo store".to_owned();
    }
    if request.is_own() {
        return "my store".to_owned();
    }
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| folder.display().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn databases(opened: &Opened) -> Vec<String> {
        let found = opened.source.run("admin", &doc! {"listDatabases": 1, "nameOnly": true});
        let found = found.get_array("databases").cloned().unwrap_or_default();
        found.iter().filter_map(|db| Some(db.as_document()?.get_str("name").ok()?.into())).collect()
    }

    #[test]
    fn only_an_empty_demo_store_is_filled() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let request = |name: &str, demo| OpenRequest {
            folder: Some(folder.path().join(name)),
            demo,
            ..OpenRequest::default()
        };
        let own = open(&request("store", false)).expect("a store");
        assert_eq!((databases(&own), own.source.sample_data()), (Vec::new(), None));
        let mut marks = Vec::new();
        for dropped in ["shop", "demo", ""] {
            let demo = open(&request("demo", true)).expect("a store");
            marks.extend(demo.source.sample_data());
            let expected: &[&str] = if dropped == "demo" { &["demo"] } else { &["demo", "shop"] };
            assert_eq!(databases(&demo), expected);
            let reserve = fs::metadata(folder.path().join("demo/ballast")).expect("a reserve");
            assert!(reserve.len() <= DEMO_BALLAST_BYTES, "{} bytes", reserve.len());
            demo.source.run(dropped, &doc! {"dropDatabase": 1});
            demo.source.close();
        }
        let [first, second, third] = marks.as_slice() else { panic!("{marks:?}") };
        assert_eq!(first, second, "the mark of a store that was opened again stays");
        assert!(first.shares(second, "sessions") && !first.shares(third, "sessions"));
        // The same folder, opened as any other.
        let demo = open(&request("demo", false)).expect("a store");
        assert_eq!(demo.source.sample_data().as_ref(), Some(third));
    }

    #[test]
    fn a_folder_has_one_form_and_is_not_made_where_a_store_must_be() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let named = |path: PathBuf, must_exist| OpenRequest {
            folder: Some(path),
            must_exist,
            ..OpenRequest::default()
        };
        let data = folder.path().join("shop");
        let refused = open(&named(data.clone(), true)).map(|_| ()).map_err(|error| error.message);
        let sentence = format!("{} doesn't contain a store any more", data.display());
        assert_eq!(refused, Err(sentence));
        assert!(!data.exists());
        let spelled = PathBuf::from(format!("{}/./shop/", folder.path().display()));
        let opened = open(&named(spelled, false)).map_err(|error| error.message).expect("a store");
        let shown = opened.folder.clone().unwrap_or_default();
        assert_eq!((shown.as_os_str(), opened.name.as_str()), (data.as_os_str(), "shop"));
        opened.source.close();
        let opened = open(&named(data, true)).map_err(|error| error.message).expect("a store");
        opened.source.close();
    }

    #[test]
    fn the_first_start_opens_the_demo_store() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let named = OpenRequest { folder: Some(folder.path().into()), ..OpenRequest::default() };
        assert_eq!(first_request(named.clone()), named, "a folder that is named is opened");
        let demo = OpenRequest { demo: true, ..OpenRequest::default() };
        assert_eq!(first_request(demo.clone()), demo);
    }
}
