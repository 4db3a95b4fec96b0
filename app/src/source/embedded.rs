//! The engine in this process.

use std::fs;
use std::iter;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bson::{Document, doc, oid::ObjectId};
use mayfly_engine::archive;
use mayfly_engine::collection::backup_damage;
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_engine::interrupt::{Limit, StopReason, run_within};
use mayfly_engine::store::{OPEN_TO_OTHERS, Store, StoreError, StoreOptions, Watch};
use mayfly_engine::transfer::{
    self, DiskSpace, ExportReport, ExportRequest, ImportFormat, ImportReport, ImportRequest,
    Leniency, Progress, Rehearsal, RollBackReport, TransferError, UnfinishedImport,
};

use super::engine_slot::EngineSlot;
use crate::job::{Backup, Cancel};

use super::maintenance::{Maintenance, MaintenanceError, Offline, OfflineWork};
use super::{
    Capabilities, Events, Namespace, OpenError, OpenRequest, Opened, Opener, Source, Transfers,
    folder_advice,
};

/// The file in a data folder that makes it a store.
pub const DATA_FILE: &str = "data.mdb";

/// Fills a new store with sample data by running commands; takes the time in milliseconds since 1970.
pub type Fill = fn(&mut dyn FnMut(&str, Document) -> Document, i64);

/// The engine in this process. Dropping it closes the store.
pub struct Embedded {
    engine_slot: EngineSlot,
    is_simulated: bool,
    /// A temporary folder goes after the engine that used it.
    _folder: Option<tempfile::TempDir>,
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
        }
    }

    fn transfers(&self) -> Option<&dyn Transfers> {
        Some(self)
    }

    fn close(&self) {
        self.engine_slot.shut();
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

    fn unfinished(&self) -> Result<Vec<UnfinishedImport>, TransferError> {
        transfer::unfinished_imports(self.engine()?.collections())
    }

    fn resume(&self, id: ObjectId, progress: &Progress) -> Result<ImportReport, TransferError> {
        transfer::resume_import(self.engine()?.collections(), id, progress)
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

    fn disk_space(&self, files: &[PathBuf]) -> Result<Option<DiskSpace>, TransferError> {
        DiskSpace::of(self.engine()?.collections(), files)
    }

    fn rehearse(
        &self,
        namespace: &Namespace,
        path: &Path,
        format: ImportFormat,
        leniency: Leniency,
        documents_max: u64,
        progress: &Progress,
    ) -> Result<Rehearsal, TransferError> {
        let engine = self.engine()?;
        let collections = engine.collections();
        transfer::rehearse(collections, namespace, path, format, leniency, documents_max, progress)
    }
}

/// Opens data folders; `fill` puts the sample data into a demo store and into the very first store.
#[must_use]
pub fn opener(fill: Option<Fill>) -> Opener {
    Arc::new(move |request| open(request, fill))
}

fn open(request: &OpenRequest, fill: Option<Fill>) -> Result<Opened, OpenError> {
    let temporary = request.demo.then(temporary_folder).transpose()?;
    let folder = match &temporary {
        // A folder inside, so that the store makes it and closes it to other users.
        Some(temporary) => temporary.path().join("store"),
        None => request.data_folder()?,
    };
    let is_first = prepare(request, &folder)?;
    let clock = request
        .simulated_start_ms
        .map_or(ClockOption::System, |start_ms| ClockOption::Simulated { start_ms });
    let store = StoreOptions { walker: request.walker.clone(), ..StoreOptions::default() };
    let options = EngineOptions { clock, store, ..EngineOptions::default() };
    let engine = Engine::open(&folder, options)?;
    let mut warnings = super::open::notices(engine.open_report());
    // The advice about the folder's place says that too, with what to do.
    warnings.retain(|warning| warning != OPEN_TO_OTHERS);
    if let (true, Some(fill)) = (is_first, fill) {
        let now_ms = engine.clock().now_ms();
        fill(&mut |db, command| engine.run(db, &command), now_ms);
    }
    let name = if request.demo { "demo store".to_owned() } else { name_of(&folder, request) };
    let is_simulated = engine.simulated_clock().is_some();
    let engine_slot = EngineSlot::new(engine, folder.clone(), request.walker.clone());
    let source = Arc::new(Embedded { engine_slot, is_simulated, _folder: temporary });
    let advice = folder_advice::advice(&folder);
    Ok(Opened { source, name, folder: Some(folder), warnings, advice, created: is_first })
}

/// Makes the folder around a data folder. Returns whether the very first store is made in it, or a
/// demo, which gets the sample data.
///
/// # Errors
/// One sentence: the folder can't be made.
fn prepare(request: &OpenRequest, folder: &Path) -> Result<bool, OpenError> {
    // The data folder itself is made by the store, which closes it to other users.
    if let Some(parent) = folder.parent() {
        fs::create_dir_all(parent).map_err(|error| {
            OpenError::new(format!("Couldn't create {}: {error}", parent.display()))
        })?;
    }
    Ok(request.folder.is_none() && !folder.join(DATA_FILE).exists())
}

/// Says at once whether another program has the store open that a request would open.
///
/// # Errors
/// One sentence that names the other program.
pub fn check_free(request: &OpenRequest) -> Result<(), OpenError> {
    if request.demo {
        return Ok(());
    }
    let folder = request.data_folder()?;
    Ok(Store::check_free(&folder)?)
}

fn temporary_folder() -> Result<tempfile::TempDir, OpenError> {
    tempfile::Builder::new().prefix("mayfly-demo-").tempdir().map_err(|error| {
        OpenError::new(format!("Couldn't create a temporary folder for the demo store: {error}"))
    })
}

fn name_of(folder: &Path, request: &OpenRequest) -> String {
    if request.folder.is_none() {
        return "my store".to_owned();
    }
    let name = folder.file_name().map(|name| name.to_string_lossy().into_owned());
    name.unwrap_or_else(|| folder.display().to_string())
}
