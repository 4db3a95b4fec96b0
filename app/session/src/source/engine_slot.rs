//! Holds the engine of a data folder and lets it go for work that needs the folder closed.
//!
//! *Backup and maintenance…* in the menu opens `dialogs/maintenance/`. Maintenance runs alone on the
//! `Transfer` lane, so no import runs at the same time, and shares a `Gauge` with the window. A backup is
//! written while the store is in use. Restore, Compact and Verify need the folder closed:
//! `source/engine_slot.rs` closes it, works, and opens it again with the previous clock and parameters,
//! however the work ended. Until then the phase is `Away`, questions wait, and the dialog stays open. A store
//! that could not be opened at all can be verified and restored too. A file that you picked is read by the
//! program itself in another process (`mayfly walk`, a hidden command; `cli/walk.rs`): `OpenRequest::walker`
//! says so, and `apply::stores::open` passes it from one store to the next. Window tests have no such program
//! and walk in their own process. `panels/store_banner.rs` shows when the store accepts less than everything,
//! and advice about its folder (`source/folder_advice.rs`).

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use bson::{Bson, doc};
use mayfly_engine::clock::{Clock, ClockStatus};
use mayfly_engine::engine::{ClockOption, Engine, EngineOptions};
use mayfly_engine::reaper::{ParameterKind, TTL_PARAMETERS};
use mayfly_engine::store::{JobProgress, JobStep, StoreOptions, WalkProgram, Watch};

use super::OpenError;
use super::maintenance::{MaintenanceError, Offline, OfflineWork, perform};
use super::move_folder::{is_within, move_folder};

/// The pause between two looks whether everybody has let the engine go.
const PAUSE: Duration = Duration::from_millis(2);

/// An engine that can be away for a while.
pub struct EngineSlot {
    slot: Mutex<Slot>,
    changed: Condvar,
    folder: PathBuf,
    walker: Option<WalkProgram>,
}

enum Slot {
    Open(Arc<Engine>),
    /// The folder is closed for a maintenance job.
    Away,
    /// It could not be opened again: one sentence.
    Gone(String, RuntimeSettings),
}

/// Settings that an engine loses when it closes, restored when it reopens.
#[derive(Clone)]
struct RuntimeSettings {
    clock: Arc<dyn Clock>,
    simulated: Option<ClockStatus>,
    /// Parameters that differ from their defaults.
    parameters: Vec<(&'static str, Bson)>,
}

impl EngineSlot {
    /// Holds an engine that is open on this folder; `walker` walks files that the user picks.
    pub fn new(engine: Engine, folder: PathBuf, walker: Option<WalkProgram>) -> Self {
        let slot = Mutex::new(Slot::Open(Arc::new(engine)));
        Self { slot, changed: Condvar::new(), folder, walker }
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Waits for the engine. Drop it soon: a maintenance job waits until nothing uses it.
    ///
    /// # Errors
    /// One sentence: it could not be opened again.
    pub fn engine(&self) -> Result<Arc<Engine>, String> {
        let mut slot = self.lock();
        loop {
            match &*slot {
                Slot::Open(engine) => return Ok(Arc::clone(engine)),
                Slot::Gone(sentence, _) => return Err(sentence.clone()),
                Slot::Away => {}
            }
            slot = self.changed.wait(slot).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Closes the folder, does the work, and opens it again, however the work ended.
    pub fn offline(&self, work: &OfflineWork, watch: &mut Watch<'_>) -> Offline {
        let (mut back, settings) = match self.close(watch) {
            Ok(closed) => closed,
            Err(error) => return Offline { done: Err(error), reopened: Some(Ok(Vec::new())) },
        };
        let done = perform(work, &self.folder, &settings.clock, self.walker.as_ref(), watch);
        let (slot, reopened) = match self.open(&settings) {
            Ok((engine, warnings)) => (Slot::Open(Arc::new(engine)), Ok(warnings)),
            Err(failure) => (Slot::Gone(failure.message.clone(), settings), Err(failure)),
        };
        back.slot = Some(slot);
        Offline { done, reopened: Some(reopened) }
    }

    /// Closes the folder for good, once earlier requests are answered.
    pub fn shut(&self) {
        if let Ok((mut back, settings)) = self.close(&mut |_| ControlFlow::Continue(())) {
            back.slot = Some(Slot::Gone("The store was closed".to_owned(), settings));
        }
    }

    /// Closes the folder for good and moves it, once earlier requests are answered.
    ///
    /// # Errors
    /// One sentence; the folder is open again where it was, unless the sentence says otherwise.
    pub fn move_to(&self, folder: &Path) -> Result<(), String> {
        // The folder around the data goes when the program lets the sandbox go.
        let temporary = self.folder.parent().unwrap_or(&self.folder);
        if is_within(folder, temporary) {
            return Err("This folder is deleted with the sandbox; enter another folder".to_owned());
        }
        let closed = self.close(&mut |_| ControlFlow::Continue(()));
        let (mut back, settings) = closed.map_err(|error| match error {
            MaintenanceError::Stopped => "Canceled".to_owned(),
            MaintenanceError::Failed(sentence) => sentence,
        })?;
        let mut moved = move_folder(&self.folder, folder);
        back.slot = Some(match &moved {
            Ok(()) => Slot::Gone("The store was moved".to_owned(), settings),
            Err(why) => match self.open(&settings) {
                Ok((engine, _)) => Slot::Open(Arc::new(engine)),
                Err(failure) => {
                    moved = Err(format!("{why}. It couldn't be opened again: {}", failure.message));
                    Slot::Gone(failure.message, settings)
                }
            },
        });
        moved
    }

    /// Closes the engine once earlier requests are answered.
    fn close(
        &self,
        watch: &mut Watch<'_>,
    ) -> Result<(ReopenGuard<'_>, RuntimeSettings), MaintenanceError> {
        let mut engine = match std::mem::replace(&mut *self.lock(), Slot::Away) {
            Slot::Open(engine) => engine,
            Slot::Gone(sentence, settings) => {
                let gone = Slot::Gone(sentence, settings.clone());
                return Ok((ReopenGuard { engine_slot: self, slot: Some(gone) }, settings));
            }
            Slot::Away => {
                let what = "The store is already closed for another operation".to_owned();
                return Err(MaintenanceError::Failed(what));
            }
        };
        let engine = loop {
            engine = match Arc::try_unwrap(engine) {
                Ok(engine) => break engine,
                Err(shared) => shared,
            };
            // The user can stop the wait: a long query may hold the engine.
            let at = JobProgress { step: JobStep::Walking, done: 0, total: 0 };
            if watch(at) == ControlFlow::Break(()) {
                drop(ReopenGuard { engine_slot: self, slot: Some(Slot::Open(engine)) });
                return Err(MaintenanceError::Stopped);
            }
            thread::park_timeout(PAUSE);
        };
        let settings = RuntimeSettings::of(&engine);
        // Work that a background thread left undone is done after the next opening.
        let _ = engine.close();
        // Readers get this sentence if the job panics before the store is open again.
        let sentence = "Couldn't reopen the store".to_owned();
        let gone = Slot::Gone(sentence, settings.clone());
        Ok((ReopenGuard { engine_slot: self, slot: Some(gone) }, settings))
    }

    /// Reopens the folder with the settings it had. Also returns warnings for the user.
    fn open(&self, settings: &RuntimeSettings) -> Result<(Engine, Vec<String>), OpenError> {
        let clock = match &settings.simulated {
            // The old clock kept running.
            Some(_) => ClockOption::Simulated { start_ms: settings.clock.now_ms() },
            None => ClockOption::System,
        };
        let store = StoreOptions { walker: self.walker.clone(), ..StoreOptions::default() };
        let options = EngineOptions { clock, store, ..EngineOptions::default() };
        let engine = Engine::open(&self.folder, options)?;
        // The reaper sleeps first, so it does nothing before these are in force; and each of them
        // was in force before, so none is refused.
        for (name, value) in &settings.parameters {
            engine.run("admin", &doc! { "setParameter": 1, *name: value.clone() });
        }
        if let (Some(clock), Some(before)) = (engine.simulated_clock(), &settings.simulated) {
            clock.set_rate(before.rate);
            clock.set_paused(before.paused);
        }
        let warnings = super::open::notices(engine.open_report());
        Ok((engine, warnings))
    }

    fn lock(&self) -> MutexGuard<'_, Slot> {
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Fills the slot when it is dropped, also after a panic: waiting threads must be answered.
struct ReopenGuard<'h> {
    engine_slot: &'h EngineSlot,
    slot: Option<Slot>,
}

impl Drop for ReopenGuard<'_> {
    fn drop(&mut self) {
        if let Some(slot) = self.slot.take() {
            *self.engine_slot.lock() = slot;
        }
        self.engine_slot.changed.notify_all();
    }
}

impl RuntimeSettings {
    fn of(engine: &Engine) -> Self {
        let parameters = engine.reaper().parameters();
        let changed = TTL_PARAMETERS.iter().filter_map(|info| {
            let value = parameters.get(info.parameter);
            let value = match info.kind {
                _ if value == info.default => return None,
                ParameterKind::Bool => Bson::Boolean(value != 0),
                ParameterKind::Int32 | ParameterKind::Int64 => Bson::Int64(value),
            };
            Some((info.name, value))
        });
        Self {
            clock: Arc::clone(engine.clock()),
            simulated: engine.simulated_clock().map(|clock| clock.status()),
            parameters: changed.collect(),
        }
    }
}
