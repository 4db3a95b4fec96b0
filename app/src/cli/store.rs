//! Opening a store for a command.

use std::path::Path;

use bson::Document;
use mayfly_engine::engine::{Engine, EngineOptions};
use tempfile::TempDir;

use super::{Failure, walk::store_options};
use crate::source::OpenRequest;
use crate::source::embedded::{folder_of, prepare};
use crate::source::folder_advice::synced;
use crate::source::open::notices;

/// Opens a data folder that must exist, unless `create` says that it may be made.
pub(super) fn open(folder: &Path, create: bool, run_reaper: bool) -> Result<Engine, Failure> {
    if !create && !folder.is_dir() {
        return Err(Failure(format!("Data folder {} not found.", folder.display())));
    }
    let options = EngineOptions { run_reaper, store: store_options(), ..EngineOptions::default() };
    let engine = Engine::open(folder, options).map_err(Failure::from_error)?;
    warn(&engine, folder);
    Ok(engine)
}

/// Tells on standard error what was found at the opening, and what is unwise about the folder's place.
pub(super) fn warn(engine: &Engine, folder: &Path) {
    for warning in notices(engine.open_report()) {
        eprintln!("{warning}");
    }
    if let Some(sentence) = synced(folder) {
        eprintln!("Warning: {sentence}");
    }
}

/// A demo store in a temporary folder, which goes when it is dropped.
pub(super) fn demo() -> Result<(Engine, TempDir), Failure> {
    let folder = tempfile::Builder::new().prefix("mayfly-demo-").tempdir().map_err(|error| {
        Failure(format!("Can't create a temporary folder for the demo store: {error}."))
    })?;
    // One level down, so that the store makes its folder itself and nobody else can read it.
    let engine = open(&folder.path().join("data"), true, true)?;
    fill(&engine)?;
    Ok((engine, folder))
}

/// The store that the window opens when no folder is named. At the first start it gets the same sample
/// data.
pub(super) fn usual() -> Result<Engine, Failure> {
    let request = OpenRequest::default();
    let folder = folder_of(&request).map_err(Failure::from_error)?;
    let is_first = prepare(&request, &folder).map_err(Failure::from_error)?;
    let engine = open(&folder, true, true)?;
    if is_first {
        fill(&engine)?;
    }
    Ok(engine)
}

/// Puts the sample data into a store.
fn fill(engine: &Engine) -> Result<(), Failure> {
    let now_ms = engine.clock().now_ms();
    let mut failed = None;
    crate::demo::fill(
        &mut |db, command| {
            let reply = engine.run(db, &command);
            failed = failed.take().or_else(|| error_of(&reply));
            reply
        },
        now_ms,
    );
    match failed {
        Some(message) => Err(Failure(format!("Can't store the sample data: {message}."))),
        None => Ok(()),
    }
}

/// The message of a failed reply.
pub(super) fn error_of(reply: &Document) -> Option<String> {
    let message = || reply.get_str("errmsg").unwrap_or("the command failed").to_owned();
    (!reply.get_f64("ok").is_ok_and(|ok| ok >= 1.0)).then(message)
}
